"""The hub's summary (entries, the files in them, statuses of people), and the hub that only git's index has."""

import os

from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of, rows_of, text_of, texts_of
from holdfast.core.statuses import ACTIVE
from holdfast.journal import file_touches
from holdfast.sessions import hub_location, status
from holdfast.sessions.session import Session
from holdfast.trust import clone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.core.summary import Summary
    from holdfast.project.paths import Project
    from holdfast.sessions.index import Ids
    from holdfast.sessions.workspace import Workspace

_MOST = 200  # files that entries name


def hub_of(sessions: "Iterable[Session]", path: str) -> Session | None:
    """Return the hub at `path` among state files without a journal, None where it is not or its text is untrusted."""
    found = (one for one in sessions if path and one.state == path and not one.journaled)
    return next((one for one in found if not one.summary.get("untrusted")), None)


def rows(hub: Session | None) -> "list[Summary]":
    """Return the entries of a hub that have an id, each as its summary."""
    return [one for one in rows_of(hub.summary, "entries") if text_of(one, "id")] if hub else []


def dated(row: "Summary") -> float:
    """Return the time of the last change that an entry records, 0.0 for none."""
    return number_of(row, "updated") or number_of(row, "created")


def active_files(hub: Session | None) -> dict[str, tuple["Summary", list[str]]]:
    """Return the active entries by their ids, each with the files that its context names."""
    rows_of_file: dict[str, tuple[Summary, list[str]]] = {}
    root = f"{os.path.dirname(os.path.dirname(hub.state))}/" if hub else ""
    for row in rows(hub):
        if row["category"] == ACTIVE:
            rows_of_file[text_of(row, "id")] = row, [path.removeprefix(root) for path in texts_of(row, "files")]
    return rows_of_file


def follow_hub(sessions: "list[Session]", path: str) -> "list[Session]":
    """Return sessions, each with the status that a person, or an update, set in its entry of the hub at `path`."""
    words = {text_of(row, "id"): row for row in rows(hub_of(sessions, path))}

    def followed(session: Session) -> Session:
        row = words.get(session.id, {}) if session.journaled else {}
        word, wrote = text_of(row, "status"), status.wrote(session, "", "Status")
        return session.replace(in_hub=text_of(row, "category")) if word and wrote and word != wrote else session

    return [*map(followed, sessions)] if words else sessions


def note_files(store: str, hub: Session | None, over: "Ids") -> set[str]:
    """Note each file that an active entry of the hub names, so that a hook reads no hub before an edit.

    Return the ids of these entries. Entries of sessions that are `over`, known here and not live, do not count.
    """
    active = {ident: names for ident, (_, names) in active_files(hub).items() if ident not in over}
    for name, ident in [(name, ident) for ident, names in active.items() for name in names][:_MOST]:
        file_touches.declare(store, name, ident)
    return {ident for ident, names in active.items() if names}


def path_in_git(project: "Project") -> str:
    """Return the path that the hub would have in the working tree, "" if it is there or git has none."""
    main = hub_location.tree(project)
    return "" if hub_location.known(main.root) else hub_location.outside_cone(main)


def text_in_git(project: "Project", path: str) -> tuple[bytes, bool]:
    """Return the bytes that the index has of the hub, and whether its clone is trusted."""
    from holdfast.git import objects

    main = hub_location.tree(project)
    data = objects.index_text(main.root, main.relative(path))
    return data, clone.is_trusted(main)


def session_in_git(workspace: "Workspace", path: str) -> tuple[Session, bool]:
    """Return the hub as a session with its summary, and whether its text is trusted."""
    data, trusted = text_in_git(workspace.project, path)
    summary = _parsed(workspace, path, data)
    hub = Session(hub_location.name_of(workspace.project, path))
    # No file has a time, and each entry has its own.
    return hub.replace(state=path, summary=summary, last_active=workspace.now), trusted


def require_in_tree(project: "Project", path: str) -> None:
    """Raise HoldfastError, which names the command to type, when a sparse checkout leaves the hub at `path` out."""
    if not os.path.lexists(path) and path == path_in_git(project):
        name = hub_location.name_of(project, path)
        raise HoldfastError(f"{name} is outside the sparse checkout. Type: {hub_location.adding(path)}")


def _parsed(workspace: "Workspace", path: str, data: bytes) -> "Summary":
    from holdfast.formats import state_file

    try:
        return state_file.summary(state_file.parse(data, path, workspace.formats))
    except ImportError:  # the packages are still being installed
        return {}
