"""The parts of one session on the board, as lines of text."""

import time

from holdfast.cli.tables import age
from holdfast.cli.timeline import what

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.overview.details import Details

    Line = tuple[str, str]  # a text, and a note beside it

_FILES, _EVENTS = 20, 40  # that are shown


def unfinished(found: "Details") -> "dict[str, list[Line]]":
    """Return the open tasks and loops under these names; without a line a name is left out."""
    tasks = [(subject, status.replace("_", " ")) for subject, status in found.tasks]
    known: dict[str, list[Line]] = {"Open tasks": tasks, "Open loops": [*found.loops]}
    return {name: lines for name, lines in known.items() if lines}


def recorded(found: "Details") -> "dict[str, list[Line]]":
    """Return in the same way what journals tell: subagents, files, last answer and timeline."""
    children = [(f"{name}{f': {text}' if text else ''}", status) for name, status, text in found.children]
    files = ((path, _ago(at)) for path, at in found.files)
    events = ((f"{one.kind}: {what(one)}", _ago(one.at)) for one in found.events)
    known = {
        "Subagents": children,
        "Files": _limited(files, len(found.files), _FILES),
        "Last answer": [(found.answer, "")] if found.answer else [],
        "Timeline": _limited(events, len(found.events), _EVENTS),
    }
    return {name: lines for name, lines in known.items() if lines}


def _ago(at: float) -> str:
    return age(max(0.0, time.time() - at))


def _limited(lines: "Iterable[Line]", count: int, most: int) -> "list[Line]":
    """Return the first lines, and how many there are beyond them."""
    known = [line for line, _ in zip(lines, range(most), strict=False)]
    return [*known, (f"and {count - most} more", "")] if count > most else known
