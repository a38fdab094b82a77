"""The value of a key, a label or a title, set in the place of the old one."""

import re

from holdfast.core.errors import HoldfastError
from holdfast.editing.pieces import Edit
from holdfast.editing.requests import Request
from holdfast.formats import titles
from holdfast.formats.record import Record
from holdfast.formats.table import width
from holdfast.markdown import metadata_edit
from holdfast.markdown.document import Document, Label, Section

_BOLD_BEHIND = re.compile(rb"[ \t](?:\*\*|__)")


def key(record: Record, path: str, value: str) -> Edit | None:
    """Set a key of the frontmatter."""
    found = metadata_edit.edit(record.document, path, value)
    return Edit(found, record.metadata.text(path), value, key=path) if found else None


def value_of(record: Record, label: Label, request: Request, *, replace: bool = False) -> Edit | None:
    """Return the edit that sets the value of a label; requested items are added to it, or replace it."""
    document = record.document
    if _BOLD_BEHIND.match(document.data, label.value_end):
        raise HoldfastError("more bold text follows on its line, which may be a label; part them with ` | `")
    old = " ".join(document.text(label.value_start, label.value_end).split())
    if request.items and old and not replace and not record.unfilled(old):
        return _further(label, old, request.items)
    if label.style == "row":
        _refuse_ragged(document, label)
    value = request.line
    shown = _shown(label, value)
    if shown == old:
        return None
    gap = b" " if document.data[label.value_start - 1 : label.value_start] in {b":", b"*", b"_"} else b""
    return Edit((label.value_start, label.value_end, gap + shown.encode()), old, value)


def _refuse_ragged(document: Document, label: Label) -> None:
    """Refuse a row with more bars than its table has columns: it is unclear where its value ends."""
    row = document.rows(label.start, label.end)[0]
    if width(document, row) > len(row.cells):
        raise HoldfastError("its row has more cells than the table; write a bar within a cell as \\|")


def _further(label: Label, old: str, items: list[str]) -> Edit | None:
    """Add the items to a value that are not in it between semicolons yet."""
    value = f"; {_parted(old)};"
    new = [
        text for item in dict.fromkeys(items) if (text := _parted(_shown(label, item))) and f"; {text};" not in value
    ]
    if not new:
        return None
    more = "; " + "; ".join(new)
    return Edit((label.value_end, label.value_end, more.encode()), old, old + more)


def _parted(text: str) -> str:
    """Return a text on one line, with one blank after each semicolon."""
    return "; ".join(" ".join(part.split()) for part in text.split(";"))


def _shown(label: Label, value: str) -> str:
    """Return a value as it is on one line, in a table with its bars escaped."""
    return " ".join((value.replace("|", r"\|") if label.style == "row" else value).split())


def title(record: Record, section: Section, beginning: str, request: Request) -> Edit | None:
    """Set what follows the words with which the title begins."""
    document = record.document
    line = document.data[section.start : section.body]
    old = titles.after(section.title, beginning)
    at = line.rfind(old.encode())
    value = request.line
    if not old or at < 0 or old == value:
        return None
    start = section.start + at
    return Edit((start, start + len(old.encode()), value.encode()), old, value)
