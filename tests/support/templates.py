"""Folders that were made once, usually by git, and are copied for each test."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class _Entry(NamedTuple):
    """A folder, or a file with its bytes."""

    name: str
    mode: int
    data: bytes | None


def put(folder: Path, make: Callable[[Path], None]) -> None:
    """Fill an empty folder with the files that `make` creates. `make` runs once per test run; its result is copied.

    git's own examples of hooks are left out.
    """
    for entry in _made(make):
        path = folder / entry.name
        if entry.data is None:
            path.mkdir(entry.mode)
        else:
            path.write_bytes(entry.data)
            path.chmod(entry.mode)


@cache
def _made(make: Callable[[Path], None]) -> list[_Entry]:
    """Return all entries of a folder that `make` filled, parents first."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder)
        found = [path for path in sorted(folder.rglob("*")) if path.suffix != ".sample"]
        return [
            _Entry(str(path.relative_to(folder)), path.stat().st_mode, None if path.is_dir() else path.read_bytes())
            for path in found
        ]
