"""What hooks ask to be settled, and the lock that lets one process at a time settle a project in the background.

A hook stores its request, then tries the lock. Where another process holds it, that process finds the request once it
has done what it is at: it looks again after it has let go, so no request is left behind. Otherwise the hook starts a
process, which inherits the lock. The kernel releases it when that process ends in any way.
"""

import os
import time

from holdfast.core import fast_json, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_FOLDER = "/settle/"
_LOCK = ".lock"
NO_LOCK = -1  # the file system has no locks


class Request:
    """One request: a session, "" for all; whether only the hub is meant; the snapshot to complete, "" for none."""

    __slots__ = ("only_hub", "session", "snapshot")

    def __init__(self, session: str = "", snapshot: str = "", *, only_hub: bool = False) -> None:
        self.session, self.snapshot, self.only_hub = session, snapshot, only_hub


def add(store: str, request: Request) -> bool:
    """Store a request; return whether that worked. On a full or read-only disk nothing could be settled either."""
    row = {name: getattr(request, name) for name in Request.__slots__}
    path = f"{store}{_FOLDER}{time.time_ns()}-{os.getpid()}"
    return files.write_quietly(path, fast_json.dumps(row).encode())


def waiting(store: str) -> "set[str]":
    """Return the names of the requests that wait."""
    try:
        return {name for name in os.listdir(store + _FOLDER) if not name.startswith(".")}
    except OSError:
        return set()


def take(store: str, names: "Collection[str]") -> "list[Request]":
    """Remove the requests with these names and return them; damaged ones, which are removed too, are left out."""
    requests = []
    for name in sorted(names):
        row = fast_json.read_object(store + _FOLDER + name)
        files.unlink_quietly(store + _FOLDER + name)
        session, snapshot = fast_json.text_of(row, "session"), fast_json.text_of(row, "snapshot")
        if row.keys() == {*Request.__slots__}:
            requests.append(Request(session, snapshot, only_hub=row["only_hub"] is True))
    return requests


def lock(store: str) -> int | None:
    """Return a descriptor that holds the lock, for a process to inherit; None where another process holds it."""
    import fcntl

    try:
        opened = os.open(f"{store}{_FOLDER}{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        return NO_LOCK
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held = fcntl.fcntl(opened, fcntl.F_DUPFD, 3)  # the process that inherits it has other standard streams
    except BlockingIOError:
        return None
    except OSError:
        return NO_LOCK
    finally:
        os.close(opened)
    return held


def adopt(held: int) -> None:
    """Keep an inherited lock from the processes that this one starts."""
    if held != NO_LOCK:
        os.set_inheritable(held, False)


def release(held: int) -> None:
    """Let go of the lock."""
    if held != NO_LOCK:
        os.close(held)
