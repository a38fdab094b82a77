"""What it costs to look at all sessions: `python -m tests.benches.views`. Whole processes; nothing is cached."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benches.measure import HEAD, ROUNDS, against_bare
from tests.benches.project import Bench, new

if TYPE_CHECKING:
    from tests.benches.measure import Figures

SIZES = (10, 100, 1_000, 10_000)  # sessions, with 100 facts each
SLOW, FEW = 10_000, 2  # sessions from which on there are at most so many rounds
FACTS = 100
COMMANDS = {
    "log, to a pipe": ("log",),
    "log of a file": ("log", "src/module_3.py"),
    "log --json": ("log", "--json"),
    "stats": ("stats",),
}
LINE = 2.0  # the status line: times a bare interpreter
MOST = {"log, to a pipe": 1.0, "log of a file": 1.0}  # seconds with a thousand sessions: the least of all rounds
THOUSAND = 1_000
GROWTH = 20.0  # times as long, and as much memory, with ten times a thousand sessions: ten, and room for the machine


def fill(bench: Bench, size: int, before: int) -> None:
    """Let the project have the journals of so many sessions, where it had some `before`."""
    for number in range(before, size):
        bench.remember(new(), journal(number), time.time() - 3600 * (size - number))


def journal(number: int) -> list[dict[str, Any]]:
    """Return the facts of a session that has ended."""
    facts: list[dict[str, Any]] = [{"kind": "start", "source": "startup", "branch": "main"}]
    facts += [_fact(number, line) for line in range(FACTS - 2)]
    return [*facts, {"kind": "end", "reason": "other"}]


def _fact(number: int, line: int) -> dict[str, Any]:
    if line % 25 == 0:
        return {"kind": "prompt", "text": f"Do part {line} of piece {number}, and say what is left of it"}
    if line % 25 == 1:
        return {"kind": "task", "id": str(line), "subject": f"Part {line} of piece {number}", "status": "pending"}
    return {"kind": "attempt" if line % 2 else "edit", "tool": "Edit", "path": f"src/module_{line % 7}.py"}


def told(folder: Path, plugin: Path | None = None, rounds: int = ROUNDS) -> tuple[str, list[str]]:
    """Return the figures as a table, and what is over its limit."""
    bench, before = Bench(folder, plugin, past=1), 0
    lines = [f"| command | sessions | facts | {HEAD} | MB | limit |", "|---" * 9 + "|"]
    found: dict[int, dict[str, Figures]] = {}
    memory: dict[int, dict[str, float]] = {}
    for size in SIZES:
        fill(bench, size, before)
        before = size
        subjects = {name: partial(bench.cli, *words) for name, words in COMMANDS.items()}
        found[size] = against_bare(bench.bare, subjects, min(rounds, FEW) if size >= SLOW else rounds)
        memory[size] = {name: bench.peak(*words) for name, words in COMMANDS.items()}
        lines += [_row(name, size, each, memory[size][name]) for name, each in found[size].items()]
    line = against_bare(bench.bare, {"status line": partial(_status_line, bench)}, rounds)["status line"]
    lines.append(f"| status line | {size:,} | {size * FACTS:,} | {line.cells} | | {LINE:g} x bare |")
    wrong = [
        f"{name}: {found[THOUSAND][name].least:.2f} s, limit {most} s"
        for name, most in MOST.items()
        if found[THOUSAND][name].least > most
    ]
    for name in COMMANDS:
        longer = found[SLOW][name].least / found[THOUSAND][name].least
        larger = memory[SLOW][name] / memory[THOUSAND][name]
        wrong += [f"{name}: {longer:.1f} times as long with {SLOW:,} sessions, limit {GROWTH:g}"] * (longer > GROWTH)
        wrong += [f"{name}: {larger:.1f} times the memory with {SLOW:,} sessions, limit {GROWTH:g}"] * (larger > GROWTH)
    wrong += [f"status line: {line.ratio:.2f} x bare, limit {LINE}"] if line.ratio > LINE else []
    return "\n".join(lines), wrong


def _status_line(bench: Bench) -> float:
    """Run the status line as the client does and return the seconds it took."""
    place = {"project_dir": str(bench.project)}
    data = {"session_id": bench.session, "cwd": str(bench.project), "workspace": place}
    script = str(bench.plugin / "plugin/holdfast/__main__.py")
    return bench.timed([str(bench.plugin / "hooks/launch"), script, "statusline"], json.dumps(data).encode())


def _row(name: str, size: int, found: Figures, memory: float) -> str:
    limit = f"{MOST[name]:g} s" if name in MOST and size == THOUSAND else ""
    limit = f"{GROWTH:g} times {THOUSAND:,}" if size == SLOW else limit
    return f"| {name} | {size:,} | {size * FACTS:,} | {found.cells} | {memory:.0f} | {limit} |"


def main() -> int:
    """Print the table; 1 when something is over its limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        table, wrong = told(Path(folder) / "views")
    print(table)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
