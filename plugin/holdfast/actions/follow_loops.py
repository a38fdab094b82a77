"""What follows a change of the loops: a fact in a journal; in the state file at work its table, count and entry."""

from holdfast.actions.step import Step, act
from holdfast.core.errors import HoldfastError
from holdfast.journal import log
from holdfast.journal.payload import is_session
from holdfast.memory import loop_listing
from holdfast.memory.loops.loop import Loop
from holdfast.memory.step import Changes
from holdfast.project.paths import Project
from holdfast.trust import safe


def record(project: Project, own: str, loop: Loop) -> None:
    """Record the change of a loop in the journal of the session `own`, whose state file will mention it."""
    if is_session(own) and log.has_begun(project.store, own):
        title = safe.line(loop.title, 200)
        log.append(project.store, own, {"kind": "loop", "id": loop.ident, "status": loop.status, "title": title})


def follow(step: Step, line: str, verb: str, loop: Loop) -> str:
    """Bring the state file at work up to date with the loops; `line` is an entry for it, "" for none.

    A file without a table of loops has the loop among its own questions: `verb` is add, remove, or "" for neither.

    Other state files are not touched: each gets the loops when its own session works on. Return a message if the file
    could not be brought up to date, else "".
    """
    session = step.hit.session
    changes = Changes("", [line] if line else [])
    changes.own += [(verb, "questions", f"{loop.ident} - {safe.line(loop.title, 200)}")] if verb else []
    if not session.open or not (verb or loop_listing.has_sections(session, step.project)):
        return ""
    try:
        act(step, changes.of_view)
    except HoldfastError as error:
        return f"{session.state_name} was not updated after the loop changed: {error}"
    return ""
