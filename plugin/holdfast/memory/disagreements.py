"""Fields of the six sections that contradict each other, each with the line that is at fault."""

import re

from holdfast.core import clock
from holdfast.core.finding import Finding, contradictory
from holdfast.formats.record import Record
from holdfast.memory.available_actions import command
from holdfast.memory.view import ACTIONS, BUDGET, CONTEXT, LOOPS, STACK, UPDATES, View, field, loop_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WORK = re.compile(r"\b(?:TASK|PLAN)-\d+")
_PLAN = re.compile(r"\bPLAN-\d+")
_ZONE = re.compile(r"\b(\w+) zone\b", re.IGNORECASE)
_STATUS_ZONE = re.compile(r"%\)\s*-\s*(\w+)")
_PART = re.compile(r"(\d{1,6}) ([a-z]+)")
_OF_TASK = ("continue", "complete-task")  # commands about the current task
_ZONES = 14 * 3600.0  # seconds: a time without a zone is at most so much later than the same time in UTC


def findings(view: View) -> "Iterator[Finding]":
    """Yield the fields that contradict others; a section that appears twice is left to other findings."""
    if BUDGET in view.there:
        yield from _zone(view.record)
    if LOOPS in view.there:
        yield from _counts(view.record)
    if STACK in view.there and not view.depth:
        yield from _plan_on_stack(view)
    if ACTIONS in view.there:
        yield from _actions(view)
    if UPDATES in view.there:
        yield from _older_stamp(view.record)


def _zone(record: Record) -> "Iterator[Finding]":
    """Yield a zone in Phase that differs from the one in Status."""
    spots = [field(record, BUDGET, name) for name in ("Status", "Phase")]
    zones = [
        pattern.search(record.text(spot)) if spot else None
        for pattern, spot in zip((_STATUS_ZONE, _ZONE), spots, strict=True)
    ]
    if zones[0] and zones[1] and spots[1] and zones[0][1].casefold() != zones[1][1].casefold():
        why = f"says the zone {zones[1][1].casefold()}, and Status says {zones[0][1].casefold()}"
        yield contradictory(record.line(spots[1]), f"{BUDGET}.Phase", why)


def _counts(record: Record) -> "Iterator[Finding]":
    """Yield a total whose numbers by status differ from those of the table."""
    spot = field(record, LOOPS, "Total active")
    _, _, parts = record.text(spot).partition("(") if spot else ("", "", "")
    known = [cells[2].casefold() for cells in loop_rows(record)]
    wrong = [f"{count} {word}" for count, word in _PART.findall(parts) if known.count(word) != int(count)]
    if spot and wrong:
        yield contradictory(
            record.line(spot), f"{LOOPS}.Total active", f"says {', '.join(wrong)}, and the table does not"
        )


def _plan_on_stack(view: View) -> "Iterator[Finding]":
    """Yield a plan on the stack that is not the current task."""
    task, current = _PLAN.match(view.task), _WORK.match(view.current)
    spot = field(view.record, STACK, "Current")
    if task and current and spot and task[0] != current[0]:
        why = f"names {current[0]}, and the current task is {task[0]}"
        yield contradictory(view.record.line(spot), f"{STACK}.Current", why)


def _actions(view: View) -> "Iterator[Finding]":
    """Yield the actions for another task or plan, and a status that is active while a plan awaits approval."""
    task = _WORK.match(view.task)
    status = field(view.record, CONTEXT, "Status")
    for line, text in lines(view.record, ACTIONS):
        named = _WORK.search(text.partition("` - ")[2]) if command(text) else _PLAN.search(text)
        word = command(text) or ("awaiting" if "AWAITING" in text else "")
        asked = word in {"approve-plan", "awaiting"}
        due = task[0] if task and word in _OF_TASK and not view.depth else view.plan[0] if asked and view.plan else ""
        if named and due and named[0] != due:
            yield contradictory(
                line, ACTIONS, f"names {named[0]}, and {'the plan that waits' if asked else 'the task'} is {due}"
            )
        working = view.record.file_format.category(view.status) == "active"
        if named and status and word == "awaiting" and working and not view.plan:
            why = f"says {view.status!r}, and line {line} awaits a decision on {named[0]}"
            yield contradictory(view.record.line(status), f"{CONTEXT}.Status", why)


def _older_stamp(record: Record) -> "Iterator[Finding]":
    """Yield a time of the last change that is before the newest entry of Recent Updates in any time zone."""
    newest = max((clock.find(text) for _, text in lines(record, UPDATES) if text.startswith("**")), default=0.0)
    for spot in record.find("front:updated"):
        changed = clock.find(record.text(spot))
        if changed and newest - changed > _ZONES:
            yield contradictory(
                record.line(spot), "updated", f"{record.text(spot)!r} is before the newest entry of {UPDATES}"
            )


def lines(record: Record, title: str) -> list[tuple[int, str]]:
    """Return (1-based number, text) of each line of a section."""
    found = []
    for section in record.sections(title):
        at = section.body
        for raw in record.document.data[at : record.own_end(section)].splitlines(keepends=True):
            found.append((record.document.line(at), raw.decode("utf-8", "replace").strip()))
            at += len(raw)
    return found
