"""A state file, or one entry of a hub, read by its format: the place of each field and section."""

import re
from bisect import bisect_left
from collections.abc import Callable
from operator import attrgetter

from holdfast.core import clock
from holdfast.core.patterns import pattern
from holdfast.formats import names
from holdfast.formats.format import Format, Part, title_after, title_begins
from holdfast.markdown import metadata
from holdfast.markdown.document import Document, Item, Label, Section
from holdfast.trust import safe


class Outline:
    """A document, its frontmatter, and its sections: in order, by their offsets, and by every name that they go by.

    `unclosed` is the offset at which the text begins under frontmatter that never closes, 0 where there is none.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.metadata = metadata.read(document)
        self.sections = document.sections
        self.starts = [section.start for section in self.sections]
        self.unclosed = _unclosed(document)
        self.named: dict[str, list[Section]] = {}
        self.begun: dict[str, list[Section]] = {}  # by the name without the words that only say more
        for section in self.sections:
            for name in names.forms(section.title):
                self.named.setdefault(name, []).append(section)
            if shorter := names.begins(section.title):
                self.begun.setdefault(shorter, []).append(section)


def _unclosed(document: Document) -> int:
    """Return where the keys of frontmatter end that never closes, 0 where there is none."""
    if not any("frontmatter" in what for _, what in document.flaws):
        return 0
    blank = re.compile(rb"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)").search(document.data, document.body)
    return blank.end() if blank else len(document.data)


_OWN_LEVEL = 2  # of the headings whose labels may be about the whole
_WHOLE = frozenset({"status", "state"})  # what an issue or a task within may have too
_OF_GIT = pattern(r"(git|repo|repository|working tree|version control)\b")  # what a section is about
_SESSION = pattern(r"\b(?:session|day|entry|update|run)\s*#?(\d{1,6})\b", re.IGNORECASE)
_DAY = pattern(r"\W*(?:session\W+)?\d{4}-\d\d-\d\d", re.IGNORECASE)  # the title of a session's section
_ENDED = pattern(  # the mark of a session's end, alone on its line
    r"^[\W_]*(?:end of (?:the |this )?session|session (?:end|ended|over|closed))\b(?!\W*:)",
    re.IGNORECASE | re.MULTILINE,
)
TICKS = frozenset({"x", "X", "✅", "✓", "✔"})
_START = attrgetter("start")
_OWN = b"<!-- holdfast:"
_QUOTE = pattern(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)


class Spot:
    """The place of a value: a key of the frontmatter, a label, a section, or the title."""

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
        self.title = None if section else title_of(self.document)
        if section is None and outline.unclosed:
            self.start = outline.unclosed

    def within(self, start: int, end: int) -> list[Section]:
        """Return the sections that begin in a span, without the title of the whole."""
        starts = self.outline.starts
        sections = self.outline.sections[bisect_left(starts, start) : bisect_left(starts, end)]
        return [section for section in sections if section is not self.title]

    def around(self, at: int) -> Section | None:
        """Return the innermost section that holds an offset, None above any."""
        number = bisect_left(self.outline.starts, at + 1) - 1
        while number >= 0 and self.outline.sections[number].end <= at:
            number -= 1
        section = self.outline.sections[number] if number >= 0 else None
        return None if section is self.title else section

    def sections(self, title: str, *, every: bool = False) -> list[Section]:
        """Return the sections of this name, else of another one for it; with `every`, of all. Only the outermost."""
        part = self.file_format.part(title)
        called = part.names if part else frozenset({names.plain(title)})
        found = [] if every else self._called({names.plain(title)})
        found = found or self._called(called) or self._called(called, self.outline.begun)
        if names.remarked(title) and not every:
            found = [section for section in found if names.whole(section.title) == names.whole(title)] or found
        outermost = min((section.level for section in found), default=0)
        return [section for section in found if section.level == outermost]

    def _called(
        self, titles: "set[str] | frozenset[str]", by_name: dict[str, list[Section]] | None = None
    ) -> list[Section]:
        """Return the sections in this record that go by one of these names, in order."""
        by_name = self.outline.named if by_name is None else by_name
        sections: dict[int, Section] = {}
        for name in titles:
            known = by_name.get(name, [])
            first = bisect_left(known, self.start, key=_START)
            sections |= {section.start: section for section in known[first : bisect_left(known, self.end, key=_START)]}
        return [sections[start] for start in sorted(sections) if sections[start] is not self.title]

    def labels(self, name: str, within: Section | None = None) -> list[Label]:
        """Return the labels of this name; those above any section within before those that are in one."""
        plain = self._names(name, within)
        # `## Status: DONE` is a label of its own section
        start, end = (within.start, within.end) if within else (self.start, self.end)
        exact, remarked = names.whole(name), names.remarked(name)
        found = [
            label
            for label in self.document.labels(start, end)
            if names.whole(label.name) == exact or (not remarked and names.plain(label.name) in plain)
        ]
        edge = self.own_end(within) if within else self.edge
        above = [label for label in found if label.start < edge]
        holds_entries = within is None and self.file_format.entry is not None  # what is further down is an entry's own
        if holds_entries or above:
            return above
        if within is not None:
            return found
        if names.plain(name) in _WHOLE:
            return self._of_whole(found)
        return _newest([(self.around(label.start), label) for label in found])

    def _of_whole(self, labels: list[Label]) -> list[Label]:
        """Return those labels that are about the whole: in the newest part with a date, else in no subsection.

        What a section on the repository calls its status is the status of that, what an earlier session says is that
        session's, and so is what follows the mark of its end.
        """
        is_past = self._past()
        parts = [(self.around(label.start), label) for label in labels if not is_past(label.start)]
        own = [(section, label) for section, label in parts if section is None or section.level <= _OWN_LEVEL]
        return _newest([(section, label) for section, label in own if not (section and self._is_aside(section, label))])

    def _is_aside(self, section: Section, label: Label) -> bool:
        """Whether a label of a section is about the repository, or follows the mark of a session's end."""
        text = self.document.text(section.start, label.start)
        return bool(_OF_GIT.match(names.plain(section.title)) or _ENDED.search(text))

    def _past(self) -> Callable[[int], bool]:
        """Return what tells whether an offset is in an earlier session, where each session has a section."""
        sections = [one for one in self.within(self.start, self.end) if one.level <= _OWN_LEVEL]
        sessions = [one for one in sections if _DAY.match(one.title) or _number(one)]
        days, numbers = [clock.find(one.title) for one in sessions], [*map(_number, sessions)]
        keys = days if all(days) else numbers if all(numbers) else []
        starts, latest = [one.start for one in sessions], max(keys, default=0.0)

        def is_past(at: int) -> bool:
            number = bisect_left(starts, at + 1) - 1
            return bool(keys) and number >= 0 and at < sessions[number].end and keys[number] < latest

        return is_past

    def labelled(self, name: str) -> bool:
        """Whether this record has a label of this name."""
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
        if not parts and (begun := names.begins(section.title)):
            parts = [part for part in self.file_format.parts if part.title and begun in part.names]
        return next((part for part in parts if names.plain(part.title) in called), parts[0] if parts else None)

    def find(self, locator: str) -> list[Spot]:
        """Return the places for a locator of the format; there may be none or several."""
        kind, _, rest = locator.partition(":")
        if kind == "front":
            known = self.section is None and self.metadata.has(rest)
            return [Spot("front", path=rest)] if known else []
        if kind == "section":
            return [Spot("section", section=section) for section in self.sections(rest)]
        if kind == "heading":
            sections, is_past = self._called({names.plain(rest)}), self._past()
            sections = [one for one in sections if self.file_format.category(self.body(one))]
            return [Spot("section", section=one) for one in sections if not is_past(one.start)]
        if kind == "title":
            fits = self.title is not None and title_begins(self.title.title, rest)
            return [Spot("title", path=rest, section=self.title)] if fits else []
        return [Spot("label", label=label) for label in self._located(rest)]

    def spots(self, word: str) -> list[Spot]:
        """Return all places of a word of the model, in the order of the format."""
        return [spot for place in self.file_format.model.get(word, []) for spot in self.find(place)]

    def newest(self, locator: str) -> list[Spot]:
        """Return the places for a locator; of sections in several dated or numbered sessions only the newest one's."""
        spots = self.find(locator)
        times = [self._time(spot.section) for spot in spots if spot.section and spot.kind == "section"]
        if len(times) < max(2, len(spots)) or not all(map(any, times)):
            return spots
        return [spot for spot, at in zip(spots, times, strict=True) if at == max(times)]

    def _time(self, section: Section) -> tuple[float, float]:
        """Return date and number of the session that a section is of, by its title and those around it; else 0.0."""
        outer = [one for one in self.within(self.start, section.start) if one.end >= section.end]
        titles_ = [one.title for one in (*outer, section)]
        return max(map(clock.find, titles_)), max(map(_number, (*outer, section)))

    def _located(self, path: str) -> list[Label]:
        """Return the labels at SECTION/NAME or NAME; a name may hold a slash itself."""
        title, slash, name = path.partition("/")
        sections = self.sections(title) if slash else []
        labels = [label for section in sections for label in self.labels(name, section)]
        return labels or (self.labels(path) if not slash or not sections else [])

    def text(self, spot: Spot) -> str:
        """Return the text at a place: a value without its label, a section without its heading."""
        document = self.document
        if spot.kind == "front":
            text = self.metadata.text(spot.path)
            return "" if text.casefold() in {"null", "~"} else text
        if spot.kind == "title" and spot.section:
            return title_after(spot.section.title, spot.path)
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
        """Return the text of a section without comments and rules.

        Quotes count only if there is no other text, as hints have this form too, or if holdfast's marks are there: what
        it writes itself is quoted.
        """
        blocks = self.document.blocks(section.body, section.end)
        rest = [block for block in blocks if block[0] not in {"comment", "rule"}]
        marked = any(kind == "comment" and _OWN in self.document.data[start:end] for kind, start, end in blocks)
        own = [] if marked else [block for block in rest if block[0] != "quote"]
        text = "\n\n".join(self.document.text(start, end).strip("\r\n") for _, start, end in own or rest).strip()
        return text if own else _QUOTE.sub("", text)

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

    def labelled_item(self, item: Item) -> bool:
        """Return whether a list item begins with a label in bold."""
        return any(label.style == "bold" and label.item for label in self.document.labels(item.start, item.text_end))

    def ticked(self, item: Item) -> bool:
        """Whether an item has a box that is ticked."""
        return item.box is not None and self.document.text(*item.box) in TICKS

    def unfilled(self, text: str) -> bool:
        """Whether a text is a placeholder in this format."""
        return names.is_placeholder(text, self.file_format.samples)

    def ident(self) -> str:
        """Return the id of an entry of a hub, "" for none."""
        labels = self.own_labels(self.file_format.ident) if self.file_format.ident else []
        return bare(self.text(Spot("label", label=labels[0]))) if labels else ""

    def vacant(self, text: str) -> bool:
        """Whether a text is a placeholder and says nothing else, so that an answer may take its place."""
        return names.is_nothing_else(text, self.file_format.samples)

    def replaceable(self, text: str) -> bool:
        """Whether a text says nothing, so that an item takes its place: a placeholder, or a "None"."""
        return self.vacant(text) or names.says_nothing(text)

    def entries_of_hub(self) -> "list[Record]":
        """Return the entries of a hub, in order; none in any other format."""
        inner = self.file_format.entry
        if inner is None:
            return []
        holders = [section for title in self.file_format.sections for section in self.sections(title, every=True)]
        spans = [(holder.body, holder.end) for holder in holders] or [(self.start, self.end)]
        records = [Record(self.outline, inner, section) for span in sorted(spans) for section in self.within(*span)]
        return [
            one
            for one in records
            if any(not self.document.heads(label) for label in one.own_labels(inner.ident))
            and not (one.section and self.document.is_template(one.section.start))
        ]


def bare(ident: str) -> str:
    """Return an id without the code span or the remark that it is in, and without what would steer a terminal.

    A placeholder, such as `[to be filled]`, stays whole.
    """
    if names.is_placeholder(ident.strip().strip("`")):
        return safe.plain(ident.strip().strip("`"))
    return safe.plain(ident.strip().strip("`").split("`")[0].split(" ")[0].strip("\"'`,;"))


def _number(section: Section) -> float:
    """Return the number of the session that a section is of by its title, 0.0 for none."""
    match = _SESSION.search(section.title)
    return float(match[1]) if match else 0.0


def _newest(found: list[tuple[Section | None, Label]]) -> list[Label]:
    """Return the labels of the newest section, where each one is in a section with a date; else all."""
    dated = [(clock.find(section.title), label) for section, label in found if section and clock.find(section.title)]
    if len(dated) < len(found):
        return [label for _, label in found]
    newest = max((at for at, _ in dated), default=0.0)
    return [label for at, label in dated if at == newest]


_TITLE = 1  # the level of its heading


def title_of(document: Document) -> Section | None:
    """Return the heading that is the title of the whole: the first one, when it alone is of the first level."""
    headings = document.headings
    others = [heading for heading in headings[1:] if heading.level == _TITLE]
    return headings[0] if headings and headings[0].level == _TITLE and not others else None
