"""One exchange with the remote, and the process that keeps exchanging. Never in a hook itself."""

import contextlib
import hashlib
import os
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from holdfast.core import lock
from holdfast.core.errors import HoldfastError
from holdfast.git import objects, remotes
from holdfast.git.remotes import RemoteError
from holdfast.journal import live, log
from holdfast.project import error_log
from holdfast.project.paths import Project
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import known_machines, machine, own_ref, people, reading, status
from holdfast.sharing.reading import LaterError, Machine, Reader, RefusedError
from holdfast.sharing.status import Sharing
from holdfast.trust import safe

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
                outcome.machines = receive(workspace.project, sharing, refs)
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
            read_all(project.root, sharing, time.time())
            sharing.save_received("", away=False)


@contextlib.contextmanager
def _noted(outcome: Outcome) -> "Iterator[None]":
    """Note in the outcome what goes wrong."""
    try:
        yield
    except (RemoteError, HoldfastError, OSError) as error:
        outcome.problem = safe.line(str(error))
        outcome.away = isinstance(error, RemoteError) and error.away


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
    survey = sessions.survey(workspace, guarded=True)
    texts = own_ref.content_of(survey)
    live = any(session.live and session.journaled for session in survey.sessions)
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


_MOST_UNTRUSTED = 500  # machines of people who are not trusted
_SECONDS = 60.0  # for fetching the refs of those
_SHOWN = 5  # notes of one kind


def receive(project: "Project", sharing: "Sharing", refs: dict[str, str]) -> int:
    """Fetch what is new of the other machines, and read it; return how many there are. RemoteError, HoldfastError.

    The caller holds the lock for it. `refs` are those that the remote has.
    """
    root, now = project.root, time.time()
    seen = hashlib.sha256("\n".join(sorted(map(" ".join, refs.items()))).encode()).hexdigest()
    if seen == sharing.seen:
        sharing.fetched = now
        return len(_tips(root, sharing))
    machines = known_machines.machines(sharing.store)
    objects.unlock(project.common, (sharing.tracking,))
    requested = {ident: name for ref, name in refs.items() if (ident := reading.is_machine(ref))}
    requested.pop(sharing.machine, None)
    order = sorted(requested, key=lambda ident: (_rank(machines.get(ident)), ident))
    trusted = [ident for ident in order if _rank(machines.get(ident)) == 0]
    others = order[len(trusted) :][:_MOST_UNTRUSTED]
    here = _tips(root, sharing)
    gone = [sharing.tracking + ident for ident in here.keys() - {*trusted, *others}]
    objects.delete(root, project.common, gone)
    refusals = {ident: one.refused for ident, one in machines.items()}
    new = {ident for ident in requested if requested[ident] not in {here.get(ident), refusals.get(ident)}}
    refused = _fetch(root, sharing, [ident for ident in trusted if ident in new], 3600.0)
    refused += _fetch(root, sharing, [ident for ident in others if ident in new], _SECONDS)
    sharing.notes = [f"not taken from {sharing.remote}: {one}" for one in refused]
    left = len(order) - len(trusted) - len(others)
    sharing.notes += [f"{left} more machines are not read: nobody trusted has signed what they send"] * bool(left)
    count = read_all(root, sharing, now)
    sharing.fetched, sharing.seen = now, "" if sharing.notes else seen
    return count


def _rank(known: Machine | None) -> int:
    """Return in which group a machine is read: trusted, signed, unknown, unsigned."""
    return 2 if known is None else 0 if known.full else 1 if known.key else 3


def _fetch(root: str, sharing: "Sharing", idents: "Iterable[str]", seconds: float) -> list[str]:
    """Fetch the refs of machines, whose histories may begin anew; return what was refused."""
    refspecs = [f"+{status.OWN}{ident}:{sharing.tracking}{ident}" for ident in idents]
    refused = remotes.fetch(root, sharing.remote, refspecs, seconds) if refspecs else ""
    return [safe.line(refused)] if refused else []


def _tips(root: str, sharing: "Sharing") -> dict[str, str]:
    """Return the commits that were fetched, by the id of the machine."""
    refs = objects.refs(root, sharing.tracking).items()
    tips = {reading.is_machine(ref, sharing.tracking): name for ref, name in refs}
    tips.pop("", None)
    return tips


def read_all(root: str, sharing: "Sharing", now: float) -> int:
    """Read the refs that were fetched and make the lists of sessions; return how many machines there are."""
    store, known, tips = sharing.store, known_machines.machines(sharing.store), _tips(root, sharing)
    for ident in known.keys() - tips.keys():
        known_machines.forget(store, known[ident])
    trusted = people.own_prints(root) | people.trusted(store).keys()
    scratch = f"{status.folder(store)}/scratch-received"
    reader = Reader(root, scratch, own_ref.project_names(root, sharing), trusted, (sharing.fetched, now))
    marks = reading.claimed(root, tips)
    machines: dict[str, Machine] = {}
    for ident in sorted(tips, key=lambda one: (marks[one] not in trusted, not marks[one], one)):
        before = known.get(ident) or Machine(ident, "")
        is_read = before.tip == tips[ident] and before.full == (people.fingerprint(before.key) in trusted)
        is_read = is_read or before.refused == tips[ident]
        machines[ident] = before if is_read else _read(root, sharing, reader, before, tips[ident])
    used = {ident: one for ident, one in machines.items() if one.tip}
    later = [ident for ident, one in machines.items() if tips[ident] not in {one.tip, one.refused}]
    sharing.notes += [
        *_notes(machines.values()),
        *([f"{len(later)} machines are read with the next fetch"] * bool(later)),
    ]
    known_machines.compile_lists(root, store, used)
    return len(used)


def _read(root: str, sharing: "Sharing", reader: Reader, before: Machine, tip: str) -> Machine:
    """Read a commit of a machine, and keep what it says; one that is not used leaves what was read before."""
    try:
        found = reader.read(tip, before)
    except LaterError:
        return before
    except RefusedError as error:
        found, found.refused, found.reason = before, tip, str(error)
        if before.tip:
            objects.move(root, sharing.tracking + before.id, before.tip, tip)
    known_machines.keep(sharing.store, found)
    return found


def _notes(collection: "Collection[Machine]") -> list[str]:
    """Return what was left out of the refs of others, and why: one line for a machine, or for all."""
    refused = [f"machine {machine.short(one.id)} is left out: {one.reason}" for one in collection if one.reason]
    notes = [*refused[:_SHOWN], *([f"{len(refused) - _SHOWN} more machines are left out"] * (len(refused) > _SHOWN))]
    left_out, skipped = sum(one.left_out for one in collection), [one for one in collection if one.skipped]
    if left_out:
        notes.append(f"{left_out} sessions of other machines are left out: their data has an unknown form")
    if skipped:
        names = ", ".join(machine.short(one.id) for one in skipped[:_SHOWN])
        notes.append(f"not all of {len(skipped)} machines is read, because it is too much: {names}")
    return notes


_TICK = 1.0  # seconds between two looks at the journals


def keep_exchanging(project: "Project") -> None:
    """Exchange what is due until no session is live and nothing was asked for; at once where another process does."""
    while _is_needed(project.store):
        held = status.keeping(project.store)
        if held is None:
            return
        try:
            _go_on(project)
        finally:
            os.close(held)


def _is_needed(store: str) -> bool:
    return status.load(store) is not None and bool(live.running(store, os.getpid()) or status.requested(store))


def _go_on(project: "Project") -> None:
    store, seen, is_news = project.store, dict[str, str](), True
    active = fetched = 0.0  # when a session last did something here, and when a fetch was last tried
    while _is_needed(store):
        now, sharing = time.time(), status.load(store)
        if sharing is None:
            return
        journals, request = log.signatures(store, live.running(store)), status.requested(store)
        if journals != seen:
            seen, active, is_news = journals, now, True
        idle = not 0 <= now - active < status.IDLE
        sends, fetches = status.due(sharing, now, at_once=request == status.AT_ONCE, idle=idle)
        sends = sends and bool(is_news or request or now - sharing.sent >= status.SIGN_EVERY)
        fetches = fetches and not 0 <= now - fetched < status.FETCH_EVERY
        fetched = now if fetches else fetched
        if sends:
            status.take_request(store)
        if sends or fetches:
            is_news = not _exchanged(project, send=sends, fetch=fetches) or (is_news and not sends)
        pause(_TICK)


def _exchanged(project: "Project", *, send: bool, fetch: bool) -> bool:
    """Exchange; return whether no other process was at it."""
    try:
        run(Workspace(project), send=send, fetch=fetch, timeout=_TICK)
    except HoldfastError:
        return False
    return True


pause = time.sleep
