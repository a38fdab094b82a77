"""What is wrong with a hub (formats/genie-session-state-updater.md, Verification Phase), and what `--fix` can fix."""

import os
import re
from collections.abc import Iterator
from functools import cached_property

from holdfast.core.errors import HoldfastError
from holdfast.core.finding import Finding
from holdfast.core.statuses import OVER, STATUSES
from holdfast.git.refs import is_from_git
from holdfast.hub import projection, tree
from holdfast.hub.document import ACTIVE, HISTORY, Hub, PlacedEntry, same
from holdfast.hub.entry import documented, exact
from holdfast.hub.entry_values import CUTS, Known, same_ident
from holdfast.sessions import hub_location, resume, status
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    class Row(TypedDict):
        """The result in JSON."""

        path: str
        valid: bool
        entries: int
        findings: list[dict[str, object]]


TIMES = ("Started", "Last Updated", "Completed")
_ARCHIVED_WORD = re.compile(rb"[^\s`*(),;\[\]<>|\"']+")
_SHOWN = 8  # ids of a cycle that are shown
SECOND = "there is a second hub at {}, which is not kept up to date; move its entries here and delete it"


FIX = "holdfast validate --fix"


def _flaw(line: int, why: str, entry: str = "", *, fixable: bool = False) -> Finding:
    """Return one thing that is wrong with a hub, or with one entry; `fixable` says whether `--fix` fixes it."""
    return Finding("hub", line, entry, why, remedy=FIX if fixable else "")


class Validation:
    """The check of the hub at a path: `flaws` in the order of its lines.

    `by_id` has the first entry of each id, `twice` the ids that more than one entry has.
    """

    def __init__(self, hub: Hub, path: str, sessions: list[Session]) -> None:
        self.hub = hub
        self._path = path
        self._archived, self._seconds = hub_location.archived(path), others(path)
        self.sessions = {session.id: session for session in sessions if session.journaled}
        self._children = {
            child.id: status.child_status(session, child)
            for session in self.sessions.values()
            for child in session.children.values()
        }
        self.entries = list(hub.entries())
        self.by_id: dict[str, PlacedEntry] = {}
        self.twice: set[str] = set()
        self._differing: set[str] = set()  # ids whose entries differ: a person must choose one
        self._read: dict[tuple[int, str], Known] = {}
        for placed in self.entries:
            self._take(placed)
        shortened = [ident for ident in self.by_id if ident.endswith(CUTS)]
        self._cut = {ident: whole for ident in shortened if (whole := self._whole_of(ident))}
        for ident, whole in self._cut.items():
            self.twice |= {ident, whole.entry.ident}
            self._differing |= {ident, whole.entry.ident}
        self.flaws = sorted([*self._whole(), *self._each(), *self._missing()], key=lambda flaw: flaw.line)

    def _take(self, placed: PlacedEntry) -> None:
        """Note an entry under its id."""
        ident = placed.entry.ident
        if resume.nameless(ident):
            return
        first = self.by_id.setdefault(ident, placed)
        if first is not placed:
            self.twice.add(ident)
        if not same(first, placed):
            self._differing.add(ident)

    def _whole_of(self, cut: str) -> PlacedEntry | None:
        """Return the entry with the full id of this shortened one, None where there is none."""
        return next((self.by_id[ident] for ident in self._known.same(cut) if ident != cut), None)

    @cached_property
    def _known(self) -> Known:
        """The ids of the entries."""
        return Known(self.by_id)

    def _line(self, placed: PlacedEntry) -> int:
        return self.hub.document.line(placed.start)

    def _whole(self) -> Iterator[Finding]:
        """Yield what is wrong with the file as a whole, and that it is not the only one."""
        document = self.hub.document
        for other in self._seconds:
            yield _flaw(1, SECOND.format(other))
        for at, what in document.flaws:
            yield _flaw(document.line(at), f"{what}; put that right by hand")
        for title in (ACTIVE, HISTORY):
            if title == ACTIVE and not self.hub.lines_of(title):
                yield _flaw(1, f"it has no section {title}; it needs one")
            try:
                self.hub.holder(title)  # of an older history beside the recent one it is clear which is which
            except HoldfastError:
                lines = self.hub.lines_of(title)
                what = f"it has {len(lines)} sections {title}, on lines {', '.join(map(str, lines))}"
                yield _flaw(lines[1], f"{what}; merge them into one")

    def _each(self) -> Iterator[Finding]:
        """Yield what is wrong with the entries."""
        for placed in self.entries:
            for what, fixable in self._of_entry(placed):
                yield _flaw(self._line(placed), what, placed.entry.title, fixable=fixable)

    def _of_entry(self, placed: PlacedEntry) -> "Iterator[tuple[str, bool]]":
        """Yield what is wrong with one entry, each with whether `--fix` fixes it.

        If an earlier entry has the same id, only that is reported, because the entry must be removed.
        """
        ident = placed.entry.ident
        first = self._cut.get(ident) or self.by_id.get(ident, placed)
        if first is not placed:
            remark = "; both are the same" if same(first, placed) else "; keep one of them"
            yield f"its id {ident} is that of the entry on line {self._line(first)}{remark}", same(first, placed)
            return
        if resume.nameless(ident):
            if placed.entry.text("Status").casefold() != "starting":  # the protocol's own step before the launch
                yield "it has no session id", False
            for what, _ in (*self._fields(placed), *self._times(placed)):
                yield what, False
            return
        others = (*self._fields(placed), *self._times(placed), *self._links(placed), *self._journal(placed))
        for what, fixable in (*self.misplaced(placed), *others):
            yield what, fixable and ident not in self._differing

    def misplaced(self, placed: PlacedEntry) -> "Iterator[tuple[str, bool]]":
        """Yield that an entry is in the history and is not completed, or is completed and not in the history.

        A completed child stays with its parent until that is completed, too.
        """
        if placed.history and placed.entry.category and placed.entry.category not in OVER:
            yield f"it says {placed.entry.text('Status')!r}, and is in the history", True
        above = [self.named(parent.ident) for parent in self.hub.parents(placed.entry)]
        beside = any(one and not one.history and one.entry.category not in OVER for one in above)
        if not placed.history and placed.entry.category in OVER and not beside:
            yield f"it says {placed.entry.text('Status')!r}, and is not in the history", True

    def _fields(self, placed: PlacedEntry) -> "Iterator[tuple[str, bool]]":
        """Yield the required fields that an entry lacks, and the fields that it has twice."""
        names = [name for name, _ in placed.entry.labels]
        there = {*names, self.hub.form.ident, *(["Status"] if placed.history else [])}  # completed ones may have none
        part = self.hub.form.parts[0] if self.hub.form.parts else None
        for field in part.fields if part else ():
            if names.count(field.name) > 1:
                yield f"it has {names.count(field.name)} fields {field.name}; keep one of them", False
            elif field.need == "required" and field.name not in there:
                yield f"it has no {field.name}", False
        if "Status" in names and not placed.entry.category:
            yield f"its status {placed.entry.text('Status')!r} is none of {', '.join(STATUSES)}", False

    def _times(self, placed: PlacedEntry) -> "Iterator[tuple[str, bool]]":
        """Yield the times that are not written as documented; a live directive is not a time."""
        for field in TIMES:
            time = placed.entry.text(field)
            if time and not time.startswith("!") and not documented(time):
                yield f"{field} {time!r} is not YYYY-MM-DD HH:MM UTC", exact(time)

    def _links(self, placed: PlacedEntry) -> "Iterator[tuple[str, bool]]":
        """Yield links that only one end has, links to missing entries, and orphans."""
        own = placed.entry.ident
        yield from self._unnamed_parents(placed)
        if own in self._cycles:
            yield f"its parents form a cycle: {safe.listed(self._cycles[own], _SHOWN)}", False
        for child in placed.entry.links("Children"):
            if self.named(child.ident) is None and not self._past(child.ident):
                yield f"its child {child.ident} has no entry", child.ident in self._children
        for parent in placed.entry.links("Parent"):
            above = None if same_ident(parent.ident, own) else self.named(parent.ident)
            if same_ident(parent.ident, own):
                yield "it names itself as its own parent", False
                continue
            if above and not self._linked(above, "Children").first(own):
                alone = above.entry.ident not in self._differing and own not in self._cycles
                yield f"its parent {parent.ident} does not name it among its Children", alone
            if own in self._orphans:
                known = above or parent.ident in self.sessions
                yield f"orphaned: its parent {parent.ident} is {'over' if known else 'not there'}; {_WAYS}", False

    def _unnamed_parents(self, placed: PlacedEntry) -> "Iterator[tuple[str, bool]]":
        """Yield the parents that an entry should name and does not."""
        entry = placed.entry
        for above in self._parents.get(entry.ident, []):
            if not self._linked(placed, "Parent").first(above.entry.ident):
                alone = above.entry.ident not in self._differing and not entry.links("Parent")
                yield f"{above.entry.ident} names it as a child, and it does not name that as Parent", alone
                return
        if entry.parent_name and not entry.links("Parent"):
            named = self.hub.parents(entry)
            if named:
                alone = named[0].ident not in self.twice
                yield f"its heading names the parent {named[0].shown}, and it has no Parent", alone
            elif not placed.history and entry.category not in OVER:
                yield (
                    f"its heading names the parent {entry.parent_name!r}, and no entry, or several, have that name",
                    False,
                )

    def _linked(self, placed: PlacedEntry, field: str) -> Known:
        """Return the ids that a field of an entry names."""
        if (placed.start, field) not in self._read:
            self._read[placed.start, field] = Known(link.ident for link in placed.entry.links(field))
        return self._read[placed.start, field]

    @cached_property
    def _cycles(self) -> dict[str, list[str]]:
        """The cycles of entries that descend from themselves, by the id of each of them."""
        parents = {ident: self.hub.parents(placed.entry) for ident, placed in self.by_id.items()}
        above = {ident: self._known.first(links[0].ident) if links else "" for ident, links in parents.items()}
        cycles: dict[str, list[str]] = {}
        seen: set[str] = set()
        for ident in self.by_id:
            at, way = ident, dict[str, int]()
            while at and at not in seen:
                seen.add(at)
                way[at] = len(way)
                at = above[at]
            cycle = [*way][way.get(at, len(way)) :]
            cycles |= dict.fromkeys(cycle if len(cycle) > 1 else [], cycle)
        return cycles

    @cached_property
    def _parents(self) -> dict[str, list[PlacedEntry]]:
        """The entries that name a session among their children, by its id in full."""
        parents: dict[str, list[PlacedEntry]] = {}
        for placed in self.entries:
            for child in placed.entry.links("Children"):
                below = self.named(child.ident)
                if below:
                    parents.setdefault(below.entry.ident, []).append(placed)
        return parents

    @cached_property
    def _orphans(self) -> set[str]:
        """The ids of the orphans, as `tree` judges them."""
        return tree.orphans(self.sessions.values(), self.hub)

    def _journal(self, placed: PlacedEntry) -> "Iterator[tuple[str, bool]]":
        """Yield a status that holdfast wrote and that differs from the journal's."""
        ident = placed.entry.ident
        session = self.sessions.get(ident)
        recorded = status.status(session) if session else self._children.get(ident, "")
        present = placed.entry.text("Status")
        if session and projection.names_lost(session, placed.entry.data):
            yield f"its state file {session.claimed_name} is gone", True
        if not recorded or present == recorded or placed.history:
            return
        if self._wrote(ident, present):
            yield f"it says {present!r}, the journal says {recorded!r}", True
        elif recorded in OVER and self._is_from_git:
            yield f"git set it back to {present!r}, the journal says {recorded!r}; {_OVER}", False

    @cached_property
    def _is_from_git(self) -> bool:
        """Whether git wrote the hub as it is now, and no person."""
        return os.path.isfile(self._path) and is_from_git(self._path)

    def _wrote(self, ident: str, present: str) -> bool:
        """Whether holdfast wrote the present status of an entry, and not a person."""
        holders = self._holders.get(ident, [])
        return any(status.wrote(one, "" if one.id == ident else ident, "Status") == present for one in holders)

    @cached_property
    def _holders(self) -> dict[str, list[Session]]:
        """The sessions with the journal of each id, which may be that of a child."""
        sessions: dict[str, list[Session]] = {}
        for session in self.sessions.values():
            for ident in {session.id, *session.children}:
                sessions.setdefault(ident, []).append(session)
        return sessions

    def _missing(self) -> Iterator[Finding]:
        """Yield the live sessions that did something and have no entry."""
        for session in self.sessions.values():
            if session.live and session.listed and self.named(session.id) is None:
                yield _flaw(1, f"the live session {session.id} has no entry", fixable=True)

    def named(self, ident: str) -> PlacedEntry | None:
        """Return the entry with this id, which may be shortened; None when there is none."""
        return self.by_id.get(self._known.first(ident))

    def _past(self, ident: str) -> bool:
        """Whether an entry was moved to the archive."""
        return ident.encode() in self._archived_words

    @cached_property
    def _archived_words(self) -> set[bytes]:
        """The words of the archive, with and without what a colon joins to them and a full stop at their end."""
        words = set(_ARCHIVED_WORD.findall(self._archived))
        return words | {part.rstrip(b".") for word in words for part in word.split(b":")}


_OVER = "if it is over, type: holdfast update action=completed session_id=ID"
_WAYS = "adopt it with holdfast update action=in_progress … parent_session=ID, or close it with action=completed"


def look(hub: Hub, path: str, sessions: list[Session]) -> Validation:
    """Return the check of the hub at a path."""
    return Validation(hub, path, sessions)


def others(path: str) -> list[str]:
    """Return the other known places, from the project's root, that have a hub beside the one at `path`."""
    root = next((path.removesuffix(f"/{one}") for one in hub_location.PATHS if path.endswith(f"/{one}")), "")
    inside = [one for one in hub_location.PATHS if root and not hub_location.is_outside(root, one)]
    if not any(path == f"{root}/{one}" and os.path.isfile(path) for one in inside):
        return []
    there = [one for one in inside if f"{root}/{one}" != path and os.path.isfile(f"{root}/{one}")]
    return [one for one in there if not os.path.samefile(f"{root}/{one}", path)]


def lines(validation: Validation, name: str) -> list[str]:
    """Return the result as lines: each flaw, or that the hub is valid."""
    going = sum(not one.history and one.entry.category not in OVER for one in validation.entries)
    count = f"{len(validation.entries)} entr{'y' if len(validation.entries) == 1 else 'ies'}, {going} of them open"
    if not validation.flaws:
        return [f"✓ {name} is valid: {count}"]
    fixable = sum(bool(flaw.remedy) for flaw in validation.flaws)
    each = [f"{name}:{flaw.line}: {safe.line(flaw.words, 400)}" for flaw in validation.flaws]
    more = f"; `holdfast validate --fix` fixes {fixable} of them" if fixable else ""
    return [*each, f"✗ {len(each)} {'problem' if len(each) == 1 else 'problems'} in {count}{more}"]


def row(validation: Validation, name: str) -> "Row":
    """Return the result as the JSON object that `holdfast validate` prints."""
    rows = [{**one.row(), "path": name} for one in validation.flaws]
    return {"path": name, "valid": not rows, "entries": len(validation.entries), "findings": rows}
