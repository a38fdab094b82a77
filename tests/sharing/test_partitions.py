"""Machines that work, lose the network, have wrong clocks and are killed: in the end all of them show the same."""

from __future__ import annotations

import itertools
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.support import servers
from tests.support.machines import Machines, listed, now
from tests.support.playing import Play, forced

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MACHINES, SESSIONS = 8, 500


@pytest.mark.slow
def test_three_machines_come_to_the_same(machines: Machines) -> None:
    """Some sessions, one loss of the network, and clocks an hour apart."""
    play = Play(machines, 3, 1)
    for _ in range(10):
        play.work(play.random.choice(play.all))
    play.exchange(play.all[0])
    play.cut(play.all[1])
    play.exchange(play.all[1])
    play.killed(play.all[2])
    play.end()
    assert play.acknowledged
    assert play.count["failed exchanges"] == 1


def test_clocks_an_hour_apart_do_not_decide_who_is_live(machines: Machines) -> None:
    """A session counts as live by when news of its machine came, not by what that machine's clock says."""
    for name, offset in (("early", -3600.0), ("late", 3600.0)):
        one = machines.add(name)
        start = {"kind": "start", "source": "startup", "branch": "main", "root": str(one.root), "host": "elsewhere"}
        one.remember(name, start, {"kind": "edit", "tool": "Edit", "path": "a.py"}, at=time.time() + offset)
        now(one)
    here = machines.add("here")
    assert listed(here).keys() == {"early", "late"}


@pytest.mark.slow
def test_over_git_daemon(machines: Machines) -> None:
    """Through a server, with git's own protocol; without it nothing is lost."""
    port = servers.free_port()
    with servers.git_daemon(machines.folder / "links", port) as answers:
        if not answers:
            pytest.skip("there is no git daemon here")
        play = Play(machines, 2, 5, lambda link: f"git://127.0.0.1:{port}/{link.name}")
        play.work(play.all[0])
    play.exchange(play.all[0])
    assert play.count["failed exchanges"] == 1
    with servers.git_daemon(machines.folder / "links", port):
        play.work(play.all[1])
        play.end()


@pytest.mark.slow
def test_over_ssh(machines: Machines) -> None:
    """Through an ssh server, with a key."""
    port = servers.free_port()
    with servers.ssh(machines.folder / "ssh", port) as command:
        if not command:
            pytest.skip("no sshd starts here: apt install openssh-server")
        machines.ssh = command
        play = Play(machines, 2, 5, lambda link: servers.ssh_address(port, link))
        for one in play.all:
            play.work(one)
        play.end()


def _addresses(machines: Machines, servers_: ExitStack) -> tuple[list[str], Callable[[Path], str]]:
    """Start the servers there are; return their names, and what gives the machines an address of each in turn."""
    daemon, ssh = servers.free_port(), servers.free_port()
    kinds: dict[str, Callable[[Path], str]] = {"path": str}
    if servers_.enter_context(servers.git_daemon(machines.folder / "links", daemon)):
        kinds["git daemon"] = lambda link: f"git://127.0.0.1:{daemon}/{link.name}"
    machines.ssh = servers_.enter_context(servers.ssh(machines.folder / "ssh", ssh))
    if machines.ssh:
        kinds["ssh"] = lambda link: servers.ssh_address(ssh, link)
    turn = itertools.cycle(kinds.values())

    def address(link: Path) -> str:
        return next(turn)(link)

    return [*kinds], address


def _played(machines: Machines, seed: int, count: int, sessions: int) -> Play:
    """Let machines work in any order until there are so many sessions, the last one restored from a backup."""
    with ExitStack() as stack:
        kinds, address = _addresses(machines, stack)
        machines.git("config", "core.logAllRefUpdates", "always")
        machines.git("config", "receive.denyNonFastForwards", "true")
        play = Play(machines, count - 1, seed, address)
        while len(play.sessions) < sessions // 10:
            play.step()
        play.heal()
        play.exchange(play.all[0])
        play.restored(play.all[0])
        while len(play.sessions) < sessions:
            play.step()
        play.end()
    assert forced(machines) == []
    print(f"seed {seed}: {kinds}, {len(play.sessions)} sessions, {dict(play.count)}")  # noqa: T201 - the figures of the docs
    assert play.acknowledged
    return play


@pytest.mark.slow
def test_machines_come_to_the_same(machines: Machines) -> None:
    """Some machines at all kinds of addresses: work, exchange, no network, kills, and a restored backup."""
    _played(machines, 1, 4, 30)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(3))
def test_eight_machines_come_to_the_same(machines: Machines, seed: int) -> None:
    """The same with eight machines and 500 sessions."""
    play = _played(machines, seed, MACHINES, SESSIONS)
    for word in ("partitions", "split", "kills", "kills during push", "kills during fetch"):
        assert play.count[word], word


@pytest.mark.slow
def test_no_push_is_forced(machines: Machines) -> None:
    """A remote that refuses all but fast-forwards and deletions takes everything."""
    machines.git("config", "receive.denyNonFastForwards", "true")
    play = Play(machines, 2, 3)
    for _ in range(3):
        for one in play.all:
            play.work(one)
            play.exchange(one)
    play.end()
