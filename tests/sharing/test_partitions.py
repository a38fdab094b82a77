"""Machines that work, lose the network, have wrong clocks and are killed: in the end all of them show the same."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.machines import Machines, listed, now

if TYPE_CHECKING:
    from tests.support.hooks import Project

_EXCHANGE = 20.0  # seconds


class Play:
    """Machines that a seed lets work. `told` are the sessions whose machine said that the remote has them."""

    def __init__(self, machines: Machines, count: int, seed: int) -> None:
        self.machines, self.random = machines, random.Random(seed)  # noqa: S311 - no secret
        self.all = [machines.add(f"m{number}", user="ann") for number in range(count)]
        self.offsets = {id(one): self.random.choice([-3600, 0, 3600]) for one in self.all}
        self.made: dict[int, set[str]] = {id(one): set() for one in self.all}
        self.told: set[str] = set()

    def work(self, one: Project) -> None:
        """Let a session of a machine change a file, by the machine's own clock."""
        ident = f"s{len(set().union(*self.made.values()))}"
        at = time.time() + self.offsets[id(one)]
        start = {"kind": "start", "source": "startup", "branch": "main", "root": str(one.root), "host": "elsewhere"}
        edit = {"kind": "edit", "tool": "Edit", "path": f"{ident}.py"}
        one.remember(ident, start, edit, {"kind": "end", "reason": "other"}, at=at)
        self.made[id(one)].add(ident)

    def exchange(self, one: Project) -> None:
        """Send and fetch; what was there before is acknowledged if that ends well."""
        known = set(self.made[id(one)])
        if one.cli("share", "now").code == 0:
            self.told |= known

    def cut(self, one: Project) -> None:
        """Try an exchange without the network."""
        one.git("remote", "set-url", "origin", str(self.machines.remote))
        away = self.machines.remote.rename(self.machines.folder / "away")
        assert one.cli("share", "now").code == 1
        away.rename(self.machines.remote)

    def killed(self, one: Project) -> None:
        """Begin an exchange, and kill it and all that it started somewhere on the way."""
        command = [str(one.plugin / "bin/holdfast"), "share", "now"]
        process = subprocess.Popen(
            command, cwd=one.root, env=one.environment(), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(self.random.random() * 1.5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(_EXCHANGE)

    def step(self) -> None:
        """Do one thing on one machine."""
        one = self.random.choice(self.all)
        act = self.random.choices([self.work, self.exchange, self.cut, self.killed], [5, 4, 1, 1])[0]
        act(one)

    def end(self) -> None:
        """All exchange until nothing is new, and then say the same; nothing acknowledged is missing."""
        for _ in range(2):
            for one in self.all:
                now(one)
        seen = [_shown(one) for one in self.all]
        assert all(each == seen[0] for each in seen)
        assert seen[0].keys() >= self.told
        assert seen[0].keys() == set().union(*self.made.values())
        for folder in (self.machines.remote, *(one.root for one in self.all)):
            done = subprocess.run(
                ["git", "-C", folder, "fsck", "--strict"], capture_output=True, text=True, check=False
            )
            assert (done.returncode, done.stderr.replace("notice: HEAD points to an unborn branch (main)\n", "")) == (
                0,
                "",
            )
            assert "missing" not in done.stdout


def _shown(one: Project) -> dict[str, list[str]]:
    """Return what a machine's list says of each session: title, work, tasks, files and branch."""
    rows = [line.split("\t") for line in one.cli("list", "--all").out.splitlines()]
    return {ident: [title, work, *rest] for ident, title, work, _, _, *rest in rows}


def test_three_machines_come_to_the_same(machines: Machines) -> None:
    """Some sessions, one loss of the network, and clocks an hour apart."""
    play = Play(machines, 3, 1)
    for _ in range(10):
        play.work(play.random.choice(play.all))
    play.exchange(play.all[0])
    play.cut(play.all[1])
    play.killed(play.all[2])
    play.end()
    assert play.told


def test_clocks_an_hour_apart_do_not_decide_who_is_live(machines: Machines) -> None:
    """A session counts as live by when its machine was heard from, not by what that machine's clock says."""
    for name, offset in (("early", -3600.0), ("late", 3600.0)):
        one = machines.add(name)
        start = {"kind": "start", "source": "startup", "branch": "main", "root": str(one.root), "host": "elsewhere"}
        one.remember(name, start, {"kind": "edit", "tool": "Edit", "path": "a.py"}, at=time.time() + offset)
        now(one)
    here = machines.add("here")
    assert listed(here).keys() == {"early", "late"}


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
def test_eight_machines_come_to_the_same(machines: Machines, seed: int) -> None:
    """Many steps in any order: work, exchange, no network, and kills in the middle of an exchange."""
    play = Play(machines, 8, seed)
    for _ in range(150):
        play.step()
    play.end()


def test_no_push_is_forced(machines: Machines) -> None:
    """A remote that refuses all but fast-forwards and deletions takes everything."""
    machines.git("config", "receive.denyNonFastForwards", "true")
    play = Play(machines, 2, 3)
    for _ in range(3):
        for one in play.all:
            play.work(one)
            play.exchange(one)
    play.end()


def test_over_git_daemon(machines: Machines, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Through a server, with git's own protocol."""
    daemon = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
    if not os.path.exists(f"{daemon}/git-daemon"):
        pytest.skip("there is no git daemon here")
    pid = tmp_path_factory.mktemp("daemon") / "pid"
    port = str(20000 + os.getpid() % 20000)
    options = ["--export-all", "--enable=receive-pack", "--listen=127.0.0.1", f"--port={port}", f"--pid-file={pid}"]
    server = subprocess.Popen([f"{daemon}/git-daemon", *options, f"--base-path={machines.folder}", "--reuseaddr"])
    try:
        for _ in range(100):
            if pid.exists():
                break
            time.sleep(0.05)
        play = Play(machines, 2, 5)
        for one in play.all:
            one.git("remote", "set-url", "origin", f"git://127.0.0.1:{port}/hub.git")
            assert one.cli("share", "on").code == 0
            play.work(one)
        play.end()
    finally:
        server.terminate()
        server.wait(_EXCHANGE)
