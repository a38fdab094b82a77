"""Compare the sections that holdfast maintains (loops, token budget, available actions) with the evidence."""

import re

from holdfast.context.drift.comparison import Comparison
from holdfast.context.drift.item import LOOP, Item, listed
from holdfast.formats import names
from holdfast.memory import available_actions
from holdfast.memory.budget import ZONES
from holdfast.memory.loops.loop import is_over
from holdfast.memory.view import ACTIONS, BUDGET, LOOPS, View, field, lines, loop_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.memory.loops.book import Book

_POINTS = 5  # of percentage by which a budget may be off
_NAMED = re.compile(r"[A-Z]+-\d+|\b\d{3,6}\b")


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
    new = [ident for ident in going if ident not in table]
    turned = [ident for ident in going if ident in table and table[ident] != going[ident].status.casefold()]
    in_file, found = _counted(comparison.view), _counted(comparison.refreshed[0].view)
    if new or closed or turned or in_file != found:
        over_now = [loop.ident for loop in closed]
        parts = [_part(new, "captured since"), _part(over_now, "closed since")]
        parts.append(", ".join(f"{ident} {going[ident].status}" for ident in turned[:4]))
        evidence = "; ".join(filter(None, parts))
        yield Item("loops", str(in_file), str(found), evidence, comparison.memory(), names=[*new, *over_now, *turned])


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
    due = _keyed(available_actions.menu(comparison.refreshed[0].view))
    menu = lines(comparison.view.record, ACTIONS)
    there = _keyed(menu)
    persons = {available_actions.command(line) for line in menu if not available_actions.key(line)}
    stale = [key for key, line in there.items() if key not in due or _other(line, due[key])]
    missing = [key for key in due if key not in there and key not in persons]
    outdated = [key for key in dict.fromkeys([*stale, *missing]) if key.islower()]  # labels are no actions
    if there and outdated:
        yield Item("actions", "", listed(outdated), "out of date", comparison.memory(), names=outdated)


def _keyed(menu: list[str]) -> dict[str, str]:
    """Return the lines of a menu that holdfast maintains: what a line is about -> the line."""
    return {key: line for line in menu if (key := available_actions.key(line))}


def _other(line: str, due: str) -> bool:
    """Return whether a line names other tasks, plans or loops than `due`; a line without ids is never outdated."""
    named = set(_NAMED.findall(line))
    return bool(named) and named != set(_NAMED.findall(due))
