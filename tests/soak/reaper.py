"""What kills some of the settles that hooks leave running in the background, and knows when none is left."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from tests.support.hooks import running

if TYPE_CHECKING:
    import random

    from tests.support.hooks import Project

    from .actors import World


class Reaper(threading.Thread):
    """Kills some of what settles in the background."""

    def __init__(self, world: World, chance: random.Random, share: float) -> None:
        super().__init__(daemon=True)
        self._world, self._chance, self._share = world, chance, share
        self._seen: dict[int, float] = {}  # process -> when it dies, 0.0 when it is spared
        self._stopped = threading.Event()

    def run(self) -> None:
        """Look who is there, and kill whose time has come."""
        while not self._stopped.wait(0.2):
            now, here = time.monotonic(), settling(self._world.project)
            self._seen = {pid: self._seen.get(pid, self._moment(now)) for pid in here}
            for pid, moment in self._seen.items():
                if 0.0 < moment < now:
                    _kill(pid)
                    self._world.kills += 1

    def stop(self) -> None:
        """Kill nothing more."""
        self._stopped.set()
        self.join()

    def _moment(self, now: float) -> float:
        return now + self._chance.uniform(0, 0.7) if self._chance.random() < self._share else 0.0


def settling(project: Project) -> list[int]:
    """Return the processes that settle this project."""
    return [pid for pid, command in running().items() if str(project.folder) in command and " settle" in command]


def _kill(pid: int) -> None:
    try:
        os.kill(pid, 9)
    except ProcessLookupError:
        return
