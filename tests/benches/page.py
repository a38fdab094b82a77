"""What a page of all sessions costs, to make and to open: `python -m tests.benches.page`. Nothing is cached."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benches.measure import ROUNDS
from tests.benches.project import Bench, new
from tests.benches.views import journal
from tests.client.fixtures import git
from tests.support import browser
from tests.support.hooks import STATE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SIZES = (10, 100, 1_000, 10_000)  # sessions
THOUSAND, SLOW, FEW = 1_000, 10_000, 2  # from the larger number on there are at most so many rounds
GROWTH = 20.0  # times as long, and as much memory, with ten times a thousand sessions: ten, and room for the machine
MADE, MEMORY = 3.0, 192.0  # seconds and MB for a thousand sessions
OPENED = 2.0  # seconds until a page of a thousand sessions is drawn
NAME = "sessions.html"


def fill(bench: Bench, size: int, before: int) -> None:
    """Let the project have so many sessions with a journal and a committed state file, where it had some `before`."""
    for number in range(before, size):
        words = {"title": f"Piece {number} of the work", "status": "in_progress", "updated": "2026-01-01T00:00:00Z"}
        name = f".agents/sessions/20260101-{number:06}-piece.md"
        (bench.project / name).parent.mkdir(parents=True, exist_ok=True)
        (bench.project / name).write_text(STATE.format(**words, task="Sum", state="Half of it.", following="The rest."))
        start, *facts = journal(number)
        state: dict[str, Any] = {"kind": "state", "path": name, "root": str(bench.project), "by": "settle"}
        at = time.time() - 3600 * (size - number)
        bench.remember(new(), [{**start, "root": str(bench.project)}, state, *facts], at)
    git(bench.project, "add", "--all")
    git(bench.project, "commit", "--quiet", "--message", f"{size} sessions")


def reported(folder: Path, plugin: Path | None = None, rounds: int = ROUNDS) -> tuple[str, list[str]]:
    """Return the figures as a table, and what is over its limit."""
    if not browser.chromium():
        return "There is no Chromium here.", ["the page of a report was not opened: there is no Chromium"]
    bench, before = Bench(folder, plugin, past=1), 0
    path = bench.project / NAME
    lines = ["| sessions | median s | min s | MB | page, kB | drawn, ms |", "|---" * 6 + "|"]
    least: dict[int, tuple[float, float]] = {}
    opened = 0.0
    for size in SIZES:
        fill(bench, size, before)
        before = size
        bench.cli("report", "--html", NAME)
        count = min(rounds, FEW) if size >= SLOW else rounds
        times = [bench.cli("report", "--html", NAME) for _ in range(count)]
        least[size] = min(times), bench.peak("report", "--html", NAME)
        with browser.running() as running:
            drawn = min(_drawn(running, path) for _ in range(count))
        opened = drawn if size == THOUSAND else opened
        kilobytes = path.stat().st_size / 1000
        cells = (f"{statistics.median(times):.2f}", f"{min(times):.2f}", f"{least[size][1]:.0f}", f"{kilobytes:,.0f}")
        lines.append(f"| {size:,} | {' | '.join(cells)} | {drawn * 1000:,.0f} |")
    grown = [more / less for more, less in zip(least[SLOW], least[THOUSAND], strict=True)]
    wrong = [
        f"report: {times:.1f} times {what} with {SLOW:,} sessions, limit {GROWTH:g}"
        for times, what in zip(grown, ("as long", "the memory"), strict=True)
        if times > GROWTH
    ]
    made, used = least[THOUSAND]
    wrong += [f"report: {made:.2f} s with {THOUSAND:,} sessions, limit {MADE:g} s"] if made > MADE else []
    wrong += [f"report: {used:.0f} MB with {THOUSAND:,} sessions, limit {MEMORY:g}"] if used > MEMORY else []
    wrong += [f"the page of a report: drawn after {opened:.2f} s, limit {OPENED:g} s"] if opened > OPENED else []
    limits = f"{MADE:g} s, {MEMORY:g} MB and drawn within {OPENED:g} s with {THOUSAND:,}"
    lines += ["", f"Limits: {limits}; {GROWTH:g} times the time and the memory with {SLOW:,}."]
    return "\n".join(lines), wrong


def _drawn(running: Browser, path: Path) -> float:
    """Open the page and return the seconds until its first picture is there."""
    with browser.opened(running, path) as found:
        script = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"
        return float(found.page.evaluate(script)) / 1000


def main() -> int:
    """Print the table; 1 when something is over its limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        table, wrong = reported(Path(folder) / "page")
    print(table)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
