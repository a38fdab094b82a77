"""The changes that one write makes to the hub, and their check before the write."""

import os
import re
from collections.abc import Mapping
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.editing import layout
from holdfast.hub.document import ACTIVE, HISTORY, Hub, PlacedEntry, gone
from holdfast.hub.entry import Entry
from holdfast.hub.entry_values import same_ident
from holdfast.markdown import tags
from holdfast.markdown.document import Document, Section, splices
from holdfast.sessions import hub_location

Owed = tuple[str, Mapping[str, object]]  # a session id, and a fact for its journal
Splice = tuple[int, int, bytes]


class Change(NamedTuple):
    """The change of one entry: its bytes before (b"" for a new one) and after; `history`: whether it is there then."""

    ident: str
    before: bytes
    after: bytes
    history: bool


class RefusedError(HoldfastError):
    """A request that cannot be carried out, whatever becomes of the hub."""


class Transaction:
    """The changes of one write: entries that are put into a hub, each as a whole; `done` returns the new bytes.

    `now` is the time for the entries, in seconds since 1970; `path` is the hub's path, and its archive is in the same
    folder. `updates` and `facts` are (session id, fact): updates are appended to journals before the write, facts after
    it. `repeated` has the updates that were done again, each by its session and time.
    """

    def __init__(self, hub: Hub, now: float, path: str = "", *, new: bool = False) -> None:
        if hub.problem:
            raise HoldfastError(hub.problem)
        self.hub = hub
        self.now = now
        self.new = new  # there was no hub before
        self.stamps = True  # entries that change are given the time in Last Updated
        self.facts: list[Owed] = []
        self.updates: list[Owed] = []
        self.repeated: list[tuple[str, float]] = []
        self.path = path  # of the hub
        self._dropped: list[PlacedEntry] = []
        self._found: dict[str, PlacedEntry | None] = {}
        self._requested: dict[str, tuple[Entry, bool]] = {}
        self._carriers: dict[int, str | None] = {}  # by the offset of an entry; a cache
        self._archived_anew: dict[str, tuple[PlacedEntry, Entry]] = {}  # entries of the archive that change there

    def find(self, ident: str) -> PlacedEntry | None:
        """Return the entry of a session as it was before the transaction."""
        if ident not in self._found:
            self._found[ident] = self.hub.entry(ident)
        return self._found[ident]

    def take(self, ident: str, placed: PlacedEntry) -> None:
        """Give a session an entry that has no session id yet."""
        self._found[ident] = placed

    def get(self, ident: str) -> Entry | None:
        """Return the entry of a session with its changes; if only the archive has it, its latest version there."""
        if ident in self._requested:
            return self._requested[ident][0]
        placed = self.find(ident) or self._archived(ident)
        return placed.entry if placed else None

    def spelled(self, ident: str) -> str:
        """Return an id as its entry spells it, which may be in another case; else the id itself."""
        named = pattern(rb"(?<![\w.-])%s(?![\w-])" % re.escape(ident.encode()), re.IGNORECASE)
        spellings = [hit[0].decode() for hit in named.finditer(self.hub.data)] if ident else []
        return ident if ident in spellings else next((one for one in dict.fromkeys(spellings) if self.get(one)), ident)

    def _archived(self, ident: str) -> PlacedEntry | None:
        """Return the last version of an entry in the archive, None when there is none."""
        if not ident or ident.encode() not in self._archive.data:
            return None
        placed_entries = [*self._archive.naming(ident)]
        return next((placed for placed in reversed(placed_entries) if same_ident(placed.entry.ident, ident)), None)

    @cached_property
    def _archive(self) -> Hub:
        """The archive, read only when an entry is not in the hub."""
        return Hub(hub_location.archived(self.path) if self.path else b"", self.hub.file_format)

    def past(self, ident: str) -> bool:
        """Whether an entry is in the history after the transaction, or in the archive."""
        if ident in self._requested:
            return self._requested[ident][1]
        placed = self.find(ident)
        return placed.history if placed else self._archived(ident) is not None

    def amend(self, ident: str, entry: Entry) -> bool:
        """Change an entry in the archive if only the archive has it; return whether that is so."""
        placed = None if ident in self._requested or self.find(ident) else self._archived(ident)
        if placed:
            self._archived_anew[ident] = placed, entry
        return placed is not None

    def archive(self, data: bytes) -> bytes:
        """Return the bytes of the archive with its amended entries; unchanged if the file was changed meanwhile."""
        changes = [(placed.start, placed.end, entry.data) for placed, entry in self._archived_anew.values()]
        return splices(data, sorted(changes)) if changes and data == self._archive.data else data

    @cached_property
    def removed_by(self) -> str:
        """Who made the hub what it is, and so removed the entries that it lacks: "git" or "hand"."""
        from holdfast.git.refs import is_from_git  # few entries are missing

        return "git" if self.path and os.path.isfile(self.path) and is_from_git(self.path) else "hand"

    @property
    def turned(self) -> list[Entry]:
        """The entries whose status is of another category than before."""
        pairs = ((self._found[ident], entry) for ident, (entry, _) in self._requested.items())
        return [entry for placed, entry in pairs if placed and placed.entry.category != entry.category]

    @property
    def amends(self) -> bool:
        """Whether an entry of the archive changes."""
        return bool(self._archived_anew)

    def drop(self, placed: PlacedEntry) -> None:
        """Remove an entry from the hub."""
        self._dropped.append(placed)

    def put(self, ident: str, entry: Entry, *, history: bool) -> None:
        """Put the entry of a session into the hub, instead of its present one, or as a new one in its section."""
        self.find(ident)
        self._carriers.clear()
        self._requested[ident] = (entry, history)

    def done(self) -> bytes:
        """Return the bytes of the hub with all changes; the same bytes where nothing changes."""
        changes: list[Splice] = [gone(self.hub, placed) for placed in self._dropped]
        added: dict[bool, list[bytes]] = {False: [], True: []}
        for ident, (entry, history) in self._requested.items():
            placed = self._found[ident]
            around = self._carrier(placed) if placed else None
            if around is not None and history == self._requested[around][1]:
                continue  # goes with the entry that contains it
            if placed and around is None and (placed.history == history or (history and self._as_high(entry))):
                changes += _changed(placed, entry)
                continue
            changes += [gone(self.hub, placed)] if placed and around is None else []
            data = self._carrying(ident)
            if not self._beside_parent(entry, data, changes, history=history):
                added[history].append(data)
        spans = [(start, end) for start, end, data in changes if not data]
        changes += [self._added(entries, spans, history=history) for history, entries in added.items() if entries]
        return _checked(self.hub, changes)

    def changes(self) -> list[Change]:
        """Return the change of each entry that was put and differs from its present version."""
        found = []
        for ident, (entry, history) in self._requested.items():
            placed = self._found[ident]
            if placed is None or placed.history != history or placed.entry.data != entry.data:
                found.append(Change(ident, placed.entry.data if placed else b"", entry.data, history=history))
        return found

    def _carrier(self, placed: PlacedEntry) -> str | None:
        """Return the session whose entry contains this entry and moves, None for none; the innermost of several."""
        if placed.start not in self._carriers:
            self._carriers[placed.start] = self._around(placed)
        return self._carriers[placed.start]

    def _around(self, placed: PlacedEntry) -> str | None:
        """Search all entries that were put for the carrier of an entry."""
        nearest, near = None, -1
        for ident, (_, history) in self._requested.items():
            other = self._found[ident]
            if (
                other
                and near < other.start < placed.start < other.end
                and (other.history != history or self._carrier(other))
            ):
                nearest, near = ident, other.start
        return nearest

    def _carrying(self, ident: str) -> bytes:
        """Return the bytes of an entry that moves, with the entries in it after their changes."""
        (entry, history), placed = self._requested[ident], self._found[ident]
        inner: list[Splice] = []
        for other, (_, past) in self._requested.items():
            within = self._found[other]
            if placed and within and placed.start < within.start < placed.end and self._carrier(within) == ident:
                at = len(entry.data) - (placed.end - within.start)
                if entry.data[at:].startswith(within.entry.data):
                    inner.append((at, at + len(within.entry.data), self._carrying(other) if past == history else b""))
        return splices(entry.data, inner)

    def _beside_parent(self, entry: Entry, data: bytes, changes: "list[Splice]", *, history: bool) -> bool:
        """Put a new child right after its parent's entry, if that entry does not move; return whether it was put."""
        parents = [link.ident for link in entry.links("Parent")]
        placed = self.find(parents[0]) if parents else None
        if placed is None or history or self.past(parents[0]) or placed.history or self._carrier(placed) is not None:
            return False
        changes.append(self.hub.placed(placed.end, data))
        return True

    def _as_high(self, entry: Entry) -> bool:
        """Whether the heading of an entry is as high as that of the history, which therefore cannot contain it."""
        holder = self.hub.holder(HISTORY)
        return holder is not None and not _below(holder, [entry.data])

    def _added(self, entries: list[bytes], gone: list[tuple[int, int]], *, history: bool) -> "Splice":
        """Return the splice that adds entries to a section, outside what is gone; the history has its latest first.

        What a person wrote under its heading stays before them. Those whose headings are as high as the section's own
        come after it: else they would take what is in it.
        """
        hub, newline = self.hub, self.hub.document.newline
        block = newline.join(entry.rstrip(b"\r\n") + newline for entry in entries)
        holder = hub.holder(HISTORY if history else ACTIVE)
        if holder:
            inner = [one.start for one in hub.document.headings if holder.body <= one.start < holder.end]
            at = min(inner) if inner and history and _below(holder, entries) else hub.content_end(holder)
        else:  # no history yet: right after the active ones; neither: after the last entry
            active = hub.holder(ACTIVE)
            at = hub.content_end(active) if active else max(placed.end for placed in hub.entries())
            level = active.level if active else 2
            block = b"#" * level + b" " + (HISTORY if history else ACTIVE).encode() + newline * 2 + block
        return hub.placed(max([at, *(end for start, end in gone if start < at < end)]), block)


def _below(holder: Section, entries: list[bytes]) -> bool:
    """Whether all of these entries have headings that can be in a section."""
    return all(Document(entry).headings[0].level > holder.level for entry in entries)


def _changed(placed: PlacedEntry, entry: Entry) -> "list[Splice]":
    """Return the splice that changes an entry in place; what is under headings in it has its own changes."""
    headings = placed.entry.document.headings
    inner = placed.entry.data[headings[1].start :] if len(headings) > 1 else b""
    inner = inner if entry.data.endswith(inner) else b""
    end, data = placed.end - len(inner), entry.data[: len(entry.data) - len(inner)]
    return [(placed.start, end, data)] if entry.data != placed.entry.data else []


def _checked(hub: Hub, changes: "list[Splice]") -> bytes:
    """Return the bytes with all changes made; HoldfastError when another heading would appear, vanish or change."""
    changes = sorted(changes, key=itemgetter(0, 1))
    try:
        data = splices(hub.data, changes)
    except ValueError:
        raise HoldfastError("sections and entries of the hub overlap; nothing was written") from None
    if data == hub.data:
        return data
    before, after = hub.document, Document(data)
    alike = (before.frontmatter, before.body) == (after.frontmatter, after.body)
    if not alike or not all(_sound(hub, window, inside) for window, inside in _windows(hub, changes)):
        raise HoldfastError("the change would move the headings of the hub; nothing was written")
    return data


def _windows(hub: Hub, changes: "list[Splice]") -> "list[tuple[tuple[int, int], list[Splice]]]":
    """Return the spans that changes can reach, each with its changes: from the heading before to the one after.

    A heading ends every open structure except a pair of tags, so that the text after it is read independently of the
    text before it. If there are tags in a span, the span is the whole file.
    """
    windows: list[tuple[tuple[int, int], list[Splice]]] = []
    headings = hub.document.headings
    for change in changes:
        before, after = layout.index(hub.document, change[0] - 1), layout.index(hub.document, change[1] - 1) + 1
        start = headings[before].start if before >= 0 else 0
        end = headings[after].body if after < len(headings) else len(hub.data)
        if windows and start < windows[-1][0][1]:
            (first, last), inside = windows[-1]
            windows[-1] = (first, max(last, end)), [*inside, change]
        else:
            windows.append(((start, end), [change]))
    reach = [hub.data[slice(*window)] for window, _ in windows] + [data for _, _, data in changes]
    return [((0, len(hub.data)), changes)] if any(map(tags.find, reach)) else windows


def _sound(hub: Hub, window: tuple[int, int], changes: "list[Splice]") -> bool:
    """Whether a span has the right headings after the changes: those outside the changes, and those in the new text."""
    start, end = window
    headings = [
        (one.start, 0, one.level, one.title)
        for one in hub.document.headings
        if start <= one.start < end and not any(first <= one.start < last for first, last, _ in changes)
    ]
    for order, (first, _, data) in enumerate(changes, -len(changes)):
        headings += [(first, order, one.level, one.title) for one in Document(data).headings]
    inner = [(first - start, last - start, data) for first, last, data in changes]
    after = Document(splices(hub.data[start:end], inner))
    return not after.flaws and [(one.level, one.title) for one in after.headings] == [
        (level, title) for _, _, level, title in sorted(headings, key=itemgetter(0, 1))
    ]
