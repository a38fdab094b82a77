"""A whole settle: the sessions, the hub, and what is swept beside them. No click: hooks start it in the background.

What only few settles need is imported where it is needed.

What no commit has is carried along when another branch is checked out, and would come into a commit there. What
holdfast itself wrote is set aside then, and put back with its branch (`follow`). Only where the work itself went along,
as its session goes on in this tree or left other files in no commit, the state file stays with it.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence

from holdfast.actions import late_facts, settle, settle_due
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.git import objects, queries
from holdfast.journal import checkouts, file_touches, log
from holdfast.journal.session import Recorded
from holdfast.project import background, paths
from holdfast.project.background import Request
from holdfast.project.paths import Project
from holdfast.sessions import status, survey
from holdfast.sessions.session import Session
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace

_MANY = 20  # rows of files that may be in no commit, before those that are in one are dropped
_MARKER = 7  # characters of a conflict marker


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


def before_commit(project: "Project", folder: str, session: str) -> None:
    """Bring a session's state file up to date at once; what fails here is left to the settle after the turn.

    What was carried from another branch stays out of the commit in `folder`. Without a session that is all.
    """
    with contextlib.suppress(ImportError, HoldfastError, OSError):
        follow(Workspace(paths.locate(folder or project.root)))
        if session and (log.has_state_file(project.store, session) or settle_due.after_turn(project, session)):
            settle.settle_each(Workspace(project), [session], talk=True)


def settle_sessions(
    workspace: Workspace, idents: list[str], shown: "Callable[[Sequence[str]], Iterable[str]]" = iter
) -> list[str]:
    """Bring state files and hub up to date with the journals of these sessions, [] for all.

    `shown` shows the progress. Return the ids of the sessions that had news; HoldfastError or OSError at the end for
    one that could not be settled.
    """
    follow(workspace)
    chosen = idents or log.sessions(workspace.project.store)
    talk = bool(idents) or workspace.project.is_private
    done = settle.settle_each(workspace, chosen, talk=talk, shown=shown)
    found = _sweep(workspace)
    crashed = [one for one in found.sessions if one.crashed and not one.crash]
    for session in crashed:
        late_facts.note_crash(workspace, session, session.last_active)
    if crashed:
        settle.settle_each(workspace, [one.id for one in crashed], talk=False)
    for session in found.sessions:
        if unsaid := status.unsaid(session):
            _say(workspace, session, unsaid)
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


def _say(workspace: Workspace, session: "Session", word: str) -> None:
    """Write the status of work into its state file, which git brought back with an older one, unless a person did."""
    from holdfast.actions import lifecycle  # few settles meet such a file
    from holdfast.context.drift.evidence import saved_by_hand
    from holdfast.sessions.candidates import Hit

    home = paths.locate(os.path.dirname(session.state))
    _, _, made = queries.last_commit(home.root, home.relative(session.state)) or ("", "", 0.0)
    saved = max(made, saved_by_hand(workspace.state_file(session.state)))
    if saved > session.chosen_at:
        log.append(workspace.project.store, session.id, {"kind": "saved", "saved": round(saved, 3)})
        return
    with contextlib.suppress(HoldfastError, OSError):  # the next settle tries again
        late_facts.note(workspace, session.id)
        lifecycle.turn(workspace, Hit(session), word)
        lifecycle.journal(workspace.project, session, word, "as it was said before")


def _was_sent(workspace: Workspace, session: "Recorded") -> bool:
    from holdfast.sharing import own_ref
    from holdfast.sharing import status as sharing

    shared = sharing.load(workspace.project.store)
    return shared is not None and own_ref.has(workspace.project.root, shared, own_ref.month_of(session), session.id)


def _share(workspace: Workspace, chosen: list[str]) -> None:
    """Leave it to another process to send what was settled, so that no hook waits for the network.

    The end of a session, and its first edit, are sent at once.
    """
    if paths.is_shared(workspace.project.store):
        from holdfast.sharing import status as sharing

        alone = [workspace.recorded(ident) for ident in chosen] if len(chosen) == 1 else []
        at_once = any(one.ended or (one.begun and not _was_sent(workspace, one)) for one in alone)
        sharing.ask(workspace.project, at_once=at_once)


def follow(workspace: Workspace) -> None:
    """Set aside what was carried from another branch, and put back what waits for the branch that is checked out."""
    project = workspace.project
    many = len(checkouts.written(project.store)) > _MANY
    if not (checkouts.moved(project) or many) or queries.busy(project.git):
        return
    with store.writing(project):
        _forget_committed(project)
        for row in checkouts.moved(project):
            with contextlib.suppress(HoldfastError, OSError):  # it stays as it is, and the next one tries again
                new = _put_back(workspace, row) if row[2] else _set_aside(workspace, row)
                checkouts.write(project.store, [row], new)
    workspace.stage()


def _forget_committed(project: "Project") -> None:
    """Drop the rows of files that are as the last commit has them."""
    rows = [row for row in checkouts.written(project.store) if project.relative(row[0]) and not row[2]]
    changed = queries.changes(project.root, [project.relative(row[0]) for row in rows]) if rows else {}
    if changed is not None:
        checkouts.write(project.store, [row for row in rows if project.relative(row[0]) not in changed], [])


def _set_aside(workspace: Workspace, row: list[str]) -> list[str]:
    """Set a state file aside that was carried here from another branch, unless it goes along; return the new row."""
    project, path = workspace.project, row[0]
    name = project.relative(path)
    along = not checkouts.exists(project, row[1]) or _work_is_here(workspace, path, name)
    if not along and store.is_own_change(path):
        base, text = queries.head_blob(project.root, name), queries.keep_object(project.root, name)
        if text and queries.restore(project.root, name):
            return [*row[:2], text, base]
    return [path, paths.branch(project), "", ""]


def _work_is_here(workspace: Workspace, path: str, name: str) -> bool:
    """Whether no session has the state file alone, or one of its sessions is live or left files that no commit has."""
    idents = log.sessions_of_file(workspace.project.store, path)
    sessions = [one for ident in idents if (one := workspace.session(ident))]
    names = {path for one in sessions for path in one.inside()} - {name}
    left = bool(names) and queries.changes(workspace.project.root, sorted(names))
    return not sessions or bool(left) or any(one.live for one in sessions)


def _put_back(workspace: Workspace, row: list[str]) -> list[str]:
    """Write a text that was set aside, merged with what its branch has got since; return the row where that fails."""
    from holdfast.editing import merge  # few texts are set aside
    from holdfast.git import refs

    project, path, kept = workspace.project, row[0], row[2]
    name, root = project.relative(path), project.root
    if queries.changes(root, [name]):
        return row
    now = queries.head_blob(root, name)
    if row[3] and not now:  # its branch deleted it
        return []
    base, ours = (refs.blob(root, one) if one else b"" for one in (row[3], now))
    text, is_clean = merge.merged(
        merge.with_agreed_keys((base, ours, refs.blob(root, kept))), _MARKER, merge.STATE_FILE
    )
    if is_clean:
        store.copy(path, text)
        workspace.stage(path, at_once=False)
        objects.delete(root, project.common, [f"{queries.KEPT}{kept}"])
    return []
