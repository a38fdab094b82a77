"""A settle is started only when something is to be written; each hook is a process of its own here."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.project import background
from tests.support import hubs
from tests.support.hooks import Project, here, prepared
from tests.support.machine import PYTHON

__all__ = ["here", "prepared"]

if TYPE_CHECKING:
    from collections.abc import Callable

SETTLE_MODULES = 219  # of ours, after a turn with an edit
pytestmark = pytest.mark.processes


def _looks(project: Project, *events: str, **fields: Any) -> bool:
    """Fire events, and return whether one of them started a settle."""
    project.settled()
    shutil.rmtree(project.store / "settle", ignore_errors=True)
    for event in events:
        assert project.fire(event, **fields).code == 0
    started = (project.store / "settle").is_dir()  # made with the request, before the process
    project.settled()
    return started


def _commit(project: Project, text: str) -> None:
    project.git("add", "-A")
    project.git("commit", "-q", "-m", text)


def _worked(project: Project) -> None:
    """Let a session have a state file that is committed, and turns after the commit."""
    project.fire("SessionStart")
    project.fire("UserPromptSubmit")
    (project.root / "a.txt").write_text("one\n")
    project.edit("a.txt")
    project.fire("Stop")
    project.settled()
    _commit(project, "all of it")
    for _ in range(3):  # at the third prompt it is time to ask Claude, and every fourth is drift
        project.fire("UserPromptSubmit", prompt="what did you do?")
        project.fire("Stop", last_assistant_message="I wrote it.")
        project.settled()


def _talked(project: Project) -> None:
    """Let a session have begun, and had a turn without work."""
    project.fire("SessionStart")
    project.fire("UserPromptSubmit")
    project.fire("Stop")


def _nothing(_project: Project) -> None:
    return


QUIET: list[tuple[Callable[[Project], None], tuple[str, ...]]] = [
    (_nothing, ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")),
    (_talked, ("UserPromptSubmit", "StopFailure", "UserPromptSubmit", "Stop")),
    (_talked, ("SessionEnd", "SessionStart", "UserPromptSubmit", "Stop")),
    (_talked, ("PreToolUse", "Stop")),
    (_worked, ("UserPromptSubmit", "Stop", "Stop")),
    (_worked, ("UserPromptSubmit", "StopFailure")),
]


@pytest.mark.parametrize(("before", "events"), QUIET)
def test_no_process_starts_where_nothing_is_to_be_written(
    prepared: Project, before: Callable[[Project], None], events: tuple[str, ...]
) -> None:
    """Talk is written nowhere while there is no state file, or the commit has it as it is."""
    _commit(prepared, "settings")
    before(prepared)
    assert not _looks(prepared, *events)
    assert prepared.git("status", "--porcelain") == ""


def test_no_process_starts_where_holdfast_is_not_set_up(here: Project) -> None:
    """Only the end of a session that worked is measured."""
    assert not _looks(here, "SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")
    assert not _looks(here, "SessionStart", "PostToolUse", "Stop")
    assert _looks(here, "SessionEnd")


def test_a_start_settles_nothing_of_sessions_that_only_talked(prepared: Project) -> None:
    """Also not of those that were killed."""
    said = {"kind": "prompt", "text": "how does it work?"}, {"kind": "answer", "text": "Like this."}
    for number in range(10):
        prepared.remember(f"past-{number}", {"kind": "start", "pid": 0}, *said, at=1795000000.0 + number)
    assert not _looks(prepared, "SessionStart", "UserPromptSubmit", "Stop", "SessionEnd")


def _edits(project: Project) -> None:
    project.edit("a.txt")


def _edits_outside(project: Project) -> None:
    project.edit(str(project.folder / "elsewhere.txt"))


def _has_tasks(project: Project) -> None:
    project.fire("TaskCreated")
    project.fire("TaskCompleted")


def _commits(project: Project) -> None:
    project.git("commit", "-q", "--allow-empty", "-m", "by hand")


def _edits_by_hand(project: Project) -> None:
    (state,) = project.state_files()
    state.write_text(state.read_text() + "\nA line of mine.\n")


def _deletes_by_hand(project: Project) -> None:
    (state,) = project.state_files()
    state.unlink()


def _changes_the_index(project: Project) -> None:
    (project.root / "new.txt").write_text("new\n")
    project.git("add", "new.txt")


def _talks_long(project: Project) -> None:
    for number in range(4):
        project.fire("UserPromptSubmit", prompt=f"and number {number}?")


def _gives_up(project: Project) -> None:
    project.fire("Stop", last_assistant_message="I tried the old parser of a.txt and gave up on it, it did not work.")


def _is_private(project: Project) -> None:
    settings = project.store / "private/.agents/holdfast.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.touch()


def _shares(project: Project) -> None:
    (project.store / "sharing").mkdir()
    (project.store / "sharing/on").write_text("{}")


def _lets_an_update_wait(project: Project) -> None:
    path = project.store / "journal/hub/record.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    row = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**row, "waiting": [["gone", 1.0]]}))


def _leaves_a_request(project: Project) -> None:
    (project.store / "settle").mkdir(exist_ok=True)
    (project.store / "settle/1-1").write_text("damaged")


DUE: list[tuple[Callable[[Project], None], Callable[[Project], None]]] = [
    *((_talked, change) for change in (_edits, _edits_outside, _has_tasks, _commits, _is_private, _leaves_a_request)),
    *((_worked, change) for change in (_edits, _has_tasks, _commits, _edits_by_hand, _deletes_by_hand, _talks_long)),
    *((_worked, change) for change in (_changes_the_index, _gives_up, _is_private, _lets_an_update_wait)),
    (_talked, _lets_an_update_wait),
    (_talked, _shares),
]


@pytest.mark.parametrize(("before", "change"), DUE)
def test_one_process_starts_where_something_may_be_to_be_written(
    prepared: Project, before: Callable[[Project], None], change: Callable[[Project], None]
) -> None:
    """Each thing that a settle has to see starts one with the next Stop."""
    _commit(prepared, "settings")
    before(prepared)
    assert not _looks(prepared, "UserPromptSubmit", "Stop")
    change(prepared)
    prepared.rested()
    assert prepared.fire("Stop").code == 0
    started = (prepared.store / "settle/.lock").exists()  # of this process, or of the one that work began
    prepared.settled()
    assert started


def test_the_end_of_work_is_settled(prepared: Project) -> None:
    """What is left is measured then, also where the last turn changed nothing."""
    _worked(prepared)
    assert _looks(prepared, "SessionEnd")
    assert prepared.facts(kind="measured")


def test_the_end_of_a_session_that_only_started_another_changes_its_entry(prepared: Project) -> None:
    """The entry that the child's settle wrote said active: there was no work, so it ends with the process."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit")
    prepared.remember("two", {"kind": "start", "parent": "one", "pid": 0}, {"kind": "edit", "path": "a.txt"})
    prepared.cli("settle")
    assert hubs.stated(prepared, "one")["Status"] == "active"
    assert _looks(prepared, "Stop", "SessionEnd")
    assert hubs.stated(prepared, "one")["Status"] == "ended"


def test_an_uncommitted_file_follows_talk(prepared: Project) -> None:
    """A file that differs from its commit anyway has the last answer."""
    _worked(prepared)
    prepared.edit("a.txt")
    prepared.fire("Stop")
    assert _looks(prepared, "UserPromptSubmit", "Stop", last_assistant_message="Only a word about it.")
    assert "Only a word about it." in prepared.state_files()[0].read_text()


def test_a_settle_loads_few_modules(prepared: Project) -> None:
    """Neither click nor GitPython, nor what only few settles need."""
    _worked(prepared)
    prepared.remember("one", {"kind": "edit", "path": "b.txt"}, {"kind": "answer", "text": "It is done."})
    assert background.add_request(str(prepared.store), background.Request("one"))
    command = [str(PYTHON), "-I", "-S", "-X", "importtime", str(prepared.plugin / "plugin/holdfast/__main__.py")]
    command += ["-C", str(prepared.root), "settle", "--lock", str(background.NO_LOCK)]
    done = subprocess.run(command, env=prepared.environment(), capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "It is done." in prepared.state_files()[0].read_text()
    assert not loaded & {"click", "git", "rich", "textual", "holdfast.actions.doctor"}
    assert len([name for name in loaded if name.startswith("holdfast")]) <= SETTLE_MODULES


def test_what_came_while_a_settle_ran_is_due(prepared: Project) -> None:
    """The fact of a settle comes after the facts that it did not read."""
    _worked(prepared)
    assert not _looks(prepared, "Stop")
    settled = prepared.facts(kind="settled")[-1]
    prepared.remember("one", {"kind": "task", "id": "7", "subject": "Late", "status": "pending"})
    prepared.remember("one", {key: value for key, value in settled.items() if key != "at"})
    prepared.fire("Stop")
    assert (prepared.store / "settle/.lock").exists()
    prepared.settled()
