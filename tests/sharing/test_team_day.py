"""A day of a team, simulated: who is warned of what others change, through a slow remote and an hour without it.

Hooks are processes of their own, through what each client has registered; the process that exchanges is the real one.
Time is compressed: a clock goes on by seconds where something may happen, and else to the next edit. The process that
exchanges is given each second of it, and libfaketime gives it to hooks and commands.
"""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.end_to_end.test_days import FAKE
from tests.support import servers
from tests.support.hooks import Reply
from tests.support.machines import now

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.hooks import Project
    from tests.support.machines import Machines

NAMES, CLIENTS = ("ann", "bob", "cleo", "dan"), ("claude", "codex")
DAY, OUTAGE = 8 * 3600, (4 * 3600, 5 * 3600)  # seconds
EDITS, FILES = 160, 12
DELAY = 0.1  # seconds for each way to the remote
OVERLAP = 3600.0  # seconds for which a change is named: `overlap_minutes`
WINDOW = 60.0  # seconds after which an edit is warned of, or named afterwards, while the remote answers
_KEEP = """
import sys, time

now = [float(sys.argv[2])]
time.time = lambda: now[0]

from holdfast.project import paths
from holdfast.sharing.exchange import exchange

def pause(_seconds):
    print(flush=True)
    now[0] = float(sys.stdin.readline() or sys.exit())

exchange.pause = pause
exchange.keep_exchanging(paths.locate(sys.argv[1]))
"""


class Edit(NamedTuple):
    """An edit of a file on a machine, in seconds since the day began."""

    at: float
    machine: int
    path: str


class Team:
    """Machines of four people who trust each other, each with a session of one of two clients."""

    def __init__(self, machines: Machines, wire: servers.Wire) -> None:
        self.all = [machines.add(name, on=False) for name in NAMES]
        for one in self.all:
            one.git("remote", "set-url", "origin", f"git://127.0.0.1:{wire.port}/{machines.remote.name}")
            assert one.cli("share", "on").code == 0
        for one, name in itertools.product(self.all, NAMES):
            now(one)
            if name != one.folder.name:
                assert one.cli("trust", "--person", name, "--yes").code == 0
        self._wire, self._began, self.now = wire, time.time(), 0.0
        self._keepers = [self._keeper(one) for one in self.all]
        for number in range(len(self.all)):
            self.fire(number, "SessionStart", source="startup")

    def _keeper(self, one: Project) -> subprocess.Popen[str]:
        """Start the process that exchanges, with a clock that is read from its standard input, so that no hook does."""
        (one.store / "sharing/requested").write_text("due")
        command = [sys.executable, "-c", _KEEP, str(one.root), str(self._began)]
        pipe = subprocess.PIPE
        found = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=one.environment(), text=True)
        assert found.stdout
        found.stdout.readline()
        return found

    def until(self, end: float) -> None:
        """Let time pass by the second: each machine exchanges what is due, all at once."""
        while self.now < end:
            self.now = min(end, self.now + 1.0)
            self._wire.cut = OUTAGE[0] <= self.now < OUTAGE[1]
            for keeper in self._keepers:
                assert keeper.stdin
                keeper.stdin.write(f"{self._began + self.now}\n")
                keeper.stdin.flush()
            for keeper in self._keepers:
                assert keeper.stdout
                assert keeper.stdout.readline() == "\n"

    def end(self) -> None:
        """End the processes that exchange."""
        for keeper in self._keepers:
            keeper.communicate()

    def _at(self, number: int) -> Project:
        """Return a machine, whose processes have the clock of now."""
        one, later = self.all[number], self._began + self.now - time.time()
        one.variables |= {"LD_PRELOAD": FAKE, "FAKETIME": f"{later:+.3f}s"}
        return one

    def fire(self, number: int, event: str, **fields: Any) -> Reply:
        """Fire an event as the client of a machine does."""
        one = self._at(number)
        if CLIENTS[number % 2] == "claude":
            return one.fire(event, one.folder.name, **fields)
        command = json.loads((one.plugin / "hooks/codex.json").read_text())["hooks"][event][0]["hooks"][0]["command"]
        payload = {"session_id": one.folder.name, "transcript_path": None, "cwd": str(one.root), **fields}
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=one.root,
            env={**one.environment(), "PLUGIN_ROOT": str(one.plugin), "HOLDFAST_DATA": str(one.data)},
            input=json.dumps({**payload, "hook_event_name": event}),
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return Reply(done.returncode, done.stdout, done.stderr)

    def edit(self, edit: Edit) -> bool:
        """Make an edit; return whether it was warned of before."""
        root = self.all[edit.machine].root
        called: dict[str, Any] = {"tool_name": "Edit", "tool_input": {"file_path": str(root / edit.path)}}
        if CLIENTS[edit.machine % 2] == "codex":
            patch = f"*** Begin Patch\n*** Update File: {edit.path}\n@@\n+x\n*** End Patch\n"
            called = {"tool_name": "apply_patch", "tool_input": {"command": patch}}
        reply = self.fire(edit.machine, "PreToolUse", **called)
        (root / edit.path).parent.mkdir(exist_ok=True)
        (root / edit.path).write_text(f"{edit}\n")
        self.fire(edit.machine, "PostToolUse", **called)
        return "session on" in reply.out

    def named(self, edit: Edit) -> bool:
        """Whether the machine names the file among those that others changed."""
        return edit.path in self._at(edit.machine).cli("conflicts").out


@pytest.fixture
def team(machines: Machines) -> Iterator[Team]:
    """Give the team, with a remote behind git's own daemon and a slow wire."""
    port = servers.free_port()
    with ExitStack() as stack:
        if not stack.enter_context(servers.git_daemon(machines.folder, port)):
            pytest.skip("there is no git daemon here")
        found = Team(machines, stack.enter_context(servers.wire(port, DELAY)))
        stack.callback(found.end)
        yield found


class Day:
    """What became of each edit of a file that another live session had changed."""

    def __init__(self, team: Team, chance: random.Random) -> None:
        self.count: Counter[str] = Counter()
        self.missed: list[Edit] = []
        self._team, self._chance, self._later = team, chance, list[Edit]()
        self._seen: list[Edit] = []
        self._warned: dict[tuple[int, str], float] = {}  # machine and path -> when

    def edit(self, one: Edit) -> None:
        """Let time pass until an edit, and make it."""
        self.until(one.at)
        others = [old.at for old in self._seen if old.path == one.path and old.machine != one.machine]
        contested = bool(others) and _due(one) - others[-1] < OVERLAP
        warned, before = self._team.edit(one), self._warned.get((one.machine, one.path), -1.0)
        if warned:
            self._warned[one.machine, one.path] = one.at
        self._seen.append(one)
        kind = "before" if warned else "already" if contested and before > others[-1] else "later"
        self.count[f"contested, warned {kind}"] += contested
        if contested and kind == "later":
            self._later.append(one)

    def until(self, end: float) -> None:
        """Let time pass; look whether an edit that was not warned of is named when it is due."""
        while self._later and _due(self._later[0]) <= end:
            due = self._later.pop(0)
            self._pass(_due(due))
            self.missed += [] if self._team.named(due) else [due]
        self._pass(end)

    def _pass(self, end: float) -> None:
        """Let time pass by the second while news is on its way, and then at once."""
        self._team.until(min(end, max([0.0, *(_due(one) for one in self._seen)])))
        self._team.now = max(self._team.now, end - self._chance.uniform(0, 30))
        self._team.until(end)


@pytest.mark.nightly
@pytest.mark.processes
@pytest.mark.timeout(7200)
@pytest.mark.skipif(not FAKE, reason="there is no libfaketime here, which gives a process another time")
def test_a_team_day(team: Team) -> None:
    """Each edit of a file that another live session changed is warned of, or named within a minute.

    What was changed during the outage is named within a minute of its end.
    """
    chance = random.Random(1)  # noqa: S311 - no secret
    times = sorted(chance.uniform(0, DAY) for _ in range(EDITS))
    day = Day(team, chance)
    for at in times:
        day.edit(Edit(at, chance.randrange(len(NAMES)), f"src/part_{chance.randrange(FILES)}.py"))
    day.until(DAY + WINDOW)
    print(dict(day.count))  # noqa: T201 - the figures of the docs
    assert day.missed == []
    assert day.count["contested, warned before"]


def _due(one: Edit) -> float:
    """Return when an edit has to be named at the latest."""
    return (OUTAGE[1] if OUTAGE[0] - WINDOW <= one.at < OUTAGE[1] else one.at) + WINDOW
