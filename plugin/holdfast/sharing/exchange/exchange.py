"""One exchange with the remote: what is new here is sent, and what is new there is fetched. Never in a hook itself."""

import hashlib
import time
from dataclasses import dataclass

from holdfast.core import lock
from holdfast.core.errors import HoldfastError
from holdfast.git import objects, remotes
from holdfast.git.remotes import RemoteError
from holdfast.project import error_log
from holdfast.sessions import survey as sessions
from holdfast.sharing import content, known_machines, machine, own_ref, reading, status
from holdfast.sharing.reading import Machine, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace
    from holdfast.sharing.status import Sharing

_WAIT = 60.0  # seconds for another exchange of this clone
_TRIES = 3
_MOST_MACHINES = 5000
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


def when_due(workspace: "Workspace", *, ended: bool = False) -> None:
    """Do in the background what is due; nothing where sharing is off, or another process is at it."""
    sharing = status.load(workspace.project.store)
    if sharing is None:
        return
    sends, fetches = status.due(sharing, time.time(), ended=ended)
    if sends or fetches:
        try:
            run(workspace, fetch=fetches, timeout=_WAIT if ended else 0.1)
        except HoldfastError:  # the other process does it
            return


def run(workspace: "Workspace", *, fetch: bool = True, timeout: float = _WAIT) -> Outcome:
    """Send what is new, and fetch what is new with `fetch`; what went wrong is recorded and in the outcome.

    HoldfastError when sharing is off, or another process exchanges for longer than `timeout` seconds.
    """
    store = workspace.project.store
    with lock.hold(status.folder(store), timeout):
        sharing = status.load(store)
        if sharing is None:
            raise HoldfastError("sessions are not shared here. Type: holdfast share on")
        outcome = Outcome()
        try:
            _exchange(workspace, sharing, outcome, fetch=fetch)
        except RemoteError as error:
            outcome.problem, outcome.away = str(error), error.away
        except (HoldfastError, OSError) as error:
            outcome.problem = str(error)
        _record(sharing, outcome)
    return outcome


def _record(sharing: "Sharing", outcome: Outcome) -> None:
    """Record how an exchange went; a new refusal is logged once, and no answer is not an error."""
    if outcome.problem and not outcome.away and outcome.problem != sharing.problem:
        error_log.record(sharing.store, "share", HoldfastError(outcome.problem))
    sharing.problem, sharing.away = outcome.problem, outcome.away
    sharing.save()


def _exchange(workspace: "Workspace", sharing: "Sharing", outcome: Outcome, *, fetch: bool) -> None:
    root, now = workspace.project.root, time.time()
    objects.unlock(workspace.project.common, (status.OWN, sharing.tracking))
    _publish(workspace, sharing, now)
    if digest(remotes.settings(root, sharing.remote)[0]) != sharing.agreed:
        raise HoldfastError(_CHANGED.format(sharing.remote, sharing.remote))
    there = remotes.listed(root, sharing.remote, status.OWN + "*")
    for _ in range(_TRIES):
        if _send(root, sharing, there.get(sharing.ref, "")):
            outcome.sent = True
            break
        _split(workspace, sharing, now)
        outcome.split = True
    sharing.sent = now
    if not outcome.sent:
        raise HoldfastError("other machines took each new id of this one. Type: holdfast share now")
    if fetch:
        outcome.machines = _receive(workspace.project, sharing, there, now)
        sharing.fetched = now


def _publish(workspace: "Workspace", sharing: "Sharing", now: float) -> None:
    """Add to the own ref what is new here. Without the network this is all that happens."""
    found = sessions.survey(workspace, guarded=True)
    texts = content.of_survey(found)
    live = any(session.live and session.journaled for session in found.sessions)
    due = live and now - sharing.sent >= status.SEND_EVERY
    keep_days = workspace.settings.keep_days
    own_ref.publish(workspace.project.root, sharing, texts, now, keep_days=keep_days, anyway=due)


def _send(root: str, sharing: "Sharing", there: str) -> bool:
    """Bring the own ref to the remote; return False when another machine writes the same ref. RemoteError."""
    here = objects.refs(root, sharing.ref).get(sharing.ref, "")
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


def _receive(project: "Project", sharing: "Sharing", there: dict[str, str], now: float) -> int:
    """Fetch what is new of the other machines, and read it; return how many there are."""
    root = project.root
    requested = {ident: name for ref, name in there.items() if (ident := reading.is_machine(ref))}
    requested.pop(sharing.machine, None)
    requested = dict(sorted(requested.items())[:_MOST_MACHINES])
    here = {reading.is_machine(ref, sharing.tracking): name for ref, name in _tracked(root, sharing).items()}
    gone = [sharing.tracking + ident for ident in here.keys() - requested.keys() if ident]
    objects.delete(root, project.common, gone)
    new = [ident for ident, name in requested.items() if here.get(ident) != name]
    refspecs = [f"+{status.OWN}{ident}:{sharing.tracking}{ident}" for ident in new]  # a history may begin anew
    refused = remotes.fetch(root, sharing.remote, refspecs) if refspecs else ""
    sharing.notes = [f"not taken from {sharing.remote}: {refused}"] if refused else []
    return read_all(root, sharing, now)


def _tracked(root: str, sharing: "Sharing") -> dict[str, str]:
    return objects.refs(root, sharing.tracking)


def read_all(root: str, sharing: "Sharing", now: float) -> int:
    """Read the refs that were fetched and make the lists of sessions; return how many machines there are."""
    store, known = sharing.store, known_machines.machines(sharing.store)
    tips = {reading.is_machine(ref, sharing.tracking): name for ref, name in _tracked(root, sharing).items()}
    tips.pop("", None)
    for ident in known.keys() - tips.keys():
        known_machines.forget(store, ident)
    found: dict[str, Machine] = {}
    for ident, tip in tips.items():
        before = known.get(ident) or Machine(ident, "")
        if before.tip == tip:
            found[ident] = before
            continue
        try:
            found[ident] = reading.read(root, store, tip, before, (sharing.fetched, now))
        except RefusedError as error:
            sharing.notes.append(f"machine {machine.short(ident)} is left out: {error}")
            if before.tip:
                found[ident] = before
                objects.move(root, sharing.tracking + ident, before.tip, tip)
        else:
            known_machines.keep(store, found[ident])
    left_out = sum(one.left_out for one in found.values())
    if left_out:
        sharing.notes.append(f"{left_out} sessions of other machines are left out: their data has an unknown form")
    known_machines.compile_lists(root, store, found)
    return len(found)
