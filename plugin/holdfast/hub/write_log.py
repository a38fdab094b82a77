"""The log of writes to the hub, begun and finished: one JSON line each, beside the journals.

A line "begun" is appended before the hub, or a document beside it, changes. It has the update that caused the change
(`request`), the facts for journals (`facts`: session id and fact), for each entry its mark before and after (`changes`,
"" where there is none), the same for each of its fields that changes (`fields`), and a mark of the hub's text before
(`text`). A line "finished" follows when everything is written and staged, with the time when the hub was replaced
(`replaced`). If it is missing, the process was killed or git's index was locked, and the next process that writes the
hub completes the write. An update is "deferred" while the hub cannot be written, and "dropped" when it turns out to be
impossible.
"""

import os
import time
import zlib

from holdfast.core import fast_json, files
from holdfast.core.fast_json import list_of, number_of, text_of
from holdfast.hub.entry import Entry
from holdfast.journal import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.format import Format
    from holdfast.hub.transaction import Change, Owed, Transaction

    Line = dict[str, object]  # of this log, as described above

RACE = 3.0  # seconds: a program that saves the hub so soon after a write has not read what was written
_NAME = "/journal/hub/writes.jsonl"
_LARGEST = 1 << 18  # bytes of the log; in a larger one, lines older than `_KEPT` seconds are removed
_KEPT = 60.0


class WriteLog:
    """The log of one project's hub. Writing to it needs the project's lock."""

    def __init__(self, store: str) -> None:
        self._path = store + _NAME
        self.left = ""  # the mark of the hub as holdfast left it, "" when that is not known
        self.begun: Line | None = None  # the write that was begun and not finished
        self._deferred: list[Line] = []  # lines with requests that are not carried out yet
        self._writes: list[Line] = []
        self._lines = _lines(self._path) if store else []
        for line in self._lines:
            self._take(line)

    def _take(self, line: "Line") -> None:
        """Apply one line."""
        kind, request = text_of(line, "kind"), line.get("request")
        if kind == "begun":
            self.begun = line
            self._writes.append(line)
        elif kind in {"finished", "written"}:
            self.left = text_of(line, "hub")
            self.begun = self.begun if kind == "written" else None
            if self._writes and line.get("replaced"):
                self._writes[-1] = {**self._writes[-1], "replaced": line["replaced"]}
        if kind == "deferred":
            self._deferred.append(line)
        else:
            self._deferred = [each for each in self._deferred if each.get("request") != request]
        if kind == "dropped" and self.begun and self.begun.get("request") == request:
            self.begun = None

    @property
    def waiting(self) -> "list[Line]":
        """The lines of requests that were accepted and may not have been carried out, in their order."""
        begun = [self.begun] if self.begun and isinstance(self.begun.get("request"), dict) else []
        return [*begun, *self._deferred]

    @property
    def facts(self) -> "list[Owed]":
        """The facts of the write that was begun and not finished."""
        pairs = list_of(self.begun or {}, "facts")
        return [(one[0], one[1]) for one in pairs if isinstance(one, list) and [*map(type, one)] == [str, dict]]

    def is_left(self, data: bytes) -> bool:
        """Return whether the hub, with these bytes now, is as holdfast left it."""
        return self.left == mark(data)

    def begin(self, request: "Line | None", transaction: "Transaction") -> None:
        """Note that the hub is about to be changed by this transaction."""
        found, hub = transaction.changes(), transaction.hub
        changes = {change.ident: [mark(change.before), mark(change.after)] for change in found}
        fields = {change.ident: _changed_fields(change, hub.form) for change in found}
        line: Line = {"request": request, "facts": transaction.facts, "changes": changes, "fields": fields}
        self._append("begun", {**line, "text": mark(hub.text)})

    def finish(self, hub: bytes, *, staged: bool, replaced: float = 0.0) -> None:
        """Log that the hub has these bytes now; the write is not finished until the hub is `staged`.

        `replaced` is the time of the replacement in seconds since 1970, 0.0 where this process did not replace the hub.
        """
        if self.begun or not self.is_left(hub):
            self._append("finished" if staged else "written", {"hub": mark(hub), "replaced": round(replaced, 3)})
        if staged and len(self._lines) > 1 and os.path.getsize(self._path) > _LARGEST:
            self._shorten()

    def defer(self, request: "Line") -> None:
        """Note a request that the hub cannot take now."""
        if all(line.get("request") != request for line in self._deferred):
            self._append("deferred", {"request": request})

    def drop(self, request: "Line", why: str) -> None:
        """Note that a request cannot be carried out after all."""
        self._append("dropped", {"request": request, "why": why})

    def recent(self, saved: float) -> "list[Line]":
        """Return the writes that a program which saved the hub at a time, in seconds since 1970, has not read."""
        return [write for write in self._writes if saved - _replaced(write) <= RACE]

    def _append(self, kind: str, values: "Line") -> None:
        line: Line = {"at": round(time.time(), 3), "kind": kind, **values}
        files.append_line(self._path, fast_json.dumps(line).encode())
        self._lines.append(line)
        self._take(line)

    def _shorten(self) -> None:
        """Remove old lines, except for those with deferred requests."""
        end = time.time() - _KEPT
        kept = [line for line in self._lines[:-1] if number_of(line, "at") > end or line in self._deferred]
        text = "".join(fast_json.dumps(line) + "\n" for line in [*kept, self._lines[-1]])
        files.write_private(self._path, text.encode())


def _lines(path: str) -> "list[Line]":
    """Return the lines of a log; incomplete lines are skipped."""
    try:
        return [{**line} for line in log.facts_in(files.read(path, files.OWN_LIMIT))]
    except OSError:
        return []


def field_marks(entry: Entry) -> dict[str, str]:
    """Return the mark of each field of an entry, and under "" that of its heading."""
    return {"": mark(entry.title.encode()), **{name: mark(value.encode()) for name, value in entry.pairs()}}


def _changed_fields(change: "Change", form: "Format") -> dict[str, list[str]]:
    """Return the mark before and after of each field that a change of an entry changes."""
    before, after = (field_marks(Entry(data, form)) if data else {} for data in (change.before, change.after))
    pairs = {name: [before.get(name, ""), after.get(name, "")] for name in {**before, **after}}
    return {name: marks for name, marks in pairs.items() if marks[0] != marks[1]}


def _replaced(write: "Line") -> float:
    """Return when the hub was replaced by a write, or when it was begun if its process was killed on the way."""
    return number_of(write, "replaced") or number_of(write, "at")


def mark(data: bytes) -> str:
    """Return a checksum and the length of a text, without blank lines at its end; "" for an empty one."""
    text = data.rstrip(b"\r\n")
    return f"{zlib.crc32(text):08x}-{len(text)}" if text else ""
