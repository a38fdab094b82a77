"""Add files to a list of changed files that a person or the model writes by hand."""

import re

from holdfast.editing import lists
from holdfast.formats.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    Splice = tuple[int, int, bytes]

_BLOCK = "files"  # a file with holdfast's own block of lines has all changed files in there


def splices(record: Record, paths: list[str]) -> "list[Splice]":
    """Return the splices that add those paths to the list of changed files with which no item begins.

    There are none when the format has no such list, when the file has no such section or several, and when it has
    holdfast's own block.
    """
    document = record.document
    part = next((part for part in record.file_format.parts if part.measured == _BLOCK), None)
    sections = record.sections(part.title) if part and document.block(_BLOCK) is None else []
    if len(sections) != 1 or document.conflicted():
        return []
    section = sections[0]
    known = [record.item(item) for item in document.items(section.body, section.end)]
    new = [path for path in paths if not any(_begins(text, path) for text in known)]
    if any(text.startswith("`") for text in known):
        new = [f"`{path}`" for path in new]
    items = lists.first(record, section)
    edit = lists.add(record, items, new) if items else lists.begin(record, section, new, checks=False)
    return [(edit.start, edit.end, edit.data)] if edit else []


def _begins(text: str, path: str) -> bool:
    """Return whether an item begins with a path, be it plain, in a code span or in a link."""
    return re.match(rf"[`*\[_]*{re.escape(path)}(?![\w/-]|\.\w)", text) is not None
