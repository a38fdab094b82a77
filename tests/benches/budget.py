"""What it costs to know the token budget: whole processes, paired in one run.

By hand: `python -m tests.benches.budget`. Each round reads a short transcript and a long one in turn, so that whatever
else the machine does meets both; then it fires a prompt of a session without a transcript and of one with a long one.
The limits are on the ratios of the medians.
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
from tests.journal.test_transcript import answer, user

SIZES = {"2 MB": 2_000_000, "200 MB": 200_000_000}
LIMITS = {"reading": 1.2, "prompt": 1.5}
READ = (
    "import sys; sys.path.insert(0, sys.argv[1])\n"
    "from holdfast.journal import transcript; transcript.usage(sys.argv[2])"
)


def written(folder: Path, name: str, size: int) -> Path:
    """Write a transcript of about this size: turns of some kilobytes, and a result of 300 kB after the last answer."""
    path = folder / f"{name.replace(' ', '')}.jsonl"
    turn = b"".join(line + b"\n" for line in (user("x" * 4000), answer(), user("y" * 15_000)))
    with path.open("wb") as file:
        while file.tell() < size - 300_000:
            file.write(turn)
        file.write(user("z" * 300_000) + b"\n")
    return path


def reported(bench: Bench, folder: Path) -> tuple[str, list[str]]:
    """Return the figures as a table, and what is over the limit."""
    paths = {name: written(folder, name, size) for name, size in SIZES.items()}

    def read(name: str) -> float:
        return bench.timed([bench.python, "-I", "-S", "-c", READ, f"{bench.plugin}/plugin", str(paths[name])])

    def prompt(path: str) -> float:
        return bench.fire("UserPromptSubmit", transcript_path=path)

    rows = {
        "reading": in_turn({name: partial(read, name) for name in SIZES}),
        "prompt": in_turn({"no transcript": partial(prompt, ""), "200 MB": partial(prompt, str(paths["200 MB"]))}),
    }
    head = f"| | median ms | min ms | median ms | min ms | difference ms | ratio | limit |\n{'|---' * 8}|"
    lines = [_row(name, times) for name, times in rows.items()]
    return "\n".join([head, *(line for line, _ in lines)]), [f"budget: {line}" for line, over in lines if over]


def _row(name: str, times: dict[str, list[float]]) -> tuple[str, bool]:
    """Return a row of the table, and whether it is over its limit."""
    medians = [statistics.median(each) for each in times.values()]
    ratio, apart = medians[1] / medians[0], (medians[1] - medians[0]) * 1e3
    cells = " | ".join(f"{statistics.median(each) * 1e3:.1f} | {min(each) * 1e3:.1f}" for each in times.values())
    row = f"| {name}: {', '.join(times)} | {cells} | {apart:+.1f} | {ratio:.2f} | {LIMITS[name]:.1f} |"
    return row, ratio > LIMITS[name]


def main() -> int:
    """Print all figures; 1 when something is over its limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        table, wrong = reported(Bench(Path(folder) / "bench"), Path(folder))
    print(f"{os.cpu_count()} cores, {ROUNDS} rounds\n\n{table}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
