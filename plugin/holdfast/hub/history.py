"""The hub's history is bounded: its oldest entries move to SESSION-HISTORY.md beside it, and nothing is dropped."""

import os
import re

from holdfast.core import files
from holdfast.editing import store
from holdfast.formats import names
from holdfast.hub.document import HISTORY, Found, Hub, gone
from holdfast.markdown.document import splices
from holdfast.sessions import hub_location

_HEAD = b"""\
# Session History

What left the history of SESSION-STATE.md, the latest last.
"""
_PASSING = (b"**Status:**", b"**Last Updated:**", b"**Completed:**")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def trim(path: str, hub: Hub, most: int, *, slack: int = 0) -> tuple[list[str], bytes]:
    """Move the oldest entries of the history until `most` are left; the caller holds the lock and has read the hub.

    Return the ids of those that moved, and the hub as holdfast left it.

    Nothing moves while there are no more than `slack` too many. The archive is written first: a crash in between leaves
    an entry in both, which the next time puts right. A hub that somebody saved meanwhile is left to the next time, too.
    """
    if _roughly(hub) <= most + slack or hub.problem:
        return [], hub.data
    moving = _oldest(hub, most)
    if not moving:
        return [], hub.data
    archive = hub_location.beside(path, hub_location.ARCHIVE)
    if os.path.lexists(archive) and not os.path.getsize(archive):
        return [], hub.data  # somebody is just saving it
    store.upsert(archive, lambda data: _grown(data, moving, hub))
    shorter = _shortened(hub, most, files.read(archive))
    written = store.upsert(path, lambda data: shorter if data == hub.data else data)
    return [found.entry.ident for found in moving], shorter if written else hub.data


def _roughly(hub: Hub) -> int:
    """Return how many entries the history has at most: how often an id is named behind where it may begin.

    This looks at bytes alone: to parse a large file takes as long as all else that an update does.
    """
    part = hub.file_format.part(HISTORY)
    lowered = hub.data.lower()
    begun = re.search(_any(part.names if part else {names.plain(HISTORY)}), lowered)
    return len(re.findall(_any(hub.idents), lowered[begun.start() :])) if begun else 0


def _any(known: "Iterable[str]") -> bytes:
    """Return the pattern of plain names in whatever dress they come, in lower case."""
    return b"|".join(rb"[\W_]+".join(re.escape(word.encode()) for word in name.split()) for name in known)


def _oldest(hub: Hub, most: int) -> list[Found]:
    """Return the entries of the history that are too many, the oldest first; those that are not done stay."""
    done = [found for found in hub.entries() if found.history and found.entry.category in {"completed", ""}]
    latest = sorted(done, key=lambda found: (-found.entry.updated, found.start))
    return latest[most:][::-1]


def _grown(data: bytes, moving: list[Found], hub: Hub) -> bytes:
    """Return the archive with the entries that it does not have yet.

    An entry that was in the archive before and went on since takes the place of its older version.
    """
    data = data or _HEAD
    for found in moving:
        block = found.entry.data.rstrip(b"\r\n")
        if block not in data:
            data = _without_older(Hub(data, hub.file_format), found)
            data = data.rstrip(b"\r\n") + b"\n\n" + block + b"\n"
    return data


def _without_older(archive: Hub, found: Found) -> bytes:
    """Return the archive without versions of an entry whose lines the entry has, except for status and times."""
    ident = found.entry.ident
    known = [one for one in archive.naming(ident) if one.entry.ident == ident] if ident else []
    older = [one for one in known if _lasting(one.entry.data) <= _lasting(found.entry.data)]
    return splices(archive.data, [gone(archive, one) for one in older])


def _lasting(block: bytes) -> set[bytes]:
    """Return the lines of an entry, except for those that say what its status is and since when."""
    lines = {line.strip() for line in block.splitlines()}
    return {line for line in lines if not line.startswith(_PASSING)}


def _shortened(hub: Hub, most: int, kept: bytes) -> bytes:
    """Return the hub without the entries that are too many, each of which the archive has."""
    moved = [found for found in _oldest(hub, most) if found.entry.data.rstrip(b"\r\n") in kept]
    shorter = splices(hub.data, [gone(hub, found) for found in moved])
    if all(hub.data[found.end :].strip() for found in moved):
        return shorter
    # The last entry of the file leaves the blank line before it, which would add up.
    return shorter.rstrip(b"\r\n") + (hub.document.newline if hub.data.endswith((b"\r", b"\n")) else b"")
