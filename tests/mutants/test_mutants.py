"""The runner of `make mutants`: its copies have all that the tests need, and only a fault counts as one."""

from __future__ import annotations

import random
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
_TEST = """import pathlib
import subprocess

from holdfast.core import words

def test_good():
    assert words

def test_without_git():
    assert subprocess.run(["git", "rev-parse"], cwd=pathlib.Path(__file__).parent).returncode
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy as the runner makes it, with a test that fails there without any fault."""
    (made,) = mutants.copies(tmp_path_factory.mktemp("mutants"), 1)
    (made / "tests/test_here.py").write_text(_TEST)
    return made


def test_a_copy_has_the_plugin_as_git_knows_it(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fixture that copies the plugin asks git which files it has."""
    monkeypatch.setattr(machine, "ROOT", copy)
    machine.clone(tmp_path / "plugin")
    assert (tmp_path / "plugin/hooks/hooks.json").is_file()


def test_the_tests_of_its_own_package_run_first() -> None:
    """Of many tests that reach a line, no sample leaves out those that were written for it."""
    own = {f"tests/core/test_words.py::test_{number}" for number in range(5)}
    others = {f"tests/hub/test_update.py::test_{number}" for number in range(500)}
    reached = {("plugin/holdfast/core/words.py", 1): own | others}
    chosen = mutants.tests_of(_NOTHING, reached, random.Random(1))  # noqa: S311 - chooses tests only
    assert set(chosen[:5]) == own
    assert len(set(chosen)) == mutants.MOST_TESTS


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "noticed"), [(_NOTHING, False), (_BROKEN, True)])
def test_only_a_fault_is_noticed(copy: Path, fault: Fault, *, noticed: bool) -> None:
    """A test that fails anyway does not count."""
    failed = {"tests/test_here.py::test_without_git"}
    assert mutants.is_noticed(copy, fault, ["tests/test_here.py"], failed) is noticed
