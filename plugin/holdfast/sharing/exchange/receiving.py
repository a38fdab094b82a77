"""Fetches the refs of other machines and reads them: trusted people first, then those who sign, then the others."""

import hashlib
import time

from holdfast.git import objects, remotes
from holdfast.sharing import known_machines, machine, people, projects, reading, status
from holdfast.sharing.reading import LaterError, Machine, Reader, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from holdfast.project.paths import Project
    from holdfast.sharing.status import Sharing

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
    known = known_machines.machines(sharing.store)
    objects.unlock(project.common, (sharing.tracking,))
    requested = {ident: name for ref, name in refs.items() if (ident := reading.is_machine(ref))}
    requested.pop(sharing.machine, None)
    order = sorted(requested, key=lambda ident: (_rank(known.get(ident)), ident))
    trusted = [ident for ident in order if _rank(known.get(ident)) == 0]
    others = order[len(trusted) :][:_MOST_UNTRUSTED]
    here = _tips(root, sharing)
    gone = [sharing.tracking + ident for ident in here.keys() - {*trusted, *others}]
    objects.delete(root, project.common, gone)
    new = {ident for ident in requested if requested[ident] not in {here.get(ident), _refused(known.get(ident))}}
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


def _refused(known: Machine | None) -> str:
    return known.refused if known else ""


def _fetch(root: str, sharing: "Sharing", idents: "Iterable[str]", seconds: float) -> list[str]:
    """Fetch the refs of machines, whose histories may begin anew; return what was refused."""
    refspecs = [f"+{status.OWN}{ident}:{sharing.tracking}{ident}" for ident in idents]
    refused = remotes.fetch(root, sharing.remote, refspecs, seconds) if refspecs else ""
    return [refused] if refused else []


def _tips(root: str, sharing: "Sharing") -> dict[str, str]:
    """Return the commits that were fetched, by the id of the machine."""
    refs = objects.refs(root, sharing.tracking).items()
    found = {reading.is_machine(ref, sharing.tracking): name for ref, name in refs}
    found.pop("", None)
    return found


def read_all(root: str, sharing: "Sharing", now: float) -> int:
    """Read the refs that were fetched and make the lists of sessions; return how many machines there are."""
    store, known, tips = sharing.store, known_machines.machines(sharing.store), _tips(root, sharing)
    for ident in known.keys() - tips.keys():
        known_machines.forget(store, known[ident])
    trusted = people.own_prints(root) | people.trusted(store).keys()
    scratch = f"{status.folder(store)}/scratch-received"
    reader = Reader(root, scratch, projects.names(root, sharing), trusted, (sharing.fetched, now))
    marks = reading.claimed(root, tips)
    found: dict[str, Machine] = {}
    for ident in sorted(tips, key=lambda one: (marks[one] not in trusted, not marks[one], one)):
        before = known.get(ident) or Machine(ident, "")
        is_read = before.tip == tips[ident] and before.full == (people.fingerprint(before.key) in trusted)
        is_read = is_read or before.refused == tips[ident]
        found[ident] = before if is_read else _read(root, sharing, reader, before, tips[ident])
    used = {ident: one for ident, one in found.items() if one.tip}
    later = [ident for ident, one in found.items() if tips[ident] not in {one.tip, one.refused}]
    sharing.notes += [*_notes(found.values()), *([f"{len(later)} machines are read with the next fetch"] * bool(later))]
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


def _notes(found: "Collection[Machine]") -> list[str]:
    """Return what was left out of the refs of others, and why: one line for a machine, or for all."""
    refused = [f"machine {machine.short(one.id)} is left out: {one.reason}" for one in found if one.reason]
    notes = [*refused[:_SHOWN], *([f"{len(refused) - _SHOWN} more machines are left out"] * (len(refused) > _SHOWN))]
    left_out, skipped = sum(one.left_out for one in found), [one for one in found if one.skipped]
    if left_out:
        notes.append(f"{left_out} sessions of other machines are left out: their data has an unknown form")
    if skipped:
        names = ", ".join(machine.short(one.id) for one in skipped[:_SHOWN])
        notes.append(f"not all of {len(skipped)} machines is read, because it is too much: {names}")
    return notes
