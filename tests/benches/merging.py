"""How long git's merge of one large file takes with the driver: `python -m tests.benches.merging [MB]`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benches.project import Bench
from tests.client.fixtures import git
from tests.hazards import shapes

MEGABYTES, LIMIT = 5, 5.0  # of a file, and seconds for one
ROWS = 5000  # of a table, each of which both sides changed


def _files(size: int) -> dict[str, tuple[str, str, str, str]]:
    """Return the cases: the path of the file, what both sides began with, and the two sides."""
    state = shapes.AGENTS[1] + "\n- one more line of notes" * (size // 24) + "\n"
    steps = "[ " * (size // 2) + "\n"
    rows = [[f"| LOOP-{number:04} | {side} |" for number in range(ROWS)] for side in ("open", "ours", "theirs")]
    tables = ["# Loops\n\n| ID | Title |\n|---|---|\n" + "\n".join(each) + "\n" for each in rows]
    path = ".agents/sessions/20251204-143000-parser.md"
    return {
        f"state file of {size / 1e6:.0f} MB": (path, state, f"{state}- ours\n", state.replace("- one", "- theirs", 1)),
        f"`[ ` over and over, {size / 1e6:.0f} MB": (path, steps, f"{steps}ours\n", f"theirs\n{steps}"),
        f"table of {ROWS:,} rows that both changed": (".agents/LOOPS.md", tables[0], tables[1], tables[2]),
    }


def _merged(bench: Bench, number: int, path: str, texts: list[str]) -> tuple[float, bool]:
    """Let git merge two branches that changed a file; return the seconds it took, and whether that was clean."""
    branches = [f"{side}-{number}" for side in ("base", "ours", "theirs")]
    for branch, begin, text in zip(branches, ("main", branches[0], branches[0]), texts, strict=True):
        git(bench.project, "switch", "-q", "-c", branch, begin)
        (bench.project / path).parent.mkdir(parents=True, exist_ok=True)
        (bench.project / path).write_text(text)
        git(bench.project, "add", "-f", path)
        git(bench.project, "commit", "-q", "-m", branch)
    git(bench.project, "switch", "-q", branches[1])
    began = time.perf_counter()
    command = ["git", "merge", "-q", "-m", "Merge", branches[2]]
    done = subprocess.run(command, check=False, cwd=bench.project, env=bench.env, capture_output=True)
    took = time.perf_counter() - began
    merged = (bench.project / path).read_text()
    assert all(part in merged for part in ("ours", "theirs")), done
    git(bench.project, "reset", "-q", "--hard")
    return took, done.returncode == 0


def main(megabytes: int = MEGABYTES) -> int:
    """Print all figures; 1 when a merge takes too long."""
    slow = False
    print("| file | seconds | merged |\n|---|---|---|")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        bench = Bench(Path(name))
        for number, (case, (path, *texts)) in enumerate(_files(megabytes * 1_000_000).items()):
            took, clean = _merged(bench, number, path, texts)
            slow = slow or took > LIMIT
            print(f"| {case} | {took:.2f} | {'without a conflict' if clean else 'with markers'} |")
    return int(slow)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
