"""The record of what holdfast wrote into the hub last, and of the updates that no write has taken in yet.

It is one JSON file beside the journals, and only a process that holds the project's lock writes it. An update is a fact
in the journal of its session; `waiting` names those that the hub does not have. While the record is open, a write was
begun and not finished: its process was killed, or git's index was locked.
"""

import time
import zlib

from holdfast.core import fast_json, files
from holdfast.core.fast_json import list_of, number_of, rows_of, table_of, text_of
from holdfast.hub.document import Hub
from holdfast.hub.entry import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.hub.transaction import Owed, Transaction

    Update = tuple[str, float]  # the id of a session, and the time of the fact in its journal
    Write = dict[str, object]  # `replaced`, `text`, `updates`, `sessions`, `changes`: see `Record.begin`

RACE = 1.0  # seconds: a program that saves the hub so soon after a write has not read what was written
_SLOW_RACE = 10.0  # seconds: nor has one that saves so soon, where what it takes back belongs to several entries
_NAME = "/journal/hub/record.json"
_KEPT = 11.0  # seconds before the latest write: earlier ones are dropped
_BEFORE, _AFTER = "before", "after"


class Record:
    """The record of one project's hub."""

    def __init__(self, store: str) -> None:
        self._path = store + _NAME
        table = fast_json.read_object(self._path) if store else {}
        self.text = text_of(table, "text")  # the mark of the hub as holdfast left it, "" for unknown
        self.is_open = table.get("open") is True
        self.facts = _facts(table)  # of the write that was begun and not finished
        self.waiting: list[Update] = _updates(table, "waiting")
        self.writes: list[Write] = rows_of(table, "writes")  # the latest, in their order
        self._begun = False

    def is_left(self, data: bytes) -> bool:
        """Return whether the hub, with these bytes now, is as holdfast left it."""
        return self.text == mark(data)

    def wait(self, update: "Update") -> None:
        """Record an update that the hub does not have yet."""
        self.waiting.append(update)
        self._save()

    def drop(self, update: "Update") -> None:
        """Record that an update cannot be carried out after all."""
        self.waiting = [one for one in self.waiting if one != update]
        self._save()

    def begin(self, transaction: "Transaction") -> "list[Update]":
        """Record that the hub is about to be changed by this transaction; return its updates that did not wait before.

        A write has the mark of the hub's text before, the updates and sessions that it takes in, and the text of each
        entry before and after.
        """
        new = [one for one in times(transaction) if one not in self.waiting]
        write: Write = {
            "replaced": time.time(),
            "text": mark(transaction.hub.text),
            "updates": [*transaction.repeated, *times(transaction)],
            "sessions": [*dict.fromkeys(ident for ident, _ in transaction.facts)],
            "changes": {one.ident: [_text(one.before), _text(one.after)] for one in transaction.changes()},
        }
        # Where somebody else has changed the hub since, what that took back was decided on.
        earlier = self.writes if self.is_left(transaction.hub.data) else []
        kept = [one for one in earlier if number_of(one, "replaced") > time.time() - _KEPT]
        self.writes = [*(kept[:-1] if self._begun else kept), write]
        self.waiting = [*self.waiting, *new]
        self.facts, self.is_open, self._begun = transaction.facts, True, True
        self._save()
        return new

    def finish(self, hub: bytes, updates: "list[Update]", *, staged: bool, replaced: float = 0.0) -> None:
        """Record that the hub has these bytes now, with these updates; the write is open until the hub is `staged`.

        `replaced` is the time of the replacement, 0.0 where this process did not replace the hub.
        """
        before = (self.text, self.is_open, self.facts, self.waiting)
        self.text, self.is_open, self.facts = mark(hub), self.is_open and not staged, []
        self.waiting = [one for one in self.waiting if one not in updates]
        if replaced and self.writes:
            self.writes[-1]["replaced"] = replaced
        if replaced or before != (self.text, self.is_open, self.facts, self.waiting):
            self._save()

    def overtaken(self, hub: Hub, saved: float) -> "list[Write]":
        """Return the latest writes that a program which saved the hub at a time took back, as it had not read them.

        All that they changed is as it was before them, and something else is not: what the program read the hub for. A
        hub that is as it was before them in all its entries was restored on purpose.
        """
        recent = [write for write in self.writes if saved - number_of(write, "replaced") <= _SLOW_RACE]
        if mark(hub.text) in {text_of(write, "text") for write in recent}:
            return []
        first = len(recent)
        while first and _is_gone(hub, recent[first - 1]):
            first -= 1
        lost = recent[first:]
        if all(saved - number_of(write, "replaced") > RACE for write in lost) and len(_entries(lost)) == 1:
            return []  # a person may remove what was written seconds ago
        return lost

    def _save(self) -> None:
        table = {
            "text": self.text,
            "open": self.is_open,
            "facts": self.facts,
            "waiting": self.waiting,
            "writes": self.writes,
        }
        files.write_private(self._path, fast_json.dumps(table).encode())


def times(transaction: "Transaction") -> "list[Update]":
    """Return the updates of a transaction, each by its session and the time of its fact."""
    return [(ident, number_of(fact, "at")) for ident, fact in transaction.updates]


def updates_of(write: "Write") -> "list[Update]":
    """Return the updates that a write took in."""
    return _updates(write, "updates")


def _updates(table: "Mapping[str, object]", key: str) -> "list[Update]":
    return [(str(one[0]), float(one[1])) for one in list_of(table, key) if isinstance(one, list) and len(one) == 2]


def _facts(table: "Mapping[str, object]") -> "list[Owed]":
    pairs = [one for one in list_of(table, "facts") if isinstance(one, list)]
    return [(one[0], one[1]) for one in pairs if [*map(type, one)] == [str, dict]]


def _entries(writes: "list[Write]") -> set[str]:
    """Return the ids of the entries that these writes changed."""
    return {ident for write in writes for ident in table_of(write, "changes")}


def _is_gone(hub: Hub, write: "Write") -> bool:
    """Whether what a write changed is as before it in one entry at least, and as after it in none."""
    states = [_state(hub, ident, pair) for ident, pair in table_of(write, "changes").items() if isinstance(pair, list)]
    return _BEFORE in states and _AFTER not in states


def _state(hub: Hub, ident: str, pair: list[str]) -> str:
    """Return whether an entry is as before a write or as after it, "" for neither; an edited one is read by field."""
    now, before, after = hub.entry(ident), _fields(hub, pair[0]), _fields(hub, pair[1])
    if now is None:
        return "" if before else _BEFORE
    fields = _fields(hub, _text(now.entry.data))
    changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    if any(fields.get(name) == after.get(name) for name in changed):
        return _AFTER
    return _BEFORE if any(fields.get(name) == before.get(name) for name in changed) else ""


def _fields(hub: Hub, text: str) -> dict[str, str]:
    """Return the fields of an entry by name, under "" its heading; {} for no entry."""
    if not text:
        return {}
    entry = Entry(text.encode("latin-1"), hub.form)
    return {"": entry.title, **dict(entry.pairs())}


def _text(data: bytes) -> str:
    """Return bytes as a text from which they can be made again."""
    return data.decode("latin-1")


def mark(data: bytes) -> str:
    """Return a checksum and the length of a text, without blank lines at its end; "" for an empty one."""
    text = data.rstrip(b"\r\n")
    return f"{zlib.crc32(text):08x}-{len(text)}" if text else ""
