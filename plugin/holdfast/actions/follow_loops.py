"""What follows a change of the loops: a fact in a journal; in state files their tables, counts and entries."""

from holdfast.actions.step import Step, act
from holdfast.core.errors import HoldfastError
from holdfast.journal import log
from holdfast.journal.payload import is_session
from holdfast.memory import loop_listing
from holdfast.memory.loops.loop import Loop
from holdfast.memory.step import Changes
from holdfast.project.paths import Project
from holdfast.sessions.candidates import Hit
from holdfast.sessions.survey import Survey
from holdfast.trust import safe


def record(project: Project, own: str, loop: Loop) -> None:
    """Record the change of a loop in the journal of the session `own`, whose state file will mention it."""
    if is_session(own) and log.has_begun(project.store, own):
        title = safe.line(loop.title, 200)
        log.append(project.store, own, {"kind": "loop", "id": loop.ident, "status": loop.status, "title": title})


def follow(project: Project, survey: Survey, news: tuple[str, str], now: float) -> list[str]:
    """Bring the state files of a working tree up to date with its loops.

    `news` is a session and an entry for its state file, "" for none. Return a message for each file that could not be
    brought up to date.
    """
    own, line = news
    problems = []
    for session in survey.sessions:
        if not session.open or not loop_listing.has_sections(session, project):
            continue
        changes = Changes("", [line] if session.id == own and line else [])
        try:
            act(Step(project, Hit(session), survey, now), changes.of_view)
        except HoldfastError as error:
            problems.append(f"{session.state_name} was not updated after the loop changed: {error}")
    return problems
