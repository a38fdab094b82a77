"""The changes of a session's entry in the hub, and the record of what holdfast wrote there last and what waits.

The record is one JSON file beside the journals, and only a process that holds the project's lock writes it. An update
is a fact in the journal of its session; `waiting` names those that the hub does not have. While the record is open, a
write was begun and not finished: its process was killed, or git's index was locked.
"""

import re
import time
import zlib
from collections.abc import Mapping

from holdfast.core import clock, fast_json, files
from holdfast.core.fast_json import list_of, number_of, rows_of, table_of, text_of
from holdfast.core.patterns import pattern
from holdfast.core.statuses import COMPLETED, OVER
from holdfast.formats import names
from holdfast.hub import entry, entry_values
from holdfast.hub.document import ACTIVE, Hub, PlacedEntry
from holdfast.hub.entry import TIME, Entry
from holdfast.hub.entry_values import CUTS, Link, same_ident
from holdfast.hub.transaction import Owed, RefusedError, Transaction

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


OPEN = "[to be filled]"
# A status without a remark, also as earlier versions wrote it. The remark of a status is kept in the context when the
# status changes.
_BARE = pattern(
    r"\W*(?:active|starting|started|in[_ -]progress|waiting|paused|completed|dropped|ended)\W*"
    r"(?:orphaned|\((?:live|not running|ended|not live|stale)\))?\W*",
    re.IGNORECASE,
)
_STARTING_WORD = b"starting"  # the status of a session that is about to be launched
_STARTING = pattern(rf"\W*{_STARTING_WORD.decode()}\W*", re.IGNORECASE)
_DEEPEST = 64  # generations


def begin(transaction: Transaction, ident: str, heading: str, fields: list[tuple[str, str]]) -> Entry:
    """Return a new entry with these fields after its id, in the level and with the line ends of the hub."""
    holder = transaction.hub.holder(ACTIVE)
    level = holder.level + 1 if holder else 3
    newline = transaction.hub.document.newline.decode()
    given = [("Session ID", f"`{ident}`"), *fields]
    return entry.begun(heading, given, transaction.hub.form, level=level, newline=newline)


def put(transaction: Transaction, ident: str, changed: Entry, *, always: bool = False, moving: bool = False) -> None:
    """Put an entry into the transaction with the time of the change; do nothing when the entry is unchanged.

    It moves to the history when it becomes completed, and back when it no longer is. `always` sets the time even if it
    is the only change; `moving` moves an entry to its section even if its status has not changed.
    """
    before = transaction.find(ident)
    past, done = transaction.past(ident), changed.category in OVER
    present = transaction.get(ident)
    was = bool(present and is_completed(present, past=past))
    history = done if before is None or moving or done != was else past
    if before and changed.data == before.entry.data and past == history and not always:
        return
    if was and not done:
        changed = changed.without("Completed")
    if names.is_placeholder(changed.text("Children")) and not changed.links("Children"):  # a template's
        changed = changed.without("Children", items=True)
    moved_only = was and before is not None and changed.data == before.entry.data  # nobody knows when it was completed
    if transaction.stamps and not moved_only:
        if done and (not was or history != past) and not changed.text("Completed"):
            changed = changed.setting("Completed", clock.write(transaction.now, TIME))
        changed = changed.setting("Last Updated", clock.write(transaction.now, TIME))
    transaction.put(ident, changed, history=history)


def is_completed(entry: Entry, *, past: bool) -> bool:
    """Return whether an entry is completed: its status says so, or it has none and is in the history (`past`)."""
    return entry.category in OVER or (past and not entry.text("Status"))


def is_starting(entry: Entry) -> bool:
    """Return whether the status of an entry is `starting`: its session is about to be launched."""
    return bool(_STARTING.fullmatch(entry.text("Status")))


def whole(known: Entry, ident: str) -> Entry:
    """Return an entry with its session's id in full, if its session is starting and the entry has the beginning."""
    return known.setting("Session ID", f"`{ident}`") if is_starting(known) and known.ident != ident else known


def placeholder(
    transaction: Transaction, ident: str, agent: str, purpose: str, *, launched: bool = False
) -> Entry | None:
    """Return the entry that was made for a session before it had an id, with the id; None where there is none.

    Its agent is the same, and its purpose the same. While its status is `starting`, it is enough that the two have a
    word in common, or that one is not known yet; for a session that was `launched`, whose purpose is its first prompt,
    that there is only one.
    """
    hub, wanted = transaction.hub, names.plain(purpose)
    begun = [*hub.with_word(_STARTING_WORD), *(hub.with_word(purpose.lower().encode()) if wanted else ())]
    own = {one.start: one for one in begun if agent and _awaits(one, names.plain(agent))}.values()
    same = [one for one in own if wanted and names.plain(one.entry.text("Purpose")) == wanted]
    meant = same or [
        one
        for one in own
        if is_starting(one.entry)
        and (launched or one.entry.open("Purpose") or names.related(one.entry.text("Purpose"), purpose))
    ]
    if len(meant) != 1:
        return None
    transaction.take(ident, meant[0])
    entry: Entry = meant[0].entry
    return entry.setting("Session ID", f"`{ident}`")


def _awaits(placed: PlacedEntry, agent: str) -> bool:
    """Whether an active entry of an agent has a placeholder for its id, while it is starting also a template's."""
    entry = placed.entry
    mine = agent in {names.plain(entry.text("Agent")), *names.plain(entry.name).split()}
    template = entry.ident.endswith(CUTS) and is_starting(entry)
    if not mine or placed.history:
        return False
    from holdfast.sessions import resume  # few entries are an agent's

    return template or resume.nameless(entry.ident)


def turned(entry: Entry, status: str) -> Entry:
    """Return an entry with another status; the old status moves to the context if it has a remark."""
    old = entry.text("Status")
    if old == status:
        return entry
    remark = [entry_values.Segment(f"Status before: {old}")] if has_remark(entry) else []
    return entry.telling(remark).setting("Status", status)


def has_remark(entry: Entry) -> bool:
    """Return whether the status of an entry says more than a status."""
    return not (entry.open("Status") or _BARE.fullmatch(entry.text("Status")))


def link(transaction: Transaction, ident: str, parent: str) -> None:
    """Make one session the child of another in both entries; another parent no longer names it.

    A parent that has no entry yet is named in the child's; `adopt` links them once it has one.
    """
    child, above = transaction.get(ident), transaction.get(parent)
    if child is None:
        return
    if above:
        _refuse_cycle(transaction, ident, parent)
    for old in child.links("Parent"):
        former = transaction.get(old.ident) if not same_ident(old.ident, parent) else None
        if former:
            put(transaction, old.ident, former.without_child(ident))
    linked = child.linking("Parent", Link(parent, above.name if above else ""))
    put(transaction, ident, linked.child_of(above.name) if above and linked is not child else linked)
    if above:
        put(transaction, parent, above.linking("Children", Link(ident, child.name)))


def adopt(transaction: Transaction, ident: str) -> None:
    """Link a session that has just got its entry with those that named it as their parent, or as a child, before."""
    for placed in transaction.hub.naming(ident):
        other, own = transaction.get(placed.entry.ident), transaction.get(ident)
        if other and any(same_ident(above.ident, ident) for above in other.links("Parent")):
            link(transaction, other.ident, ident)
        elif other and own and not own.links("Parent") and _lists(other, ident):
            link(transaction, ident, other.ident)


def _lists(entry: Entry, ident: str) -> bool:
    return any(same_ident(below.ident, ident) for below in entry.links("Children"))


def _refuse_cycle(transaction: Transaction, ident: str, parent: str) -> None:
    """Refuse a parent that descends from its child."""
    at = parent
    for _ in range(_DEEPEST):
        known = transaction.get(at)
        above = transaction.hub.parents(known) if known else []
        if not above:
            return
        at = above[0].ident
        if same_ident(at, ident):
            raise RefusedError(f"{parent} descends from {ident}, which cannot be its child as well.")
    raise RefusedError(f"{parent} has more than {_DEEPEST} generations above it; holdfast validate shows the cycle.")


def complete(transaction: Transaction, ident: str, evidence: str = "", status: str = COMPLETED) -> None:
    """Complete or drop a session, with its evidence, and with it the children that are still open."""
    known = transaction.get(ident)
    ahead = _completed(transaction, known, ident, evidence, status) if known else []
    while ahead:  # a line of descent may be longer than calls may be nested
        child, why = ahead.pop()
        child, past = transaction.get(child.ident) or child, transaction.past(child.ident)
        over = is_completed(child, past=past)
        if not (over and past):
            ahead += _completed(transaction, child, child.ident, "" if over else why, status)


def _completed(
    transaction: Transaction, known: Entry, ident: str, evidence: str, status: str
) -> list[tuple[Entry, str]]:
    """Complete or drop one session; return its children, each with the evidence for it, the first one last."""
    completed = known.telling(entry_values.parse(evidence))
    completed = turned(completed, status) if completed.category not in OVER else completed
    put(transaction, ident, completed, moving=True)
    why = f"{status.capitalize()} with its parent {known.name} ({ident})"
    return [(child, why) for child in reversed(children(transaction, ident))]


def resume(transaction: Transaction, ident: str) -> None:
    """Set the paused children of a session to active, and their paused children in turn."""
    ahead = children(transaction, ident)[::-1]
    while ahead:
        child = ahead.pop()
        child = transaction.get(child.ident) or child
        if child.category == "paused":
            put(transaction, child.ident, turned(child, "active"))
            ahead += reversed(children(transaction, child.ident))


def children(transaction: Transaction, ident: str) -> list[Entry]:
    """Return the entries of a session's children, whether the parent or the child names the other."""
    entries: dict[str, Entry] = {}
    hub, known = transaction.hub, transaction.get(ident)
    for link in known.links("Children") if known else []:
        if below := transaction.get(link.ident):
            entries[below.ident] = below
    named = [one.entry for one in hub.naming(ident)] + (hub.children_called(known.name) if known else [])
    for child in named:
        if child.ident and any(same_ident(above.ident, ident) for above in hub.parents(child)):
            entries[child.ident] = transaction.get(child.ident) or child
    return list(entries.values())
