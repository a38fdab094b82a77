"""How soon an edit is warned of on another machine: `python -m tests.benches.visibility [EDITS SECONDS]`. 10 minutes.

Two clones with a live session each share a remote by path, git daemon and ssh. Edits are made at random times, in turns
without an end. Then nothing happens, and what goes over the network is counted.
"""

from __future__ import annotations

import json
import random
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

    from tests.support.servers import Wire

EDITS, SECONDS = 20, 300
GOAL, PART = 60.0, 0.95  # seconds, and the part of the edits that are warned of within them
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

    def warned(self, path: str) -> bool:
        """Whether the hook before an edit of a file warns of what another machine changed."""
        common = {"session_id": self.session, "cwd": str(self.project), "hook_event_name": "PreToolUse"}
        payload = {**common, "tool_name": "Edit", "tool_input": {"file_path": path}}
        command = [self.plugin / "hooks/launch", self.plugin / "hooks/pre_tool_use.py"]
        done = subprocess.run(
            command,
            input=json.dumps(payload),
            env=self.env,
            cwd=self.project,
            capture_output=True,
            text=True,
            check=True,
        )
        return "session on" in done.stdout


class Kind(NamedTuple):
    """A kind of address: what gives it, the wire on which bytes are counted, and the command of ssh."""

    address: Callable[[Path], str]
    wire: Wire | None = None
    ssh: str = ""


def measured(folder: Path, kind: Kind, edits: int, idle: int) -> tuple[str, float]:
    """Return the figures of one kind of address as cells of a table, and the part that is warned of in time."""
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
    half, most = sorted(took)[len(took) // 2], max(took)
    return f"{len(took)} | {half:.0f} s | {most:.0f} s | {within:.0%} | {traffic}", within


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
            if seconds > _LONGEST or (file_touches.lines(str(bob.store), path) and bob.warned(path)):
                took[path] = seconds
        time.sleep(0.2)
    return [*took.values()]


def main(edits: int = EDITS, idle: int = SECONDS) -> int:
    """Print all figures; 1 when too few edits are warned of in time."""
    found: dict[str, tuple[str, float]] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, ExitStack() as stack:
        folder = Path(name)
        daemon, ssh = servers.free_port(), servers.free_port()
        stack.enter_context(servers.git_daemon(folder, daemon))
        client = stack.enter_context(servers.ssh(folder / "keys", ssh))
        by_daemon, by_ssh = (stack.enter_context(servers.wire(port)) for port in (daemon, ssh))
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
    print("\n".join(f"| {kind} | {cells} |" for kind, (cells, _) in found.items()))
    return int(any(within < PART for _, within in found.values()))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
