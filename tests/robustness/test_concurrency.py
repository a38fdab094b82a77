"""Many processes at once on one project: no update is lost, and no reader ever gets half a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.support import covered, hooks
from tests.support.hooks import Claude

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project, Reply

prepared, here = hooks.prepared, hooks.here
SESSIONS, HOOKS, COMMANDS = 6, 24, 8
UPDATES = 5 if covered.MEASURED_INTO in os.environ else 50  # measuring coverage makes each process many times slower
# Reads every state file and journal over and over until its standard input ends; tells what it saw, and what was torn.
# An empty line is no torn one: a writer who looks while another's line has not arrived whole begins a new line.
READER = """
import glob, json, os, select, sys
os.chdir(sys.argv[1])
looks, torn = 0, []
while not select.select([0], [], [], 0)[0]:
    for path in glob.glob(".agents/sessions/*.md"):
        with open(path, "rb") as file:
            data = file.read()
        looks += 1
        begins, ends = data.startswith(b"---\\nsession:\\n"), data.endswith((b"`main`.\\n", b"half of it is done\\n"))
        if not (begins and ends):
            torn.append([path, len(data)])
    for path in glob.glob(".git/holdfast/journal/*.jsonl"):
        with open(path, "rb") as file:
            lines = file.read().split(b"\\n")[:-1]
        for line in filter(None, lines):
            try:
                json.loads(line)
            except ValueError:
                torn.append([path, line.decode("utf-8", "replace")])
print(json.dumps([looks, torn]))
"""


def _fire_updates(project: Project, number: int) -> list[Reply]:
    """Be one of the client processes of a session: edits, tasks, and now and then the end of an answer."""
    claude, session = Claude(project), f"session-{number % SESSIONS}"
    replies = []
    for update in range(UPDATES):
        if update % 5 == 4:
            fields = {"task_id": f"{number}-{update}", "task_subject": f"task {number} of {update}"}
            replies.append(claude.fire("TaskCompleted", session, **fields))
        else:
            fired = {"tool_name": "Write", "tool_input": {"file_path": _file(number, update)}}
            replies.append(claude.fire("PostToolUse", session, **fired))
    stopped = claude.fire("Stop", session)
    claude.kill()
    assert (stopped.code, stopped.err) == (0, "")
    assert not stopped.out or " is behind what happened " in json.loads(stopped.out)["systemMessage"]
    return replies


def _file(number: int, update: int) -> str:
    return f"src/{number}/file-{update}.py"


def _type_commands(project: Project, number: int) -> list[Reply]:
    """Be a person who begins pieces of work, and settles in between."""
    return [
        project.cli("settle") if update % 5 == 4 else project.cli("start", f"Work {update} of {number}")
        for update in range(UPDATES)
    ]


def _read_back(project: Project, number: int) -> None:
    """Check that all updates of one worker reached the journal and the state file of its session."""
    session = f"session-{number % SESSIONS}"
    journaled = {fact.get("path") or fact.get("subject") for fact in project.facts(session)}
    (state,) = [path for path in project.state_files() if f"session `{session}` started" in path.read_text()]
    lines = state.read_text().splitlines()
    for update in range(UPDATES):
        task = update % 5 == 4
        update_of = f"task {number} of {update}" if task else _file(number, update)
        assert update_of in journaled
        assert (f"- [x] {update_of}" if task else f"- `{update_of}`") in lines


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_many_writers_lose_nothing_and_no_reader_sees_a_torn_file(prepared: Project) -> None:
    """32 processes with 50 updates each: every one is found again, and a reader never saw half a file."""
    reader = subprocess.Popen(
        [sys.executable, "-I", "-c", READER, prepared.root], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    for number in range(SESSIONS):
        prepared.fire("SessionStart", f"session-{number}")
    with ThreadPoolExecutor(HOOKS + COMMANDS) as pool:
        fired = [pool.submit(_fire_updates, prepared, number) for number in range(HOOKS)]
        typed = [pool.submit(_type_commands, prepared, number) for number in range(COMMANDS)]
    looks, torn = json.loads(reader.communicate()[0])
    assert {reply for future in fired for reply in future.result()} == {(0, "", "")}
    assert [reply for future in typed for reply in future.result() if reply.code] == []
    assert torn == []
    assert looks > UPDATES
    prepared.settled()
    assert prepared.cli("settle").code == 0
    for number in range(HOOKS):
        _read_back(prepared, number)
    started = [reply.out.strip() for future in typed for reply in future.result() if reply.out.startswith(".agents/")]
    assert len(started) == len(set(started)) == COMMANDS * UPDATES * 4 // 5
    staged = set(prepared.staged())
    assert {name for name in started if name not in staged or not (prepared.root / name).is_file()} == set()
    assert len(prepared.state_files()) == len(started) + SESSIONS
    assert prepared.log == []
    assert _left_over(prepared.root) == []


def _left_over(root: Path) -> list[str]:
    """Return what a write that was cut off would leave."""
    return [name for _, _, names in os.walk(root) for name in names if name.endswith((".tmp", "index.lock"))]
