"""Put faults into the library one at a time, and see how many the tests notice.

`make mutants`; SAMPLES=40 MODULES="context cli.conflicts" takes that many from these parts of the library, TARGETS
names the tests to choose from. The quick tests run once with coverage, which tells which tests reach a line. For each
fault those tests run in a copy of the repository until one fails. Each survivor is printed at once, with the reason
that `reasons.txt` has for it. Exits with 1 when fewer than nine of ten faults were noticed.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from coverage import CoverageData

from tests.mutants import faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.mutants.faults import Fault

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "plugin/holdfast"
REASONS = Path(__file__).with_name("reasons.txt")
NOTICED = 0.9  # of all faults
MOST_TESTS = 60  # that run for one fault
LIMIT = 300.0  # seconds for the tests of one fault; one that makes them hang is noticed
_PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--hypothesis-profile", "quick", "--no-header")
_QUICK = "not nightly and not client and not slow"
_COVERAGE = "[run]\ndynamic_context = test_function\nsource_pkgs = holdfast\ndata_file = {}\n"


def reach(folder: Path, copy: Path, targets: list[str]) -> tuple[dict[tuple[str, int], set[str]], set[str]]:
    """Run the quick tests once in a copy.

    Return which of them pass and reach each line, by module and line, and which fail without a fault.
    """
    data = folder / "data"
    (folder / "rc").write_text(_COVERAGE.format(data))
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={folder}/rc", *_PYTEST, "-m", _QUICK, *targets]
    command.remove("-x")
    done = subprocess.run(command, cwd=copy, env=_environment(copy), check=False, stdout=subprocess.PIPE)
    reported = [line.split()[1] for line in done.stdout.decode().splitlines() if line.startswith(("FAILED ", "ERROR "))]
    failed = {name.partition("[")[0] for name in reported}
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    read = CoverageData(str(data))
    read.read()
    for file in read.measured_files():
        for line, contexts in read.contexts_by_lineno(file).items():
            nodes = {_node(one) for one in contexts if one}
            found[os.path.relpath(file, copy), line].update(nodes - failed)
    return found, failed


def _node(context: str) -> str:
    """Return the test that a context of coverage names, `tests.a.test_b.test_c`, as pytest names it."""
    module, _, name = context.rpartition(".")
    return f"{module.replace('.', '/')}.py::{name}"


def _environment(root: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{root}/plugin", "PYTHONDONTWRITEBYTECODE": "1"}


def sample(count: int, seed: int, parts: list[str]) -> list[Fault]:
    """Return faults drawn from the modules whose dotted name begins with one of these parts, [] for all."""
    known = []
    for path in sorted(LIBRARY.rglob("*.py")):
        name = ".".join(path.relative_to(LIBRARY).with_suffix("").parts)
        if not parts or any(name == part or name.startswith(f"{part}.") for part in parts):
            known += faults.of(path)
    return random.Random(seed).sample(known, min(count, len(known)))  # noqa: S311 - chooses faults only


def tests_of(fault: Fault, reached: dict[tuple[str, int], set[str]], dice: random.Random) -> list[str]:
    """Return tests that reach the line of a fault, those of its own package first; all of these when none is known."""
    name = os.path.relpath(fault.path, ROOT)
    known = sorted(reached.get((name, fault.line), set()))
    folder = f"tests/{fault.path.relative_to(LIBRARY).parts[0]}"
    if not known:
        return [folder] if (ROOT / folder).is_dir() else ["tests"]
    return sorted(dice.sample(known, len(known)), key=lambda name: not name.startswith(f"{folder}/"))[:MOST_TESTS]


def is_noticed(copy: Path, fault: Fault, tests: list[str], failed: Iterable[str] = ()) -> bool:
    """Whether one of the tests fails, or hangs, in a copy of the repository with the fault.

    Tests that have `failed` without it do not run.
    """
    target = copy / fault.path.relative_to(ROOT)
    data = target.read_bytes()
    target.write_bytes(fault.put(data))
    # Outside the copy: it is a repository, and tests make folders that are in none.
    command = [sys.executable, *_PYTEST, "-m", _QUICK, f"--basetemp={copy}.temporary", *tests]
    command += [f"--deselect={name}" for name in sorted(failed)]
    try:
        done = subprocess.run(
            command, cwd=copy, env=_environment(copy), check=False, capture_output=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        target.write_bytes(data)
    return done.returncode not in {0, 5}


def copies(folder: Path, count: int) -> Iterator[Path]:
    """Make copies of what git knows of this repository, each a repository: tests ask git for the plugin's files."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True
    ).stdout
    for number in range(count):
        copy = folder / str(number)
        for name in filter(None, names.decode().split("\0")):
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name)
        subprocess.run(["git", "init", "--quiet"], cwd=copy, check=True)
        subprocess.run(["git", "add", "--all"], cwd=copy, check=True)
        (copy / ".venv").symlink_to((ROOT / ".venv").resolve())
        yield copy


def _described(fault: Fault) -> str:
    """Return a fault on one line: module, what was done, and the source line, which outlives its number."""
    line = fault.path.read_text().splitlines()[fault.line - 1].strip()
    return f"{fault.path.relative_to(LIBRARY)}: {fault.kind}: {line}"


def main() -> int:
    """Print the survivors and the count."""
    count, seed = int(os.environ.get("SAMPLES") or 300), int(os.environ.get("SEED") or 1)
    chosen = sample(count, seed, os.environ.get("MODULES", "").split())
    lines = REASONS.read_text().splitlines() if REASONS.is_file() else []
    reasons = dict(line.split(" # ", 1) for line in lines if " # " in line)
    dice, workers = random.Random(seed), max(1, (os.cpu_count() or 2) // 2)  # noqa: S311 - chooses tests only
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        folder = Path(home)
        free = [*copies(folder, workers)]
        reached, failed = reach(folder, free[0], (os.environ.get("TARGETS") or "tests").split())

        def judged(fault: Fault) -> bool:
            copy = free.pop()
            try:
                noticed = is_noticed(copy, fault, tests_of(fault, reached, dice), failed)
            finally:
                free.append(copy)
            if not noticed:
                line = _described(fault)
                print(f"{line} # {reasons.get(line, 'no reason is known')}", flush=True)
            return noticed

        print(f"{len(failed)} tests fail without a fault and are left out", flush=True)
        with ThreadPoolExecutor(workers) as pool:
            noticed = sum(pool.map(judged, chosen))
    print(f"{noticed} of {len(chosen)} faults were noticed (seed {seed})")
    return 0 if noticed >= NOTICED * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
