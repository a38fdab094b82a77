"""State files that follow a change of the loops: their tables, counts and entries; and loops that stand only there."""

import os

from holdfast.actions.step import Step, act
from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.formats import state_file
from holdfast.memory.loops.loop import KIND, Loop
from holdfast.memory.step import Changes
from holdfast.memory.view import LOOPS, UPDATES, View, loop_rows, seen
from holdfast.project import ids
from holdfast.project.paths import Project, within
from holdfast.sessions.lookup import Hit
from holdfast.sessions.session import Session
from holdfast.sessions.survey import Survey
from holdfast.trust.ledger import TrustCheck

_TITLES = (LOOPS.encode(), UPDATES.encode())


def follow(project: Project, survey: Survey, news: tuple[str, str], now: float) -> list[str]:
    """Bring the state files of a working tree up to date with its loops.

    `news` is a session and an entry for its state file, "" for none. Return a message for each file that could not be
    brought up to date.
    """
    own, line = news
    problems = []
    for session in survey.sessions:
        if not session.open or not _has_sections(session, project.root):
            continue
        changes = Changes("", [line] if session.id == own and line else [])
        try:
            act(Step(project, Hit(session), survey, now), changes.of_view)
        except HoldfastError as error:
            problems.append(f"{session.state_name} does not follow: {error}")
    return problems


def in_tables(project: Project, survey: Survey, own: str = "") -> list[Loop]:
    """Return the loops in the tables of the working tree's state files, those of the file `own` first.

    Of two with one id the first counts. Files whose text is untrusted are left out.
    """
    sessions = [session for session in survey.sessions if _has_sections(session, project.root)]
    paths = sorted({session.state for session in sessions}, key=lambda path: (path != own, path))
    untrusted = TrustCheck(survey.cache).untrusted(paths)
    found: dict[str, Loop] = {}
    for path in paths:
        if path in untrusted:
            continue
        state = state_file.parse(files.read(path), path, survey.formats)
        if state.problem or (state.file_format and state.file_format.shared):
            continue
        for loop in _rows(View(seen(state, survey.formats))):
            found.setdefault(loop.ident, loop)
    return list(found.values())


def _rows(view: View) -> list[Loop]:
    """Return the loops of a table; rows without an id of a loop are none."""
    loops = []
    for ident, title, status, captured in (cells[:4] for cells in loop_rows(view.record)):
        if ids.parse(KIND, ident) == ident:
            loop = Loop(ident, 0, 0, 0)
            loop.title, loop.status, loop.captured = title, status.casefold() or "open", captured
            loops.append(loop)
    return loops


def _has_sections(session: Session, root: str) -> bool:
    """Whether a session has a state file in this working tree with a section that follows the loops."""
    if not session.state or not os.path.isfile(session.state) or not within(session.state, root):
        return False
    try:
        data = files.read(session.state)
    except OSError:
        return False
    return any(title in data for title in _TITLES)
