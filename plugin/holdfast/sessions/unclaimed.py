"""State files that belong to no journal here: which there are, and which of them a survey shows."""

import os

from holdfast.project import discovery, paths
from holdfast.sessions import hub_location, past_files, paused_work
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.catalogue import Formats
    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace


def variant(workspace: "Workspace", hub: str) -> str:
    """Return what the files in the known places depend on besides the folders."""
    home = workspace.hub_home
    line = past_files.line_of(hub, {}) if home.root != workspace.project.root else ""
    place = f"{workspace.project.is_private} {os.path.isdir(workspace.project.aside)}"
    return f"{workspace.formats.fingerprint} {place} {line}"


def found(project: "Project", formats: "Formats") -> discovery.FoundFiles:
    """Return the state files of a working tree, those in no commit included."""
    state_files = discovery.state_files(project.root, formats.patterns)
    aside = discovery.state_files(project.aside, formats.patterns if project.is_private else paused_work.PATTERNS)
    state_files.lines.update(aside.lines)
    state_files.folders.update(aside.folders)
    state_files.left_out += aside.left_out
    return state_files


def with_hub(project: "Project", home: "Project", hub: str, found: "dict[str, str]") -> "dict[str, str]":
    """Return the state files with the hub of the main working tree instead of this working tree's copy of it."""
    if home.root == project.root:
        return found
    copies = {f"{project.root}/{name}" for name in hub_location.PATHS}
    kept = {path: line for path, line in found.items() if path not in copies}
    try:
        return {**kept, hub: discovery.line(hub, os.lstat(hub))} if hub else kept
    except OSError:  # gone since
        return kept


def relative_to(root: str, path: str) -> str:
    """Return a path relative to the working tree `root`, unchanged if it lies outside."""
    inside = root and path.startswith(root.rstrip("/") + "/")
    return path[len(root.rstrip("/")) + 1 :] if inside else path


def unheld(project: "Project", held: set[str], given_up: set[str], there: list[str]) -> list[str]:
    """Return the state files that belong to no journal here, not even through another working tree."""
    left = [path for path in there if path not in held]
    # Only files with the name of a held one can be the same file, and they are few.
    names = {paths.folded_name(path) for path in held | given_up} if left else set[str]()
    alike = {path: paths.identities(path) for path in left if path.rpartition("/")[2].casefold() in names}
    requested = set(map(paths.folded_name, alike))
    known: set[tuple[object, object]] = {(paths.repository(project), path) for path in given_up}
    known |= {mark for path in held if paths.folded_name(path) in requested for mark in paths.identities(path)}
    return [path for path in left if known.isdisjoint(alike.get(path, ()))]


def of_file(project: "Project", path: str) -> Session:
    """Return a session for a state file without one; its id is the file's name."""
    root = project.private if project.private and path.startswith(project.private + "/") else project.root
    name = relative_to(root, path).removeprefix(paths.STATE_FOLDER + "/")
    return Session(safe.line(name.removesuffix(".md"), 400)).replace(state=path)
