"""One settle at a time for a project; what hooks ask for meanwhile is done by one process more."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.journal import log
from holdfast.project import background
from tests.support.hooks import LIMIT, Project, here, prepared, running

__all__ = ["here", "prepared"]

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def _blocked(project: Project) -> Iterator[None]:
    """Hold the lock under which state files are written, so that a settle gets no further than that."""
    with (project.store / "lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _settles(project: Project) -> list[int]:
    """Return the processes that settle a project."""
    return [pid for pid, command in running().items() if f"{project.root} settle" in command]


def _one_settle(project: Project) -> int:
    """Wait for a process that settles, and return it."""
    end = time.monotonic() + LIMIT
    while not (found := _settles(project)):
        assert time.monotonic() < end
        time.sleep(0.01)
    (pid,) = found
    return pid


def _fire_at_once(project: Project, *events: tuple[str, str]) -> None:
    """Fire events, each in a process of its own and all at the same time."""
    hooks = []
    for event, session in events:
        hook = subprocess.Popen(
            project.command(event),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            cwd=project.root,
            env=project.environment(session),
        )
        assert hook.stdin
        hook.stdin.write(json.dumps(project.payload(event, session)).encode())
        hook.stdin.close()
        hooks.append(hook)
    assert [hook.wait(LIMIT) for hook in hooks] == [0] * len(hooks)


def _begun(project: Project, session: str, age: float = 0.0) -> None:
    """Let a session have begun to work `age` seconds ago, with nothing settled."""
    facts: list[dict[str, Any]] = [{"kind": "start", "pid": 0}, {"kind": "edit", "path": "a.txt"}, {"kind": "due"}]
    project.remember(session, *facts, at=time.time() - age)


def test_ten_quick_starts_settle_in_one_process(prepared: Project) -> None:
    """A session that was cut off is settled once; what ends meanwhile is settled next."""
    _begun(prepared, "old")
    _begun(prepared, "more", age=60.0)
    with _blocked(prepared):
        _fire_at_once(prepared, ("SessionEnd", "old"))
        first = _one_settle(prepared)
        _fire_at_once(prepared, *(("SessionStart", f"new-{number}") for number in range(9)), ("SessionEnd", "more"))
        assert _settles(prepared) == [first]
    prepared.settled()
    assert len(prepared.state_files()) == 2
    assert os.listdir(prepared.store / "settle") == [".lock"]


@pytest.mark.parametrize("left", [True, False], ids=["that was cut off", "under way"])
def test_a_command_sees_what_a_hook_noted(prepared: Project, *, left: bool) -> None:
    """It waits for the settle, or carries out one that was cut off, before it says that there is no state file."""
    prepared.processes = True
    log.request_state_file(str(prepared.store), "new")
    _begun(prepared, "new")
    if left:
        background.add_request(str(prepared.store), background.Request("new"))
    else:
        prepared.fire("SessionEnd", "new")
    assert prepared.cli("sync", "--json", '{"Next Steps": ["Sum the totals"]}').code == 0
    (path,) = prepared.state_files()
    assert "Sum the totals" in path.read_text()
    prepared.settled()
    background.add_request(str(prepared.store), background.Request("new"))
    for arguments in (["list"], ["status"], ["show"], ["sync", "--json", '{"Next Steps": ["Test"]}']):
        assert prepared.cli(*arguments).code == 0
    assert background.waiting_requests(str(prepared.store))  # each session has its file, so no command settles or waits


def test_a_killed_settle_is_in_nobodys_way(prepared: Project) -> None:
    """The kernel gives its lock up."""
    _begun(prepared, "old")
    with _blocked(prepared):
        _fire_at_once(prepared, ("SessionEnd", "old"))
        killed = _one_settle(prepared)
        os.kill(killed, signal.SIGKILL)
        prepared.rested()
        _fire_at_once(prepared, ("SessionEnd", "old"))
        assert _one_settle(prepared) != killed
    prepared.settled()
    assert len(prepared.state_files()) == 1
