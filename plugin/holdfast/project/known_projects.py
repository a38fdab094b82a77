"""The projects of this user on this machine: session starts add them to a list, a path on each line."""

import os

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.project.paths import Project

_NAME = "/holdfast/projects"


def path(environ: "Mapping[str, str]") -> str:
    """Return the path of the list in the user's data folder, "" without a home directory."""
    home = environ.get("HOME", "")
    data = environ.get("XDG_DATA_HOME", "") or (home and home + "/.local/share")
    return data + _NAME if data.startswith("/") else ""


def remember(project: "Project", environ: "Mapping[str, str]") -> None:
    """Add a project to the list, unless it is there. The list is a convenience: errors are ignored."""
    root, known = _main_tree(project), path(environ)
    if not known or not project.store or "\n" in root:
        return
    try:
        if root not in _lines(known):
            files.append_line(known, os.fsencode(root))
    except OSError:
        return


def projects(environ: "Mapping[str, str]") -> "list[Project]":
    """Return the listed projects that still exist, each once; those that vanished are removed from the list."""
    known = path(environ)
    try:
        lines = _lines(known) if known else []
    except OSError:
        return []
    found: dict[str, Project] = {}
    for line in lines:
        project = paths.locate(line) if os.path.isdir(line) else None
        if project and project.store and _main_tree(project) == line:
            found.setdefault(project.store, project)
    kept = [_main_tree(project) for project in found.values()]
    if kept != lines:
        _write(known, kept)
    return [*found.values()]


def _main_tree(project: "Project") -> str:
    """Return the main working tree of a repository, else the project's folder."""
    folder, _, name = project.common.rpartition("/")
    return folder if name == ".git" else project.root


def _lines(known: str) -> list[str]:
    try:
        data = files.read(known)
    except FileNotFoundError:
        return []
    return [line for line in os.fsdecode(data).split("\n") if line.startswith("/")]


def _write(known: str, lines: list[str]) -> None:
    try:
        files.write_private(known, os.fsencode("".join(f"{line}\n" for line in lines)))
    except (OSError, HoldfastError):  # the next reader drops them again
        return
