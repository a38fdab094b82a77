"""A whole settle: the sessions, the hub, and what is swept beside them. No click: hooks start it in the background.

What only few settles need is imported where it is needed.
"""

import contextlib

from holdfast.actions import late_facts, settle
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.journal import file_touches, log
from holdfast.project import background
from holdfast.project.background import Request
from holdfast.sessions import survey
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import status as sharing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.journal.session import Recorded
    from holdfast.project.paths import Project
    from holdfast.sessions.survey import Survey


def carry_out(project: "Project", lock: int) -> None:
    """Settle what hooks asked for, in one settle; `lock` is the descriptor of the lock that this process inherited.

    What comes meanwhile is left to one process more. Raises what the settle raises.
    """
    background.adopt_lock(lock)
    names = background.waiting_requests(project.store)
    requests = background.take_requests(project.store, names)
    try:
        _carry_out(Workspace(project), requests)
    finally:
        background.go_on(project, lock, names)


def _carry_out(workspace: Workspace, requests: list[Request]) -> None:
    whole = {one.session for one in requests if not one.only_hub}
    only_hub = {one.session for one in requests if one.only_hub} - whole
    known = log.sessions(workspace.project.store)
    try:
        if "" in whole:
            settle_sessions(workspace, [])
        elif whole:
            settle_sessions(workspace, [ident for ident in known if ident in whole])
    finally:
        for one in requests:
            if one.snapshot:
                from holdfast.context.compaction import snapshots

                snapshots.complete(workspace.project.store, one.session, one.snapshot)
    if only_hub and "" not in whole:
        settle_hub(workspace, [ident for ident in known if ident in only_hub])


def before_commit(project: "Project", session: str) -> None:
    """Bring a session's state file up to date at once; what fails here is left to the settle after the turn."""
    with contextlib.suppress(ImportError, HoldfastError, OSError):
        settle.settle_each(Workspace(project), [session], talk=True)


def settle_sessions(
    workspace: Workspace, idents: list[str], shown: "Callable[[Sequence[str]], Iterable[str]]" = iter
) -> list[str]:
    """Bring state files and hub up to date with the journals of these sessions, [] for all.

    `shown` shows the progress. Return the ids of the sessions that had news; HoldfastError or OSError at the end for
    one that could not be settled.
    """
    chosen = idents or log.sessions(workspace.project.store)
    talk = bool(idents) or workspace.project.is_private
    done = settle.settle_each(workspace, chosen, talk=talk, shown=shown)
    found = _sweep(workspace)
    crashed = [one for one in found.sessions if one.crashed and not one.crash]
    for session in crashed:
        late_facts.note_crash(workspace, session, session.last_active)
    if crashed:
        settle.settle_each(workspace, [one.id for one in crashed], talk=False)
    if not idents:
        from holdfast.actions import prune

        prune.daily(workspace)
    _share(workspace, chosen)
    background.track(workspace.project)
    return done


def settle_hub(workspace: Workspace, idents: list[str]) -> bool:
    """Bring the hub up to date with these sessions, [] for all; return whether there is a hub."""
    chosen = idents or log.sessions(workspace.project.store)
    settle.keep_hub(workspace, idents, chosen)
    found = _sweep(workspace)
    _share(workspace, chosen)
    return bool(found.hub)


def _sweep(workspace: Workspace) -> "Survey":
    """Remove what is not needed any more and note what the next start shows; return the survey of all sessions."""
    file_touches.prune(workspace.project.store, workspace.now - workspace.settings.overlap_minutes * 60)
    store.sweep(workspace.project, workspace.now)
    found = survey.survey(workspace, reads=survey.LATER)
    found.note_files()
    return found


def _was_sent(workspace: Workspace, session: "Recorded") -> bool:
    from holdfast.sharing import own_ref

    shared = sharing.load(workspace.project.store)
    return shared is not None and own_ref.has(workspace.project.root, shared, own_ref.month_of(session), session.id)


def _share(workspace: Workspace, chosen: list[str]) -> None:
    """Leave it to another process to send what was settled, so that no hook waits for the network.

    The end of a session, and its first edit, are sent at once.
    """
    if sharing.is_on(workspace.project.store):
        alone = [workspace.recorded(ident) for ident in chosen] if len(chosen) == 1 else []
        at_once = any(one.ended or (one.begun and not _was_sent(workspace, one)) for one in alone)
        sharing.ask(workspace.project, at_once=at_once)
