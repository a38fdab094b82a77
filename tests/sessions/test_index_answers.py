"""Whatever becomes of `index.db`, every command that reports something gives the answer that it gives without it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_list_index import history
from tests.support import hooks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
COMMANDS = (
    ("list",),
    ("list", "--all"),
    ("list", "--json"),
    ("tree",),
    ("tree", "--json"),
    ("status",),
    ("status", "s0001"),
    ("show", "s0002", "--json"),
    ("resume",),
    ("brief",),
    ("brief", "--all"),
    ("log",),
    ("log", "--json"),
    ("search", "exporter"),
    ("search", "--json", "exporter"),
    ("stats", "--json"),
    ("checklist", "s0001"),
    ("sweep",),
    ("events", "--json"),
    ("validate", "--json"),
)


def answers(project: Project) -> dict[str, tuple[int, str, str]]:
    """Return what each command answers; the index stays as the commands before leave it."""
    given = {" ".join(words): project.cli(*words) for words in COMMANDS}
    return {words: (one.code, one.out, one.err) for words, one in given.items()}


@contextmanager
def _locked(store: Path) -> Iterator[None]:
    """Let another connection have it for as long as the commands run."""
    with closing(sqlite3.connect(store / "index.db", isolation_level=None)) as base:
        base.execute("begin exclusive")
        yield


def _deleted(store: Path) -> AbstractContextManager[None]:
    (store / "index.db").unlink()
    return nullcontext()


def _noise(store: Path) -> AbstractContextManager[None]:
    (store / "index.db").write_bytes(os.urandom(40_000))
    return nullcontext()


def _older(store: Path) -> AbstractContextManager[None]:
    """Put the one back that was there before the last sessions worked, as a backup does."""
    shutil.copy2(store / "earlier.db", store / "index.db")
    return nullcontext()


@pytest.mark.slow
@pytest.mark.parametrize("damage", [_deleted, _noise, _locked, _older])
def test_no_damage_to_the_index_changes_an_answer(
    prepared: Project, damage: Callable[[Path], AbstractContextManager[None]]
) -> None:
    """Twice, because the first commands make a new one."""
    history(prepared)
    prepared.cli("list")
    shutil.copy2(prepared.store / "index.db", prepared.store / "earlier.db")
    asked = {"kind": "prompt", "text": "Write the exporter"}
    done = {"kind": "answer", "text": "The exporter is half done."}
    prepared.remember("new1", {"kind": "start", "pid": 0}, asked, {"kind": "edit", "path": "a.txt"}, done)
    prepared.remember("s0002", asked, {"kind": "edit", "path": "b.txt"})
    prepared.cli("settle")
    before = answers(prepared)
    assert [words for words, one in before.items() if one[0]] == []
    with damage(prepared.store):
        assert answers(prepared) == before
        assert answers(prepared) == before
