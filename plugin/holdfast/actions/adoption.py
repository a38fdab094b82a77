"""State files that become a session's own, where those are that moved or went, and what a project of genie gets."""

import contextlib
import os
import stat
import time

from holdfast.actions import naming
from holdfast.clients import catalogue as clients
from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.editing import own_changes, store
from holdfast.editing.own_changes import HeldError, refuse_held
from holdfast.formats import managed_block
from holdfast.formats.format import Format
from holdfast.git import queries
from holdfast.journal import log
from holdfast.memory import ledger
from holdfast.project import discovery, paths
from holdfast.project.paths import Project
from holdfast.project.settings.values import Settings
from holdfast.sessions import hub_location
from holdfast.sessions.session import Session, with_state
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.template import Work

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
            stage(workspace.project, ident, path, workspace.settings, workspace.recorded(ident).settling.note)
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


def begin(project: Project, session: Session, file_format: Format, work: "Work", settings: Settings) -> str:
    """Create a state file for a piece of work that a session begins and return its path; the caller holds the lock."""
    from holdfast.formats import template  # once in a session
    from holdfast.memory import location, phases

    work.title, work.session = safe.line(work.title, 100), session.id
    work.request = session.talk.request
    work.background = naming.background(session, settings.quotes if project.target.git else "all")
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


_SHIM = "node_modules/.bin/automagik-genie"  # where npx looks for a program first
_MARK = "# Written by `holdfast init --genie`."
_USAGE = "automagik-genie run session-state-updater"
LINE = '!`holdfast update "action=..."`'
_PROGRAM = f"""\
#!/bin/sh
{_MARK}
# It carries out `npx automagik-genie run session-state-updater "..."`, foreground or not, with `holdfast update`.
if [ "$1" = run ] && [ "$2" = session-state-updater ]; then
    shift 2
    exec holdfast update "$@"
fi
echo "automagik-genie: only \\`run session-state-updater\\` is known here, which holdfast carries out" >&2
exit 2
"""


def restore_shim(store: str, folder: str) -> None:
    """Write the program again where `npm ci` removed it or a new worktree lacks it, if it was made for this project."""
    root = paths.locate(folder).root if os.path.isfile(store + paths.GENIE) else ""
    shim = f"{root}/{_SHIM}"
    if root and not os.path.lexists(shim) and paths.within(os.path.dirname(shim), root):
        with contextlib.suppress(OSError):
            _write(shim)


def _write(shim: str) -> None:
    os.makedirs(os.path.dirname(shim), exist_ok=True)
    files.write_atomic(shim, _PROGRAM.encode())
    os.chmod(shim, stat.S_IMODE(os.stat(shim).st_mode) | 0o111)  # noqa: S103 - it is a program


def without_program(project: "Project") -> list[str]:
    """Return the project's documents whose usage line would not work, because npx has no such program there."""
    if not project.root or os.path.lexists(f"{project.root}/{_SHIM}"):
        return []
    found = queries.files_with(project.root, _USAGE) if project.git else None
    return [name for name in found or [] if name.endswith(".md")]


def remember_genie(project: "Project") -> None:
    """Note in the store that the program was made for this project, so that `restore` makes it again."""
    if project.store:
        files.write_private(project.store + paths.GENIE, b"")


def prepare_genie(root: str) -> list[str]:
    """Make the folder of the hub and the program, and return lines that say so.

    HoldfastError where one of them leads out of the project through a link, or where another program has that name.
    """
    folder, shim = os.path.dirname(f"{root}/{hub_location.PATHS[0]}"), f"{root}/{_SHIM}"
    for made in (folder, os.path.dirname(shim)):
        if not paths.within(made, root):
            raise HoldfastError(f"{made} leads out of {root} through a link. Make it a folder of its own.")
    if os.path.lexists(shim) and not mentions(shim, _MARK):
        raise HoldfastError(f"{shim} is another program already. Remove it to have holdfast answer its calls.")
    os.makedirs(folder, exist_ok=True)
    _write(shim)
    where = os.path.relpath(hub_location.known(root) or f"{root}/{hub_location.PATHS[0]}", root)
    return [
        f"The hub is {where}.",
        f"Made {_SHIM}: `npx automagik-genie run session-state-updater` is carried out by `holdfast update`.",
        "It is made again at each start, after `npm ci` and in a new worktree. The line that needs no program: " + LINE,
    ]


def follow(workspace: Workspace, session: Session, *, goes_on: bool) -> Session:
    """Return a session with its state file where that went, restored if the work goes on without it.

    HeldError while git has it elsewhere, or is about to bring it back.
    """
    session = with_state(session, workspace.project)
    _follow_folder(workspace, session)
    if session.claimed and not session.state:
        refuse_held(session.claimed, missing=True)
        return session.replace(state=_moved_to(workspace, session) or restored(workspace, session, goes_on=goes_on))
    return session


def _moved_to(workspace: Workspace, session: Session) -> str:
    """Return where a state file was moved, alone or with its project, and journal it; "" when it was deleted."""
    own_store = workspace.project.store
    root = session.state_root if os.path.isdir(session.state_root) else workspace.project.root
    known = discovery.state_files(root, session.patterns).paths
    candidates = [path for path in known if _may_be(session, os.path.relpath(path, root))]
    candidates = [path for path in candidates if mentions(path, session.id)]
    candidates = [path for path in candidates if not {*log.sessions_of_file(own_store, path)} - {session.id}]
    if len(candidates) == 1:
        log.claim(own_store, session.id, candidates[0], by="rename")
        ledger.moved(session.claimed, candidates[0])
        return candidates[0]
    return ""


def _follow_folder(workspace: Workspace, session: Session) -> None:
    """Journal where the state file is after its folder was moved."""
    bound = log.state_file_of(workspace.project.store, session.id)
    if session.state and bound and not os.path.lexists(bound):
        log.claim(workspace.project.store, session.id, session.state, by="rename")
        ledger.moved(bound, session.state)


def restored(workspace: Workspace, session: Session, *, goes_on: bool) -> str:
    """Return the state file of unfinished work that goes on, restored where nothing else has it; "" if it stays away.

    HeldError while it is on another branch, in a stash or in another working tree: what is new waits for it.
    """
    known = workspace.session(session.id)
    if known is None or not known.open or not known.away:
        log.release(workspace.project.store, session.id)
        return ""
    from holdfast.sessions import absent  # most settles miss no file

    copy = absent.copies(workspace.project, [session])[session.id]
    if copy.waits:
        raise HeldError(f"{session.claimed_name} is not written now: it is {copy.place}")
    if not copy.text:  # the next edit makes a new one
        log.release(workspace.project.store, session.id)
    if not (goes_on and copy.text):
        return ""
    path = absent.path_here(workspace.project, session)
    store.create(os.path.dirname(path), os.path.basename(path), copy.text)
    log.claim(workspace.project.store, session.id, path, by="restore")
    return path


def _may_be(session: Session, relative: str) -> bool:
    """Whether a file can be the session's state file after a move: it has the same name, or a path of a state file.

    Files in other places mention sessions too, such as the hub.
    """
    before = session.state_name
    own = [pattern for pattern in session.patterns if paths.matches(before, pattern)]
    return paths.folded_name(relative) == paths.folded_name(before) or paths.is_state_path(relative, own)
