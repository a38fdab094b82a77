"""The three-way merge of a hub or of its archive: entry by entry, field by field."""

from __future__ import annotations

import re
from functools import partial

from holdfast.editing import merge
from holdfast.hub.document import Hub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.editing.merge import Span, Texts
    from holdfast.formats.format import Format

_FIELD = re.compile(
    rb"^(?P<head>[ \t>-]{0,8}\*\*(?P<label>[^*:\r\n]{1,80}):?\*\*:?[ \t]*)(?P<value>[^\r\n]*)", re.MULTILINE
)
_LISTS = {b"context": b";,", b"children": b","}  # field -> the separators of the items in its value


def merged(texts: Texts, marker: int, file_format: Format) -> tuple[bytes, bool]:
    """Return the merge of three versions of a hub, and whether it is free of conflicts.

    Entries are matched by session id, in any section: an entry that a side moved to the history moves there, with the
    changes that the other side made in it.
    """
    levels = [
        merge.Level(partial(_entries, file_format=file_format), merge.with_later_time),
        merge.Level(_fields, _agreed),
    ]
    return merge.merged(texts, marker, levels)


def _entries(data: bytes, file_format: Format) -> list[Span]:
    return [
        (found.entry.ident.encode(), found.start, found.end)
        for found in Hub(data, file_format).entries()
        if found.entry.ident
    ]


def _fields(data: bytes) -> list[Span]:
    return [(match["label"].strip().lower(), *match.span()) for match in _FIELD.finditer(data)]


def _agreed(texts: Texts) -> Texts:
    """Return three versions of an entry with one line for its last change, and lists with what both sides added."""
    fields = [{name: data[start:end] for name, start, end in _fields(data)} for data in texts]
    for label, separators in _LISTS.items():
        lines = [one.get(label) for one in fields]
        if lines[1] and lines[2] and (line := _listed(lines[0], lines[1], lines[2], separators)):
            base, ours, theirs = (
                text.replace(old, line, 1) if old else text for text, old in zip(texts, lines, strict=True)
            )
            texts = base, ours, theirs
    return merge.with_later_time(texts)


def _listed(base: bytes | None, ours: bytes, theirs: bytes, separators: bytes) -> bytes | None:
    """Return a field with the pieces that both sides have in its list, and those that one of them added.

    `separators` part the pieces, the outermost first; in a piece `key: a, b` the next one parts what is under the key.
    """
    found = [_FIELD.match(line) if line else None for line in (base, ours, theirs)]
    if not found[1] or not found[2] or found[1]["head"] != found[2]["head"]:
        return None
    value = _pieces(found[0]["value"] if found[0] else b"", found[1]["value"], found[2]["value"], separators)
    return None if value is None else found[1]["head"] + value


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
        piece = merge.chosen(before, one or b"", other or b"") if before or (one and other) else one or other
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
