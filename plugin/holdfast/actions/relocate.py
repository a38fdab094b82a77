"""Move files of holdfast between the working tree and the private folder, as `holdfast init` is asked to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.context.short_lists import counted
from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.git import merge, queries
from holdfast.hub import merge as hub_merge
from holdfast.journal import log
from holdfast.memory import ledger
from holdfast.project import discovery, paths
from holdfast.project.settings import values
from holdfast.sessions import hub_location
from holdfast.sessions.paused_work import PATTERNS
from holdfast.trust import clone, repository_settings

if TYPE_CHECKING:
    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace

_HUB = hub_location.PATHS[-1]
_OWN = (*paths.PATTERNS, discovery.PATHS[-1])
_HUB_FILES = (_HUB, hub_location.companion(_HUB, hub_location.ARCHIVE))


def to_private(workspace: Workspace) -> list[str]:
    """Move everything from the working tree to the private folder; return what was done, a line each.

    Untrusted files stay: what holdfast writes into the private folder is trusted. HoldfastError where a file of the
    same name is there already, and while git is in the middle of an operation; then nothing is moved.
    """
    project = workspace.project
    if not project.git or not project.root:
        raise HoldfastError("private files are kept in git's folder, and there is no git here. Type: git init")
    _refuse_busy(project, hub_location.tree(project))
    with store.writing(project):
        main = hub_location.tree(project).root
        moving = [(path, project.root) for path in discovery.state_files(project.root, (*_OWN, *PATTERNS)).paths]
        moving += [(path, main) for path in discovery.state_files(main, _HUB_FILES).paths]
        own = f"{project.root}/{paths.SETTINGS}"
        known = [path for path, _ in moving] + [own] * os.path.isfile(own)
        untrusted = clone.TrustCheck().untrusted(known)
        there = {path: f"{project.private}/{os.path.relpath(path, root)}" for path, root in moving}
        there = {path: target for path, target in there.items() if path not in untrusted}
        chosen = os.path.isfile(own) and repository_settings.is_trusted(own)
        data = _settings(own if chosen else "", f"{project.private}/{paths.SETTINGS}")
        _copy(workspace, there)
        _write(f"{project.private}/{paths.SETTINGS}", data)  # from here on the project is private
        lines = _remove(workspace, {**there, own: ""} if chosen else there)
    lines += merge.remove(project.root)
    if untrusted:
        left = counted(len(untrusted), "file")
        lines.append(f"Left in the tree: {left} that may come from elsewhere. See: holdfast trust")
    return lines


def to_shared(workspace: Workspace) -> list[str]:
    """Move all but hub and hand-overs from the private folder to the working tree, stage it, return what was done.

    HoldfastError while git is in the middle of an operation; then nothing is moved.
    """
    project = workspace.project
    private, own = project.private_project, f"{project.private}/{paths.SETTINGS}"
    _refuse_busy(project)
    with store.writing(project):
        names = discovery.state_files(private.root, _OWN).paths
        there = {path: f"{project.root}/{private.relative(path)}" for path in names}
        settings_there = f"{project.root}/{paths.SETTINGS}"
        if not os.path.lexists(settings_there) or files.read(own) != values.TEMPLATE.encode():
            there[own] = settings_there
        _copy(workspace, there)
        lines = _remove(workspace, {**there, own: there.get(own, "")})
    known = bool(queries.head_blob(project.root, paths.SETTINGS))
    workspace.stage(*(target for path, target in there.items() if path != own or known))
    return [*lines, *(why for why in workspace.not_staged.values() if why)]


def _refuse_busy(*projects: Project) -> None:
    """Raise HoldfastError while git is in the middle of an operation: a changed or missing file would stop it."""
    for project in projects:
        if busy := queries.busy(project.git) if project.git else "":
            raise HoldfastError(f"nothing was moved: {busy}")


def _settings(shared: str, private: str) -> bytes:
    """Return the text of the private settings, from those in the tree if given; HoldfastError if both are changed."""
    template = values.TEMPLATE.encode()
    chosen, there = (files.read(path) if os.path.isfile(path) else b"" for path in (shared, private))
    changed = {text for text in (chosen, there) if text not in (b"", template)}
    if len(changed) > 1:
        raise _occupied(private)
    return changed.pop() if changed else template


def _occupied(target: str) -> HoldfastError:
    return HoldfastError(f"{target} is there already, with another text. Move it away; nothing was moved.")


def _copy(workspace: Workspace, there: dict[str, str]) -> None:
    """Copy each file to its target; HoldfastError before anything is written where another one is there."""
    texts: dict[str, bytes] = {}
    united: dict[str, str] = {}
    for path, target in there.items():
        texts[target] = data = files.read(path)
        if not os.path.lexists(target):
            continue
        if path.endswith("/" + _HUB):
            texts[target], united[target] = hub_merge.united(files.read(target), path, workspace.hub_format), path
        elif files.read(target) != data:
            raise _occupied(target)
    for target, data in texts.items():
        (store.copy if target in united else _write)(target, data)


def _write(target: str, data: bytes) -> None:
    """Write the text of another file, and its folder, through no link that leads elsewhere."""
    if not os.path.lexists(target) or files.read(target) != data:
        store.copy(target, data)


def _remove(workspace: Workspace, there: dict[str, str]) -> list[str]:
    """Give each file's sessions its new path, then remove the file and stage that; return what was done."""
    project = workspace.project
    tracked: dict[str, list[str]] = {}
    for path, target in there.items():
        if target and files.read(target) != files.read(path) and not path.endswith("/" + _HUB):
            raise HoldfastError(f"{path} was changed meanwhile; it stays. Type the same again.")
        for ident in log.sessions_of_file(project.store, path) if target else []:
            log.claim(project.store, ident, target, by="rename")
        if target:
            ledger.moved(path, target)
        store.remove(path)
        home = paths.locate(os.path.dirname(path))
        if home.git and home.root:
            tracked.setdefault(home.root, []).append(home.relative(path))
    lines = [f"Moved {_named(project, path)} to {_named(project, target)}." for path, target in there.items() if target]
    for root, names in tracked.items():
        known = sorted(queries.tracked(root, names))
        workspace.stage(*(f"{root}/{name}" for name in known))
        if known:
            verb = "was" if len(known) == 1 else "were"
            lines.append(f"{counted(len(known), 'file')} of these {verb} in git; commit the removal.")
    return lines


def _named(project: Project, path: str) -> str:
    return project.relative(path) or path
