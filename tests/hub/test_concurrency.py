"""Many writers of one hub, a person with an editor among them: nothing is lost, and the hub is valid afterwards."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from holdfast.hub.document import Hub
from tests.robustness.test_hazards import FORMATS
from tests.support import hooks
from tests.support.hooks import Claude

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from holdfast.hub.document import PlacedEntry
    from tests.support.hooks import Project, Reply

prepared, here = hooks.prepared, hooks.here
pytestmark = pytest.mark.processes  # they must be able to overtake and to kill each other
WORKERS, SESSIONS = 48, 16  # that type `holdfast update`, and of Claude Code: 64 at once
LONG = 300.0  # seconds that no update takes
KILLED = 24
BUSY = ("has been held by another process", "kept changing")  # nothing was written; the next one does it
HUB = """\
# Session State
**Last Updated:** !`date -u +"%Y-%m-%d %H:%M:%S UTC"`

## Notes of mine

- note 0

## 🎯 Active Sessions

## Session History (Recent)

---

*Kept by the librarian.*
"""
# Reads the hub, adds a note to a section of its own, saves at once; in place, as some editors do, or by a rename, as
# others do. Whoever saves without a lock may be overtaken between two system calls, and sees that his last note is not
# there: he writes it again, and tells how often. Ends with its standard input.
PERSON = """
import json, os, random, select, sys
path, chance = sys.argv[1], random.Random(1)
notes, again, saves = ["- note 0"], 0, 0
while True:
    over = bool(select.select([0], [], [], chance.uniform(0.3, 1.5))[0])
    with open(path, encoding="utf-8", newline="") as file:
        data = file.read()
    missing = [note for note in notes if data.count(note + "\\n") != 1]
    again += len(missing)
    if over and not missing:
        break
    if not missing:
        notes.append(f"- note {len(notes)}")
        missing = notes[-1:]
    at = data.index("\\n\\n## ", data.index("## Notes of mine")) + 1
    data = data[:at] + "".join(note + "\\n" for note in missing) + data[at:]
    if chance.random() < 0.5:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(data)
    else:
        with open(path + "~", "w", encoding="utf-8", newline="") as file:
            file.write(data)
        os.replace(path + "~", path)
    saves += 1
print(json.dumps([notes, again, saves]))
"""


@pytest.fixture
def sessions() -> Iterator[list[Claude]]:
    """Give a list for processes of sessions, which live as long as the test."""
    made: list[Claude] = []
    yield made
    for claude in made:
        claude.kill()


def _hub_of(project: Project) -> Path:
    return project.root / ".agents/SESSION-STATE.md"


def _made(project: Project) -> None:
    """Give a project a hub that a person began; its history keeps all."""
    (project.root / ".agents/holdfast.toml").write_text("history_entries = 10000\n")
    _hub_of(project).write_text(HUB)


def _update(project: Project, *arguments: str) -> Reply:
    """Type an update, again while the answer is that others are at it."""
    reply = project.cli("update", *arguments)
    while reply.code and any(stated in reply.out for stated in BUSY):
        reply = project.cli("update", *arguments)
    return reply


def _work(project: Project, number: int) -> list[Reply]:
    """Be an agent that begins, starts a workflow of its own, goes on, and ends with it or without it."""
    own, below = f"session_id=agent-{number}-work", f"session_id=agent-{number}-flow"
    steps = [
        ("action=started", "agent=implementor", own, f"purpose=Work {number}", f"branch=feat/{number}"),
        ("action=in_progress", own, f"context=files_modified:[src/{number}.py] tests_pass:false"),
        ("action=started", "agent=tests", below, f"purpose=Flow {number}", f"parent_session=agent-{number}-work"),
        ("action=in_progress", below, f"context=files_modified:[tests/{number}.py]"),
        ("action=in_progress", own, f"context=files_modified:[src/{number}b.py] tests_pass:true"),
        *_ends(number, own, below),
    ]
    return [_update(project, *step) for step in steps]


def _ends(number: int, own: str, below: str) -> list[tuple[str, ...]]:
    """Return the last steps of an agent: every third is completed, of the others half wait."""
    if number % 3 == 0:
        return [("action=completed", own, f"context=done_report:reports/{number}.md")]
    if number % 3 == 1:
        return [("action=completed", below), ("action=waiting", own, f"context=waits_for:person-{number}")]
    return []


def _statuses(number: int) -> tuple[str, str]:
    """Return what an agent and its workflow come to."""
    return {0: ("completed", "completed"), 1: ("waiting", "completed"), 2: ("active", "active")}[number % 3]


def _session(project: Project, number: int) -> Claude:
    """Be a session of Claude Code with two subagents, of which one is still at work when it pauses; it lives on."""
    claude, session = Claude(project), f"claude-{number}"
    first, second = ({"agent_id": f"child-{number}-{which}", "agent_type": "general-purpose"} for which in "ab")
    write = {"tool_name": "Write", "tool_input": {"file_path": f"src/claude{number}.py"}}
    replies = [
        claude.fire("SessionStart", session),
        claude.fire("UserPromptSubmit", session, prompt=f"Parse the invoices of {number}"),
        claude.fire("PostToolUse", session, **write),
        claude.fire("SubagentStart", session, **first),
        claude.fire("PostToolUse", session, **write, **first),
        claude.fire("SubagentStart", session, **second),
        claude.fire("SubagentStop", session, **first, last_assistant_message=f"Looked around {number}"),
        claude.fire("Stop", session),
    ]
    assert [reply for reply in replies if reply.code] == []
    return claude


def _found(project: Project) -> dict[str, PlacedEntry]:
    """Return the entries of the hub by their ids, each of which is there once."""
    file_format = FORMATS.get("genie")
    assert file_format
    entries = list(Hub(_hub_of(project).read_bytes(), file_format).entries())
    found = {one.entry.ident: one for one in entries}
    assert len(found) == len(entries)
    return found


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_many_writers_and_a_person_lose_nothing(prepared: Project, sessions: list[Claude]) -> None:
    """64 agents and sessions at once while a person saves the hub: all that was asked for is there, once."""
    _made(prepared)
    person = subprocess.Popen(
        [sys.executable, "-I", "-c", PERSON, str(_hub_of(prepared))], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with ThreadPoolExecutor(WORKERS + SESSIONS) as pool:
        typed = [pool.submit(_work, prepared, number) for number in range(WORKERS)]
        fired = [pool.submit(_session, prepared, number) for number in range(SESSIONS)]
        sessions += [future.result() for future in fired]
        failed = [reply for future in typed for reply in future.result() if reply.code]
    _quiet(prepared)
    notes, again, saves = json.loads(person.communicate(b"\n")[0])
    assert prepared.cli("settle").code == 0
    assert failed == []
    assert again <= saves // 10
    lines = _hub_of(prepared).read_text().splitlines()
    assert [note for note in notes if lines.count(note) != 1] == []
    assert lines[-1] == "*Kept by the librarian.*"
    found = _found(prepared)
    assert [problem for number in range(WORKERS) for problem in _wrong(found, number)] == []
    for number in range(SESSIONS):
        own, done, going = (found[ident].entry for ident in (f"claude-{number}", *_children(number)))
        assert (own.text("Status"), done.text("Status"), going.text("Status")) == ("active", "completed", "active")
        assert [link.ident for link in own.links("Children")] == _children(number)
        assert {link.ident for child in (done, going) for link in child.links("Parent")} == {f"claude-{number}"}
    assert len(found) == WORKERS * 2 + SESSIONS * 3
    checked = prepared.cli("validate")
    assert (checked.code, checked.err) == (0, ""), checked.out
    assert [line for line in prepared.log if not any(stated in line for stated in BUSY)] == []


def _quiet(project: Project) -> None:
    """Wait until nothing settles in the background any more; a settle that found the lock taken left it to the next."""
    end = time.monotonic() + hooks.LIMIT
    while project.settling() and time.monotonic() < end:
        time.sleep(0.1)


def _children(number: int) -> list[str]:
    return [f"child-{number}-a", f"child-{number}-b"]


def _wrong(found: dict[str, PlacedEntry], number: int) -> list[str]:
    """Return what the entries of an agent and its workflow do not say, or say twice."""
    own, below = (found.get(f"agent-{number}-{which}") for which in ("work", "flow"))
    if own is None or below is None:
        return [f"{number} has no entry: {own}, {below}"]
    reported = [f"src/{number}.py", f"src/{number}b.py", "tests_pass: false", "tests_pass: true"]
    reported += {0: [f"reports/{number}.md"], 1: [f"person-{number}"], 2: []}[number % 3]
    problems = [
        f"{number}: {stated} appears {len(times)} times"
        for one, expected in ((own, reported), (below, [f"tests/{number}.py"]))
        for stated in expected
        if len(times := re.findall(re.escape(stated), one.entry.text("Context"))) != 1
    ]
    statuses = (own.entry.text("Status"), below.entry.text("Status"))
    if statuses != _statuses(number) or [own.history, below.history] != [stated == "completed" for stated in statuses]:
        problems.append(f"{number}: {statuses} in the history: {own.history}, {below.history}")
    if [link.ident for link in below.entry.links("Parent")] != [f"agent-{number}-work"]:
        problems.append(f"{number}: its workflow has the parent {below.entry.text('Parent')}")
    if [link.ident for link in own.entry.links("Children")] != [f"agent-{number}-flow"]:
        problems.append(f"{number}: its children are {own.entry.text('Children')}")
    return problems


@pytest.mark.slow
def test_a_save_that_is_half_done(prepared: Project) -> None:
    """An editor that saves in place empties the file first: an update in that moment makes no new hub of it."""
    _made(prepared)
    with _hub_of(prepared).open("w") as editor:
        prepared.cli("update", "action=started", "agent=git", "session_id=agent-1", "purpose=One")
        editor.write(HUB)
    assert "- note 0\n" in _hub_of(prepared).read_text()


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_killed_writers_leave_a_whole_hub(prepared: Project) -> None:
    """Whenever updates are killed, and however many, the hub is whole, and what was acknowledged is in it."""
    _made(prepared)
    chance = random.Random(7)  # noqa: S311 - moments, not secrets
    began = time.monotonic()
    assert _update(prepared, "action=started", "agent=git", "session_id=first-0", "purpose=First").code == 0
    whole = time.monotonic() - began
    with ThreadPoolExecutor(4) as pool:
        # The first one is killed before it can have done anything, and the last one is not killed, however fast or
        # slow the machine has become since.
        between = [chance.uniform(0.2, 2.5) * whole for _ in range(KILLED - 2)]
        moments = [0.01 * whole, *between, LONG]
        acknowledged = [ident for ident in pool.map(lambda job: _cut_off(prepared, *job), enumerate(moments)) if ident]
    assert 0 < len(acknowledged) < KILLED
    assert _update(prepared, "action=completed", "session_id=first-0").code == 0
    found = _found(prepared)
    assert [ident for ident in acknowledged if ident not in found] == []
    assert {one.entry.category for ident, one in found.items() if ident != "first-0"} == {"active"}
    assert _hub_of(prepared).read_text().endswith("---\n\n*Kept by the librarian.*\n")
    checked = prepared.cli("validate")
    assert (checked.code, checked.err) == (0, ""), checked.out


def _cut_off(project: Project, number: int, moment: float) -> str:
    """Begin an update and kill it after a while; return the session's id if it was acknowledged before."""
    command = [
        str(project.plugin / "bin/holdfast"),
        "update",
        "action=started",
        "agent=git",
        f"purpose=Killed {number}",
    ]
    writer = subprocess.Popen(
        [*command, f"session_id=killed-{number}"],
        cwd=project.root,
        env=project.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, _ = writer.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        os.kill(writer.pid, 9)
        out, _ = writer.communicate()
    return f"killed-{number}" if out and json.loads(out)["status"] == "success" else ""
