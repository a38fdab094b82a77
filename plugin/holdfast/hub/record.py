"""The record of what holdfast wrote into the hub last, and of the updates that no write has taken in yet.

It is one JSON file beside the journals, and only a process that holds the project's lock writes it. An update is a fact
in the journal of its session; `waiting` names those that the hub does not have. While the record is open, a write was
begun and not finished: its process was killed, or git's index was locked.
"""

import time
import zlib

from holdfast.core import clock, fast_json, files
from holdfast.core.fast_json import list_of, number_of, rows_of, table_of, text_of
from holdfast.hub.document import Hub
from holdfast.hub.entry import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.hub.transaction import Owed, Transaction

    Update = tuple[str, float]  # the id of a session, and the time of the fact in its journal
    Write = dict[str, object]  # `over`, `updates`, `sessions`, `stamped`, `before`: see `Record.begin`

_NAME = "/journal/hub/record.json"
_KEPT = 20  # latest writes
_STAMP = "Last Updated"
_CLOCK = getattr(time, "CLOCK_REALTIME_COARSE", time.CLOCK_REALTIME)  # from which file systems take their times


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

        A write has the time when it was over, the updates and sessions that it took in, and of each entry that it
        changed the time that it wrote there; of those that an update changed also a mark of the text before.
        """
        new = [one for one in times(transaction) if one not in self.waiting]
        write: Write = {
            "over": time.clock_gettime(_CLOCK),
            "updates": [*transaction.repeated, *times(transaction)],
            "sessions": [*dict.fromkeys(ident for ident, _ in transaction.facts)],
            **_marks(transaction),
        }
        # Where somebody else has changed the hub since, what that took back was decided on.
        earlier = self.writes[: -1 if self._begun else None] if self.is_left(transaction.hub.data) else []
        self.writes = [*earlier, write][-_KEPT:]
        self.waiting = [*self.waiting, *new]
        self.facts, self.is_open, self._begun = transaction.facts, True, True
        self._save()
        return new

    def finish(self, hub: bytes, updates: "list[Update]", *, staged: bool, replaced: bool = False) -> None:
        """Record that the hub has these bytes now, with these updates; the write is open until the hub is `staged`."""
        before = (self.text, self.is_open, self.facts, self.waiting)
        self.text, self.is_open, self.facts = mark(hub), self.is_open and not staged, []
        self.waiting = [one for one in self.waiting if one not in updates]
        if replaced and self.writes:
            self.writes[-1]["over"] = time.clock_gettime(_CLOCK)
        if replaced or before != (self.text, self.is_open, self.facts, self.waiting):
            self._save()

    def overtaken(self, hub: Hub, saved: float) -> "list[Write]":
        """Return the latest writes that are not in a hub which somebody else saved, because it was read before them.

        It was saved before a write was over, or an entry in it is as it was before the write, or has an earlier time
        than the write gave it. An entry that is missing from a hub that was saved later was deleted, whatever else was
        changed.
        """
        lost = [saved < number_of(write, "over") or _is_earlier(hub, write) for write in self.writes]
        return self.writes[lost.index(True) :] if True in lost else []

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


def _marks(transaction: "Transaction") -> "Write":
    """Return the time in each entry that a transaction changes, and a mark of each that an update changes, as it was.

    What was measured needs no mark: it is projected again anyway.
    """
    changes, updated = transaction.changes(), {ident for ident, _ in times(transaction)}
    after = {one.ident: Entry(one.after, transaction.hub.form).text(_STAMP) for one in changes}
    before = {one.ident: mark(one.before) for one in changes if one.ident in updated and one.before != one.after}
    return {"stamped": {ident: time for ident, time in after.items() if time}, "before": before}


def _is_earlier(hub: Hub, write: "Write") -> bool:
    """Whether an entry is as it was before a write, or has an earlier time than the write gave it.

    Times in a hub are minutes, so of two writes in one minute only the texts differ.
    """
    before, stamped = table_of(write, "before"), table_of(write, "stamped")
    for ident in {**before, **stamped}:
        now = hub.entry(ident)
        if now and ident in before and mark(now.entry.data) == before[ident]:
            return True
        present = clock.find(now.entry.text(_STAMP)) if now else 0.0
        if present and present < clock.find(text_of(stamped, ident)):
            return True
    return False


def mark(data: bytes) -> str:
    """Return a checksum and the length of a text, without blank lines at its end; "" for an empty one."""
    text = data.rstrip(b"\r\n")
    return f"{zlib.crc32(text):08x}-{len(text)}" if text else ""
