"""Delete the state file of finished work, and with it what only points to it (formats/agents-sessions.md)."""

import os

from holdfast.actions import adoption, hand_over, lifecycle
from holdfast.context.checklist.checklist import Item
from holdfast.core.errors import HoldfastError
from holdfast.core.statuses import COMPLETED
from holdfast.editing import store
from holdfast.git import queries
from holdfast.journal import log
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.sessions.candidates import Hit
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

_NAMED = 4  # uncommitted files


def delete(workspace: Workspace, hit: Hit, *, force: bool) -> list[str]:
    """Delete a state file that git keeps, and the hand-over that holdfast wrote for it; return what was done.

    HoldfastError unless everything is committed and no item of the checklist is open, or `force` is given. What git
    does not have yet is kept as an object of its own first.
    """
    home = paths.locate(os.path.dirname(hit.path))
    name = home.relative(hit.path)
    _refuse_others(home, hit, name)
    handovers = hand_over.of_state(workspace, hit.path, hit.entry)
    dirty, unmet = _dirty(home, name), _unmet(workspace, hit, [one.name for one in handovers])
    if not force and (dirty or unmet):
        raise HoldfastError("\n".join([*dirty, *unmet, "Do that, or add --force."]))
    lines = [*unmet]
    for one in handovers:
        lines += hand_over.used(workspace.project, one, workspace.settings)
    with store.writing(workspace.project):
        kept = queries.keep_object(home.root, name)
        if not kept:
            raise HoldfastError(f"git could not keep {name}; it is not deleted. Type: git status")
        holders = log.sessions_of_file(workspace.project.store, hit.path)
        store.remove(hit.path)
        for ident in holders:
            log.release(workspace.project.store, ident)
            lifecycle.journal(workspace.project, workspace.recorded(ident), COMPLETED, "its state file was deleted")
        known = name in (queries.uncommitted(home.root) or [])  # else git never had it, and there is nothing to stage
        problem = adoption.stage(workspace.project, "", hit.path, workspace.settings) if known else ""
    return [
        *lines,
        f"Deleted {name}. To have it back: git cat-file -p {kept} > {safe.shell(name)}",
        *([problem] if problem else []),
    ]


def _refuse_others(home: Project, hit: Hit, name: str) -> None:
    """Refuse what is not in git, and what is not the state file of one piece of work."""
    if not home.git or not home.root or not name:
        raise HoldfastError(f"{hit.path} is not in git, so it could not be restored. Delete it by hand.")
    if hit.entry:
        raise HoldfastError(
            f"{hit.entry} is an entry of {name}, which other sessions use. Move it to the history there."
        )
    if hit.session.shared or not hit.session.summary:
        raise HoldfastError(f"{name} is not the state file of one piece of work. Delete it by hand when it may go.")


def _dirty(home: Project, name: str) -> list[str]:
    """Return a line with the files that are not committed, [] for none."""
    dirty = queries.uncommitted(home.root)
    if dirty is None:
        raise HoldfastError(f"git cannot tell whether {home.root} is clean. Type: git status")
    if name not in dirty and not queries.committed(home.root, name):  # git may be configured to ignore it
        dirty = [name, *dirty]
    named = safe.listed([safe.line(one, 80) for one in dirty], _NAMED)
    return [f"not everything is committed: {named}."] if dirty else []


def _unmet(workspace: Workspace, hit: Hit, going: list[str]) -> list[str]:
    """Return the open items of the checklist as lines, under a heading; files that are `going` are no references."""
    _, left = lifecycle.checklists(workspace, hit)
    items: list[Item] = []
    for item in left:
        names = [name for name in item.evidence if item.kind != "references" or name not in going]
        if item.count and names and item.kind != "uncommitted":
            items.append(Item(item.kind, item.what, names, count=item.count - len(item.evidence) + len(names)))
    return ["not everything is done:", *(item.text for item in items)] if items else []
