"""What sharing costs a start and the hooks: `python -m tests.benches.sharing`. A project with it and one without."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.benches.measure import ROUNDS, in_turn
from tests.benches.project import Bench
from tests.support import crafted

EVENTS = ("SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")
OTHERS, SESSIONS = 8, 60  # machines, and the sessions of each
LIMIT = 1.15  # times as long as without sharing
HEAD = "| hook | without, median ms | with, median ms | with / without | limit |\n|---|---|---|---|---|"


def told(folder: Path, plugin: Path | None = None, rounds: int = ROUNDS) -> tuple[str, list[str]]:
    """Return the figures as a table, and what is over its limit."""
    off = Bench(folder / "off", plugin)
    on = Bench(folder / "on", off.plugin)
    _shared(on, folder / "hub.git")
    subjects = {
        f"{event} {word}": partial(_fired, bench, event)
        for event in EVENTS
        for word, bench in (("off", off), ("on", on))
    }
    times = in_turn(subjects, rounds * 2)
    lines, wrong = [HEAD], []
    for event in EVENTS:
        without, with_it = (statistics.median(times[f"{event} {word}"]) for word in ("off", "on"))
        ratio = with_it / without
        lines.append(f"| {event} | {without * 1e3:.1f} | {with_it * 1e3:.1f} | {ratio:.2f} | {LIMIT} |")
        wrong += [f"{event} with sharing: {ratio:.2f} x without, limit {LIMIT}"] if ratio > LIMIT else []
    return "\n".join(lines), wrong


def _fired(bench: Bench, event: str) -> float:
    """Fire an event, and wait for what it leaves to the background: that would slow down what is measured next."""
    took = bench.fire(event)
    bench.wait()
    return took


def _shared(bench: Bench, remote: Path) -> None:
    """Let a project share its sessions, and have fetched those of other machines."""
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    for number in range(OTHERS):
        ident = f"{number:020x}"
        row = crafted.summary(files={f"src/module_{one}.py": 1 for one in range(20)})
        sessions = {f"m{number}s{one}": {"summary.json": row} for one in range(SESSIONS)}
        tree = {"machine.json": crafted.about(ident), crafted.MONTH: sessions}
        crafted.push(remote, tree, machine=ident)
    subprocess.run(["git", "remote", "add", "origin", remote], cwd=bench.project, check=True)
    person = {name: value for name, value in bench.env.items() if not name.startswith("CLAUDE")}
    for words in (("share", "on"), ("share", "status", "--json")):
        command = [bench.plugin / "bin/holdfast", *words]
        done = subprocess.run(command, cwd=bench.project, env=person, capture_output=True, check=True)
    assert json.loads(done.stdout)["machines"] == OTHERS


def main() -> int:
    """Print all figures; 1 when one is over its limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        table, wrong = told(Path(folder))
        print(table)
    return print("\n".join(wrong)) or 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
