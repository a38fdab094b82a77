"""What is at a place of a state file as a list, and its tables, read by the names of their columns."""

import re

from holdfast.core.patterns import pattern
from holdfast.formats import names
from holdfast.formats.format import AHEAD, Part
from holdfast.formats.record import Record, Spot
from holdfast.markdown.document import Document, Item, Row, Section

# Headings of columns that number the rows, or say when and who.
_ASIDE = ("", "#", "no", "nr", "number", "date", "day", "when", "owner", "who", "assignee")
BAR = pattern(rb"(?<!\\)\|")  # between cells


class Table:
    """A table: its heading row, the rows under it, and their cells as text on one line."""

    __slots__ = ("document", "header", "rows")

    def __init__(self, document: Document, header: Row, rows: list[Row]) -> None:
        self.document = document
        self.header = header
        self.rows = rows

    def column(self, name: str) -> int:
        """Return the number of the column of this name, from 0; -1 when there is none."""
        plain = names.plain(name)
        known = (names.forms(cell_text(self.document, cell)) for cell in self.header.cells)
        return next((number for number, plain_names in enumerate(known) if plain in plain_names), -1)

    def text(self, row: Row, column: int) -> str:
        """Return the text of a row in a column, "" where the row has no such cell."""
        return cell_text(self.document, row.cells[column]) if 0 <= column < len(row.cells) else ""

    def overfull(self, row: Row) -> bool:
        """Return whether a row has more cells than the heading row, so that its columns are unclear."""
        return width(self.document, row) > len(self.header.cells)


def box_items(record: Record, *, done: bool = False) -> list[Item]:
    """Return the items whose box is open, or ticked; none in lists of what comes next. `[-]` is neither."""
    places = [[record.newest(place) for place in record.file_format.model.get(word, [])] for word in AHEAD]
    ahead = [_span(spot) for spots in places for spot in next(filter(None, spots), [])]
    items = [
        item
        for item in record.document.items(record.start, record.end)
        if item.box and record.ticked(item) == done and record.document.text(*item.box) != "-"
    ]
    return [item for item in items if not any(start <= item.start < end for start, end in ahead)]


def _span(spot: Spot) -> tuple[int, int]:
    """Return the span of the section or the list at a place, (0, 0) for any other place."""
    if spot.section and spot.kind == "section":
        return spot.section.start, spot.section.end
    items = spot.label.items if spot.label else []
    return (items[0].start, items[-1].end) if items else (0, 0)


def tables(document: Document, start: int, end: int) -> list[Table]:
    """Return the tables that begin between two offsets, in order."""
    found: list[Table] = []
    for row in document.rows(start, end):
        if row.header:
            found.append(Table(document, row, []))
        elif found:
            found[-1].rows.append(row)
    return found


def cell_text(document: Document, cell: tuple[int, int]) -> str:
    """Return the text of a cell on one line, without the backslashes that escape bars."""
    return " ".join(document.text(*cell).replace(r"\|", "|").split())


def width(document: Document, row: Row) -> int:
    """Return how many cells a row has by its bars, also beyond the columns of its table."""
    return len(BAR.split(document.data[row.start : row.end].strip().strip(b"|")))


def row_texts(found: list[Table], columns: list[str]) -> list[str]:
    """Return each row as a text of two cells: those in these columns, else the first two with words."""
    texts = []
    for table in found:
        at = [number for column in columns if (number := table.column(column)) >= 0]
        heads = [names.plain(cell_text(table.document, cell)) for cell in table.header.cells]
        first = [number for number, head in enumerate(heads) if head not in _ASIDE][:2] or [0, 1]
        for row in table.rows:
            cells = [table.text(row, number) for number in (at if len(at) == len(columns) and at else first)]
            texts.append(" - ".join(filter(None, cells)))
    return texts


_BOLD = pattern(r"(?:\*\*[^*\n]{1,120}\*\*|__[^_\n]{1,120}__)")


def is_listing(text: str) -> bool:
    """Return whether each line of a paragraph begins with words in bold."""
    lines = text.splitlines()
    return bool(lines) and all(_BOLD.match(line.strip()) for line in lines)


def paragraph_items(text: str) -> list[str]:
    """Return the entries of a paragraph, each on one line: its lines if it is a list, else the whole."""
    return [" ".join(line.split()) for line in (text.splitlines() if is_listing(text) else [text])]


_ISSUES = pattern("issue|problem|risk|concern|问题")
_NUMBERED = pattern(r"^Decision \d+\s*[:.\u2013\u2014-]\s*(?=\S)", re.IGNORECASE)


def entries(record: Record, spot: Spot, *, ahead: bool = False) -> list[str]:
    """Return what is at a place as a list: items, rows, subsections, parts of a line; else each paragraph.

    Of what lies `ahead` items are left out whose box is ticked.
    """
    if spot.section is None or spot.kind == "title":
        if spot.label and spot.label.items:
            return [record.item(item) for item in spot.label.items if not (ahead and record.ticked(item))]
        return [part.strip() for part in record.text(spot).split("; ") if part.strip()]
    section, document = spot.section, record.document
    end = record.own_end(section)
    items = record.items(section)
    texts = [record.item(item) for item in items if not (ahead and record.ticked(item))]
    part = record.part(section)
    texts += row_texts(tables(document, section.body, end), part.columns[:2] if part else [])
    texts += _under_subheadings(record, section, part, ahead=ahead)
    listed = bool(texts or items or (part and part.holds == "table"))
    if listed and not (part and part.holds == "text"):
        return texts
    spans = document.paragraphs(section.body, items[0].start if items else end)
    return [entry for span in spans for entry in paragraph_items(document.text(*span))] + texts


def tabled_issues(record: Record, section: Section) -> bool:
    """Whether a section is a table of issues or risks, most of which are in nobody's way."""
    return bool(_ISSUES.search(names.plain(section.title)) and tables(record.document, section.body, section.end))


def _under_subheadings(record: Record, section: Section, part: Part | None, *, ahead: bool) -> list[str]:
    """Return what is listed under the subheadings of a section; the title of one with only labels or text.

    Of what lies `ahead` ticked items and subsections that are completed are left out.
    """
    texts, done = [], section.body
    for inner in record.within(section.body, section.end):
        if inner.start < done:
            continue
        done = inner.end
        items = [item for item in record.document.items(inner.body, inner.end) if not item.depth]
        own = [item for item in items if item.box or not record.labelled_item(item)]
        rows = row_texts(tables(record.document, inner.body, inner.end), part.columns[:2] if part else [])
        known = part is not None and any(other.under == part.title for other in record.file_format.parts)
        if known or not (own or rows):
            over = names.is_none(record.body(inner) or inner.title) or (ahead and _is_over(record, inner))
            texts += [] if over else [_entry(record, inner)]
            continue
        texts += rows + [record.item(one) for one in items if own and not (ahead and record.ticked(one))]
    return texts


def _entry(record: Record, section: Section) -> str:
    """Return the title of a section without the number of a decision; what was decided where the title is cut."""
    title = _NUMBERED.sub("", section.title)
    labels = record.document.labels(section.body, section.end) if title.endswith("…") else ()
    whole = [label for label in labels if names.plain(label.name) == "decision"]
    return record.document.text(whole[0].value_start, whole[0].value_end) if whole else title


def _is_over(record: Record, section: Section) -> bool:
    """Whether the status of a section means that what it is about is completed."""
    return any(
        record.file_format.category(record.document.text(label.value_start, label.value_end)) == "completed"
        for label in record.document.labels(section.body, section.end)
        if names.plain(label.name) == "status"
    )
