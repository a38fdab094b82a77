"""`make fuzz`: each target in a process of its own for some minutes, then how its time grows with its input."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.fuzz.table import TARGETS

if TYPE_CHECKING:
    from tests.fuzz.target import Target


def main() -> int:
    """Try the targets that are named, or all of them; 1 when something broke or takes too long."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(target.name for target in TARGETS))
    parser.add_argument("--minutes", type=float, default=2.0, help="for each target")
    given = parser.parse_args()
    unknown = set(given.targets) - {target.name for target in TARGETS}
    if unknown:
        parser.error(f"no target {', '.join(sorted(unknown))}")
    chosen = [target for target in TARGETS if not given.targets or target.name in given.targets]
    return int(sum(_tried(target, given.minutes * 60) for target in chosen) > 0)


def _tried(target: Target, seconds: float) -> bool:
    """Try one target and say what came of it; whether it broke, or takes longer and longer."""
    before = set(target.corpus)
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.guided", target.name, str(seconds)],
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    count = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    print(f"{target.name}: {count[1] if count else '?'} inputs, exit {done.returncode}", flush=True)
    if done.returncode:
        print("\n".join(done.stderr.splitlines()[-40:]))
    broke = done.returncode or _growing(target)
    for path in sorted(set(target.corpus) - before):
        print(f"kept: {path}", flush=True)
    return bool(broke)


def _growing(target: Target) -> int:
    """Try how a target's time grows with its input; what breaks there keeps no other target from its turn."""
    return subprocess.run([sys.executable, "-m", "tests.fuzz.growth", target.name], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
