"""Sessions that can be picked up again: which, how, and in which folder."""

import os

from holdfast.core import clock
from holdfast.journal.session import text_of
from holdfast.sessions.hub_entries import dated
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.sessions.survey import Survey

    Row = dict[str, object]

_TO_COME = frozenset({"tbd", "pending"})  # in the place of an id


def resumable(sessions: "Iterable[Session]") -> list[Session]:
    """Return the sessions with something to go on with: not live, not done, whether they ended, crashed or wait."""
    return [one for one in sessions if _waits(one) and (one.worked or one.prompt)]


def cleared(session: Session) -> bool:
    """Whether `/clear` ended it: the work went on in the session that followed, or is over."""
    return bool(session.ended) and session.reason == "clear"


def _waits(session: Session) -> bool:
    known = session.journaled and not session.live and not session.passed_on and not cleared(session)
    return known and session.category != "completed"


def entries(survey: "Survey") -> "list[Row]":
    """Return the hub's open entries whose sessions have no journal here."""
    hub = survey.hub_session
    found = elsewhere(hub, recorded_ids(survey.sessions) | survey.beyond) if hub else []
    return [one for one in found if not nameless(text_of(one, "id"))]


def recorded_ids(everyone: "Iterable[Session]") -> set[str]:
    """Return the ids of all sessions that have a journal here, and of their children."""
    return {ident for session in everyone if session.journaled for ident in (session.id, *session.children)}


def elsewhere(register: Session, known: set[str]) -> "list[Row]":
    """Return the entries of a register that are open and not of these sessions, the newest first.

    Of a register whose text was not accepted none is told.
    """
    found = None if register.summary.get("untrusted") else register.summary.get("entries")
    open_entries = [one for one in found if one["category"] != "completed"] if isinstance(found, list) else []
    return sorted((one for one in open_entries if one["id"] not in known), key=lambda one: -dated(one))


def nameless(ident: str) -> bool:
    """Whether what is in the place of a session's id names no session."""
    from holdfast.formats import names, placeholders

    return names.is_none(ident) or names.plain(ident) in _TO_COME or placeholders.is_placeholder(ident)


def command(session: Session, root: str = "") -> str:
    """Return the exact line that picks a session up, in the folder where its conversation was begun, "" for none.

    Where that is gone, the line is for the repository's `root`. A state file without a session is continued in any.
    """
    if not session.journaled:
        return f"holdfast continue {safe.shell(session.id)}" if session.state else ""
    # Claude Code finds a conversation from its own folder, and from any working tree of that repository.
    known = [folder for folder in (session.folder, session.root, root) if folder and os.path.isdir(folder)]
    there = f"cd {safe.shell(known[0])} && " if known else ""
    return f"{there}claude --resume {session.id}"


def homeless(session: Session) -> bool:
    """Whether the folder or the working tree that a session was at work in is no longer there."""
    return any(folder and not os.path.isdir(folder) for folder in (session.folder, session.worktree))


def about(entry: "Row", now: float) -> str:
    """Return status and age of an entry of a register."""
    at = dated(entry)
    status = safe.line(text_of(entry, "status"), 40) or "no status"
    return f"{status}, {clock.ago(now - at) if at else 'no known time'}"


def entry_row(entry: "Row", register: str) -> "Row":
    """Return one of these entries as values, in the shape of `row`."""
    at, ident = dated(entry), text_of(entry, "id")
    return {
        "id": ident,
        "title": safe.line(text_of(entry, "title"), 200),
        "status": text_of(entry, "status"),
        "presence": "no journal here",
        "branch": "",
        "state_file": register,
        "last_heard": clock.write(at) if at else "",
        "command": f"holdfast resume {safe.shell(ident)}",
    }


def row(session: Session, root: str = "") -> "Row":
    """Return one of them as values."""
    return {
        "id": session.id,
        "title": safe.line(session.title, 200),
        "status": session.status,
        "presence": session.presence,
        "branch": session.branch,
        "state_file": session.state_name,
        "last_heard": clock.write(session.last_active),
        "command": command(session, root),
    }


def model(session: Session) -> "Row":
    """Return what the journal alone tells, in the words of a state file's model."""
    return {"title": session.title, "status": session.status, "current": session.answer, "updated": session.last_active}
