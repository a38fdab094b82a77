"""Starts detached processes that run holdfast's own commands; one at a time settles a project.

A hook stores its request, then tries the lock. Where another process holds it, that process finds the request once it
has done what it is at: it looks again after it has let go, so no request is left behind. Otherwise the hook starts a
process, which inherits the lock. The kernel releases it when that process ends in any way.
"""

import os
import time

from holdfast.core import fast_json, files, process
from holdfast.project import paths, user_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Set as AbstractSet

    from holdfast.project.paths import Project


def note_project(project: "Project") -> None:
    """Note a project in which something is kept, for install.sh --uninstall."""
    data = paths.data_dir(os.environ)
    path = data + paths.REPOSITORIES
    try:
        noted = files.read(path).splitlines() if data and os.path.isfile(path) else []
        if data and project.root and os.fsencode(project.root) not in noted and "\n" not in project.root:
            files.append_line(path, os.fsencode(project.root))
    except OSError:  # then uninstalling leaves what is there, which does no harm
        return


_FOLDER = "/settle/"
_SETTLE_LOCK = ".lock"
NO_LOCK = -1  # the file system has no locks


class Request:
    """One request: a session, "" for all; whether only the hub is meant; the snapshot to complete, "" for none."""

    __slots__ = ("only_hub", "session", "snapshot")

    def __init__(self, session: str = "", snapshot: str = "", *, only_hub: bool = False) -> None:
        self.session, self.snapshot, self.only_hub = session, snapshot, only_hub


def add_request(store: str, request: Request) -> bool:
    """Store a request; return whether that worked. On a full or read-only disk nothing could be settled either."""
    row = {name: getattr(request, name) for name in Request.__slots__}
    path = f"{store}{_FOLDER}{time.time_ns()}-{os.getpid()}"
    return files.write_quietly(path, fast_json.dumps(row).encode())


def waiting_requests(store: str) -> "set[str]":
    """Return the names of the requests that wait."""
    try:
        return {name for name in os.listdir(store + _FOLDER) if not name.startswith(".")}
    except OSError:
        return set()


def take_requests(store: str, names: "Collection[str]") -> "list[Request]":
    """Remove the requests with these names and return them; damaged ones, which are removed too, are left out."""
    requests = []
    for name in sorted(names):
        row = fast_json.read_object(store + _FOLDER + name)
        files.unlink_quietly(store + _FOLDER + name)
        session, snapshot = fast_json.text_of(row, "session"), fast_json.text_of(row, "snapshot")
        if row.keys() == {*Request.__slots__}:
            requests.append(Request(session, snapshot, only_hub=row["only_hub"] is True))
    return requests


def lock_settle(store: str) -> int | None:
    """Return a descriptor that holds the lock, for a process to inherit; None where another process holds it."""
    import fcntl

    try:
        opened = os.open(f"{store}{_FOLDER}{_SETTLE_LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
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


def adopt_lock(held: int) -> None:
    """Keep an inherited lock from the processes that this one starts."""
    if held != NO_LOCK:
        os.set_inheritable(held, False)


def release_lock(held: int) -> None:
    """Let go of the lock."""
    if held != NO_LOCK:
        os.close(held)


TRACKER_PROBLEM = "/tracker-problem"  # in the store: why the background could not read or write issues the last time


def settle(project: "Project", session: str = "", snapshot: str = "") -> None:
    """Settle one session, or all with unsettled facts; then complete the snapshot of this name, if one is given."""
    _ask(project, Request(session, snapshot))


def update_hub(project: "Project", session: str) -> None:
    """Update one session in the hub, and leave its state file as it is."""
    _ask(project, Request(session, only_hub=True))


def _ask(project: "Project", request: Request) -> None:
    """Leave a request to the process that settles this project, and start one if none does."""
    if add_request(project.store, request):
        _start_settle(project, lock_settle(project.store))


def go_on(project: "Project", held: int, done: "AbstractSet[str]") -> None:
    """Let go of the lock that is `held`, or hand it on to a process that settles what was asked for since.

    `done` are the names of the requests that this process has seen.
    """
    if waiting_requests(project.store) <= done:
        release_lock(held)
        if waiting_requests(project.store) <= done:  # one may have come just before the release
            return
        _start_settle(project, lock_settle(project.store))
    else:
        _start_settle(project, held)


def _start_settle(project: "Project", lock: int | None) -> None:
    """Start the process that settles what waits; None for the `lock` means that another one is at work."""
    if lock is None:
        return
    if lock != NO_LOCK:
        os.set_inheritable(lock, True)
    _run("-C", project.root or project.common, "settle", "--lock", str(lock))


def keep_sharing(project: "Project") -> None:
    """Exchange sessions with the remote as long as some are live; a second such process ends at once."""
    _run("-C", project.root or project.common, "share", "keep")


def post(project: "Project") -> None:
    """Tell the user's webhooks and terminal what happened, where the user wants that."""
    if project.store and user_settings.tells(os.environ):
        _run("-C", project.root or project.common, "webhook", "send")


def track(project: "Project") -> None:
    """Read and write the issues of sessions, where the user wants that."""
    if project.store and user_settings.tracks(os.environ):
        _run("-C", project.root or project.common, "link", "--background")


def build_dependencies() -> None:
    """Build the dependency folder."""
    _run("deps", "--unseen")


def _run(*arguments: str) -> None:
    process.spawn([*process.interpreter(), paths.CLI, *arguments])
