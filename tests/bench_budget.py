"""What it costs to know the token budget: whole processes, paired in one run.

By hand: `python -m tests.bench_budget`. Each round reads a short transcript and a long one in turn, so that whatever
else the machine does meets both; then it fires a prompt of a session without a transcript and of one with a long one.
The limits are on the ratios of the medians.
"""

# ruff: noqa: T201 - printing is what it is for
from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench import EVENTS, Bench
from tests.test_transcript import answer, user

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = int(os.environ.get("HOLDFAST_BENCH_ROUNDS", "31"))
SIZES = {"2 MB": 2_000_000, "200 MB": 200_000_000}
LIMITS = {"reading": 1.2, "prompt": 1.5}
READ = "import sys; sys.path.insert(0, sys.argv[1]); from holdfast import transcript; transcript.usage(sys.argv[2])"


def written(folder: Path, name: str, size: int) -> Path:
    """Write a transcript of about this size: turns of some kilobytes, and a result of 300 kB after the last answer."""
    path = folder / f"{name.replace(' ', '')}.jsonl"
    turn = b"".join(line + b"\n" for line in (user("x" * 4000), answer(), user("y" * 15_000)))
    with path.open("wb") as file:
        while file.tell() < size - 300_000:
            file.write(turn)
        file.write(user("z" * 300_000) + b"\n")
    return path


def paired(left: Callable[[], float], right: Callable[[], float]) -> tuple[list[float], list[float]]:
    """Return what both cost, measured in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        times[0].append(left())
        times[1].append(right())
    return times


def main() -> int:
    """Print all figures; 1 when something is over its limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bench = Bench(Path(folder))
        paths = {name: written(Path(folder), name, size) for name, size in SIZES.items()}

        def read(name: str) -> float:
            command = [bench.python, "-I", "-S", "-c", READ, f"{bench.plugin}/plugin", str(paths[name])]
            began = time.perf_counter()
            subprocess.run(command, check=True)
            return time.perf_counter() - began

        def prompt(path: str) -> float:
            return bench.fire("UserPromptSubmit", {**EVENTS["UserPromptSubmit"], "transcript_path": path})

        bare = statistics.median(bench.bare() for _ in range(ROUNDS))
        print(f"{os.cpu_count()} cores, {ROUNDS} rounds, bare interpreter {bare * 1e3:.1f} ms\n")
        print("| | median ms | min ms | median ms | min ms | difference ms | ratio | limit |")
        print("|---|---|---|---|---|---|---|---|")
        rows = {
            "reading": ("2 MB, 200 MB", *paired(lambda: read("2 MB"), lambda: read("200 MB"))),
            "prompt": ("no transcript, 200 MB", *paired(lambda: prompt(""), lambda: prompt(str(paths["200 MB"])))),
        }
        within = [shown(name, *row) for name, row in rows.items()]
        return 0 if all(within) else 1


def shown(name: str, label: str, left: list[float], right: list[float]) -> bool:
    """Print a row; whether it is within its limit."""
    medians = [statistics.median(times) for times in (left, right)]
    ratio, apart = medians[1] / medians[0], (medians[1] - medians[0]) * 1e3
    cells = " | ".join(f"{statistics.median(times) * 1e3:.1f} | {min(times) * 1e3:.1f}" for times in (left, right))
    print(f"| {name}: {label} | {cells} | {apart:+.1f} | {ratio:.2f} | {LIMITS[name]:.1f} |")
    return ratio <= LIMITS[name]


if __name__ == "__main__":
    sys.exit(main())
