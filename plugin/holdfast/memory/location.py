"""Where state files are: the STATE.md in use, and format, folder and name of a new file."""

import glob
import os

from holdfast.core import files
from holdfast.formats import template
from holdfast.formats.format import Format
from holdfast.formats.template import Work
from holdfast.journal import log
from holdfast.memory.view import FORMAT
from holdfast.project import paths
from holdfast.project.discovery import SESSIONS
from holdfast.project.paths import Project
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone

_PROJECT_WIDE = (".gsd-lite/STATE.md", "gsd-lite/STATE.md")
_NAME = "STATE.md"
_DEFAULT, _CONVERSATION = "agents", "n5"  # formats of new files
_CONVERSATION_NAME = "SESSION_STATE.md"
_CONVERSATIONS = ("workspaces/con_*", "con_*", "")  # folders of conversations, the last one for a single one


def in_use(workspace: Workspace, root: str, session: str) -> str:
    """Return the path of the STATE.md that a session without a state file should continue, "" for none.

    It is the project's own, else the only one in `.project/sessions`; its work is not completed. A file with untrusted
    text is not used, nor one that belongs to another live session.
    """
    own = [f"{root}/{name}" for name in _PROJECT_WIDE]
    dated = sorted(glob.glob(f"{glob.escape(root)}/{SESSIONS}/*/{_NAME}"))
    for group in (own[:1], own[1:], dated):
        paths_used = [path for path in group if _goes_on(workspace, path) and not _taken(workspace, path, session)]
        if len(paths_used) == 1:
            return paths_used[0]
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


def format_of_new_file(workspace: Workspace, root: str, requested: str = "") -> Format:
    """Return the format of a new state file: the requested one, that of the setting, else that of the files here."""
    chosen = requested or (workspace.settings.format if workspace.settings.format != "auto" else "")
    if not chosen and any(
        os.path.isdir(f"{root}/{folder}") for folder in (*map(os.path.dirname, _PROJECT_WIDE), SESSIONS)
    ):
        chosen = FORMAT
    if not chosen and any(_is_conversation(workspace, path) for path in _conversations(root)):
        chosen = _CONVERSATION
    return workspace.formats.named(chosen or _DEFAULT)


def of_new_file(project: Project, file_format: Format, work: Work) -> tuple[str, str]:
    """Return folder and name of a new file in a project; a name that is taken gets a number when the file is made."""
    root = project.root
    if file_format.name == FORMAT:
        folders = [folder for name in _PROJECT_WIDE if os.path.isdir(folder := f"{root}/{os.path.dirname(name)}")]
        wide = folders and not os.path.isdir(f"{root}/{SESSIONS}")
        return folders[0] if wide else _free(f"{root}/{SESSIONS}/{template.dated(work)}"), _NAME
    if file_format.name == _CONVERSATION:
        return _conversation_folder(root, work), _CONVERSATION_NAME
    return f"{root}/{paths.STATE_FOLDER}", template.name(work.title, work.created)


def _conversations(root: str) -> list[str]:
    """Return the files of conversations in a working tree."""
    names = [f"{folder}/{_CONVERSATION_NAME}".lstrip("/") for folder in _CONVERSATIONS]
    return [path for name in names for path in sorted(glob.glob(f"{glob.escape(root)}/{name}"))]


def _is_conversation(workspace: Workspace, path: str) -> bool:
    """Whether a file has the format of conversations, in its present or its older shape."""
    file_format = workspace.state_file(path).file_format if not os.path.islink(path) else None
    return file_format is not None and file_format.name.startswith(_CONVERSATION)


def _conversation_folder(root: str, work: Work) -> str:
    """Return the folder of a conversation: the current one if it is such a folder without a file, else a new one.

    The conversation is called like its folder.
    """
    here = os.getcwd()
    own = os.path.basename(here).startswith("con_") and paths.within(here, root)
    if own and not os.path.lexists(f"{here}/{_CONVERSATION_NAME}"):
        work.ident = os.path.basename(here)
        return here
    work.ident = f"con_{work.session.removeprefix('con_')}" if work.session else template.new_ident()
    above = "workspaces/" if os.path.isdir(f"{root}/workspaces") else ""
    return _free(f"{root}/{above}{work.ident}")


def _free(folder: str) -> str:
    """Return a folder that is not there yet: this one, or one with a number after its name."""
    return next(path for path in files.numbered(folder) if not os.path.lexists(path))
