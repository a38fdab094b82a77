"""Switches sharing on and off, and removes what was sent."""

import contextlib
import shutil

from holdfast.core import lock
from holdfast.core.errors import HoldfastError
from holdfast.git import objects, remotes
from holdfast.git.remotes import RemoteError
from holdfast.journal import file_touches
from holdfast.project.paths import Project
from holdfast.sharing import machine, status
from holdfast.sharing.exchange import exchange
from holdfast.sharing.status import Sharing
from holdfast.trust import safe

_DEFAULT = "origin"


def choose(project: Project, remote: str) -> str:
    """Return the remote that is meant: by default `origin`, else the only one. HoldfastError names those there are."""
    if not project.git or not project.root or not project.store:
        raise HoldfastError("sessions are shared through git, and this is not a working tree of git. Type: git init")
    known = remotes.names(project.root)
    chosen = remote or (_DEFAULT if _DEFAULT in known else known[0] if len(known) == 1 else "")
    if chosen in known:
        return chosen
    if not known:
        raise HoldfastError("this repository has no remote. Add one: git remote add origin ADDRESS")
    raise HoldfastError(f"which remote is meant? Type one of them: holdfast share on {' | '.join(known)}")


def turn_on(project: Project, remote: str) -> Sharing:
    """Record that sessions are shared with a remote, whose present settings the user agrees to; HoldfastError, OSError.

    Without a second call, nothing is sent yet.
    """
    before = status.load(project.store)
    if before and before.remote != remote:
        raise HoldfastError(f"sessions are shared with {before.remote} already. End that first: holdfast share off")
    with lock.hold(status.folder(project.store)):
        agreed = exchange.digest(remotes.settings(project.root, remote)[0])
        sharing = before or Sharing(project.store, remote, machine.claim(project), agreed)
        sharing.agreed = agreed
        sharing.save()
    return sharing


def turn_off(project: Project) -> Sharing:
    """Remove everything that sharing keeps here; return what was recorded. HoldfastError when it is off.

    What stays is the list of refs that the remote has, so that `forget` can remove them later.
    """
    sharing = require_on(project)
    folder = status.folder(project.store)
    with lock.hold(folder), lock.hold(f"{folder}/receiving"):
        objects.delete(project.root, project.common, _own(project, sharing))
        if _own(project, sharing):
            raise HoldfastError(f"git did not delete the refs in {sharing.tracking}. Type: git for-each-ref")
        machine.release(project)
        file_touches.forget_elsewhere(project.store)
        shutil.rmtree(folder, ignore_errors=True)
    return sharing


def _own(project: Project, sharing: Sharing) -> list[str]:
    """Return all refs here that belong to sharing."""
    folders = (sharing.tracking, sharing.ref)
    return [ref for folder in folders for ref in objects.refs(project.root, folder)]


def forget(project: Project) -> str:
    """Remove all that this clone ever sent from the remote, then switch sharing off; return the name of the remote.

    HoldfastError where nothing was sent, or the remote keeps something.
    """
    require_sent(project)
    sharing = status.load(project.store)
    remote, refs = status.sent_refs(project.store)
    remote = sharing.remote if sharing else remote
    refs = sorted({*refs, *([sharing.ref] if sharing else [])})
    with lock.hold(status.folder(project.store)) if sharing else contextlib.nullcontext():
        try:
            for ref in _left(project, remote, refs):
                remotes.push(project.root, remote, f":{ref}")
            left = _left(project, remote, refs)
        except RemoteError as error:
            reason = safe.line(str(error))
            raise HoldfastError(f"{remote} did not remove it, and nothing changed here: {reason}") from None
    if left:
        raise HoldfastError(f"{remote} still has {left[0]}, and nothing changed here. Ask who keeps it.")
    status.forget_sent(project.store)
    if sharing:
        turn_off(project)
    return remote


def _left(project: Project, remote: str, refs: list[str]) -> list[str]:
    """Return those of the refs that the remote has; RemoteError."""
    listed = remotes.listed(project.root, remote, status.OWN + "*")
    return [ref for ref in refs if ref in listed]


def require_sent(project: Project) -> None:
    """HoldfastError where sessions are not shared and nothing was sent before."""
    if not status.is_on(project.store) and not status.sent_refs(project.store)[1]:
        raise HoldfastError("nothing was sent from here. To share sessions type: holdfast share on")


def require_on(project: Project) -> Sharing:
    """Return how sessions are shared; HoldfastError when they are not."""
    sharing = status.load(project.store)
    if sharing is None:
        raise HoldfastError("sessions are not shared here. Type: holdfast share on")
    return sharing
