"""Add files to a list of changed or of created files that a person or the model writes by hand."""

import os
import re

from holdfast.editing import lists
from holdfast.formats.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.markdown.document import Section

    Splice = tuple[int, int, bytes]

_CREATED = "created"
_BLOCK = "files"  # a file with holdfast's own block of lines has all changed files in there


def splices(record: Record, paths: list[str]) -> "list[Splice]":
    """Return the splices that add those paths to the list of changed files with which no item begins.

    There are none when the format has no such list, when the file has no such section or several, and when it has
    holdfast's own block.
    """
    sections = _listing(record, _BLOCK) if record.document.block(_BLOCK) is None else []
    known = [text for section in sections for text in _items(record, section)]
    new = [path for path in paths if not any(_begins(text, path) for text in known)]
    quoted = any(text.startswith("`") for text in known)
    return _added(record, sections, [f"`{path}`" if quoted else path for path in new])


def lists_created(record: Record) -> bool:
    """Whether the format and the file have a list of created files."""
    return len(_listing(record, _CREATED)) == 1


def created(record: Record, paths: list[str]) -> "list[Splice]":
    """Return the splices that add those paths to the list of created files which no item names, by name and folder."""
    sections = _listing(record, _CREATED)
    known = [text for section in sections for text in _items(record, section)]
    new = [path for path in paths if not any(_begins(text, os.path.basename(path)) for text in known)]
    shown = [f"{os.path.basename(path)} (permanent, {os.path.dirname(path) or '.'}/)" for path in new]
    return _added(record, sections, shown)


def _listing(record: Record, kind: str) -> "list[Section]":
    """Return the sections with the list that holdfast measures."""
    part = next((part for part in record.file_format.parts if part.measured == kind), None)
    return record.sections(part.title) if part else []


def _items(record: Record, section: "Section") -> list[str]:
    return [record.item(item) for item in record.document.items(section.body, section.end)]


def _added(record: Record, sections: "list[Section]", new: list[str]) -> "list[Splice]":
    """Return the splices that add items to the one list."""
    if len(sections) != 1 or record.document.conflicted():
        return []
    section = sections[0]
    items = lists.first(record, section)
    edit = lists.add(record, items, new) if items else lists.begin(record, section, new, checks=False)
    return [(edit.start, edit.end, edit.data)] if edit else []


def _begins(text: str, path: str) -> bool:
    """Return whether an item begins with a path, be it plain, in a code span or in a link."""
    return re.match(rf"[`*\[_]*{re.escape(path)}(?![\w/-]|\.\w)", text) is not None
