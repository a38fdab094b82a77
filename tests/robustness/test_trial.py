"""The trials whose figures docs/evidence.md has: many processes beside git and a person, and kills at any moment."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.hub import test_concurrency as hub
from tests.support import hooks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
pytestmark = [pytest.mark.processes, pytest.mark.nightly, pytest.mark.timeout(3600)]
PROCESSES, OPERATIONS, KILLS = 32, 30, 200
BY_RENAME = hub.PERSON.replace("chance.random() < 0.5", "False")


def _operate(project: Project, number: int) -> list[str]:
    """Carry out operations one after the other; return the marks of those that were acknowledged.

    Half of the processes type updates of the hub, the others are the hooks of a session.
    """
    done = []
    for turn in range(OPERATIONS):
        mark = f"mark-{number}-{turn}-end"
        if number % 2:
            fields = {"tool_name": "Edit", "tool_input": {"file_path": f"src/{mark}"}, "tool_response": {}}
            code = project.fire("PostToolUse", f"session-{number}", **fields).code
        else:
            first = ("action=started", "agent=git", "purpose=Trial") if not turn else ("action=in_progress",)
            code = project.cli("update", *first, f"session_id=agent-{number}", f"context=done:{mark}").code
        done += [mark] if code == 0 else []
    return done


def _commits(project: Project, over: threading.Event) -> Iterator[int]:
    """Commit all that is there again and again; git may find its index locked."""
    while not over.is_set():
        for command in (["add", "--all"], ["commit", "-q", "-m", "all"]):
            done = subprocess.run(
                ["git", *command], cwd=project.root, env=project.environment(), capture_output=True, check=False
            )
        yield done.returncode == 0
        time.sleep(0.2)


def _kept(folder: Path) -> str:
    """Return all that journals and hub have."""
    return "\n".join(path.read_text(errors="replace") for path in sorted(folder.rglob("*")) if path.is_file())


def test_no_acknowledged_operation_is_lost(prepared: Project) -> None:
    """32 processes with 30 operations each, a git that commits, and a person who saves the hub by rename."""
    (prepared.root / ".agents/holdfast.toml").write_text("history_entries = 10000\n")
    (prepared.root / ".agents/SESSION-STATE.md").write_text(hub.HUB)
    path = prepared.root / ".agents/SESSION-STATE.md"
    person = subprocess.Popen(
        [sys.executable, "-I", "-c", BY_RENAME, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    over = threading.Event()
    with ThreadPoolExecutor(PROCESSES + 1) as pool:
        committing = pool.submit(lambda: sum(_commits(prepared, over)))
        working = [pool.submit(_operate, prepared, number) for number in range(PROCESSES)]
        acknowledged = [mark for one in working for mark in one.result()]
        over.set()
        commits = committing.result()
    prepared.rested()
    notes, again, saves = json.loads(person.communicate(b"\n")[0])
    assert prepared.cli("settle").code == 0
    text = path.read_text() + _kept(prepared.store / "journal")
    lost = [mark for mark in acknowledged if mark not in text]
    print(f"{len(acknowledged)} acknowledged, {len(lost)} lost; {commits} commits; {saves} saves, {again} repeated")  # noqa: T201 - the figures of the docs
    assert lost == []
    assert [note for note in notes if path.read_text().splitlines().count(note) != 1] == []
    assert len(acknowledged) > PROCESSES * OPERATIONS * 0.8
    assert min(commits, saves) > 10
    assert prepared.cli("validate").code == 0


def test_kills_lose_and_tear_nothing(prepared: Project) -> None:
    """Updates that are killed at any moment leave a whole hub; what was acknowledged before is in it."""
    path = prepared.root / ".agents/SESSION-STATE.md"
    (prepared.root / ".agents/holdfast.toml").write_text("history_entries = 10000\n")
    path.write_text(hub.HUB)
    began = time.monotonic()
    assert prepared.cli("update", "action=started", "agent=git", "session_id=first", "purpose=First").code == 0
    whole = time.monotonic() - began
    chance = random.Random(17)  # noqa: S311 - moments, not secrets
    acknowledged, torn = [], []
    for number in range(KILLS):
        began = time.monotonic()
        ident = hub._cut_off(prepared, number, chance.uniform(0.05, 1.1) * whole)  # noqa: SLF001 - the same kill
        whole = time.monotonic() - began if ident else whole  # the machine may be busier now, or less so
        acknowledged += [ident] if ident else []
        torn += [] if path.read_text().endswith("*Kept by the librarian.*\n") else [number]
    assert prepared.cli("update", "action=completed", "session_id=first").code == 0
    lost = [ident for ident in acknowledged if f"`{ident}`" not in path.read_text()]
    print(f"{KILLS - len(acknowledged)} kills, {len(lost)} lost, {len(torn)} torn")  # noqa: T201 - the same
    assert (lost, torn) == ([], [])
    assert len(acknowledged) < KILLS
    assert prepared.cli("validate").code == 0
