"""The drift of one session, measured and stored: what each settle leaves for the reminder and for a compaction."""

import os

from holdfast.context.drift import report
from holdfast.core import files
from holdfast.journal import log
from holdfast.sessions import drift_record
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sessions.drift_record import DriftRecord


def store(workspace: Workspace, ident: str) -> None:
    """Measure how far a session's state file is behind, and store that; nothing is stored for an ended session.

    A stored measurement that still holds is left as it is.
    """
    project = workspace.project
    known = workspace.drift(ident)
    if known and drift_record.is_current(known, project, ident):
        return
    record = measure(workspace, ident)
    if record:
        workspace.keep_drift(ident, record)
    elif known:
        drift_record.remove(project.store, ident)


def measure(workspace: Workspace, ident: str) -> "DriftRecord | None":
    """Return how far a session's state file is behind now.

    None where it cannot be measured or does not matter: the session has no state file of its own, the file is of an
    unknown format or came from elsewhere, or the session has ended.
    """
    project = workspace.project
    # Before the journal is read: a fact that comes meanwhile makes the record outdated, and is not lost.
    journal = files.size_of(log.path_of(project.store, ident))
    session = workspace.session(ident)
    if session is None or not session.state or session.ended or session.shared or not session.summary:
        return None
    if clone.TrustCheck().untrusted([session.state]):
        return None
    state, moves = files.signature_of(session.state), drift_record.moves_of(session.worktree)
    try:
        found = report.look(session, workspace, own=ident, calls=False)
    except OSError:  # it has just gone
        return None
    if found.problem:
        return None
    return {
        "path": session.state,
        "state": state,
        "journal": journal,
        "moves": moves,
        "tree": session.worktree,
        "at": workspace.now,
        "since": found.since,
        "writer": found.writer,
        "points": found.points,
        "severity": found.severity,
        "gone": [path for path in session.inside() if not os.path.lexists(f"{session.worktree}/{path}")],
        "items": [item.row() for item in found.items],
    }
