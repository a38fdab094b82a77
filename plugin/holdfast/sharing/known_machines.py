"""What is kept of each other machine, and the lists of sessions that are made of it."""

import os
import time

from holdfast.core import fast_json, files
from holdfast.journal import file_touches
from holdfast.journal.session import number_of, text_of
from holdfast.project import ids
from holdfast.sharing import machine, people, rows, status
from holdfast.sharing.reading import Machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.sharing.rows import Row

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
    found.key, found.name, found.email, found.host = (text_of(row, key) for key in ("key", "name", "email", "host"))
    found.contact, found.made = number_of(row, "contact"), number_of(row, "made")
    found.sequence, found.left_out = int(number_of(row, "sequence")), int(number_of(row, "left_out"))
    taken, months = row.get("taken"), row.get("months")
    found.taken = taken if isinstance(taken, dict) else {}
    found.numbers = ids.clean(row.get("numbers"))
    found.months = {key: (tree, of) for key, (tree, of) in months.items()} if isinstance(months, dict) else {}
    return found


def keep(store: str, found: Machine) -> None:
    """Store what was read of a machine; OSError."""
    row = {name: getattr(found, name) for name in Machine.__slots__ if name not in {"id", "months"}}
    row["months"] = {key: [*value] for key, value in found.months.items()}
    files.write_private(f"{status.folder(store)}/machines/{found.id}", fast_json.dumps(row).encode(), durable=False)


def forget(store: str, ident: str) -> None:
    """Remove what is kept of a machine."""
    files.unlink_quietly(f"{status.folder(store)}/machines/{ident}")


def compile_lists(root: str, store: str, known: dict[str, Machine]) -> None:
    """Make the two lists anew, by what is trusted now; note which files and ids others change and use; OSError.

    A session counts as taken by who took it last. If several machines have a session, as after one was restored from a
    backup, the row that was active last counts.
    """
    own, trusted = people.own_prints(root), people.trusted(store)
    own_name = people.own_name(root) if own else ""
    sharing = status.load(store)
    taken_here = sharing.taken if sharing else {}
    found: dict[str, Row] = {}
    taken: dict[str, str] = {}
    numbers = []
    for each in known.values():
        mark = people.fingerprint(each.key)
        person = own_name if mark in own else trusted[mark]["name"] if mark in trusted else ""
        for row in _rows(each, person):
            if row["id"] not in found or _order(row) > _order(found[row["id"]]):
                found[row["id"]] = row
        numbers.append(each.numbers if person else {})
        taken |= dict.fromkeys(_later(each, taken_here), f"{person} on {each.host}") if person else {}
    listed = sorted(found.values(), key=lambda row: (row["lag"] - row["contact"], row["id"]))
    for row in listed:
        row["taken"] = taken.get(row["id"], "")
    going = [row for row in listed if row["status"] != "completed" and not row["taken"]]
    for name, chosen in (("all", listed[:_MOST]), ("open", going[:_MOST_OPEN])):
        text = fast_json.dumps({"rows": chosen, "taken": taken})
        files.write_private(f"{status.folder(store)}/{name}", text.encode(), durable=False)
    ids.reserve(store, numbers)
    _note_files(store, going[:_MOST_OPEN], time.time())


def _later(each: Machine, here: dict[str, float]) -> list[str]:
    """Return the sessions that a machine took after this one did, with its times converted to the own clock."""
    ahead = each.made - each.contact
    return [ident for ident, when in each.taken.items() if when - ahead > here.get(ident, 0.0)]


def _note_files(store: str, going: "Iterable[Row]", now: float) -> None:
    """Note which files live sessions of trusted people changed, where the hook before an edit reads it."""
    for row in going:
        for path, at in row["files"].items() if row["trusted"] and row["live"] else ():
            age = rows.unchanged_for(row, path, now)
            if at and age <= _NOTED:
                file_touches.record_elsewhere(store, path, row["id"], now - age, at)


def _order(row: "Row") -> tuple[bool, float, str]:
    return row["trusted"], row["heard"], row["machine"]


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
