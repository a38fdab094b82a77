"""A pause hands over what was said and done, in every kind of project, until the work goes on or is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
OVER = ".continue-here.md"


@pytest.fixture(params=["private", "shared"])
def paused(here: Project, request: pytest.FixtureRequest) -> Project:
    """Give a project with one session that was paused after work, a commit and an answer to a question."""
    assert here.cli("init", *(["--private"] if request.param == "private" else [])).code == 0
    here.fire("SessionStart")
    here.fire("UserPromptSubmit", prompt="cache the tax table in the importer")
    (here.root / "tax.py").write_text("x = 1\n")
    here.edit("tax.py")
    here.git("add", "tax.py")
    here.git("commit", "-q", "-m", "Read the rates once", "--", "tax.py")
    here.fire("Stop", last_assistant_message="Both work. Should the cache live in the process, or in Redis?")
    here.fire("UserPromptSubmit", prompt="process")
    here.fire("Stop", last_assistant_message="I tried a lock file, which did not work. Should it expire at night?")
    here.settled()
    reply = here.cli("pause", "one", "--note", "mind the clock", "--next", "Ask the bank")
    assert reply.code == 0, reply
    return here


def _places(project: Project) -> list[Path]:
    return [project.root, project.store / "private"]


def _over(project: Project) -> list[Path]:
    return [place / OVER for place in _places(project) if (place / OVER).exists()]


def _state(project: Project) -> str:
    (path,) = [path for place in _places(project) for path in (place / ".agents/sessions").glob("*.md")]
    return path.read_text()


def test_the_hand_over_has_facts(paused: Project) -> None:
    """What was committed, what was decided, what waits for an answer, what was given up."""
    (path,) = _over(paused)
    text = path.read_text()
    assert "Committed: " in text.partition("<completed_work>")[2].partition("</completed_work>")[0]
    assert '→ "process"' in text.partition("<decisions_made>")[2].partition("</decisions_made>")[0]
    assert "expire at night?" in text.partition("<blockers>")[2].partition("</blockers>")[0]
    assert "I tried a lock file, which did not work." in text


def test_the_state_file_has_note_and_next_step(paused: Project) -> None:
    """Both reach the file that stays, the note only where no commit has that file."""
    state = _state(paused)
    assert "- Ask the bank\n" in state
    committed = bool(paused.git("ls-files", "--", ".agents/sessions"))
    assert ("Session paused\n\nmind the clock\n" in state, "mind the clock" in state) == (not committed,) * 2


def test_the_next_session_is_told(paused: Project) -> None:
    """Once, with the note; no session of its own appears for the hand-over."""
    paused.fire("SessionEnd")
    paused.settled()
    brief = paused.fire("SessionStart", "two").context
    assert "## Paused, to be continued" in brief
    assert "mind the clock" in brief
    assert brief.count("Ask the bank") <= 2
    assert "continue-here" not in paused.cli("list").out


def test_close_takes_the_hand_over_away(paused: Project) -> None:
    """Its bytes are kept, and the command says how to get them back."""
    reply = paused.cli("close", "one")
    assert "The hand-over is used" in reply.out
    assert _over(paused) == []


@pytest.mark.parametrize("going_on", ["resume", "prompt"])
def test_work_that_goes_on_is_not_paused(paused: Project, going_on: str) -> None:
    """After `claude --resume`, or a prompt in the same session, and an edit."""
    if going_on == "resume":
        paused.fire("SessionEnd")
        paused.settled()
        paused.fire("SessionStart", source="resume")
    paused.fire("UserPromptSubmit", prompt="now write the eviction test")
    paused.edit("evict.py")
    paused.fire("Stop", last_assistant_message="It is written.")
    paused.settled()
    assert "status: in_progress" in _state(paused)
    assert _over(paused) == []
    assert "\tactive\t" in paused.cli("list").out


def test_an_edited_hand_over_stays(paused: Project) -> None:
    """It has words of a person."""
    (path,) = _over(paused)
    path.write_text(path.read_text() + "\nmine\n")
    paused.cli("close", "one")
    assert _over(paused) == [path]
