"""Where the hub of a project and the files beside it are. This module is cheap to import."""

import os

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.project import discovery, paths
from holdfast.project.paths import Project

PATHS = (".genie/SESSION-STATE.md", ".genie/state/SESSION-STATE.md", ".agents/SESSION-STATE.md")
ARCHIVE = "SESSION-HISTORY.md"


def home(project: Project) -> Project:
    """Return the working tree that has the hub: the main one if it is initialised or has a hub, else this one."""
    main = os.path.dirname(project.common) if os.path.basename(project.common) == ".git" else ""
    if not main or project.git == project.common:
        return project
    main_tree = paths.locate(main)
    return main_tree if main_tree.initialised or known(main_tree.root) else project


def known(root: str) -> str:
    """Return the path of the existing hub under `root`, "" when there is none.

    A hub that is a link, or in a linked folder, is returned too: the caller refuses it and makes no second one.
    """
    for relative in PATHS if root else ():
        path = f"{root}/{relative}"
        if os.path.lexists(path) and (os.path.islink(path) or os.path.islink(os.path.dirname(path))):
            return path
        for found in discovery.state_files(root, [relative]).paths:
            return found
    return ""


def path_of(project: Project) -> str:
    """Return the path of a project's hub, existing or not; HoldfastError in a bare repository."""
    tree = home(project)
    if not tree.root:
        raise HoldfastError(f"{project.git} is a bare repository, which has no working tree for a hub. Use a worktree.")
    genie = f"{tree.root}/{PATHS[0]}"
    return known(tree.root) or (genie if os.path.isdir(os.path.dirname(genie)) else f"{tree.root}/{PATHS[-1]}")


def beside(path: str, name: str) -> str:
    """Return the path of a file beside the hub."""
    return f"{os.path.dirname(path)}/{name}"


def archived(path: str) -> bytes:
    """Return the bytes of the archive beside the hub at `path`, b"" when there is none."""
    archive = beside(path, ARCHIVE)
    return files.read(archive) if os.path.isfile(archive) else b""
