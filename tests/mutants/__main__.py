"""Put faults into the library one at a time, and see how many the tests notice.

`make mutants`; SAMPLES=40 MODULES="context cli.searching" takes that many from these parts of the library, TARGETS
names the tests to choose from. All tests but those of the client run once with coverage, which tells which tests reach
a line. For each fault those tests run in a copy of the repository until one fails, the quick ones first, and then the
types are checked: `make test` does both. Each survivor is printed at once. Exits with 1 when fewer than nine of ten
faults were noticed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from coverage import CoverageData

from tests.mutants import contexts, faults
from tests.support.covered import MEASURED_INTO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.mutants.faults import Fault

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "plugin/holdfast"
UNSEEN = Path(__file__).with_name("unseen.txt")
NOTICED = 0.9  # of all faults
FEW = 5  # tests
QUICK = 60.0  # seconds for quick tests of one fault, as measured with coverage
SLOW = 60.0  # seconds for slow tests of one fault
_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile", "quick", "--no-header")
# A guard that is switched off is unreachable code for mypy, which a forgotten guard is not.
_MYPY = ("-m", "mypy", "--no-warn-unreachable")
_NO_TESTS = 5  # the exit code of pytest
_TIERS = {"quick": "not nightly and not client and not slow", "slow": "slow and not nightly and not client"}
_ALL = "not nightly and not client"
_LINES = (
    "SELECT DISTINCT path, tono, context FROM arc JOIN file ON file.id = file_id "
    "JOIN context ON context.id = context_id WHERE tono > 0"
)
_COVERAGE = "[run]\nsource_pkgs = holdfast\ndata_file = {}\n"


@dataclass(slots=True)
class Reached:
    """What the tests of a tier reach: those that pass, by module and line and by module; their seconds; the others."""

    lines: dict[tuple[str, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    modules: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    seconds: dict[str, float] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)

    def add(self, module: str, line: int, tests: Iterable[str]) -> None:
        """Note the tests that reach a line, except those that fail."""
        reached = set(filter(None, tests)) - self.failed
        self.lines[module, line] |= reached
        self.modules[module] |= reached

    def of(self, fault: Fault) -> set[str]:
        """Return the tests that reach the line of a fault; all of its module for a line that few of them reach.

        A line outside of functions runs once, when the first test imports its module. The tests in the file that is
        named after the module are among them: they may reach it in a process that is not measured.
        """
        name = os.path.relpath(fault.path, ROOT)
        found = self.lines.get((name, fault.line), set())
        named = {test for test in self.seconds if is_named_after(test, fault) and test not in self.failed}
        return named | found if len(found) >= FEW else named | found | self.modules.get(name, set())

    def rarest(self, module: str, span: range) -> dict[str, int]:
        """Return for each test that reaches these lines how many tests reach the rarest of its lines."""
        reaching = [self.lines.get((module, line), set()) for line in span]
        return {test: len(tests) for tests in sorted(reaching, key=len, reverse=True) for test in tests}


def is_named_after(test: str, fault: Fault) -> bool:
    """Whether a test is in the file that is named after the module of a fault, such as tests/git/test_run.py."""
    package = fault.path.relative_to(LIBRARY).parts[0]
    return test.startswith(f"tests/{package}/") and f"/test_{fault.path.stem}.py::" in test


def reach(folder: Path, copy: Path, marks: str, targets: list[str]) -> Reached:
    """Run the tests with these marks once in a copy, and return what they reach without a fault."""
    folder.mkdir()
    data, seconds = folder / "data", folder / "seconds"
    (folder / "rc").write_text(_COVERAGE.format(data))
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={folder}/rc", *_PYTEST, "-m", marks]
    command += ["-p", contexts.__name__, f"--basetemp={copy}.temporary", *targets]
    processes = folder / "processes"
    environment = {**_environment(copy), contexts.SECONDS: str(seconds), MEASURED_INTO: str(processes)}
    done = subprocess.run(command, cwd=copy, env=environment, check=False, stdout=subprocess.PIPE)
    reported = [line.split()[1] for line in done.stdout.decode().splitlines() if line.startswith(("FAILED ", "ERROR "))]
    found = Reached(seconds=json.loads(seconds.read_bytes()), failed={name.partition("[")[0] for name in reported})
    read = CoverageData(str(data))
    read.read()
    for file in read.measured_files():
        for line, nodes in read.contexts_by_lineno(file).items():
            found.add(_module(file), line, nodes)
    for path in folder.glob(f"{processes.name}.*.*"):
        for file, line, test in _lines(path):
            found.add(_module(file), line, [test])
    return found


def _lines(data: Path) -> list[tuple[str, int, str]]:
    """Return (file, line, test) of each line that a process ran, none of one that was killed before it wrote them.

    `CoverageData.lines` would ask for each file by itself. The tables are described in coverage's documentation,
    "Coverage.py database schema".
    """
    with contextlib.closing(sqlite3.connect(data)) as base:
        written = base.execute("SELECT 1 FROM sqlite_master WHERE name = 'arc'").fetchone()
        return base.execute(_LINES).fetchall() if written else []


def _module(file: str) -> str:
    """Return the path of a module in the repository from its path in any copy of it."""
    return f"plugin/holdfast/{file.partition('/plugin/holdfast/')[2]}"


def _environment(root: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if "COVERAGE" not in name and name != MEASURED_INTO}
    return {**own, "PYTHONPATH": f"{root}/plugin", "PYTHONDONTWRITEBYTECODE": "1"}


def sample(count: int, seed: int, parts: list[str]) -> list[Fault]:
    """Return faults drawn from the modules whose dotted name begins with one of these parts, [] for all.

    Faults in `unseen.txt` are left out: each changes nothing but speed, and says why. What a seed draws depends on the
    lines with the faults alone: what was done about one that was not noticed shows in the next run.
    """
    known: list[Fault] = []
    unseen = {line.rpartition(" # ")[0] for line in UNSEEN.read_text().splitlines()}
    for path in sorted(LIBRARY.rglob("*.py")):
        name = ".".join(path.relative_to(LIBRARY).with_suffix("").parts)
        if not parts or any(name == part or name.startswith(f"{part}.") for part in parts):
            known += (fault for fault in faults.of(path) if _described(fault) not in unseen)
    return sorted(known, key=lambda fault: _drawn(fault, seed))[:count]


def _drawn(fault: Fault, seed: int) -> bytes:
    """Return a random text that a fault has for a seed."""
    return hashlib.sha256(f"{seed}\n{_described(fault)}\n{fault.text.decode()}".encode()).digest()


def tests_of(fault: Fault, tiers: dict[str, Reached]) -> tuple[list[str], float]:
    """Return tests that reach the line of a fault, and the seconds that they take.

    Quick tests come before slow ones. In each tier those come first that reach a line of the same function that few
    others reach: a fault in a condition shows where the rare branch is taken. Of equal ones the tests of the fault's
    own package come first, the shortest of them before the others.
    """
    folder = f"tests/{fault.path.relative_to(LIBRARY).parts[0]}/"
    name, span = os.path.relpath(fault.path, ROOT), faults.function_around(fault)
    chosen, total = [], 0.0
    for tier, most in (("quick", QUICK), ("slow", SLOW)):
        spent, each = 0.0, tiers[tier].seconds
        rarest = tiers[tier].rarest(name, span)
        # A test in the file that is named after the module may reach it in a process that is not measured.
        rank = {test: FEW for test in each if is_named_after(test, fault)} | rarest
        for test in sorted(
            tiers[tier].of(fault),
            key=lambda test: (rank.get(test, len(each)), not test.startswith(folder), each.get(test, 0.0), test),
        ):
            if spent + (taken := each.get(test, 0.0)) <= most:
                chosen.append(test)
                spent += taken
        total += spent
    return chosen, total


def is_noticed(copy: Path, fault: Fault, tests: list[str], seconds: float) -> bool:
    """Whether one of the tests fails in a copy of the repository with the fault, or the types do not agree there.

    Tests that take five times their `seconds` notice the fault, too.
    """
    target = copy / fault.path.relative_to(ROOT)
    data = target.read_bytes()
    target.write_bytes(fault.put(data))
    # Outside the copy: it is a repository, and tests make folders that are in none.
    tested = [*_PYTEST, "-x", "-m", _ALL, f"--basetemp={copy}.temporary", *tests]
    try:
        failed = bool(tests) and _fails(copy, tested, 60 + 5 * seconds)
        return failed or _fails(copy, [*_MYPY, f"--cache-dir={copy}.types", "plugin"], None)
    except subprocess.TimeoutExpired:
        return True
    finally:
        target.write_bytes(data)


def _fails(copy: Path, command: list[str], limit: float | None) -> bool:
    """Whether a module fails in a copy; TimeoutExpired after so many seconds."""
    command = [sys.executable, *command]
    done = subprocess.run(command, cwd=copy, env=_environment(copy), check=False, capture_output=True, timeout=limit)
    return done.returncode not in {0, _NO_TESTS}


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
    targets = (os.environ.get("TARGETS") or "tests").split()
    workers = max(1, (os.cpu_count() or 2) // 2)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, ThreadPoolExecutor(2) as pool:
        folder = Path(home)
        free = [*copies(folder, max(workers, len(_TIERS)))]
        asked = {
            tier: pool.submit(reach, folder / tier, copy, marks, targets)
            for (tier, marks), copy in zip(_TIERS.items(), free, strict=False)
        }
        tiers = {tier: one.result() for tier, one in asked.items()}

        def judged(fault: Fault) -> bool:
            copy = free.pop()
            try:
                tests, seconds = tests_of(fault, tiers)
                noticed = is_noticed(copy, fault, tests, seconds)
            finally:
                free.append(copy)
            if not noticed:
                print(_described(fault), flush=True)
            return noticed

        for name in sorted(set().union(*(tier.failed for tier in tiers.values()))):
            print(f"{name} fails without a fault and is left out", flush=True)
        with ThreadPoolExecutor(workers) as judges:
            noticed = sum(judges.map(judged, chosen))
    print(f"{noticed} of {len(chosen)} faults were noticed (seed {seed})")
    return 0 if noticed >= NOTICED * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
