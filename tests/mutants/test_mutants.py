"""The runner of `make mutants`: its copies have all that the tests need, and only a fault counts as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.mutants import __main__ as mutants
from tests.mutants.faults import Fault
from tests.support import machine

if TYPE_CHECKING:
    from pathlib import Path

_MODULE = mutants.LIBRARY / "core/words.py"
_NOTHING = Fault(_MODULE, 1, "nothing", 0, 0, b"")
_BROKEN = Fault(_MODULE, 1, "broken", 0, 0, b"raise ValueError\n")
_OF_NO_TYPE = Fault(_MODULE, 1, "no type", 0, 0, b"_NUMBER: int = ''\n")
_TEST = """from holdfast.core import words

def test_good():
    assert words
"""
_FIXTURES = """import pytest
from holdfast.core.words import words

@pytest.fixture
def made():
    return words("A b")

def test_made(made):
    assert made == ["a", "b"]

def test_bad(made):
    assert not made
"""

_PROCESS = """import os
from pathlib import Path

from tests.support import covered, hooks

prepared, here = hooks.prepared, hooks.here

def test_typed(prepared):
    Path(os.environ[covered.MEASURED_INTO] + ".killed.before").touch()
    prepared.processes = True
    assert prepared.fire("SessionStart").code == 0
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy as the runner makes it, with a test of one module."""
    (made,) = mutants.copies(tmp_path_factory.mktemp("mutants"), 1)
    (made / "tests/test_here.py").write_text(_TEST)
    return made


def test_a_copy_has_the_plugin_as_git_knows_it(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fixture that copies the plugin asks git which files it has."""
    monkeypatch.setattr(machine, "ROOT", copy)
    machine.clone(tmp_path / "plugin")
    assert (tmp_path / "plugin/hooks/hooks.json").is_file()


def test_a_seed_draws_the_same_faults_again() -> None:
    """More of them, or another module beside it, change nothing in what was drawn."""
    parts = ["core.words"]
    few, more = mutants.sample(5, 1, parts), mutants.sample(8, 1, parts)
    assert len(few) == 5
    assert more[:5] == few
    beside = mutants.sample(10_000, 1, [*parts, "core.errors", "core.clock"])
    assert [fault for fault in beside if fault.path == _MODULE][:5] == few
    assert mutants.sample(5, 2, parts) != few


def test_the_tests_of_its_own_package_run_first() -> None:
    """Of many tests that reach a line, no sample leaves out those that were written for it; quick ones come first.

    A test that starts processes is one of them by the name of its file.
    """
    own = {f"tests/core/test_words.py::test_{number}" for number in range(5)}
    others = {f"tests/hub/test_update.py::test_{number}" for number in range(500)}
    slow = {"tests/core/test_words.py::test_slow"}
    elsewhere = {"tests/core/test_words.py::test_in_a_process"}
    quick = mutants.Reached(seconds=dict.fromkeys(own | others | elsewhere, 0.1))
    tiers = {"quick": quick, "slow": mutants.Reached(seconds=dict.fromkeys(slow, 0.1))}
    tiers["quick"].lines["plugin/holdfast/core/words.py", 1] = own | others
    tiers["slow"].modules["plugin/holdfast/core/words.py"] = slow
    chosen, taken = mutants.tests_of(_NOTHING, tiers)
    assert set(chosen[:6]) == own | elsewhere
    assert set(chosen[-1:]) == slow
    assert taken == pytest.approx(0.1 * len(chosen))
    assert len(own) < len(chosen) - 1 <= mutants.QUICK / 0.1


def test_tests_of_a_rare_branch_run_first() -> None:
    """A condition that is wrong shows where the branch is taken that few tests reach, in whichever package they are."""
    known = {f"tests/core/test_words.py::test_{number}" for number in range(500)}
    rare = "tests/hub/test_update.py::test_rare"
    line = next(
        number for number, text in enumerate(_MODULE.read_text().splitlines(), 1) if text.startswith("    return ")
    )
    fault = Fault(_MODULE, line, "nothing", 0, 0, b"")
    quick = mutants.Reached(seconds=dict.fromkeys({*known, rare}, 1.0))
    quick.lines["plugin/holdfast/core/words.py", line] = {*known, rare}
    quick.lines["plugin/holdfast/core/words.py", line - 1] = {rare}
    assert mutants.tests_of(fault, {"quick": quick, "slow": mutants.Reached()})[0][0] == rare


@pytest.mark.nightly
def test_what_a_test_reaches_includes_its_fixtures(copy: Path, tmp_path: Path) -> None:
    """A test that fails without a fault is not among them."""
    (copy / "tests/test_fixtures.py").write_text(_FIXTURES)
    reached = mutants.reach(tmp_path / "quick", copy, "not slow", ["tests/test_fixtures.py"])
    assert reached.failed == {"tests/test_fixtures.py::test_bad"}
    assert set(reached.seconds) == {"tests/test_fixtures.py::test_bad", "tests/test_fixtures.py::test_made"}
    line = _MODULE.read_text().partition("    return ")[0].count("\n") + 1
    assert reached.of(Fault(_MODULE, line, "nothing", 0, 0, b"")) == {"tests/test_fixtures.py::test_made"}


@pytest.mark.nightly
def test_what_a_test_reaches_includes_its_processes(copy: Path, tmp_path: Path) -> None:
    """A hook that runs as a process of its own is measured, and belongs to the test that started it.

    One that is killed may leave an empty file.
    """
    (copy / "tests/test_process.py").write_text(_PROCESS)
    reached = mutants.reach(tmp_path / "quick", copy, "not slow", ["tests/test_process.py"])
    assert reached.modules["plugin/holdfast/hooks/session_start.py"] == {"tests/test_process.py::test_typed"}


@pytest.mark.nightly
@pytest.mark.parametrize(("fault", "noticed"), [(_NOTHING, False), (_BROKEN, True), (_OF_NO_TYPE, True)])
def test_only_a_fault_is_noticed(copy: Path, fault: Fault, *, noticed: bool) -> None:
    """A test that passes without the fault notices only the fault; so do the types."""
    assert mutants.is_noticed(copy, fault, ["tests/test_here.py"], 1) is noticed
