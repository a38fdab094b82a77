"""The loops of a project as they are listed, read through the cache: a file is parsed only when it has changed."""

import os
import stat

from holdfast.core import files
from holdfast.memory import reading
from holdfast.memory.loops.loop import Loop, of_row
from holdfast.project import discovery
from holdfast.project.paths import within
from holdfast.trust import clone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.cache import Cache
    from holdfast.project.paths import Project
    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey

_KIND = "loops"  # under which the cache has them
_TITLES = (b"Active Loops", b"Recent Updates")  # the sections of a state file that follow the loops


def in_book(path: str, cache: "Cache") -> tuple[list[Loop], list[tuple[int, str]]]:
    """Return the loops of the LOOPS.md at `path`, and (line, what) of what is wrong with it; nothing without a file.

    HoldfastError for a file that cannot be read, and for an untrusted one if the output reaches Claude.
    """
    if not os.path.lexists(path):
        return [], []
    kept = stat.S_ISREG(os.lstat(path).st_mode) and not discovery.leads_out(path)
    found = cache.read(path, _rows, kind=_KIND) if kept else _rows(path)
    clone.require_trusted([path])
    return [of_row(row) for row in found["loops"]], [(line, what) for line, what in found["flaws"]]  # type: ignore[attr-defined] # as `_rows` returns them


def _rows(path: str) -> "dict[str, object]":
    from holdfast.memory.loops import book

    book.refuse_odd(path)
    found = book.Book(path, files.read(path))
    return {"loops": [loop.row() for loop in found.loops], "flaws": found.flaws}


def holders(survey: "Survey", ident: str) -> "list[Session]":
    """Return the sessions whose state file has an open loop in its table."""
    sessions = [
        session for session in survey.sessions if session.open and has_sections(session, survey.workspace.project)
    ]
    rows = [(session, reading.read(session.state, survey.workspace)["loops"]) for session in sessions]
    by_file = {one.state: one for one, loops in rows if any(of_row(row).ident == ident for row in loops)}
    return [*by_file.values()]


def in_tables(survey: "Survey", own: str = "") -> list[Loop]:
    """Return the loops in the tables of the working tree's state files, those of the file `own` first.

    Of two with one id the first counts. Files whose text is untrusted are left out.
    """
    sessions = [session for session in survey.sessions if has_sections(session, survey.workspace.project)]
    paths = sorted({session.state for session in sessions}, key=lambda path: (path != own, path))
    rows = {path: reading.read(path, survey.workspace)["loops"] for path in paths}
    untrusted = clone.TrustCheck().untrusted(paths)
    loops: dict[str, Loop] = {}
    for loop in (of_row(row) for path in paths if path not in untrusted for row in rows[path]):
        loops.setdefault(loop.ident, loop)
    return [*loops.values()]


def has_sections(session: "Session", project: "Project") -> bool:
    """Whether a session has a state file here, in the tree or private, with a section that follows the loops."""
    roots = [root for root in (project.root, project.private) if root]
    if not session.state or not os.path.isfile(session.state) or not any(within(session.state, one) for one in roots):
        return False
    try:
        data = files.read(session.state)
    except OSError:
        return False
    return any(title in data for title in _TITLES)
