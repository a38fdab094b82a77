"""What each of the six sections is to say: the wishes for what is measured, and for what follows from the rest."""

import re

from holdfast import budget as budgets
from holdfast import clock, text
from holdfast.budget import Budget
from holdfast.edits.menus import Menu
from holdfast.edits.wishes import Want
from holdfast.loops.book import Book
from holdfast.loops.loop import Loop
from holdfast.memory import actions
from holdfast.memory.step import NOT_FORKED, OURS, status_of
from holdfast.memory.view import (
    ACTIONS,
    BUDGET,
    CONTEXT,
    LOOPS,
    STACK,
    UPDATES,
    View,
    called,
    rows,
    split,
    stacked,
)

COLUMNS = ["ID", "Title", "Status", "Captured"]
NEWEST = 5  # of Recent Updates, beyond which holdfast's own give way
_SAID = re.compile(r"[\d,]+ / (?P<window>[\d,]+) tokens \((?P<percent>\d+)%\)(?: - (?P<zone>\w+))?")
# How the entries of Recent Updates begin that holdfast writes itself.
_OURS = re.compile(
    r"(?:Added|Exploring|Closed) LOOP-\d+ |Presented PLAN-\d+ for |(?:Approved|Rejected|Asked for changes to) PLAN-\d+"
    r"|(?:Started|Completed|Skipped) |Forked into discussion: |Returned from discussion: |Crossed into the "
    r"|Created this file|(?:Paused|Continued) the session"
)


class Known:
    """What is measured beside a state file: the loops, the budget, the tasks, and what is news since the last time."""

    __slots__ = ("book", "budget", "news", "task")

    def __init__(self, book: Book | None, budget: Budget | None) -> None:
        self.book = book
        self.budget = budget
        self.news: list[tuple[float, str]] = []
        self.task: tuple[str, list[str]] = ("", [])  # the one task in progress, and the subjects of those that are done


def wants(view: View, known: Known) -> list[Want]:
    """Return the wishes that bring those sections up to date which a file has."""
    found: list[Want] = []
    if CONTEXT in view.there:
        found += _task(view, *known.task)
    table = _loops(view, known.book) if LOOPS in view.there and known.book else None
    found += [table] if table else []
    if BUDGET in view.there and known.budget:
        found += _budget(view, known.budget)
    if UPDATES in view.there:
        found += [update(line, clock.write(at, clock.MINUTE)) for at, line in known.news]
    return found


def update(line: str, minute: str) -> Want:
    """Return the wish for an entry of Recent Updates; of holdfast's own the oldest beyond the newest five go."""
    return Want((UPDATES,), items=[text.line(line, 300)], minute=minute, most=NEWEST, gone=_is_ours)


def _is_ours(line: str) -> bool:
    return bool(_OURS.match(line))


def _task(view: View, going: str, done: list[str]) -> list[Want]:
    """Return the wishes for the task that was begun where the file names one that is over, or none."""
    over = not view.task or view.task in done
    subject = text.line(going, 200)
    if not subject or not over or called(subject) == called(view.task):
        return []
    found = [Want((CONTEXT, "Task"), text=subject)]
    if STACK in view.there and not view.depth:
        found += [Want((STACK, "Current"), text=stacked(subject)), Want((STACK, "Return to"), text=NOT_FORKED)]
    return found


def _loops(view: View, known: Book) -> Want | None:
    """Return the wish for the table of loops, None where it has nothing to say."""
    wanted: dict[str, list[str] | None] = {loop.ident: row(loop) for loop in known.open}
    loops = {loop.ident: loop for loop in known.loops}
    was = {}
    for cells in rows(view.record, LOOPS):
        loop = loops.get(cells[0]) if cells else None
        if loop and loop.ident not in wanted:
            wanted[loop.ident] = None
            was[loop.ident] = [loop.ident, text.line(loop.title, 200), *cells[2:3], row(loop)[3]]
    return Want((LOOPS,), rows=wanted, was=was, columns=COLUMNS) if wanted else None


def row(loop: Loop) -> list[str]:
    """Return a loop as a row of the table."""
    at = clock.find(loop.captured)
    when = clock.write(at, clock.MINUTE) if at and "T" in loop.captured else loop.captured
    return [loop.ident, text.line(loop.title, 200), loop.status, when]


def total(view: View) -> str:
    """Return how many loops the table has that are not closed, such as "3 loops (1 clarifying, 2 open)"."""
    count = len(view.loops)
    exploring = sum(status == "clarifying" for _, status in view.loops)
    parts = [f"{exploring} clarifying"] * bool(exploring) + [f"{count - exploring} open"] * (count > exploring)
    kinds = parts[0].split()[1] if len(parts) == 1 else ", ".join(parts)
    return f"{count} loop{'' if count == 1 else 's'}{f' ({kinds})' if count else ''}"


def _budget(view: View, budget: Budget) -> list[Want]:
    """Return the wishes for the budget, where its percentage or its window is not what the file says."""
    found = view.record.find(f"label:{BUDGET}/Status")
    said = _SAID.match(view.record.text(found[0])) if len(found) == 1 else None
    if said and (said["window"].replace(",", ""), said["percent"]) == (str(budget.window), str(budget.percent)):
        return []
    zone = budgets.ZONES[budget.zone].name
    crossed = f"Crossed into the {zone} zone ({budget.percent}%)"
    news = [update(crossed, "")] if said and said["zone"] not in {None, zone} and UPDATES in view.there else []
    return [
        *news,
        Want((BUDGET, "Status"), text=budgets.status(budget)),
        Want((BUDGET, "Phase"), text=budgets.phase(budget)),
        Want((BUDGET, "Strategy"), text=budgets.strategy(budget)),
        Want((BUDGET,), menu=Menu([f"- {line}" for line in budgets.scale(budget, budget.zones)], _scaled, _scaled)),
    ]


def _scaled(line: str) -> str:
    """Return which zone a line of the scale is about."""
    return budgets.own_item(line.removeprefix("- "))


def status(view: View) -> list[Want]:
    """Return the wish for the status that follows from a discussion or a plan, where holdfast words it."""
    due = CONTEXT in view.there and view.status in {"", *OURS} and view.status != status_of(view)
    return [Want((CONTEXT, "Status"), text=status_of(view))] if due else []


def stack(view: View) -> list[Want]:
    """Return the wishes for the stack where it names the task before the one at hand."""
    if STACK not in view.there or view.depth or not _left(view):
        return []
    return [Want((STACK, "Current"), text=stacked(view.task)), Want((STACK, "Return to"), text=NOT_FORKED)]


def count(view: View) -> list[Want]:
    """Return the wish for the line that counts the loops of the table."""
    return [Want((LOOPS, "Total active"), text=total(view))] if LOOPS in view.there else []


def _left(view: View) -> bool:
    """Whether the stack still names the task before the one at hand."""
    before, now = split(view.current)[0], split(view.task)[0]
    return bool(before and now) and before != now and view.current == stacked(view.current)


def menu(view: View) -> list[Want]:
    """Return the wish for Available Actions as a file stands that was brought up to date in all else."""
    own = Menu(actions.menu(view), actions.key, actions.command)
    return [Want((ACTIONS,), menu=own)] if ACTIONS in view.there else []
