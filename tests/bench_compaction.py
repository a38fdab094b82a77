"""What PreCompact costs as files and journals grow: whole processes, paired in one run.

By hand: `python -m tests.bench_compaction`. Each round lets a session change one file and compacts it, in a project
with few state files and a short journal and in one with many and a long one in turn, so that whatever else the machine
does meets both; the limit is on the ratio of the medians.
"""

# ruff: noqa: T201 - printing is what it is for
from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench import EVENTS, Bench
from tests.support.hooks import STATE

ROUNDS = int(os.environ.get("HOLDFAST_BENCH_ROUNDS", "31"))
SIZES = {"small": (10, 100), "large": (1000, 100_000)}  # state files, lines of the journal
LIMIT = 3.0
FILES = 60  # that a long session changes over and over


def grown(bench: Bench, files: int, lines: int) -> None:
    """Let a project have so many state files, and its session so long a journal."""
    folder = bench.project / ".agents/sessions"
    folder.mkdir(parents=True, exist_ok=True)
    words = {"status": "in_progress", "updated": "2025-12-04T14:30:00Z", "task": "lexing", "state": "Lexer done."}
    for number in range(files):
        state = STATE.format(title=f"Parser {number}", following=f"Parse {number}.", **words)
        (folder / f"20251204-{number:06}-parser.md").write_text(state)
    for number in range(FILES):
        path = bench.project / f"src/module_{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.touch()
    journal = bench.project / f".git/holdfast/journal/{bench.session}.jsonl"
    at = time.time()
    with journal.open("a") as file:
        file.writelines(json.dumps({"at": at, **_fact(number)}) + "\n" for number in range(lines))


def _fact(number: int) -> dict[str, Any]:
    """Return one line of a long session's journal."""
    path = f"src/module_{number // 2 % FILES}.py"
    kinds: tuple[dict[str, Any], ...] = (
        {"kind": "attempt", "tool": "Edit", "path": path},
        {"kind": "edit", "tool": "Edit", "path": path},
    )
    if number % 50 == 0:
        return {"kind": "prompt", "text": f"Now do part {number} of the work, and say what is left of it"}
    if number % 50 == 1:
        return {"kind": "answer", "text": f"Part {number} is done; the next one is open", "background": []}
    return kinds[number % 2]


def main() -> int:
    """Print all figures; 1 when the large one is over the limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        benches = {}
        for name, (files, lines) in SIZES.items():
            (home := Path(folder) / name).mkdir()
            benches[name] = bench = Bench(home)
            grown(bench, files, lines)
        times: dict[str, list[float]] = {name: [] for name in SIZES}
        for number in range(ROUNDS + 1):
            for name in SIZES if number % 2 else reversed(SIZES):
                bench = benches[name]
                bench.fire("PostToolUse", EVENTS["PostToolUse"])
                bench.wait()
                times[name].append(bench.fire("PreCompact", EVENTS["PreCompact"]))
                bench.wait()
        bare = [bench.bare() for bench in benches.values() for _ in range(ROUNDS)]
    print(f"{os.cpu_count()} cores, {ROUNDS} rounds, bare {statistics.median(bare) * 1e3:.1f} ms\n")
    print("| state files | journal lines | median ms | min ms |")
    print("|---|---|---|---|")
    for name, (files, lines) in SIZES.items():
        found = times[name][1:]
        print(f"| {files} | {lines} | {statistics.median(found) * 1e3:.0f} | {min(found) * 1e3:.0f} |")
    ratio = statistics.median(times["large"][1:]) / statistics.median(times["small"][1:])
    print(f"\nPreCompact: {ratio:.2f} times as long, limit {LIMIT:.1f}")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
