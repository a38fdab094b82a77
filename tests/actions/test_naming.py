"""A state file that began without a request gets title and context from the first one that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.formats import names, template
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared


@pytest.mark.parametrize("written", ["", "A person wrote this."])
def test_the_context_is_the_first_request(prepared: Project, written: str) -> None:
    """Unless a person has written there meanwhile."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="yes")
    prepared.edit("a.py")
    prepared.settled()
    (path,) = prepared.state_files()
    assert template.OPEN in path.read_text()
    if written:
        path.write_text(path.read_text().replace(template.OPEN, written))
        prepared.accept()
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices of May")
    prepared.edit("b.py")
    prepared.fire("Stop")
    prepared.settled()
    (path,) = prepared.state_files()
    text = path.read_text()
    assert "# Session: Parse the invoices of May\n" in text
    assert f"## Context\n\n{written or names.IN_TITLE}\n" in text


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Welche Tabelle soll ich lesen?", "die Tabelle der Rechnungen vom letzten Mai"),
        ("Qual tabela devo ler?", "a tabela das faturas do mês passado"),
        ("どの表を読みますか。", "先月の請求書の表を全部読んでください"),
        ("Which table shall I read?", "the table with the invoices of last May"),
    ],
)
def test_an_answer_to_a_question_is_no_title(prepared: Project, question: str, reply: str) -> None:
    """Issue: in whatever language, by the question before it and by no list of words; the first request is one."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="hi")
    prepared.fire("Stop", last_assistant_message=question)
    prepared.fire("UserPromptSubmit", prompt=reply)
    prepared.edit("a.py")
    prepared.fire("Stop", last_assistant_message="It is read.")
    prepared.settled()
    (path,) = prepared.state_files()
    assert "# Session: Work on main\n" in path.read_text()
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices of May")
    prepared.edit("b.py")
    prepared.fire("Stop", last_assistant_message="Done.")
    prepared.settled()
    (path,) = prepared.state_files()
    assert "# Session: Parse the invoices of May\n" in path.read_text()


def test_a_question_in_passing_makes_way_in_title_and_context(here: Project) -> None:
    """In a private project the file is there before the request; what a person wrote stays."""
    assert here.cli("init", "--private").code == 0
    here.fire("SessionStart")
    here.fire("UserPromptSubmit", prompt="qual porta é essa?")
    here.fire("Stop", last_assistant_message="É a 8080.")
    here.settled()
    here.fire("UserPromptSubmit", prompt="conserta o login dos convidados na página inicial")
    here.edit("a.py")
    here.fire("Stop", last_assistant_message="Feito.")
    here.settled()
    (path,) = (here.store / "private/.agents/sessions").glob("*.md")
    text = path.read_text()
    assert "# Session: conserta o login dos convidados na página inicial\n" in text
    assert "## Context\n\n> conserta o login dos convidados na página inicial\n" in text
    assert "porta" not in text.partition("## Session Log")[0]
