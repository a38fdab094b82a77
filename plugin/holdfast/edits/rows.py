"""Rows of a table set by their keys, cell by cell; what a person wrote in other rows and other columns stays."""

import re

from holdfast.dialects import names
from holdfast.edits import layout
from holdfast.edits.pieces import Edit, joined, line
from holdfast.edits.wishes import Want
from holdfast.errors import HoldfastError
from holdfast.markdown.document import Document, Row, Section
from holdfast.states.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    Splice = tuple[int, int, bytes]

_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_BAR = re.compile(rb"(?<!\\)\|")


class _Table:
    """A table that stands there: its rows, where it ends, and for each wanted column its number, -1 for none."""

    __slots__ = ("end", "header", "places", "rows")

    def __init__(self, document: Document, start: int, end: int) -> None:
        self.header, *self.rows = document.rows(start, end)
        self.end = layout.last_line(document, start, end)
        self.places: list[int] = []

    def row(self, cells: list[str]) -> list[str]:
        """Return a row's cells in the order of its columns, "" in those of a person."""
        at = {place: cell for place, cell in zip(self.places, cells, strict=False) if place >= 0}
        return [at.get(place, "") for place in range(len(self.header.cells))]


def edit(record: Record, section: Section, want: Want) -> Edit | None:
    """Set the rows that are wanted in the table of a section, and begin it where there is none."""
    document = record.document
    wanted = {_key(key): cells and [line(cell) for cell in cells] for key, cells in (want.rows or {}).items()}
    table = _found(document, section.body, record.own_end(section), want.columns)
    if table is None:
        return _begun(record, section, want) if any(wanted.values()) else None
    known = _known(document, table, set(wanted))
    changes: list[Splice] = []
    gone = []
    for key, row in known.items():
        cells = wanted[key]
        if cells:
            changes += _set(document, table, row, cells)
        elif _untouched(document, table, row, want.was):
            gone.append(row)
    added = [table.row(cells) for key, cells in wanted.items() if cells and key not in known]
    old = "; ".join(_told(document, row) for row in known.values() if row in gone or _within(row, changes))
    changes += [_cut(document, row) for row in gone]
    changes += _appended(document, table, added)
    new = "; ".join(" - ".join(filter(None, cells)) for cells in wanted.values() if cells)
    return joined(document.data, changes, old, new)


def lines(want: Want) -> list[str]:
    """Return the lines of a new table with the rows that are wanted."""
    rows = [[line(cell) for cell in cells] for cells in (want.rows or {}).values() if cells]
    rule = ["-" * (len(name) + 2) for name in want.columns]
    return [_row(want.columns), "|" + "|".join(rule) + "|", *map(_row, rows)]


def _row(cells: list[str]) -> str:
    """Return a row as a line."""
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(cell: str) -> str:
    """Return a cell's text as it stands in a row."""
    return cell.replace("|", r"\|")


def _said(document: Document, cell: tuple[int, int]) -> str:
    """Return the text of a cell."""
    return " ".join(document.text(*cell).replace(r"\|", "|").split())


def _told(document: Document, row: Row) -> str:
    """Return what a row says, on one line."""
    return " - ".join(filter(None, (_said(document, cell) for cell in row.cells)))


def _bare(text: str) -> str:
    """Return a cell's text without link, code span and emphasis around it."""
    return _LINK.sub(r"\1", text).strip().strip("`*_~").strip()


def _key(text: str) -> str:
    """Return what makes two keys the same."""
    return _bare(line(text)).casefold()


def _found(document: Document, start: int, end: int, columns: list[str]) -> _Table | None:
    """Return the table that has these columns, None where there is no table; HoldfastError for one of another kind."""
    tables = [_Table(document, at, to) for kind, at, to in document.blocks(start, end) if kind == "table"]
    for table in tables:
        table.places = _places(document, table.header, columns)
    keyed = [table for table in tables if table.places[0] >= 0]
    first = [table for table in keyed if table.places[0] == 0] or keyed
    if not first and any(row.header for row in document.rows(start, end)):
        said = "; ".join(_told(document, table.header) for table in tables)
        raise HoldfastError(f"its table has no column {columns[0]}: {said or 'it stands within a list'}")
    if not first:
        return None
    missing = [name for name, place in zip(columns, first[0].places, strict=True) if place < 0]
    if missing and len(first[0].header.cells) > len(columns) - len(missing):  # else a person left it out
        raise HoldfastError(f"its table has no column {missing[0]}, but others that holdfast does not know")
    return first[0]


def _places(document: Document, header: Row, columns: list[str]) -> list[int]:
    """Return the number of each column by its name in the heading row, -1 for one that is not there."""
    known = [names.forms(_said(document, cell)) for cell in header.cells]
    wanted = map(names.plain, columns)
    return [next((place for place, said in enumerate(known) if name in said), -1) for name in wanted]


def _known(document: Document, table: _Table, wanted: set[str]) -> dict[str, Row]:
    """Return the rows of these keys; HoldfastError when one stands twice."""
    found: dict[str, Row] = {}
    place = table.places[0]
    for row in table.rows:
        key = _key(_said(document, row.cells[place])) if place < len(row.cells) else ""
        if key in found:
            both = f"lines {document.line(found[key].start)} and {document.line(row.start)}"
            raise HoldfastError(f"{_told(document, row)[:60]!r} stands twice, on {both}; make it one first")
        if key in wanted:
            found[key] = row
    return found


def _set(document: Document, table: _Table, row: Row, cells: list[str]) -> "list[Splice]":
    """Return the splices that set those cells of a row that say something else."""
    wanted = {place: cell for place, cell in zip(table.places, cells, strict=False) if place > -1}
    changes = []
    for place, cell in sorted(wanted.items()):
        if place >= len(row.cells) or place == table.places[0]:
            continue
        said = _said(document, row.cells[place])
        if cell not in {said, _bare(said)}:
            changes.append(_filled(document, *row.cells[place], cell))
    last = max((place for place, cell in wanted.items() if cell), default=0)
    short = [wanted.get(place, "") for place in range(len(row.cells), last + 1)]
    if short:
        at = row.cells[-1][1]
        changes.append((at, at, "".join(f" | {_escaped(cell)}" for cell in short).encode()))
    if changes and _overfull(document, table, row):
        number = document.line(row.start)
        raise HoldfastError(f"line {number}: the row has more cells than the table; write a bar within a cell as \\|")
    return changes


def _overfull(document: Document, table: _Table, row: Row) -> bool:
    """Whether a row has more bars than its table has columns: nobody can tell which of them part its cells."""
    raw = document.data[row.start : row.end].strip().strip(b"|")
    return len(_BAR.split(raw)) > len(table.header.cells)


def _filled(document: Document, start: int, end: int, cell: str) -> "Splice":
    """Return the splice that sets a cell, with blanks around it where it was empty."""
    data = document.data
    before = " " if start == end and data[start - 1 : start] not in {b" ", b"\t"} else ""
    behind = " " if start == end and data[end : end + 1] not in {b" ", b"\t"} else ""
    return start, end, f"{before}{_escaped(cell)}{behind}".encode()


def _within(row: Row, changes: "list[Splice]") -> bool:
    """Whether a change lies within a row."""
    return any(row.start <= start < row.end for start, _, _ in changes)


def _untouched(document: Document, table: _Table, row: Row, was: dict[str, list[str]]) -> bool:
    """Whether a row is as holdfast wrote it, with nothing of a person in it."""
    said = [_said(document, cell) for cell in row.cells]
    said += [""] * (len(table.header.cells) - len(said))
    known = {_key(key): cells for key, cells in was.items()}
    cells = known.get(_key(said[table.places[0]]))
    if cells is None or _overfull(document, table, row):
        return False
    return said == table.row([line(cell) for cell in cells])


def _cut(document: Document, row: Row) -> "Splice":
    """Return the splice that takes a row out, with the end of the line before it where its own has none."""
    ended = document.data[row.end - 1 : row.end] in {b"\n", b"\r"}
    before = document.data[: row.start]
    return (row.start if ended else len(before.rstrip(b"\r\n"))), row.end, b""


def _appended(document: Document, table: _Table, added: list[list[str]]) -> "list[Splice]":
    """Return the splices that put rows after the last one; lines without a bar that follow it stay below."""
    if not added:
        return []
    barred = [row for row in table.rows if _BAR.search(document.data, row.start, row.end)]
    last = barred[-1].end if barred else document.line_end(table.header.end)
    raw = document.data[table.header.start : table.header.cells[0][0]]
    indent = raw[: len(raw) - len(raw.lstrip(b" \t"))].decode()
    return [layout.after(document, last, [indent + _row(cells) for cells in added])]


def _begun(record: Record, section: Section, want: Want) -> Edit:
    """Begin the table in the place of a placeholder, or at the beginning of a section, under its comments."""
    document, end = record.document, record.own_end(section)
    told = "; ".join(" - ".join(filter(None, cells)) for cells in (want.rows or {}).values() if cells)
    for start, stop in document.paragraphs(section.body, end):
        said = document.text(start, stop)
        if record.vacant(said) and not document.labels(start, stop):
            return Edit(layout.instead(document, start, stop, lines(want)), " ".join(said.split()), told)
    at = section.body
    for kind, start, stop in document.blocks(section.body, end):
        if kind != "comment":
            break
        at = layout.last_line(document, start, stop)
    return Edit(layout.spaced(document, at, lines(want)), "", told)
