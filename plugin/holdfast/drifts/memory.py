"""What holdfast keeps itself where a file has a section for it, and that does not say it: loops, budget, actions."""

import re

from holdfast import budget as budgets
from holdfast.dialects import names
from holdfast.drifts.item import LOOP, Item, listed
from holdfast.drifts.sight import Sight
from holdfast.memory import actions as menus
from holdfast.memory import wanted
from holdfast.memory.view import ACTIONS, BUDGET, LOOPS, View, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.loops.book import Book

_POINTS = 5  # of percentage by which a budget may be off
_NAMED = re.compile(r"[A-Z]+-\d+|\b\d{3,6}\b")


def loops(sight: Sight) -> "Iterator[Item]":
    """Yield that the table of loops, or the line that counts them, is not what LOOPS.md says.

    A file without a table is to name the loops that its session captured, explored or closed since.
    """
    book = sight.known.memory.book
    if LOOPS not in sight.view.there:
        yield from _unnamed(sight)
    elif book is not None:
        yield from _tabled(sight, book)


def _unnamed(sight: Sight) -> "Iterator[Item]":
    """Yield the loops that the session's own commands captured, explored or closed since, and that nobody wrote of."""
    since = {ident: told for ident, told in sight.session.loops.items() if told[2] > sight.since}
    new = {
        ident: f"{ident}: {title} ({status})"
        for ident, (title, status, _) in since.items()
        if not sight.prose.has(ident) and not sight.prose.says(title)
    }
    if new:
        call = sight.noted([LOOP + one for one in new.values()])
        yield Item("loops", "", listed(new.values()), call=call, names=new)


def _tabled(sight: Sight, book: "Book") -> "Iterator[Item]":
    table = {cells[0]: cells for cells in rows(sight.view.record, LOOPS) if cells}
    going = {loop.ident: loop for loop in book.open}  # an id may stand twice, in one file or the other
    over = [loop for loop in book.loops if loop.over and loop.ident not in going]
    closed = [loop for loop in over if _ours(table.get(loop.ident, []), wanted.row(loop))]
    new = [ident for ident in going if ident not in table]
    turned = [ident for ident in going if ident in table and table[ident][2:3] != [going[ident].status]]
    said, found = _counted(sight.view), _counted(sight.kept[0].view)
    if new or closed or turned or said != found:
        over_now = [loop.ident for loop in closed]
        told = [_told(new, "captured since"), _told(over_now, "closed since")]
        told.append(", ".join(f"{ident} {going[ident].status}" for ident in turned[:4]))
        evidence = "; ".join(filter(None, told))
        yield Item("loops", str(said), str(found), evidence, sight.memory(), names=[*new, *over_now, *turned])


def _counted(view: View) -> int:
    """Return how many loops are active as the line below the table says, else as the table does."""
    spots = view.record.find(f"label:{LOOPS}/Total active")
    said = names.number(view.record.text(spots[0])) if len(spots) == 1 else None
    return len(view.loops) if said is None else said


def _ours(cells: list[str], row: list[str]) -> bool:
    """Whether a row stands as holdfast wrote it, in whichever status."""
    return len(cells) == len(row) and cells[:2] == row[:2] and cells[3:] == row[3:]


def _told(idents: list[str], what: str) -> str:
    return f"{listed(idents)} {what}" if idents else ""


def budget(sight: Sight) -> "Iterator[Item]":
    """Yield that the budget is in another zone than the file says, or off by five points or more."""
    found = sight.known.memory.budget
    if BUDGET not in sight.view.there or found is None:
        return
    spots = sight.view.record.find(f"label:{BUDGET}/Status")
    told = sight.view.record.text(spots[0]) if len(spots) == 1 else ""
    said = names.percent(told)
    if said is None:
        yield Item("budget", "not measured", f"{found.percent}%", call=sight.memory())
        return
    zone = sum(said >= edge for edge in sight.known.zones)
    if zone != found.zone or abs(said - found.percent) >= _POINTS:
        evidence = f"crossed into the {budgets.ZONES[found.zone].name} zone" if zone != found.zone else ""
        yield Item("budget", f"{said:g}%", f"{found.percent}%", evidence, sight.memory())


def actions(sight: Sight) -> "Iterator[Item]":
    """Yield the actions on offer that are out of date: over, not offered yet, or about other tasks and loops."""
    if ACTIONS not in sight.view.there:
        return
    due = _keyed(menus.menu(sight.kept[0].view))
    record = sight.view.record
    lines = [line.strip() for section in record.sections(ACTIONS) for line in record.body(section).splitlines()]
    there = _keyed(lines)
    persons = {menus.command(line) for line in lines if not menus.key(line)}
    stale = [key for key, line in there.items() if key not in due or _other(line, due[key])]
    missing = [key for key in due if key not in there and key not in persons]
    told = [key for key in dict.fromkeys([*stale, *missing]) if key.islower()]  # labels are no actions
    if there and told:
        yield Item("actions", "", listed(told), "out of date", sight.memory(), names=told)


def _keyed(lines: list[str]) -> dict[str, str]:
    """Return those lines that are holdfast's to change, by what they are about."""
    return {key: line for line in lines if (key := menus.key(line))}


def _other(line: str, wanted: str) -> bool:
    """Whether a line names other tasks, plans or loops than it would now; one that names none is never wrong."""
    named = set(_NAMED.findall(line))
    return bool(named) and named != set(_NAMED.findall(wanted))
