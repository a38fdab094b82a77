"""One exchange with the remote: what is new here is sent, and what is new there is fetched. Never in a hook itself."""

import contextlib
import hashlib
import time
from dataclasses import dataclass

from holdfast.core import lock
from holdfast.core.errors import HoldfastError
from holdfast.git import objects, remotes
from holdfast.git.remotes import RemoteError
from holdfast.project import error_log
from holdfast.sessions import survey as sessions
from holdfast.sharing import content, machine, own_ref, status
from holdfast.sharing.exchange import receiving

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.sessions.workspace import Workspace
    from holdfast.sharing.status import Sharing

_WAIT = 60.0  # seconds for another exchange of this clone
_TRIES = 3
_CHANGED = (
    "the settings of this repository about the remote {} are not those that you agreed to. "
    "Look at them, then type: holdfast share on {}"
)


@dataclass(slots=True)
class Outcome:
    """What one exchange did: `sent` says whether the remote has what is here, `machines` how many others are known.

    `problem` says why it was not complete, "" if it was. `away`: nothing answered.
    """

    sent: bool = False
    away: bool = False
    split: bool = False
    problem: str = ""
    machines: int = 0


def digest(text: str) -> str:
    """Return the SHA-256 of the settings about a remote."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def run(workspace: "Workspace", *, send: bool = True, fetch: bool = True, timeout: float = _WAIT) -> Outcome:
    """Send what is new, and fetch what is new, each if it is asked for; what went wrong is recorded and in the outcome.

    What others sent is read under another lock than the one for sending, so that it keeps no process from that.
    HoldfastError when sharing is off, or another process exchanges for longer than `timeout` seconds.
    """
    store, outcome = workspace.project.store, Outcome()
    with lock.hold(status.folder(store), timeout):
        sharing = status.load(store)
        if sharing is None:
            raise HoldfastError("sessions are not shared here. Type: holdfast share on")
        before = sharing.problem
        with _noted(outcome):
            refs = _exchange(workspace, sharing, outcome, send=send)
        sharing.problem, sharing.away = outcome.problem, outcome.away
        sharing.save()
    if fetch and outcome.sent:
        with lock.hold(f"{status.folder(store)}/receiving", timeout):
            with _noted(outcome):
                outcome.machines = receiving.receive(workspace.project, sharing, refs)
            sharing.save_received(outcome.problem, away=outcome.away)
    if outcome.problem and not outcome.away and outcome.problem != before:
        error_log.record(store, "share", HoldfastError(outcome.problem))
    return outcome


def read_again(workspace: "Workspace") -> None:
    """Read what was fetched with what is trusted now; HoldfastError, OSError."""
    project = workspace.project
    with lock.hold(f"{status.folder(project.store)}/receiving"):
        sharing = status.load(project.store)
        if sharing:
            sharing.notes = []
            receiving.read_all(project.root, sharing, time.time())
            sharing.save_received("", away=False)


@contextlib.contextmanager
def _noted(outcome: Outcome) -> "Iterator[None]":
    """Note in the outcome what goes wrong."""
    try:
        yield
    except RemoteError as error:
        outcome.problem, outcome.away = str(error), error.away
    except (HoldfastError, OSError) as error:
        outcome.problem = str(error)


def _exchange(workspace: "Workspace", sharing: "Sharing", outcome: Outcome, *, send: bool) -> dict[str, str]:
    """Send what is new; without `send` only what an earlier exchange could not. Return the refs that the remote has."""
    root, now = workspace.project.root, time.time()
    objects.unlock(workspace.project.common, (status.OWN,))
    if send or not sharing.pushed:
        sharing.tried = now
        _publish(workspace, sharing, now)
    if digest(remotes.settings(root, sharing.remote)[0]) != sharing.agreed:
        raise HoldfastError(_CHANGED.format(sharing.remote, sharing.remote))
    refs = remotes.listed(root, sharing.remote, status.OWN + "*")
    for _ in range(_TRIES):
        if _send(root, sharing, refs.get(sharing.ref, "")):
            outcome.sent, sharing.sent = True, now if send else sharing.sent
            return refs
        _split(workspace, sharing, now)
        outcome.split = True
    raise HoldfastError("other machines took each new id of this one. Type: holdfast share now")


def _publish(workspace: "Workspace", sharing: "Sharing", now: float) -> None:
    """Add to the own ref what is new here. Without the network this is all that happens."""
    found = sessions.survey(workspace, guarded=True)
    texts = content.of_survey(found)
    live = any(session.live and session.journaled for session in found.sessions)
    due = live and now - sharing.sent >= status.SIGN_EVERY
    keep_days = workspace.settings.keep_days
    own_ref.publish(workspace.project.root, sharing, texts, now, keep_days=keep_days, anyway=due)


def _send(root: str, sharing: "Sharing", there: str) -> bool:
    """Bring the own ref to the remote; return False when another machine writes the same ref. RemoteError."""
    here = objects.refs(root, sharing.ref).get(sharing.ref, "")
    if there or sharing.pushed != here:
        status.note_sent(sharing)
    if there and there != here and not objects.is_ancestor(root, there, here):
        if there != sharing.pushed:
            return False
        here = _replace(root, sharing, here)
    elif there != here and not remotes.push(root, sharing.remote, f"{here}:{sharing.ref}"):
        return False
    sharing.pushed = here
    return True


def _replace(root: str, sharing: "Sharing", here: str) -> str:
    """Let the own ref at the remote begin anew; where that is not allowed its history goes on. Return the commit."""
    try:
        remotes.replace(root, sharing.remote, sharing.ref, sharing.pushed, here)
    except RemoteError as error:
        if error.away:
            raise
        here = own_ref.continued(root, sharing, sharing.pushed)
        remotes.push(root, sharing.remote, f"{here}:{sharing.ref}")
    return here


def _split(workspace: "Workspace", sharing: "Sharing", now: float) -> None:
    """Take a new id: the ref of the old one moved although this clone did not move it.

    Two machines were restored from one backup, or two clones began with one id. The history goes on under the new id,
    and what the other one wrote is fetched as that of another machine.
    """
    root, old = workspace.project.root, sharing.ref
    tip = objects.refs(root, old).get(old, "")
    sharing.machine, sharing.split = machine.new(), now
    sharing.save()
    objects.move(root, sharing.ref, tip, "")
    objects.delete(root, workspace.project.common, [old])
    _publish(workspace, sharing, now)
