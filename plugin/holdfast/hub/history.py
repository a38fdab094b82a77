"""Limit the hub's history: its oldest entries move to SESSION-HISTORY.md in the same folder; none is deleted."""

import os
import re

from holdfast.core import files
from holdfast.core.statuses import OVER
from holdfast.editing import store
from holdfast.formats import names
from holdfast.hub.document import HISTORY, Found, Hub, gone
from holdfast.markdown.document import splices
from holdfast.sessions import hub_location

_HEAD = b"""\
# Session History

Entries that left the history of SESSION-STATE.md, the latest last.
"""
_PASSING = (b"**Status:**", b"**Last Updated:**", b"**Completed:**")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def trim(path: str, hub: Hub, most: int, *, slack: int = 0) -> tuple[list[str], bytes]:
    """Move the oldest entries of the history until `most` are left; the caller holds the lock and has read the hub.

    Return the ids of those that moved, and the hub as holdfast left it.

    Nothing moves while at most `slack` entries are too many. The archive is written first: after a crash in between, an
    entry is in both files, and the next call removes it from the hub. A hub that was saved meanwhile is left as it is.
    """
    if _roughly(hub) <= most + slack or hub.problem:
        return [], hub.data
    moving = _oldest(hub, most)
    if not moving:
        return [], hub.data
    archive = hub_location.companion(path, hub_location.ARCHIVE)
    if os.path.lexists(archive) and not os.path.getsize(archive):
        return [], hub.data  # another program is saving it
    store.upsert(archive, lambda data: _grown(data, moving, hub))
    shorter = _shortened(hub, most, files.read(archive))
    written = store.upsert(path, lambda data: shorter if data == hub.data else data)
    return [found.entry.ident for found in moving], shorter if written else hub.data


def _roughly(hub: Hub) -> int:
    """Return how many entries the history has at most: how often an id is named after its possible beginning.

    This searches the bytes, because parsing a large file takes as long as the rest of an update.
    """
    part = hub.file_format.part(HISTORY)
    lowered = hub.data.lower()
    begun = re.search(_any(part.names if part else {names.plain(HISTORY)}), lowered)
    return len(re.findall(_any(hub.idents), lowered[begun.start() :])) if begun else 0


def _any(known: "Iterable[str]") -> bytes:
    """Return a pattern for plain names in lower case, with any punctuation between their words."""
    return b"|".join(rb"[\W_]+".join(re.escape(word.encode()) for word in name.split()) for name in known)


def _oldest(hub: Hub, most: int) -> list[Found]:
    """Return the entries of the history that are too many, the oldest first; unfinished ones always stay."""
    done = [found for found in hub.entries() if found.history and found.entry.category in {*OVER, ""}]
    latest = sorted(done, key=lambda found: (-found.entry.updated, found.start))
    return latest[most:][::-1]


def _grown(data: bytes, moving: list[Found], hub: Hub) -> bytes:
    """Return the archive with the entries that it does not have yet.

    An entry that is in the archive in an older version replaces that version.
    """
    data = data or _HEAD
    for found in moving:
        block = found.entry.data.rstrip(b"\r\n")
        if block not in data:
            data = _without_older(Hub(data, hub.file_format), found)
            data = data.rstrip(b"\r\n") + b"\n\n" + block + b"\n"
    return data


def _without_older(archive: Hub, found: Found) -> bytes:
    """Return the archive without older versions of an entry: all their lines but status and times are in it."""
    ident = found.entry.ident
    known = [one for one in archive.naming(ident) if one.entry.ident == ident] if ident else []
    older = [one for one in known if _lasting(one.entry.data) <= _lasting(found.entry.data)]
    return splices(archive.data, [gone(archive, one) for one in older])


def _lasting(block: bytes) -> set[bytes]:
    """Return the lines of an entry, except for its status and its times."""
    lines = {line.strip() for line in block.splitlines()}
    return {line for line in lines if not line.startswith(_PASSING)}


def _shortened(hub: Hub, most: int, kept: bytes) -> bytes:
    """Return the hub without the entries that are too many and that the archive has."""
    moved = [found for found in _oldest(hub, most) if found.entry.data.rstrip(b"\r\n") in kept]
    shorter = splices(hub.data, [gone(hub, found) for found in moved])
    if all(hub.data[found.end :].strip() for found in moved):
        return shorter
    # The last entry of the file leaves the blank line before it, which would add up.
    return shorter.rstrip(b"\r\n") + (hub.document.newline if hub.data.endswith((b"\r", b"\n")) else b"")
