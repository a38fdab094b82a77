"""Measure what a session leaves: open loops, TODO, unfinished tasks and subagents, and what its file omits."""

import os
import stat
import time
from collections.abc import Iterator

from holdfast.context.drift import changes, evidence, progress
from holdfast.context.drift.changes import Comparison
from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of, texts_of
from holdfast.core.patterns import pattern
from holdfast.core.statuses import OVER
from holdfast.editing import own_words
from holdfast.formats import agents
from holdfast.formats.audit.kinds import left_unfilled
from holdfast.formats.listing import boxed
from holdfast.formats.state_file import StateFile, summary
from holdfast.git import queries
from holdfast.hub import changes as hub_changes
from holdfast.hub.document import Hub
from holdfast.hub.entry import Entry
from holdfast.hub.transaction import Transaction
from holdfast.journal import log, next_steps
from holdfast.memory.loops import book
from holdfast.memory.loops.book import Book
from holdfast.memory.loops.elements import Loop
from holdfast.memory.view import listed_loops, same_task
from holdfast.project import discovery, paths
from holdfast.sessions import hub_location
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe

Measured = dict[str, object]  # a fact of that kind, whose keys begin with the kinds of unfinished work
Line = tuple[str, int, str]

_MOST = 10  # names of each kind that are kept
_LONGEST = 120  # characters of a path or a reason
_REQUEST = 240  # characters of what was asked before a crash


def measure(workspace: Workspace, session: Session) -> "Measured":
    """Return the fact with what git and the files tell for the completion checklist."""
    root = session.worktree if os.path.isdir(session.worktree) else session.root or workspace.project.root
    fact: Measured = {"kind": "measured", **_left(workspace, session, root)}
    named = texts_of(fact, "children") or session.running()
    if below := _only_in_hub(workspace, session, named):
        fact |= _named("children", [*named, *below])
    fact |= _told(workspace.project.store, session, fact)
    if not root or not paths.locate(root).git:
        return fact
    looked = round(time.time(), 3)
    changed = queries.uncommitted(root)
    if changed is not None:
        changed = _own(changed, session, workspace.project.store, root)
        names = [safe.line(name, 100) for name in changed[:_MOST]]
        fact.update(uncommitted=len(changed), examples=names, looked=looked)
    own = os.path.relpath(session.state, root) if session.state else ""
    mentions = queries.files_with(root, _reference(session)) if session.state else None
    if mentions is not None:
        hubs = {
            name for path in hub_location.PATHS for name in (path, hub_location.companion(path, hub_location.ARCHIVE))
        }
        others = [name for name in mentions if name != own and name not in hubs]  # a hub names all state files
        fact["mentions"] = [safe.line(name, 100) for name in others[:_MOST]]
    return fact


def remaining(session: Session) -> list[str]:
    """Return the tasks that are left of a measured session, and the questions that it asked and that are open."""
    tasks = texts_of(session.measured or {}, "tasks")
    return [*tasks, *(title for title, status, _ in session.loops.values() if title and status != "closed")]


def _told(store: str, session: Session, fact: "Measured") -> "Measured":
    """Return whether the issue has a comment on the work as it is, and whether each thing left has an issue."""
    facts = log.of_kinds(store, session.id, ("tracked",)) if store else []
    subjects = {(text_of(one, "type"), text_of(one, "subject")) for one in facts}
    if not subjects:
        return {}
    left = remaining(session.replace(measured=fact))
    whole = fact.get("tasks_count", 0) == len(texts_of(fact, "tasks"))
    issued = bool(left) and whole and all(("issue", text) in subjects for text in left)
    return {"issue_told": ("comment", str(session.settling.changed)) in subjects, "issues_made": issued}


def of_entry(workspace: Workspace, path: str, ident: str) -> "Measured":
    """Return what the hub at a path tells of the children of one of its entries."""
    return _named("children", [child.title for child in _below(workspace, path, ident)])


def _only_in_hub(workspace: Workspace, session: Session, named: list[str]) -> list[str]:
    """Return the unfinished children that the hub alone has, such as those of another machine.

    `named` are the agents that journal and state file have.
    """
    path = hub_location.path_of(workspace.project)
    if session.id.encode() not in (files.read_or_none(path) or b"") or clone.TrustCheck().untrusted([path]):
        return []
    try:
        below = _below(workspace, path, session.id)
    except HoldfastError:  # `holdfast validate` says what is wrong with it
        return []
    new = [child for child in below if child.ident not in session.children and child.text("Agent") not in named]
    return [child.title for child in new]


def _below(workspace: Workspace, path: str, ident: str) -> "list[Entry]":
    """Return the unfinished children of an entry of the hub at a path."""
    transaction = Transaction(Hub(files.read(path), workspace.hub_format), workspace.now, path)
    return [child for child in hub_changes.children(transaction, ident) if child.category not in OVER]


def _own(names: list[str], session: Session, store: str, root: str) -> list[str]:
    """Return those of the uncommitted files that a session changed, or that changed meanwhile and are no other's."""
    own = {os.path.relpath(os.path.join(session.root, path), root) for path in (*session.files, session.state) if path}
    new = [name for name in names if name not in own and files.modified_at(f"{root}/{name}") >= session.started]
    kept = (*session.patterns, paths.SETTINGS)  # holdfast's own files are no work of a session
    new = [name for name in new if not any(paths.matches(name, pattern) for pattern in kept)]
    own |= {*new} - _of_others(session, store) if new else set()
    return [name for name in names if name in own]


def _of_others(session: Session, store: str) -> set[str]:
    """Return the files that other sessions changed, of which something is recorded since this one started."""
    others = [one for one in log.sessions(store) if one != session.id]
    recent = [one for one in others if files.modified_at(log.path_of(store, one)) >= session.started]
    return {text_of(fact, "path") for one in recent for fact in log.of_kinds(store, one, ("edit",))}


def crash(session: Session, request: str = "", *, local: bool = False) -> str:
    """Return when a session crashed, before which request was answered, and what it had changed for it.

    Where it is `local`, as on a screen, the time is the user's, and its files that are in no commit now are named.
    """
    at = session.last_active
    text = clock.local(at) if local else f"{clock.write(at, clock.MINUTE)} UTC"
    if session.talk.prompted > session.talk.answered:
        text += f', before this was answered: "{request}"' if request else ", before a turn was over"
        text += _files("changed in that turn", session.changed_in_turn(at))
    names = session.inside() if local and paths.locate(session.root).git else []
    return text + _files("not committed", queries.uncommitted(session.root, names) or [] if names else [])


def request(session: Session) -> str:
    """Return what was asked last, in short."""
    return safe.line(session.talk.latest, _REQUEST)


def without_crash(text: str, session: Session) -> str:
    """Return the current state of a session's file without what that says of its crash."""
    for asked in ("", request(session)):
        text = text.removeprefix(f"Crashed on {crash(session, asked)}.").lstrip()
    return text


def _files(label: str, names: list[str]) -> str:
    return f"; {label}: {safe.listed([safe.line(one, 100) for one in names], _MOST)}" if names else ""


def _reference(session: Session) -> str:
    """Return the text by which other files refer to a state file: its name, or its path if all such files share it."""
    path = paths.locate(os.path.dirname(session.state)).relative(session.state)
    names = [os.path.basename(place) for place in session.patterns if paths.matches(path, place)]
    return path if names and not any("*" in name for name in names) else os.path.basename(path)


def _left(workspace: Workspace, session: Session, root: str) -> "Measured":
    """Return the first names of each kind of unfinished work, and their number; nothing for what cannot be measured."""
    measured: Measured = {}
    read = book.readable(root, session.state)
    if read:
        measured |= _loops(read.open)
    if root and session.inside():
        left = left_in(session, root)
        measured |= {"todos": left.lines, "todos_count": left.count, "todos_of": left.of}
    return measured | _of_state_file(workspace, session, read)


def _loops(loops: list[Loop]) -> "Measured":
    return _named("loops", [f"{loop.ident} {loop.title}" for loop in loops])


def _of_state_file(workspace: Workspace, session: Session, read: Book | None) -> "Measured":
    """Return what a session's own state file lists as unfinished, and what it omits or leaves as a placeholder.

    For a file that cannot be read correctly, it is the reason. A file that several sessions share is not examined.
    """
    path = session.state
    if not os.path.isfile(path):
        return {}
    if clone.TrustCheck().untrusted([path]):
        return _unread("it may come from elsewhere and was not accepted here")
    if os.path.getsize(path) > discovery.LARGEST:
        return _unread(f"it is larger than {discovery.LARGEST >> 20} MB")
    state = workspace.state_file(path)
    if state.file_format and state.file_format.shared:
        return {}
    comparison = Comparison(session, state, evidence.measure_files(session, state, workspace))
    tasks = progress.unfinished(session, comparison.view, boxed(state.record, done=False))
    finding = _named("tasks", tasks) | _named("children", _running(session, state))
    if state.problem:
        return finding | _unread(state.problem)
    blanks = [f"{finding.what} (line {finding.line})" for finding in left_unfilled(state.record)]
    kept = read.loops if read else []
    listed = [loop for loop in listed_loops(comparison.view.record) if not loop.over]
    loops = [one for one in kept if not one.over]
    loops += [loop for loop in listed if not any(one.has_id(loop.ident) for one in kept)]
    finding |= _loops(loops) if loops else {}
    finding |= _named("steps", _steps(state, [*tasks, *(loop.ident for loop in loops)]))
    quoted = own_words.is_written(state.record, "current")  # then each turn that changed files is in the log
    missing = [] if quoted else changes.unmentioned(comparison)
    return finding | _named("state", missing, _LONGEST) | _named("unfilled", blanks)


def _steps(state: StateFile, tasks: list[str]) -> list[str]:
    """Return the next steps and open questions that the file names, without its tasks and loops; each once."""
    read = summary(state)
    named = [next_steps.bare_step(text) for key in ("next", "questions") for text in texts_of(read, key)]
    return [text for text in dict.fromkeys(named) if not any(task and _is_of(text, task) for task in tasks)]


def _is_of(step: str, task: str) -> bool:
    """Whether a step is a task or loop: by its id, or by the same words, which a remark may follow."""
    rest = step[len(task) :].lstrip() if step.casefold().startswith(task.casefold()) else "-"
    return rest[:1] in {"", "(", ".", ","} or same_task(step, task)


def _running(session: Session, state: StateFile) -> list[str]:
    """Return the unfinished subagents: of the journal, and of `spawned_agents` those that the journal does not have."""
    rows = agents.others(agents.rows(state.metadata), session)
    category = state.record.file_format.category
    listed = [row["agent"] or "a subagent" for row in rows if category(row["status"]) not in OVER]
    return [*session.running(), *listed]


def _unread(why: str) -> "Measured":
    """Return the reason why a state file was not read, as what its items in the checklist show."""
    return _named("state", [why], _LONGEST) | _named("unfilled", [why], _LONGEST)


def _named(kind: str, names: list[str], longest: int = 60) -> "Measured":
    """Return the first names of a kind and their number."""
    return {kind: [safe.line(name, longest) for name in names[:_MOST]], f"{kind}_count": len(names)}


ADDED, PRESENT = "added", "present"  # what was looked at: the lines added since the session began, or whole files
_FILES = 200
_LARGEST = 1 << 20  # bytes of a file that is looked at
_WORD = pattern(r"\b(?:TODO|FIXME)\b")


class Left:
    """What was found, as `file:line: text`, the number of all, and whether only added lines were searched."""

    def __init__(self, found: "list[Line]", of: str) -> None:
        lines = sorted(set(found))
        self.count = len(lines)
        self.lines = [f"{safe.line(path, 50)}:{line}: {safe.line(text, 40)}" for path, line, text in lines[:_MOST]]
        self.of = of


def left_in(session: Session, root: str) -> Left:
    """Return the TODO and FIXME in the files of the working tree `root` that a session changed."""
    changed = [path for path in session.inside() if not paths.is_state_path(path, session.patterns)]
    names = [path for path in changed[:_FILES] if _readable(f"{root}/{path}")]
    base = queries.head_at(root, session.started) if session.started and paths.locate(root).git else ""
    if base:
        known = queries.tracked(root, names)
        new = queries.added_lines(root, base, sorted(known))
        if new is not None:
            fresh = [line for name in names if name not in known for line in _all(root, name)]
            return Left([line for line in [*new, *fresh] if _WORD.search(line[2])], ADDED)
    return Left([line for name in names for line in _all(root, name) if _WORD.search(line[2])], PRESENT)


def _readable(path: str) -> bool:
    """Return whether a regular file of a reasonable size exists."""
    try:
        file_stat = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(file_stat.st_mode) and file_stat.st_size <= _LARGEST


def _all(root: str, name: str) -> "Iterator[Line]":
    """Yield the lines of a file as (path, number, text)."""
    try:
        with open(f"{root}/{name}", encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                yield name, number, line
    except OSError:  # gone since, or not ours to read
        return
