"""What is left of a long conversation after each of six compactions, with holdfast and without, on every client.

By hand: `make survival`, which prints the table of docs/explanation/compaction.md.
tests/survival.py says what is played and counted. Both
conversations are had one after the other, so that nothing of the one slows the other down.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.client.api import FULL, Api
from tests.client.claude import Claude
from tests.client.fetch import ClientUnavailableError, fetch
from tests.client.fixtures import VERSIONS, git
from tests.client.identity import IDENTITY
from tests.client.steps import command
from tests.support.machine import clone
from tests.survival import PLANTED, TURNS, Run, play, table

if TYPE_CHECKING:
    from collections.abc import Iterator


def conversations(binary: Path, plugin: Path, folder: Path) -> Iterator[Run]:
    """Give what came of the conversation in one client, with holdfast and then without."""
    for holdfast in (True, False):
        place = folder / f"{binary.parent.name}-{'with' if holdfast else 'without'}"
        project = place / "project"
        project.mkdir(parents=True)
        git(project, "init", "--quiet", "--initial-branch=main")
        git(project, "commit", "--quiet", "--allow-empty", "--message", "Begin")
        with Api() as api:
            given = {**IDENTITY, **FULL, "HOLDFAST_DATA": str(folder / "data")}
            client = Claude(binary, place / "home", project, api.url, plugin if holdfast else None, extra=given)
            if holdfast:
                command(client, "deps")
                command(client, "init")
            yield play(client, api, holdfast=holdfast)


def main() -> int:
    """Print the table; 1 where something was lost with holdfast."""
    runs: dict[str, Run] = {}
    costs: list[str] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:  # a settle may still write its cache
        folder = Path(home)
        plugin = clone(folder / "cache" / "1.0.0")
        for version in VERSIONS:
            try:
                binary = fetch(version)
            except ClientUnavailableError as error:
                print(f"{version} was not measured: {error}")
                continue
            kept, bare = conversations(binary, plugin, folder)
            runs |= {f"with holdfast, {binary.parent.name}": kept, f"bare client, {binary.parent.name}": bare}
            costs.append(_cost(binary.parent.name, kept, bare))
    print(f"{TURNS} turns, {len(PLANTED)} facts, {os.cpu_count()} cores\n")
    print("\n".join([table(runs), "", *costs]))
    return 1 if any(row.lost for name, run in runs.items() if name.startswith("with ") for row in run.rows) else 0


def _cost(version: str, kept: Run, bare: Run) -> str:
    """Return what holdfast costs in turns that take a model no time at all."""
    each = [run.seconds / TURNS * 1e3 for run in (kept, bare)]
    return f"{version}: {each[0]:.0f} ms a turn with holdfast, {each[1]:.0f} ms without, {each[0] - each[1]:+.0f} ms"


if __name__ == "__main__":
    sys.exit(main())
