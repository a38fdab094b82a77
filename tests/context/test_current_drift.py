"""The drift that a compaction gets: what the last settle measured, and what the session did since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from holdfast.context.drift import measured, report
from holdfast.project import paths
from holdfast.sessions.workspace import Workspace
from tests.support import hooks

if TYPE_CHECKING:
    from holdfast.context.drift.item import Item
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here


def edit(path: str, **more: Any) -> dict[str, Any]:
    """Return the fact of an edit."""
    return {"kind": "edit", "tool": "Edit", "path": path, **more}


def task(ident: str, subject: str, status: str = "in_progress") -> dict[str, Any]:
    """Return the fact of a task."""
    return {"kind": "task", "id": ident, "subject": subject, "status": status}


PROMPT = {"kind": "prompt", "text": "and now the totals"}
ADDED = {
    "nothing": [],
    "a new file": [edit("src/new.py")],
    "a file that the measurement has, a record, and one outside": [
        *(edit(path) for path in ("src/first.py", ".agents/SESSION-STATE.md", "/etc/hosts")),
    ],
    "prompts": [PROMPT] * 4,
    "a compaction": [{"kind": "compact", "trigger": "auto"}, edit("src/new.py"), PROMPT],
    "a new task": [task("7", "Count the totals"), edit("src/new.py")],
}
FILES = ("src/first.py", "src/new.py")


@pytest.fixture
def settled(prepared: Project) -> Project:
    """Give a session whose state file is behind by one file and one task, as its last settle measured."""
    for path in FILES:
        (prepared.root / path).parent.mkdir(exist_ok=True)
        (prepared.root / path).write_text("x = 1\n")
    prepared.git("add", "--all")
    prepared.git("commit", "--quiet", "--message", "Begin")
    for path in FILES:
        (prepared.root / path).write_text("x = 2\n")
    prepared.fire("SessionStart")
    prepared.edit("src/first.py")
    prepared.settled("one")
    (state,) = prepared.state_files()
    prepared.edit(str(state))
    prepared.remember("one", edit("src/first.py"), task("1", "Read the headers"), PROMPT)
    assert prepared.cli("settle", "--session", "one").code == 0
    return prepared


def found(items: list[Item]) -> dict[str, tuple[set[str], int]]:
    """Return the names and points of items by their kind; the age is no drift."""
    return {item.kind: ({*item.names}, item.weight) for item in items if item.kind != "age"}


def both(project: Project) -> tuple[measured.Drift, report.Report]:
    """Return the drift by the last measurement, and by one now."""
    workspace = Workspace(paths.locate(str(project.root)))
    session = workspace.session("one")
    assert session
    drift = measured.latest(session, workspace)
    assert drift
    return drift, report.look(session, workspace, own="one", calls=False)


@pytest.mark.parametrize("added", ADDED)
def test_what_was_journaled_since_is_added(settled: Project, added: str) -> None:
    """Items, points and severity are those of a new measurement."""
    settled.remember("one", *ADDED[added])
    drift, anew = both(settled)
    assert found(drift.items) == found(anew.items)
    assert (drift.points, drift.severity, drift.since) == (anew.points, anew.severity, anew.since)


def test_what_was_before_the_file_was_written_is_no_drift(settled: Project) -> None:
    """Only what came after counts."""
    settled.edit(str(settled.state_files()[0]))
    settled.remember("one", edit("src/new.py"))
    drift, anew = both(settled)
    assert found(drift.items) == found(anew.items) == {"files": ({"src/new.py"}, 1)}


def test_the_same_measurement_is_journaled_once(settled: Project) -> None:
    """However often it is made."""
    known = settled.facts(kind="drift")
    for _ in range(2):
        assert settled.cli("settle", "--session", "one").code == 0
    assert settled.facts(kind="drift") == known
    assert [item.remedy for item in measured.items_of(known[-1]) if item.remedy] == []


def test_of_many_files_the_fact_has_the_first(settled: Project) -> None:
    """The points count all of them."""
    settled.remember("one", *(edit(f"src/{number}.py") for number in range(300)))
    for number in range(300):
        (settled.root / f"src/{number}.py").write_text("")
    assert settled.cli("settle", "--session", "one").code == 0
    (item,) = (item for item in measured.items_of(settled.facts(kind="drift")[-1]) if item.kind == "files")
    assert len(item.names) == 100
    assert item.weight == 301
