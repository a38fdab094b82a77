"""Finish inactive sessions: those that are done become completed, those silent for long become paused.

Only the journal is written, so that a clean working tree stays clean; `holdfast finish` and `holdfast sweep` write the
state files, too.
"""

import os

from holdfast.actions import hand_over
from holdfast.context.checklist import unfinished
from holdfast.context.handover import document
from holdfast.context.handover.document import Handover
from holdfast.context.short_lists import counted
from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of
from holdfast.formats.format import AHEAD
from holdfast.git import queries
from holdfast.journal import log
from holdfast.project import paths
from holdfast.sessions.candidates import Hit
from holdfast.sessions.session import Session
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import ledger

_MOST = 20  # sessions that one settle measures
_FOLDER = "/handovers/"  # in the store, by session id


def silent_ones(survey: Survey) -> dict[str, str]:
    """Finish the sessions that are due for it; return the new status of each, by id."""
    workspace = survey.workspace
    due = [one for one in survey.sessions if one.journaled and not one.shared and one.may_be_finished(workspace.now)]
    untrusted = ledger.TrustCheck(workspace.cache).untrusted([one.state for one in due if one.state])
    done: dict[str, str] = {}
    for session in [one for one in due if one.state not in untrusted][:_MOST]:
        evidence, silent = _evidence(workspace, session), workspace.now - session.last_active
        if evidence:
            done[session.id] = _journal(workspace, session, "completed", evidence)
        elif session.is_given_up(workspace.settings, workspace.now):
            reason = f"not done, and silent for {clock.duration(silent)}"
            _keep_hand_over(survey, session)
            done[session.id] = _journal(workspace, session, "paused", reason)
    return done


def handed_over(workspace: Workspace, session: Session) -> Handover | None:
    """Return the hand-over that was kept when a session was paused after its silence, None while it is not paused."""
    if not session.journaled or session.swept != "paused":
        return None
    path = workspace.project.store + _FOLDER + session.id
    return document.read(path, workspace.project.root, workspace.formats)


def _evidence(workspace: Workspace, session: Session) -> str:
    """Return what shows that the work of a session is done, "" if it is not or that is unknown."""
    summary = session.summary
    if session.unfinished() or session.running() or any(summary.get(part) for part in AHEAD):
        return ""
    root = session.worktree if os.path.isdir(session.worktree) else session.root
    if not root or not paths.locate(root).git:
        return ""
    changed = workspace.ask(queries.uncommitted, root)
    if changed is None or {*session.inside()}.intersection(changed):
        return ""
    if session.state:
        measured = session.measured or _measured(workspace, session)
        if number_of(measured, "tasks_count") or number_of(measured, "children_count"):
            return ""
    silence = clock.duration(workspace.now - session.last_active)
    tasks, edited = counted(len(session.tasks), "task"), counted(len(session.inside()), "file")
    return f"{tasks}, none of them open; {edited} changed, all committed; not live; silent for {silence}"


def _measured(workspace: Workspace, session: Session) -> dict[str, object]:
    """Measure what a session left that never ended, and journal it, so that it is measured once."""
    fact = unfinished.measure(workspace, session)
    log.append(workspace.project.store, session.id, fact)
    return fact


def _journal(workspace: Workspace, session: Session, status: str, evidence: str) -> str:
    """Journal the new status of a session with its evidence, and return the status as it is read back."""
    log.append(workspace.project.store, session.id, {"kind": "swept", "standing": status, "text": evidence})
    known = workspace.session(session.id)
    return known.category if known else ""


def _keep_hand_over(survey: Survey, session: Session) -> None:
    """Keep the hand-over of a session, if that has a state file, in the store, outside of the working tree."""
    if not session.state:
        return
    try:
        data = hand_over.text(Hit(session), survey.formats, survey.workspace.now)
        files.write_private(survey.workspace.project.store + _FOLDER + session.id, data)
    except (HoldfastError, OSError):  # the hand-over only repeats the state file, so nothing is lost
        return
