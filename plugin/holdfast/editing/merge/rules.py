"""What becomes of one part that both sides changed, where more than its text tells: boxes, times, cells, lists."""

from __future__ import annotations

import re

from holdfast.core import clock
from holdfast.formats import names
from holdfast.formats.table import BAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.editing.merge.nodes import Node

    Rule = Callable[[Node | None, Node, Node], bytes | None]  # None where the rule decides nothing

_BOX = re.compile(rb"([ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+\[)([^\]\r\n]{1,4})(\](?=[ \t\r\n]|\Z).*)", re.DOTALL)
_TICKS = frozenset((b"x", b"X", *(sign.encode() for sign in "✅✓✔")))
_TIME = re.compile(rb"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.]*(?:Z| UTC|[+-]\d\d:\d\d)?)?")
_LABEL = re.compile(rb"([^:]{1,300}:(?:\*\*|__)?[ \t]*)(.*)", re.DOTALL)


def chosen(base: bytes | None, ours: bytes, theirs: bytes) -> bytes | None:
    """Return the one that a side changed, None where both did, each in its own way."""
    if theirs in {ours, base}:
        return ours
    return theirs if ours == base else None


def ticked(base: Node | None, ours: Node, theirs: Node) -> bytes | None:
    """Return an item whose box is ticked if a side ticked it, and whose text is the one that a side changed."""
    found = [_BOX.fullmatch(node.data) if node else None for node in (base, ours, theirs)]
    if not found[1] or not found[2] or (base and not found[0]):
        return None
    marks, boxes, texts = ([one[group] if one else None for one in found] for group in (1, 2, 3))
    text = chosen(texts[0], texts[1] or b"", texts[2] or b"")
    box = chosen(boxes[0], boxes[1] or b"", boxes[2] or b"")
    if box is None:
        box = next((each for each in boxes[1:] if each in _TICKS), None)
    if text is None or box is None:
        return None
    return (chosen(marks[0], marks[1] or b"", marks[2] or b"") or found[1][1]) + box + text


def later(_base: Node | None, ours: Node, theirs: Node) -> bytes | None:
    """Return the line whose time is later, of two that tell when something was changed last and nothing else."""
    if not isinstance(ours.name, str) or ours.name != theirs.name or not _tells_change(ours.name):
        return None
    times = [clock.find(node.data.decode("utf-8", "replace")) for node in (ours, theirs)]
    if not all(times) or _TIME.sub(b"", ours.data, count=1) != _TIME.sub(b"", theirs.data, count=1):
        return None
    return ours.data if (times[0], ours.data) >= (times[1], theirs.data) else theirs.data


def _tells_change(name: str) -> bool:
    words = names.plain(name).split()
    return "updated" in words or words[:1] == ["last"]


def cells(base: Node | None, ours: Node, theirs: Node) -> bytes | None:
    """Return a row of a table with each cell as the side has it that changed it."""
    if ours.kind != "row" or base is None:
        return None
    rows = [BAR.split(node.data) for node in (base, ours, theirs)]
    if len({len(row) for row in rows}) != 1:
        return None
    merged = []
    for before, one, other in zip(*rows, strict=True):
        cell = chosen(before.strip(), one.strip(), other.strip())
        if cell is None:
            return None
        merged.append(one if cell == one.strip() else other)
    return b"|".join(merged)


def listed(base: Node | None, ours: Node, theirs: Node, separators: bytes) -> bytes | None:
    """Return a label line with the pieces that both sides have in its list, and those that one of them added.

    `separators` part the pieces, the outermost first; in a piece `key: a, b` the next one parts what is under the key.
    """
    found = [_LABEL.fullmatch(node.data) if node else None for node in (base, ours, theirs)]
    if not found[1] or not found[2] or found[1][1] != found[2][1] or b"\n" in ours.data + theirs.data:
        return None
    value = _pieces(found[0][2] if found[0] else b"", found[1][2], found[2][2], separators)
    return None if value is None else found[1][1] + value


def _pieces(base: bytes, ours: bytes, theirs: bytes, separators: bytes) -> bytes | None:
    """Return the merge of two lists in one line; None where both changed what is under one key."""
    sign = separators[:1]
    lists = [[piece.strip() for piece in text.split(sign) if piece.strip()] for text in (base, ours, theirs)]
    known = [{_key(piece, separators): piece for piece in pieces} for pieces in lists]
    if any(len(one) != len(pieces) for one, pieces in zip(known, lists, strict=True)):
        return None
    merged: list[bytes] = []
    for key in [*known[1], *(key for key in known[2] if key not in known[1])]:
        before, one, other = (pieces.get(key) for pieces in known)
        piece = chosen(before, one or b"", other or b"") if before or (one and other) else one or other
        if piece is None and separators[1:] and one and other:
            head = key + b":"
            inner = _pieces(_under(before, key), _under(one, key), _under(other, key), separators[1:])
            piece = None if inner is None else head + b" " + inner
        if piece is None:
            return None
        merged += [piece] if piece else []
    return (sign + b" ").join(merged)


def _key(piece: bytes, separators: bytes) -> bytes:
    """Return what a piece is under, the whole of it where it has no key."""
    head, colon, _ = piece.partition(b":")
    return head.strip() if colon and separators[1:] else piece


def _under(piece: bytes | None, key: bytes) -> bytes:
    return (piece or b"").removeprefix(key).lstrip().removeprefix(b":").strip()
