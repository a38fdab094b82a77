"""The three-way merge of LOOPS.md: loop by loop; two questions that got the same id get two."""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.core import clock
from holdfast.editing import merge
from holdfast.markdown.document import Document, splices
from holdfast.memory.loops.book import parse
from holdfast.memory.loops.loop import KIND, STATUSES, Loop
from holdfast.project import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.editing.merge import Span, Texts

_STATUS = re.compile(rb"""(<loop\s(?:[^<>]*\s)?status\s*=\s*["'])([\w-]+)(["'][^<>]*>)""")
_MENTION = re.compile(
    rb"\balias\s*=\s*(?:\"[^\"<]*\"|'[^'<]*')|(?<!\w)" + KIND.encode() + rb"-([0-9]{1,6})(?![0-9]|-[0-9])",
    re.IGNORECASE,
)


class Renumbered(NamedTuple):
    """The new ids of loops whose id both sides assigned: old id -> new id, for ours and for theirs."""

    ours: dict[str, str]
    theirs: dict[str, str]

    def lines(self) -> list[str]:
        """Return a line for each loop that got a new id."""
        return [
            f"{old} of {side} is {new} now, because both sides gave that id to a question; "
            f"change {old} to {new} in the files that only {side} changed and where that question is meant"
            for side, known in (("ours", self.ours), ("theirs", self.theirs))
            for old, new in known.items()
        ]


def merged(texts: Texts, marker: int) -> tuple[bytes, bool]:
    """Return the merge of three versions of LOOPS.md, and whether it is free of conflicts; ids are not changed."""
    return merge.merged(texts, marker, [merge.Level(_loops, lambda same: same), merge.Level(_elements, _agreed)])


def _loops(data: bytes) -> list[Span]:
    document = Document(data)
    return [(loop.ident.encode(), document.line_start(loop.start), loop.end) for loop in parse(document)[0]]


def _elements(data: bytes) -> list[Span]:
    document = Document(data)
    return [
        (element.name.encode(), document.line_start(element.start), element.end)
        for loop in parse(document)[0]
        for element in loop.children
    ]


def _agreed(texts: Texts) -> Texts:
    """Return three versions of a loop with the later status in its tag: a loop that one side closed is closed."""
    matches = [_STATUS.search(text) for text in texts]
    statuses = [match[2].decode().casefold() for match in matches[1:] if match]
    if len(statuses) < len(texts) - 1 or not set(statuses) <= set(STATUSES):
        return texts
    last = max(statuses, key=STATUSES.index).encode()
    base, ours, theirs = (_STATUS.sub(rb"\g<1>%b\g<3>" % last, text, count=1) for text in texts)
    return base, ours, theirs


def renumbered(texts: Texts, given: int = 0) -> Renumbered:
    """Return the new ids of loops whose id the other side assigned to another question.

    The loop that was captured later gets the next free id, which is above all ids in the texts and above `given`.
    """
    base, ours, theirs = ({loop.ident: loop for loop in parse(Document(text))[0]} for text in texts)
    both = sorted((ours.keys() & theirs.keys()) - base.keys())
    number = max(given, ids.highest(KIND, texts))
    found = Renumbered({}, {})
    for ident in both:
        if not _same(ours[ident], theirs[ident]):
            number += 1
            later = found.ours if _age(ours[ident]) > _age(theirs[ident]) else found.theirs
            later[ident] = ids.full_id(KIND, number)
    return found


def _same(one: Loop, other: Loop) -> bool:
    """Whether two loops are one question: they have equal titles or questions, or were captured in the same second."""
    alike = [(one.title, other.title), (one.question, other.question)]
    equal = any(text and text.casefold() == another.casefold() for text, another in alike)
    return equal or (one.captured == other.captured and one.captured.count(":") > 1)


def _age(loop: Loop) -> tuple[float, str]:
    """Return when a loop was captured; for two captured at once, their titles decide."""
    return clock.find(loop.captured), loop.title


def aliased(side: bytes, known: dict[str, str]) -> bytes:
    """Return a side of LOOPS.md in which each loop that gets a new id names its old one as an alias."""
    found = []
    for loop in parse(Document(side))[0] if known else ():
        if loop.ident in known and loop.own_aliases:
            found.append((loop.own_aliases[1], loop.own_aliases[1], f" {loop.ident}".encode()))
        elif loop.ident in known:
            found.append((loop.tag_end - 1, loop.tag_end - 1, f' alias="{loop.ident}"'.encode()))
    return splices(side, found)


def renamed(base: bytes, side: bytes, known: dict[str, str]) -> bytes:
    """Return a side of a merge with new ids in the lines that it added; lines of the base and aliases stay."""
    if not known:
        return side

    def other(match: re.Match[bytes]) -> bytes:
        if match[1] is None:
            return match[0]
        return known.get(ids.full_id(KIND, int(match[1])), match[0].decode()).encode()

    there = {line.strip() for line in base.splitlines()}
    lines = side.splitlines(keepends=True)
    return b"".join(line if line.strip() in there else _MENTION.sub(other, line) for line in lines)
