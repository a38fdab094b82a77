"""What the hub says of a session's status: where its work stands, and whether it is there. Cheap to import."""

from holdfast.session import Child, Session, text_of


def status(session: Session) -> str:
    """Return the status of a session in the hub, such as "active", "paused (ended)" or "completed"."""
    coming = session.due and session.unsettled  # its end came before the settle that makes its state file
    over = session.ended and (session.reason == "clear" or not (session.state or session.gone or coming))
    if over or session.standing == "completed":
        return "completed"
    word = session.standing or "active"
    return word if session.live else f"{word} ({session.presence})"


def child_status(session: Session, child: Child) -> str:
    """Return the status of a child in the hub; children are completed with their parent, not when that only ended."""
    if "completed" in {child.status, session.standing}:
        return "completed"
    return "active (orphaned)" if child.status == "orphaned" else "active"


def due(session: Session) -> bool:
    """Whether the hub was not told yet how a session, or one of its children, stands."""
    if not session.listed:
        return False
    known = {"": status(session), **{child.id: child_status(session, child) for child in session.children.values()}}
    return any(given(session, agent, "Status") != said for agent, said in known.items())


def given(session: Session, agent: str, field: str) -> str:
    """Return what a field of a session's entry, or of its child's, was given last, "" for nothing."""
    wrote = session.wrote.get(agent, {}).get("wrote")
    return text_of(wrote, field) if isinstance(wrote, dict) else ""
