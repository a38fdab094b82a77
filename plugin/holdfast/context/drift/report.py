"""The drift report of one state file: its differences from the evidence, each with the command that removes it."""

from collections.abc import Callable, Iterable, Iterator

from holdfast.context.drift import changes, evidence, progress
from holdfast.context.drift.changes import MEMORY, OPEN, Comparison
from holdfast.context.drift.evidence import Evidence
from holdfast.context.drift.item import KINDS, LOOP, Item, is_marked, listed, points, severity
from holdfast.core import clock
from holdfast.formats import names
from holdfast.formats.state_file import StateFile
from holdfast.memory.budget import ZONES
from holdfast.memory.loops.book import Book
from holdfast.memory.loops.elements import is_over
from holdfast.memory.view import ACTIONS, BUDGET, LOOPS, View, field, lines, loop_rows
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

Find = Callable[[Comparison], Iterable[Item]]

_POINTS = 5  # of percentage by which a budget may be off


def loops(comparison: Comparison) -> "Iterator[Item]":
    """Yield an item if the table of loops, or the line that counts them, differs from LOOPS.md.

    Without a table, the loops that the session captured, explored or closed should be mentioned anywhere in the text.
    """
    book = comparison.evidence.memory.book
    if LOOPS not in comparison.view.there:
        yield from _unnamed(comparison)
    elif book is not None:
        yield from _tabled(comparison, book)


def _unnamed(comparison: Comparison) -> "Iterator[Item]":
    """Yield one item with the loops that the session changed by command and that the text does not mention."""
    since = {ident: change for ident, change in comparison.session.loops.items() if change[2] > comparison.since}
    new = {
        ident: f"{ident}: {title} ({status})"
        for ident, (title, status, _) in since.items()
        if not comparison.prose.has(ident) and not comparison.prose.says(title)
    }
    if new:
        call = comparison.log_call([LOOP + one for one in new.values()])
        yield Item("loops", "", listed(new.values()), call=call, names=new)


def _tabled(comparison: Comparison, book: "Book") -> "Iterator[Item]":
    table = {cells[0]: cells[2].casefold() for cells in loop_rows(comparison.view.record)}
    going = {loop.ident: loop for loop in book.open}  # an id may be there twice, in either file
    over = [loop for loop in book.loops if loop.over and loop.ident not in going]
    closed = [loop for loop in over if loop.ident in table and not is_over(table[loop.ident])]
    new = [ident for ident in going if ident not in {*table, *comparison.evidence.memory.gone}]
    turned = [ident for ident in going if ident in table and table[ident] != going[ident].status.casefold()]
    in_file, counted = _counted(comparison.view), _counted(comparison.refreshed[0].view)
    if new or closed or turned or in_file != counted:
        over_now = [loop.ident for loop in closed]
        parts = [_part(new, "captured since"), _part(over_now, "closed since")]
        parts.append(", ".join(f"{ident} {going[ident].status}" for ident in turned[:4]))
        evidence = "; ".join(filter(None, parts))
        yield Item("loops", str(in_file), str(counted), evidence, comparison.memory(), names=[*new, *over_now, *turned])


def _counted(view: View) -> int:
    """Return the number of active loops from the line below the table, or the number of rows without such a line."""
    spot = field(view.record, LOOPS, "Total active")
    number = names.number(view.record.text(spot)) if spot else None
    return len(view.loops) if number is None else number


def _part(idents: list[str], what: str) -> str:
    return f"{listed(idents)} {what}" if idents else ""


def budget(comparison: Comparison) -> "Iterator[Item]":
    """Yield an item if the file names another zone of the budget, or a share that is off by 5 points or more."""
    found = comparison.evidence.memory.budget
    if BUDGET not in comparison.view.there or found is None:
        return
    spot = field(comparison.view.record, BUDGET, "Status")
    percent = names.percent(comparison.view.record.text(spot) if spot else "")
    if percent is None:
        yield Item("budget", "not measured", f"{found.percent}%", call=comparison.memory())
        return
    zone = sum(percent >= edge for edge in comparison.evidence.zones)
    if zone != found.zone or abs(percent - found.percent) >= _POINTS:
        evidence = f"crossed into the {ZONES[found.zone].name} zone" if zone != found.zone else ""
        yield Item("budget", f"{percent:g}%", f"{found.percent}%", evidence, comparison.memory())


def actions(comparison: Comparison) -> "Iterator[Item]":
    """Yield one item with the available actions that are outdated or missing."""
    if ACTIONS not in comparison.view.there:
        return
    from holdfast.memory import available_actions  # few state files have the section

    due = available_actions.keyed(available_actions.menu(comparison.refreshed[0].view))
    menu = lines(comparison.view.record, ACTIONS)
    there = available_actions.keyed(menu)
    persons = {available_actions.command(line) for line in menu if not available_actions.key(line)}
    stale = [key for key, line in there.items() if key not in due or available_actions.other(line, due[key])]
    missing = [key for key in due if key not in there and key not in persons]
    outdated = [key for key in dict.fromkeys([*stale, *missing]) if key.islower()]  # labels are no actions
    if there and outdated:
        yield Item("actions", "", listed(outdated), "out of date", comparison.memory(), names=outdated)


AGREE = "The state file agrees with what was measured."
_HEAD = "📋 ARTIFACT UPDATE - Protocol Drift Detected"
_UNTRUSTED = "it may come from elsewhere and was not accepted here; the user accepts it with `holdfast trust`"

_FOUND: "dict[str, Callable[[Comparison], Iterator[Item]]]" = {
    "task": progress.task,
    "phase": progress.phase,
    "status": progress.status,
    "loops": loops,
    "budget": budget,
    "zone": changes.zone,
    "actions": actions,
    "tasks": progress.tasks,
    "files": changes.files,
    "commits": changes.commits,
    "children": progress.children,
    "branch": changes.branch,
    "prompts": changes.prompts,
    "unfilled": changes.unfilled,
}


class Report:
    """The comparison of one state file: name, last update and its writer, the items, their points and severity.

    `problem` says why the file could not be compared, "" if it was.
    """

    def __init__(self, session: Session, problem: str) -> None:
        self.session = session.id
        self.name = session.state_name
        self.started = session.started
        self.problem = problem
        self.since = 0.0
        self.writer = ""
        self.items: list[Item] = []
        self.points, self.severity = 0, "none"
        self.notes: list[str] = []


def look(session: Session, workspace: Workspace, *, own: str = "", calls: bool = True) -> Report:
    """Return the report on a session's state file; `own` is the asking session, whose file needs no id in commands.

    With `calls=False` no command is tried, and only commands with a placeholder are kept.
    """
    copy = session.elsewhere.text if session.elsewhere else None
    state = workspace.state_file(session.state or session.claimed, copy)
    report = Report(session, _UNTRUSTED if session.summary.get("untrusted") else state.problem)
    if report.problem:
        return report
    found = evidence.measure(session, state, workspace)
    found.ident = "" if own and own == session.id else found.ident
    report.since, report.writer, report.notes = found.since, found.writer, found.notes
    report.items = differences(session, state, found, calls=calls)
    report.points = points(report.items)
    report.severity = severity(report.items, workspace.settings.drift_limits)
    return report


def differences(session: Session, state: StateFile, known: Evidence, *, calls: bool = True) -> list[Item]:
    """Return the differences in the order of a report; [] for a file with a conflict marker or an unknown format.

    A command without a placeholder was tried on a copy of the file, and removes its item. With `calls=False` the items
    are the same, but only commands with a placeholder are kept, which saves the trials.
    """
    if state.problem:
        return []
    comparison = Comparison(session, state, known)
    pairs = [(item, find) for kind in KINDS if kind in _FOUND for find in [_FOUND[kind]] for item in find(comparison)]
    check = _checked if calls else _untried
    items = [kept for item, find in pairs if (kept := check(comparison, item, find))]
    if all(item.kind == "unfilled" for item in items):  # a new file has placeholders by its nature
        return []
    return [*items, *changes.age(comparison)]


def _checked(comparison: Comparison, item: Item, find: "Find") -> Item | None:
    """Return the item with a command that works, or with the reason why none does.

    None if `holdfast memory` would change nothing and has no reason for that: then there is no difference.
    """
    memory = item.remedy.startswith(MEMORY)
    if OPEN in item.remedy or not (memory or item.remedy.startswith("holdfast sync")):
        return item
    after, why = comparison.refreshed if memory else comparison.synced(item.remedy)
    if all(other.remedy != item.remedy for other in find(after)):
        return item
    if not memory:
        item.remedy = comparison.progress_call()
        return item
    evidence = f"{item.evidence}; " if item.evidence else ""
    item.evidence, item.remedy = safe.line(f"{evidence}to be fixed by hand: {why}"), ""
    return item if why else None


def _untried(comparison: Comparison, item: Item, find: "Find") -> Item | None:
    """Return the item without its command, unless the command has a placeholder; None as in `_checked`.

    Only commands for working memory are tried, because the trial decides whether there is a difference at all.
    """
    kept = _checked(comparison, item, find) if item.remedy.startswith(MEMORY) else item
    if kept and OPEN not in kept.remedy:
        kept.remedy = ""
    return kept


def to_update(session: Session, workspace: Workspace, own: str) -> list[str]:
    """Return what to update in a session's state file before it is handed over; [] unless its drift is marked.

    `own` is the asking session. Without a journal nothing is known of what happened since the last update.
    """
    report = look(session, workspace, own=own) if session.journaled and session.state else None
    if report is None or report.problem or not is_marked(report.severity):
        return []
    items = [f"{item.words}{f'. Type: {item.remedy}' if item.remedy else ''}" for item in report.items if item.weight]
    return [f"{measured(report)} of drift {since(report, workspace.now)}", *items]


def report_lines(report: Report, now: float) -> list[str]:
    """Return a full report as lines of text."""
    name = safe.line(report.name, 300)
    notes = [f"Not measured: {safe.line(note, 300)}" for note in report.notes]
    if report.problem:
        return [f"{name} is not compared: {safe.line(report.problem, 300)}."]
    if not report.items:
        return [AGREE, *notes]
    found = [
        _HEAD,
        "",
        f"{measured(report).capitalize()}: {name} was compared with what was measured {since(report, now)}:",
        "",
    ]
    for item in report.items:
        found += [f"- {item.words}", *([f"    {item.remedy}"] if item.remedy else [])]
    return [*found, *notes]


def summary(report: Report, now: float) -> list[str]:
    """Return the severity and the items as lines of text, without commands."""
    if report.problem:
        return report_lines(report, now)
    name, notes = safe.line(report.name, 300), [f"Not measured: {safe.line(note, 300)}" for note in report.notes]
    found = [f"{measured(report)}: {name} was compared with what was measured {since(report, now)}"]
    return [*found, *(f"- {item.words}" for item in report.items), *notes]


def measured(report: Report) -> str:
    """Return the severity and the points, such as "marked (7 points)"."""
    return f"{report.severity} ({report.points} {'point' if report.points == 1 else 'points'})"


def since(report: Report, now: float) -> str:
    """Return the phrase that tells from when on changes count."""
    if report.since:
        at = clock.local(report.since)
        writer = f", last written by {report.writer}" if report.writer else ""
        return f"since {at} ({clock.ago(now - report.since)}{writer})"
    if report.started:
        at = clock.local(report.started)
        return f"since the session began, {at} (only holdfast has written to it so far)"
    return "(no journal tells when it was written)"


def row(report: Report) -> "dict[str, object]":
    """Return a report as JSON values; times in UTC, "" for none."""
    return {
        "session": report.session,
        "path": report.name,
        "problem": report.problem,
        "since": clock.write(report.since) if report.since else "",
        "written_by": report.writer,
        "severity": report.severity,
        "points": report.points,
        "findings": [{**item.row(), "path": report.name} for item in report.items],
        "notes": report.notes,
    }
