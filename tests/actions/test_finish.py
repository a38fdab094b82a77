"""Sessions that finish by themselves, and the answer to "done, later or drop?"."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.actions import finish
from holdfast.project import paths
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
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
    (row,) = [one for one in json.loads(project.cli("list", "--all", "--format", "json").out) if one["id"] == "one"]
    return str(row["status"])


def test_a_session_for_later_leaves_a_hand_over(prepared: Project) -> None:
    """Whoever takes it up again finds where it stopped; done and drop leave none."""
    prepared.fire("SessionStart")
    prepared.edit("a.py")
    prepared.fire("Stop", last_assistant_message="Half of it is done")
    prepared.fire("SessionEnd")
    prepared.settled()
    assert prepared.cli("finish", "one", "later").code == 0
    assert "Half of it is done" in (prepared.root / ".continue-here.md").read_text()


CASES = {
    "done": ([_task("completed")], 2, False, "completed", "1 task, none of them open; 1 file changed"),
    "too young": ([_task("completed")], 0.5, False, "", ""),
    "a task is open": ([_task("pending")], 2, False, "", ""),
    "not committed": ([_task("completed")], 2, True, "", ""),
    "a subagent runs": ([{"kind": "child", "agent": "a", "type": "t", "status": "running"}], 2, False, "", ""),
    "silent for long": ([_task("pending")], 8, False, "paused", "not done, and silent for 8 d"),
}


@pytest.mark.parametrize(("facts", "days", "dirty", "status", "evidence"), CASES.values(), ids=CASES)
def test_a_silent_session_finishes_by_itself(  # noqa: PLR0913 - the columns of the table
    prepared: Project, facts: list[dict[str, Any]], days: float, *, dirty: bool, status: str, evidence: str
) -> None:
    """Done and silent for a day is completed, silent for a week is paused; the journal says why, the tree stays."""
    _left(prepared, *facts, days=days)
    if dirty:
        (prepared.root / "a.py").write_text("x = 2\n")
    before = prepared.git("status", "--porcelain", "--", ":!.agents")
    prepared.cli("settle")
    found = prepared.facts("one", "swept")
    assert [fact["standing"] for fact in found] == ([status] if status else [])
    assert all(evidence in fact["text"] for fact in found)
    assert prepared.git("status", "--porcelain", "--", ":!.agents") == before
    prepared.cli("settle")
    assert len(prepared.facts("one", "swept")) == len(found)
    if status:
        assert _category(prepared) == status
        prepared.remember("one", {**START, "source": "resume"})
        assert _category(prepared) != status


def test_what_the_state_file_leaves_to_do_is_not_done(prepared: Project) -> None:
    """Next steps in the state file are open work; after a week it is paused, and its hand-over kept in the store."""
    path = prepared.write_state(updated="2025-12-04T15:00:00Z", following="Parse the tables.")
    claim = {"kind": "state", "path": f".agents/sessions/{path.name}", "root": str(prepared.root), "by": "edit"}
    _left(prepared, claim, _task("completed"), days=2)
    prepared.cli("settle")
    path.write_text(re.sub(r'last_updated: ".*"', 'last_updated: "2025-12-04T15:00:00Z"', path.read_text()))
    before = path.read_bytes()
    assert prepared.facts("one", "swept") == []
    journal = prepared.store / "journal/one.jsonl"
    aged = [{**json.loads(line), "at": time.time() - 9 * DAY} for line in journal.read_text().splitlines()]
    journal.write_text("".join(f"{json.dumps(fact)}\n" for fact in aged))
    prepared.cli("settle")
    assert [fact["standing"] for fact in prepared.facts("one", "swept")] == ["paused"]
    assert path.read_bytes() == before
    assert "Parse the tables." in (prepared.store / "handovers/one").read_text()
    reported = prepared.cli("continue", "one").out
    assert "was paused in the journal only" in reported
    assert "(.git/holdfast/handovers/one, paused " in reported
    assert "> - Parse the tables." in reported.partition("> <next_action>")[2]
    assert _category(prepared) == "paused"


def test_a_state_file_that_leaves_nothing_to_do_is_done(prepared: Project) -> None:
    """What holdfast writes as next steps where no task is open is no step."""
    (prepared.root / "a.py").write_text("x = 1\n")
    prepared.fire("SessionStart", "one")
    prepared.edit("a.py", "one")
    prepared.fire("Stop", "one", last_assistant_message="It parses.")
    prepared.rested()
    (path,) = prepared.state_files()
    assert "- No task is open." in path.read_text()
    assert json.loads(prepared.cli("status", "one", "--json").out)["next"] == []
    prepared.git("add", "-A")
    prepared.git("commit", "-q", "-m", "all")
    journal = prepared.store / "journal/one.jsonl"
    known = [json.loads(line) for line in journal.read_text().splitlines()]
    aged = [{**fact, **({"host": "elsewhere"} if fact["kind"] == "start" else {})} for fact in known]
    journal.write_text("".join(f"{json.dumps({**fact, 'at': fact['at'] - 3 * DAY})}\n" for fact in aged))
    path.write_text(re.sub(r'last_updated: ".*"', 'last_updated: "2025-12-04T15:00:00Z"', path.read_text()))
    prepared.git("commit", "-q", "-a", "-m", "aged")
    prepared.cli("settle")
    assert [fact["standing"] for fact in prepared.facts("one", "swept")] == ["completed"]


@pytest.mark.parametrize(("answer", "status"), [("done", "completed"), ("later", "paused"), ("drop", "completed")])
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
    assert "/holdfast:finish one done" in prepared.fire("SessionStart", "two").message
    reply = prepared.cli("finish", "one", answer)
    assert (reply.code, reply.err) == (0, "")
    following = "To continue: holdfast continue" if status == "paused" and with_state else "To see it: holdfast resume"
    shown = "given up: its status is completed" if answer == "drop" else status
    assert f"is {shown}. {following} one" in reply.out
    assert [fact["text"] for fact in prepared.facts("one", "swept")] == [f"the user answered: {answer}"]
    assert not with_state or f"status: {status}" in path.read_text()
    assert "/holdfast:finish" not in prepared.fire("SessionStart", "three").message


@pytest.mark.parametrize("words", [(), ("one",), ("maybe",), ("one", "two", "done"), ("nobody", "done")])
def test_an_answer_that_is_none_changes_nothing(prepared: Project, words: tuple[str, ...]) -> None:
    """It says what to type."""
    _left(prepared, _task("pending"), days=2)
    reply = prepared.cli("finish", *words)
    told = "nobody" if "nobody" in words else "Say what becomes of it: holdfast finish ID done, or later, or drop."
    assert (reply.code in {1, 2}, told in reply.err) == (True, True), reply
    assert prepared.facts("one", "swept") == []


def test_a_live_session_of_another_terminal_is_left_alone(prepared: Project) -> None:
    """Only its own terminal finishes it."""
    prepared.fire("SessionStart", "live")
    prepared.edit("a.py", "live")
    reply = prepared.cli("finish", "live", "done")
    assert (reply.code, reply.err) == (1, "holdfast: session live is live. End it there first, or answer there.\n")
    assert prepared.cli("finish", "live", "done", CLAUDE_CODE_SESSION_ID="live").code == 0


def test_a_hand_over_of_a_pause_is_over_once_the_session_goes_on(prepared: Project) -> None:
    """What was kept when it was paused after a silence is not offered again."""
    _left(prepared, _task("pending"), days=8)
    path = prepared.write_state()
    prepared.remember("one", {"kind": "edit", "path": str(path.relative_to(prepared.root))}, at=time.time() - 8 * DAY)
    prepared.cli("settle")

    def kept() -> bool:
        workspace = Workspace(paths.locate(str(prepared.root)))
        (session,) = [one for one in sessions.survey(workspace).sessions if one.id == "one"]
        return finish.handed_over(workspace, session) is not None

    assert kept()
    prepared.fire("SessionStart", "one", source="resume")
    prepared.fire("UserPromptSubmit", "one", prompt="Go on")
    assert not kept()
