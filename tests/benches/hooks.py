"""What each hook and the main commands cost in a project that nobody let grow: `python -m tests.benches.hooks`."""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benches.measure import HEAD, ROUNDS, against_bare
from tests.benches.project import CLIENT_EDITS, EVENTS, LINES, STATE_FILES, Bench

if TYPE_CHECKING:
    from tests.benches.measure import Figures

# Times a bare interpreter.
LIMITS = {
    "PostToolUse": 1.5,
    "SessionEnd": 1.8,
    **{f"edit in {name}": 1.7 for name in CLIENT_EDITS},
    "SessionStart": 3.5,
    "PreCompact": 5.0,
    "holdfast --version": 3.0,
    "holdfast --help": 3.0,
    "holdfast list": 9.0,
    "holdfast brief": 9.0,
    "holdfast status": 9.0,
    "holdfast loop list": 9.0,
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "holdfast --version": ("--version",),
    "holdfast --help": ("--help",),
    "holdfast list": ("list",),
    "holdfast status": ("status",),
    "holdfast drift": ("drift",),
    "holdfast brief": ("brief",),
    "holdfast tree": ("tree",),
    "holdfast validate": ("validate",),
    "holdfast conflicts": ("conflicts",),
    "holdfast loop list": ("loop", "list"),
    "holdfast doctor": ("doctor",),
}


def measured(bench: Bench, *, size: int = 0, rounds: int = ROUNDS) -> dict[str, Figures]:
    """Return the figures of every hook; `size` is how long its payload is.

    What a hook leaves to the background is waited for: it would slow down whatever is measured next.
    """

    def run(event: str) -> float:
        took = bench.fire(event, size)
        bench.wait()
        return took

    edits = {f"edit in {name}": partial(bench.edit, name) for name in CLIENT_EDITS}
    return against_bare(bench.bare, {event: partial(run, event) for event in EVENTS} | edits, rounds)


def commands(bench: Bench, rounds: int = ROUNDS) -> dict[str, Figures]:
    """Return the figures of the main commands; one that finds something wrong is no failure."""
    found = {name: partial(bench.cli, *words, check=False) for name, words in COMMANDS.items()}
    return against_bare(bench.bare, found, rounds)


def over(found: dict[str, Figures]) -> list[str]:
    """Return what is over its limit."""
    return [
        f"{name}: {each.ratio:.2f} x bare, limit {LIMITS[name]}"
        for name, each in found.items()
        if name in LIMITS and each.ratio > LIMITS[name]
    ]


def table(found: dict[str, Figures], what: str = "hook") -> str:
    """Return the figures as a table."""
    rows = [f"| {name} | {each.cells} | {LIMITS.get(name, '')} |" for name, each in found.items()]
    return "\n".join([f"| {what} | {HEAD} | limit |", "|---|---|---|---|---|---|", *rows])


def main() -> int:
    """Print all figures; 1 when a hook or a command is over its limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a settle may still write its cache
        bench = Bench(Path(folder))
        found = measured(bench)
        print(f"{STATE_FILES} state files, journals of {LINES} lines, {ROUNDS} rounds\n\n{table(found)}")
        typed = commands(bench)
        print(f"\n{table(typed, 'command')}")
    return print("\n".join(wrong)) or 1 if (wrong := over(found) + over(typed)) else 0


if __name__ == "__main__":
    sys.exit(main())
