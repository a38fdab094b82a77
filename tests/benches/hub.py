"""What an update of the hub costs as the hub grows: whole processes, paired in one run.

By hand: `python -m tests.benches.hub`. Each round updates a small hub and a large one in turn, so that whatever else
the machine does meets both; the limit is on the ratio of their medians.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benches.measure import ROUNDS
from tests.benches.project import new
from tests.client.fixtures import git
from tests.client.identity import IDENTITY
from tests.support.machine import clone

SMALL, LARGE = 20, 2000  # entries, of which half are history
LIMIT = 2.0  # times as long as with the small one
ENTRY = """\
### Implementor - Invoices of customer {number}
**Session ID:** `{ident}`
**Started:** 2026-01-17 16:00 UTC
**Last Updated:** 2026-01-17 18:30 UTC
{completed}**Status:** {status}
**Agent:** implementor
**Branch:** feat/invoices-{number}
**Purpose:** Read the invoices of customer {number}, whatever their encoding
**Context:**
- files_modified: src/invoices/reader{number}.py, tests/test_reader{number}.py
- tests_pass: true
**Next:** Collect the merged requests of customer {number}

"""
ACTIONS = {
    "new": ("action=started", "agent=implementor", "purpose=Write the parser", "branch=feat/parser"),
    "in_progress": ("action=in_progress", "context=files_modified:[src/parser.py] tests_pass:false"),
    "completed": ("action=completed", "context=tests_pass:true done_report:reports/parser.md"),
}


class Hubs:
    """A prepared project for each size of hub, and the plugin as a client would have it."""

    def __init__(self, folder: Path, plugin: Path | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.plugin = plugin or clone(folder / "cache/1.0.0")
        self.hubs = {size: _hub(size) for size in (SMALL, LARGE)}
        for size, hub in self.hubs.items():
            self.project(size).mkdir()
            git(self.project(size), "init", "--quiet", "--initial-branch=main")
            git(self.project(size), "commit", "--quiet", "--allow-empty", "--message", "Begin")
            self.file(size).parent.mkdir()
            (self.project(size) / ".agents/holdfast.toml").touch()
            self.file(size).write_bytes(hub)
        if plugin is None:
            self.cli(SMALL, "deps")

    def project(self, size: int) -> Path:
        """Return the project with the hub of this size."""
        return self.folder / f"project-{size}"

    def file(self, size: int) -> Path:
        """Return the hub of this size."""
        return self.project(size) / ".agents/SESSION-STATE.md"

    def cli(self, size: int, *arguments: str) -> float:
        """Run a command and return the seconds it took; it must succeed."""
        kept = {"HOLDFAST_HISTORY_ENTRIES": "10000"}  # a setting in the project would have no effect before `trust`
        environment = {"HOLDFAST_DATA": str(self.plugin.parent / "data"), "HOME": str(self.folder), **IDENTITY, **kept}
        command = [str(self.plugin / "bin/holdfast"), *arguments]
        began = time.perf_counter()
        subprocess.run(
            command,
            cwd=self.project(size),
            env={"PATH": os.environ["PATH"], **environment},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return time.perf_counter() - began

    def restored(self, size: int) -> None:
        """Give a hub its first bytes back, and let nobody remember what was asked for since."""
        self.file(size).write_bytes(self.hubs[size])
        (self.project(size) / ".git/holdfast/journal/hub/record.json").unlink()

    def measured(self) -> dict[tuple[str, int], list[float]]:
        """Return the seconds of each action with each size of hub, after one round to warm up."""
        times: dict[tuple[str, int], list[float]] = {(action, size): [] for action in ACTIONS for size in self.hubs}
        for number in range(ROUNDS + 1):
            session = new()
            for action, arguments in ACTIONS.items():
                for size in self.hubs if number % 2 else reversed(self.hubs):
                    times[action, size].append(self.cli(size, "update", f"session_id={session}", *arguments))
            for size in self.hubs:
                self.restored(size)
        return {key: measured[1:] for key, measured in times.items()}


def _hub(size: int) -> bytes:
    """Return a hub of so many entries."""
    entries = [
        ENTRY.format(
            number=number,
            ident=new(),
            status="completed" if number * 2 >= size else "active",
            completed="**Completed:** 2026-01-17 18:30 UTC\n" if number * 2 >= size else "",
        )
        for number in range(size)
    ]
    active, history = "".join(entries[: size // 2]), "".join(entries[size // 2 :])
    return f"# Session State\n\n## Active Sessions\n\n{active}## Session History (Recent)\n\n{history}".encode()


def reported(hubs: Hubs) -> tuple[str, list[str]]:
    """Return the figures as a table, and what is over the limit."""
    times = hubs.measured()
    rows = [
        f"| update | {SMALL}: median ms | min ms | {LARGE}: median ms | min ms | ratio | of the min | limit |",
        "|---|---|---|---|---|---|---|---|",
    ]
    wrong = []
    for action in ACTIONS:
        small, large = times[action, SMALL], times[action, LARGE]
        ratio = statistics.median(large) / statistics.median(small)
        cells = [cell for each in (small, large) for cell in (statistics.median(each), min(each))]
        shown = " | ".join(f"{cell * 1e3:.0f}" for cell in cells)
        rows.append(f"| {action} | {shown} | {ratio:.2f} | {min(large) / min(small):.2f} | {LIMIT:.1f} |")
        wrong += [f"update {action}, {LARGE} entries: {ratio:.2f} times, limit {LIMIT}"] if ratio > LIMIT else []
    return "\n".join(rows), wrong


def main() -> int:
    """Print all figures; 1 when an update of the large hub is over the limit."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        hubs = Hubs(Path(folder))
        kilobytes = len(hubs.hubs[LARGE]) // 1000
        print(f"{SMALL} entries and {LARGE} ({kilobytes} kB), {os.cpu_count()} cores, {ROUNDS} rounds\n")
        table, wrong = reported(hubs)
        print(table)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
