"""A day of a team, simulated: who is warned of what others change, through a slow remote and an hour without it."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

import pytest

from holdfast.sharing import status

if TYPE_CHECKING:
    from tests.support.hooks import Project
    from tests.support.machines import Machines

NAMES, CLIENTS = ("ann", "bob", "cleo", "dan"), ("claude-code", "codex")
BEGAN, DAY, OUTAGE = 1_900_000_000.0, 8 * 3600, (4 * 3600, 5 * 3600)  # seconds
EDITS, FILES = 160, 12
DELAY = 0.2  # seconds for each of the round trips to the remote
_TRIPS = 4  # of one exchange
OVERLAP = 3600.0  # seconds for which a change is named: `overlap_minutes`
WINDOW = 60.0  # seconds after which an edit is warned of, or named afterwards, while the remote answers


class Edit(NamedTuple):
    """An edit of a file on a machine, in seconds since the day began."""

    at: float
    machine: int
    path: str


class Team:
    """Machines that exchange when their own process would: what was changed after 30 seconds, the others' after 20."""

    def __init__(self, machines: Machines) -> None:
        self.all = [machines.add(name, user="ann") for name in NAMES]
        self.now = 0.0
        self._sent, self._fetched = [-1e9] * len(NAMES), [0.0] * len(NAMES)
        self._news: dict[int, float] = {}  # machine -> since when it has something to send
        self._pushed = 0.0
        for number, one in enumerate(self.all):
            client, start = CLIENTS[number % 2], {"kind": "start", "source": "startup", "root": str(one.root)}
            self._at(one, lambda one, s=start, c=client: one.remember(one.folder.name, {**s, "client": c, "host": "x"}))

    def _at(self, one: Project, act):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202 - any act and its answer
        with mock.patch("time.time", side_effect=lambda: BEGAN + self.now):
            return act(one)

    def until(self, end: float) -> None:
        """Let time pass; each machine looks every second."""
        while self.now < end:
            self.now = min(end, self.now + 1.0)
            if OUTAGE[0] <= self.now < OUTAGE[1]:
                continue
            for number in range(len(self.all)):
                sends = number in self._news and self.now - self._sent[number] >= status.SEND_EVERY
                fetches = self._pushed + DELAY * _TRIPS > self._fetched[number] and (
                    self.now - self._fetched[number] >= status.FETCH_EVERY
                )
                if sends or fetches:
                    self._exchange(number, sends=sends)

    def _exchange(self, number: int, *, sends: bool) -> None:
        done = self._at(self.all[number], lambda one: one.cli("share", "now"))
        assert done.code == 0, done
        self._fetched[number] = self.now
        if sends:
            self._sent[number] = self._pushed = self.now
            self._news.pop(number)

    def edit(self, one: Edit) -> bool:
        """Make an edit; return whether it was warned of before."""
        project = self.all[one.machine]
        reply = self._at(
            project,
            lambda it: it.fire("PreToolUse", it.folder.name, tool_input={"file_path": one.path}),
        )
        fact = {"kind": "edit", "tool": "Edit", "path": one.path}
        project.remember(project.folder.name, fact, at=BEGAN + self.now)
        self._news.setdefault(one.machine, self.now)
        return "session on" in reply.out

    def named(self, one: Edit) -> bool:
        """Whether the machine names the file among those that others changed."""
        return one.path in self._at(self.all[one.machine], lambda it: it.cli("conflicts")).out


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_a_team_day(machines: Machines) -> None:
    """Each edit of a file that another live session changed is warned of, or named within a minute.

    What was changed during the outage is named within a minute of its end.
    """
    team, chance = Team(machines), random.Random(1)  # noqa: S311 - no secret
    times = sorted(chance.uniform(0, DAY) for _ in range(EDITS))
    edits = [Edit(at, chance.randrange(len(NAMES)), f"src/part_{chance.randrange(FILES)}.py") for at in times]
    seen: dict[str, list[Edit]] = {}
    count: Counter[str] = Counter()
    later: list[Edit] = []
    missed: list[Edit] = []

    def look(due: Edit) -> None:
        team.until(_due(due))
        if team.named(due):
            count["named afterwards"] += 1
        else:
            missed.append(due)

    for one in edits:
        for due in [old for old in later if _due(old) <= one.at]:
            later.remove(due)
            look(due)
        team.until(one.at)
        others = [old for old in seen.get(one.path, []) if old.machine != one.machine]
        contested = any(_due(one) - old.at < OVERLAP for old in others)
        warned = team.edit(one)
        seen.setdefault(one.path, []).append(one)
        count["contested"] += contested
        count["warned of before"] += contested and warned
        if contested and not warned:
            later.append(one)
    for due in later:
        look(due)
    print(dict(count))  # noqa: T201 - the figures of the docs
    assert missed == []
    assert count["warned of before"] + count["named afterwards"] == count["contested"] > 0


def _due(one: Edit) -> float:
    """Return when an edit has to be named at the latest."""
    return (OUTAGE[1] if OUTAGE[0] - WINDOW <= one.at < OUTAGE[1] else one.at) + WINDOW
