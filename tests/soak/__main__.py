"""`make soak`: some seeds, one after the other, a line each; 1 where anything was lost, with what and where."""

# ruff: noqa: T201 - printing is what it is for
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.machine import clone

from .play import Size, play


def main() -> int:
    """Play the seeds, in as many minutes in all as were given."""
    seeds = [int(seed) for seed in os.environ.get("SEEDS", " ".join(map(str, range(1, 11)))).split()]
    minutes = float(os.environ.get("MINUTES", "20"))
    size = Size(3, 64, 3, minutes * 60 / len(seeds) * 0.8)  # the rest is for what is under way then, and the check
    home = Path(tempfile.mkdtemp(prefix="soak-"))
    plugin, data = clone(home / "cache/1.0.0"), home / "data"
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "HOLDFAST_DATA": str(data)}
    subprocess.run([plugin / "bin/holdfast", "deps"], env=environment, check=True, capture_output=True)
    lossy = [seed for seed in seeds if not _played(seed, home, plugin, data, size)]
    if lossy:
        print(f"lost something: SEEDS={' '.join(map(str, lossy))}; what was done and what is there: {home}")
        return 1
    shutil.rmtree(home, ignore_errors=True)
    return 0


def _played(seed: int, home: Path, plugin: Path, data: Path, size: Size) -> bool:
    """Play one seed and print what came of it; whether nothing was lost."""
    done = play(seed, home / f"seed-{seed}", plugin, data, size)
    print(
        f"seed {seed}: {done.acknowledged} facts acknowledged, {done.kills} kills, {done.saves} saves by hand "
        f"({done.again} lines written again), {done.seconds:.0f} s, lost {len(done.lost)}",
        flush=True,
    )
    for line in done.lost:
        print(f"  {line}", flush=True)
    return not done.lost


if __name__ == "__main__":
    sys.exit(main())
