"""The merge of one file for git, and the set-up by which git asks for it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.editing import merge
from holdfast.formats.record import Outline
from holdfast.formats.state_file import recognise
from holdfast.git import merge as git_merge
from holdfast.hub import merge as hub_merge
from holdfast.markdown.document import Document
from holdfast.memory.loops import merge as loops_merge
from holdfast.memory.loops.loop import KIND
from holdfast.project import discovery, ids, paths
from holdfast.sessions import hub_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.editing.merge import Texts
    from holdfast.formats.catalogue import Formats
    from holdfast.formats.format import Format
    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace

_LOOPS = os.path.basename(discovery.PATHS[0])
_HUB = "genie"  # the format of the hub and its archive
_HUBS = {os.path.basename(hub_location.PATHS[0]), hub_location.ARCHIVE}
PROGRAM = paths.PLUGIN_ROOT + "/bin/holdfast"


@dataclass(slots=True, frozen=True)
class Done:
    """The result of a merge: whether it is free of conflicts, and what a person has to know."""

    clean: bool
    notes: list[str]


def merge_file(workspace: Workspace, versions: tuple[str, str, str], marker: int, path: str) -> Done:
    """Merge the files base, ours and theirs into ours; `path` is where the file is in the working tree.

    Bytes that are no text stay as ours has them, in conflict, as with git's own merge. OSError for a file that cannot
    be read or written.
    """
    texts = (files.read(versions[0]), files.read(versions[1]), files.read(versions[2]))
    try:
        data, clean, notes = merged(workspace, texts, marker, path)
    except HoldfastError as error:
        return Done(clean=False, notes=[f"{path} stays as ours has it: {error}"])
    if data != texts[1]:
        files.write_atomic(os.path.abspath(versions[1]), data)
    return Done(clean, notes)


def merged(workspace: Workspace, texts: Texts, marker: int, path: str) -> tuple[bytes, bool, list[str]]:
    """Return the merge of three versions of a file, whether it is free of conflicts, and notes; HoldfastError."""
    project, formats = workspace.project, workspace.formats
    if max(map(len, texts)) > merge.LARGEST:
        return *git_merge.text(*texts, marker), []
    if os.path.basename(path) == _LOOPS:
        changed = loops_merge.renumbered(texts, ids.last_used(project, KIND))
        base = texts[0]
        ours = loops_merge.renamed(base, loops_merge.aliased(texts[1], changed.ours), changed.ours)
        theirs = loops_merge.renamed(base, loops_merge.aliased(texts[2], changed.theirs), changed.theirs)
        return *loops_merge.merged((base, ours, theirs), marker), changed.lines()
    hub = _hub(texts, path, formats) if os.path.basename(path) in _HUBS else None
    if hub:
        return *hub_merge.merged(texts, marker, hub), []
    return *merge.merged(merge.with_agreed_keys(texts), marker), []


def _hub(texts: Texts, path: str, formats: Formats) -> Format | None:
    """Return the format whose entries a file of a hub's name has, None for another state file of that name."""
    if os.path.basename(path) == hub_location.ARCHIVE:
        return formats.get(_HUB)
    known = (recognise(Outline(Document(text)), path, formats)[0] for text in texts[1:])
    return next((one for one in known if one and one.entry), None)


def conflicted(workspace: Workspace) -> list[str]:
    """Return the files with conflict markers among state files, hub, archive and loops, relative to the project."""
    project = workspace.project
    if not project.root:
        return []
    home, hub = hub_location.home(project), hub_location.path_of(project)
    paths_of_kind = discovery.state_files(project.root, [*workspace.formats.patterns, *discovery.PATHS]).paths
    companions = [path for path in (hub, hub_location.companion(hub, hub_location.ARCHIVE)) if os.path.isfile(path)]
    if hub_location.is_outside(home.root, hub.removeprefix(f"{home.root}/")):
        companions = []
    return [
        project.relative(path) or path
        for path in dict.fromkeys([*paths_of_kind, *companions])
        if os.path.getsize(path) <= discovery.LARGEST and Document(files.read(path)).conflicted()
    ]


def set_up(project: Project) -> list[str]:
    """Let git merge the files of this project by holdfast; return what changed, a line each.

    Outside git there is nothing to set up. HoldfastError where git or a link is in the way.
    """
    if not project.git or not project.root or project.is_private:
        return []
    hub, home = hub_location.path_of(project), hub_location.home(project)
    loops = project.relative(discovery.loops_path(project.root))
    companions = (hub, hub_location.companion(hub, hub_location.ARCHIVE)) if home.git else ()
    known = [*discovery.PATHS, f"{discovery.SESSIONS}/*/LOOPS.md"]
    git_merge.assign(project.root, [*map(home.relative, companions), loops, *known, *paths.PATTERNS])
    changed = git_merge.configure(project.root, PROGRAM)
    return ["git merges hub and loops by entry in this clone."] if changed else []
