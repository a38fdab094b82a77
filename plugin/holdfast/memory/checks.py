"""The audit of the six sections: statements that cannot be true, each with its line."""

import re
import time
from collections.abc import Iterator

from holdfast.core import clock
from holdfast.core.finding import Finding, contradictory
from holdfast.editing import tables
from holdfast.formats import names
from holdfast.formats.audit import kinds
from holdfast.formats.audit.audit import Report
from holdfast.formats.audit.contradictions import contradictions
from holdfast.formats.catalogue import Formats
from holdfast.formats.record import Record
from holdfast.formats.state_file import StateFile
from holdfast.memory import available_actions
from holdfast.memory.loops.elements import KIND, STATUSES, is_over
from holdfast.memory.refresh import BUDGET_LINE
from holdfast.memory.step import WORKING
from holdfast.memory.view import (
    ACTIONS,
    BUDGET,
    CONTEXT,
    FORMAT,
    LOOP_COLUMNS,
    LOOPS,
    STACK,
    TALKING,
    UPDATES,
    View,
    called,
    field,
    loop_rows,
    same_task,
    seen,
)
from holdfast.project import ids
from holdfast.trust import safe

_SCALE = re.compile(r"[-*+] (?P<begin>\d{1,3})(?:-\d{1,3})?%\+? \S+ (?P<zone>\w+)")
_HERE = "YOU ARE HERE"
_MINUTE = re.compile(r"\*\*(?P<minute>\d{4}-\d\d-\d\d[^*]*)\*\*:?")


def audit(report: Report, state: StateFile, formats: Formats) -> None:
    """Add what is wrong in the six sections of a file to its audit, except on lines that it names already."""
    if state.problem or state.file_format is None or state.file_format.shared:
        return
    named = {finding.line for finding in report.findings if finding.kind != "stale"}
    record = seen(state, formats)
    new = [*findings(record), *_two_answers(state.record, record)]
    report.findings += [finding for finding in new if finding.line not in named]


def _two_answers(own: Record, record: Record) -> "Iterator[Finding]":
    """Yield phase, focus and status of Current Context that differ from those that the file's own format has."""
    if own.file_format.name == FORMAT or len(record.sections(CONTEXT)) != 1:
        return
    for word in ("phase", "focus", "status"):
        spot = field(record, CONTEXT, word.capitalize())
        said = record.text(spot) if spot else ""
        for other in [one for one in own.spots(word) if one.label or word == "status"] if spot and said else ():
            says, line = own.text(other), own.line(other)
            same = (
                own.file_format.category(says) == record.file_format.category(said)
                if word == "status"
                else says == said
            )
            if says and not (same or record.unfilled(said) or own.unfilled(says)):
                why = f"says {safe.line(said, 60)!r}, and line {line} says {safe.line(says, 60)!r}"
                yield _at(record, CONTEXT, word.capitalize(), why)


def findings(record: Record) -> "Iterator[Finding]":
    """Yield the statements in the sections of a file that cannot be true, read with the format of the sections."""
    view = View(record)
    yield from kinds.invalid(record, time.time())
    yield from contradictions(record, [])
    if LOOPS in view.there:
        yield from _loops(record)
        yield from _counts(record)
    if BUDGET in view.there:
        yield from _budget(record)
    if STACK in view.there:
        yield from _stack(view)
    if UPDATES in view.there:
        yield from _updates(record)
        yield from _older_stamp(record)
    if ACTIONS in view.there:
        yield from _unequal_actions(view)


def _loops(record: Record) -> "Iterator[Finding]":
    """Yield the rows of the table that cannot belong to an open loop."""
    (section,) = record.sections(LOOPS)
    rows = [row for row in record.document.rows(section.body, record.own_end(section)) if not row.header]
    first: dict[str, int] = {}
    for row, cells in zip(rows, tables.cells(record, section, LOOP_COLUMNS), strict=True):
        line = record.document.line(row.start)
        ident, status = ([*cells, "", "", ""][column] for column in (0, 2))
        name = ids.parse(KIND, ident)
        if ident and not name:
            yield contradictory(line, LOOPS, f"{ident!r} is not the id of a loop")
        if name and first.setdefault(name, line) != line:
            yield contradictory(line, name, f"this loop is on line {first[name]} already")
        if is_over(status):
            yield contradictory(line, name or LOOPS, "a closed loop among the active ones")


def _budget(record: Record) -> "Iterator[Finding]":
    """Yield a zone that differs from that of the percentage, and a mark at another zone or at none."""
    spot = field(record, BUDGET, "Status")
    value = BUDGET_LINE.match(record.text(spot)) if spot else None
    if spot is None or not value:
        return
    percent = int(value["percent"])
    scale = [(line, match, text) for line, text in lines(record, BUDGET) if (match := _SCALE.match(text))]
    reached = [match["zone"].casefold() for _, match, _ in scale if int(match["begin"]) <= percent]
    zone = (value["zone"] or "").casefold()
    if zone and reached and zone != reached[-1]:
        yield contradictory(record.line(spot), BUDGET, f"{percent}% is in the zone {reached[-1]}, not {zone}")
    phase = field(record, BUDGET, "Phase")
    named = _ZONE.search(record.text(phase)) if phase else None
    if phase and named and zone and named[1].casefold() != zone:
        why = f"says the zone {named[1].casefold()}, and Status says {zone}"
        yield contradictory(record.line(phase), f"{BUDGET}.Phase", why)
    if zone in reached and not any(_HERE in text for _, _, text in scale):
        yield contradictory(scale[0][0], BUDGET, f"the status says {zone}, and nothing is marked {_HERE}")
    for line, match, text in scale:
        if _HERE in text and zone and match["zone"].casefold() != zone:
            yield contradictory(line, BUDGET, f"the mark is at {match['zone'].casefold()}, and the status says {zone}")


def _stack(view: View) -> "Iterator[Finding]":
    """Yield an impossible depth, and fields that contradict it or the current task."""
    spot = field(view.record, STACK, "Depth")
    value = view.record.text(spot) if spot else ""
    if value and not value.split("(")[0].strip().isdecimal():
        yield _at(view.record, STACK, "Depth", f"{safe.line(value, 40)!r} is not a number")
        return
    if view.depth > 1:
        yield _at(view.record, STACK, "Depth", "a discussion is one level deep")
    if view.depth and not view.back:
        yield _at(view.record, STACK, "Depth", "a discussion goes on, and Return to names nothing")
    if value and not view.depth and view.back:
        yield _at(view.record, STACK, "Return to", "names something to return to, and the depth is 0")
    current, status = _WORK.match(view.current), names.before_hold(view.status) or view.status
    same = not view.task or not current or same_task(view.current, view.task) or called(view.task) == current[0]
    if not view.depth and current and not same:
        yield _at(view.record, STACK, "Current", f"names {current[0]}, and the current task is {called(view.task)}")
    if CONTEXT in view.there and status == (WORKING if view.depth else TALKING):
        yield _at(view.record, CONTEXT, "Status", f"says {status!r}, and the depth of the stack is {view.depth}")


def _updates(record: Record) -> "Iterator[Finding]":
    """Yield the entries without a time, the texts that are no time, and times newer than the one above."""
    last = ""
    timed = False
    for line, text in lines(record, UPDATES):
        match = _MINUTE.fullmatch(text)
        if match:
            timed = True
            minute = match["minute"].strip()
            if not clock.find(minute):
                yield contradictory(line, UPDATES, f"{safe.line(minute, 40)!r} is not a time")
            elif last and clock.find(minute) > clock.find(last):
                yield contradictory(line, UPDATES, f"{minute} is below {last}; the newest entry comes first")
            last = minute if clock.find(minute) else last
        elif not timed and text.startswith(("- ", "* ")):
            yield contradictory(line, UPDATES, "an entry without a time")


def _at(record: Record, title: str, name: str, why: str) -> Finding:
    """Return a finding about a field."""
    spot = field(record, title, name)
    return contradictory(record.line(spot) if spot else 1, f"{title}.{name}", why)


_WORK = re.compile(r"\b(?:TASK|PLAN)-\d+")
_ZONE = re.compile(r"\b(\w+) zone\b", re.IGNORECASE)
_PART = re.compile(r"(\d{1,6}) ([a-z]+)")
_DAY = 24 * 3600.0
_ZONES = 14 * 3600.0  # seconds: a time without a zone is at most so much later than the same time in UTC


def _counts(record: Record) -> "Iterator[Finding]":
    """Yield a total whose numbers by status differ from those of the table."""
    spot = field(record, LOOPS, "Total active")
    _, _, parts = record.text(spot).partition("(") if spot else ("", "", "")
    known = [cells[2].casefold() for cells in loop_rows(record)]
    told = _PART.findall(parts) or [(str(len(known)), word) for word in parts.rstrip(")").split() if word in STATUSES]
    wrong = [f"{count} {word}" for count, word in told if known.count(word) != int(count)]
    if spot and wrong:
        yield contradictory(
            record.line(spot), f"{LOOPS}.Total active", f"says {', '.join(wrong)}, and the table does not"
        )


def _unequal_actions(view: View) -> "Iterator[Finding]":
    """Yield the actions for other tasks, plans or loops, and a status that is active while a plan awaits approval."""
    status, menu = field(view.record, CONTEXT, "Status"), lines(view.record, ACTIONS)
    if view.plan and menu and not any("AWAITING" in text for _, text in menu):
        yield contradictory(menu[0][0], ACTIONS, f"{view.plan[0]} waits for approval, and no line says AWAITING")
    due = available_actions.keyed(available_actions.menu(view))
    for line, text in menu:
        key = available_actions.key(text)
        meant = due.get(key, "" if key.endswith("loop") else text)
        if key and available_actions.other(text, meant):
            why = f"it would say {safe.line(meant, 80)!r}" if meant else "the table has no loop for it"
            yield contradictory(line, ACTIONS, why)
        if status and "AWAITING" in text and view.record.file_format.category(view.status) == "active":
            why = f"says {view.status!r}, and line {line} awaits a decision"
            yield contradictory(view.record.line(status), f"{CONTEXT}.Status", why)


def _older_stamp(record: Record) -> "Iterator[Finding]":
    """Yield a time of the last change that is before the newest entry of Recent Updates in any time zone."""
    newest = max((clock.find(text) for _, text in lines(record, UPDATES) if text.startswith("**")), default=0.0)
    for spot in record.find("front:updated"):
        said = record.text(spot)
        form = clock.form(said)  # a time without a zone is left to its author
        day = _DAY if form == "%Y-%m-%d" else 0  # until the end of the day
        if form and newest - clock.find(said) > _ZONES + day:
            yield contradictory(record.line(spot), "updated", f"{said!r} is before the newest entry of {UPDATES}")


def lines(record: Record, title: str) -> list[tuple[int, str]]:
    """Return (1-based number, text) of each line of a section."""
    pairs = []
    for section in record.sections(title):
        at = section.body
        for raw in record.document.data[at : record.own_end(section)].splitlines(keepends=True):
            pairs.append((record.document.line(at), raw.decode("utf-8", "replace").strip()))
            at += len(raw)
    return pairs
