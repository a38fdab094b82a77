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
    from collections.abc import Callable

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
LINE, STATUS_LINE = 2.0, "status line"  # times a bare interpreter, with any number of sessions
MOST = {"log, to a pipe": 1.0, "log of a file": 1.0, "stats": 1.0}  # seconds with a thousand sessions: the least
MEMORY = {**dict.fromkeys(COMMANDS, 128.0), STATUS_LINE: 64.0}  # MB with a thousand sessions
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


def reported(folder: Path, plugin: Path | None = None, rounds: int = ROUNDS) -> tuple[str, list[str]]:
    """Return the figures as a table, and what is over its limit."""
    bench, before = Bench(folder, plugin, past=1), 0
    lines = [f"| command | sessions | facts | {HEAD} | MB | limit |", "|---" * 9 + "|"]
    found: dict[int, dict[str, Figures]] = {}
    memory: dict[int, dict[str, float]] = {}
    wrong: list[str] = []
    for size in SIZES:
        fill(bench, size, before)
        before = size
        subjects: dict[str, Callable[[], float]] = {
            **{name: partial(bench.cli, *words) for name, words in COMMANDS.items()},
            STATUS_LINE: partial(_status_line, bench),
        }
        found[size] = against_bare(bench.bare, subjects, min(rounds, FEW) if size >= SLOW else rounds)
        memory[size] = {name: bench.peak(*words) for name, words in COMMANDS.items()}
        memory[size][STATUS_LINE] = bench.peak("statusline", given=_given(bench))
        lines += [_row(name, size, each, memory[size][name]) for name, each in found[size].items()]
        line = found[size][STATUS_LINE].ratio
        wrong += [f"status line: {line:.2f} x bare with {size:,} sessions, limit {LINE}"] if line > LINE else []
    wrong += [
        f"{name}: {found[THOUSAND][name].least:.2f} s, limit {most} s"
        for name, most in MOST.items()
        if found[THOUSAND][name].least > most
    ]
    for name in memory[SLOW]:
        longer = found[SLOW][name].least / found[THOUSAND][name].least
        larger = memory[SLOW][name] / memory[THOUSAND][name]
        wrong += [f"{name}: {longer:.1f} times as long with {SLOW:,} sessions, limit {GROWTH:g}"] * (longer > GROWTH)
        wrong += [f"{name}: {larger:.1f} times the memory with {SLOW:,} sessions, limit {GROWTH:g}"] * (larger > GROWTH)
    wrong += [
        f"{name}: {used:.0f} MB with {THOUSAND:,} sessions, limit {MEMORY[name]:g}"
        for name, used in memory[THOUSAND].items()
        if used > MEMORY[name]
    ]
    return "\n".join(lines), wrong


def _status_line(bench: Bench) -> float:
    """Run the status line as the client does and return the seconds it took."""
    script = str(bench.plugin / "plugin/holdfast/__main__.py")
    return bench.timed([str(bench.plugin / "hooks/launch"), script, "statusline"], _given(bench))


def _given(bench: Bench) -> bytes:
    """Return what the client gives a status line."""
    place = {"project_dir": str(bench.project)}
    return json.dumps({"session_id": bench.session, "cwd": str(bench.project), "workspace": place}).encode()


def _row(name: str, size: int, found: Figures, memory: float) -> str:
    limit = f"{MEMORY[name]:g} MB" if size == THOUSAND else ""
    limit = f"{MOST[name]:g} s, {limit}" if name in MOST and size == THOUSAND else limit
    limit = f"{GROWTH:g} times {THOUSAND:,}" if size == SLOW else limit
    limit = f"{LINE:g} x bare" + f", {limit}" * bool(limit) if name == STATUS_LINE else limit
    return f"| {name} | {size:,} | {size * FACTS:,} | {found.cells} | {memory:.0f} | {limit} |"


def main() -> int:
    """Print the table; 1 when something is over its limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        table, wrong = reported(Path(folder) / "views")
    print(table)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
