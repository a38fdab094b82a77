"""The lines about one session, subagent or state file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from holdfast.context import session_lines
from holdfast.journal.session import Child
from holdfast.sessions.session import Session

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_800_000_000.0


def _session(**fields: Any) -> Session:
    """Return a session that was active a minute ago."""
    return Session("11111111-2222").replace(**{"last_active": NOW - 60, "summary": {"title": "Parser"}, **fields})


def test_the_focus_is_not_repeated() -> None:
    """A focus that says what the title says is left out."""
    texts = ("Parser", "Lexer")
    shown = [session_lines.entry(_session(summary={"title": "Parser", "focus": focus}), NOW) for focus in texts]
    assert ["Doing" in one for one in shown] == [False, True]


def test_where_a_session_works(tmp_path: Path) -> None:
    """Only a linked working tree is named: its `.git` is a file; a word that is known is not repeated."""
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/.git").write_text("gitdir: /p/.git/worktrees/linked\n")
    (tmp_path / "main/.git").mkdir(parents=True)
    linked, main = (_session(worktree=str(tmp_path / name), branch="topic") for name in ("linked", "main"))
    rest = "last active 1 min ago"
    assert (
        session_lines.where(linked, NOW)
        == f"no journal here, not running, active, branch topic, worktree linked, {rest}"
    )
    assert session_lines.where(main, NOW) == f"no journal here, not running, active, branch topic, {rest}"
    ended = _session(journaled=True, ended=NOW - 60, summary={})
    assert session_lines.where(ended, NOW) == f"11111111, not running, ended, {rest}"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"journaled": True}, "(`holdfast resume 11111111`) or to start fresh"),
        ({"journaled": True, "files": {"a.py": NOW}, "silent": True}, "`holdfast finish 11111111 later`"),
        ({"state_name": "a.md"}, "(`holdfast resume a.md`) or to start fresh"),
        ({"state_name": "a.md", "silent": True}, "(`holdfast resume a.md`) or to start fresh"),
    ],
)
def test_claude_learns_what_the_user_was_asked(fields: dict[str, Any], words: str) -> None:
    """Only a stale session with a journal can be finished."""
    assert words in session_lines.asked(_session(**fields))


def test_without_a_question_nothing_was_asked() -> None:
    """There is no section where no neuron is open."""
    assert session_lines.asked_neurons([]) == []


@pytest.mark.parametrize("changed", [[], ["a.py"]])
def test_an_unfinished_subagent_is_named_with_its_files(changed: list[str]) -> None:
    """What it changed is named if there is any."""
    child = Child("kid", NOW - 60)
    child.type, child.files = "Explore", dict.fromkeys(changed, NOW - 60)
    line = session_lines.orphan(child, _session(), NOW)
    assert f"last active 1 min ago{'; it changed a.py' * bool(changed)}. Closed by" in line


@pytest.mark.parametrize(
    ("summary", "shown"),
    [
        ({"format": "unknown"}, "- a.md (of an unknown shape)"),
        ({"format": "gsd"}, '- "T" (a.md; gsd, no known update)'),
        ({"format": "gsd", "status": "Working", "category": "active"}, '- "T" (a.md; gsd, active, no known update)'),
        ({"format": "gsd", "updated": NOW - 60}, '- "T" (a.md; gsd, updated 1 min ago)'),
    ],
)
def test_a_state_file_without_a_session(summary: dict[str, Any], shown: str) -> None:
    """Its name, format, status and age, as far as they are known."""
    assert session_lines.file_entry(_session(state_name="a.md", summary={"title": "T", **summary}), [], NOW) == shown


@pytest.mark.parametrize(("count", "more"), [(6, ""), (7, "  and 1 more: holdfast tree")])
def test_six_entries_of_a_register_are_shown(count: int, more: str) -> None:
    """The others are counted. An entry has its focus if it has one."""
    going: list[Any] = [{"id": f"e{number}", "title": "T", "focus": "Do it" * (number > 0)} for number in range(count)]
    lines = session_lines.file_entry(_session(summary={"format": "genie"}), going, NOW).splitlines()[1:]
    known = "active, no known time"
    assert lines[:2] == [f"  Entry: T (e0, {known})", f"  Entry: T (e1, {known}): Do it"]
    assert lines[6:] == ([more] if more else [])


def test_the_text_of_a_state_file(tmp_path: Path) -> None:
    """Below its head the text without its metadata; "" without a file, and for one that is gone."""
    path = tmp_path / "a.md"
    path.write_text("---\nx: y\n---\nHalf done.\n")
    session = _session(state=str(path), state_name="a.md", summary={"title": "T", "body": 13})
    head = "## State file: a.md (active, no known update)\n"
    assert session_lines.state_file(session, NOW, 500) == (f"{head}> Half done.", [])
    session.summary["body"] = "none"  # type: ignore[typeddict-item] # as a damaged cache may have it
    assert "> x: y" in session_lines.state_file(session, NOW, 500)[0]
    session.summary["problem"] = "line 3: two tables"
    warned = session_lines.state_file(session, NOW, 500)[0]
    assert "\nIt is not written until this is fixed: line 3: two tables\n" in warned
    session.summary["untrusted"] = True
    refused = session_lines.state_file(session, NOW, 500)
    assert refused == (f'{head}"T": its text was not accepted here.', [])
    path.unlink()
    assert session_lines.state_file(_session(state=str(path), state_name="a.md"), NOW, 500) == (head, [])
    assert session_lines.state_file(_session(), NOW, 500) == ("", [])
    assert session_lines.own_state_file(None, NOW, 500) == ("", [])


def test_a_long_state_file_is_cut_to_the_character(tmp_path: Path) -> None:
    """A text that just fits is whole; a longer one begins with a summary, and its end is missing."""
    path = tmp_path / "a.md"
    path.write_text("Half done.\n" * 9)
    session = _session(state=str(path), state_name="a.md", summary={"title": "T", "focus": "Rates"})
    whole, _ = session_lines.state_file(session, NOW, 5000)
    assert session_lines.state_file(session, NOW, len(whole)) == (whole, [])
    cut, missing = session_lines.state_file(session, NOW, len(whole) - 1)
    assert len(cut) < len(whole)
    assert "  Focus: Rates\n> Half done." in cut
    assert missing == ["the end of a.md"]


@pytest.mark.parametrize(
    ("summary", "hub", "damage"),
    [
        ({}, False, ""),
        ({"format": "genie"}, True, ""),
        ({"format": "own", "entries": [{"id": "a"}]}, True, ""),
        ({"format": "own", "entries": "none"}, False, ""),
        ({"problem": "line 3: two tables"}, False, "line 3: two tables"),
        ({"problem": "no known format"}, False, ""),
    ],
)
def test_hubs_and_damage(summary: dict[str, Any], damage: str, *, hub: bool) -> None:
    """A hub has entries or the format of one; damage is at a line."""
    session = _session(summary=summary)
    assert session_lines.is_hub(session) is hub
    assert session_lines.damage(session) == damage
