"""Tables of a state file, read by the names of their columns, and the titles of entries."""

import re

from holdfast.formats import names
from holdfast.markdown.document import Document, Row, Section

# Headings of columns that number the rows, or say when and who.
_ASIDE = ("", "#", "no", "nr", "number", "date", "day", "when", "owner", "who", "assignee")
BAR = re.compile(rb"(?<!\\)\|")  # between cells


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


_TITLE = 1  # the level of its heading
_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d)? +[-\u2013\u2014:] +(?=\S)")  # before the words of a title
# What joins a beginning to the words after it; without one these go on, as in "Session 57: fix the gate".
_JOINT = re.compile(r"[*_`]*\s*[:\u2013\u2014-]|\s*$")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_TIME = re.compile(  # a date, as numbers or in words, perhaps with a time and a remark such as "(evening)"
    rf"(?:\d{{4}}-\d\d-\d\d|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}} {_MONTH} \d{{4}}"
    r"|\d{1,2}[./]\d{1,2}[./](?:\d{2,4})?)[\d\sTZ:.+-]*(?:\([^()]{0,20}\))?",
    re.IGNORECASE,
)


def title_of(document: Document) -> Section | None:
    """Return the heading that is the title of the whole: the first one, when it alone is of the first level."""
    headings = document.headings
    others = [heading for heading in headings[1:] if heading.level == _TITLE]
    return headings[0] if headings and headings[0].level == _TITLE and not others else None


def title_begins(title: str, beginning: str) -> bool:
    """Whether a title begins with these words, in any case and with any emphasis."""
    plain_beginning = names.plain(beginning)
    text = names.plain(title)
    return not plain_beginning or text == plain_beginning or text.startswith(plain_beginning + " ")


def title_after(title: str, beginning: str) -> str:
    """Return what follows the beginning of a title, "" when nothing does; the whole where that is only a date."""
    opening = beginning.rstrip(" :-")
    at = title.casefold().find(opening.casefold())
    if at < 0:  # it begins so in other dress, such as with an underscore
        return title.strip()
    rest = title[at + len(opening) :]
    if opening and not _JOINT.match(rest):
        return title.strip()
    words = _DATED.sub("", rest.lstrip(" :-\u2013\u2014").strip(), count=1)
    return title.strip() if _TIME.fullmatch(words) else words
