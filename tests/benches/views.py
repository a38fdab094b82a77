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

SIZES = (10, 100, 1_000)  # sessions, with 100 facts each
FACTS = 100
COMMANDS = {
    "log, to a pipe": ("log",),
    "log of a file": ("log", "src/module_3.py"),
    "log --json": ("log", "--json"),
    "stats": ("stats",),
}
LINE = 2.0  # the status line: times a bare interpreter
MOST = {"log, to a pipe": 1.0, "log of a file": 1.0}  # seconds at the largest size: the least of all rounds


def fill(bench: Bench, size: int, before: int) -> None:
    """Let the project have the journals of so many sessions, where it had some `before`."""
    for number in range(before, size):
        facts: list[dict[str, Any]] = [{"kind": "start", "source": "startup", "branch": "main"}]
        facts += [_fact(number, line) for line in range(FACTS - 2)]
        bench.remember(new(), [*facts, {"kind": "end", "reason": "other"}], time.time() - 3600 * (size - number))


def _fact(number: int, line: int) -> dict[str, Any]:
    if line % 25 == 0:
        return {"kind": "prompt", "text": f"Do part {line} of piece {number}, and say what is left of it"}
    if line % 25 == 1:
        return {"kind": "task", "id": str(line), "subject": f"Part {line} of piece {number}", "status": "pending"}
    return {"kind": "attempt" if line % 2 else "edit", "tool": "Edit", "path": f"src/module_{line % 7}.py"}


def told(folder: Path, plugin: Path | None = None, rounds: int = ROUNDS) -> tuple[str, list[str]]:
    """Return the figures as a table, and what is over its limit."""
    bench, before = Bench(folder, plugin, past=1), 0
    lines = [f"| command | sessions | facts | {HEAD} | limit |", "|---" * 8 + "|"]
    for size in SIZES:
        fill(bench, size, before)
        before = size
        found = against_bare(bench.bare, {name: partial(bench.cli, *words) for name, words in COMMANDS.items()}, rounds)
        lines += [_row(name, size, each) for name, each in found.items()]
    line = against_bare(bench.bare, {"status line": partial(_status_line, bench)}, rounds)["status line"]
    lines.append(f"| status line | {size:,} | {size * FACTS:,} | {line.cells} | {LINE:g} x bare |")
    wrong = [
        f"{name}: {found[name].least:.2f} s, limit {most} s" for name, most in MOST.items() if found[name].least > most
    ]
    wrong += [f"status line: {line.ratio:.2f} x bare, limit {LINE}"] if line.ratio > LINE else []
    return "\n".join(lines), wrong


def _status_line(bench: Bench) -> float:
    """Run the status line as the client does and return the seconds it took."""
    place = {"project_dir": str(bench.project)}
    data = {"session_id": bench.session, "cwd": str(bench.project), "workspace": place}
    script = str(bench.plugin / "plugin/holdfast/__main__.py")
    return bench.timed([str(bench.plugin / "hooks/launch"), script, "statusline"], json.dumps(data).encode())


def _row(name: str, size: int, found: Figures) -> str:
    limit = f"{MOST[name]:g} s" if name in MOST and size == SIZES[-1] else ""
    return f"| {name} | {size:,} | {size * FACTS:,} | {found.cells} | {limit} |"


def main() -> int:
    """Print the table; 1 when something is over its limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        table, wrong = told(Path(folder) / "views")
    print(table)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
