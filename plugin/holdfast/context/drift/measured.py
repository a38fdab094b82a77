"""The drift of a session as a fact: the last settle measured it, and the journal has it.

The reminder at a Stop, the status line, the librarian and a compaction read that fact. What the session did after it is
added from the journal, without a look at the text of the state file.
"""

import time

from holdfast.context.drift.item import PROMPTS, Item, is_marked, is_record, listed, of_row, points, severity
from holdfast.core import files
from holdfast.core.fast_json import number_of, text_of
from holdfast.git import own_commits
from holdfast.journal import log
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.git.commits import Commit
    from holdfast.journal.log import Fact
    from holdfast.sessions.session import Session
    from holdfast.sessions.workspace import Workspace

_NAMES = 100  # of one item that the fact has


class Drift:
    """How far a state file is behind: since when (0.0 for never written), the items, their points and severity."""

    # No dataclass: a hook imports this module.
    def __init__(self, since: float, items: list[Item], workspace: "Workspace") -> None:
        self.since = since
        self.items = items
        self.points = points(items)
        self.severity = severity(items, workspace.settings.drift_limits)


def is_far_behind(fact: "Fact | None") -> bool:
    """Return whether this measurement of a session says that its drift is marked or severe."""
    return is_marked(text_of(fact or {}, "severity"))


def items_of(fact: "Mapping[str, object]") -> list[Item]:
    """Return the items of a measurement; their commands are not in it."""
    rows = fact.get("items")
    return [item for item in map(of_row, rows if isinstance(rows, list) else []) if item]


def latest(session: "Session", workspace: "Workspace") -> Drift | None:
    """Return the drift that the last settle measured with what the session did since.

    None where none did, and neither the model nor a person wrote the file.
    """
    fact, updated = session.settling.drift or {}, max(session.file.edited, session.file.saved)
    holds = fact.get("path") == session.state and number_of(fact, "at") >= updated
    if not session.state or not (holds or updated):
        return None
    after = number_of(fact, "at") if holds else updated
    items = {item.kind: item for item in items_of(fact)} if holds else {}
    for kind, names in _done(session, workspace, after).items():
        both = [*dict.fromkeys([*names, *(items[kind].names if kind in items else ())])]
        items |= {kind: Item(kind, "", listed(both), names=both)} if names else {}
    since = number_of(fact, "since") if holds else updated
    count = sum(at > since for at in session.talk.times)
    items |= {"prompts": Item("prompts", "", str(count), count=count)} if count >= PROMPTS else {}
    return Drift(since, [*items.values()], workspace)


def level(session: "Session", workspace: "Workspace") -> str:
    """Return the severity of a session's drift by `latest`, "" where no settle measured it."""
    drift = latest(session, workspace) if session.settling.drift else None
    return drift.severity if drift else ""


def _done(session: "Session", workspace: "Workspace", after: float) -> dict[str, list[str]]:
    """Return the names of what a session did after a time, by the kind of drift."""
    places, tree = workspace.formats.patterns, paths.locate(session.worktree)
    made: Sequence[Commit] = ()
    if tree.git and not own_commits.has_rested(tree.git, after):
        from holdfast.git import commits  # most compactions come without a new commit

        made = commits.commits(tree.root, after)
    return {
        "files": [path for path in session.inside(after) if not is_record(path, places)],
        "tasks": [subject for subject, status, at in session.tasks.values() if at > after and status != "deleted"],
        "commits": [
            f"{commit.name[:7]} {commit.subject}"
            for commit in made
            if not commit.files or not all(is_record(path, places) for path in commit.files)
        ],
    }


def journal(workspace: "Workspace", ident: str) -> None:
    """Measure how far a session's state file is behind, and append that to its journal, unless it says so already.

    Nothing is measured for a session without a state file of its own.
    """
    at = round(time.time(), 3)  # before the journal is read: what comes meanwhile is newer
    session = workspace.session(ident)
    if session is None or not session.state or session.shared or not session.summary:
        return
    fact = _fact(session, workspace)
    if fact and _lasting(fact) != _lasting(session.settling.drift or {}):
        log.append(workspace.project.store, ident, {"at": at, "kind": "drift", **fact})


def _fact(session: "Session", workspace: "Workspace") -> "dict[str, object]":
    """Return what is measured, {} for a file that cannot be compared."""
    from holdfast.context.drift import report

    signature = files.signature_of(session.state)
    try:
        found = report.look(session, workspace, own=session.id, calls=False)
    except OSError:  # it has just gone
        return {}
    items = [_row(item) for item in found.items if item.kind != "age"]
    known: dict[str, object] = {"path": session.state, "signature": signature, "since": found.since}
    return {} if found.problem else {**known, "points": found.points, "severity": found.severity, "items": items}


def _row(item: Item) -> "dict[str, object]":
    """Return an item as the fact has it: without what the words are made from, and with the first of its names."""
    row = item.row()
    kept = {key: row[key] for key in ("kind", "in_file", "measured", "evidence", "weight")}
    return {**kept, "names": [*item.names[:_NAMES]]}


def _lasting(fact: "Mapping[str, object]") -> list[object]:
    """Return what tells two measurements apart; the evidence of an item only says how long ago something was."""
    items = [(item.kind, item.in_file, item.measured, item.names, item.weight) for item in items_of(fact)]
    return [fact.get(key) for key in ("path", "signature", "since", "points", "severity")] + [items]
