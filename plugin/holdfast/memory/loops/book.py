"""Read LOOPS.md: its path, its loops, and what is wrong with it."""

import os

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.markdown.document import Document
from holdfast.memory.loops.loop import KIND, Loop
from holdfast.memory.loops.parsing import parse
from holdfast.project import discovery, ids
from holdfast.project.loops_location import path_of
from holdfast.trust import clone

NEW = b"""\
# Loops

The open questions of this project; `holdfast loop` adds them, and closes them
with an outcome.
"""


class Book:
    """A LOOPS.md as it was read: its loops in order, and (line, what) of what is wrong with it."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self.document = Document(data)
        self.loops, flaws = parse(self.document)
        found = sorted({*flaws, *self.document.flaws})
        self.flaws = sorted([(self.document.line(at), what) for at, what in found] + self._twice())

    @property
    def open(self) -> list[Loop]:
        """The loops that are not closed."""
        return [loop for loop in self.loops if not loop.over]

    def loop(self, requested: str) -> Loop:
        """Return the loop that `7` or `LOOP-007` names; HoldfastError when there is none, or more than one."""
        return one_of(self.loops, requested, self.path)

    def refuse(self, at: int) -> None:
        """Refuse an edit after an element, comment or fence that never closes, or with any other flaw in the file."""
        for offset, what in self.document.flaws:
            if offset < at or not what.endswith("never closes"):
                raise HoldfastError(f"{self.path}, line {self.document.line(offset)}: {what}; fix that by hand first")

    def _twice(self) -> list[tuple[int, str]]:
        """Return the lines of ids that appear twice, as after a bad merge."""
        same: dict[str, list[Loop]] = {}
        for loop in self.loops:
            same.setdefault(loop.ident, []).append(loop)
        return [(found[-1].line, _appears_twice(found)) for found in same.values() if len(found) > 1]


def one_of(loops: list[Loop], requested: str, path: str) -> Loop:
    """Return the loop of the file at `path` that `7` or `LOOP-007` names; HoldfastError without exactly one.

    An id that no loop has counts as the one that a loop had before a merge.
    """
    ident = ids.parse(KIND, requested)
    if not ident:
        raise HoldfastError(
            f"{requested!r} is not the id of a loop. Give one such as LOOP-007. Type: holdfast loop list"
        )
    found = [loop for loop in loops if loop.ident == ident] or formerly(loops, ident)
    if not found:
        known = ", ".join([loop.ident for loop in loops if not loop.over][:8]) or "none"
        raise HoldfastError(f"{path} has no {ident}. Open: {known}. Type: holdfast loop list --all")
    if len(found) > 1:
        if found[0].ident != ident:
            named = " and ".join(loop.ident for loop in found)
            raise HoldfastError(f"{path}: {ident} is {named} since merges. Give the one that you mean.")
        raise HoldfastError(f"{path}: {_appears_twice(found)}; give one of them another id")
    return found[0]


def formerly(loops: list[Loop], ident: str) -> list[Loop]:
    """Return the loops that had an id before a merge gave them another one."""
    return [loop for loop in loops if ident in loop.aliases]


def _appears_twice(found: list[Loop]) -> str:
    lines = " and ".join(str(loop.line) for loop in found)
    return f"{found[0].ident} appears {'twice' if len(found) == 2 else f'{len(found)} times'}, on lines {lines}"


def read(root: str, state: str = "") -> Book:
    """Return the loops of a working tree, for the state file at `state`; none where there is no file.

    HoldfastError for a file that cannot be read.
    """
    path = path_of(root, state)
    if not os.path.lexists(path):
        return Book(path, b"")
    refuse_odd(path)
    return Book(path, files.read(path))


def refuse_odd(path: str) -> None:
    """Refuse a link, a folder, a pipe and the like, and a file that is too large."""
    if os.path.islink(path):
        raise HoldfastError(f"{path} is a link, which is not followed. Put the file itself there.")
    if discovery.leads_out(path):
        raise HoldfastError(f"{path} leads out of the project through a link. Put the file itself there.")
    if os.path.lexists(path) and not os.path.isfile(path):
        raise HoldfastError(f"{path} is not a plain file. Move it away.")
    if os.path.lexists(path):
        _refuse_size(path, os.path.getsize(path))


def fitting(path: str, data: bytes) -> bytes:
    """Return the bytes of a file that is not too large."""
    _refuse_size(path, len(data))
    return data


def _refuse_size(path: str, size: int) -> None:
    if size > files.DOCUMENT_LIMIT:
        most = files.DOCUMENT_LIMIT >> 20
        raise HoldfastError(f"{path} would be or is larger than {most} MB. Move closed loops to a file of their own.")


def readable(root: str, state: str = "") -> Book | None:
    """Return the loops of a working tree, for the state file at `state`, if other texts may repeat them.

    None where there are none, where the file cannot be read (`loop list` says why), and where its text is untrusted.
    """
    try:
        found = read(root, state) if root else None
    except (HoldfastError, OSError):
        return None
    if not found or not found.loops:
        return None
    return None if clone.TrustCheck().untrusted([found.path]) else found


def digest(path: str) -> dict[str, object]:
    """Return the part of the loops at a path that a brief shows: id, status and title of those that are open."""
    data = files.read(path)
    found = Book(path, data).open if len(data) <= discovery.LARGEST else []
    return {"open": [[loop.ident, loop.status, loop.title] for loop in found]}
