"""Machines that work by a seed, lose the network, have wrong clocks, are killed, and are restored from a backup."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from tests.support.machines import Machines, now

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.hooks import Project

_EXCHANGE = 60.0  # seconds
_LATER = 0.05  # seconds at most between the beginning of a command of git and its end by a signal
_STATE = """---
session:
  title: "Work of {ident}"
  status: paused
  created: "{at}"
  last_updated: "{at}"
---

# Session: Work of {ident}

## Context
Why {ident} is done.

## Decisions Made
- {ident} rounds half to even

## Current State
{ident} stopped at the rates.

## Next Steps
- Finish {ident}
"""
_UNBORN = "notice: HEAD points to an unborn branch (main)\n"


class Play:
    """Machines that a seed lets work, each at an address of the remote that `address` gives for its own link to it.

    `acknowledged` are the sessions whose machine reported that the remote has them; `count` counts what happened.
    """

    def __init__(self, machines: Machines, count: int, seed: int, address: Callable[[Path], str] = str) -> None:
        self.machines, self.random = machines, random.Random(seed)  # noqa: S311 - no secret
        self._links = machines.folder / "links"
        self._links.mkdir(exist_ok=True)
        self.all: list[Project] = []
        self.offsets: dict[int, int] = {}
        self.made: dict[int, set[str]] = {}
        self.acknowledged: set[str] = set()
        self.count: Counter[str] = Counter()
        for number in range(count):
            self._add(f"m{number}", address)

    def _add(self, name: str, address: Callable[[Path], str]) -> None:
        link = self._links / f"{name}.git"
        link.symlink_to(self.machines.remote)
        one = self.machines.add(name, user="ann", on=False)
        one.git("remote", "set-url", "origin", address(link))
        assert one.cli("share", "on", "--yes").code == 0
        self._take(one)

    def _take(self, one: Project) -> None:
        self.all.append(one)
        self.offsets[id(one)] = [-3600, 0, 3600][len(self.all) % 3]
        self.made[id(one)] = set()

    def restored(self, one: Project) -> None:
        """Add a machine that was restored from a backup of another one, and so has its id."""
        copy = self.machines.add("restored", on=False, init=False, sign=False)
        for part in ("project", "home"):
            shutil.rmtree(copy.folder / part)
            shutil.copytree(one.folder / part, copy.folder / part, symlinks=True)
        copy.variables |= {**one.variables, "GIT_CONFIG_GLOBAL": str(copy.home / ".gitconfig")}
        for journal in (copy.store / "journal").glob("*.jsonl"):  # a backup is restored to the path that it had
            journal.write_text(journal.read_text().replace(str(one.root), str(copy.root)))
        self._take(copy)

    @property
    def sessions(self) -> set[str]:
        """The sessions of all machines."""
        return set().union(*self.made.values())

    def work(self, one: Project) -> None:
        """Let a session of a machine change a file and stop with a state file, by the machine's own clock."""
        ident = f"s{len(self.sessions)}"
        at = time.time() + self.offsets[id(one)]
        start = {"kind": "start", "source": "startup", "branch": "main", "root": str(one.root), "host": "elsewhere"}
        edit = {"kind": "edit", "tool": "Edit", "path": f"{ident}.py"}
        file = one.root / f".agents/sessions/20261101-000000-{ident}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_STATE.format(ident=ident, at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))))
        state = {"kind": "state", "path": f".agents/sessions/{file.name}", "root": str(one.root), "by": "start"}
        one.remember(ident, start, state, edit, {"kind": "end", "reason": "other"}, at=at)
        self.made[id(one)].add(ident)

    def exchange(self, one: Project) -> None:
        """Send and fetch; what was there before is acknowledged if that ends well."""
        known, real, offset = set(self.made[id(one)]), time.time, self.offsets[id(one)]
        with mock.patch("time.time", side_effect=lambda: real() + offset):
            done = one.cli("share", "now")
        self.count["exchanges"] += 1
        self.count["failed exchanges"] += done.code != 0
        self.count["split"] += "has a new one now" in done.out
        if done.code == 0:
            self.acknowledged |= known

    def cut(self, one: Project) -> None:
        """Take the network from a machine, or give it back."""
        link = self._link(one)
        if os.path.lexists(link):
            link.unlink()
            self.count["partitions"] += 1
        else:
            link.symlink_to(self.machines.remote)

    def _link(self, one: Project) -> Path:
        return self._links / Path(one.git("remote", "get-url", "origin").strip()).name

    def killed(self, one: Project) -> None:
        """Begin an exchange, and kill it and all that it started: during a push, during a fetch, or anywhere."""
        command = [str(one.plugin / "bin/holdfast"), "share", "now"]
        process = subprocess.Popen(
            command, cwd=one.root, env=one.environment(), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        word = self.random.choice(["push", "fetch", ""])
        reached = _reached(process, one, word) if word else True
        time.sleep(self.random.random() * (_LATER if word else 1.0))
        self.count[f"kills during {word}" if word else "kills"] += reached and process.poll() is None
        for group in (process.pid, *_gits(one)):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        process.wait(_EXCHANGE)
        _age_locks(one)

    def step(self) -> None:
        """Do one thing on one machine."""
        one = self.random.choice(self.all)
        act = self.random.choices([self.work, self.exchange, self.cut, self.killed], [50, 35, 5, 10])[0]
        act(one)

    def heal(self) -> None:
        """Give each machine its network back."""
        for one in self.all:
            if not os.path.lexists(self._link(one)):
                self.cut(one)

    def end(self) -> None:
        """All exchange until nothing is new, and then show the same; nothing acknowledged is missing."""
        self.heal()
        for _ in range(3):
            for one in self.all:
                now(one)
        seen = [_shown(one) for one in self.all]
        assert all(each == seen[0] for each in seen)
        assert seen[0].keys() >= self.acknowledged
        assert seen[0].keys() == self.sessions
        ids = {json.loads(one.cli("share", "status", "--json").out)["machine"] for one in self.all}
        assert len(ids) == len(self.all)
        for folder in (self.machines.remote, *(one.root for one in self.all)):
            _check(folder)


def _reached(process: subprocess.Popen[bytes], one: Project, word: str) -> bool:
    """Wait until a git with this command runs in a clone; return False if the process ends before."""
    while process.poll() is None:
        if any(word in words for words in _gits(one).values()):
            return True
        time.sleep(0.001)
    return False


def _gits(one: Project) -> dict[int, list[str]]:
    """Return the processes of git that were started in a clone, each the first of its group, with their words."""
    found = {}
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            words = Path("/proc", name, "cmdline").read_text(errors="replace").split("\0") if name.isdigit() else []
            if words[1:3] == ["-C", str(one.root)] and os.getpgid(int(name)) == int(name):
                found[int(name)] = words
    return found


def _age_locks(one: Project) -> None:
    """Let the locks that a killed git left be as old as those that are removed; nothing else runs in this clone."""
    for lock in (one.root / ".git").rglob("*.lock"):
        with contextlib.suppress(OSError):
            os.utime(lock, (1, 1))


def _check(folder: Path) -> None:
    """Assert that a repository is undamaged."""
    done = subprocess.run(["git", "-C", folder, "fsck", "--strict"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.replace(_UNBORN, "")) == (0, "")
    assert "missing" not in done.stdout


def _shown(one: Project) -> dict[str, list[object]]:
    """Return what a machine knows of each session: the line of its list, files, decisions, and where it stopped."""
    lines = [line.split("\t") for line in one.cli("list", "--all").out.splitlines()]
    shown = {ident: [title, work, *rest] for ident, title, work, _, _, *rest in lines}
    rows = json.loads(one.cli("list", "--all", "--json").out)
    keys = ("files_touched", "decisions", "current", "next", "state_file")
    found = {row["id"]: [*shown[row["id"]], *(row[key] for key in keys)] for row in rows}
    lacking = [row for row in found.values() if not ("rounds half to even" in str(row) and "stopped at" in str(row))]
    assert lacking == [], lacking
    return found


def forced(machines: Machines) -> list[str]:
    """Return the changes of the remote's refs, as its reflogs have them, that did not continue what was there."""
    found = []
    for log in (machines.remote / "logs/refs/holdfast").glob("*"):
        for line in log.read_text().splitlines():
            old, new, _ = line.split(" ", 2)
            command = ["git", "-C", str(machines.remote), "merge-base", "--is-ancestor", old, new]
            if old.strip("0") and subprocess.run(command, check=False).returncode:
                found.append(f"{log.name}: {line}")
    return found
