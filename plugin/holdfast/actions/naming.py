"""The title and the name of a state file that holdfast makes, which holdfast improves until a person changes them."""

import os
import time

from holdfast.core import clock
from holdfast.editing import store
from holdfast.formats import names
from holdfast.git import queries
from holdfast.journal import asked, log, transcript
from holdfast.markdown.document import splices
from holdfast.memory import ledger
from holdfast.project import paths
from holdfast.sessions import paused_work
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.record import Record
    from holdfast.formats.state_file import StateFile
    from holdfast.project.settings.values import Settings

_CLIENT, _REQUEST, _BRANCH = "client", "request", "branch"  # where a title is from, the best one first
_LONGEST, _LINE = 80, 1000  # characters of a title, and of the request that it is from


def title(session: Session, quotes: str) -> tuple[str, str]:
    """Return the title for a session's work and where it is from.

    It is the title that the client gave the conversation, else the first request with substance, else the branch; by
    the setting `quotes` a request is none.
    """
    if given := transcript.title(session.transcript):
        return safe.line(given, _LONGEST), _CLIENT
    if session.talk.request and quotes != "none":
        return _short(session.talk.request), _REQUEST
    return safe.line(f"Work on {session.branch or 'this project'}", _LONGEST), _BRANCH


def allowed(folder: str, settings: "Settings") -> str:
    """Return what files in a folder may quote, as the setting `quotes` says it; what no commit has may quote all."""
    return settings.quotes if paths.locate(folder).git else "all"


def background(session: Session, quotes: str) -> str:
    """Return the line for the section Context, "" before there is a request."""
    asked_for = f"> {session.talk.request}" if quotes == "all" else names.IN_TITLE
    return asked_for if session.talk.request and quotes != "none" else ""


def _short(request: str) -> str:
    return asked.short(safe.line(asked.title(request), _LINE), _LONGEST)


def note(workspace: Workspace, session: Session, words: str, origin: str) -> None:
    """Journal the title that holdfast gave the session's state file."""
    log.append(workspace.project.store, session.id, {"kind": "named", "title": words, "by": origin})


def improve(workspace: Workspace, session: Session) -> None:
    """Give a state file a better title and name while both are still holdfast's own; the caller holds the lock.

    The client's title is kept, unless a person gave the conversation another one. A request changes only when the first
    one had no substance.
    """
    if not session.file.made or session.file.title_from not in {_REQUEST, _BRANCH, _CLIENT}:
        return
    quotes = allowed(os.path.dirname(session.state), workspace.settings)
    words, origin = title(session, quotes)
    renamed = session.file.title_from == _CLIENT and transcript.title(session.transcript, by_person=True)
    improves = renamed or origin == _REQUEST or origin not in {session.file.title_from, _BRANCH}
    if words == session.file.title or not improves or (origin == _REQUEST and session.file.title_from == _CLIENT):
        return
    written: list[bool] = []

    def change(data: bytes) -> bytes:
        state = workspace.state_file(session.state, data)
        written.append(not state.problem and _is(state.record, session.file.title))
        return _titled(workspace, state, session, words) if written[-1] else data

    store.update(session.state, change)
    note(workspace, session, words, origin if written[-1] else "another author")
    if written[-1]:
        _rename(workspace, session, words)


def _is(record: "Record", words: str) -> bool:
    """Whether a file's title is still what holdfast gave it, wherever it is."""
    spots = [spot for spot in record.spots("title") if spot.kind == "front" or spot.path]
    return bool(spots) and {record.text(spot).replace("\\", "") for spot in spots} == {words.replace("\\", "")}


def _titled(workspace: Workspace, state: "StateFile", session: Session, words: str) -> bytes:
    """Return a state file with a new title, and with the request in the fields and the section that are still empty."""
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
    context = background(session, allowed(os.path.dirname(state.path), workspace.settings))
    for section in after.record.sections("Context") if context else []:
        at = data.find(template.OPEN.encode(), section.body, section.end)
        if at >= 0 and after.record.body(section) == template.OPEN:
            return splices(data, [(at, at + len(template.OPEN), context.encode())])
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
