"""State files that follow a change of the loops: their tables, their counts, and the news in the session's own."""

import os

from holdfast import files
from holdfast.errors import HoldfastError
from holdfast.lookup import Hit
from holdfast.memory.acting import Desk, act
from holdfast.memory.step import Step
from holdfast.memory.view import LOOPS, UPDATES
from holdfast.paths import Place, within
from holdfast.session import Session
from holdfast.sessions import Survey

_TITLES = (LOOPS.encode(), UPDATES.encode())


def follow(place: Place, survey: Survey, news: tuple[str, str], now: float) -> list[str]:
    """Bring the state files of a working tree up to date with its loops; `news` are a session and what it hears.

    Return why one of them could not be, for each such.
    """
    own, line = news
    problems = []
    for session in survey.sessions:
        if not _concerned(session, place.root):
            continue
        step = Step("", [line] if session.id == own and line else [])
        try:
            act(Desk(place, Hit(session), survey, now), step.taken)
        except HoldfastError as error:
            problems.append(f"{session.state_name} does not follow: {error}")
    return problems


def _concerned(session: Session, root: str) -> bool:
    """Whether a session's work is not over and its state file, in this working tree, has a section to be kept."""
    if not session.open or not session.state or not os.path.isfile(session.state) or not within(session.state, root):
        return False
    try:
        data = files.read(session.state)
    except OSError:
        return False
    return any(title in data for title in _TITLES)
