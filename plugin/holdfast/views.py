"""Models, audits and edits as lines for people to read and as values for programs."""

from holdfast import clock, text
from holdfast.audits.audit import KINDS, Report
from holdfast.audits.finding import Finding
from holdfast.edits.edit import Change
from holdfast.session import Session, number_of, text_of
from holdfast.sync import Synced

TYPE_CHECKING = False
if TYPE_CHECKING:
    Model = dict[str, object]

COMPLETE = "✓ SESSION_STATE is complete (no TBD placeholders)"
_TEXTS = (
    ("Status", "status"),
    ("Phase", "phase"),
    ("Focus", "focus"),
    ("Objective", "objective"),
    ("Progress", "progress"),
    ("Current state", "current"),
)
_LISTS = (
    ("Next steps", "next"),
    ("Open questions", "questions"),
    ("Decisions", "decisions"),
    ("Blockers", "blockers"),
    ("Artifacts", "artifacts"),
)
_SHOWN = 12  # entries of a list


def model_lines(told: "Model", now: float) -> list[str]:
    """Return a model as labelled lines, without what is not filled in."""
    lines = [f"{label}: {text.line(text_of(told, word), 400)}" for label, word in _TEXTS if text_of(told, word)]
    for label, word in _LISTS:
        entries = told.get(word)
        if isinstance(entries, list) and entries:
            lines += [f"{label}:", *(f"  - {text.line(str(entry), 300)}" for entry in entries[:_SHOWN])]
            lines += [f"  and {len(entries) - _SHOWN} more"] if len(entries) > _SHOWN else []
    entries = told.get("entries")
    if isinstance(entries, list) and entries:
        lines += ["Entries:", *(f"  - {_entry(entry)}" for entry in entries)]
    updated = number_of(told, "updated")
    return lines + ([f"Updated: {clock.write(updated)} ({clock.ago(now - updated)})"] if updated else [])


def _entry(entry: "Model") -> str:
    """Return one entry of a register in a line."""
    title, ident, status = (text.line(text_of(entry, key), 100) for key in ("title", "id", "status"))
    return f"{title} ({ident}, {status or 'no status'})"


def model_row(told: "Model", session: Session) -> "Model":
    """Return a model as JSON gives it; times in UTC, "" for none."""
    hidden = {"body", "created", "updated"}
    return {
        "id": session.id,
        "path": session.state_name,
        **{key: value for key, value in told.items() if key not in hidden},
        **{key: clock.write(at) if (at := number_of(told, key)) else "" for key in ("created", "updated")},
    }


def change_lines(changes: list[Change]) -> list[str]:
    """Return each change with its line, the old and the new text."""
    return [
        f"  {text.line(change.where, 100)}, line {change.line}: {_shown(change.old)} → {_shown(change.new)}"
        for change in changes
    ]


def _shown(said: str) -> str:
    """Return a text in quotes on one line, or that there is none."""
    return f'"{text.line(said, 160)}"' if said else "nothing"


def synced_lines(done: Synced, name: str, *, preview: bool = False) -> list[str]:
    """Return what a sync did, or would do."""
    changes, unplaced = done.outcome.changes, done.outcome.unplaced
    verb = "would be updated" if preview else "updated"
    if changes:
        return [f"{name} {verb}:", *change_lines(changes)]
    return [f"{name} is as it was." if unplaced else f"{name} says all of this already; nothing was written."]


def unplaced_lines(done: Synced) -> list[str]:
    """Return which keys could not be placed, and why."""
    return [text.line(f"not placed: {where}: {why}", 400) for where, why in done.outcome.unplaced]


def synced_row(done: Synced, name: str) -> "Model":
    """Return what a sync did as JSON gives it."""
    changes = [
        {"where": change.where, "line": change.line, "old": change.old, "new": change.new}
        for change in done.outcome.changes
    ]
    return {
        "path": name,
        "written": done.written,
        "changes": changes,
        "unplaced": [{"key": where, "why": why} for where, why in done.outcome.unplaced],
    }


def audit_lines(report: Report, name: str) -> list[str]:
    """Return an audit for people: what is wrong with its lines, or that the file is complete."""
    kind = f"{report.dialect}{f', {report.type}' if report.type else ''}"
    head = f"{name} ({kind or 'unreadable'})"
    lines = [_finding(found) for kind in KINDS for found in report.of(kind)]
    if report.dialect == "unknown":
        lines.insert(0, f"  unknown shape: {report.reason}")
    recommended = [f"  recommended, and not filled in: {', '.join(report.recommended)}"] if report.recommended else []
    verdict = [COMPLETE] if report.complete else []
    return [head, *verdict, *lines, *recommended]


def _finding(found: Finding) -> str:
    """Return one finding of an audit in a line."""
    line = f"line {found.line}: " if found.line else ""
    return f"  {found.kind}: {line}{text.line(found.what, 60)}: {text.line(found.why, 200)}"


def audit_row(report: Report, name: str) -> "Model":
    """Return an audit as JSON gives it."""
    return {
        "path": name,
        "dialect": report.dialect or "unknown",
        "reason": report.reason,
        "type": report.type,
        "complete": report.complete,
        **{
            kind: [{"line": found.line, "what": found.what, "why": found.why} for found in report.of(kind)]
            for kind in KINDS
        },
        "recommended": report.recommended,
    }


def hand_over_lines(told: "Model", session: Session, now: float) -> list[str]:
    """Return the hand-over: what it is, where it stands, what is next, and where to look."""
    head = [f"# Hand-over: {text.line(text_of(told, 'title'), 200)}", ""]
    file = [f"State file: {session.state_name}"] if session.state_name else []
    branch = [f"Branch: {text.line(session.branch, 100)}"] if session.branch else []
    touched = session.inside()
    changed = ["Files changed:", *(f"  - {text.line(path, 200)}" for path in touched[:_SHOWN])] if touched else []
    unfinished = session.unfinished()
    tasks = (
        ["Unfinished tasks:", *(f"  - {text.line(task, 200)}" for task in unfinished[:_SHOWN])] if unfinished else []
    )
    return [*head, *file, *branch, *model_lines(told, now), *changed, *tasks]


def session_row(session: Session) -> "Model":
    """Return a session as `list --format json` gives it; times in UTC, "" for none."""
    told = session.digest
    return {
        "id": session.id,
        "title": text.line(session.title, 200),
        "status": session.status,
        "standing": session.standing,
        "dialect": text_of(told, "dialect"),
        "branch": session.branch,
        "worktree": session.worktree,
        "live": session.live,
        "stale": session.stale,
        "last_heard": clock.write(session.heard),
        "ended": clock.write(session.ended) if session.ended else "",
        "files_touched": sorted(session.files),
        "children": [
            {"id": child.id, "type": child.type, "status": child.status} for child in session.children.values()
        ],
        "state_file": session.state_name,
        **{word: text_of(told, word) for word in ("focus", "objective", "progress", "phase")},
        **{word: told.get(word, []) for word in ("next", "questions", "decisions", "blockers", "artifacts")},
        "updated": clock.write(at) if (at := number_of(told, "updated")) else "",
    }
