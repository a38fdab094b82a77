"""The changes of a session's entry in the hub: a new entry, a new status, a parent, completion with its children."""

import re

from holdfast.core import clock
from holdfast.core.patterns import pattern
from holdfast.core.statuses import COMPLETED, OVER
from holdfast.formats import names
from holdfast.hub import entry, entry_values
from holdfast.hub.document import ACTIVE, PlacedEntry
from holdfast.hub.entry import TIME, Entry
from holdfast.hub.entry_values import CUTS, Link, same_ident
from holdfast.hub.transaction import RefusedError, Transaction
from holdfast.sessions import resume as resuming

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
    return mine and not placed.history and (template or resuming.nameless(entry.ident))


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
