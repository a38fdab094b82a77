"""The placeholders of a state file that are not filled in, each with its line and its section, field or key."""

import itertools

from holdfast.core.finding import Finding
from holdfast.formats import placeholders
from holdfast.formats.record import Record, Spot
from holdfast.markdown.document import TAGGED
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def unfilled(record: Record) -> "Iterator[Finding]":
    """Yield a finding for each placeholder, with its section, field or key."""
    document = record.document
    for path, text in [] if record.file_format.derived or record.section else record.metadata.leaves():
        if record.unfilled(text):
            yield _open(path, text, _key_line(record, path, text))
    labelled = set()
    for label in document.labels(record.start, record.end):
        text = document.text(label.value_start, label.value_end)
        if label.style != "row":  # all cells of a row are looked at
            labelled.add(label.start)
            if record.unfilled(text):
                name = "" if label.style == "heading" else label.name
                yield _open(_path(record, label.start, name), text, document.line(label.start))
    for at, text in itertools.chain(_blanks(record), _unanswered(record)):
        if at not in labelled:
            yield _open(_path(record, at), text, document.line(at))


def _key_line(record: Record, path: str, value: str) -> int:
    """Return the line of a text in the frontmatter, also of one in a list."""
    known = (at for text, at in record.metadata.texts(path) if text == value)
    at = next(known, None)
    return record.line(Spot("front", path=path)) if at is None else record.document.line(at)


def _blanks(record: Record) -> "Iterator[tuple[int, str]]":
    """Yield the headings and cells to fill in; words such as TODO are answers there."""
    document = record.document
    inside = document.sections if record.section is None else [record.section, *record.within(record.start, record.end)]
    titles = [(section.start, section.title) for section in inside if section.level < TAGGED]
    rows = [row for row in document.rows(record.start, record.end) if not row.header]
    cells = [(row.start, document.text(*cell)) for row in rows for cell in row.cells]
    yield from ((at, text) for at, text in titles + cells if placeholders.is_blank(text))


def _unanswered(record: Record) -> "Iterator[tuple[int, str]]":
    """Yield the items, and the paragraphs or lines of them, that are placeholders."""
    document = record.document
    for item in document.items(record.start, record.end):
        if record.unfilled(text := record.item(item)):
            yield item.start, text
    for kind, start, end in document.blocks(record.start, record.end):
        text = document.text(start, end)
        if kind not in {"paragraph", "html"} or text.lstrip().startswith("<!--"):
            continue
        lines = list(_lines(record, start, end)) if kind == "paragraph" else []
        whole = [(start, text)] if not lines and record.unfilled(text) else []
        yield from lines or whole


def _lines(record: Record, start: int, end: int) -> "Iterator[tuple[int, str]]":
    """Yield those lines of a paragraph that are placeholders."""
    for line in record.document.data[start:end].splitlines(keepends=True):
        text = line.decode("utf-8", "replace")
        if record.unfilled(text):
            yield start, text
        start += len(line)


def _open(what: str, text: str, line: int) -> Finding:
    """Return the finding of a placeholder."""
    return Finding("placeholder", line, what, safe.line(text, 80))


def _path(record: Record, at: int, name: str = "") -> str:
    """Return the innermost section that holds an offset, and the name of a field in it."""
    section = record.around(at)
    title = "title" if record.title and record.title.start == at else ""
    return ".".join(part for part in (section.title if section else title, name) if part) or "text"
