"""The one way in which the hub changes: read again under the lock, what was undone put back, written, staged."""

import contextlib
import os
import time
from collections.abc import Callable

from holdfast import files, journal, store
from holdfast.errors import HoldfastError
from holdfast.hub import history, place
from holdfast.hub.draft import Change, Draft
from holdfast.hub.memory import Memory
from holdfast.hub.project import Project
from holdfast.hub.register import NEW, Hub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hub.memory import Owed

_STILL = 0.1  # seconds without a change after which nobody is in the midst of saving
_PATIENCE = 1.0
_TRIES = 3


class Written:
    """What became of the hub: its path, what changed, why it was not staged ("" if it was)."""

    __slots__ = ("archived", "changed", "path", "unstaged")

    def __init__(self, path: str) -> None:
        self.path = path
        self.changed = False
        self.archived = 0  # entries that went to the archive
        self.unstaged = ""


def recover(project: Project) -> None:
    """Journal what a process that was killed wrote into the hub and had no time to note; the caller holds the lock.

    Else it would be taken for somebody else's words, which stay.
    """
    path = place.path_of(project.place)
    _recover(project, Memory(project.place.store, path), path)


def _recover(project: Project, memory: Memory, path: str) -> None:
    owed = memory.owed
    if not owed or not os.path.isfile(path):
        return
    hub = Hub(files.read(path), project.dialect)
    for session, fact in owed:
        with contextlib.suppress(HoldfastError):  # it stands twice
            wrote, found = fact.get("wrote"), hub.entry(str(fact.get("agent") or session))
            if found and isinstance(wrote, dict) and found.entry.text("Status") == wrote.get("Status"):
                journal.append(project.place.store, session, fact)
    memory.begin()


def write(
    project: Project,
    act: Callable[[Draft], None],
    beside: Callable[[], None] | None = None,
    owed: "Callable[[], list[Owed]]" = list,
) -> Written:
    """Let `act` change the hub of a project, whose history is bounded; the caller holds the lock.

    A hub that somebody else wrote since may have been saved from an old copy: the entries of the last while that are
    as they were before, or gone, are put back first. What is to change with the hub is done by `beside`, just before
    the hub is written: where that is cut off, the same change once more does all of it. `owed` tells the facts that go
    to journals with it: where that is cut off, the next one to write the hub does so.
    """
    written = Written(place.path_of(project.place))
    memory = Memory(project.place.store, written.path)
    _recover(project, memory, written.path)
    unfinished = memory.unfinished and os.path.isfile(written.path)
    changes: list[Change] = []
    left = b""

    def make(data: bytes) -> bytes:
        nonlocal left
        if not data and os.path.lexists(written.path):
            raise _SavingError(
                f"{written.path} is empty: somebody may just be saving it. Delete it to begin a new one."
            )
        draft = Draft(Hub(data or NEW.encode(), project.dialect), project.now, written.path)
        if data and memory.touched(data):
            memory.restore(draft, _archived(written.path))
        act(draft)
        left, changes[:] = draft.done(), draft.changes()
        if left == draft.hub.data:
            return data
        if beside:
            beside()
        memory.begin(owed())
        return left

    written.changed = _upserted(written.path, memory, make)
    moved: list[str] = []
    if written.changed or unfinished:
        moved, left = _bounded(project, written, archived=unfinished)
    _remember(project, memory, left, moved, [change for change in changes if change.ident not in moved])
    for session, fact in owed():
        journal.append(project.place.store, session, fact)
    if written.unstaged:
        memory.begin()
    else:
        memory.finish()
    return written


class _SavingError(HoldfastError):
    """The hub was emptied by somebody who is about to fill it again."""


def _upserted(path: str, memory: Memory, make: Callable[[bytes], bytes]) -> bool:
    """Write what `make` makes of the hub, once nobody is in the midst of saving it; whether anything changed."""
    for _ in range(_TRIES - 1):
        with contextlib.suppress(_SavingError):
            return _upserted_now(path, memory, make)
    return _upserted_now(path, memory, make)


def _upserted_now(path: str, memory: Memory, make: Callable[[bytes], bytes]) -> bool:
    _wait(path, memory)
    try:
        return store.upsert(path, make)
    except _SavingError:
        raise
    except HoldfastError as error:
        raise HoldfastError(str(error) if path in str(error) else f"{path}: {error}") from None


def archive(project: Project, most: int) -> int:
    """Move the oldest entries of the history to the archive until `most` are left; return how many."""
    path = place.path_of(project.place)
    memory = Memory(project.place.store, path)
    unfinished = memory.unfinished
    _recover(project, memory, path)
    memory.begin()
    moved, data = history.trim(path, project.dialect, most)
    unstaged = _staged(project, path, archived=True) if moved or unfinished else ""
    if moved:
        _remember(project, memory, data, moved, [])
    if not unstaged:
        memory.finish()
    return len(moved)


def _archived(hub: str) -> bytes:
    """Return what stands in the archive beside a hub."""
    path = place.beside(hub, place.ARCHIVE)
    return files.read(path) if os.path.isfile(path) else b""


def _bounded(project: Project, written: Written, *, archived: bool) -> tuple[list[str], bytes]:
    """Bound the history of a hub that was written and stage it; return the ids that moved, and the hub as it is."""
    most = project.settings.history_entries
    moved, left = history.trim(written.path, project.dialect, most, slack=most // 5)
    written.archived = len(moved)
    written.unstaged = _staged(project, written.path, archived=bool(moved) or archived)
    return moved, left


def _staged(project: Project, path: str, *, archived: bool) -> str:
    """Stage the hub, and the archive beside it where that may have changed; return "" or why the hub could not be."""
    if not project.settings.stage:
        return ""
    beside = place.beside(path, place.ARCHIVE)
    if archived and os.path.lexists(beside):
        store.stage(beside)
    return store.stage(path)


def _remember(project: Project, memory: Memory, data: bytes, moved: list[str], changes: list[Change]) -> None:
    """Remember the hub as it is left, last of all: as long as it is not, the next process looks after it again."""
    memory.forget(moved)
    memory.remember(data, changes, project.now)


def _wait(path: str, memory: Memory) -> None:
    """Wait while somebody is in the midst of saving the hub in place, which leaves it empty or cut off for a while."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            data, changed = files.read(path), os.stat(path).st_mtime
        except OSError:
            return
        if data and (not memory.touched(data) or abs(time.time() - changed) > _STILL):
            return
        time.sleep(_STILL / 5)
