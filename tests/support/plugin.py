"""The plugin as a client runs it: a copy of what git knows, and the dependency folder, each made once a test run."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from holdfast.project import background

from . import covered
from .hooks import is_due, running
from .machine import PYTHON, clone
from .packages import lend

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SETTLE_LIMIT = 30.0

Fact = dict[str, Any]


@pytest.fixture(scope="session")
def plugin_copy(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Give a copy of the plugin in a folder named by a version, as in a client's cache."""
    return _once(_shared(tmp_path_factory, worker_id) / "cache" / "9.9.9", clone)


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Give a plugin data folder with the packages, as `holdfast deps` leaves it; to be handed on as HOLDFAST_DATA.

    They are those that the tests run with: the lock names them. The tests of `holdfast deps` build them with pip.
    """

    def link(folder: Path) -> None:
        lend(folder)
        (folder / "python").write_text(f"{PYTHON}\n")
        covered.remember(folder)

    return _once(_shared(tmp_path_factory, worker_id) / "data", link)


def _shared(factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return the folder that all workers of a run share."""
    base = factory.getbasetemp()
    return base if worker_id == "master" else base.parent


def _once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Make a folder unless another worker has."""
    done = folder.parent / f"{folder.name}.done"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not done.exists():
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def store_of(project: Path) -> Path:
    """Return where the journals of a git repository lie."""
    return project / ".git" / "holdfast"


def facts(project: Path, session: str, kind: str = "") -> list[Fact]:
    """Return the facts of a session, all or of one kind, oldest first."""
    journal = store_of(project) / "journal" / f"{session}.jsonl"
    lines = journal.read_text().splitlines() if journal.exists() else []
    return [fact for fact in map(json.loads, lines) if fact["kind"] == kind or not kind]


def settled(project: Path, session: str) -> list[Fact]:
    """Wait until no settle has anything to write of a session any more, and return all its facts.

    A settle writes the hub last, so its process has ended, too.
    """
    end = time.monotonic() + SETTLE_LIMIT
    while time.monotonic() < end:
        known = facts(project, session)
        done = bool(known) and not is_due(project, session, known)
        asked = background.waiting_requests(str(project / ".git/holdfast"))  # between two processes none runs
        if done and not asked and not any(str(project) in line and "settle" in line for line in running().values()):
            return known
        time.sleep(0.05)
    message = f"not settled after {SETTLE_LIMIT:.0f} s: {facts(project, session)}"
    raise TimeoutError(message)


def state_files(project: Path) -> list[Path]:
    """Return the project's state files, oldest name first."""
    return sorted([*(project / ".agents/sessions").glob("*.md"), *(project / ".project/sessions").glob("*/STATE.md")])
