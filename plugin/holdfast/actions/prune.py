"""Prune the journals of sessions that were over long ago: each shrinks to what its summary needs."""

import os
from dataclasses import dataclass

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.journal import checkouts, log, shrink
from holdfast.sessions import resume
from holdfast.sessions.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_DAY = 86_400
_WORTH = 2048  # bytes; a smaller journal stays as it is
_END = 256  # bytes that show whether a journal was pruned before
_STAMP = "/pruned"  # its time is that of the latest automatic pruning


@dataclass(slots=True, frozen=True)
class Pruned:
    """A journal that was pruned, or would be: the session's id, and its bytes before and after."""

    ident: str
    before: int
    after: int

    def row(self) -> "dict[str, object]":
        """Return it as JSON values."""
        return {"id": self.ident, "before": self.before, "after": self.after}


def prune(
    workspace: Workspace, shown: "Callable[[list[str]], Iterable[str]]" = iter, *, dry: bool = False
) -> list[Pruned]:
    """Prune the journals that are due, and return them with their sizes as read back; with `dry` nothing is written.

    `shown` shows the progress. HoldfastError or OSError if the lock is held or a journal cannot be replaced.
    """
    days, project = workspace.settings.keep_days, workspace.project
    if not days or not project.store:
        return []
    due = [ident for ident in log.sessions(project.store) if _is_due(workspace, ident, workspace.now - days * _DAY)]
    pruned = [_pruned(workspace, ident, dry=dry) for ident in shown(due)]
    return [one for one in pruned if one]


def daily(workspace: Workspace) -> list[Pruned]:
    """Prune if that was last done more than a day ago. A journal that cannot be replaced stops it for that day."""
    stamp = workspace.project.store + _STAMP
    try:
        if os.stat(stamp).st_mtime > workspace.now - _DAY:
            return []
    except OSError:
        pass
    try:
        files.write_private(stamp, b"", durable=False)
        _forget_killed(workspace)
        workspace.cache.tidy()
        return prune(workspace)
    except (HoldfastError, OSError):
        return []


def _forget_killed(workspace: Workspace) -> None:
    """Remove the record of the checked-out branch for each session that was killed."""
    store = workspace.project.store
    for ident in checkouts.sessions(store):
        session = workspace.session(ident)
        if session is None or not session.live:
            checkouts.forget(store, ident)


def _is_due(workspace: Workspace, ident: str, before: float) -> bool:
    """Return whether a session was over before a time, has nothing to resume, and was not pruned since."""
    path = log.path_of(workspace.project.store, ident)
    try:
        status = os.stat(path)
        if status.st_mtime >= before or status.st_size < _WORTH or shrink.is_shrunk(files.tail(path, _END)):
            return False
    except OSError:
        return False
    session = workspace.session(ident)
    if session is None or session.live or session.settling.unsettled or resume.resumable([session]):
        return False
    return max(session.ended, session.last_active) < before


def _pruned(workspace: Workspace, ident: str, *, dry: bool) -> Pruned | None:
    """Prune one journal; None if that gains nothing, or if it was written to meanwhile."""
    path = log.path_of(workspace.project.store, ident)
    status = os.stat(path)
    data = files.read(path, files.OWN_LIMIT)
    facts = log.facts_in(data)
    kept = shrink.shrunk(facts)
    if len(kept) == len(facts) or len(data) != status.st_size:
        return None
    text = b"".join(log.line(fact) + b"\n" for fact in kept)
    if dry:
        return Pruned(ident, len(data), len(text))
    with store.writing(workspace.project):
        if not files.write_atomic(path, text, unchanged_since=status):
            return None
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # it still tells when the session was last active
    return Pruned(ident, len(data), os.stat(path).st_size)
