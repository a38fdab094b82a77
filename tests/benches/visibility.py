"""How soon an edit is warned of on another machine: `python -m tests.benches.visibility [EDITS SECONDS]`. 10 minutes.

Two clones with a live session each share a remote by path, git daemon and ssh. Edits are made at random times, in turns
without an end. Then nothing happens, and what goes over the network is counted.
"""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holdfast.journal import file_touches
from tests.benches.project import Bench
from tests.support import servers

if TYPE_CHECKING:
    from collections.abc import Callable

EDITS, SECONDS = 20, 300
GOAL = 60.0  # seconds within which 95 % of the edits are warned of
_BETWEEN = 12.0  # seconds between two edits on average
_LONGEST = 180.0  # seconds until an edit counts as not warned of


class Machine(Bench):
    """A clone whose user signs."""

    @property
    def env(self) -> dict[str, str]:
        """What the client sets for a hook, without a mark of Claude's own shell."""
        return {**super().env, "GIT_CONFIG_GLOBAL": str(self.data / "gitconfig"), "USER": "ann"}

    def person(self, *words: str) -> None:
        """Run a command as a person does."""
        env = {name: value for name, value in self.env.items() if not name.startswith("CLAUDE")}
        subprocess.run([self.plugin / "bin/holdfast", *words], cwd=self.project, env=env, check=True)


class Wire:
    """A port that leads to another one, and counts the bytes in both directions."""

    def __init__(self, port: int) -> None:
        self.bytes, self._to = 0, port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            one, _ = self._server.accept()
            other = socket.create_connection(("127.0.0.1", self._to))
            for source, target in ((one, other), (other, one)):
                threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                self.bytes += len(data)
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:  # the other side went away
            return


class Kind(NamedTuple):
    """A kind of address: what gives it, the wire on which bytes are counted, and the command of ssh."""

    address: Callable[[Path], str]
    wire: Wire | None = None
    ssh: str = ""


def measured(folder: Path, kind: Kind, edits: int, idle: int) -> str:
    """Return the figures of one kind of address as cells of a table."""
    remote = folder / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    ann = Machine(folder / "ann", past=0)
    key = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    command = f"[core]\nsshCommand = {kind.ssh}\n" if kind.ssh else ""
    (ann.data / "gitconfig").write_text(
        f"[user]\nname = ann\nemail = ann@example.org\nsigningkey = {key}.pub\n[gpg]\nformat = ssh\n{command}"
    )
    bob = Machine(folder / "bob", ann.plugin, past=0)
    for one in (ann, bob):
        subprocess.run(["git", "remote", "add", "origin", kind.address(remote)], cwd=one.project, check=True)
        one.person("share", "on", "--yes")
    for one in (ann, bob):
        one.fire("SessionStart")
    took = _edits(ann, bob, edits)
    before = kind.wire.bytes if kind.wire else 0
    time.sleep(idle)
    traffic = f"{(kind.wire.bytes - before) * 3600 / idle / 1000:,.0f} kB" if kind.wire else "none"
    for one in (ann, bob):
        one.fire("SessionEnd")
    within = sum(one <= GOAL for one in took) / len(took)
    return f"{len(took)} | {sorted(took)[len(took) // 2]:.0f} s | {max(took):.0f} s | {within:.0%} | {traffic}"


def _edits(ann: Machine, bob: Machine, count: int) -> list[float]:
    """Let files be edited at random times; return how many seconds it took until each is warned of."""
    begun: dict[str, float] = {}
    took: dict[str, float] = {}
    due = [time.monotonic()]
    while len(took) < count:
        if len(begun) < count and time.monotonic() >= due[-1]:
            path = f"src/part_{len(begun)}.py"
            ann.fire("PostToolUse", tool_input={"file_path": path})
            begun[path] = time.monotonic()
            due.append(time.monotonic() + random.expovariate(1 / _BETWEEN))
        for path in begun.keys() - took.keys():
            seconds = time.monotonic() - begun[path]
            if file_touches.lines(str(bob.store), path) or seconds > _LONGEST:
                took[path] = seconds
        time.sleep(0.2)
    return [*took.values()]


def main(edits: int = EDITS, idle: int = SECONDS) -> int:
    """Print all figures; 1 when too few edits are warned of in time."""
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, ExitStack() as stack:
        folder = Path(name)
        daemon, ssh = servers.free_port(), servers.free_port()
        stack.enter_context(servers.git_daemon(folder, daemon))
        client = stack.enter_context(servers.ssh(folder / "keys", ssh))
        by_daemon, by_ssh = Wire(daemon), Wire(ssh)
        kinds: dict[str, Kind] = {
            "path": Kind(str),
            "git daemon": Kind(lambda at: f"git://127.0.0.1:{by_daemon.port}/{at.relative_to(folder)}", by_daemon),
        }
        if client:
            kinds["ssh"] = Kind(lambda at: servers.ssh_address(by_ssh.port, at), by_ssh, client)

        def run(kind: str) -> None:
            place = folder / kind.replace(" ", "-")
            place.mkdir()
            found[kind] = measured(place, kinds[kind], edits, idle)

        threads = [threading.Thread(target=run, args=(kind,)) for kind in kinds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print("| remote | edits | median | longest | within 60 s | traffic in an hour while nothing happens |")
    print("|---" * 6 + "|")
    print("\n".join(f"| {kind} | {cells} |" for kind, cells in found.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
