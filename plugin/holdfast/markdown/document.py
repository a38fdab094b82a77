"""A Markdown file as bytes with a known structure; edits are splices, so what is not meant stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter, itemgetter

from holdfast.core.patterns import pattern
from holdfast.markdown import blocks, labels
from holdfast.markdown.blocks import Item, Lines, Outline, Row, between
from holdfast.markdown.labels import Label, Reader

__all__ = [
    "TAGGED",
    "Document",
    "Item",
    "Label",
    "Row",
    "Section",
    "code_span",
    "inline",
    "outside_code",
    "splice",
    "splices",
]
_SMALL = 8  # as many times larger a file is read for labels only where they are asked for
TAGGED = 7  # the level of a tagged section, below that of any heading
_RULE = pattern(rb"---[ \t]*(?:\r\n|\r|\n|\Z)")
_FRONTMATTER_END = pattern(rb"(?:\A|(?<=[\r\n]))---[ \t]*(?:\r\n|\r|\n|\Z)")
_KEY = pattern(rb"(?:[ \t]*+[^ \t\r\n][^\r\n]*(?:\r\n|\r|\n))*?[\w-]+:(?:[ \t\r\n]|\Z)")
# A heading between blank lines, with no key under it, is text, although YAML may read it as a key.
_PROSE = pattern(
    rb"[\r\n][ \t]*(?:\r\n|\r|\n)#{1,6} [^\r\n]++[\r\n]++(?=(?P<gap>(?:[ \t]*[\r\n])*))(?P=gap)"
    rb"(?![\w\"'.-]+[ \t]*:|#)[^\r\n]"
)
_CONFLICT = pattern(rb"^(?:<{7}|>{7}) ", re.MULTILINE)
_MARK = pattern(rb"<!-- holdfast:([a-z]+)(?: (\d+)(?: [^>]*)?)? -->")
_BLANK = pattern(rb"[ \t]*(?:\r\n|\r|\n)")
_BEFORE_ITEM = pattern(_BLANK.pattern + rb"(?=- )")
_FILLED = pattern(rb"[^\r\n]*[^ \t\r\n][^\r\n]*(?:\r\n|\r|\n|\Z)")
# A fence whose marks are escaped, as some programs write a template; Markdown reads it as text.
_ESCAPED_FENCE = pattern(rb"^[ \t]*(?:(?:\\`){3,}|\\`{3,})", re.MULTILINE)
_BOM = b"\xef\xbb\xbf"
_START = attrgetter("start")


class Section:
    """A heading outside fences, comments, lists and quotes, or a pair of tag lines, with what is under it.

    `level` is 1 to 6, and 7 for tags. `start` is where its line begins, `body` where the text under it begins, `end`
    where the next heading of the same or a higher level or the closing tag begins; all are offsets into the document's
    bytes. A heading between tags ends there at the latest, and ends no section that began before them.
    """

    __slots__ = ("body", "end", "level", "start", "title")

    def __init__(self, level: int, title: str, start: int, body: int, end: int) -> None:
        self.level = level
        self.title = title
        self.start = start
        self.body = body
        self.end = end


class Document:
    """The structure of one Markdown file: frontmatter, sections, blocks, lists, tables, labels; and what is broken.

    Whatever takes `start` and `end` returns what begins between these offsets, in order.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.newline = next((end for end in (b"\r\n", b"\n", b"\r") if end in data), b"\n")
        self.frontmatter, self.body = _frontmatter(data)

    @cached_property
    def headings(self) -> list[Section]:
        """The headings outside fences, comments, lists and quotes, in order."""
        return [section for section in self.sections if section.level != TAGGED]

    @cached_property
    def tags(self) -> list[Section]:
        """The sections between `<name>` and `</name>`, each alone on its line, in order."""
        return [section for section in self.sections if section.level == TAGGED]

    @cached_property
    def sections(self) -> list[Section]:
        """Headings and tagged sections, in order; each of two lies within the other, or beside it."""
        size = len(self.data)
        found = [Section(TAGGED, *tag) for tag in self._outline.tags]
        for level, start, body, title in self._outline.headings:
            found.append(Section(level, self._title(*title), start, body, size))
        found.sort(key=lambda section: section.start)
        _close(found)
        return found

    @cached_property
    def comments(self) -> list[tuple[int, int]]:
        """The spans of the comments that are alone on their lines, from the first column on."""
        tops = self._outline.tops
        return [(at, end) for kind, at, end in tops if kind == "comment" and self.data.startswith(b"<!--", at)]

    @cached_property
    def _escaped(self) -> list[tuple[int, int]]:
        """The spans between escaped fences."""
        marks = [match.start() for match in _ESCAPED_FENCE.finditer(self.data)]
        return list(zip(marks[::2], marks[1::2], strict=False))

    def is_template(self, at: int) -> bool:
        """Return whether an offset is between escaped fences, where people show a template."""
        return any(start < at < end for start, end in self._escaped)

    @cached_property
    def flaws(self) -> list[tuple[int, str]]:
        """What is broken, as (offset, what), in order."""
        flaws_read = list(self._outline.unclosed)
        rule = None if self.frontmatter else _RULE.match(self.data, self.body)
        if rule and _KEY.match(self.data, rule.end()):
            flaws_read.append((self.body, "frontmatter that never closes"))
        if conflict := _CONFLICT.search(self.data):
            flaws_read.append((conflict.start(), "a conflict marker that a merge left"))
        if (null := self.data.find(b"\0")) >= 0:
            flaws_read.append((null, "a null character"))
        try:
            self.data.decode()
        except UnicodeDecodeError as error:
            flaws_read.append((error.start, "bytes that are not UTF-8"))
        return sorted(flaws_read)

    def blocks(self, start: int, end: int) -> list[tuple[str, int, int]]:
        """Return the top-level blocks as (kind, start, end), in whole lines.

        A kind is "paragraph", "heading", "list", "table", "code", "html", "comment", "quote" or "rule". Tag lines of
        sections are none of these.
        """
        return between(self._outline.tops, start, end, itemgetter(1))

    def paragraphs(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the spans of the top-level paragraphs, in whole lines."""
        return [(at, last) for kind, at, last in self.blocks(start, end) if kind == "paragraph"]

    def items(self, start: int, end: int) -> list[Item]:
        """Return the items of all lists outside quotes, nested ones after the item that holds them."""
        return between(self._outline.items, start, end, _START)

    def rows(self, start: int, end: int) -> list[Row]:
        """Return the rows of all tables outside quotes, without the rows of dashes."""
        return between(self._outline.rows, start, end, _START)

    def labels(self, start: int, end: int) -> list[Label]:
        """Return the labels in all paragraphs, items, rows and headings outside quotes."""
        if "_labels" not in self.__dict__ and (end - start) * _SMALL < len(self.data):
            return self._reader.read(start, end)
        return between(self._labels, start, end, _START)

    def heads(self, label: Label) -> bool:
        """Whether a label is the heading row of a table, which names what is in rows, and is none itself."""
        return label.style == "row" and any(row.header for row in self.rows(label.start, label.end))

    def line(self, offset: int) -> int:
        """Return the number of the line that an offset is on, from 1."""
        return self._lines.number(offset)

    def line_start(self, offset: int) -> int:
        """Return where the line begins that an offset is on."""
        return self._lines.start(offset)

    def line_end(self, offset: int) -> int:
        """Return where the line ends that an offset is on, after its newline."""
        return self._lines.after(offset)

    def text(self, start: int, end: int) -> str:
        """Return the text between two offsets."""
        return self.data[start:end].decode("utf-8", "replace")

    def section(self, title: str) -> str | None:
        """Return the text under the first heading with this title, None when there is no such heading."""
        found = self.find(title)
        return None if found is None else self.text(found.body, found.end).strip()

    def find(self, title: str) -> Section | None:
        """Return the first heading with this title, of any level and in any case."""
        plain = title.casefold()
        return next((heading for heading in self.headings if heading.title.casefold() == plain), None)

    def only(self, title: str) -> Section | None:
        """Return the heading with this title, None when there is none, or more than one."""
        sections = [heading for heading in self.headings if heading.title.casefold() == title.casefold()]
        return sections[0] if len(sections) == 1 else None

    def block(self, name: str) -> tuple[int, int] | None:
        """Return where the lines below the mark `<!-- holdfast:name -->` begin and end.

        One blank line may be under the mark. A mark with a number has that many lines, one without reaches to the next
        blank line or heading. None when the mark is missing or appears twice: then it is unclear whose the text is.
        """
        marks = [(end, mark) for at, end in self.comments if (mark := _MARK.fullmatch(self.data[at:end].strip()))]
        own = [(end, mark) for end, mark in marks if mark[1] == name.encode()]
        if len(own) != 1:
            return None
        start, mark = own[0]
        blank = (_BLANK if mark[2] else _BEFORE_ITEM).match(self.data, start)
        start = blank.end() if blank else start
        return start, self._after_lines(start, int(mark[2])) if mark[2] else self._filled(start)

    def _after_lines(self, at: int, count: int) -> int:
        """Return the offset after so many lines, that of the end if there are fewer."""
        for _ in range(count):
            at = self.line_end(at) if at < len(self.data) else at
        return at

    def _filled(self, start: int) -> int:
        """Return where the first blank line, heading or comment at or after an offset begins."""
        at = start
        stops = {section.start for section in self.sections} | {begin for begin, _ in self.comments}
        while at < len(self.data) and at not in stops and (line := _FILLED.match(self.data, at)):
            at = line.end()
        return at

    def conflicted(self) -> bool:
        """Whether a merge left conflict markers."""
        return re.search(rb"^<{7} ", self.data, re.MULTILINE) is not None and b"\n>>>>>>> " in self.data

    @cached_property
    def _lines(self) -> Lines:
        return Lines(self.data, 0 if self.frontmatter else self.body)

    @cached_property
    def _outline(self) -> Outline:
        found = blocks.outline(self.data, self.body, self._lines)
        labels.part(found, self._lines)
        return found

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.data, self._outline, self._lines)

    @cached_property
    def _labels(self) -> list[Label]:
        return self._reader.read(0, len(self.data) + 1)

    def _title(self, start: int, end: int) -> str:
        """Return a heading's text without emphasis around the whole."""
        content = self.text(start, end).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        return content.strip().strip("*_").strip()


def _frontmatter(data: bytes) -> tuple[tuple[int, int] | None, int]:
    """Return the span of the YAML between the rules, None without any, and where the body begins."""
    start = len(_BOM) if data.startswith(_BOM) else 0
    opening = _RULE.match(data, start)
    closing = _FRONTMATTER_END.search(data, opening.end()) if opening else None
    if opening and closing and _PROSE.search(data, opening.end(), closing.start()):
        closing = None  # a rule in the text, and the frontmatter never closes
    return ((opening.end(), closing.start()), closing.end()) if opening and closing else (None, start)


def _close(sections: list[Section]) -> None:
    """Set where each heading's section ends; `end` is known for tags, and the file's end for headings."""
    around: list[Section] = []  # those that the next one is in, the outermost first
    for section in sections:
        while around and (around[-1].end <= section.start or section.level <= around[-1].level < TAGGED):
            ended = around.pop()
            ended.end = min(ended.end, section.start) if ended.level < TAGGED else ended.end
        if around:
            section.end = min(section.end, around[-1].end)
        around.append(section)


def splice(data: bytes, start: int, end: int, replacement: bytes) -> bytes:
    """Return `data` with the bytes from `start` to `end` replaced."""
    return data[:start] + replacement + data[end:]


def splices(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """Return `data` with each (start, end, replacement) made, all offsets as they are in `data`, in any order.

    What is inserted at one place stays in the order given. ValueError when two of them overlap.
    """
    parts = []
    at = 0
    for start, end, replacement in sorted(changes, key=itemgetter(0, 1)):
        if not at <= start <= end:
            raise ValueError(f"a change of bytes {start} to {end} overlaps one that ends at {at}")
        parts += [data[at:start], replacement]
        at = end
    return b"".join([*parts, data[at:]])


_CODE_SPAN = pattern(r"(`[^`]+`)")
_CODE_BLOCK = pattern(r"```(?:[\w+-]*\n)?(.*?)(?:```|\Z)", re.DOTALL)


def inline(text: str) -> str:
    """Return a text for a line: its blocks of code become code spans."""
    return _CODE_BLOCK.sub(lambda found: code_span(" ".join(found[1].split())), text)


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return one line with what is not in a code span changed; a comment is changed wherever it is."""
    parts = _CODE_SPAN.split(text)
    return "".join(part if at % 2 and "<!" not in part else change(part) for at, part in enumerate(parts))


def code_span(text: str) -> str:
    """Return text as a code span, also text with backticks."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"
