"""New rows of a table that a person keeps: a text goes into the column that its heading names, a number counts on."""

import re

from holdfast.editing import columns, layout
from holdfast.editing.insert import tabular
from holdfast.editing.pieces import Edit, line, new_items
from holdfast.formats import names
from holdfast.formats.format import Part
from holdfast.formats.record import Record
from holdfast.formats.table import Table, tables
from holdfast.markdown.document import Row, Section

# The plain names of the columns that say what a row is about, and of those that have its number or its day.
_TEXT = frozenset(
    (
        *("decision", "task", "item", "step", "action", "next", "blocker", "issue", "question", "what", "description"),
        *("summary", "title", "topic", "entry", "change", "work", "problem", "risk", "todo", "details"),
    )
)
_COUNTS = frozenset(("#", "no", "nr", "id", "number", "n"))
_NUMBERED = re.compile(r"(?P<before>#|[A-Za-z]{1,20}-?)?(?P<digits>[0-9]{1,9})")  # 7, #7, D7, DECISION-007
_DAYS = frozenset(("date", "day", "when", "added", "since"))


def table_of(record: Record, section: Section) -> Table | None:
    """Return the one table in a section's own text, None when there is none, or a list too."""
    end = record.own_end(section)
    found = tables(record.document, section.body, end)
    listed = any(kind == "list" for kind, _, _ in record.document.blocks(section.body, end))
    return found[0] if len(found) == 1 and not listed else None


def edit(record: Record, section: Section, table: Table, requested: list[str], minute: str) -> Edit | None:
    """Return the edit that adds a row for each text that the table does not have, None for none.

    HoldfastError when it is not clear which column is meant, or how a row is numbered.
    """
    document = record.document
    heads = [names.plain(table.text(table.header, at)) for at in range(len(table.header.cells))]
    place = _place(heads)
    there = [row for row in table.rows if not _is_vacant(record, table, row)]
    new = new_items(requested, [table.text(row, place) for row in there])
    if not new:
        return None
    counts = [table.text(row, at) for at, head in enumerate(heads) if head in _COUNTS for row in there]
    numbers = _following(counts, len(new))
    if any(not number.isdecimal() for number in numbers) and len({*heads} - _COUNTS - _DAYS) > 1:
        numbers = []  # such as TASK-007 with a status beside it: who gave the id knows what belongs in the other cells
    if place < 0 or any(table.overfull(row) for row in table.rows) or not numbers:
        raise tabular(Part({"title": section.title}))
    lines = [_line(heads, {place: text}, number, minute[:10]) for text, number in zip(new, numbers, strict=True)]
    at = there[-1].end if there else document.line_end(table.header.end)
    put = layout.after(document, at, lines)
    if table.rows and not there:
        put = layout.replaced(document, table.rows[0].start, table.rows[-1].end, lines)
    return columns.kept(document, table.header.start, Edit(put, "", "; ".join(new)))


def _following(counts: list[str], how_many: int) -> list[str]:
    """Return the numbers that follow those of a column, as they are written there; [] when that is not clear."""
    found = [_NUMBERED.fullmatch(count) for count in counts]
    before = list({one["before"] or "" if one else None for one in found} or {""})
    if None in before or len(before) > 1:
        return []
    digits = [one["digits"] for one in found if one]
    width = max((len(one) for one in digits if one.startswith("0")), default=0)
    first = max(map(int, digits), default=0) + 1
    return [f"{before[0]}{number:0{width}}" for number in range(first, first + how_many)]


def _place(heads: list[str]) -> int:
    """Return the number of the column that a text belongs in, -1 when that is not clear."""
    named = [number for number, head in enumerate(heads) if head in _TEXT or head.split(" ")[0] in _TEXT]
    left = [number for number, head in enumerate(heads) if head not in _COUNTS | _DAYS]
    return named[0] if named else left[0] if len(left) == 1 else -1


def _line(heads: list[str], by_column: dict[int, str], number: str, day: str) -> str:
    """Return the line of a row with the texts `by_column` (column number -> text), its number, and its day."""
    known = {**dict.fromkeys(_COUNTS, number), **dict.fromkeys(_DAYS, day)}
    cells = [
        line(by_column[at]).replace("|", r"\|") if at in by_column else known.get(head, "")
        for at, head in enumerate(heads)
    ]
    return "| " + " | ".join(cells) + " |"


def _is_vacant(record: Record, table: Table, row: Row) -> bool:
    """Whether a row has placeholders and nothing else."""
    cells = [table.text(row, number) for number in range(len(table.header.cells))]
    filled = [cell for cell in cells if cell.strip("-\u2013\u2014 ")]
    return not filled or all(record.vacant(cell) for cell in filled)
