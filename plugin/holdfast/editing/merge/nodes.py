"""A document as a tree of nodes: each is whole lines, and what lies between two nodes is blank."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

BLANKS = b" \t\r\n"
_BLANK_LINES = re.compile(rb"(?:[ \t]*(?:\r\n|\r|\n))*")
_SPACES = re.compile(rb"[ \t]*")
# What may be before the time at the beginning of an entry: the marker of a heading, an item or a row, and emphasis.
_MOMENT = re.compile(
    rb"[\s#*_\[(`|>+-]*(?:\d{1,3}[.)]\s+)?(?:\[.\]\s+)?[\s*_\[(`]*"
    rb"(\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?|\d\d:\d\d(?::\d\d)?(?=[\s\])*_`|-]))"
)


@dataclass(slots=True, frozen=True)
class Node:
    """One part of a document: its lines, without the end of the last one.

    `name` tells it from its neighbours of the same kind, None for a part without a name. `parts` are the nodes in it,
    and `gaps` the blank bytes before each of them and after the last: together they are `data`. A leaf has no parts.
    """

    kind: str
    name: Hashable
    data: bytes
    parts: tuple[Node, ...] = ()
    gaps: tuple[bytes, ...] = ()

    @property
    def moment(self) -> bytes:
        """The time that the node begins with, in a form that sorts; b"" for none."""
        found = _MOMENT.match(self.data)
        return found[1].replace(b"T", b" ") if found else b""


class Placed(NamedTuple):
    """A node with the offsets of its bytes in the document."""

    start: int
    end: int
    node: Node


def trimmed(data: bytes, start: int, end: int) -> tuple[int, int]:
    """Return a span without the blank lines around it and without the end of its last line."""
    blank = _BLANK_LINES.match(data, start, end)
    start = blank.end() if blank else start
    last = start + len(data[start:end].rstrip(BLANKS))
    spaces = _SPACES.match(data, last, end)  # the two blanks of a hard break belong to their line
    return start, (spaces.end() if spaces and last > start else last)


def leaf(kind: str, name: Hashable, data: bytes, span: tuple[int, int]) -> Placed:
    """Return the node without parts that is the text in a span of whole lines."""
    start, end = trimmed(data, *span)
    return Placed(start, end, Node(kind, name, data[start:end]))


def whole(kind: str, name: Hashable, data: bytes, span: tuple[int, int], found: Iterable[Placed]) -> Placed:
    """Return the node whose parts are those found in a span; other text in it becomes leaves of the kind "text".

    What was found and is not in whole lines, or overlaps what precedes it, is such text, too. Blank lines around the
    span belong to no node but the one of a whole file.
    """
    start, end = span if span == (0, len(data)) else trimmed(data, *span)
    at, parts, gaps = start, list[Node](), list[bytes]()
    inner = (placed for placed in sorted(found, key=lambda one: one.start) if _aligned(data, placed, end))
    for placed in [*inner, Placed(end, end, Node("end", None, b""))]:
        if placed.start < at:
            continue
        first, last = trimmed(data, at, placed.start)
        if first < last:
            gaps.append(data[at:first])
            parts.append(Node("text", None, data[first:last]))
            at = last
        gaps.append(data[at : placed.start])
        parts.append(placed.node)
        at = placed.end
    return Placed(start, end, Node(kind, name, data[start:end], tuple(parts[:-1]), tuple(gaps)))


def _aligned(data: bytes, placed: Placed, end: int) -> bool:
    """Whether a node begins and ends where lines do, and has any text."""
    begins = placed.start == 0 or data[placed.start - 1 : placed.start] in {b"\n", b"\r"}
    ends = placed.end == end or data[placed.end : placed.end + 1] in {b"\n", b"\r"}
    return begins and ends and placed.start < placed.end <= end


def rebuilt(node: Node, parts: Iterable[Node], gaps: Iterable[bytes]) -> Node:
    """Return a node with other parts."""
    parts, gaps = tuple(parts), tuple(gaps)
    data = b"".join(gap + part.data for gap, part in zip(gaps, parts, strict=False)) + gaps[-1]
    return Node(node.kind, node.name, data, parts, gaps)
