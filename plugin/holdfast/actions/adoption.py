"""State files that become a session's own, where those are that moved or went, and what a project of genie gets.

A file that holdfast makes has a title and a name that it improves until a person changes them.
"""

import contextlib
import os
import stat
import time

from holdfast.clients import catalogue as clients
from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.editing.store import HeldError, note_edit, refuse_held
from holdfast.formats import managed_block, names
from holdfast.formats.format import Format
from holdfast.git import queries
from holdfast.journal import asked, log, transcript
from holdfast.markdown.document import splices
from holdfast.project import discovery, paths
from holdfast.project.paths import Project
from holdfast.project.settings import Settings
from holdfast.sessions import hub_location, ledger, paused_work
from holdfast.sessions.session import Session, with_state
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.record import Record
    from holdfast.formats.state_file import StateFile
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

            note_edit(path)
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


def begin(project: Project, session: Session, file_format: Format, work: "Work", workspace: Workspace) -> str:
    """Create a state file for a piece of work that a session begins and return its path; the caller holds the lock."""
    from holdfast.formats import template  # once in a session
    from holdfast.memory import location, measured, phases, refresh, view

    work.title, work.session = safe.line(work.title, 100), session.id
    work.request = session.talk.request
    work.background = background_of(session, workspace.settings.quotes if project.target.git else "all")
    work.client = clients.of(session.client).TITLE
    work.branch = session.branch or safe.mask(paths.branch(project))
    folder, name = location.of_new_file(project.target, file_format, work)
    work.phase = safe.line(phases.current(project.target.root, f"{folder}/{name}"), 200)
    if os.path.isfile(f"{folder}/CONTEXT.md"):
        work.breakdown = "CONTEXT.md"
    made = f"{folder}/{name}"  # by a settle that was interrupted right after, if its name tells what it is about
    if session.id and name == template.name(work.title, work.created) and mentions(made, session.id):
        return made
    data = template.compose(file_format, work)
    budget = measured.context_budget(project.target.root, made, workspace.settings)
    if budget and budget.used and file_format.name == view.FORMAT:
        data = refresh.settled(data, made, workspace.formats, measured.Measured(None, budget), work.created)

    def taken(path: str) -> bool:  # also by work on another branch, whose file is not here now
        return os.path.lexists(path) or log.sessions_of_file(project.store, path) not in ([], [session.id])

    return store.create(folder, name, data, taken)


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


# where a title is from, the best one first
PERSON, _RENAMED, _CLIENT, _REQUEST, _BRANCH = "person", "renamed", "client", "request", "branch"
OTHER = "another author"  # of a title in the file
_LONGEST, _LINE = 80, 1000  # characters of a title, and of the request that it is from


def title_of(session: Session, quotes: str) -> tuple[str, str]:
    """Return the title for a session's work and where it is from.

    It is the title that a person gave the work, else that the client gave the conversation, else the first request with
    substance, else the branch; by the setting `quotes` a request is none.
    """
    if session.file.given:
        return session.file.given, _RENAMED
    if given := transcript.title(session.transcript):
        return safe.line(given, _LONGEST), _CLIENT
    if session.talk.request and quotes != "none":
        return _short(session.talk.request), _REQUEST
    return safe.line(f"Work on {session.branch or 'this project'}", _LONGEST), _BRANCH


def quotes_allowed(folder: str, settings: "Settings") -> str:
    """Return what files in a folder may quote, as the setting `quotes` says it; what no commit has may quote all."""
    return settings.quotes if paths.locate(folder).git else "all"


def background_of(session: Session, quotes: str) -> str:
    """Return the line for the section Context, "" before there is a request."""
    asked_for = f"> {session.talk.request}" if quotes == "all" else names.IN_TITLE
    return asked_for if session.talk.request and quotes != "none" else ""


def _short(request: str) -> str:
    return asked.short(safe.line(asked.title(request), _LINE), _LONGEST)


def note_title(workspace: Workspace, session: Session, words: str, origin: str) -> None:
    """Journal the title that holdfast gave the session's state file."""
    log.append(workspace.project.store, session.id, {"kind": "named", "title": words, "by": origin})


def improve_title(workspace: Workspace, session: Session) -> None:
    """Give a state file a better title and name while both are still holdfast's own; the caller holds the lock.

    The client's title is kept, unless a person gave the conversation another one. A request changes only when the first
    one had no substance.
    """
    if not session.file.made or session.file.title_from not in {_REQUEST, _BRANCH, _CLIENT, _RENAMED}:
        return
    if session.file.given:
        retitle(workspace, session, session.file.given, _RENAMED)
    if session.file.given or session.file.title_from == _RENAMED:
        return
    quotes = quotes_allowed(os.path.dirname(session.state), workspace.settings)
    words, origin = title_of(session, quotes)
    renamed = session.file.title_from == _CLIENT and transcript.title(session.transcript, by_person=True)
    improves = renamed or origin == _REQUEST or origin not in {session.file.title_from, _BRANCH}
    if words == session.file.title or not improves or (origin == _REQUEST and session.file.title_from == _CLIENT):
        return
    retitle(workspace, session, words, origin)


def retitle(workspace: Workspace, session: Session, words: str, origin: str) -> None:
    """Give a state file that has holdfast's title another one, and such a name; the caller holds the lock."""
    written: list[bool] = []

    def change(data: bytes) -> bytes:
        state = workspace.state_file(session.state, data)
        known = (session.file.title, session.file.given)
        written.append(not state.problem and any(_is(state.record, title) for title in known if title))
        return _titled(workspace, state, session, words) if written[-1] else data

    store.update(session.state, change)
    note_title(workspace, session, words, origin if written[-1] else OTHER)
    if written[-1]:
        _rename(workspace, session, words)


def _is(record: "Record", words: str) -> bool:
    """Whether a file's title is still what holdfast gave it, wherever it is."""
    spots = [spot for spot in record.spots("title") if spot.kind == "front" or spot.path]
    return bool(spots) and {record.text(spot).replace("\\", "") for spot in spots} == {words.replace("\\", "")}


def _titled(workspace: Workspace, state: "StateFile", session: Session, words: str) -> bytes:
    """Return a state file with a new title, and with the request in what is still empty, or has an earlier prompt."""
    from holdfast.editing.edit import Editor  # a title changes once or twice in a session
    from holdfast.formats import issue, template

    editor = Editor(state.path, workspace.formats, clock.write(time.time(), clock.MINUTE))
    fields: dict[str, object] = {"title": words.replace("**", "\\*\\*").replace("__", "\\_\\_")}
    if state.metadata.text("orchestration.current_task") == session.file.title:
        fields["orchestration"] = {"current_task": words}
    known = issue.fields(session.talk.request)
    fields["session"] = {key: text for key, text in known.items() if not state.metadata.has(f"session.{key}")}
    after = editor.apply(state.document.data, {key: text for key, text in fields.items() if text}).state
    data = after.document.data
    context = background_of(session, quotes_allowed(os.path.dirname(state.path), workspace.settings))
    prompts = {" ".join(turn.prompt.split()) for turn in workspace.said(session.id).turns}
    for section in after.record.sections("Context") if context else []:
        body = after.record.body(section)
        at = data.find(body.encode(), section.body, section.end) if body else -1
        if at >= 0 and (body == template.OPEN or body in prompts):
            quoted = body != template.OPEN and context.startswith("> ")
            return splices(data, [(at, at + len(body.encode()), context.removeprefix("> " if quoted else "").encode())])
    return data


def _rename(workspace: Workspace, session: Session, words: str) -> None:
    """Give a state file that no commit has the name of its title; a file that several sessions have keeps its own."""
    from holdfast.formats import template

    old, own_store = session.state, workspace.project.store
    home = paths.locate(os.path.dirname(old))
    folder, before = os.path.split(old)
    stem = before.split("-", 2)
    name = f"{'-'.join(stem[:2])}-{template.slug(words)}.md"
    new = f"{folder}/{name}"
    if name == before or len(stem) < 3 or os.path.lexists(new) or log.sessions_of_file(own_store, old) != [session.id]:
        return
    handed = any(map(_is_handed_over, (home.root, home.aside)))
    if home.git and (handed or queries.head_blob(home.root, home.relative(old))):
        return
    indexed = bool(home.git and queries.tracked(home.root, [home.relative(old)]))
    os.rename(old, new)
    log.claim(own_store, session.id, new, by="rename")
    ledger.moved(old, new)
    workspace.stage(*([old] if indexed else []), at_once=False)


def _is_handed_over(root: str) -> bool:
    """Whether a hand-over, which names a state file, waits in a folder."""
    return os.path.isdir(root) and any(name.startswith(paused_work.STEM) for name in os.listdir(root))
