"""State files that become a session's own: one that it edited, and one that is made for it. Staged by one function."""

import os
import time

from holdfast.actions import naming
from holdfast.clients import catalogue as clients
from holdfast.core import files
from holdfast.editing import own_changes, store
from holdfast.formats import managed_block, template
from holdfast.formats.format import Format
from holdfast.formats.template import Work
from holdfast.journal import log
from holdfast.memory import location, phases
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.project.settings.values import Settings
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

_HOOK_TIMEOUT = 2.0  # seconds that Claude may be kept waiting; what is not done by then the next settle does


def adopt(workspace: Workspace, ident: str, path: str, *, child: str = "") -> bool:
    """Claim the state file that was just edited for the session or its child, stamp it and stage it.

    A session that has a state file does not take over that of another session by editing it. False for a file of an
    unknown shape, which is left alone.
    """
    if not is_adoptable(workspace, path):
        return False
    with store.writing(workspace.project, _HOOK_TIMEOUT):
        claim(workspace.project, ident, path, child=child)
        # A file that is not written belongs to another tool, which alone writes to it.
        if paths.locate(os.path.dirname(path)).is_written:

            def stamp(data: bytes) -> bytes:
                return managed_block.stamp(workspace.state_file(path, data), time.time())

            own_changes.note_edit(path)
            # Claude has just written it: with its own time kept, the client does not report our stamp to it as news.
            store.update(path, stamp, quiet=True)
            stage(workspace.project, ident, path, workspace.settings, workspace.recorded(ident).note)
    return True


def is_adoptable(workspace: Workspace, path: str) -> bool:
    """Whether a plain file is there, of a known format whose files belong to one session each."""
    if not os.path.isfile(path) or os.path.islink(path):
        return False
    file_format = workspace.state_file(path).file_format
    return file_format is not None and file_format.writes and not file_format.shared


def claim(project: Project, ident: str, path: str, *, child: str = "") -> None:
    """Journal that a state file belongs to the session that edited it, or to its child.

    Nothing is journaled if the file is the session's already, or if it is another session's and this one has its own.
    """
    holders = log.sessions_of_file(project.store, path)
    if child or not (ident in holders or (holders and log.has_state_file(project.store, ident))):
        log.claim(project.store, ident, path, by="edit", child=child)


def begin(project: Project, session: Session, file_format: Format, work: Work) -> str:
    """Create a state file for a piece of work that a session begins and return its path; the caller holds the lock."""
    work.title, work.session = safe.line(work.title, 100), session.id
    work.request = naming.quotable(session, committed=bool(project.target.git))
    work.client = clients.of(session.client).TITLE
    work.branch = session.branch or safe.mask(paths.branch(project))
    folder, name = location.of_new_file(project.target, file_format, work)
    work.phase = safe.line(phases.current(project.target.root, f"{folder}/{name}"), 200)
    if os.path.isfile(f"{folder}/CONTEXT.md"):
        work.breakdown = "CONTEXT.md"
    made = f"{folder}/{name}"  # by a settle that was interrupted right after, if its name tells what it is about
    if session.id and name == template.name(work.title, work.created) and mentions(made, session.id):
        return made
    return store.create(folder, name, template.compose(file_format, work))


def mentions(path: str, text: str) -> bool:
    """Whether a plain file is there that contains a text, such as the id of a session."""
    return os.path.isfile(path) and not os.path.islink(path) and text.encode() in files.read(path)


def stage(project: Project, ident: str, path: str, settings: Settings, known: str = "") -> str:
    """Stage a state file and return "", or why that could not be done.

    The reason is journaled in the session `ident`, "" for none, unless it is the one that is `known` already.
    """
    problem = store.stage(path) if settings.stage else ""
    if ident and problem and problem != known:
        log.append(project.store, ident, {"kind": "note", "text": problem})
    return problem
