"""Frontmatter as nodes: one for each key, with the keys or the items that are under it."""

from __future__ import annotations

import re

from holdfast.editing.merge.nodes import Placed, leaf, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int]

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_KEY = re.compile(rb"([ \t]*)([\w.\"' -]*[\w\"'])[ \t]*:(?=[ \t\r\n]|\Z)[ \t]*([^\r\n]*)")
_ITEM = re.compile(rb"([ \t]*)-[ \t]+([^\r\n]*)")


def read(data: bytes, span: Span) -> Placed:
    """Return the node of the frontmatter in a span, with its rules."""
    return whole("front", "front", data, span, _keys(data, *span))


def _keys(data: bytes, start: int, end: int) -> list[Placed]:
    """Return the keys in a span that are as far indented as the first of them, each with what is under it."""
    lines = _lines(data, start, end)
    starts = [(at, found) for at in lines if (found := _KEY.match(data, at, end))]
    if not starts:
        return []
    indent = starts[0][1][1]
    own = [(at, found) for at, found in starts if found[1] == indent]
    placed = []
    for (at, key), following in zip(own, [*(at for at, _ in own[1:]), end], strict=True):
        # A comment or a rule that is not indented further ends what is under a key.
        last = next((line for line in lines if at < line < following and _ends(data, line, indent)), following)
        placed.append(_key(data, (at, last), key))
    return placed


def _ends(data: bytes, line: int, indent: bytes) -> bool:
    """Whether a line is under no key of this indentation, and is not blank: a comment, or the closing rule."""
    text = data[line : line + len(indent) + 4]
    return text.startswith((indent + b"#", b"---"))


def _key(data: bytes, span: Span, key: re.Match[bytes]) -> Placed:
    """Return the node of one key."""
    name = key[2].decode("utf-8", "replace").strip("\"' ")
    start, end = span
    after = _after(data, start, end)
    if key[3] and not key[3].startswith(b"#"):
        return leaf("key", name, data, span)
    inner = _items(data, after, end) or _keys(data, after, end)
    return whole("key", name, data, span, [leaf("head", None, data, (start, after)), *inner])


def _items(data: bytes, start: int, end: int) -> list[Placed]:
    """Return the items of a list under a key; none where something else is there first."""
    lines = [at for at in _lines(data, start, end) if data[at:end].strip()]
    first = _ITEM.match(data, lines[0], end) if lines else None
    if not first:
        return []
    starts = [at for at in lines if (found := _ITEM.match(data, at, end)) and found[1] == first[1]]
    spans = zip(starts, [*starts[1:], end], strict=True)
    return [leaf("item", data[at:stop].strip(), data, (at, stop)) for at, stop in spans]


def _lines(data: bytes, start: int, end: int) -> list[int]:
    """Return where the lines of a span begin."""
    found = []
    while start < end:
        found.append(start)
        start = _after(data, start, end)
    return found


def _after(data: bytes, start: int, end: int) -> int:
    """Return where the line after one begins."""
    line = _LINE.match(data, start, end)
    return line.end() if line else end
