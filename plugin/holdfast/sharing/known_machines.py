"""What is kept of each other machine, and the lists of sessions that are made of it."""

import os
import time

from holdfast.core import fast_json, files
from holdfast.core.fast_json import number_of, text_of
from holdfast.journal import file_touches
from holdfast.project import ids
from holdfast.sharing import machine, own_ref, people, rows, status
from holdfast.sharing.reading import Machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.sharing.rows import Row
    from holdfast.sharing.status import Sharing

    Claims = dict[str, tuple[float, str]]  # by the id of a session: when it was taken, and the id of the machine

_MOST = 5000  # sessions in the list of all
_MOST_OPEN = 40  # sessions in the list of open ones
_NOTED = 86_400.0  # seconds: hooks learn of files that were changed later than that


def machines(store: str) -> dict[str, Machine]:
    """Return what is kept of each machine, by its id."""
    folder = f"{status.folder(store)}/machines"
    try:
        names = [name for name in os.listdir(folder) if machine.is_ident(name)]
    except OSError:
        return {}
    return {name: _machine(name, fast_json.read_object(f"{folder}/{name}")) for name in names}


def _machine(ident: str, row: "dict[str, object]") -> Machine:
    found = Machine(ident, text_of(row, "tip"))
    if row.get("format") != own_ref.FORMAT:
        return Machine(ident, "")
    for key in ("key", "name", "email", "host", "refused", "reason"):
        setattr(found, key, text_of(row, key))
    found.contact, found.made = number_of(row, "contact"), number_of(row, "made")
    found.sequence, found.left_out = int(number_of(row, "sequence")), int(number_of(row, "left_out"))
    found.skipped, found.full = int(number_of(row, "skipped")), row.get("full") is True
    taken, months = row.get("taken"), row.get("months")
    found.taken = taken if isinstance(taken, dict) else {}
    found.numbers = ids.clean(row.get("numbers"))
    found.months = {key: (tree, of) for key, (tree, of) in months.items()} if isinstance(months, dict) else {}
    return found


def keep(store: str, found: Machine) -> None:
    """Store what was read of a machine; OSError."""
    row = {name: getattr(found, name) for name in Machine.__slots__ if name not in {"id", "months"}}
    row |= {"months": {key: [*value] for key, value in found.months.items()}, "format": own_ref.FORMAT}
    files.write_private(f"{status.folder(store)}/machines/{found.id}", fast_json.dumps(row).encode(), durable=False)


def forget(store: str, gone: Machine) -> None:
    """Remove what is kept of a machine; of a trusted one it stays how far it was read, so that no old ref is news."""
    files.unlink_quietly(f"{status.folder(store)}/machines/{gone.id}")
    if gone.full:
        gone.tip, gone.months, gone.taken = "", {}, {}
        keep(store, gone)


def compile_lists(root: str, store: str, known: dict[str, Machine]) -> None:
    """Make the two lists anew, by what is trusted now; note which files and ids others change and use; OSError."""
    persons = _persons(root, store, known)
    known = {ident: each for ident, each in known.items() if each.tip}
    persons = {ident: name for ident, name in persons.items() if ident in known}
    taken = _last_claims(status.load(store), [known[ident] for ident in persons])
    who = {ident: f"{persons[by]} on {known[by].host}" for ident, (_, by) in taken.items()}
    found = _one_row_each((row for each in known.values() for row in _rows(each, persons.get(each.id, ""))), taken)
    listed = sorted(found, key=lambda row: (not row["trusted"], row["lag"] - row["contact"], row["id"]))
    for row in listed:
        row["taken"] = "" if _is_holder(taken, row) else who.get(rows.work(row), "")
    going = [row for row in listed if row["status"] != "completed"]
    claims = {ident: [when, who[ident]] for ident, (when, _) in taken.items()}
    for name, chosen in (("all", listed[:_MOST]), ("open", going[:_MOST_OPEN])):
        text = fast_json.dumps({"rows": chosen, "taken": claims})
        files.write_private(f"{status.folder(store)}/{name}", text.encode(), durable=False)
    ids.reserve(store, [known[ident].numbers for ident in persons])
    _note_files(store, going[:_MOST_OPEN], time.time())


def _persons(root: str, store: str, known: dict[str, Machine]) -> dict[str, str]:
    """Return whose machines the trusted ones are: id -> name."""
    own, trusted = people.own_prints(root), people.trusted(store)
    own_name = people.own_name(root) if own else ""
    marks = {ident: people.fingerprint(each.key) for ident, each in known.items()}
    names = {mark: person["name"] for mark, person in trusted.items()} | dict.fromkeys(own, own_name)
    return {ident: names[mark] for ident, mark in marks.items() if mark in names}


def _last_claims(sharing: "Sharing | None", trusted: "Iterable[Machine]") -> "Claims":
    """Return when and on which machine each session was taken last, unless that was here.

    A machine claims later than every claim that it knows (`others.next_claim`), so the latest counts and clocks need
    not agree. Of two equal times the one with the larger id counts, so that all machines decide alike.
    """
    here = {ident: (when, sharing.machine) for ident, when in sharing.taken.items()} if sharing else {}
    claims = dict(here)
    for each in trusted:
        for ident, when in each.taken.items():
            claims[ident] = max(claims.get(ident, (0.0, "")), (when, each.id))
    return {ident: claim for ident, claim in claims.items() if claim != here.get(ident)}


def _note_files(store: str, going: "Iterable[Row]", now: float) -> None:
    """Note which files live sessions of trusted people changed, where the hook before an edit reads it."""
    for row in going:
        for path, at in row["files"].items() if row["trusted"] and row["live"] else ():
            age = rows.unchanged_for(row, path, now)
            if at and age <= _NOTED:
                file_touches.record_elsewhere(store, path, row["id"], now - age, at)


def _one_row_each(found: "Iterable[Row]", taken: "Claims") -> "Iterable[Row]":
    """Return one row for each work: of several machines the one that took it last counts, else the last active."""
    best: dict[str, tuple[tuple[bool, bool, float, str], Row]] = {}
    for row in found:
        order, work = (row["trusted"], _is_holder(taken, row), row["heard"], row["machine"]), rows.work(row)
        if work not in best or order > best[work][0]:
            best[work] = order, row
    return [row for _, row in best.values()]


def _is_holder(taken: "Claims", row: "Row") -> bool:
    return taken.get(rows.work(row), (0.0, ""))[1] == row["machine"]


def _rows(found: Machine, person: str) -> "Iterable[Row]":
    """Yield the rows of a machine, reduced unless a trusted person signed them."""
    for _, by_id in found.months.values():
        for row in by_id.values():
            own: Row = {**row, "machine": found.id, "host": found.host, "contact": found.contact}
            own["lag"] = max(0.0, found.made - row["heard"]) if found.made else 0.0
            if person:
                own["person"], own["trusted"] = person, True
                yield own
            else:
                yield rows.reduced(own)
