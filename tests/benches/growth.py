"""What grows with what: every hook against state files, journal lines, sessions past and live, and payload.

By hand: `python -m tests.benches.growth`, or with the names of some of the five. One project grows from size to size;
every figure is a ratio to a bare interpreter that ran in turn with it, so that sizes can be set against each other.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.benches import hooks
from tests.benches.measure import ROUNDS
from tests.benches.project import STATE_FILES, Bench

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benches.measure import Figures

    Found = dict[int, dict[str, Figures]]  # by size, by hook


class Dimension(NamedTuple):
    """What grows: its name, its sizes, and how a project comes to have one."""

    about: str
    sizes: tuple[int, ...]
    grow: Callable[[Bench, int, int], None]  # to this size, from that one


class Limit(NamedTuple):
    """How many times as much a hook may cost at a size as at the first one, or as a bare interpreter."""

    dimension: str
    event: str
    size: int
    most: float
    bare: bool = False


def _files(bench: Bench, size: int, before: int) -> None:
    bench.files(size - STATE_FILES, before and before - STATE_FILES)
    bench.cli("list", "--all")  # which reads them all


def _payload(_bench: Bench, _size: int, _before: int) -> None:
    """Nothing of the project grows."""


DIMENSIONS = {
    "files": Dimension("state files", (10, 100, 1_000, 10_000), _files),
    "lines": Dimension(
        "journal lines", (100, 10_000, 100_000, 1_000_000), lambda bench, size, before: bench.lines(size - before)
    ),
    "past": Dimension(
        "sessions of the past",
        (10, 100, 1_000, 10_000),
        lambda bench, size, before: bench.past(size, before or STATE_FILES),
    ),
    "live": Dimension("live sessions", (1, 4, 16, 64), lambda bench, size, before: bench.live(size, before)),
    "payload": Dimension("bytes of payload", (1_000, 10_000, 100_000, 1_000_000, 20_000_000), _payload),
}
# What "not at all" comes to where machines are never quiet.
LEVEL = 1.25
_LEVEL = ("Stop", "SessionEnd", "PostToolUse")
LIMITS = (
    Limit("files", "SessionStart", 10_000, 3.0),
    Limit("files", "PreCompact", 10_000, 3.0),
    *(Limit("files", event, 10_000, LEVEL) for event in _LEVEL),
    *(Limit(name, event, size, LEVEL) for name, size in (("lines", 1_000_000), ("past", 10_000)) for event in _LEVEL),
    Limit("past", "SessionStart", 1_000, 3.0),
    Limit("past", "PreCompact", 1_000, 3.0),
    *(Limit("payload", "PostToolUse", size, 1.5, bare=True) for size in (1_000, 10_000, 100_000)),
)


def measured(name: str, folder: Path, plugin: Path | None = None, rounds: int = ROUNDS) -> Found:
    """Return what every hook costs at each size of a dimension."""
    about, sizes, grow = DIMENSIONS[name]
    bench, before = Bench(folder, plugin), 0
    found: Found = {}
    for size in sizes:
        grow(bench, size, before)
        bench.wait()
        before = size
        found[size] = hooks.measured(bench, size=size if name == "payload" else 0, rounds=rounds)
        print(f"{size} {about} measured", file=sys.stderr)
    return found


def over(name: str, found: Found) -> list[str]:
    """Return what of a dimension is over its limit."""
    wrong = []
    for limit in LIMITS:
        if limit.dimension == name:
            at, first = found[limit.size][limit.event], found[min(found)][limit.event]
            # What grew shows in the medians and in the minima; a hiccup of the machine in one of them.
            times = at.ratio if limit.bare else min(at.ratio / first.ratio, at.least / first.least)
            what = "a bare interpreter" if limit.bare else f"as at {min(found)}"
            if times > limit.most:
                wrong.append(f"{limit.event}, {limit.size} {name}: {times:.2f} times {what}, limit {limit.most}")
    return wrong


def table(name: str, found: Found) -> str:
    """Return a dimension as a table: a row for each hook, a column for each size."""
    sizes = sorted(found)
    head = " | ".join(f"{size:,}" for size in sizes)
    rows = [f"| {event} | {' | '.join(_cell(found[size][event]) for size in sizes)} |" for event in found[sizes[0]]]
    return "\n".join([f"| {DIMENSIONS[name].about} | {head} |", "|---" * (len(sizes) + 1) + "|", *rows])


def _cell(found: Figures) -> str:
    """Return a ratio, with the milliseconds of median and minimum."""
    return f"{found.ratio:.2f} ({found.median * 1e3:.0f}, {found.least * 1e3:.0f} ms)"


def main() -> int:
    """Print the tables; 1 when something is over its limit."""
    wrong = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name in sys.argv[1:] or DIMENSIONS:
            found = measured(name, Path(folder) / name)
            print(f"{table(name, found)}\n")
            wrong += over(name, found)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
