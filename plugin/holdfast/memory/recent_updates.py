"""Recent Updates: new entries, and a record of the entries that holdfast wrote, which newer ones may replace.

An entry that holdfast writes is recorded in the store by the hash of its minute and text. Any other entry, or
one that was changed since, is a person's or Claude's, and stays.
"""

import hashlib
import os
from collections import Counter

from holdfast.core import files
from holdfast.editing.requests import Request
from holdfast.memory.view import UPDATES, View, timed_entries
from holdfast.trust import safe

NEWEST = 5  # entries of Recent Updates; older ones of holdfast's own are removed
_CREATED = "Created this file"  # the one entry of a new file
_FILE = "/trail"
_DIGITS = 16  # of a hash
_KEPT = 5000  # hashes, when a longer file is shortened
_LONGEST = 20_000  # characters of an entry; a text that a person types is never so long


def entry(line: str, minute: str, own: frozenset[str]) -> Request:
    """Return the request for a new entry, at a minute in UTC ("" for now); `own` are the recorded hashes."""

    def gone(minute_there: str, text: str) -> bool:
        return text == _CREATED or _hash(minute_there, text) in own

    return Request((UPDATES,), items=[safe.line(line, _LONGEST)], minute=minute, most=NEWEST, gone=gone)


def own_entries(store: str) -> frozenset[str]:
    """Return the hashes of the entries that holdfast wrote in this project."""
    try:
        return frozenset(files.read(store + _FILE).decode("ascii", "replace").split()) if store else frozenset()
    except OSError:
        return frozenset()


def record(store: str, before: View, after: View, given: frozenset[str] = frozenset()) -> None:
    """Record the entries that holdfast has just added; the caller holds the lock.

    An entry that contains words of `given` is a person's: it is not recorded, so it is never removed.
    """
    added = Counter(timed_entries(after.record)) - Counter(timed_entries(before.record))
    own = [_hash(minute, text) for minute, text in added if not any(words in text for words in given if words)]
    if not own or not store:
        return
    path = store + _FILE
    known = files.read(path).split() if os.path.exists(path) else []
    lines = [*known, *(digest.encode() for digest in own)][-_KEPT:]
    files.write_private(path, b"\n".join(lines) + b"\n")


def _hash(minute: str, text: str) -> str:
    """Return the hash that an entry is recorded by."""
    return hashlib.sha256(f"{minute}\n{' '.join(text.split())}".encode("utf-8", "replace")).hexdigest()[:_DIGITS]
