"""What a Markdown text consists of; all offsets are into the document's bytes."""

from bisect import bisect_left, bisect_right
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


BLANKS = b" \t\r\n"


class Lines:
    """The offsets at which the lines of a file begin (ends: LF, CRLF or CR); the first is after a byte order mark."""

    __slots__ = ("_size", "_starts")

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


def between(blocks: "list[Any]", start: int, end: int, key: "Callable[[Any], int]") -> "list[Any]":
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

    __slots__ = ("headings", "hidden", "items", "lists", "plain", "rows", "tags", "texts", "tops", "unclosed")

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
