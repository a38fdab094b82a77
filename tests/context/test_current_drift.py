"""The drift that a compaction gets: the stored one brought up to date is what a new measurement would find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from holdfast.context.drift import current, report
from holdfast.core import files
from holdfast.project import paths
from holdfast.sessions import drift_record
from holdfast.sessions.workspace import Workspace
from tests.support import hooks

if TYPE_CHECKING:
    from holdfast.context.drift.item import Item
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here

NOTES = "\nThe parser in src/known.py reads headers. See also readme and bare.py.\n"


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
    "files that are known, mentioned, records or outside": [
        *(edit(path) for path in ("src/first.py", "src/known.py", ".agents/SESSION-STATE.md", "/etc/hosts")),
    ],
    "a file that has gone": [edit("src/never.py")],
    "prompts": [PROMPT] * 4,
    "a compaction": [{"kind": "compact", "trigger": "auto"}, edit("src/new.py"), PROMPT],
    "a new task": [task("7", "Count the totals"), edit("src/new.py")],
    "a completed task beside an open one": [task("8", "Count the rows", "completed"), edit("src/new.py")],
    "a task that ends": [task("1", "Read the headers", "completed")],
    "a subagent": [{"kind": "child", "agent": "a1", "status": "completed", "type": "explorer"}],
    "a name that another file may have": [edit("other/known.py")],
    "a name without its folder": [edit("src/bare.py")],
}
FILES = ("src/first.py", "src/known.py", "src/new.py", "src/bare.py", "other/known.py")
MEASURED = (
    "a file that has gone",
    "a task that ends",
    "a subagent",
    "a name without its folder",
)  # git or the text has to be asked


@pytest.fixture
def measured(prepared: Project) -> Project:
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
    state.write_text(state.read_text() + NOTES)
    prepared.edit(str(state))
    prepared.remember("one", edit("src/first.py"), task("1", "Read the headers"), PROMPT)
    assert prepared.cli("settle", "--session", "one").code == 0
    return prepared


def found(items: list[Item]) -> dict[str, tuple[set[str], int]]:
    """Return the names and points of items by their kind; the age is no drift."""
    return {item.kind: ({*item.names}, item.weight) for item in items if item.kind != "age"}


@pytest.mark.parametrize("added", ADDED)
def test_what_was_journaled_since_is_added(measured: Project, added: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Items, points and severity are those of a new measurement, which most of these facts do not need."""
    measured.remember("one", *ADDED[added])
    workspace = Workspace(paths.locate(str(measured.root)))
    session = workspace.session("one")
    assert session
    anew = report.look(session, workspace, own="one", calls=False)
    calls: list[str] = []

    def look(*_arguments: Any, **_options: Any) -> Any:
        calls.append("")
        return anew

    monkeypatch.setattr(report, "look", look)
    drift = current.current(session, workspace)
    assert drift
    assert found(drift.items) == found(anew.items)
    assert (drift.points, drift.severity, drift.since) == (anew.points, anew.severity, anew.since)
    assert (calls == [""]) == (added in MEASURED)


@pytest.mark.parametrize("change", ["the state file", "a commit", "no record"])
def test_what_no_fact_tells_is_measured(measured: Project, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state file that was written, a new commit, and a record that is not there take a new measurement."""
    (path,) = measured.state_files()
    if change == "the state file":
        path.write_text(path.read_text() + "More.\n")
        measured.accept()
    elif change == "a commit":
        measured.git("commit", "--quiet", "--all", "--message", "Read the headers of all invoices")
    else:
        (measured.store / "drift/one").unlink()
    workspace = Workspace(paths.locate(str(measured.root)))
    session = workspace.session("one")
    assert session
    calls: list[str] = []
    look = report.look

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append("")
        return look(*arguments, **options)

    monkeypatch.setattr(report, "look", counted)
    drift = current.current(session, workspace)
    assert drift
    assert calls == [""]


def test_nothing_is_stored_without_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the same name in the root of the system is not written to."""
    monkeypatch.setattr(files, "write_private", lambda *_, **__: pytest.fail("a file was written"))
    assert drift_record.write("", "one", {}) is False  # type: ignore[typeddict-item] # nothing looks at it
