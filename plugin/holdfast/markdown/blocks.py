"""Markdown as pulldown-cmark reads it: what a text consists of. The one importer of pyromark.

All offsets are into the document's bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate

from holdfast.core.patterns import pattern
from holdfast.markdown import tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BLANKS = b" \t\r\n"
_LONE_CR = pattern(rb"\r(?!\n)")
_ODD = bytes.maketrans(b"\0\x0b\x0c", b"\x7f\x7f\x7f")  # no blanks in CommonMark, but in pulldown-cmark
_BAD_BYTE = pattern("[\udc80-\udcff]")
_BRACKET = pattern(rb"^([ \t]*+(?:(?:[-+*]|\d{1,9}[.)])[ \t]++)+)\[", re.MULTILINE)
_MARKER = pattern(rb"[ \t\r\n]*([-+*]|\d{1,9}[.)])[ \t]*")
_BOX = pattern(rb"\[([ -~]|[\xc2-\xf4][\x80-\xbf]+(?:\xef\xb8\x8f)?)\](?:[ \t]+|(?=[\r\n]|\Z))")
_BOLD_LINE = pattern(rb"[ \t]*>[ \t]?()(?:\*\*|__)")
_FENCE = pattern(rb"`+|~+")
_CLOSING = pattern(rb"[ \t>]*(`+|~+)[ \t]*")
_OPENING = pattern(rb"#{1,6}(?=[ \t\r\n]|\Z)[ \t]*")


class Lines:
    """The offsets at which the lines of a file begin (ends: LF, CRLF or CR); the first is after a byte order mark."""

    def __init__(self, data: bytes, first: int) -> None:
        self._size = len(data)
        self._starts = [first, *accumulate(map(len, data.splitlines(keepends=True)))]
        if len(self._starts) > 1 and not data.endswith((b"\r", b"\n")):
            self._starts.pop()  # the end of the file, where no line begins

    def number(self, offset: int) -> int:
        """Return the number of the line that an offset is on, from 1."""
        return max(1, bisect_right(self._starts, offset))

    def start(self, offset: int) -> int:
        """Return where the line begins that an offset is on."""
        return self._starts[max(bisect_right(self._starts, offset) - 1, 0)]  # a mark at the beginning is in no line

    def end(self, offset: int) -> int:
        """Return where the next line begins; the offset itself when one begins there."""
        return self._begin(bisect_left(self._starts, offset))

    def after(self, offset: int) -> int:
        """Return where the line ends that an offset is on, after its newline."""
        return self._begin(bisect_right(self._starts, offset))

    def _begin(self, number: int) -> int:
        """Return where a line begins, the file's end for one that is not there."""
        return self._starts[number] if number < len(self._starts) else self._size


def gap(before: bytes, newline: bytes) -> bytes:
    """Return the line ends that a text lacks to end with a blank line; an empty text lacks none."""
    if not before or before.endswith((b"\n\n", b"\r\n\r\n", b"\r\r")):
        return b""
    return newline if before.endswith((b"\n", b"\r")) else newline * 2


def between(blocks: list[Any], start: int, end: int, key: Callable[[Any], int]) -> list[Any]:
    """Return what begins between two offsets, of what is in order."""
    return blocks[bisect_left(blocks, start, key=key) : bisect_left(blocks, end, key=key)]


class Item:
    """One item of a list outside quotes.

    `start` is where its line begins (where its marker stands, for the second of `- - a`), `end` where the line after
    its last one begins. `text_start` and `text_end` are its first paragraph's, without marker, checkbox and blanks
    around it. `depth` is 0 for the outermost, `box` the span of what is between the brackets of a checkbox.
    """

    __slots__ = ("box", "depth", "end", "marker", "start", "text_end", "text_start")

    def __init__(self, start: int, depth: int, marker: bytes, text: int) -> None:
        self.start = start
        self.depth = depth
        self.marker = marker
        self.text_start = self.text_end = self.end = text
        self.box: tuple[int, int] | None = None


class Row:
    """One row of a table: whole lines, and the spans of its cells without the blanks around them."""

    __slots__ = ("cells", "end", "header", "start")

    def __init__(self, start: int, end: int, *, header: bool) -> None:
        self.start = start
        self.end = end
        self.header = header
        self.cells: list[tuple[int, int]] = []


class Text:
    """The span of one paragraph outside quotes; `item` is the list item that it begins, without marker and checkbox."""

    __slots__ = ("end", "item", "start")

    def __init__(self, start: int, end: int, item: Item | None) -> None:
        self.start = start
        self.end = end
        self.item = item


class Outline:
    """What a Markdown text consists of, in the order of the file.

    `plain` is the text as long as the file, with newlines for what is before the body, and for lone CRs. `tops` are
    the top-level blocks as (kind, start, end) in whole lines; `headings` the top-level ones as (level, start, end, span
    of the title); `tags` the pairs of tag lines as (name, start, body, end), by their ends; `lists` the items of each
    list by the start of its first one; `texts` where labels may be, `hidden` the code spans and comments in there;
    `unclosed` the fences and comments without an end as (offset, what).
    """

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self.tops: list[tuple[str, int, int]] = []
        self.headings: list[tuple[int, int, int, tuple[int, int]]] = []
        self.tags: list[tuple[str, int, int, int]] = []
        self.items: list[Item] = []
        self.lists: dict[int, list[Item]] = {}
        self.rows: list[Row] = []
        self.texts: list[Text] = []
        self.hidden: list[tuple[int, int]] = []
        self.unclosed: list[tuple[int, str]] = []


class _Reader:
    """Takes in one text; `seen` are those of the `separators` that separate, see `tags`."""

    def __init__(self, plain: bytes, lines: Lines, separators: set[int]) -> None:
        self.out = Outline(plain)
        self.seen: set[int] = set()
        self._plain = plain
        self._lines = lines
        self._separators = separators
        self._begin = {
            "BlockQuote": self._quote,
            "CodeBlock": self._code,
            "Heading": self._heading,
            "HtmlBlock": self._html,
            "Item": self._item,
            "List": self._list,
            "Paragraph": self._paragraph,
            "Table": self._table,
            "TableHead": self._row,
            "TableRow": self._row,
            "TableCell": self._cell,
        }
        self._row_end = 0
        self._inside = (0, 0)  # the last block that holds no other
        self._quoted = (0, 0)  # the quote
        self._open: list[tuple[int, list[Item]]] = []  # the lists around, the outermost first: start, items so far
        self._holders: list[Item] = []  # the items around
        self._fresh: Item | None = None  # the item that has nothing in it yet
        self._tight: Text | None = None  # the text of a tight list's item, which has no paragraph around it
        self._last = 0  # where the last content ended: the ranges of lists and items go on over blank lines

    def read(self, text: str) -> None:
        """Take in a text whose UTF-8 has every offset where the file has it."""
        import pyromark  # the one importer

        event: Any
        first = last = 0  # the block that is passed over, but for what hides labels
        for event, span in pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES).events_with_range(text):
            start, end = span["start"], span["end"]
            if first <= start and end <= last:
                if "Code" in event or "InlineHtml" in event:
                    self.out.hidden.append((start, end))
            elif event == "Rule":
                self._rule(start, end)
            elif not isinstance(event, str):
                self._take(event, start, end)
                first, last = self._inside
        for found in self.out.texts:
            if found.item:
                found.start, found.end = _trimmed(self._plain, found.start, found.end)
                found.item.text_start, found.item.text_end = found.start, found.end

    def _take(self, event: Any, start: int, end: int) -> None:
        """Take in that a block begins or ends, or a piece of a line in none."""
        ((moment, what),) = event.items()
        name = what if isinstance(what, str) else next(iter(what))
        if self._quoted[0] <= start and end <= self._quoted[1]:
            if moment == "Start" and name in {"CodeBlock", "HtmlBlock"}:
                self._raw(start, end, what)
        elif moment == "End":
            self._leave(name)
        elif moment == "Start" and name in self._begin:
            self._begin[name](start, end, what)
        elif self._tight:
            self._go_on(self._tight, start, end, moment)
        elif self._holders:
            escape = self._plain[start - 1 : start] == b"\\"
            self._tight = self._text(start - escape, end, self._fresh)
            self._fresh = None
            self._go_on(self._tight, start, end, moment)

    def _go_on(self, text: Text, start: int, end: int, kind: str) -> None:
        """Take in a piece of a line of a tight list's item."""
        if kind in {"Code", "InlineHtml"}:
            self.out.hidden.append((start, end))
        self._last = text.end = max(text.end, end)

    def _leave(self, name: str) -> None:
        """Leave an item or a list, which end with what is in them."""
        if name == "Item":
            self._tight = None
            self._holders.pop().end = self._lines.end(self._last)
        elif name == "List":
            start, _ = self._open.pop()
            self._block("list", start, self._last)

    def _block(self, kind: str, start: int, end: int) -> Item | None:
        """Note a block; return the item that begins with it."""
        first, self._fresh, self._tight = self._fresh, None, None
        self._last = max(self._last, end)
        if not self._open:
            self.out.tops.append((kind, self._lines.start(start), self._lines.end(end)))
        return first

    def _rule(self, start: int, end: int) -> None:
        """Take in a rule, or a tag line that counts as one."""
        if start in self._separators and not self._open:
            self.seen.add(start)
        elif not (self._quoted[0] <= start and end <= self._quoted[1]):
            self._block("rule", start, end)

    def _quote(self, start: int, end: int, _: Any) -> None:
        self._block("quote", start, end)
        self._quoted = (start, end)
        if not self._open and all(level == 1 for level, *_ in self.out.headings):
            self._head_lines(start, end)

    def _head_lines(self, start: int, end: int) -> None:
        """Take in the lines of a quote above all sections that begin in bold: some files have their labels there."""
        at = start
        for line in self._plain[start:end].splitlines(keepends=True):
            if match := _BOLD_LINE.match(line):
                self.out.texts.append(Text(at + match.start(1), at + len(line.rstrip()), None))
            at += len(line)

    def _code(self, start: int, end: int, what: Any) -> None:
        self._block("code", start, end)
        self._raw(start, end, what)

    def _html(self, start: int, end: int, what: Any) -> None:
        comment = self._plain.startswith(b"<!--", start)
        self._block("comment" if comment else "html", start, end)
        self._raw(start, end, what)

    def _raw(self, start: int, end: int, what: Any) -> None:
        """Take in what is no Markdown: code, whose last line must be a fence as its first one is, or HTML."""
        self._inside = (start, end)
        if what == "HtmlBlock":
            if self._plain.startswith(b"<!--", start) and self._plain.find(b"-->", start, end) < 0:
                self.out.unclosed.append((start, "a comment that never closes"))
        elif what["CodeBlock"] != "Indented":
            last = self._plain.rfind(b"\n", start, end) + 1
            fence: Any = _FENCE.match(self._plain, start)
            closing = _CLOSING.fullmatch(self._plain, last, end) if last else None
            if not closing or not closing[1].startswith(fence[0]):
                self.out.unclosed.append((start, "a code fence that never closes"))

    def _paragraph(self, start: int, end: int, _: Any) -> None:
        first = self._block("paragraph", start, end)
        self._text(start, start + len(self._plain[start:end].rstrip(BLANKS)), first)
        self._inside = (start, end)

    def _table(self, start: int, end: int, _: Any) -> None:
        self._block("table", start, end)

    def _row(self, start: int, end: int, what: Any) -> None:
        self.out.rows.append(Row(self._lines.start(start), self._lines.end(end), header=what == "TableHead"))
        self._row_end = end

    def _cell(self, start: int, end: int, _: Any) -> None:
        self._inside = (start, end)
        if start < self._row_end:  # else made up, where the row is too short
            empty = start + 1 < end and not self._plain[start:end].strip(BLANKS)  # its place is after one blank
            self.out.rows[-1].cells.append(_trimmed(self._plain, start + empty, end))

    def _text(self, start: int, end: int, item: Item | None) -> Text:
        """Note a paragraph; an item's first one begins after its checkbox."""
        if item:
            box = _BOX.match(self._plain, start)
            item.box = box.span(1) if box else None
            item.text_start = start = box.end() if box else start
        text = Text(start, max(start, end), item)
        self.out.texts.append(text)
        return text

    def _list(self, start: int, _end: int, _: Any) -> None:
        self._fresh = self._tight = None
        self._open.append((start, []))

    def _item(self, start: int, _end: int, _: Any) -> None:
        marker: Any = _MARKER.match(self._plain, start)  # after a tab, items may begin before their line
        at = self._lines.start(marker.start(1))
        shared = self.out.items and self.out.items[-1].text_start > at  # by an item that holds this one
        item = Item(marker.start(1) if shared else at, len(self._holders), marker[1], marker.end())
        self._last = max(self._last, marker.end(1))
        self._fresh = item
        self._holders.append(item)
        self.out.items.append(item)
        _, siblings = self._open[-1]
        siblings.append(item)
        self.out.lists[siblings[0].start] = siblings

    def _heading(self, start: int, end: int, what: Any) -> None:
        """Take in a heading, whose title is after the #s, or on all lines but the last."""
        self._block("heading", start, end)
        self._inside = (start, end)
        if self._open:
            return
        opening = _OPENING.match(self._plain, start, end)
        at = opening.end() if opening else start
        title = self._plain[at:end].rstrip(BLANKS)
        if not opening:
            title = title[: max(title.rfind(b"\n"), 0)].rstrip(BLANKS)
        elif title.endswith(b"#") and (bare := title.rstrip(b"#"))[-1:] in {b"", b" ", b"\t"}:
            title = bare.rstrip(BLANKS)
        _, first, last = self.out.tops[-1]
        self.out.headings.append((int(what["Heading"]["level"][1]), first, last, (at, at + len(title))))


def outline(data: bytes, body: int, lines: Lines) -> Outline:
    """Return what is in a file from `body` on."""
    plain = b"\n" * body + _LONE_CR.sub(b"\n", data[body:])  # what is before is no text, and nothing moves
    matches = tags.find(plain)
    parsed = _parsed(plain, lines, matches)
    seen = [tag for tag in matches if tags.separator(tag) in parsed.seen]
    pairs = tags.pairs(seen)
    if len(pairs) * 2 < len(seen):  # a tag that stays alone is HTML
        parsed = _parsed(plain, lines, [tag for pair in pairs for tag in pair])
        pairs = [pair for pair in pairs if parsed.seen.issuperset(map(tags.separator, pair))]
    parsed.out.tags = [
        (opening[2].decode(), opening.start(), lines.end(opening.end()), closing.start()) for opening, closing in pairs
    ]
    return parsed.out


def _parsed(plain: bytes, lines: Lines, separators: list[re.Match[bytes]]) -> _Reader:
    """Return what read a text in which these tag lines separate what is around them."""
    text = tags.replaced(plain.translate(_ODD), separators)
    text = _BRACKET.sub(rb"\1(", text)  # `- [Phase 1]: done` is an item, not the definition of a link
    parsed = _Reader(plain, lines, set(map(tags.separator, separators)))
    parsed.read(_BAD_BYTE.sub("\x7f", text.decode("utf-8", "surrogateescape")))
    return parsed


def _trimmed(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Return a span without the blanks around it, all of them after it where there is nothing else."""
    content = data[start:end].rstrip(BLANKS)
    return start + len(content) - len(content.lstrip(BLANKS)), start + len(content)
