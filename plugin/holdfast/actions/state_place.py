"""Where the state file of a session is when a settle begins: moved, deleted, or somewhere else in git."""

import os

from holdfast.actions import adoption
from holdfast.editing import store
from holdfast.editing.own_changes import HeldError, refuse_held
from holdfast.journal import log
from holdfast.memory import ledger
from holdfast.project import discovery, paths
from holdfast.sessions import absent
from holdfast.sessions.session import Session, look_for_state
from holdfast.sessions.workspace import Workspace


def follow(workspace: Workspace, session: Session, *, goes_on: bool) -> None:
    """Find the state file of a session where it went, and restore it if the work goes on without it.

    HeldError while git has it elsewhere, or is about to bring it back.
    """
    look_for_state(session, workspace.project)
    _follow_folder(workspace, session)
    if session.claimed and not session.state:
        refuse_held(session.claimed, missing=True)
        session.state = _moved_to(workspace, session) or restored(workspace, session, goes_on=goes_on)


def _moved_to(workspace: Workspace, session: Session) -> str:
    """Return where a state file was moved, alone or with its project, and journal it; "" when it was deleted."""
    own_store = workspace.project.store
    root = session.state_root if os.path.isdir(session.state_root) else workspace.project.root
    known = discovery.state_files(root, session.patterns).paths
    found = [path for path in known if _may_be(session, os.path.relpath(path, root))]
    found = [path for path in found if adoption.mentions(path, session.id)]
    found = [path for path in found if not {*log.sessions_of_file(own_store, path)} - {session.id}]
    if len(found) == 1:
        log.claim(own_store, session.id, found[0], by="rename")
        ledger.moved(session.claimed, found[0])
        return found[0]
    return ""


def _follow_folder(workspace: Workspace, session: Session) -> None:
    """Journal where the state file is after its folder was moved."""
    bound = log.state_file_of(workspace.project.store, session.id)
    if session.state and bound and not os.path.lexists(bound):
        log.claim(workspace.project.store, session.id, session.state, by="rename")
        ledger.moved(bound, session.state)


def restored(workspace: Workspace, session: Session, *, goes_on: bool) -> str:
    """Return the state file of unfinished work that goes on, restored where nothing else has it; "" if it stays away.

    HeldError while it is on another branch, in a stash or in another working tree: what is new waits for it.
    """
    known = workspace.session(session.id)
    if known is None or not known.open or not known.away:
        log.release(workspace.project.store, session.id)
        return ""
    copy = absent.copies(workspace.project, [session])[session.id]
    if copy.waits:
        raise HeldError(f"{session.claimed_name} is not written now: it is {copy.place}")
    if not copy.text:  # the next edit makes a new one
        log.release(workspace.project.store, session.id)
    if not (goes_on and copy.text):
        return ""
    path = absent.path_here(workspace.project, session)
    store.create(os.path.dirname(path), os.path.basename(path), copy.text)
    log.claim(workspace.project.store, session.id, path, by="restore")
    return path


def _may_be(session: Session, relative: str) -> bool:
    """Whether a file can be the session's state file after a move: it has the same name, or a path of a state file.

    Files in other places mention sessions too, such as the hub.
    """
    before = session.state_name
    own = [pattern for pattern in session.patterns if paths.matches(before, pattern)]
    return paths.folded_name(relative) == paths.folded_name(before) or paths.is_state_path(relative, own)
