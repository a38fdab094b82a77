"""What facts make of a session, where the order of starts, prompts and changes of status matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from holdfast.journal import payload
from holdfast.journal.folding import fold
from holdfast.journal.session import Recorded, inside_project

if TYPE_CHECKING:
    from holdfast.journal.log import Fact

START = {"kind": "start", "pid": 1, "process": "p", "root": "/r", "branch": "main"}
PROMPT = {"kind": "prompt", "text": "Now sum the totals"}
EDIT = {"kind": "edit", "tool": "Edit", "path": "a.py"}


def made(*facts: dict[str, Any]) -> Recorded:
    """Return the session that facts make, one second apart."""
    known: list[Fact] = [{"at": float(at), **fact} for at, fact in enumerate(facts, 1)]  # type: ignore[typeddict-item]
    return fold(Recorded(""), known)


def test_only_a_start_after_a_compaction_counts_as_one() -> None:
    """The client names what began it."""
    assert made(START, {**START, "source": "resume"}, {**START, "source": "compact"}).process.compactions == 1


@pytest.mark.parametrize("later", [START, {**START, "source": "compact"}])
def test_who_started_a_session_stays_known(later: dict[str, Any]) -> None:
    """A later start of it has no parent and no origin as a rule."""
    session = made({**START, "parent": "up", "origin": "before", "transcript": "/t", "folder": "/f"}, later)
    assert (session.parent, session.origin, session.transcript, session.process.folder) == ("up", "before", "/t", "/f")


@pytest.mark.parametrize(
    ("later", "status"),
    [
        ({**START, "source": "compact"}, "running"),
        ({**START, "process": "q"}, "orphaned"),
        ({**START, "pid": 2}, "orphaned"),
        ({"kind": "end", "reason": "other"}, "orphaned"),
    ],
)
def test_subagents_run_in_the_process_of_their_session(later: dict[str, Any], status: str) -> None:
    """A start in another process and the end of the session end them; a start in the same process does not."""
    session = made(START, {"kind": "child", "agent": "a1", "type": "reviewer", "status": "running"}, later)
    assert [child.status for child in session.children.values()] == [status]


@pytest.mark.parametrize(
    ("status", "more", "reported"),
    [
        ("waiting", [], "waiting"),
        ("waiting", [PROMPT], ""),
        ("paused", [PROMPT], ""),
        ("paused", [START], ""),
        ("completed", [PROMPT], "completed"),
        ("completed", [EDIT], "completed"),
        ("completed", [PROMPT, EDIT], ""),
        ("completed", [PROMPT, {"kind": "task", "id": "1", "subject": "Sum"}], ""),
        ("completed", [PROMPT, {"kind": "plan", "text": "Sum", "path": "/p.md"}], ""),
    ],
)
def test_how_long_a_status_holds(status: str, more: list[dict[str, Any]], reported: str) -> None:
    """A prompt ends a pause; work after a prompt ends what was completed, and nothing else does."""
    assert made(START, EDIT, {"kind": "update", "status": status}, *more).chosen == reported


@pytest.mark.parametrize(
    ("title", "path", "shown"),
    [
        ("Fix the tax", "p/tax.md", '"Fix the tax" (p/tax.md)'),
        ("", "p/tax.md", "p/tax.md"),
        ("Fix the tax", "", "Fix the tax"),
    ],
)
def test_a_plan_is_named_by_title_and_file(title: str, path: str, shown: str) -> None:
    """One without a title, or without a file, is named by what it has."""
    assert made(START, {"kind": "plan", "text": title, "path": path}).followed_plan() == shown


@pytest.mark.parametrize(
    ("fact", "changed"),
    [
        (EDIT, 2),
        (PROMPT, 0),
        ({"kind": "child", "agent": "a1", "type": "Explore", "status": "running"}, 2),
        ({"kind": "child", "agent": "a1", "type": "", "status": "running"}, 0),
    ],
    ids=["an edit", "a prompt", "a subagent", "the client's summariser"],
)
def test_what_changes_the_work(fact: dict[str, Any], changed: int) -> None:
    """The number of the last fact that a state file has to reflect."""
    assert made(START, fact).settling.changed == changed


@pytest.mark.parametrize(("status", "revived"), [("paused", True), ("waiting", False)])
def test_a_prompt_takes_paused_work_up_again(status: str, *, revived: bool) -> None:
    """The next settle then changes the status in the state file; work that waited was never put away."""
    assert made(START, EDIT, {"kind": "update", "status": status}, PROMPT).settling.revived is revived


def test_files_that_changed_later() -> None:
    """Latest first, without those outside of the project and those that changed at that very moment."""
    assert inside_project({"a": 5.0, "b": 6.0, "c": 7.0, "/else/d": 8.0}, 5.0) == ["c", "b"]


@pytest.mark.parametrize(
    ("name", "fits"), [("a" * 128, True), ("a" * 129, False), ("a-b_1", True), ("a/b", False), ("", False)]
)
def test_an_id_that_can_be_a_files_name(name: str, *, fits: bool) -> None:
    """Letters, digits, `-` and `_`, at most 128."""
    assert payload.is_session(name) is fits
