"""Recognise the format of a file by its content, with the reason."""

import os
from fnmatch import fnmatch

from holdfast.formats.catalogue import Formats
from holdfast.formats.format import Format
from holdfast.formats.record import Outline, Record

_WORDS = {
    "front": "`{}` in its frontmatter",
    "section": "section {}",
    "label": "label {}",
    "title": "title {}",
    "name": "name like {}",
}


def recognise(outline: Outline, path: str, formats: Formats) -> tuple[Format | None, str]:
    """Return the first format with all its marks in the file, and those marks; or None and the missing marks."""
    nearest, problem = 99, ""
    for file_format in formats:
        record = Record(outline, file_format)
        for marks in file_format.recognised:
            lacking = [mark for mark in marks if not _there(record, path, mark)]
            if not lacking:
                return file_format, f"it has {_listed(marks)}"
            if len(lacking) < min(nearest, len(_positive(marks))) and _positive(lacking):
                nearest, problem = len(lacking), f"{file_format.name} comes nearest, but it lacks {_listed(lacking)}"
    front = outline.metadata
    broken = f"its frontmatter cannot be read, line {front.line}: {front.problem}" if front.problem else ""
    return None, "; ".join(filter(None, ["its shape is none of the known ones", broken or problem]))


def _there(record: Record, path: str, mark: str) -> bool:
    """Whether the file has a mark of a format."""
    kind, _, rest = mark.partition(":")
    if kind == "absent":
        return not _there(record, path, rest)
    if kind == "name":
        return fnmatch(os.path.basename(path).casefold(), rest.casefold())
    if kind == "label" and "/" not in rest:
        return record.labelled(rest)
    return bool(record.find(mark))


def _positive(marks: list[str]) -> list[str]:
    """Return the marks that a file must have."""
    return [mark for mark in marks if not mark.startswith("absent:")]


def _listed(marks: list[str]) -> str:
    """Return the marks that a file must have as text for a person."""
    parts = (mark.partition(":") for mark in _positive(marks))
    return " and ".join(_WORDS[kind].format(rest).strip() for kind, _, rest in parts)
