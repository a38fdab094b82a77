"""Restore a state file from a snapshot; the replaced text becomes a snapshot itself."""

import os
from dataclasses import dataclass

from holdfast.actions import adoption, sync
from holdfast.context.compaction import snapshots
from holdfast.context.compaction.snapshots import Snapshot
from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of
from holdfast.editing import store
from holdfast.journal import log
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.project.settings.values import Settings
from holdfast.trust import safe


@dataclass(slots=True)
class Restored:
    """The result of a restore, or of its preview: the file's name, the change as a diff, and what undoes it.

    `diff` is b"" if the file has this text already. `undo` names the snapshot of the replaced text, "" if there was
    none. `unstaged` says why the file was not staged, "" if it was.
    """

    name: str
    diff: bytes
    undo: str = ""
    unstaged: str = ""


def preview(project: Project, snapshot: Snapshot) -> Restored:
    """Return what a restore would do; HoldfastError if it is impossible."""
    path = _target(project, snapshot)
    name = paths.locate(os.path.dirname(path)).relative(path)
    return Restored(name, sync.diff(_there(path) or b"", snapshot.state or b"", name))


def restore(project: Project, snapshot: Snapshot, settings: Settings, now: float) -> Restored:
    """Restore a state file and stage it; HoldfastError, without any change, if it is impossible."""
    path, kept = _target(project, snapshot), snapshot.state or b""  # before a new snapshot may remove this one
    with store.writing(project):
        done = preview(project, snapshot)
        if not done.diff:
            return done
        there = _there(path)
        if there is not None:
            title = f"before {snapshot.name} was restored"
            facts: dict[str, object] = {"trigger": "restore", "path": path, "title": title}
            done.undo = snapshots.take(project.store, snapshot.session, facts, there, now).name
        store.copy(path, kept)
        since = number_of(snapshot.facts, "since")
        log.append(project.store, snapshot.session, {"kind": "restored", "since": since})
    done.unstaged = adoption.stage(project, snapshot.session, path, settings)
    return done


def _target(project: Project, snapshot: Snapshot) -> str:
    """Return the path to restore; HoldfastError if the snapshot has no file, or its folder is gone."""
    path = snapshot.path
    if not path or snapshot.state is None:
        raise HoldfastError(f"{snapshot.name} has no state file: its session had none. Type: holdfast snapshots")
    home = paths.locate(os.path.dirname(path))
    if not os.path.isdir(os.path.dirname(path)) or home.store != project.store:
        shown = safe.line(path, 300)
        raise HoldfastError(
            f"{shown} is not in this project any more. Print it: holdfast snapshots {snapshot.name} --state"
        )
    if os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path)):
        raise HoldfastError(f"{safe.line(path, 300)} is not a plain file any more. Move it away first.")
    return path


def _there(path: str) -> bytes | None:
    """Return the bytes of a file, None if it is gone."""
    return files.read(path) if os.path.lexists(path) else None
