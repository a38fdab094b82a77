"""What state files say in the six sections, and the loops of a project, read through the cache: parsed once changed."""

import os
import stat

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import texts_of
from holdfast.memory.loops.elements import KIND, Loop, of_row
from holdfast.project import discovery
from holdfast.project.paths import within
from holdfast.sessions.workspace import read_as
from holdfast.trust import clone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from holdfast.formats.catalogue import Formats
    from holdfast.formats.state_file import StateFile
    from holdfast.sessions.workspace import Workspace

    class Reading(TypedDict):
        """The six sections of one state file."""

        row: dict[str, object]  # as `report.row` returns it, {} without any of the sections
        lines: list[str]  # as `report.lines` returns them
        loops: list[dict[str, object]]  # those in the table of a file that holdfast writes, as `Loop.row` returns them

    from holdfast.core.cache import Cache
    from holdfast.project.paths import Project
    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey


_MEMORY = "memory"  # under which the cache has them
NOTHING: "Reading" = {"row": {}, "lines": [], "loops": []}


def read(path: str, workspace: "Workspace") -> "Reading":
    """Return what the six sections of a state file say; nothing where it is no plain file or too large.

    OSError when the file is gone; ImportError when it must be parsed and the packages are not installed yet.
    """
    formats = workspace.formats
    return read_as(path, workspace.cache, formats, lambda state: _sections(state, formats), _MEMORY) or NOTHING


def _sections(state: "StateFile", formats: "Formats") -> "Reading":
    from holdfast.memory.view import View, listed_loops, seen

    view = View(seen(state, formats))
    kept = not state.problem and not (state.file_format and state.file_format.shared)
    loops = [loop.row() for loop in listed_loops(view.record)] if kept else []
    if not view.there:
        return {"row": {}, "lines": [], "loops": loops}
    from holdfast.formats import state_file
    from holdfast.memory import available_actions  # few state files have the six sections

    lines = available_actions.report_lines(view, state_file.summary(state))
    return {"row": available_actions.report_row(view), "lines": lines, "loops": loops}


_BOOK = "loops"  # under which the cache has them
_TITLES = (b"Active Loops", b"Recent Updates")  # the sections of a state file that follow the loops


def in_book(path: str, cache: "Cache") -> tuple[list[Loop], list[tuple[int, str]]]:
    """Return the loops of the LOOPS.md at `path`, and (line, what) of what is wrong with it; nothing without a file.

    HoldfastError for a file that cannot be read, and for an untrusted one if the output reaches Claude.
    """
    if not os.path.lexists(path):
        return [], []
    kept = stat.S_ISREG(os.lstat(path).st_mode) and not discovery.leads_out(path)
    found = cache.read(path, _book, kind=_BOOK) if kept else _book(path)
    clone.require_trusted([path])
    return [of_row(row) for row in found["loops"]], [(line, what) for line, what in found["flaws"]]  # type: ignore[attr-defined] # as `_rows` returns them


def _book(path: str) -> "dict[str, object]":
    from holdfast.memory.loops import book
    from holdfast.project import packages

    packages.activate()
    book.refuse_odd(path)
    found = book.Book(path, files.read(path))
    return {"loops": [loop.row() for loop in found.loops], "flaws": found.flaws}


def holders(survey: "Survey", ident: str) -> "list[Session]":
    """Return the sessions whose state file has an open loop in its table, or among its questions."""
    sessions = [session for session in survey.sessions if session.open and session.state]
    by_file = {one.state: one for one in sessions if _asks(one, ident) or _lists(survey, one, ident)}
    return [*by_file.values()]


def _asks(session: "Session", ident: str) -> bool:
    from holdfast.project import ids  # a start does without patterns

    pairs = (ids.split_title(KIND, text) for text in texts_of(session.summary, "questions"))
    return any(pair[0] == ident for pair in pairs if pair)


def _lists(survey: "Survey", session: "Session", ident: str) -> bool:
    if not has_sections(session, survey.workspace.project):
        return False
    return any(of_row(row).ident == ident for row in read(session.state, survey.workspace)["loops"])


def in_tables(survey: "Survey", own: str = "") -> list[Loop]:
    """Return the loops in the tables of the working tree's state files, those of the file `own` first.

    Of two with one id the first counts. Files whose text is untrusted are left out.
    """
    sessions = [session for session in survey.sessions if has_sections(session, survey.workspace.project)]
    paths = sorted({session.state for session in sessions}, key=lambda path: (path != own, path))
    rows = {path: read(path, survey.workspace)["loops"] for path in paths}
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


def still_open(survey: "Survey") -> list[list[str]]:
    """Return id, status and title of each open question of the surveyed project.

    The list is empty where the file is missing or unreadable, where its text is untrusted and the survey is guarded,
    and while the dependency folder is still being built.
    """
    path = survey.loops
    if not path or path in survey.redacted or clone.TrustCheck().untrusted([path]):
        return []
    try:
        loops, _ = in_book(path, survey.cache)
    except (HoldfastError, OSError, ImportError):
        return []
    survey.cache.save()
    return [[loop.ident, loop.status, loop.title] for loop in loops if not loop.over]
