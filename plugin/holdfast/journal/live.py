"""The processes of sessions that have not ended: one small file each, so that they are counted without their journals.

These files are a shortcut for the status line. A lost one only makes a count too small.
"""

import os

from holdfast.core import files, process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_FOLDER = "/live/"


def note(store: str, session: str, start: "Mapping[str, object]") -> None:
    """Store the process that a start names; a full or read-only disk is not an error."""
    words = f"{start.get('pid')} {start.get('process')} {start.get('host')}"
    files.write_quietly(store + _FOLDER + session, words.encode("utf-8", "surrogateescape"), durable=False)


def forget(store: str, session: str) -> None:
    """Remove what is stored of a session that ended."""
    files.unlink_quietly(store + _FOLDER + session)


def others(store: str, session: str) -> int:
    """Return how many other sessions run on this host; what is stored of processes that are gone is removed."""
    try:
        names = os.listdir(store + _FOLDER)
    except OSError:
        return 0
    return sum(_runs(store, name) for name in names if name != session and not name.startswith("."))


def _runs(store: str, session: str) -> bool:
    """Whether the process of a session runs on this host."""
    try:
        pid, identity, host = os.fsdecode(files.read(store + _FOLDER + session)).split(" ", 2)
    except (OSError, ValueError):  # removed meanwhile, or damaged
        return False
    if host != os.uname().nodename or not pid.isdecimal():
        return False
    alive = process.alive(int(pid), identity)
    if not alive:
        forget(store, session)
    return alive
