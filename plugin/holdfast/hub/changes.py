"""What may happen to a session in the hub: it begins, goes on, waits, gets a parent, is completed with its children."""

import re

from holdfast import clock
from holdfast.errors import HoldfastError
from holdfast.hub import context, entry, links
from holdfast.hub.draft import Draft
from holdfast.hub.entry import TIME, Entry
from holdfast.hub.links import Link
from holdfast.hub.register import ACTIVE

OPEN = "[to be filled]"
# A status that says no more than its word; whatever else it says is kept when it changes.
_BARE = re.compile(
    r"\W*(?:active|starting|started|in[_ -]progress|waiting|paused|completed)\W*"
    r"(?:\((?:live|ended|not live|stale|orphaned)\))?\W*",
    re.IGNORECASE,
)
_DEEPEST = 64  # generations


def begin(draft: Draft, ident: str, heading: str, fields: list[tuple[str, str]]) -> Entry:
    """Return a new entry with these fields after its id, in the level and with the line ends of the hub."""
    holder = draft.hub.holder(ACTIVE)
    level = holder.level + 1 if holder else 3
    newline = draft.hub.document.newline.decode()
    given = [("Session ID", f"`{ident}`"), *fields]
    return entry.begun(heading, given, draft.hub.form, level=level, newline=newline)


def put(draft: Draft, ident: str, changed: Entry, *, always: bool = False, moving: bool = False) -> None:
    """Put an entry into the draft with the time of the change; nothing for no change.

    It goes to the history when it becomes completed, and back when it is no more. `always` sets the time even if it is
    the only change; `moving` brings an entry to where it belongs that was completed before.
    """
    before = draft.find(ident)
    past, done = draft.past(ident), changed.standing == "completed"
    present = draft.get(ident)
    was = bool(present and present.standing == "completed")
    history = done if before is None or moving or done != was else past
    if before and changed.data == before.entry.data and past == history and not always:
        return
    if done and (not was or history != past) and not changed.text("Completed"):
        changed = changed.setting("Completed", clock.write(draft.now, TIME))
    if was and not done:
        changed = changed.without("Completed")
    draft.put(ident, changed.setting("Last Updated", clock.write(draft.now, TIME)), history=history)


def turned(entry: Entry, status: str) -> Entry:
    """Return an entry with another status; what the old one said beside its word goes to the context."""
    old = entry.text("Status")
    if old == status:
        return entry
    said = "" if entry.open("Status") or _BARE.fullmatch(old) else old
    return entry.telling([context.Segment(f"Status before: {said}")] if said else []).setting("Status", status)


def link(draft: Draft, ident: str, parent: str) -> None:
    """Make one session the child of another in both entries; any other parent loses it."""
    child, above = draft.get(ident), draft.get(parent)
    if child is None or above is None:
        raise HoldfastError(f"no entry has the session id {parent!r}. Begin it first: holdfast update action=started …")
    _refuse_circle(draft, ident, parent)
    for old in child.links("Parent"):
        former = draft.get(old.ident) if not links.same(old.ident, parent) else None
        if former:
            put(draft, old.ident, former.parting("Children", ident))
    put(draft, ident, child.linking("Parent", Link(parent, above.name)))
    put(draft, parent, above.linking("Children", Link(ident, child.name)))


def _refuse_circle(draft: Draft, ident: str, parent: str) -> None:
    """Refuse a parent that descends from its child."""
    at = parent
    for _ in range(_DEEPEST):
        known = draft.get(at)
        above = known.links("Parent") if known else []
        if not above:
            return
        at = above[0].ident
        if links.same(at, ident):
            raise HoldfastError(f"{parent} descends from {ident}, which cannot be its child as well.")
    raise HoldfastError(f"{parent} has more than {_DEEPEST} generations above it; holdfast validate shows the circle.")


def complete(draft: Draft, ident: str, evidence: str = "") -> None:
    """Complete a session, with its evidence, and with it the children that are still open."""
    known = draft.get(ident)
    if known is None:
        return
    told = known.telling(context.parse(evidence))
    told = turned(told, "completed") if told.standing != "completed" else told
    put(draft, ident, told, moving=True)
    for child in children(draft, ident):
        if child.standing != "completed":
            complete(draft, child.ident, f"Completed with its parent {known.name} ({ident})")
        elif not draft.past(child.ident):
            complete(draft, child.ident)


def children(draft: Draft, ident: str) -> list[Entry]:
    """Return the entries of a session's children, whichever end of the link says so."""
    found: dict[str, Entry] = {}
    known = draft.get(ident)
    for child in known.links("Children") if known else []:
        if below := draft.get(child.ident):
            found[below.ident] = below
    for other in draft.hub.naming(ident):
        if any(links.same(above.ident, ident) for above in other.entry.links("Parent")):
            found[other.entry.ident] = draft.get(other.entry.ident) or other.entry
    return list(found.values())
