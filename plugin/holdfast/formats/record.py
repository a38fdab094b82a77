"""A state file, or one entry of a register, as its format sees it: where each field and section stands."""

import re
from bisect import bisect_left

from holdfast.formats import names, placeholders
from holdfast.formats.format import Format, Part
from holdfast.formats.outline import Outline
from holdfast.formats.table import Table, tables
from holdfast.markdown.document import Document, Item, Label, Section

_TITLE = 1


TICKS = frozenset({"x", "X", "✅", "✓", "✔"})
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)


class Spot:
    """A place where a value stands: a key of the frontmatter, a label, a section, or the title."""

    __slots__ = ("kind", "label", "path", "section")

    def __init__(
        self, kind: str, *, path: str = "", label: Label | None = None, section: Section | None = None
    ) -> None:
        self.kind = kind  # front, label, section or title
        self.path = path  # of the key; of a title what it begins with
        self.label = label
        self.section = section


class Record:
    """A document, or the section of it that is one entry, seen through a format."""

    def __init__(self, outline: Outline, file_format: Format, section: Section | None = None) -> None:
        self.outline = outline
        self.document, self.metadata = outline.document, outline.metadata
        self.file_format = file_format
        self.section = section
        self.start, self.end = (section.body, section.end) if section else (self.document.body, len(self.document.data))
        self.title = None if section else _title(self.document)
        if section is None and outline.unclosed:
            self.start = outline.unclosed

    def within(self, start: int, end: int) -> list[Section]:
        """Return the sections that begin in a span, without the title of the whole."""
        starts = self.outline.starts
        found = self.outline.sections[bisect_left(starts, start) : bisect_left(starts, end)]
        return [section for section in found if section is not self.title]

    def around(self, at: int) -> Section | None:
        """Return the innermost section that holds an offset, None above any."""
        number = bisect_left(self.outline.starts, at + 1) - 1
        while number >= 0 and self.outline.sections[number].end <= at:
            number -= 1
        found = self.outline.sections[number] if number >= 0 else None
        return None if found is self.title else found

    def sections(self, title: str) -> list[Section]:
        """Return the sections of this name, else of another one that the format has for it; only the outermost."""
        part = self.file_format.part(title)
        found = self._called({names.plain(title)}) or (self._called(part.names) if part else [])
        if names.remarked(title):
            found = [section for section in found if names.whole(section.title) == names.whole(title)] or found
        outermost = min((section.level for section in found), default=0)
        return [section for section in found if section.level == outermost]

    def _called(self, titles: "set[str] | frozenset[str]") -> list[Section]:
        """Return the sections in this record that go by one of these names, in order."""
        found: dict[int, Section] = {}
        for name in titles:
            known = self.outline.named.get(name, [])
            first = bisect_left(known, self.start, key=_start)
            found |= {section.start: section for section in known[first : bisect_left(known, self.end, key=_start)]}
        return [found[start] for start in sorted(found) if found[start] is not self.title]

    def labels(self, name: str, within: Section | None = None) -> list[Label]:
        """Return the labels of this name; those above any section within before those that are in one."""
        wanted = self._names(name, within)
        # `## Status: DONE` is a label of its own section
        start, end = (within.start, within.end) if within else (self.start, self.end)
        exact, remarked = names.whole(name), names.remarked(name)
        found = [
            label
            for label in self.document.labels(start, end)
            if names.whole(label.name) == exact or (not remarked and names.plain(label.name) in wanted)
        ]
        edge = self.own_end(within) if within else self.edge
        above = [label for label in found if label.start < edge]
        register = within is None and self.file_format.entry is not None  # what is further down is an entry's own
        return above if register else above or found

    def labelled(self, name: str) -> bool:
        """Whether a label of this name stands anywhere in this record."""
        labels = self.document.labels(self.start, self.end)
        return any(names.plain(label.name) == names.plain(name) for label in labels)

    def own_labels(self, name: str) -> list[Label]:
        """Return the labels of this name that are in none of the sections within."""
        edge = self.edge
        return [label for label in self.labels(name) if label.start < edge]

    @property
    def edge(self) -> int:
        """Where the first section within begins."""
        return next((section.start for section in self.within(self.start, self.end)), self.end)

    def _names(self, name: str, within: Section | None) -> "frozenset[str]":
        """Return all names of a field, as the format has it for that section."""
        part = self.part(within) if within else next((part for part in self.file_format.parts if not part.title), None)
        field = part.field(name) if part else None
        return field.names if field else frozenset({names.plain(name)})

    def part(self, section: Section) -> Part | None:
        """Return what the format says of a section, None when it does not know it."""
        called = names.forms(section.title)
        parts = [part for part in self.file_format.parts if part.title and part.names & called]
        return next((part for part in parts if names.plain(part.title) in called), parts[0] if parts else None)

    def find(self, locator: str) -> list[Spot]:
        """Return where a locator of the format leads, nowhere or to several places when that is how it stands."""
        kind, _, rest = locator.partition(":")
        if kind == "front":
            known = self.section is None and self.metadata.has(rest)
            return [Spot("front", path=rest)] if known else []
        if kind == "section":
            return [Spot("section", section=section) for section in self.sections(rest)]
        if kind == "title":
            fits = self.title is not None and _begins(self.title.title, rest)
            return [Spot("title", path=rest, section=self.title)] if fits else []
        return [Spot("label", label=label) for label in self._located(rest)]

    def spots(self, word: str) -> list[Spot]:
        """Return all places of a word of the model, in the order of the format."""
        return [spot for place in self.file_format.model.get(word, []) for spot in self.find(place)]

    def _located(self, path: str) -> list[Label]:
        """Return the labels at SECTION/NAME or NAME; a name may hold a slash itself."""
        title, slash, name = path.partition("/")
        sections = self.sections(title) if slash else []
        found = [label for section in sections for label in self.labels(name, section)]
        return found or (self.labels(path) if not slash or not sections else [])

    def text(self, spot: Spot) -> str:
        """Return the text at a place: a value without its label, a section without its heading."""
        document = self.document
        if spot.kind == "front":
            return self.metadata.text(spot.path)
        if spot.kind == "title" and spot.section:
            return _after(spot.section.title, spot.path)
        if spot.label:
            label = spot.label
            if label.items:
                return "; ".join(self.item(item) for item in label.items)
            return " ".join(document.text(label.value_start, label.value_end).split())
        return self.body(spot.section) if spot.section else ""

    def begins(self, section: Section | None = None) -> int:
        """Return the 1-based line on which a section begins, or the record itself."""
        at = section or self.section
        return self.document.line(at.start) if at else 1

    def line(self, spot: Spot) -> int:
        """Return the 1-based line on which a place begins."""
        if spot.kind == "front":
            span = self.metadata.span(spot.path)
            return self.document.line(span[0]) if span else 1
        at = spot.label or spot.section
        return self.document.line(at.start) if at else 1

    def body(self, section: Section) -> str:
        """Return the text of a section without comments and rules; what is quoted only where nothing else is said."""
        blocks = self.document.blocks(section.body, section.end)
        told = [block for block in blocks if block[0] not in {"comment", "rule"}]
        own = [block for block in told if block[0] != "quote"]
        said = "\n\n".join(self.document.text(start, end).strip("\r\n") for _, start, end in own or told).strip()
        return said if own else _QUOTE.sub("", said)

    def item(self, item: Item) -> str:
        """Return the text of a list item on one line."""
        end = (
            item.text_end if item.text_start < item.text_end else min(item.end, self.document.line_end(item.text_start))
        )
        return " ".join(self.document.text(item.text_start, end).split())

    def items(self, section: Section) -> list[Item]:
        """Return the outermost list items of a section that are in no subsection."""
        end = self.own_end(section)
        return [item for item in self.document.items(section.body, end) if not item.depth]

    def own_end(self, section: Section) -> int:
        """Return where the text of a section ends that is in none of its subsections."""
        at = bisect_left(self.outline.starts, section.body)
        starts = self.outline.starts[at : at + 1]
        return min([section.end, *starts])

    def entries(self, spot: Spot, *, ahead: bool = False) -> list[str]:
        """Return what is at a place as a list: items, rows, subsections; else each paragraph.

        Of what lies `ahead` items are left out whose box is ticked.
        """
        if spot.section is None or spot.kind == "title":
            if spot.label and spot.label.items:
                return [self.item(item) for item in spot.label.items if not (ahead and self.ticked(item))]
            return [text for text in [self.text(spot)] if text]
        section, document = spot.section, self.document
        end = self.own_end(section)
        items = self.items(section)
        told = [self.item(item) for item in items if not (ahead and self.ticked(item))]
        part = self.part(section)
        told += _rows(tables(document, section.body, end), part.columns[:2] if part else [])
        told += [inner.title for inner in self.within(section.body, section.end)]
        if told or items or (part and part.holds == "table"):
            return told
        return [" ".join(document.text(*span).split()) for span in document.paragraphs(section.body, end)]

    def ticked(self, item: Item) -> bool:
        """Whether an item has a box that is ticked."""
        return item.box is not None and self.document.text(*item.box) in TICKS

    def unfilled(self, text: str) -> bool:
        """Whether a text is a placeholder in this format."""
        return placeholders.is_placeholder(text, self.file_format.samples)

    def ident(self) -> str:
        """Return the id that an entry of a register goes by, "" for none."""
        found = self.own_labels(self.file_format.ident) if self.file_format.ident else []
        return bare(self.text(Spot("label", label=found[0]))) if found else ""

    def vacant(self, text: str) -> bool:
        """Whether a text is a placeholder and says nothing else, so that an answer may take its place."""
        return placeholders.is_nothing_else(text, self.file_format.samples)

    def register(self) -> "list[Record]":
        """Return the entries of a register, in order; none in any other format."""
        inner = self.file_format.entry
        if inner is None:
            return []
        holders = [section for title in self.file_format.sections for section in self.sections(title)]
        spans = [(holder.body, holder.end) for holder in holders] or [(self.start, self.end)]
        found = [Record(self.outline, inner, section) for span in sorted(spans) for section in self.within(*span)]
        return [
            record
            for record in found
            if any(not self.document.heads(label) for label in record.own_labels(inner.ident))
        ]


def _rows(found: list[Table], columns: list[str]) -> list[str]:
    """Return each row of tables as a text of two cells: those in these columns, else the first two."""
    texts = []
    for table in found:
        at = [number for column in columns if (number := table.column(column)) >= 0]
        for row in table.rows:
            cells = [table.text(row, number) for number in (at if len(at) == len(columns) and at else [0, 1])]
            texts.append(" - ".join(filter(None, cells)))
    return texts


def bare(ident: str) -> str:
    """Return an id without the code span or the remark that it is in."""
    return ident.strip().strip("`").split("`")[0].split(" ")[0].strip("\"'`,;")


def _start(section: Section) -> int:
    """Return where a section begins."""
    return section.start


def _title(document: Document) -> Section | None:
    """Return the heading that is the title of the whole: the first one, when it alone is of the first level."""
    headings = document.headings
    others = [heading for heading in headings[1:] if heading.level == _TITLE]
    return headings[0] if headings and headings[0].level == _TITLE and not others else None


def _begins(title: str, beginning: str) -> bool:
    """Whether a title begins with these words, in any case and dress."""
    wanted = names.plain(beginning)
    said = names.plain(title)
    return not wanted or said == wanted or said.startswith(wanted + " ")


def _after(title: str, beginning: str) -> str:
    """Return what follows the beginning of a title, "" when nothing does."""
    opening = beginning.rstrip(" :-")
    at = title.casefold().find(opening.casefold())
    return title[max(at, 0) + len(opening) :].lstrip(" :-\u2013\u2014").strip()
