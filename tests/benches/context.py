"""What a start puts into Claude's context, in characters, against the number of sessions.

By hand: `python -m tests.benches.context`.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benches.project import Bench, new

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (0, 1, 12, 100)
_CHARACTERS_PER_TOKEN = 4  # of English text, about
_DAY = 86_400.0


def _finished(bench: Bench, number: int) -> None:
    _session(bench, number, "completed", time.time() - 5 * _DAY)


def _stale(bench: Bench, number: int) -> None:
    _session(bench, number, "in_progress", time.time() - 3 * _DAY)


def _left(bench: Bench, number: int) -> None:
    _session(bench, number, "in_progress", time.time() - 3600 - number)


def _live(bench: Bench, number: int) -> None:
    bench.live(number + 2, number + 1)


KINDS: dict[str, Callable[[Bench, int], None]] = {
    "finished": _finished,
    "stale": _stale,
    "left an hour ago": _left,
    "live": _live,
}
_MANY = {"live": 12}  # sessions at most, where more would take long to make


def _session(bench: Bench, number: int, status: str, at: float) -> None:
    """Leave a session with two files, an open task and a last answer."""
    done = status == "completed"
    facts: list[dict[str, Any]] = [
        {"kind": "start", "process": "gone", "host": "elsewhere", "root": str(bench.project), "branch": "main"},
        {"kind": "prompt", "text": f"Parse the invoices of branch number {number} and sum them by month"},
        {"kind": "edit", "tool": "Edit", "path": f"src/parser_{number}.py"},
        {"kind": "edit", "tool": "Edit", "path": f"tests/test_parser_{number}.py"},
        {"kind": "task", "id": "1", "subject": "Read the totals", "status": status},
        {"kind": "answer", "text": "The parser reads headers and lines; the totals are next, then the report."},
        *([{"kind": "status", "status": "completed"}] if done else []),
    ]
    bench.remember(new(), facts, at)


def characters(bench: Bench) -> int:
    """Return how long the text is that a start adds to the context of a new session."""
    session = new()
    payload = {"session_id": session, "cwd": str(bench.project), "hook_event_name": "SessionStart", "source": "startup"}
    command = [str(bench.plugin / "hooks/launch"), str(bench.plugin / "hooks/session_start.py")]
    done = subprocess.run(
        command, input=json.dumps(payload), text=True, env=bench.env, cwd=bench.project, capture_output=True, check=True
    )
    bench.wait()
    (bench.store / f"journal/{session}.jsonl").unlink()  # its process, which is this one, goes on
    return len(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else 0


def reported(folder: Path, plugin: Path) -> str:
    """Return the table: a row for each kind of session, a column for each number of them."""
    rows = [f"| sessions | {' | '.join(map(str, SIZES))} |", f"|---|{'---|' * len(SIZES)}"]
    for kind, make in KINDS.items():
        bench, cells, made = Bench(folder / kind.replace(" ", "-"), plugin, past=0), [], 0
        for size in SIZES:
            if size > _MANY.get(kind, size):
                cells.append("")
                continue
            for number in range(made, size):
                make(bench, number)
            made = size
            found = characters(bench)
            cells.append(f"{found:,} ({found // _CHARACTERS_PER_TOKEN:,})")
        rows.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        first = Bench(Path(name) / "first", past=0)
        print(reported(Path(name), first.plugin))
