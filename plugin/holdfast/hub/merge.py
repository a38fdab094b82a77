"""The three-way merge of a hub or of its archive: entry by entry, field by field."""

from __future__ import annotations

import re
from functools import partial

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.editing import merge
from holdfast.editing.merge import Span, Texts
from holdfast.formats.format import Format
from holdfast.hub.document import NEW, Hub
from holdfast.hub.transaction import Transaction

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


def united(data: bytes, other: str, file_format: Format) -> bytes:
    """Return the hub `data`, b"" for none, with what the hub in the file `other` has.

    There are two when a person commits a hub, makes `.genie/`, or sets `hub = "tracked"` after sessions were recorded.
    HoldfastError where both have one entry in versions that contradict each other.
    """
    base, left = NEW.encode(), files.read(other)
    here, hub = Hub(data or base, file_format), Hub(left, file_format)
    entries = [*hub.entries()]
    if _frame(hub) == _frame(Hub(base, file_format)) and not any(here.entry(one.entry.ident) for one in entries):
        transaction = Transaction(here, 0.0, new=not data)
        for one in entries:
            transaction.put(one.entry.ident, one.entry, history=one.history)
        return transaction.done()
    data_merged, clean = merged((base, data or base, left), 7, file_format)
    if not clean:
        raise HoldfastError(
            f"{other} has other versions of the same entries. Copy what is right by hand, then delete that file."
        )
    return data_merged


def _frame(hub: Hub) -> bytes:
    """Return the lines of a hub that belong to no entry, without blank ones."""
    text = hub.data
    for placed in reversed([*hub.entries()]):
        text = text[: placed.start] + text[placed.end :]
    return b"\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def _entries(data: bytes, file_format: Format) -> list[Span]:
    return [
        (placed.entry.ident.encode(), placed.start, placed.end)
        for placed in Hub(data, file_format).entries()
        if placed.entry.ident
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
    matches = [_FIELD.match(line) if line else None for line in (base, ours, theirs)]
    if not matches[1] or not matches[2] or matches[1]["head"] != matches[2]["head"]:
        return None
    value = _pieces(matches[0]["value"] if matches[0] else b"", matches[1]["value"], matches[2]["value"], separators)
    return None if value is None else matches[1]["head"] + value


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
