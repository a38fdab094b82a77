"""What sharing costs a start and the hooks: `python -m tests.benches.sharing`. A project with it and one without."""

from __future__ import annotations

import json
import resource
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
HEAD = "| hook | without, median ms | with, median ms | CPU without, ms | CPU with, ms | with / without, CPU | limit |"


def reported(folder: Path, plugin: Path | None = None, rounds: int = ROUNDS) -> tuple[str, list[str]]:
    """Return the figures as a table, and what is over its limit."""
    off = Bench(folder / "off", plugin)
    on = Bench(folder / "on", off.plugin)
    _shared(on, folder / "hub.git")
    used: dict[str, list[float]] = {f"{event} {word}": [] for event in EVENTS for word in ("off", "on")}
    subjects = {
        f"{event} {word}": partial(_fired, bench, event, used[f"{event} {word}"])
        for event in EVENTS
        for word, bench in (("off", off), ("on", on))
    }
    times = in_turn(subjects, rounds * 2)
    lines, wrong = [HEAD, "|---" * 7 + "|"], []
    for event in EVENTS:
        without, with_it = (statistics.median(times[f"{event} {word}"]) for word in ("off", "on"))
        cpu, cpu_with = (statistics.median(used[f"{event} {word}"]) for word in ("off", "on"))
        ratio = cpu_with / cpu
        cells = [f"{value * 1e3:.1f}" for value in (without, with_it, cpu, cpu_with)]
        lines.append(f"| {' | '.join([event, *cells, f'{ratio:.2f}', str(LIMIT)])} |")
        wrong += [f"{event} with sharing: {ratio:.2f} x without, limit {LIMIT}"] if ratio > LIMIT else []
    return "\n".join(lines), wrong


def _fired(bench: Bench, event: str, used: list[float]) -> float:
    """Fire an event, and wait for what it leaves to the background: that would slow down what is measured next.

    Return the seconds that it took, and add the CPU time to `used`: other work on the machine disturbs that less.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = bench.fire(event)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
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
        table, wrong = reported(Path(folder))
        print(table)
    return print("\n".join(wrong)) or 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
