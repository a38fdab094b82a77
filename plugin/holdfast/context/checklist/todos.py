"""Find TODO and FIXME in the files that a session changed: in the lines it added, if git can tell them."""

import os
import re
import stat

from holdfast.git import queries
from holdfast.project import paths
from holdfast.sessions.session import Session
from holdfast.trust import safe

ADDED, PRESENT = "added", "present"  # what was looked at: the lines added since the session began, or whole files
_MOST = 10  # that are named
_FILES = 200
_LARGEST = 1 << 20  # bytes of a file that is looked at
_WORD = re.compile(r"\b(?:TODO|FIXME)\b")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Line = tuple[str, int, str]


class Left:
    """What was found, as `file:line: text`, the number of all, and whether only added lines were searched."""

    __slots__ = ("count", "lines", "of")

    def __init__(self, found: "list[Line]", of: str) -> None:
        lines = sorted(set(found))
        self.count = len(lines)
        self.lines = [f"{safe.line(path, 50)}:{line}: {safe.line(text, 40)}" for path, line, text in lines[:_MOST]]
        self.of = of


def left(session: Session, root: str) -> Left:
    """Return the TODO and FIXME in the files of the working tree `root` that a session changed."""
    changed = [path for path in session.inside() if not paths.is_state_path(path, session.patterns)]
    names = [path for path in changed[:_FILES] if _readable(f"{root}/{path}")]
    base = queries.head_at(root, session.started) if session.started and paths.locate(root).git else ""
    if base:
        known = queries.tracked(root, names)
        new = queries.added_lines(root, base, sorted(known))
        if new is not None:
            fresh = [line for name in names if name not in known for line in _all(root, name)]
            return Left([line for line in [*new, *fresh] if _WORD.search(line[2])], ADDED)
    return Left([line for name in names for line in _all(root, name) if _WORD.search(line[2])], PRESENT)


def _readable(path: str) -> bool:
    """Return whether a regular file of a reasonable size exists."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= _LARGEST


def _all(root: str, name: str) -> "Iterator[Line]":
    """Yield the lines of a file as (path, number, text)."""
    try:
        with open(f"{root}/{name}", encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                yield name, number, line
    except OSError:  # gone since, or not ours to read
        return
