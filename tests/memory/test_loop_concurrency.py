"""Many who capture loops at once, and a person with an editor: each loop has an id of its own, and none is lost."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import pytest

from holdfast.memory.loops import book
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
WRITERS = 32
PARTLY = (
    "holdfast: .agents/LOOPS.md is written and not staged: its index entry differed from the file. "
    "To stage it, type: git add .agents/LOOPS.md\n"
)


def _add(project: Project, number: int, cwd: Path | None = None, *, warning: str = "") -> str:
    """Capture a loop and return its id; the command must print this warning and no other."""
    stated = project.cli("loop", "add", f"Question {number}?", "--context", f"asked by {number}", cwd=cwd)
    assert (stated.code, stated.err) == (0, warning)
    (ident,) = re.findall(r"LOOP-[0-9]{3}", stated.out)
    return str(ident)


def _save(path: Path) -> None:
    """Be a person who adds a remark, deletes the first loop, and saves the whole file."""
    text = path.read_text()
    path.write_text(re.sub(r"<loop.*?</loop>\n\n", "", text, count=1, flags=re.DOTALL) + "\nA remark.\n")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_each_loop_has_an_id_of_its_own(prepared: Project) -> None:
    """32 processes at once, then a person saves the file, then 32 more: 64 ids, and each loop says what was asked."""
    path = prepared.root / ".agents/LOOPS.md"
    given: list[str] = []
    # What the person saved is not in the index, hence what is written on top of it is not staged either.
    for first, warning in ((0, ""), (WRITERS, PARTLY)):
        add = partial(_add, prepared, warning=warning)
        with ThreadPoolExecutor(WRITERS) as pool:
            given += pool.map(add, range(first, first + WRITERS))
        there = book.read(str(prepared.root))
        found = {loop.ident: (loop.title, loop.context) for loop in there.loops}
        reported = {ident: (f"Question {number}?", f"asked by {number}") for number, ident in enumerate(given)}
        assert len(found) == len(there.loops) == (2 * WRITERS - 1 if first else WRITERS)
        assert {ident: stated for ident, stated in reported.items() if ident in found} == found
        assert there.flaws == []
        _save(path)
    assert sorted(given) == [f"LOOP-{number:03d}" for number in range(1, 2 * WRITERS + 1)]
    assert path.read_text().count("A remark.\n") == 2
    assert prepared.log == []


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_worktrees_take_turns(prepared: Project) -> None:
    """Processes in two worktrees at once share the ids, and each worktree has the loops that were captured in it."""
    tree = prepared.folder / "tree"
    prepared.git("worktree", "add", "-q", str(tree))
    (tree / ".agents").mkdir()
    (tree / ".agents/holdfast.toml").touch()
    roots = [prepared.root, tree]
    with ThreadPoolExecutor(12) as pool:
        given = list(pool.map(lambda number: _add(prepared, number, roots[number % 2]), range(24)))
    assert sorted(given) == [f"LOOP-{number:03d}" for number in range(1, 25)]
    for number, root in enumerate(roots):
        assert {loop.ident for loop in book.read(str(root)).loops} == set(given[number::2])
