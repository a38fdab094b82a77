"""The drift of a session as a fact: the last settle measured it, and the journal has it.

The reminder at a Stop, the status line, the librarian and a compaction read that fact. What the session did after it is
added from the journal, without a look at the text of the state file.
"""

import time

from holdfast.context.drift.item import PROMPTS, Item, is_marked, is_record, listed, of_row, points, severity
from holdfast.core import files
from holdfast.core.fast_json import number_of, text_of
from holdfast.journal import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.journal.log import Fact
    from holdfast.sessions.session import Session
    from holdfast.sessions.workspace import Workspace

_NAMES = 100  # of one item that the fact has


class Drift:
    """How far a state file is behind: since when (0.0 for never written), the items, their points and severity."""

    # No dataclass: a hook imports this module.
    __slots__ = ("items", "points", "severity", "since")

    def __init__(self, since: float, items: list[Item], workspace: "Workspace") -> None:
        self.since = since
        self.items = items
        self.points = points(items)
        self.severity = severity(items, workspace.settings.drift_limits)


def fact_of(store: str, ident: str) -> "Fact | None":
    """Return what the last settle of a session measured, None where none did.

    Its keys: `path` of the state file and its `signature`, `since` when it counts, `points`, `severity`, and `items`.
    """
    return log.last(store, ident, "drift")


def is_far_behind(store: str, ident: str) -> bool:
    """Return whether the drift that the last settle measured is marked or severe."""
    return is_marked(text_of(fact_of(store, ident) or {}, "severity"))


def items_of(fact: "Mapping[str, object]") -> list[Item]:
    """Return the items of a measurement; their commands are not in it."""
    rows = fact.get("items")
    return [item for item in map(of_row, rows if isinstance(rows, list) else []) if item]


def latest(session: "Session", workspace: "Workspace") -> Drift | None:
    """Return the drift that the last settle measured with what the session did since, None where none did."""
    fact = fact_of(workspace.project.store, session.id)
    if fact is None or fact.get("path") != session.state:
        return None
    measured, updated = fact["at"], max(session.state_edited, session.saved)
    known = {item.kind: item for item in items_of(fact)} if measured >= updated else {}
    after = max(measured, updated)
    new = {"files": _files(session, workspace, after), "tasks": _tasks(session, after)}
    for kind, names in new.items():
        both = [*dict.fromkeys([*names, *(known[kind].names if kind in known else ())])]
        known |= {kind: Item(kind, "", listed(both), names=both)} if names else {}
    since = max(number_of(fact, "since"), updated)
    count = sum(at > since for at in session.asked)
    known |= {"prompts": Item("prompts", "", str(count), count=count)} if count >= PROMPTS else {}
    return Drift(since, [*known.values()], workspace)


def _files(session: "Session", workspace: "Workspace", after: float) -> list[str]:
    return [path for path in session.inside(after) if not is_record(path, workspace.formats.patterns)]


def _tasks(session: "Session", after: float) -> list[str]:
    return [subject for subject, status, at in session.tasks.values() if at > after and status != "deleted"]


def journal(workspace: "Workspace", ident: str) -> None:
    """Measure how far a session's state file is behind, and append that to its journal, unless it says so already.

    Nothing is measured where that does not matter: the session has no state file of its own, or it has ended.
    """
    at = round(time.time(), 3)  # before the journal is read: what comes meanwhile is newer
    session = workspace.session(ident)
    if session is None or not session.state or session.ended or session.shared or not session.summary:
        return
    fact = _fact(session, workspace)
    if fact and _lasting(fact) != _lasting(fact_of(workspace.project.store, ident) or {}):
        log.append(workspace.project.store, ident, {"at": at, "kind": "drift", **fact})


def _fact(session: "Session", workspace: "Workspace") -> "dict[str, object]":
    """Return what is measured, {} for a file that cannot be compared."""
    from holdfast.context.drift import report

    signature = files.signature_of(session.state)
    try:
        found = report.look(session, workspace, own=session.id, calls=False)
    except OSError:  # it has just gone
        return {}
    items = [{**item.row(), "call": "", "names": [*item.names[:_NAMES]]} for item in found.items if item.kind != "age"]
    known: dict[str, object] = {"path": session.state, "signature": signature, "since": found.since}
    return {} if found.problem else {**known, "points": found.points, "severity": found.severity, "items": items}


def _lasting(fact: "Mapping[str, object]") -> list[object]:
    """Return what tells two measurements apart; the evidence of an item only says how long ago something was."""
    items = [(item.kind, item.in_file, item.measured, item.names, item.weight) for item in items_of(fact)]
    return [fact.get(key) for key in ("path", "signature", "since", "points", "severity")] + [items]
