"""The commands `search` and `forget`: what they print, and what forget leaves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from holdfast.context.compaction import snapshots
from tests.cli.test_json import SCHEMA, flaws
from tests.cli.test_typed_secrets import SECRET
from tests.support import hooks
from tests.support.hostile import shown

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
SCREEN = "80x24"


def filled(project: Project, number: int = 2) -> None:
    """Give a project sessions that have texts."""
    for at in range(number):
        facts = [{"kind": "prompt", "text": f"parse the invoices of Acme Corp\nfor shop {at}"}]
        facts += [{"kind": "answer", "text": "Done with the invoices."}, {"kind": "edit", "path": "acme corp/a.py"}]
        project.remember(f"{at}aaaaaaa-1111-4111-8111-111111111111", *facts, at=1_700_000_000.0 + at)


def test_a_pipe_gets_rows(prepared: Project) -> None:
    """With time, kind, matching line, session and title; Claude may search."""
    filled(prepared, 1)
    reply = prepared.cli("search", "shop", "parse", CLAUDECODE="1")
    when, kind, line, session, _ = reply.out.rstrip("\n").split("\t")
    assert (when, kind, line) == ("2023-11-14T22:13:20Z", "prompt", "parse the invoices of Acme Corp")
    assert session.startswith("0aaaaaaa-")
    assert prepared.cli("search", "--header", "shop").out.startswith("AT\tKIND\tLINE\tSESSION\tTITLE\n")
    assert prepared.cli("search", "absent").out == ""


def test_a_choice_has_its_question_and_its_answer(prepared: Project) -> None:
    """Whichever of them has the word: a question alone does not say what was decided."""
    text = "? Which database shall the shop use?\n= PostgreSQL\n? For each line?\n= yes"
    prepared.remember("one", {"kind": "choice", "text": text}, at=1.0)
    for word in ("database", "PostgreSQL"):
        assert prepared.cli("search", word).out.split("\t")[2] == "Which database shall the shop use? PostgreSQL"


def test_the_json_is_as_the_schema_says(prepared: Project) -> None:
    """All texts, in the order of the rows."""
    filled(prepared)
    value = json.loads(prepared.cli("search", "invoices", "--json").out)
    assert flaws(value, SCHEMA["search"]) == []
    assert [(one["kind"], one["short"]) for one in value] == [
        ("prompt", "1aaaaaaa"),
        ("prompt", "0aaaaaaa"),
        ("answer", "1aaaaaaa"),
        ("answer", "0aaaaaaa"),
    ]
    assert len(json.loads(prepared.cli("search", "invoices", "--kind", "answer", "--json").out)) == 2


def test_a_terminal_gets_one_screen(prepared: Project) -> None:
    """Each line whole, below a line that says where it is, and a hint at the rest."""
    filled(prepared, 30)
    lines = prepared.cli("search", "parse", HOLDFAST_SCREEN=SCREEN).out.splitlines()
    assert len(lines) <= 23
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "19 more: holdfast search --all parse"
    assert lines[1] == "  parse the invoices of Acme Corp"
    assert len(prepared.cli("search", "parse", "--all", HOLDFAST_SCREEN=SCREEN).out.splitlines()) == 60


def test_a_text_is_printed_whole(prepared: Project) -> None:
    """Its line in any width, all of it with --full, also in a pipe and as JSON."""
    long = "I round half even, because the accountant compares with the ledger. " * 4
    prepared.remember("one", {"kind": "answer", "text": f"{long}\n\nShall old ones be rounded?"}, at=1.0)
    shown = prepared.cli("search", "ledger", HOLDFAST_SCREEN=SCREEN).out
    assert " ".join(shown.split("\n", 1)[1].split()) == long.strip()
    for words, end in (((), "the ledger."), (("--full",), "Shall old ones be rounded?")):
        assert prepared.cli("search", *words, "ledger").out.split("\t")[2].endswith(end)
        assert json.loads(prepared.cli("search", *words, "ledger", "--json").out)[0]["line"].endswith(end)
    assert "\n\n  Shall old ones" in prepared.cli("search", "--full", "ledger", HOLDFAST_SCREEN=SCREEN).out


def test_state_files_are_searched(prepared: Project) -> None:
    """Those of others, and what a person wrote into one; what a journal has is not printed twice."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Sort the addresses")
    prepared.edit("src/sort.py")
    prepared.fire("Stop", last_assistant_message="Addresses are sorted.")
    prepared.settled()
    (own,) = prepared.state_files()
    own.write_text(f"{own.read_text()}\nThe postcode of Basel differs.\n")
    prepared.write_state("20251204-143000-rates.md", title="Rates", state="The ledger of the bank differs.")
    for words, line, title in (
        ("ledger", "The ledger of the bank differs.", "Rates"),
        ("postcode", "The postcode of Basel differs.", "Sort the addresses"),
    ):
        (row,) = json.loads(prepared.cli("search", words, "--json").out)
        assert (row["kind"], row["line"], row["title"]) == ("state", line, title)
    rows = json.loads(prepared.cli("search", "sorted addresses", "--json").out)
    assert {row["kind"] for row in rows}.isdisjoint({"state"})
    assert prepared.cli("search", "holdfast").out == ""  # a mark is no text


def test_no_secret_is_printed(prepared: Project) -> None:
    """Neither one that a journal has nor one that was typed."""
    prepared.remember("one", {"kind": "prompt", "text": f"the key is {SECRET} for invoices"})
    for arguments in (["invoices"], ["invoices", "--json"], [SECRET], ["absent", SECRET]):
        assert SECRET not in shown(prepared.cli("search", *arguments)), arguments


def test_forget_removes_texts_and_nothing_else(prepared: Project) -> None:
    """From journal, snapshots and index; facts, times, paths and other lines keep their bytes."""
    filled(prepared)
    prepared.remember("other", {"kind": "prompt", "text": "something else"})
    store, ident = str(prepared.store), "0aaaaaaa-1111-4111-8111-111111111111"
    snapshots.take(store, ident, {"trigger": "auto"}, b"# About ACME  corp\n", 1_700_000_500.0)
    snapshots.take(store, "other", {"trigger": "auto"}, b"# Another\n", 1_700_000_500.0)
    before = {path.name: path.read_bytes() for path in (prepared.store / "journal").iterdir()}
    assert prepared.cli("search", "acme").out
    assert prepared.cli("forget", "acme", "corp").code == 1
    assert {path.name: path.read_bytes() for path in (prepared.store / "journal").iterdir()} == before
    reply = prepared.cli("forget", "acme", "corp", "--yes")
    assert "Removed: texts: 2, snapshots: 1." in reply.out
    assert "Not changed: commits" in " ".join(reply.out.split())
    assert f"journal/{ident}.jsonl" in reply.out  # its paths have the words
    assert prepared.cli("search", "acme", "--kind", "prompt").out == ""
    assert [one.session for one in snapshots.everyone(store)] == ["other"]
    assert (prepared.store / "journal/other.jsonl").read_bytes() == before["other.jsonl"]
    lines, old = (prepared.store / f"journal/{ident}.jsonl").read_bytes().splitlines(), before[f"{ident}.jsonl"]
    assert lines[1:] == old.splitlines()[1:]
    assert json.loads(lines[0]) == {**json.loads(old.splitlines()[0]), "text": ""}
    value = json.loads(prepared.cli("forget", "acme", "corp", "--yes", "--json").out)
    assert flaws(value, SCHEMA["forget"]) == []
    assert (value["texts"], value["snapshots"], value["left"], len(value["stays"])) == (0, 0, 0, 2)


def test_forget_removes_all_texts_of_one_session(prepared: Project) -> None:
    """Which a short id names; other sessions stay."""
    filled(prepared)
    value = json.loads(prepared.cli("forget", "0aaaaaaa", "--yes", "--json").out)
    assert (value["texts"], value["left"]) == (2, 0)
    assert value["sessions"] == ["0aaaaaaa-1111-4111-8111-111111111111"]
    rows = json.loads(prepared.cli("search", "invoices", "--json").out)
    assert {row["short"] for row in rows} == {"1aaaaaaa"}


def test_the_note_of_a_pause_can_be_searched_and_forgotten(prepared: Project) -> None:
    """It is a text that a person wants to keep."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit")
    prepared.edit("a.py")
    prepared.fire("Stop")
    prepared.settled()
    assert prepared.cli("pause", "one", "--note", "Ask ops about paging").code == 0
    assert "Ask ops about paging" in prepared.cli("search", "paging", "--kind", "note").out
    assert prepared.cli("forget", "paging", "--yes").code in {0, 1}
    assert prepared.cli("search", "paging").out == ""


def test_claude_does_not_forget(prepared: Project) -> None:
    """Not even with --yes."""
    filled(prepared)
    reply = prepared.cli("forget", "acme", "--yes", CLAUDECODE="1")
    assert reply.code == 1
    assert "nothing was removed" in reply.err
    assert prepared.cli("search", "acme", "--kind", "prompt").out


@pytest.mark.parametrize(
    "words", ["strasse", "STRASSE", "Straße", "byid", "userbyid", "fetchuser", "우유", "検索", "acao"]
)
def test_words_are_as_people_type_them(prepared: Project, words: str) -> None:
    """Without the accents, as a part of an identifier, two characters of a script without blanks."""
    said = "Ação: fetchUserById in der Straße. 우유 검색이 됩니다. 検索インデックスを追加しました。"
    prepared.remember("one", {"kind": "answer", "text": said})
    assert "fetchUserById" in prepared.cli("search", words).out


def test_forget_leaves_nothing_in_a_private_project(prepared: Project) -> None:
    """State file, hub, snapshot, journal, index: what quotes the words is written again, or has an ellipsis."""
    assert prepared.cli("init", "--private").code == 0
    prepared.fire("SessionStart")
    said = (
        ("Make the export for Falke faster", "Faster. Tell Falke?"),
        ("never tell Projekt Falke", "Fine."),
        ("go on", "Done."),
    )
    measured = {"kind": "measured", "steps": ["Answer Claude: Tell Falke?"], "steps_count": 1}
    prepared.remember("one", measured, {"kind": "drift", "items": [{"names": ["756c168 Mail to Falke"]}]})
    for prompt, answer in said:
        prepared.fire("UserPromptSubmit", prompt=prompt)
        prepared.edit("src/export.py")
        prepared.fire("Stop", last_assistant_message=answer)
    prepared.fire("PreCompact")
    prepared.fire("SessionEnd")
    prepared.settled()
    assert prepared.cli("pause", "one", "--note", "Falke calls on Monday").code == 0
    assert list(prepared.store.rglob("*falke*.md"))
    reply = prepared.cli("forget", "falke", "--yes")
    assert "- the words in private/.agents/sessions/" in reply.out
    kept = [path for path in prepared.store.rglob("*") if path.is_file() and b"falke" in path.read_bytes().lower()]
    assert kept == []
    assert not list(prepared.store.rglob("*falke*"))
    assert prepared.cli("search", "falke").out == ""
    assert "got no answer" not in prepared.cli("status", "one").out
    assert "State file: .git/holdfast/private/.agents/sessions/" in prepared.cli("status", "one").out


def test_forget_names_the_state_files_that_a_person_has_to_edit(prepared: Project) -> None:
    """A committed one keeps its name, and what others wrote stays; the title that holdfast gave it changes."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Make the export for Falke faster")
    prepared.edit("src/export.py")
    prepared.fire("Stop", last_assistant_message="It is faster.")
    prepared.fire("SessionEnd")
    prepared.settled()
    prepared.git("add", "--all")
    prepared.git("commit", "-q", "-m", "Export")
    (path,) = prepared.state_files()
    out = " ".join(prepared.cli("forget", "falke", "--yes").out.split())
    assert out.count("State files that have it") == 1
    assert f"State files that have it, for you to edit: .agents/sessions/{path.name}" in out
    assert "Falke" not in path.read_text()
