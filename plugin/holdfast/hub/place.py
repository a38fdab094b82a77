"""Where the hub of a project and its companions lie. Cheap to import."""

import os

from holdfast import discovery, files, paths
from holdfast.errors import HoldfastError
from holdfast.paths import Place

PLACES = (".genie/SESSION-STATE.md", ".genie/state/SESSION-STATE.md", ".agents/SESSION-STATE.md")
ARCHIVE = "SESSION-HISTORY.md"


def home(place: Place) -> Place:
    """Return the working tree whose hub is the project's: the main one, unless only this one has what it takes."""
    main = os.path.dirname(place.common) if os.path.basename(place.common) == ".git" else ""
    if not main or place.git == place.common:
        return place
    there = paths.locate(main)
    return there if there.initialised or known(there.root) else place


def known(root: str) -> str:
    """Return the path of the hub that lies under `root`, "" where none does.

    One that is or lies behind a link counts, so that it is refused with its name and no second one is begun.
    """
    for place in PLACES if root else ():
        path = f"{root}/{place}"
        if os.path.lexists(path) and (os.path.islink(path) or os.path.islink(os.path.dirname(path))):
            return path
        for found in discovery.state_files(root, [place]).paths:
            return found
    return ""


def path_of(place: Place) -> str:
    """Return where the hub of a project lies or will lie; HoldfastError in a bare repository."""
    there = home(place)
    if not there.root:
        raise HoldfastError(f"{place.git} is a bare repository, which has no place for a hub. Use a worktree.")
    return known(there.root) or f"{there.root}/{PLACES[-1]}"


def beside(path: str, name: str) -> str:
    """Return where a companion of the hub lies or would lie."""
    return f"{os.path.dirname(path)}/{name}"


def archived(path: str) -> bytes:
    """Return the archive beside the hub at a path, nothing where there is none."""
    archive = beside(path, ARCHIVE)
    return files.read(archive) if os.path.isfile(archive) else b""
