"""Labels, the lines by which people keep one value under a name: `**Status:** x` and its kin."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from operator import attrgetter, itemgetter

from holdfast.core.patterns import pattern
from holdfast.markdown.blocks import BLANKS, Item, Lines, Outline, Row, Text, between

Cut = tuple[int, int]  # where the label's line begins, and where the line after its paragraph does

_LONGEST = 60  # characters of a name
_WORDS = 6  # of a name without emphasis; more are a sentence
_COLON = rb"(?::|\xef\xbc\x9a)"  # also the wide one of Chinese and Japanese
_COLON_AFTER = rb"(?::(?=[ \t\r\n]|\Z)|\xef\xbc\x9a)"
_EMPHASIZED = (
    rb"(?<![*_\\\w])(?:"
    rb"\*\*(?P<star>(?:[^*\n]|\*(?!\*)){1,240}?)(?:" + _COLON + rb"\*\*|\*\*[ \t]?" + _COLON_AFTER + rb")|"
    rb"__(?P<line>(?:[^_\n]|_(?!_)){1,240}?)(?:" + _COLON + rb"__|__[ \t]?" + _COLON_AFTER + rb"))"
)
_LEAD = rb"(?:\[[^\]\n]{1,24}\][ \t]++)?(?P<lead>[^\x00-\x7f]{1,40}+|[0-9]\xef\xb8\x8f\xe2\x83\xa3)?[ \t]*+"
_PLAIN = rb"(?P<plain>[A-Za-z\x80-\xff][^\n:.!?`<\[*|]{0,239}?)" + _COLON_AFTER
_LABEL = rb"[ \t]*+(?:" + _LEAD + _EMPHASIZED + rb"|" + _PLAIN + rb")"
_BLANK = pattern(rb"[ \t]*(?:\r\n|\r|\n)")
_FIRST = pattern(_LABEL)
_LATER = pattern(rb"\n" + _LABEL)
_BOLD = pattern(_EMPHASIZED)
_UNEMPHASIZED = pattern(_PLAIN)
_SEPARATOR = pattern(
    rb"(?:[|,;]|\xc2\xb7|\xe2\x80[\x93\x94\xa2]|(?<=[ \t])[-/])(?:[ \t]+(?P<lead>[^\x00-\x7f]{3,24}))?\Z"
)
_START = attrgetter("start")
_HIDE = bytes(at if at in b"\r\n" else ord("`") for at in range(256))


class Label:
    """One name with its value; all offsets are into the document's bytes.

    `start` and `end` bound its lines, which labels on one line share; `value_start` and `value_end` the value without
    blanks and hard break around it. Where there is none, both say where one would go. `style` is "bold", "plain", "row"
    or "heading"; `item` whether a list item begins with it; `items` the list that is in place of a value.
    """

    __slots__ = ("end", "item", "items", "name", "start", "style", "value_end", "value_start")

    def __init__(self, name: str, style: str, lines: tuple[int, int], value: tuple[int, int]) -> None:
        self.name = name
        self.style = style
        self.start, self.end = lines
        self.value_start, self.value_end = value
        self.item = False
        self.items: list[Item] = []


class _Mark:
    """A label's name and colon: where they begin and end, and whether they are the first of their line."""

    __slots__ = ("end", "first", "name", "start", "style")

    def __init__(self, name: str, style: str, start: int, end: int, *, first: bool) -> None:
        self.name = name
        self.style = style
        self.start = start
        self.end = end
        self.first = first


class Reader:
    """Reads labels from what the outline knows: `data` for what is there, `shown` without code spans and comments."""

    def __init__(self, data: bytes, outline: Outline, lines: Lines) -> None:
        self._data = data
        self._outline = outline
        self._lines = lines
        shown = bytearray(outline.plain)
        for start, end in outline.hidden:
            shown[start:end] = shown[start:end].translate(_HIDE)
        self._shown = bytes(shown)

    def read(self, start: int, end: int) -> list[Label]:
        """Return the labels that begin between two offsets, in order."""
        first = max(bisect_left(self._outline.texts, start, key=_START) - 1, 0)  # that one may reach into the span
        last = bisect_left(self._outline.texts, self._lines.end(end), key=_START)  # a label begins with its line
        labels = [label for text in self._outline.texts[first:last] for label in self._text(text)]
        labels += [label for row in between(self._outline.rows, start, end, _START) for label in self._row(row)]
        headings = between(self._outline.headings, start, end, itemgetter(1))
        labels += [label for heading in headings for label in self._heading(*heading[1:])]
        labels = [label for label in labels if start <= label.start < end]
        return sorted(labels, key=lambda label: (label.start, label.value_start))

    def _text(self, text: Text) -> Iterator[Label]:
        """Yield the labels of one paragraph; what follows the last one may be its list."""
        marks = list(self._marks(text))
        for mark, following in zip(marks, [*marks[1:], None], strict=False):
            value = self._value(mark.end, text.end, following)
            lines = (self._lines.start(mark.start), self._lines.end(max(mark.end, value[1])))
            label = Label(mark.name, mark.style, lines, value)
            label.item = text.item is not None and mark.start == text.start
            if not following and value[0] == value[1]:
                label.items = self._list(label.end, apart=not label.item)
            yield label

    def _list(self, at: int, *, apart: bool) -> list[Item]:
        """Return the list that begins at an offset, or a blank line apart from it where that is so allowed."""
        blank = _BLANK.match(self._data, at) if apart else None
        return self._outline.lists.get(at) or self._outline.lists.get(blank.end() if blank else at, [])

    def _row(self, row: Row) -> Iterator[Label]:
        """Yield the label that a table's row of a name and a value is."""
        name = _name(self._data[slice(*row.cells[0])], "row") if len(row.cells) > 1 else ""
        if name:
            yield Label(name, "row", (row.start, row.end), row.cells[1])

    def _heading(self, start: int, end: int, title: tuple[int, int]) -> Iterator[Label]:
        """Yield the label that a heading is, with or without emphasis around the whole."""
        at, last = title
        match = _FIRST.match(self._shown, at, last)
        if not match:
            content = self._shown[at:last]
            at, last = last - len(content.lstrip(b"*_")), at + len(content.rstrip(b"*_"))
            match = _UNEMPHASIZED.match(self._shown, at, max(at, last))
        mark = self._mark(match, first=True) if match else None
        if mark:
            value = self._value(mark.end, last, None)
            label = Label(mark.name, "heading", (start, end), value)
            label.items = self._list(end, apart=False) if value[0] == value[1] else []
            yield label

    def _marks(self, text: Text) -> Iterator[_Mark]:
        """Yield the names that begin a line, and the bold ones that follow a bold one on its line."""
        first = _FIRST.match(self._shown, text.start, text.end)
        later = _LATER.finditer(self._shown, text.start, text.end)
        for match in itertools.chain([first] if first else [], later):
            mark = self._mark(match, first=True)
            if mark:
                yield mark
            if mark and mark.style == "bold":
                line_end = self._shown.find(b"\n", match.end(), text.end)
                yield from self._further(match.end(), text.end if line_end < 0 else line_end)

    def _further(self, start: int, end: int) -> Iterator[_Mark]:
        """Yield the bold names in the rest of a line that are apart from what precedes them."""
        for match in _BOLD.finditer(self._shown, start, end):
            mark = self._mark(match, first=False) if self._shown[match.start() - 1] in b" \t|" else None
            if mark:
                yield mark

    def _mark(self, match: re.Match[bytes], *, first: bool) -> _Mark | None:
        """Return what was found if it is a name, with nothing but an emoji in front of it on its line."""
        style = "plain" if match.lastgroup == "plain" else "bold"
        lead = match.groupdict().get("lead") if style == "bold" else None
        if _has_letter(lead):
            return None
        name = _name(self._data[slice(*match.span(str(match.lastgroup)))], style)
        start = match.start() + (self._shown[match.start()] in b"\n")
        return _Mark(name, style, start, match.end(), first=first) if name else None

    def _value(self, start: int, end: int, following: _Mark | None) -> tuple[int, int]:
        """Return the span of a value that reaches to the next label, or to the end of its text."""
        value = self._shown[start : following.start if following else end].rstrip(BLANKS)
        if following and following.first:
            broken = (len(value) - len(value.rstrip(b"\\"))) % 2  # by a backslash at the line's end
            value = value[: len(value) - broken].rstrip(BLANKS)
        elif following and (separator := _SEPARATOR.search(value, max(len(value) - 40, 0))):
            value = value if _has_letter(separator["lead"]) else value[: separator.start()].rstrip(BLANKS)
        if not value:
            start += self._shown[start : start + 1] in {b" ", b"\t"}
            return start, start
        return start + len(value) - len(value.lstrip(BLANKS)), start + len(value)


def _has_letter(written: bytes | None) -> bool:
    """Whether what is before a name is more than an emoji."""
    return any(map(str.isalpha, (written or b"").decode("utf-8", "replace")))


def _name(written: bytes, style: str) -> str:
    """Return a label's name without emphasis and colon, "" when that is no name."""
    name = written.decode("utf-8", "replace").strip().strip("*_").rstrip(":\uff1a \t").strip("*_").strip()
    if style == "plain":
        name = re.sub(r"^[\W_]+", "", name)
        if not name[:1].isalpha() or len(name.split()) > _WORDS or re.search("[\u3002\uff01\uff1f]", name):
            return ""  # a sentence, a time, a link
    return name if len(name) <= _LONGEST and any(map(str.isalnum, name)) else ""


_LABEL_LINE = pattern(rb"\n(?=(?:\*\*|__)(?![*_\s])[^\n]*?(?::(?:\*\*|__)|(?:\*\*|__)[ \t]?:))")


def part(outline: Outline, lines: Lines) -> None:
    """Make paragraphs of their own of the label lines that an item has taken in, and end its list there."""
    cuts = _cut_texts(outline, lines)
    if not cuts:
        return
    starts = [at for at, _ in cuts]
    holders = _holders(outline.items)
    for at in starts:
        _end_items(outline.items, holders, at)
    outline.lists = {group[0].start: group for items in outline.lists.values() for group in _grouped(items, starts)}
    outline.tops = [piece for block in outline.tops for piece in _pieces(block, cuts, starts)]


def _cut_texts(outline: Outline, lines: Lines) -> list[Cut]:
    """Part each item's text before its first label line; return where."""
    cuts, texts = [], []
    hidden = [start for start, _ in outline.hidden]
    for text in outline.texts:
        texts.append(text)
        match = _LABEL_LINE.search(outline.plain, text.start, text.end) if text.item else None
        covering = bisect_left(hidden, match.end()) - 1 if match else -1
        if not match or not text.item or (covering >= 0 and outline.hidden[covering][1] > match.end()):
            continue
        cuts.append((match.end(), lines.end(text.end)))
        texts.append(Text(match.end(), text.end, None))
        text.end = text.item.text_end = text.start + len(outline.plain[text.start : match.start()].rstrip())
    outline.texts = texts
    return cuts


def _holders(items: list[Item]) -> list[int]:
    """Return the number of the item that holds each item, -1 for none."""
    numbers: list[int] = []
    around: list[int] = []
    for number, item in enumerate(items):
        del around[item.depth :]
        numbers.append(around[-1] if around else -1)
        around.append(number)
    return numbers


def _end_items(items: list[Item], holders: list[int], at: int) -> None:
    """End the items there that an offset lies in: the last one before it, and those that hold it."""
    number = bisect_left(items, at, key=lambda item: item.start) - 1
    while number >= 0:
        items[number].end = min(items[number].end, at)
        number = holders[number]


def _grouped(items: list[Item], starts: list[int]) -> list[list[Item]]:
    """Return the items of a list as the lists that the cuts leave."""
    groups = [[items[0]]]
    for before, item in itertools.pairwise(items):
        if bisect_right(starts, before.start) == bisect_right(starts, item.start):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _pieces(block: tuple[str, int, int], cuts: list[Cut], starts: list[int]) -> list[tuple[str, int, int]]:
    """Return a block as the cuts leave it: lists, and paragraphs between them."""
    kind, start, end = block
    inside = cuts[bisect_right(starts, start) : bisect_left(starts, end)]
    pieces = []
    for at, after in inside:
        pieces += [(kind, start, at), ("paragraph", at, after)]
        start = after
    return [piece for piece in [*pieces, (kind, start, end)] if piece[1] < piece[2]]
