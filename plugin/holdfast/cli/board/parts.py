"""The parts of one session on the board, as lines of text."""

import time

from holdfast.cli.tables import age
from holdfast.cli.timeline import what

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.views.details import Details

    Line = tuple[str, str]  # a text, and a note beside it

_FILES, _EVENTS = 20, 40  # that are shown


def parts(found: "Details") -> "dict[str, list[Line]]":
    """Return the parts beside the state file under their names; those without a line are left out."""
    tasks = [(subject, status.replace("_", " ")) for subject, status in found.tasks]
    children = [(f"{name}{f': {text}' if text else ''}", status) for name, status, text in found.children]
    files = ((path, _ago(at)) for path, at in found.files)
    events = ((f"{one.kind}: {what(one)}", _ago(one.at)) for one in found.events)
    known = {
        "Open tasks": tasks,
        "Open loops": [*found.loops],
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
