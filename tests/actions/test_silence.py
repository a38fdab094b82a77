"""Silence ends no work; the answer to "done, later or drop?" does."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
START = {"kind": "start", "host": "elsewhere", "branch": "main"}
EDIT = {"kind": "edit", "path": "a.py"}
DAY = 86_400.0


def _task(status: str) -> dict[str, Any]:
    return {"kind": "task", "id": "1", "subject": "Parse", "status": status}


def _left(project: Project, *facts: dict[str, Any], days: float) -> None:
    """Leave a session that changed a committed file, and was silent for days."""
    (project.root / "a.py").write_text("x = 1\n")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "all")
    project.remember("one", {**START, "root": str(project.root)}, EDIT, *facts, at=time.time() - days * DAY)


def _category(project: Project) -> str:
    """Return the status of the session's work, as `list --all` says."""
    (row,) = [one for one in json.loads(project.cli("list", "--all", "--json").out) if one["id"] == "one"]
    return str(row["status"])


def test_a_session_for_later_leaves_a_hand_over(prepared: Project) -> None:
    """Whoever takes it up again finds where it stopped; done and drop leave none."""
    prepared.fire("SessionStart")
    prepared.edit("a.py")
    prepared.fire("Stop", last_assistant_message="Half of it is done")
    prepared.fire("SessionEnd")
    prepared.settled()
    assert prepared.cli("finish", "one", "later").code == 0
    assert "Half of it is done" in (prepared.store / "private/.continue-here.md").read_text()


CASES = {
    "all tasks done": ([_task("completed")], 2, False),
    "silent for months": ([_task("completed")], 200, False),
    "a task is open": ([_task("pending")], 20, False),
    "not committed": ([_task("completed")], 9, True),
    "a subagent was running": ([{"kind": "child", "agent": "a", "type": "t", "status": "running"}], 20, False),
    "nothing but an edit": ([], 20, False),
}


@pytest.mark.parametrize("with_state", [True, False])
@pytest.mark.parametrize(("facts", "days", "dirty"), CASES.values(), ids=CASES)
def test_silence_ends_no_work(
    prepared: Project, facts: list[dict[str, Any]], days: float, *, dirty: bool, with_state: bool
) -> None:
    """However long it was silent and whatever is done, it stays open: settles and starts journal no other status."""
    _left(prepared, *facts, *([{"kind": "due"}] if with_state else []), days=days)
    if dirty:
        (prepared.root / "a.py").write_text("x = 2\n")
    for ident in ("two", "three"):
        prepared.cli("settle")
        prepared.fire("SessionStart", ident)
        prepared.settled("one")
    assert prepared.facts("one", "status") == []
    assert _category(prepared) in {"active", "in_progress"}
    (row,) = [one for one in json.loads(prepared.cli("list", "--json").out) if one["id"] == "one"]
    assert row["status"] == "active"


@pytest.mark.parametrize(("answer", "status"), [("done", "completed"), ("later", "paused"), ("drop", "dropped")])
@pytest.mark.parametrize("with_state", [True, False])
def test_the_user_says_what_becomes_of_it(prepared: Project, answer: str, status: str, *, with_state: bool) -> None:
    """The answer is written to the state file, if there is one, and journaled; the next start does not ask again."""
    _left(prepared, _task("pending"), days=2)
    path = prepared.write_state()
    if with_state:
        claim = {"kind": "state", "path": f".agents/sessions/{path.name}", "root": str(prepared.root), "by": "edit"}
        prepared.remember("one", claim, at=time.time() - 2 * DAY)
    else:
        path.unlink()
    start = prepared.fire("SessionStart", "two")
    assert "/holdfast:resume one" in start.message
    assert "holdfast finish one done" in start.context
    reply = prepared.cli("finish", "one", answer)
    assert (reply.code, reply.err) == (0, "")
    following = "To continue: holdfast continue" if status == "paused" and with_state else "To see it: holdfast resume"
    assert f"is {status}. {following} one" in reply.out
    assert [fact["text"] for fact in prepared.facts("one", "status")] == [f"the user answered: {answer}"]
    assert not with_state or f"status: {status.replace('dropped', 'completed')}" in path.read_text()
    assert "/holdfast:finish" not in prepared.fire("SessionStart", "three").message


@pytest.mark.parametrize("words", [(), ("one",), ("maybe",), ("one", "two", "done"), ("nobody", "done")])
def test_an_answer_that_is_none_changes_nothing(prepared: Project, words: tuple[str, ...]) -> None:
    """It says what to type."""
    _left(prepared, _task("pending"), days=2)
    reply = prepared.cli("finish", *words)
    told = (
        "nobody"
        if "nobody" in words
        else "Say what becomes of it: holdfast finish ID done, or later [--until DAY], or drop."
    )
    assert (reply.code in {1, 2}, told in reply.err) == (True, True), reply
    assert prepared.facts("one", "status") == []


def test_a_live_session_of_another_terminal_is_left_alone(prepared: Project) -> None:
    """Only its own terminal finishes it."""
    prepared.fire("SessionStart", "live")
    prepared.edit("a.py", "live")
    reply = prepared.cli("finish", "live", "done")
    assert (reply.code, reply.err) == (1, "holdfast: session live is live. End it there first, or answer there.\n")
    assert prepared.cli("finish", "live", "done", CLAUDE_CODE_SESSION_ID="live").code == 0


@pytest.mark.parametrize(("answer", "status"), [("done", "completed"), ("later", "paused"), ("drop", "dropped")])
def test_a_state_file_that_is_made_later_has_the_status(
    prepared: Project, monkeypatch: pytest.MonkeyPatch, answer: str, status: str
) -> None:
    """A session that only talked was finished without a file; the one that it gets in a private project says so."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Which queue?")
    prepared.fire("Stop", last_assistant_message="Shall it be Redis?")
    prepared.fire("SessionEnd")
    assert prepared.cli("finish", "one", answer).code == 0
    later = time.time() + DAY
    monkeypatch.setattr(time, "time", lambda: later)
    assert prepared.cli("init", "--private").code == 0
    prepared.settled("one")
    assert _category(prepared) == status
    (prepared.store / "index.db").unlink()
    assert _category(prepared) == status


def test_stale_work_is_asked_about_by_twos_and_not_again_within_a_week(prepared: Project) -> None:
    """Issue: at most two at a start, however old, never the same twice a week."""
    names = ("anna", "bert", "carl")
    for name in names:
        prepared.remember(name, {**START, "root": str(prepared.root)}, EDIT, at=time.time() - 20 * DAY)
    asked = []
    for ident in ("two", "three", "four"):
        context = prepared.fire("SessionStart", ident).context
        asked.append([name for name in names if f"holdfast finish {name} " in context])
        prepared.fire("SessionEnd", ident)
    assert [len(one) for one in asked] == [2, 1, 0]
    assert sorted(name for one in asked for name in one) == [*names]
