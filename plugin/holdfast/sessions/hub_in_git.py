"""The hub that git has and that a sparse checkout leaves out of the working tree: it is read from the index."""

import os

from holdfast.core.errors import HoldfastError
from holdfast.git import objects
from holdfast.sessions import hub_location
from holdfast.sessions.session import Session
from holdfast.trust import clone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.summary import Summary
    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace


def path_of(project: "Project") -> str:
    """Return the path that the hub would have in the working tree, "" if it is there or git has none."""
    main = hub_location.tree(project)
    return "" if hub_location.known(main.root) else hub_location.outside_cone(main)


def text(project: "Project", path: str) -> tuple[bytes, bool]:
    """Return the bytes that the index has of the hub, and whether its clone is trusted."""
    main = hub_location.tree(project)
    data = objects.index_text(main.root, main.relative(path))
    return data, clone.is_trusted(main)


def session(workspace: "Workspace", path: str) -> tuple[Session, bool]:
    """Return the hub as a session with its summary, and whether its text is trusted."""
    data, trusted = text(workspace.project, path)
    summary = _summary(workspace, path, data)
    hub = Session(hub_location.name_of(workspace.project, path))
    # No file has a time, and each entry has its own.
    return hub.replace(state=path, summary=summary, last_active=workspace.now), trusted


def require_in_tree(project: "Project", path: str) -> None:
    """Raise HoldfastError, which names the command to type, when a sparse checkout leaves the hub at `path` out."""
    if not os.path.lexists(path) and path == path_of(project):
        name = hub_location.name_of(project, path)
        raise HoldfastError(f"{name} is outside the sparse checkout. Type: {hub_location.adding(path)}")


def _summary(workspace: "Workspace", path: str, data: bytes) -> "Summary":
    from holdfast.formats import state_file

    try:
        return state_file.summary(state_file.parse(data, path, workspace.formats))
    except ImportError:  # the packages are still being installed
        return {}
