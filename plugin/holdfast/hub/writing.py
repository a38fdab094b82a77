"""The one way in which the hub changes: read again under the lock, what was undone put back, written, staged."""

import os
import time
from collections.abc import Callable

from holdfast import files, store
from holdfast.errors import HoldfastError
from holdfast.hub import history, place
from holdfast.hub.draft import Change, Draft
from holdfast.hub.memory import Memory
from holdfast.hub.project import Project
from holdfast.hub.register import NEW, Hub

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


def write(project: Project, act: Callable[[Draft], None]) -> Written:
    """Let `act` change the hub of a project, whose history is bounded; the caller holds the lock.

    A hub that somebody else wrote since may have been saved from an old copy: the entries of the last while that are
    as they were before, or gone, are put back first.
    """
    written = Written(place.path_of(project.place))
    memory = Memory(project.place.store, written.path)
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
            memory.restore(draft)
        act(draft)
        left, changes[:] = draft.done(), draft.changes()
        return data if left == draft.hub.data else left

    for more in reversed(range(_TRIES)):
        _wait(written.path, memory)
        try:
            written.changed = store.upsert(written.path, make)
            break
        except _SavingError:
            if not more:
                raise
        except HoldfastError as error:
            raise HoldfastError(str(error) if written.path in str(error) else f"{written.path}: {error}") from None
    memory.remember(left, changes, project.now)
    if written.changed:
        most = project.settings.history_entries
        written.archived = _trimmed(project, written.path, memory, most, slack=most // 5)
    written.unstaged = store.stage(written.path) if project.settings.stage and written.changed else ""
    return written


class _SavingError(HoldfastError):
    """The hub was emptied by somebody who is about to fill it again."""


def archive(project: Project, most: int) -> int:
    """Move the oldest entries of the history to the archive until `most` are left; return how many."""
    path = place.path_of(project.place)
    moved = _trimmed(project, path, Memory(project.place.store, path), most)
    if moved and project.settings.stage:
        store.stage(path)
    return moved


def _trimmed(project: Project, path: str, memory: Memory, most: int, *, slack: int = 0) -> int:
    """Bound the history, and remember the hub as it is then."""
    moved, data = history.trim(path, project.dialect, most, slack=slack)
    if moved:
        memory.forget(moved)
        memory.remember(data, [], project.now)
        _ = store.stage(place.beside(path, place.ARCHIVE)) if project.settings.stage else ""
    return len(moved)


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
