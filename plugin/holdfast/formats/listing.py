"""What is at a place of a state file as a list, and its tables, read by the names of their columns."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from holdfast.core.patterns import pattern
from holdfast.core.statuses import OVER
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
    """Return the items whose box is open, or ticked, without those that `entries` returns as next. `[-]` is neither."""
    places = [[record.newest(place) for place in record.file_format.model.get(word, [])] for word in AHEAD]
    spots = [spot for each in places for spot in next(filter(None, each), [])]
    ahead = {item.start for spot in spots for item in _entered(record, spot)}
    return [
        item
        for item in record.document.items(record.start, record.end)
        if item.box and item.start not in ahead and record.ticked(item) == done
        if record.document.text(*item.box) != "-"
    ]


def _entered(record: Record, spot: Spot) -> list[Item]:
    """Return the items of the list at a place, without those inside them: an open box below a ticked one is open."""
    if spot.section and spot.kind == "section":
        return [item for item in record.document.items(spot.section.start, spot.section.end) if not item.depth]
    return spot.label.items if spot.label else []


def boxed(record: Record, *, done: bool) -> list[str]:
    """Return what boxes, signs before items, and tables with a status say is open, or done; no placeholders."""
    texts = [record.item(item) for item in box_items(record, done=done)]
    texts += [*_signed(record, done=done), *_rows_by_status(record, done=done)]
    return [text for text in texts if text and not record.unfilled(text)]


_EMPTY, _TICKED, _FAILED = "☐⬜🔲▢", "✅☑✔", "❌✗✘"
_BOX = pattern(rf"(?:\[[ xX]?\]|[{_EMPTY}{_TICKED}{_FAILED}])\ufe0f?")
_OWN = pattern(r"\W*(?:LOOP|PLAN|TASK|DECISION)-\d")  # what working memory keeps
_WORDS = {
    # headings of columns
    "status": "status state done stand erledigt estado statut état stato 状态 状態 상태",
    "files": "file path artifact datei pfad fichier archivo arquivo 文件 ファイル 파일",
    # what a cell says, beside the words of `names`
    "done": "erledigt fertig hecho listo fait terminé feito concluído fatto 完了 完成 已完成 완료",
    "open": "offen pendiente pendente ouvert aperto 未完了 未着手 待办 未完成 미완료",
}
_WORD = {kind: frozenset(words.split()) for kind, words in _WORDS.items()}


def _signed(record: Record, *, done: bool) -> Iterator[str]:
    """Yield items that begin with a sign of a box; a cross is one only in a section where others have a tick."""
    items = [item for item in record.document.items(record.start, record.end) if not item.box]
    signs = [(bisect_right(record.outline.starts, item.start), record.item(item)) for item in items]
    with_ticks = {section for section, text in signs if text and text[0] in _TICKED}
    for section, text in signs:
        open_signs = _EMPTY + _FAILED if section in with_ticks else _EMPTY
        if text and text[0] in (_TICKED if done else open_signs):
            yield text[1:].lstrip("\ufe0f ")


def _rows_by_status(record: Record, *, done: bool) -> Iterator[str]:
    """Yield rows that are open, or done; none of files, of a table of the format, or with an id of holdfast's."""
    named = [one for part in record.file_format.parts if part.holds == "table" for one in record.sections(part.title)]
    for table in tables(record.document, record.start, record.end):
        if not any(one.start <= table.header.start < one.end for one in named):
            yield from (text for text in row_texts([_of_status(record, table, done=done)], []) if not _OWN.match(text))


def _of_status(record: Record, table: Table, *, done: bool) -> Table:
    """Return a table with only those of its rows that are open, or done, by the column that says so."""
    heads = [names.plain(cell_text(table.document, cell)) for cell in table.header.cells]
    last = len(heads) - 1
    boxed = table.rows and all(_BOX.fullmatch(table.text(row, last)) for row in table.rows)
    at = next((number for number, head in enumerate(heads) if head in _WORD["status"]), last if boxed else -1)
    names_files = bool(_WORD["files"] & {*heads})
    rows = [row for row in table.rows if not names_files and _is_row(record, table.text(row, at), done=done)]
    return Table(table.document, table.header, rows)


def _is_row(record: Record, status: str, *, done: bool) -> bool:
    """Whether the status of a row, which may be a box or a sign, says that it is done, or that it is open."""
    if _BOX.fullmatch(status):
        return (status[0] in _TICKED or status[1:2] in {"x", "X"}) == done
    category, word = record.file_format.category(status), status.casefold().strip("*_` ")
    over = category in OVER or word in _WORD["done"]
    return over if done else not over and bool(category or word in _WORD["open"])


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
    texts += row_texts(_left(record, section.body, end, ahead=ahead), part.columns[:2] if part else [])
    texts += _under_subheadings(record, section, part, ahead=ahead)
    listed = bool(texts or items or (part and part.holds == "table"))
    if listed and not (part and part.holds == "text"):
        return texts
    spans = document.paragraphs(section.body, items[0].start if items else end)
    return [entry for span in spans for entry in paragraph_items(document.text(*span))] + texts


def _left(record: Record, start: int, end: int, *, ahead: bool) -> list[Table]:
    """Return the tables between two offsets, of what lies `ahead` without the rows that are done."""
    found = tables(record.document, start, end)
    for table in found if ahead else []:
        over = {row.start for row in _of_status(record, table, done=True).rows}
        table.rows = [row for row in table.rows if row.start not in over]
    return found


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
        rows = row_texts(_left(record, inner.body, inner.end, ahead=ahead), part.columns[:2] if part else [])
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
