"""What PreCompact costs as files and journals grow: whole processes, paired in one run.

By hand: `python -m tests.benches.compaction`. Each round lets a session change one file and compacts it, in a project
with few state files and a short journal and in one with many and a long one in turn, so that whatever else the machine
does meets both; the limit is on the ratio of the medians.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.benches.measure import ROUNDS, in_turn
from tests.benches.project import Bench

SIZES = {"small": (10, 100), "large": (1000, 100_000)}  # state files, lines of the journal
LIMIT = 3.0


def compacted(bench: Bench) -> float:
    """Let a session change a file, compact it, and return the seconds that took."""
    bench.fire("PostToolUse")
    bench.wait()
    took = bench.fire("PreCompact")
    bench.wait()
    return took


def reported(folder: Path, plugin: Path | None = None) -> tuple[str, list[str]]:
    """Return the figures as a table, and what is over the limit."""
    benches: dict[str, Bench] = {}
    for name, (files, lines) in SIZES.items():
        benches[name] = bench = Bench(folder / name, plugin)
        plugin = bench.plugin
        bench.files(files)
        bench.cli("list", "--all")  # which reads them all
        bench.lines(lines)
    times = in_turn({name: partial(compacted, bench) for name, bench in benches.items()})
    rows = ["| state files | journal lines | median ms | min ms |", "|---|---|---|---|"]
    for name, (files, lines) in SIZES.items():
        rows.append(
            f"| {files} | {lines} | {statistics.median(times[name]) * 1e3:.0f} | {min(times[name]) * 1e3:.0f} |"
        )
    ratio = statistics.median(times["large"]) / statistics.median(times["small"])
    rows.append(f"\n{ratio:.2f} times as long, limit {LIMIT:.1f}")
    return "\n".join(rows), [f"a large compaction: {ratio:.2f} times, limit {LIMIT}"] if ratio > LIMIT else []


def main() -> int:
    """Print all figures; 1 when the large one is over the limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        table, wrong = reported(Path(folder))
    print(f"{os.cpu_count()} cores, {ROUNDS} rounds\n\n{table}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
