"""Set rows of a table by their keys, cell by cell; a person's other rows and other columns stay."""

from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.core.words import width
from holdfast.editing import layout
from holdfast.editing.layout import Edit, joined, line
from holdfast.editing.requests import Request
from holdfast.formats.listing import BAR, Table, cell_text
from holdfast.formats.record import Record
from holdfast.markdown.document import Document, Row, Section, splice

Splice = tuple[int, int, bytes]

_RULE = frozenset("- ")


def aligned(rows: list[str]) -> list[str]:
    """Return the rows of a table, the second of which is its rule, with columns equally wide; [] for other lines."""
    parts = [BAR.split(row.strip().encode())[1:-1] for row in rows]
    cells = [[cell.decode().strip() for cell in row] for row in parts]
    widths = [max(3, *map(width, column)) for column in zip(cells[0], *cells[2:], strict=False)]
    whole = all(len(row) == len(widths) for row in cells) and _RULE.issuperset("".join(cells[1]))
    if not whole:
        return []
    cells[1] = ["-" * most for most in widths]
    padded = ([cell + " " * (most - width(cell)) for cell, most in zip(row, widths, strict=True)] for row in cells)
    return [f"| {' | '.join(row)} |" for row in padded]


def kept_alignment(document: Document, start: int, edit: Edit | None) -> Edit | None:
    """Return an edit of the table that begins at `start`, with columns equally wide if they were so before."""
    end = next((stop for kind, at, stop in document.blocks(start, len(document.data)) if kind == "table"), start)
    before = document.data[start:end]
    if edit is None or not start <= edit.start <= edit.end <= end or not _is_aligned(before):
        return edit
    after = splice(before, edit.start - start, edit.end - start, edit.data).decode()
    newline = document.newline.decode()
    made = newline.join(aligned(after.splitlines())) + (newline if after.endswith(newline) else "")
    return Edit((start, end, made.encode()), edit.old, edit.new)


def _is_aligned(table: bytes) -> bool:
    try:
        rows = table.decode().splitlines()
    except UnicodeDecodeError:
        return False
    return len(rows) > 1 and aligned(rows) == rows


_VALUE = 2  # words of a value such as "High" or "by Mara", which a person set for an open row
_LINK = pattern(r"\[([^\[\]]*)\]\([^()]*\)")


class _Table(Table):
    """An existing table, with the number of each requested column, -1 for none."""

    __slots__ = ("places",)

    def __init__(self, document: Document, start: int, end: int, columns: list[str]) -> None:
        header, *rows = document.rows(start, end)
        super().__init__(document, header, rows)
        self.places = [self.column(name) for name in columns]

    def row(self, cells: list[str]) -> list[str]:
        """Return a row's cells in the order of its columns, "" in those of a person."""
        at = {place: cell for place, cell in zip(self.places, cells, strict=False) if place >= 0}
        return [at.get(place, "") for place in range(len(self.header.cells))]


def edit(record: Record, section: Section, request: Request) -> Edit | None:
    """Set the requested rows in the table of a section, and begin the table if there is none."""
    document = record.document
    requested = {_key(key): cells and [line(cell) for cell in cells] for key, cells in (request.rows or {}).items()}
    table = _found(document, section.body, record.own_end(section), request.columns)
    if table is None:
        return _begun(record, section, request) if any(requested.values()) else None
    rows = _known(document, table, set(requested))
    ended = {_key(key): [line(cell) for cell in cells] for key, cells in request.ended.items()}
    changes: list[Splice] = []
    gone = []
    for key, row in rows.items():
        cells = requested[key]
        if cells:
            changes += _set(document, table, row, cells)
        elif _has_own_text(document, table, row):
            changes += _set(document, table, row, ended.get(key, []))
        elif not table.overfull(row):  # else it is unclear which text is in which column
            gone.append(row)
    added = [table.row(cells) for key, cells in requested.items() if cells and key not in rows]
    old = "; ".join(_row_text(document, row) for row in rows.values() if row in gone or _within(row, changes))
    changes += [_cut(document, row) for row in gone]
    changes += _appended(document, table, added)
    new = "; ".join(" - ".join(filter(None, cells)) for cells in requested.values() if cells)
    return kept_alignment(document, table.header.start, joined(document.data, changes, old, new))


def cells(record: Record, section: Section, columns: list[str]) -> list[list[str]]:
    """Return the cells of each row of a section's tables in the order of `columns`, by their names in the heading row.

    The first cell of each, its key, is without link, code span and emphasis. A missing cell is "". Where no heading is
    called like the first column, the cells are in the order of the file.
    """
    document = record.document
    places: list[int] = []
    rows = []
    for row in document.rows(section.body, record.own_end(section)):
        texts = [cell_text(document, cell) for cell in row.cells]
        if row.header:
            places = [*map(Table(document, row, []).column, columns)]
            continue
        by_name = places if places and places[0] >= 0 else list(range(len(texts)))
        key, *others = [texts[place] if 0 <= place < len(texts) else "" for place in by_name] or [""]
        rows.append([_bare(key), *others])
    return rows


def lines(request: Request) -> list[str]:
    """Return the lines of a new table with the rows that are requested."""
    rows = [[line(cell) for cell in cells] for cells in (request.rows or {}).values() if cells]
    return aligned([_row(request.columns), _row(["---"] * len(request.columns)), *map(_row, rows)])


def _row(cells: list[str]) -> str:
    """Return a row as a line."""
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(cell: str) -> str:
    """Return a cell's text as it is in a row."""
    return cell.replace("|", r"\|")


def _row_text(document: Document, row: Row) -> str:
    """Return the text of a row on one line."""
    return " - ".join(filter(None, (cell_text(document, cell) for cell in row.cells)))


def _bare(text: str) -> str:
    """Return a cell's text without link, code span and emphasis around it."""
    return _LINK.sub(r"\1", text).strip().strip("`*_~").strip()


def _key(text: str) -> str:
    """Return a key in the form by which keys are compared."""
    return _bare(line(text)).casefold()


def _found(document: Document, start: int, end: int, columns: list[str]) -> _Table | None:
    """Return the table that has these columns, None where there is no table; HoldfastError for one of another kind."""
    tables = [_Table(document, at, to, columns) for kind, at, to in document.blocks(start, end) if kind == "table"]
    keyed = [table for table in tables if table.places[0] >= 0]
    first = [table for table in keyed if table.places[0] == 0] or keyed
    if not first and any(row.header for row in document.rows(start, end)):
        headers = "; ".join(_row_text(document, table.header) for table in tables)
        raise HoldfastError(f"its table has no column {columns[0]}: {headers or 'it is inside a list'}")
    if not first:
        return None
    missing = [name for name, place in zip(columns, first[0].places, strict=True) if place < 0]
    if missing and len(first[0].header.cells) > len(columns) - len(missing):  # else a person left it out
        raise HoldfastError(f"its table has no column {missing[0]}, but others that holdfast does not know")
    return first[0]


def _known(document: Document, table: _Table, requested: set[str]) -> dict[str, Row]:
    """Return the rows of these keys; HoldfastError when one appears twice."""
    rows: dict[str, Row] = {}
    place = table.places[0]
    for row in table.rows:
        key = _key(cell_text(document, row.cells[place])) if place < len(row.cells) else ""
        if key in rows:
            both = f"lines {document.line(rows[key].start)} and {document.line(row.start)}"
            raise HoldfastError(f"{_row_text(document, row)[:60]!r} appears twice, on {both}; keep one of them")
        if key in requested:
            rows[key] = row
    return rows


def _set(document: Document, table: _Table, row: Row, cells: list[str]) -> "list[Splice]":
    """Return the splices for those cells of a row that have another text."""
    requested = {place: cell for place, cell in zip(table.places, cells, strict=False) if place > -1}
    changes = []
    for place, cell in sorted(requested.items()):
        if place >= len(row.cells) or place == table.places[0]:
            continue
        text = cell_text(document, row.cells[place])
        if cell and cell not in {text, _bare(text)}:  # an empty one keeps the present text
            changes.append(_filled(document, *row.cells[place], cell))
    last = max((place for place, cell in requested.items() if cell), default=0)
    short = [requested.get(place, "") for place in range(len(row.cells), last + 1)]
    if short:
        at = row.cells[-1][1]
        changes.append((at, at, "".join(f" | {_escaped(cell)}" for cell in short).encode()))
    if changes and table.overfull(row):
        number = document.line(row.start)
        raise HoldfastError(f"line {number}: the row has more cells than the table; write a bar within a cell as \\|")
    return changes


def _filled(document: Document, start: int, end: int, cell: str) -> "Splice":
    """Return the splice that sets a cell, with blanks around it where it was empty."""
    data = document.data
    before = " " if start == end and data[start - 1 : start] not in {b" ", b"\t"} else ""
    trail = " " if start == end and data[end : end + 1] not in {b" ", b"\t"} else ""
    return start, end, f"{before}{_escaped(cell)}{trail}".encode()


def _within(row: Row, changes: "list[Splice]") -> bool:
    """Whether a change lies within a row."""
    return any(row.start <= start < row.end for start, _, _ in changes)


def _has_own_text(document: Document, table: _Table, row: Row) -> bool:
    """Whether a row has a remark, of more than two words, in a column that holdfast does not know."""
    others = [cell for place, cell in enumerate(row.cells) if place not in table.places]
    return any(len(cell_text(document, cell).split()) > _VALUE for cell in others) and not table.overfull(row)


def _cut(document: Document, row: Row) -> "Splice":
    """Return the splice that removes a row, with the end of the line before it if its own has none."""
    ended = document.data[row.end - 1 : row.end] in {b"\n", b"\r"}
    before = document.data[: row.start]
    return (row.start if ended else len(before.rstrip(b"\r\n"))), row.end, b""


def _appended(document: Document, table: _Table, added: list[list[str]]) -> "list[Splice]":
    """Return the splices that put rows after the last one; lines without a bar that follow it stay below."""
    if not added:
        return []
    barred = [row for row in table.rows if BAR.search(document.data, row.start, row.end)]
    last = barred[-1].end if barred else document.line_end(table.header.end)
    raw = document.data[table.header.start : table.header.cells[0][0]]
    indent = raw[: len(raw) - len(raw.lstrip(b" \t"))].decode()
    return [layout.after(document, last, [indent + _row(cells) for cells in added])]


def _begun(record: Record, section: Section, request: Request) -> Edit:
    """Begin the table in the place of a placeholder, or at the beginning of a section, under its comments."""
    document, end = record.document, record.own_end(section)
    new = "; ".join(" - ".join(filter(None, cells)) for cells in (request.rows or {}).values() if cells)
    for start, stop in document.paragraphs(section.body, end):
        text = document.text(start, stop)
        if record.vacant(text) and not document.labels(start, stop):
            return Edit(layout.instead(document, start, stop, lines(request)), " ".join(text.split()), new)
    at = section.body
    for kind, start, stop in document.blocks(section.body, end):
        if kind != "comment":
            break
        at = layout.last_line(document, start, stop)
    return Edit(layout.spaced(document, at, lines(request)), "", new)
