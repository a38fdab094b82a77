"""All of it: writes BENCHMARKS.md and the picture beside it. HOLDFAST_BENCH_ROUNDS=3 makes it a short run."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.benches import (
    board,
    budget,
    client,
    compaction,
    context,
    growth,
    hooks,
    hub,
    page,
    plot,
    report,
    sharing,
    views,
    work,
)
from tests.benches.measure import ROUNDS
from tests.benches.project import Bench
from tests.support.machine import ROOT

SMALLER = 2  # of the rounds where there are dozens of figures


def main() -> int:
    """Measure, write and say what is over its limit; 1 when anything is."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:  # a settle may still write its cache
        folder = Path(name)
        bench = Bench(folder / "bench")
        found = report.Report(bench)
        found.hooks, found.commands = hooks.measured(bench), hooks.commands(bench)
        for dimension in growth.DIMENSIONS:
            rounds = max(2, ROUNDS // SMALLER)
            found.growth[dimension] = growth.measured(dimension, folder / dimension, bench.plugin, rounds)
        found.tables["hub"], hub_wrong = hub.reported(hub.Hubs(folder / "hubs", bench.plugin))
        found.tables["compaction"], compaction_wrong = compaction.reported(folder / "compaction", bench.plugin)
        found.tables["work"], work_wrong = work.reported(folder / "work", bench.plugin)
        found.tables["budget"], budget_wrong = budget.reported(bench, folder)
        found.tables["views"], views_wrong = views.reported(folder / "views", bench.plugin)
        found.tables["board"], board_wrong = board.reported(folder / "board", bench.plugin)
        found.tables["page"], page_wrong = page.reported(folder / "page", bench.plugin)
        found.tables["sharing"], sharing_wrong = sharing.reported(folder / "sharing", bench.plugin)
        found.tables["context"] = context.reported(folder / "context", bench.plugin)
        found.tables["client"] = client.reported(bench, folder)
    wrong = [
        *hooks.over(found.hooks),
        *hooks.over(found.commands),
        *hub_wrong,
        *compaction_wrong,
        *budget_wrong,
        *work_wrong,
    ]
    wrong += [*views_wrong, *board_wrong, *page_wrong, *sharing_wrong]
    wrong += [line for dimension, sizes in found.growth.items() for line in growth.over(dimension, sizes)]
    plot.draw(found.growth, ROOT / report.PICTURE)
    (ROOT / "BENCHMARKS.md").write_text(found.text(wrong))
    print("\n".join(wrong) or "All figures are within their limits.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
