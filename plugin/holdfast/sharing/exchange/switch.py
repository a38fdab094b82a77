"""Switches sharing on and off, and removes what was sent."""

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
    """Remove everything that sharing keeps here; return what was recorded. HoldfastError when it is off."""
    sharing = require_on(project)
    with lock.hold(status.folder(project.store)):
        objects.delete(project.root, project.common, _own(project, sharing))
        if _own(project, sharing):
            raise HoldfastError(f"git did not delete the refs in {sharing.tracking}. Type: git for-each-ref")
        machine.release(project)
        file_touches.forget_elsewhere(project.store)
        shutil.rmtree(status.folder(project.store), ignore_errors=True)
    return sharing


def _own(project: Project, sharing: Sharing) -> list[str]:
    """Return all refs here that belong to sharing."""
    folders = (sharing.tracking, sharing.ref)
    return [ref for folder in folders for ref in objects.refs(project.root, folder)]


def forget(project: Project) -> Sharing:
    """Remove what this clone sent from the remote, then switch sharing off; HoldfastError."""
    sharing = require_on(project)
    with lock.hold(status.folder(project.store)):
        try:
            for ref in _sent(project, sharing):
                remotes.push(project.root, sharing.remote, f":{ref}")
            left = _sent(project, sharing)
        except RemoteError as error:
            raise HoldfastError(f"{sharing.remote} did not remove it, and sharing stays on: {error}") from None
    if left:
        raise HoldfastError(f"{sharing.remote} still has {left[0]}, and sharing stays on. Ask who keeps it.")
    return turn_off(project)


def _sent(project: Project, sharing: Sharing) -> list[str]:
    """Return the refs of this clone that the remote has; RemoteError."""
    return [*remotes.listed(project.root, sharing.remote, sharing.ref)]


def require_on(project: Project) -> Sharing:
    """Return how sessions are shared; HoldfastError when they are not."""
    sharing = status.load(project.store)
    if sharing is None:
        raise HoldfastError("sessions are not shared here. Type: holdfast share on")
    return sharing
