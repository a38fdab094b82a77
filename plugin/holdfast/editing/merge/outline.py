"""A Markdown document as a tree of nodes: frontmatter, sections, lists, tables, labels, the entries of logs."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import pairwise

from holdfast.editing.merge import frontmatter
from holdfast.editing.merge.nodes import Node, Placed, leaf, whole
from holdfast.formats import names
from holdfast.markdown.document import TAGGED, Document, Item, Row, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    Span = tuple[int, int]

_EMPHASIS = b"*_` \t"
_TIMED = re.compile(rb"[\s*_\[(`]*(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\d\d:\d\d)(?::\d\d)?(?:Z| UTC)?[\s*_\])`:]*")


class Reader:
    """Reads one document; `named` has names of sections by where they begin, `known` the nodes of other structure."""

    def __init__(self, document: Document, named: Mapping[int, Hashable], known: Sequence[Placed] = ()) -> None:
        self._document = document
        self._data = document.data
        self._named = named
        self._known = sorted(known, key=lambda placed: placed.start)

    def read(self) -> Node:
        """Return the whole document."""
        document = self._document
        document.labels(0, len(self._data))  # all at once, which is faster than item by item
        sections = [one for one in document.sections if not any(p.start <= one.start < p.end for p in self._known)]
        front = document.body if document.frontmatter else 0
        found = [frontmatter.read(self._data, (0, front))] if front else []
        found += self._inside(front, len(self._data), sections)
        return whole("root", None, self._data, (0, len(self._data)), found).node

    def _inside(self, start: int, end: int, sections: list[Section]) -> list[Placed]:
        """Return the sections of a span, and what is outside of them; `sections` are all that begin in it."""
        found: list[Placed] = []
        at, number = start, 0
        while number < len(sections):
            section = sections[number]
            after = bisect_left(sections, section.end, lo=number, key=lambda one: one.start)
            stop = self._end(section)
            found += self._own(at, section.start)
            found.append(self._section(section, stop, sections[number + 1 : after]))
            at, number = max(at, stop), after
        return found + self._own(at, end)

    def _end(self, section: Section) -> int:
        """Return where a section ends, after its closing tag."""
        return self._document.line_end(section.end) if section.level == TAGGED else section.end

    def _section(self, section: Section, end: int, inner: list[Section]) -> Placed:
        name = self._named.get(section.start) or (min(section.level, TAGGED), names.plain(section.title))
        heading = leaf("heading", "heading", self._data, (section.start, section.body))
        parts = [heading, *self._inside(section.body, section.end, inner)]
        return whole("section", name, self._data, (section.start, end), parts)

    def _own(self, start: int, end: int) -> list[Placed]:
        """Return the nodes of a span without sections."""
        known = [placed for placed in self._known if start <= placed.start < end]
        blocks = [
            block
            for block in self._document.blocks(start, end)
            if not any(block[1] < placed.end and placed.start < block[2] for placed in known)
        ]
        found: list[Placed] = list(known)
        number = 0
        while number < len(blocks):
            count = self._grouped(blocks[number:])
            if count > 1:
                inner, last = blocks[number : number + count], blocks[number + count - 1]
                parts = [self._block(*block, named=None) for block in inner]
                span = (blocks[number][1], last[2])
                found.append(whole("group", parts[0].node.data, self._data, span, parts))
            else:
                label = found[-1].node.parts[-1].name if found and found[-1].node.kind == "lines" else None
                found.append(self._block(*blocks[number], named=label))
            number += max(count, 1)
        return found

    def _grouped(self, blocks: list[tuple[str, int, int]]) -> int:
        """Return how many blocks are under a time that the first of them is; 0 where it is none."""
        if not self._is_time(blocks[0]):
            return 0
        ends = (n for n, block in enumerate(blocks) if n and (block[0] in {"rule", "heading"} or self._is_time(block)))
        return next(ends, len(blocks))

    def _is_time(self, block: tuple[str, int, int]) -> bool:
        kind, start, end = block
        return kind == "paragraph" and bool(_TIMED.fullmatch(self._data[start:end]))

    def _block(self, kind: str, start: int, end: int, *, named: Hashable) -> Placed:
        """Return the node of one block; the name of a list is the label above it."""
        span = (start, end)
        if kind == "list":
            items = self._items(self._document.items(start, end))
            return whole("list", named, self._data, span, items)
        if kind == "table":
            return whole("table", None, self._data, span, [self._row(row) for row in self._document.rows(start, end)])
        if kind == "paragraph":
            return self._paragraph(span)
        return leaf(kind, None, self._data, span)

    def _items(self, items: list[Item]) -> list[Placed]:
        """Return the outermost of these items, each with those in it."""
        depth = min((item.depth for item in items), default=0)
        outer = [number for number, item in enumerate(items) if item.depth == depth]
        return [self._item(items[at], items[at + 1 : after]) for at, after in pairwise([*outer, len(items)])]

    def _item(self, item: Item, inner: list[Item]) -> Placed:
        label = next((one for one in self._document.labels(item.start, item.text_end) if one.item), None)
        text = b" ".join(self._data[item.text_start : item.text_end].split())
        called = names.plain(label.name) if label else None
        end = self._document.line_end(max(item.text_end - 1, item.start))
        first = min([end, *(one.start for one in inner)])
        head = leaf("head", called, self._data, (item.start, first))
        parts = [head, *self._items(inner)]
        return whole("item", called or text.strip(_EMPHASIS), self._data, (item.start, item.end), parts)

    def _row(self, row: Row) -> Placed:
        cell = self._data[slice(*row.cells[0])].strip(_EMPHASIS) if row.cells else b""
        kind = "header" if row.header else "row"
        return leaf(kind, None if row.header else cell or None, self._data, (row.start, row.end))

    def _paragraph(self, span: Span) -> Placed:
        """Return a paragraph: its lines where each begins with a label or a time, else the whole."""
        found: dict[int, str | bytes] = {}
        for label in self._document.labels(*span):
            line = self._document.line_start(label.start)
            found.setdefault(line, names.plain(label.name))
        at = span[0]
        while at < span[1]:
            after = self._document.line_end(at)
            if at not in found and leaf("entry", None, self._data, (at, after)).node.moment:
                found[at] = self._data[at:after].strip()
            at = after
        if span[0] not in found:
            return leaf("paragraph", None, self._data, span)
        starts = sorted(found)
        spans = list(zip(starts, [*starts[1:], span[1]], strict=True))
        lines = [leaf(_line_kind(found[at]), found[at], self._data, (at, stop)) for at, stop in spans]
        if len(lines) == 1 and lines[0].node.kind == "entry":
            return lines[0]
        return whole("lines", None, self._data, span, lines)


def _line_kind(name: str | bytes) -> str:
    return "label" if isinstance(name, str) else "entry"
