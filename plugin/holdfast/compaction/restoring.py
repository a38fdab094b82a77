"""Setting a state file back to what a snapshot has of it; what stands there meanwhile becomes a snapshot itself."""

import os

from holdfast import files, journal, paths, settle, store, sync, text
from holdfast.compaction import snapshots
from holdfast.compaction.snapshots import Snapshot
from holdfast.errors import HoldfastError
from holdfast.paths import Place
from holdfast.session import number_of
from holdfast.settings import Settings


class Restored:
    """What a restore did, or would do: the file's name, the change as a diff, and what undoes it.

    `diff` is b"" where the file says so already. `undo` names the snapshot of what stood there, "" where there was
    nothing. `unstaged` is why it was not staged, "" where it was.
    """

    __slots__ = ("diff", "name", "undo", "unstaged")

    def __init__(self, name: str, diff: bytes) -> None:
        self.name = name
        self.diff = diff
        self.undo = self.unstaged = ""


def preview(place: Place, snapshot: Snapshot) -> Restored:
    """Return what a restore would do; HoldfastError where it cannot be done."""
    path = _target(place, snapshot)
    name = paths.locate(os.path.dirname(path)).relative(path)
    return Restored(name, sync.diff(_there(path) or b"", _kept(snapshot), name))


def restore(place: Place, snapshot: Snapshot, settings: Settings, now: float) -> Restored:
    """Set a state file back, and stage it; HoldfastError, with nothing changed, where that cannot be done."""
    path, kept = _target(place, snapshot), _kept(snapshot)
    with store.writing(place):
        done = preview(place, snapshot)
        if not done.diff:
            return done
        there = _there(path)
        if there is not None:
            facts: dict[str, object] = {
                "trigger": "restore",
                "path": path,
                "title": f"before {snapshot.name} was restored",
            }
            done.undo = snapshots.take(place.store, snapshot.session, facts, there, now).name
        store.upsert(path, lambda _: kept)
        since = number_of(snapshot.facts, "since")
        journal.append(place.store, snapshot.session, {"kind": "restored", "since": since})
    done.unstaged = settle.stage(place, snapshot.session, path, settings)
    return done


def _target(place: Place, snapshot: Snapshot) -> str:
    """Return where the file of a snapshot lies; HoldfastError where there is none, or no place for it any more."""
    path = snapshot.path
    if not path or snapshot.state is None:
        raise HoldfastError(f"{snapshot.name} has no state file: its session had none. Type: holdfast snapshots")
    home = paths.locate(os.path.dirname(path))
    if not os.path.isdir(os.path.dirname(path)) or home.store != place.store:
        shown = text.line(path, 300)
        raise HoldfastError(
            f"{shown} is no place of this project any more. Print it: holdfast snapshots {snapshot.name} --state"
        )
    if os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path)):
        raise HoldfastError(f"{text.line(path, 300)} is no plain file any more. Move it away first.")
    return path


def _kept(snapshot: Snapshot) -> bytes:
    return snapshot.state or b""


def _there(path: str) -> bytes | None:
    """Return what stands in a file, None where it is gone."""
    return files.read(path) if os.path.lexists(path) else None
