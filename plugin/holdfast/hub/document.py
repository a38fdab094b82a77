"""The hub as a whole: its sections, its entries where they are, and a transaction of what changes in it."""

import gc
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import islice

from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.core.statuses import OVER
from holdfast.editing import layout
from holdfast.formats import names
from holdfast.formats.format import Format
from holdfast.hub.entry import Entry, name_in
from holdfast.hub.entry_values import CUTS, Link, same_ident
from holdfast.markdown.blocks import gap
from holdfast.markdown.document import Document, Section

ACTIVE, HISTORY = "Active Sessions", "Session History (Recent)"
NEW = f"""\
# Session State

The register of this project's sessions. holdfast keeps an entry for each that
has done something; whatever else is here is yours.

## {ACTIVE}

## {HISTORY}
"""
_STATUS = "status"  # the field by which a section is an entry that lacks its id
_OLDER = pattern(r"(?i)\b(?:old|older|archived?|earlier|past)\b")  # in the heading of another history
_WORD = pattern(rb"[\w.-]*\Z")

Splice = tuple[int, int, bytes]


class PlacedEntry:
    """An entry with its first and last offset in the hub, and whether it is in the history."""

    __slots__ = ("end", "entry", "history", "start")

    def __init__(self, start: int, end: int, entry: Entry, *, history: bool) -> None:
        self.start, self.end, self.entry, self.history = start, end, entry, history

    @property
    def category(self) -> str:
        """The category of its status; an entry in the history that has no status is completed."""
        return self.entry.category or ("completed" if self.history and not self.entry.text("Status") else "")


def same(one: PlacedEntry, other: PlacedEntry) -> bool:
    """Whether two entries have the same bytes, apart from blank lines at their ends."""
    return one.entry.data.rstrip(b"\r\n") == other.entry.data.rstrip(b"\r\n")


class ByName:
    """The entries of these sections; each name is looked up once, because a hub may have thousands of children."""

    def __init__(self, sections: "Iterable[Section]", read: "Callable[[Section], Entry]") -> None:
        self._sections = sections
        self._read = read
        self._called: dict[str, list[Entry]] = {}
        self._open: dict[str, list[Entry]] = {}
        self._parents: dict[tuple[str, str], list[Link]] = {}

    @cached_property
    def _named(self) -> "dict[str, list[Section]]":
        """The sections by the plain names in their headings."""
        sections: dict[str, list[Section]] = {}
        for section in self._sections:
            sections.setdefault(names.plain(name_in(section.title)), []).append(section)
        return sections

    def called(self, name: str) -> list[Entry]:
        """Return the entries of a name that have an id."""
        requested = names.plain(name)
        if requested not in self._called:
            begun = [one for one in self._named.get(requested, []) if requested in names.plain(one.title)]
            entries = [self._read(section) for section in begun]
            self._called[requested] = [entry for entry in entries if entry.ident]
        return self._called[requested]

    def parents(self, entry: Entry) -> list[Link]:
        """Return the one parent that the heading of an entry names.

        If several entries have that name, it is the only one that is not completed; [] where there are more.
        """
        asked = entry.parent_name, entry.ident
        if asked not in self._parents:
            entries = _others(self._going(entry.parent_name), entry) or _others(self.called(entry.parent_name), entry)
            self._parents[asked] = [Link(entries[0].ident, entries[0].name)] if len(entries) == 1 else []
        return self._parents[asked]

    def _going(self, name: str) -> list[Entry]:
        """Return the entries of a name that are not completed."""
        if name not in self._open:
            self._open[name] = [one for one in self.called(name) if one.category not in OVER]
        return self._open[name]


def _others(entries: list[Entry], entry: Entry) -> list[Entry]:
    """Return the first two that are not the entry itself."""
    return list(islice((one for one in entries if not same_ident(one.ident, entry.ident)), 2))


class Hub:
    """The bytes of a hub, or of its archive, and the entries in them."""

    def __init__(self, data: bytes, file_format: Format) -> None:
        if file_format.entry is None:
            raise HoldfastError("the format genie of this project describes no entries; add them to its settings")
        self.data = data
        self.file_format = file_format
        self.form = file_format.entry  # of an entry

    @cached_property
    def document(self) -> Document:
        """The structure of the file."""
        return parsed(self.data)

    @property
    def idents(self) -> frozenset[str]:
        """The plain names of the label that makes a section an entry."""
        named = self.form.parts[0].field(self.form.ident) if self.form.parts else None
        return named.names if named else frozenset({names.plain(self.form.ident)})

    @property
    def problem(self) -> str:
        """Why the hub must not be written, "" when it may be."""
        if not self._holders(ACTIVE) and next(self.entries(), None) is None:
            return f"it has no section {ACTIVE}. Write that heading into it, or move the file away"
        broken = [f"line {self.document.line(at)}: {what}" for at, what in self.document.flaws]
        return "; ".join(broken)

    def _holders(self, title: str) -> list[Section]:
        """Return the sections that hold the active entries, or the history, by whichever of their names."""
        part = self.file_format.part(title)
        requested = part.names if part else frozenset({names.plain(title)})
        return [section for section in self._chapters if requested & names.forms(section.title)]

    @cached_property
    def _chapters(self) -> list[Section]:
        """The sections that may hold entries: those of the first two levels, or else all."""
        first = [section for section in self.document.headings if section.level <= 2]
        active = self.file_format.part(ACTIVE)
        known = active.names if active else frozenset({names.plain(ACTIVE)})
        return first if any(known & names.forms(section.title) for section in first) else self.document.headings

    @cached_property
    def _histories(self) -> list[Section]:
        """The sections that hold the history."""
        return self._holders(HISTORY)

    @cached_property
    def _holding(self) -> frozenset[int]:
        """The offsets of the sections that hold the entries."""
        return frozenset(section.start for title in (ACTIVE, HISTORY) for section in self._holders(title))

    def _may_be_one(self, section: Section) -> bool:
        """Whether a section may be an entry. A section that holds the entries is none, even with fields of its own.

        If it were one, all entries would move with it.
        """
        held = section.start in self._holding or self.document.is_template(section.start)
        return section.level > 1 and not held

    def holder(self, title: str) -> Section | None:
        """Return the one section of this title, None when there is none; HoldfastError when it appears twice."""
        sections = self._holders(title)
        recent = [section for section in sections if not _OLDER.search(section.title)]
        exact = [section for section in recent if names.whole(section.title) == names.whole(title)]
        if len(exact) == 1 and names.remarked(title):
            return exact[0]
        sections = recent if len(recent) == 1 else sections  # "Session History (Older)" may be beside the recent one
        if len(sections) > 1:
            lines = ", ".join(str(self.document.line(section.start)) for section in sections)
            raise HoldfastError(
                f"the section {title} appears {len(sections)} times, on lines {lines}; keep one of them"
            )
        return sections[0] if sections else None

    def lines_of(self, title: str) -> list[int]:
        """Return the 1-based lines of the sections of this title."""
        return [self.document.line(section.start) for section in self._holders(title)]

    def entries(self) -> "Iterator[PlacedEntry]":
        """Yield all entries in order."""
        self.document.labels(0, len(self.data))  # finding all at once is faster than section by section
        yield from (self._found(section) for section in self.document.headings if self._is_entry(section))

    def with_word(self, word: bytes) -> "list[PlacedEntry]":
        """Return the entries whose own text contains a word, in order; the word is given in lower case."""
        sections = {section.start: section for section in self._around_word(word)}
        return [self._found(section) for section in sections.values() if self._is_entry(section)]

    def _around_word(self, word: bytes) -> "Iterator[Section]":
        data = self.data.lower()
        at = data.find(word)
        while at >= 0:
            if section := self._around(at):
                yield section
            at = data.find(word, at + 1)

    def _is_entry(self, section: Section) -> bool:
        """Return whether a section has a label with the session's id, or is right below a holder and has a status."""
        if not self._may_be_one(section):
            return False
        labels = self.document.labels(section.body, self._inner(section))
        fields = {names.plain(label.name) for label in labels if not self.document.heads(label)}
        return bool(fields & self.idents) or (_STATUS in fields and self._is_held(section))

    def _is_held(self, section: Section) -> bool:
        """Return whether a section is right below one that holds the entries."""
        return any(
            holder.start < section.start < holder.end and section.level == holder.level + 1
            for title in (ACTIVE, HISTORY)
            for holder in self._holders(title)
        )

    def parents(self, entry: Entry) -> list[Link]:
        """Return the parents that the field of an entry names, or else the one that its heading names."""
        named = entry.links("Parent")
        return self.by_name.parents(entry) if entry.parent_name and not named else named

    def children_called(self, parent: str) -> list[Entry]:
        """Return the entries whose heading names a parent of this name."""
        requested = f"child of {parent}".casefold()
        begun = [section for title, section in self._children if requested in title]
        return [self._found(section).entry for section in begun]

    @cached_property
    def _children(self) -> list[tuple[str, Section]]:
        """The sections whose heading may name a parent, each with that heading in one case."""
        titles = [(section.title.casefold(), section) for section in self.document.headings]
        return [(title, section) for title, section in titles if "child of " in title and self._may_be_one(section)]

    @cached_property
    def by_name(self) -> ByName:
        """The entries by the names in their headings."""
        sections = [section for section in self.document.headings if self._may_be_one(section)]
        return ByName(sections, lambda section: self._found(section).entry)

    def entry(self, ident: str) -> PlacedEntry | None:
        """Return the entry of a session, None when there is none; HoldfastError when there are two."""
        found = {found.start: found for found in self.naming(ident) if same_ident(found.entry.ident, ident)}
        if len(found) > 1:
            lines = ", ".join(str(self.document.line(start)) for start in sorted(found))
            raise HoldfastError(
                f"{ident} has {len(found)} entries, on lines {lines}; keep one of them: holdfast validate"
            )
        return next(iter(found.values()), None)

    def naming(self, ident: str) -> list[PlacedEntry]:
        """Return the entries that contain an id: the session's own, and those of its parent and children."""
        sections: dict[int, Section] = {}
        for at in self._places(ident.encode()):
            section = self._around(at)
            if section:
                sections[section.start] = section
        return [self._found(section) for _, section in sorted(sections.items())]

    def _places(self, ident: bytes) -> "Iterator[int]":
        """Yield the offsets of an id in the file, written in full or shortened."""
        at = self.data.find(ident)
        while ident and at >= 0:
            yield at
            at = self.data.find(ident, at + 1)
        for cut in map(str.encode, CUTS):
            at = self.data.find(cut)
            while at >= 0:
                word = _WORD.search(self.data, max(0, at - len(ident)), at)
                if word and word[0] and ident.startswith(word[0]):
                    yield word.start()
                at = self.data.find(cut, at + len(cut))

    def _around(self, at: int) -> Section | None:
        """Return the section below the chapters whose own text contains an offset, None when none does."""
        before = layout.index(self.document, at)
        section = self.document.headings[before] if before >= 0 else None
        return section if section and section.start <= at < section.end and self._may_be_one(section) else None

    def _inner(self, section: Section) -> int:
        """Return where the first subsection of a section begins, or else where the section ends."""
        after = layout.index(self.document, section.start) + 1
        following = self.document.headings[after : after + 1]
        return min([section.end, *(other.start for other in following)])

    def _found(self, section: Section) -> PlacedEntry:
        end = self.content_end(section)
        past = any(holder.start < section.start < holder.end for holder in self._histories)
        return PlacedEntry(section.start, end, Entry(self.data[section.start : end], self.form), history=past)

    def content_end(self, section: Section) -> int:
        """Return where the text of a section ends, before the rule, note or comments that close a file or chapter."""
        end = layout.content_end(self.document, section, section.end)
        blocks = [block for block in self.document.blocks(section.body, end) if block[1] < end]
        while len(blocks) > 1 and blocks[-1][0] == "comment":
            end = layout.last_line(self.document, section.body, blocks[-2][2])
            blocks.pop()
        for tag in self.document.tags:  # a closing tag is no block
            if section.body <= tag.start < section.end and not self.data[end : tag.start].strip():
                end = max(end, self.document.line_end(tag.end))
        return end

    def placed(self, at: int, block: bytes) -> "Splice":
        """Return the splice that puts a block at an offset, with a blank line before and after it."""
        newline, following = self.document.newline, self.data[at : at + 1]
        after = newline if following in {b"", b"\r", b"\n"} else newline * 2
        return at, at, gap(self.data[:at], newline) + block.rstrip(b"\r\n") + after


@lru_cache(maxsize=1)
def parsed(data: bytes) -> Document:
    """Return the document with its headings; turning the garbage collector off saves a third of the time.

    The last one is kept: an update that first completes an unfinished write reads the same bytes once more.
    """
    document, collecting = Document(data), gc.isenabled()
    gc.disable()
    try:
        _ = document.headings
    finally:
        if collecting:
            gc.enable()
    return document


def gone(hub: Hub, placed: PlacedEntry) -> "Splice":
    """Return the splice that removes an entry and the blank lines after it."""
    rest = hub.data[placed.end :]
    blank = len(rest) - len(rest.lstrip(b" \t\r\n")) if rest.strip() else 0
    return placed.start, placed.end + blank, b""
