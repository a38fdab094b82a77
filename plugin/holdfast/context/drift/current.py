"""The drift of a session at this moment, for a compaction, which waits for it.

The last settle measured and stored the drift (`sessions.drift_record`). What was journaled since can mostly be added
without parsing the state file, which would take several times as long as the rest of a hook. Where that cannot be done
exactly, the drift is measured anew.
"""

import os

from holdfast.context.drift import severity
from holdfast.context.drift.item import PROMPTS, Item, listed, of_row
from holdfast.context.drift.records import is_record
from holdfast.core import files
from holdfast.journal import log
from holdfast.project import loops_location, paths
from holdfast.sessions import drift_record
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.journal.log import Fact
    from holdfast.sessions.drift_record import DriftRecord

# Facts that change no item, or only those that `_with_new` brings up to date.
_ADDED = frozenset(("edit", "prompt", "task"))
_NO_EFFECT = (
    "answer attempt blocks compact decided due end guarded hub measured note offered origin settled shown start summary"
)
_WITHOUT_EFFECT = frozenset(_NO_EFFECT.split())
_MARKS = (b"<!-- holdfast:tasks -->", b"<!-- holdfast:files -->")  # each above lines up to a blank one


class Drift:
    """How far a state file is behind: since when (0.0 for never written), the items, their points and severity."""

    # No dataclass: a hook imports this module.
    __slots__ = ("items", "points", "severity", "since")

    def __init__(self, since: float, items: list[Item], workspace: Workspace) -> None:
        self.since = since
        self.items = items
        self.points = severity.points(items)
        self.severity = severity.of(items, workspace.settings.drift_limits)


def current(session: Session, workspace: Workspace) -> Drift | None:
    """Return the drift of a session's state file now, None where there is no file or it cannot be compared.

    ImportError when it must be measured and the packages are not installed.
    """
    return _recorded(session, workspace) or _measured(session, workspace) if session.state else None


def level(session: Session, workspace: Workspace) -> str:
    """Return the severity of the drift of a session's state file, "" where it cannot be compared.

    Where no settle has stored it, it is measured and kept while state file, journal, loops and commits are the same.
    """
    known = _recorded(session, workspace) if session.journaled else None
    if known:
        return known.severity
    git = paths.locate(session.worktree or os.path.dirname(session.state)).git
    parts = [log.path_of(workspace.project.store, session.id)] if session.journaled else []
    parts += [f"{git}/logs/HEAD", f"{git}/index", loops_location.path_of(workspace.project.root, session.state)]
    variant = [workspace.formats.fingerprint, workspace.settings.drift_limits, *map(files.signature_of, parts)]

    def measure(_path: str) -> dict[str, object]:
        found = _measured(session, workspace)
        return {"severity": found.severity if found else ""}

    return str(workspace.cache.read(session.state, measure, str(variant), "drift")["severity"])


def _recorded(session: Session, workspace: Workspace) -> Drift | None:
    """Return the drift that the last settle stored, with what was journaled since; None where it does not tell."""
    record = workspace.drift(session.id)
    items = _with_new(record, session, workspace) if record and _holds(record, session) else None
    return Drift(record["since"], items, workspace) if record and items is not None else None


def _measured(session: Session, workspace: Workspace) -> Drift | None:
    """Return the drift as it is measured now, None where the file cannot be compared."""
    from holdfast.context.drift import report

    try:
        found = report.look(session, workspace, own=session.id, calls=False)
    except OSError:  # it has just gone
        return None
    return None if found.problem else Drift(found.since, found.items, workspace)


def _holds(record: "DriftRecord", session: Session) -> bool:
    """Whether state file and commits are as they were when the record was made, in the same working tree."""
    return (
        (record["path"], record["tree"]) == (session.state, session.worktree)
        and record["state"] == files.signature_of(session.state)
        and record["moves"] == drift_record.moves_of(record["tree"])
    )


def _with_new(record: "DriftRecord", session: Session, workspace: Workspace) -> list[Item] | None:
    """Return the items of a record with what was journaled since; None where that takes a new measurement."""
    new = _facts_since(record, session, workspace)
    kinds = {fact["kind"] for fact in new}
    if not kinds <= _ADDED | _WITHOUT_EFFECT:
        return None
    items = {item.kind: item for item in map(of_row, record["items"]) if item}
    if len(items) < len(record["items"]) or (kinds & {"edit", "task"} and not _is_under_way(session, items)):
        return None
    text = _text(session.state)
    edited = {str(fact.get("path", "")) for fact in new if fact["kind"] == "edit"}
    edited = {path for path in edited & session.files.keys() if not is_record(path, workspace.formats.patterns)}
    changed = {str(fact.get("id", "")) for fact in new if fact["kind"] == "task"} & session.tasks.keys()
    names = {kind: items[kind].names if kind in items else () for kind in ("files", "tasks")}
    files = _files(record, names["files"], [path for path in session.inside() if path in edited], text)
    tasks = _tasks(names["tasks"], [session.tasks[ident][:2] for ident in session.tasks if ident in changed], text)
    if files is None or tasks is None:
        return None
    items |= {
        kind: Item(kind, "", listed(found), names=found)
        for kind, found in (("files", files), ("tasks", tasks))
        if found
    }
    count = sum(at > record["since"] for at in session.asked)
    if count >= PROMPTS:
        items["prompts"] = Item("prompts", "", str(count), count=count)
    return [*items.values()]


def _facts_since(record: "DriftRecord", session: Session, workspace: Workspace) -> "list[Fact]":
    """Return the facts of a session that the record does not know yet."""
    path = log.path_of(workspace.project.store, session.id)
    size = files.size_of(path)
    return log.facts_in(files.tail(path, size - record["journal"])) if size > record["journal"] else []


def _is_under_way(session: Session, items: dict[str, Item]) -> bool:
    """Whether neither status nor tasks say that the work is over, so one more edit or task changes nothing in that."""
    over = not session.open or "status" in items or "task" in items
    done = any(status == "completed" for _, status, _ in session.tasks.values()) and not session.unfinished()
    return not over and not done


def _text(path: str) -> str:
    """Return a state file without holdfast's own blocks; the whole file if these cannot be found."""
    data = files.read(path)
    for mark in _MARKS:
        before, one, after = data.partition(mark)
        if one and mark not in after:
            ends = [at for blank in (b"\n\n", b"\n\r\n") if (at := after.find(blank)) >= 0]
            data = before + (after[min(ends) :] if ends else b"")
    return data.decode("utf-8", "replace")


def _files(record: "DriftRecord", known: "Sequence[str]", edited: list[str], text: str) -> list[str] | None:
    """Return the changed files that the text does not mention: those `known` by the record, and the `edited` ones.

    None where only git could tell.
    """
    root = record["tree"]
    if any(" (" not in name and not os.path.lexists(f"{root}/{name}") for name in known):
        return None  # a file of the record is gone
    added = []
    for path in edited:
        if path in known or (path in record["gone"] and not os.path.lexists(f"{root}/{path}")):
            continue
        mentioned = _mentions(text, path)
        if mentioned is None or not os.path.lexists(f"{root}/{path}"):
            return None
        added += [] if mentioned else [path]
    return [*added, *known]


def _mentions(text: str, path: str) -> bool | None:
    """Whether a text mentions a file by its path; None where it has the bare name, which another file may have too."""
    name = path.rpartition("/")[2]
    if name.isascii() and name not in text.replace("\\_", "_").replace("%20", " "):
        return False
    from holdfast.context.drift.mentions import Prose  # takes a while to import, and most texts have no such name

    prose = Prose(text)
    return prose.has_path(path) or (None if prose.has_path(path, unique=True) else False)


def _tasks(known: "Sequence[str]", changed: list[tuple[str, str]], text: str) -> list[str] | None:
    """Return the subjects of the tasks that the file does not record: those `known`, and `changed` (subject, status).

    None where the file says something about a changed one, which may be out of date.
    """
    plain = " ".join(text.split()).casefold()
    added = []
    for subject, status in changed:
        if status == "deleted" or not subject.isascii() or " ".join(subject.split()).casefold() in plain:
            return None
        added += [] if subject in known else [subject]
    return [*known, *added]
