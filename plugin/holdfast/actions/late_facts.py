"""Journal what no event brings: commits, plans that the user refused, runs of tests, and edits taken back with git."""

import time

from holdfast.core.fast_json import text_of
from holdfast.git import commits, own_commits
from holdfast.journal import file_touches, log, shell_runs, transcript
from holdfast.project import paths
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

_REASON = "said:\n"  # precedes the reason of the user in the result of a tool that was refused
_LONGEST = 500  # characters of a reason
_MOST = 20  # commits that one settle journals, the latest
_PATHS, _PATH, _SUBJECT = 30, 200, 200  # paths of a commit, characters of a path and of a subject


def note(workspace: Workspace, ident: str) -> None:
    """Journal them; OSError when the journal cannot be written."""
    session = workspace.recorded(ident)
    _note_refused(workspace, session)
    _note_commits(workspace, session)
    _note_runs(workspace, session)


def _note_runs(workspace: Workspace, session: Session) -> None:
    """Journal the runs of tests, and the edits that were taken back, which the journal does not have."""
    made = shell_runs.late(session.transcript, session.started)[-_MOST:]
    known = {text_of(fact, "id") for fact in log.said(workspace.project.store, session.id)} if made else set[str]()
    for fact in made:
        if fact["id"] not in known:
            log.append(workspace.project.store, session.id, fact)


def _note_refused(workspace: Workspace, session: Session) -> None:
    """Journal that the user refused the plan that was shown last, with the reason: only the transcript has it."""
    ident, title = session.proposed
    result = transcript.error_of(session.transcript, ident) if ident else ""
    if result:
        _, _, reason = result.partition(_REASON)
        fact = {"kind": "refused", "id": ident, "text": title, "note": safe.line(reason, _LONGEST)}
        log.append(workspace.project.store, session.id, fact)


def _note_commits(workspace: Workspace, session: Session) -> None:
    """Journal the commits since the last one that the journal has."""
    tree = paths.locate(session.worktree) if session.worktree else workspace.project
    if not tree.git or not session.started:
        return
    until = session.ended or time.time()
    made = own_commits.since(tree.git, max([session.started, *session.commits.values()]) - 1)
    new = [one for one in made if one.name not in session.commits and one.at <= until][:_MOST]
    times = {one.name: one.at for one in new}
    for commit in reversed(commits.named(tree.root, list(times)) if new else []):
        if _is_own(workspace, session, commit, made_later=times[commit.name] >= session.ran):
            log.append(workspace.project.store, session.id, _fact(commit, times[commit.name]))


def _fact(commit: commits.Commit, made: float) -> dict[str, object]:
    named = [safe.line(path, _PATH) for path in commit.files[:_PATHS]]
    subject = safe.line(commit.subject, _SUBJECT)
    return {"kind": "commit", "id": commit.name, "subject": subject, "made": made, "paths": named}


def _is_own(workspace: Workspace, session: Session, commit: commits.Commit, *, made_later: bool) -> bool:
    """Whether a commit is about this session's work: not when other sessions alone changed its files.

    Where it is no longer recorded who changed its files, it counts if it was `made_later` than the client's last start,
    or has only files of the session. Git counts whole seconds; one that was made in the second of the start has a file
    of the session.
    """
    only_own = bool(commit.files) and session.files.keys() | {session.claimed_name} >= {*commit.files}
    actors = {touch.session for path in commit.files for touch in file_touches.lines(workspace.project.store, path)}
    return session.id in actors or (not actors and (made_later or only_own))
