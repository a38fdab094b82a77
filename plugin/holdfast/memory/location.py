"""Where the working memory of a project is: the STATE.md in use, and the path of a new one."""

import glob
import os

from holdfast.core import clock, files
from holdfast.formats import template
from holdfast.formats.template import Work
from holdfast.journal import log
from holdfast.memory.view import FORMAT
from holdfast.project.paths import Project
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone

_PROJECT_WIDE = (".gsd-lite/STATE.md", "gsd-lite/STATE.md")
_SESSIONS, _NAME = ".project/sessions", "STATE.md"


def in_use(workspace: Workspace, root: str, session: str) -> str:
    """Return the path of the STATE.md that a session without a state file should continue, "" for none.

    It is the project's own, else the only one in `.project/sessions`; its work is not completed. A file with untrusted
    text is not used, nor one that belongs to another live session.
    """
    own = [f"{root}/{name}" for name in _PROJECT_WIDE]
    dated = sorted(glob.glob(f"{glob.escape(root)}/{_SESSIONS}/*/{_NAME}"))
    for group in (own[:1], own[1:], dated):
        found = [path for path in group if _goes_on(workspace, path) and not _taken(workspace, path, session)]
        if len(found) == 1:
            return found[0]
    return ""


def _goes_on(workspace: Workspace, path: str) -> bool:
    """Whether a plain, trusted file in the format of working memory is there, and its work is not completed."""
    if not os.path.isfile(path) or os.path.islink(path):
        return False
    state = workspace.state_file(path)
    if state.problem or state.file_format is None or state.file_format.name != FORMAT:
        return False
    categories = [state.record.file_format.category(state.record.text(spot)) for spot in state.record.spots("status")]
    return "completed" not in categories and not clone.TrustCheck().untrusted([path])


def _taken(workspace: Workspace, path: str, session: str) -> bool:
    """Whether this state file belongs to another live session."""
    others = [ident for ident in log.sessions_of_file(workspace.project.store, path) if ident != session]
    return any(other.live for ident in others if (other := workspace.session(ident)))


def of_new_file(project: Project, work: Work) -> tuple[str, str]:
    """Return folder and name of a new file, "" and "" where the project has no folder for sessions of this format."""
    folder = f"{project.root}/{_SESSIONS}"
    if not glob.glob(f"{glob.escape(folder)}/*/{_NAME}"):
        return "", ""
    slug = template.name(work.title, work.created).split("-", 2)[2].removesuffix(".md")
    dated = f"{folder}/{clock.write(work.created, clock.MINUTE)[:10]}-{slug}"
    return next(path for path in files.numbered(dated) if not os.path.lexists(path)), _NAME
