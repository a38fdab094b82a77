"""The status of a session in the hub: the state of its work, and in a private hub of its process. Cheap to import."""

from holdfast.core.fast_json import table_of, text_of
from holdfast.journal.session import Child
from holdfast.sessions.session import Session


def status(session: Session) -> str:
    """Return the status of a session in the hub: "active", "completed" or, in a private hub, "paused (not running)".

    A hub in the working tree has the words of its format alone: whether a process runs is known on one machine only,
    and would change a file that was just committed.
    """
    return _work(session) if session.hub_in_tree else shown(session)


def shown(session: Session) -> str:
    """Return the status of a session with that of its process, such as "paused (not running)"."""
    word = _work(session)
    return word if session.live or word == "completed" else f"{word} ({session.presence})"


def _work(session: Session) -> str:
    """Return the status of a session's work."""
    coming = session.due and session.unsettled  # it ended before the settle that makes its state file
    left = session.state or session.gone or coming or session.reported  # there is work to continue
    over = session.ended and (session.reason == "clear" or not left)
    if over or "completed" in {session.reported, session.category}:
        return "completed"
    return session.reported or session.category or "active"


def child_status(session: Session, child: Child) -> str:
    """Return the status of a child in the hub; a child is completed with its parent, not when the parent only ends."""
    if "completed" in {child.status, session.category}:
        return "completed"
    return "active (orphaned)" if child.status == "orphaned" else "active"


def due(session: Session) -> bool:
    """Return whether the hub does not yet have the status of a session or of one of its children."""
    if not session.listed:
        return False
    known = {"": status(session), **{child.id: child_status(session, child) for child in session.children.values()}}
    return any(wrote(session, agent, "Status") != text for agent, text in known.items())


def wrote(session: Session, agent: str, field: str) -> str:
    """Return the text that holdfast wrote last into a field of the entry of a session or child; "" for none."""
    return text_of(table_of(session.wrote.get(agent, {}), "wrote"), field)
