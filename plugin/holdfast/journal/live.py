"""Sessions that the index lacks: one small file each, so that a start need not look at the journals of the past.

`log.append` makes the file of a session that begins or goes on after a silence, and `keep` removes it once the index
has what the journal says. The file of a session that has not ended names its process. These files are a shortcut: a
lost one only means that a session is seen later, when the background has looked at all journals.
"""

import os

from holdfast.core import files, process
from holdfast.journal import log
from holdfast.journal.payload import is_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def sessions(store: str) -> "list[str]":
    """Return the ids of the sessions that the index lacks."""
    try:
        return [name for name in os.listdir(store + log.LIVE) if is_session(name)]
    except OSError:
        return []


def note(store: str, session: str, start: "Mapping[str, object]") -> None:
    """Store the process that a start names; a full or read-only disk is not an error."""
    words = f"{start.get('pid')} {start.get('process')} {start.get('host')}"
    files.write_quietly(store + log.LIVE + session, words.encode("utf-8", "surrogateescape"))


def end(store: str, session: str) -> None:
    """Forget the process of a session that ended."""
    files.write_quietly(store + log.LIVE + session, b"")


def keep(store: str, indexed: "Mapping[str, str]", unindexed: "Iterable[str]") -> bool:
    """Let just the sessions that are not in the index have a file; return whether one was removed.

    `indexed` has the signature that each journal had when the index read it. A file stays if it went on since.
    """
    noted = sessions(store)
    gone = [ident for ident in noted if ident in indexed]
    for ident in gone:
        files.unlink_quietly(store + log.LIVE + ident)
        if log.signature(store, ident) != indexed[ident]:
            files.write_quietly(store + log.LIVE + ident, b"")
    for ident in {*unindexed}.difference(noted):
        files.write_quietly(store + log.LIVE + ident, b"")
    return bool(gone)


def others(store: str, session: str) -> int:
    """Return how many other sessions run on this host."""
    return sum(ident != session for ident in running(store))


def running(store: str, but: int = 0) -> "list[str]":
    """Return the sessions that run on this host, without those of the process with the number `but`."""
    return [ident for ident in sessions(store) if _pid(store, ident) not in {0, but}]


def of_process(store: str, pid: int) -> "list[str]":
    """Return the sessions of a process on this host that have not ended."""
    return [ident for ident in sessions(store) if _pid(store, ident) == pid]


def _pid(store: str, session: str) -> int:
    """Return the process of a session that runs on this host, 0 if it does not run."""
    try:
        pid, identity, host = os.fsdecode(files.read(store + log.LIVE + session)).strip().split(" ", 2)
    except (OSError, ValueError):  # removed meanwhile, damaged, or ended
        return 0
    here = host == os.uname().nodename and pid.isdecimal()
    return int(pid) if here and process.alive(int(pid), identity) else 0
