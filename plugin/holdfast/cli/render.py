"""State files, audits and edits as lines of text and as JSON objects."""

from __future__ import annotations

from holdfast.core import clock
from holdfast.core.fast_json import number_of, rows_of, text_of
from holdfast.overview import handover
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.actions.sync import Synced
    from holdfast.core.finding import Finding
    from holdfast.core.summary import Summary
    from holdfast.editing.edit import Change
    from holdfast.formats.audit.audit import Report
    from holdfast.overview.handover import Part
    from holdfast.sessions.session import Session

    Row = dict[str, object]

_CONVERSATIONS = ("n5", "n5-v1")  # the formats whose document calls a file SESSION_STATE
_SHOWN = 12  # entries of a list
_WHOLE = ("Agents", "Entries")  # lists that are shown whole


def summary_lines(summary: Summary, now: float) -> list[str]:
    """Return the summary of a state file as labelled lines, without empty fields."""
    lines = _parts(handover.summarised(summary))
    updated = number_of(summary, "updated")
    return lines + ([f"Updated: {clock.local(updated)} ({clock.ago(now - updated)})"] if updated else [])


def _parts(parts: list[Part]) -> list[str]:
    """Return labelled texts as a line each, and labelled lists as lines; what is too long is only counted."""
    lines = []
    for label, value in parts:
        if isinstance(value, str):
            lines.append(f"{label}: {value}")
            continue
        shown = value if label in _WHOLE else clock.newest(value, _SHOWN)
        more = [f"  and {len(value) - len(shown)} more"] if len(value) > len(shown) else []
        lines += [f"{label}:", *(f"  - {entry}" for entry in shown), *more]
    return lines


def summary_row(summary: Summary, session: Session, entry: str = "") -> Row:
    """Return the JSON object for a state file, or its entry of this id; times in UTC, "" when unknown."""
    hidden = {"body", "created", "updated"}
    return {
        "id": session.id,
        "path": session.state_name,
        "where": session.away,
        **_said({key: value for key, value in summary.items() if key not in hidden}),
        **{key: clock.write(at) if (at := number_of(summary, key)) else "" for key in ("created", "updated")},
        **({"entries": [_said(entry) for entry in rows_of(summary, "entries")]} if "entries" in summary else {}),
        **({} if entry else {"status": session.status, "live": session.live, "stale": session.stale}),
    }


def _said(summary: Mapping[str, object]) -> Row:
    """Return a summary with its status as a word of ours, and as the file has it."""
    known = {key: value for key, value in summary.items() if key not in {"category", "own_words"}}
    return {**known, "status": text_of(summary, "category") or "active", "own_status": text_of(summary, "status")}


def change_lines(changes: list[Change]) -> list[str]:
    """Return a line for each change: where it is, the old text and the new text."""
    return [
        f"  {safe.line(change.where, 100)}, line {change.line}: {_quoted(change.old)} → {_quoted(change.new)}"
        for change in changes
    ]


def _quoted(text: str) -> str:
    """Return a text in quotes on one line, or the word "nothing" for an empty one."""
    return f'"{safe.line(text, 160)}"' if text else "nothing"


def synced_lines(done: Synced, name: str) -> list[str]:
    """Return lines about what an edit changed."""
    from holdfast.editing.edit import STAMPED

    changes, unplaced = done.outcome.changes, done.outcome.unplaced
    if changes := [change for change in changes if change.where != STAMPED] or changes:
        return [f"{name} updated:", *change_lines(changes)]
    return [f"{name} is unchanged." if unplaced else f"{name} says all of this already; nothing was written."]


def unplaced_lines(done: Synced) -> list[str]:
    """Return a line for each key that could not be written, with the reason."""
    return [safe.line(f"not placed: {where}: {why}", 400) for where, why in done.outcome.unplaced]


def synced_row(done: Synced, name: str) -> Row:
    """Return the JSON object for an edit."""
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
    """Return an audit as lines of text: each finding with its line, or that the file is complete."""
    from holdfast.formats.audit.audit import KINDS

    kind = f"{report.file_format}{f', {report.type}' if report.type else ''}"
    head = f"{name} ({kind or 'unreadable'})"
    lines = [_finding(finding) for kind in KINDS for finding in report.of(kind)]
    if report.file_format == "unknown":
        lines.insert(0, f"  unknown shape: {report.reason}")
    recommended = [f"  recommended, and not filled in: {', '.join(report.recommended)}"] if report.recommended else []
    verdict = [complete_line(report.file_format, name)] if report.complete else []
    return [head, *verdict, *lines, *recommended]


def complete_line(file_format: str, name: str) -> str:
    """Return the line that says that a state file is complete, in the words of its format's document."""
    if file_format in _CONVERSATIONS:
        return "✓ SESSION_STATE is complete (no TBD placeholders)"
    return f"✓ {name} is complete (no placeholders)"


def _finding(finding: Finding) -> str:
    """Return one finding of an audit as a line."""
    line = f"line {finding.line}: " if finding.line else ""
    return f"  {finding.kind}: {line}{safe.line(finding.what, 60)}: {safe.line(finding.why, 200)}"


def audit_row(report: Report, name: str) -> Row:
    """Return the JSON object for an audit."""
    from holdfast.formats.audit.audit import KINDS

    return {
        "path": name,
        "format": report.file_format or "unknown",
        "reason": report.reason,
        "type": report.type,
        "complete": report.complete,
        "findings": [{**finding.row(), "path": name} for kind in KINDS for finding in report.of(kind)],
        "recommended": report.recommended,
    }


def hand_over_lines(summary: Summary, session: Session, now: float) -> list[str]:
    """Return a hand-over as lines: title, paths, state, changed files and unfinished tasks."""
    head = [f"# Hand-over: {safe.line(text_of(summary, 'title'), 200)}", ""]
    first, last = handover.before(session), handover.after(session)
    return [*head, *_parts(first), *summary_lines(summary, now), *_parts(last)]
