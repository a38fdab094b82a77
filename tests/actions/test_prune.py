"""Journals of sessions that ended long ago shrink, and nothing that a command shows of these sessions changes."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.actions import prune
from holdfast.journal import checkouts
from holdfast.project import paths
from holdfast.sessions.workspace import Workspace
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
DAY = 86_400.0
TURN: list[dict[str, Any]] = [
    {"kind": "prompt", "text": "Do the next part of the work on invoices"},
    *[{"kind": "edit", "tool": "Edit", "path": "a.py"}] * 40,
    {"kind": "answer", "text": "It is done.", "branch": "main"},
]


def work(project: Project, *, ended: float, status: str = "completed") -> Path:
    """Let a session with many turns end so many days ago, and return its journal."""
    at = time.time() - ended * DAY
    start: dict[str, Any] = {"kind": "start", "process": "gone", "pid": 1, "host": os.uname().nodename}
    end = {"kind": "end", "reason": "other"}
    project.remember("one", start | {"root": str(project.root)}, *TURN * 20, end, at=at)
    count = len(project.facts())
    project.remember("one", {"kind": "status", "status": status}, {"kind": "settled", "facts": count}, at=at)
    journal = project.store / "journal/one.jsonl"
    os.utime(journal, (at, at))
    return journal


def shown(project: Project) -> list[str]:
    """Return what commands show of all sessions."""
    reported = [project.cli(*words).out for words in (["list", "--all"], ["tree", "--all"], ["checklist", "one"])]
    assert all(reported)
    return reported


def test_the_branch_that_a_killed_session_knew_is_removed_once_a_day(prepared: Project) -> None:
    """What a live session knows stays."""
    work(prepared, ended=1)
    prepared.fire("SessionStart", session="live")
    tree = paths.locate(str(prepared.root))
    for session in ("one", "live"):
        checkouts.switched(str(prepared.store), session, tree)
    os.utime(prepared.store / "pruned", (0, 0))
    prune.daily(Workspace(tree))
    assert checkouts.sessions(str(prepared.store)) == ["live"]


def test_an_old_session_shrinks_to_its_summary(prepared: Project) -> None:
    """The journal is a fraction of its size, keeps its time, and lists show the same; a second run finds nothing."""
    journal = work(prepared, ended=100)
    before, data, at = shown(prepared), journal.read_bytes(), journal.stat().st_mtime
    dry = json.loads(prepared.cli("gc", "--dry-run", "--json").out)
    assert journal.read_bytes() == data
    done = json.loads(prepared.cli("gc", "--json").out)
    assert done["pruned"] == dry["pruned"]
    (row,) = done["pruned"]
    assert (row["id"], row["before"], row["after"]) == ("one", len(data), journal.stat().st_size)
    assert row["after"] * 10 < row["before"]
    kept = [fact["kind"] for fact in prepared.facts()]
    assert (kept.count("prompt"), kept.count("answer")) == (20, 20)  # what was said is what later sessions look for
    assert journal.stat().st_mtime == pytest.approx(at, abs=0.001)
    assert shown(prepared) == before
    assert prepared.cli("gc").out == "No journal can shrink: no session ended more than 90 days ago.\n"


@pytest.mark.parametrize(
    ("ended", "status", "days"),
    [(80, "completed", "90"), (100, "paused", "90"), (100, "completed", "0"), (100, "completed", "200")],
    ids=["young", "resumable", "never", "later"],
)
def test_a_session_stays_whole(prepared: Project, ended: float, status: str, days: str) -> None:
    """A session that ended lately or can be resumed keeps all facts; the setting says what lately is."""
    journal = work(prepared, ended=ended, status=status)
    data = journal.read_bytes()
    reply = prepared.cli("gc", HOLDFAST_KEEP_DAYS=days)
    assert (reply.code, journal.read_bytes()) == (0, data)


def test_a_fact_that_arrives_meanwhile_is_kept(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal that is written to while it is pruned stays as it is."""
    journal = work(prepared, ended=100)
    original = prune.shrunk

    def late(facts: Any) -> Any:
        with journal.open("a") as file:
            file.write(json.dumps({"at": time.time(), "kind": "prompt", "text": "Go on"}) + "\n")
        return original(facts)

    monkeypatch.setattr(prune, "shrunk", late)
    assert prune.prune(Workspace(paths.locate(str(prepared.root)))) == []
    assert prepared.facts()[-1]["text"] == "Go on"
    assert len(prepared.facts()) == len(TURN) * 20 + 5


def test_a_settle_prunes_once_a_day(prepared: Project) -> None:
    """The first settle prunes; another one on the same day leaves a journal that is due."""
    journal = work(prepared, ended=100)
    assert prepared.cli("settle").code == 0  # writes to the journal, so that it is not due yet
    data = journal.read_bytes()
    for stamp, shrinks in ((time.time(), False), (1.0, True), (None, False)):
        journal.write_bytes(data)
        os.utime(journal, (1.0, 1.0))
        if stamp:
            os.utime(prepared.store / "pruned", (stamp, stamp))
        assert prepared.cli("settle").code == 0
        assert (len(journal.read_bytes()) * 5 < len(data)) is shrinks
