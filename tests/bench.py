"""What holdfast costs: whole processes, as ratios to a bare interpreter in the same run. `make bench` prints it.

Every hook runs as the client runs it: through the launcher, with the payload on standard input. What a hook leaves
running in the background is waited for between two runs: in a session it runs while nobody waits, here it would slow
down whatever is measured next.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

from tests.client.api import Api, Turn, text, tool
from tests.client.claude import Claude
from tests.client.fetch import ClientUnavailableError, fetch
from tests.client.fixtures import IDENTITY, git
from tests.support.machine import clone
from tests.support.plugin import settled

ROUNDS = int(os.environ.get("HOLDFAST_BENCH_ROUNDS", "31"))
SESSION_ROUNDS = int(os.environ.get("HOLDFAST_BENCH_SESSIONS", "9"))
STATE_FILES = 10
FACTS = 100  # journal lines of each of the sessions that have a state file
LIMITS = {"PostToolUse": 1.5, "SessionEnd": 1.8, "SessionStart": 4.0}
EVENTS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "Parse the invoices of the north branch"},
    "PreToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "src/parser.py", "new_string": "x" * 2000}},
    "PostToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "src/parser.py", "new_string": "x" * 2000}},
    "TaskCreated": {"task_id": "1", "task_subject": "Write the parser"},
    "TaskCompleted": {"task_id": "1", "task_subject": "Write the parser"},
    "SubagentStart": {"agent_id": "a1", "agent_type": "general-purpose"},
    "SubagentStop": {"agent_id": "a1", "agent_type": "general-purpose", "last_assistant_message": "Done."},
    "Stop": {"last_assistant_message": "The parser reads headers; totals are next."},
    "PreCompact": {"trigger": "manual"},
    "PostCompact": {"compact_summary": "We parsed."},
    "SessionEnd": {"reason": "other"},
}


class Bench:
    """A prepared project with some history, and the plugin as a client would have it."""

    def __init__(self, folder: Path) -> None:
        self.plugin = folder / "cache" / "1.0.0"
        clone(self.plugin)
        self.data = folder / "data"
        self.project = folder / "project"
        self.project.mkdir()
        git(self.project, "init", "--quiet", "--initial-branch=main")
        git(self.project, "commit", "--quiet", "--allow-empty", "--message", "Begin")
        self.session = new()
        self.cli("deps")
        self.python = (self.data / "python").read_text().strip()
        self.cli("init")
        for number in range(STATE_FILES):
            self._history(number)
        self.fire("SessionStart", EVENTS["SessionStart"])
        self.fire("PostToolUse", EVENTS["PostToolUse"])
        settled(self.project, self.session)

    def cli(self, *arguments: str) -> None:
        """Run a command of the command line."""
        subprocess.run(
            [self.plugin / "bin/holdfast", *arguments], cwd=self.project, env=self.env, check=True, capture_output=True
        )

    @property
    def env(self) -> dict[str, str]:
        """What the client sets for a hook, and little else."""
        given = {"HOLDFAST_DATA": str(self.data), "CLAUDE_PROJECT_DIR": str(self.project), "HOME": str(self.data)}
        return {"PATH": os.environ["PATH"], **given, **IDENTITY}

    def fire(self, event: str, payload: dict[str, Any]) -> float:
        """Run one hook and return the seconds it took."""
        known = {"session_id": self.session, "cwd": str(self.project), "hook_event_name": event}
        script = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).strip("_")
        command = [self.plugin / "hooks/launch", self.plugin / f"hooks/{script}.py"]
        return self._time([str(word) for word in command], json.dumps({**known, **payload}).encode())

    def bare(self) -> float:
        """Run an interpreter that does nothing and return the seconds it took."""
        return self._time([self.python, "-I", "-S", "-c", "pass"], b"")

    def wait(self) -> None:
        """Wait until what a hook left to the background is done: it would compete with the next one."""
        while any(str(self.project).encode() in command and b"settle" in command for command in _commands()):
            time.sleep(0.01)

    def _time(self, command: list[str], stdin: bytes) -> float:
        began = time.perf_counter()
        subprocess.run(command, input=stdin, env=self.env, cwd=self.project, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - began

    def _history(self, number: int) -> None:
        """Leave behind an ended session with a state file and a journal."""
        session = new()
        journal = self.project / ".git/holdfast/journal" / f"{session}.jsonl"
        journal.parent.mkdir(parents=True, exist_ok=True)
        edits = [{"kind": "edit", "tool": "Edit", "path": f"src/file{line % 20}.py"} for line in range(FACTS)]
        begun: dict[str, Any] = {"kind": "start", "pid": 1, "process": "gone", "host": os.uname().nodename}
        asked = {"kind": "prompt", "text": f"Piece of work number {number}"}
        begun |= {"root": str(self.project), "branch": "main"}
        facts = [begun, asked, *edits, {"kind": "due"}, {"kind": "end", "reason": "other"}]
        at = time.time() - 3600
        journal.write_text("".join(json.dumps({"at": at + line, **fact}) + "\n" for line, fact in enumerate(facts)))
        self.cli("settle", "--session", session)


def _commands() -> list[bytes]:
    """Return the command lines of all processes."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            found.append(file.read())
    return found


def new() -> str:
    """Return a fresh session id."""
    return str(uuid.uuid4())


def hooks(bench: Bench) -> bool:
    """Print a row for every hook; whether all are within their limits."""
    times: dict[str, list[float]] = {event: [] for event in ("bare", *EVENTS)}
    for _ in range(ROUNDS):
        for event, payload in EVENTS.items():
            times["bare"].append(bench.bare())
            times[event].append(bench.fire(event, payload))
            bench.wait()
    bare = statistics.median(times["bare"])
    print("| hook | median ms | min ms | quartiles ms | x bare | limit |\n|---|---|---|---|---|---|")
    for event, measured in times.items():
        low, middle, high = statistics.quantiles(measured, n=4)
        ratio, limit = middle / bare, LIMITS.get(event)
        cells = f"{middle * 1e3:.1f} | {min(measured) * 1e3:.1f} | {low * 1e3:.1f} to {high * 1e3:.1f} | {ratio:.2f}"
        print(f"| {event} | {cells} | {limit or ''} |")
    return all(statistics.median(times[event]) <= limit * bare for event, limit in LIMITS.items())


def sessions(bench: Bench, folder: Path) -> None:
    """Print what a whole session of five writes costs on the real client, with and without the plugin, in turn."""
    with Api() as api:
        clients = {}
        for name in ("without", "with"):
            client = Claude(fetch("latest"), folder / f"home-{name}", bench.project, api.url)
            client.extra.update(IDENTITY, HOLDFAST_DATA=str(bench.data))
            client.plugin_dir = bench.plugin if name == "with" else None
            clients[name] = client
        times: dict[str, list[float]] = {name: [] for name in clients}
        for _ in range(SESSION_ROUNDS + 1):
            for name, client in clients.items():
                times[name].append(five_writes(client, api, bench.project))
    without, plugged = (statistics.median(times[name][1:]) for name in ("without", "with"))
    print(f"\nA session of five writes on the real client, {SESSION_ROUNDS} of each in turn: {without:.2f} s without")
    print(f"holdfast, {plugged:.2f} s with it (medians; min {min(times['without']):.2f} and {min(times['with']):.2f}):")
    print(f"{(plugged - without) * 1e3:+.0f} ms, {plugged / without:.2f} times as long.")


def five_writes(client: Claude, api: Api, project: Path) -> float:
    """Run one session of five writes and return the seconds it took; what it leaves running is waited for."""
    session = new()
    turns: list[Turn] = [[tool("Write", file_path=str(project / f"src/{new()}.py"), content="x\n")] for _ in range(5)]
    api.script(*turns, [text("Done.")])
    began = time.perf_counter()
    done = client.run("Write five files", session_id=session)
    took = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(done.stderr)
    if client.plugin_dir:
        settled(project, session)
    return took


def main() -> int:
    """Print all figures; 1 when a hook is over its limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a settle may still write its cache
        bench = Bench(Path(folder))
        version = subprocess.run([bench.python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
        print(f"{version}, {os.cpu_count()} cores, {STATE_FILES} state files, {ROUNDS} rounds\n")
        within = hooks(bench)
        try:
            sessions(bench, Path(folder))
        except ClientUnavailableError as error:
            print(f"\nNo session was measured: {error}")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
