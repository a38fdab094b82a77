"""State files, audits, edits and loops as lines of text and as JSON objects."""

from __future__ import annotations

import os

import click

from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of, rows_of, text_of
from holdfast.memory.loops.elements import KIND, Loop
from holdfast.overview import handover
from holdfast.project import ids, paths
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


def summary_lines(summary: Summary, now: float, session: Session | None = None) -> list[str]:
    """Return the summary of a state file as labelled lines, without empty fields; of which session's, if of one."""
    lines = _parts(handover.summarised(summary, session))
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
        return [f"{name} updated:", *change_lines(changes), *done.used]
    return [f"{name} is unchanged." if unplaced else f"{name} says all of this already; nothing was written."]


def uncommitted_lines(path: str) -> list[str]:
    """Return a line with what to type where a state file differs from its last commit, [] where it does not.

    `git switch` and `git pull` refuse to go over such a file.
    """
    from holdfast.git import queries

    home = paths.locate(os.path.dirname(path))
    name = home.relative(path)
    if not home.git or home.is_private or not name or not queries.head_blob(home.root, name):
        return []
    written = safe.shell(name)
    return [f"Not committed: git commit -m State -- {written}"] if queries.uncommitted(home.root, [name]) else []


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
    return [*head, *_parts(first), *summary_lines(summary, now, session), *_parts(last)]


_STDIN = 0
_LOOP_TEXTS = (
    ("Captured", "captured"),
    ("Context", "context"),
    ("Question", "question"),
    ("Explored since", "started"),
    ("Approach", "approach"),
    ("Closed", "closed"),
    ("Outcome", "result"),
    ("Evidence", "evidence"),
    ("Decision", "decision"),
)


def texts_of(**texts: str) -> dict[str, str]:
    """Return the texts; one that is `-` is read from standard input."""
    dashes = [name for name, text in texts.items() if text == "-"]
    if len(dashes) > 1:
        raise click.UsageError("Only one of the texts can be read from standard input.")
    for name in dashes:
        try:
            texts[name] = files.read_all(_STDIN).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise HoldfastError("Standard input is not UTF-8. Give plain text.") from None
    return {name: safe.writable(text) for name, text in texts.items()}


def loop_draft(title: str) -> tuple[str, list[str]]:
    """Return the title on one line, and the lines of a loop to be completed; HoldfastError without a title."""
    from holdfast.memory.loops import lifecycle
    from holdfast.memory.loops.elements import tidy

    words = " ".join(tidy(title).split())
    if not words:
        raise HoldfastError('The title is empty. Give one, such as: holdfast loop draft "Which sources are in scope?"')
    fields = {"title": words, "context": "[where it comes from]", "question": "[what is to be answered]"}
    return words, lifecycle.composed(b"", None, "LOOP-NNN", fields)


def titled(loop: Loop) -> str:
    """Return id and title of a loop as the end of a sentence."""
    title = safe.line(loop.title)
    return f"{loop.ident}: {title}" + ("" if title.endswith((".", "?", "!", "…")) else ".")


def bare(loop: Loop, given: dict[str, str]) -> Loop:
    """Return a loop without what its file says: its id, its status, and the texts that a command was given."""
    from holdfast.memory.loops.elements import tidy

    empty = Loop(loop.ident, 0, 0, 0)
    empty.status = loop.status
    for name, text in given.items():
        setattr(empty, name, tidy(text))
    return empty


def renamed(loops: list[Loop], loop: Loop, requested: str) -> list[str]:
    """Return a line if a merge gave a requested id to one loop and took it from another, which may be meant."""
    from holdfast.memory.loops import book

    ident = ids.parse(KIND, requested)
    if loop.ident != ident:
        return [f"{ident} is {loop.ident} since a merge."]
    return [f"Before a merge, {ident} was also the id of {titled(one)}" for one in book.formerly(loops, ident)]


def loop_lines(loop: Loop) -> list[str]:
    """Return id, title and status of a loop, then what it says; a text of several lines goes below its label."""
    texts = [(label, safe.safe(loop.text(field))) for label, field in _LOOP_TEXTS if loop.text(field)]
    head = f"{loop.ident}: {safe.safe(loop.title)} ({safe.line(loop.status, 40)})"
    return [head] + [f"{label}:\n{_indented(text)}" if "\n" in text else f"{label}: {text}" for label, text in texts]


def _indented(text: str) -> str:
    return "\n".join(line and f"  {line}" for line in text.split("\n"))
