"""The two documents beside the hub: a session's line in MASTER-PLAN.md, the last activity in USERCONTEXT.md."""

import os
import re
from collections.abc import Callable
from functools import partial, reduce

from holdfast.core.errors import HoldfastError
from holdfast.editing import layout, store
from holdfast.formats import names
from holdfast.markdown.blocks import gap
from holdfast.markdown.document import Document, Item, Row, Section, splice
from holdfast.sessions import hub_location
from holdfast.trust import safe

PLAN, USER = "MASTER-PLAN.md", "USERCONTEXT.md"
_TAIL = re.compile(r" - (?:active|waiting|paused|completed), \d{4}-\d\d-\d\d \d\d:\d\d UTC\Z")
_SESSIONS = ("sessions", "active sessions", "active work", "in progress")
_ACTIVITY = "last activity"
_COLUMNS = frozenset({"session", "session id"})
_OURS = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC: ")
_WHOLE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC: .*\(`[^`]*`\), (?:active|waiting|paused|completed)")

Splice = tuple[int, int, bytes]


class Activity:
    """The last activity of a session: its id, its title, its status, and the time in the documented form."""

    def __init__(self, ident: str, title: str, status: str, time: str) -> None:
        self.ident = ident
        self.title = safe.line(title, 160)
        self.status = status
        self.time = time


def planned(data: bytes, done: Activity) -> bytes:
    """Return the plan with the session's line up to date: its box, and the status and time at its end.

    A line belongs to the session whose id it contains; where no line has the id, one is added to the plan's sessions.
    In a table of sessions, the status in the session's row changes.
    """
    document = _sound(data)
    rows = _rows(document, done.ident)
    if len(rows) > 1:
        lines = ", ".join(str(document.line(row.start)) for row, _ in rows)
        raise HoldfastError(f"{done.ident} is on lines {lines}; name it on one only")
    if rows:
        return _with_status(document, *rows[0], done.status)
    items = document.items(document.body, len(data))
    own = [item for item in items if _names(document.text(item.text_start, item.text_end), done.ident)]
    if len(own) > 1:
        lines = ", ".join(str(document.line(item.start)) for item in own)
        raise HoldfastError(f"{done.ident} is on lines {lines}; name it on one only")
    return _updated(document, own[0], done) if own else _added(document, done)


def _rows(document: Document, ident: str) -> list[tuple[Row, int]]:
    """Return the rows of a session in tables that have a column of sessions, with the column of their status or -1."""
    rows: list[tuple[Row, int]] = []
    own, status = -1, -1
    for row in document.rows(document.body, len(document.data)):
        cells = [document.text(*cell) for cell in row.cells]
        if row.header:
            called = [names.plain(cell) for cell in cells]
            own = next((at for at, name in enumerate(called) if name in _COLUMNS), -1)
            status = called.index("status") if "status" in called else -1
        elif 0 <= own < len(cells) and _names(cells[own], ident):
            rows.append((row, status))
    return rows


def _with_status(document: Document, row: Row, column: int, status: str) -> bytes:
    """Return the plan with the status in a row of it; a table without a column for the status stays as it is."""
    if column < 0:
        return document.data
    if column >= len(row.cells):
        raise HoldfastError(f"line {document.line(row.start)} has no cell for the status; put that right by hand")
    start, end = row.cells[column]
    if start < end:
        return splice(document.data, start, end, status.encode())
    before, rest = document.data[:start].rstrip(b" \t"), document.data[end:].lstrip(b" \t")
    return before + f" {status} ".encode() + rest


def _updated(document: Document, item: Item, done: Activity) -> bytes:
    """Return the plan with the status at the end of a line, and the box of the line ticked when the work is done.

    The box is emptied when the line says that the work was completed and the work goes on.
    """
    line = document.text(item.text_start, item.text_end)
    match = _TAIL.search(line)
    start = item.text_start + len(line[: match.start()].encode()) if match else item.text_end
    data = splice(document.data, start, item.text_end, _tail(done).encode())
    over, ticked = done.status == "completed", bool(item.box and data[slice(*item.box)].strip())
    again = bool(match and match[0].startswith(" - completed,")) and not over
    if item.box and (again if ticked else over):
        data = splice(data, *item.box, b"x" if over else b" ")
    return data


def _added(document: Document, done: Activity) -> bytes:
    """Return the plan with a new line, in its section of sessions, or in a new section at its end."""
    line = f"- [{'x' if done.status == 'completed' else ' '}] {done.title} (`{done.ident}`){_tail(done)}"
    section = next((one for one in document.headings if names.plain(one.title) in _SESSIONS), None)
    if section is None:
        return splice(document.data, *_apart(document, len(document.data), ["## Sessions", "", line]))
    end = next((one.start for one in document.headings if one.start > section.start), section.end)
    items = [item for item in document.items(section.body, end) if not item.depth]
    if items:
        at = layout.last_line(document, items[-1].start, items[-1].end)
        return splice(document.data, *layout.after(document, at, [line]))
    return splice(document.data, *_apart(document, layout.content_end(document, section, end), [line]))


def _apart(document: Document, at: int, lines: list[str]) -> "Splice":
    """Return the splice that puts lines at an offset, with a blank line before and after them, also under a title."""
    start, end, data = layout.spaced(document, at, lines)
    glued = gap(document.data[document.body : at], document.newline) and not data.startswith((b"\r", b"\n"))
    return start, end, (document.newline if glued else b"") + data


def active(data: bytes, done: Activity) -> bytes:
    """Return the user context with the last activity in it.

    The activity is the value of the label of that name, or comes first in the section of that name; without either,
    it gets a line of its own under the title.
    """
    document = _sound(data)
    activity = f"{done.time}: {done.title} (`{done.ident}`), {done.status}"
    labels = [one for one in document.labels(document.body, len(data)) if names.plain(one.name) == _ACTIVITY]
    found = [one for one in labels if one.style != "heading" or one.value_start < one.value_end]
    if len(found) > 1:
        raise HoldfastError(f"it has {len(found)} lines Last Activity; keep one of them")
    if found:
        label = found[0]
        gap = "" if data[label.value_start - 1 : label.value_start] in {b" ", b"\t"} else " "
        return splice(data, label.value_start, label.value_end, f"{gap}{activity}".encode())
    sections = [one for one in document.headings if names.plain(one.title) == _ACTIVITY]
    if len(sections) > 1:
        raise HoldfastError(f"it has {len(sections)} sections Last Activity; keep one of them")
    if sections:
        return splice(data, *_first(document, sections[0], activity))
    title = document.headings[0] if document.headings else None
    at = title.body if title else document.body
    return splice(data, *_apart(document, at, [f"**Last Activity:** {activity}"]))


def _first(document: Document, section: Section, activity: str) -> "Splice":
    """Return the splice that puts the last activity first in its section, instead of the one before."""
    end = min([section.end, *(one.start for one in document.sections if one.start > section.start)])
    for start, last in document.paragraphs(section.body, end)[:1]:
        paragraph = document.text(start, last).strip()
        first = paragraph.splitlines()[0].rstrip()
        if _WHOLE.fullmatch(first):  # text that a person wrote right under it stays
            return layout.replaced(document, start, document.line_end(start), [activity])
        if _OURS.match(paragraph) or names.is_none(paragraph) or names.is_placeholder(paragraph):
            return layout.replaced(document, start, last, [activity])
    return _apart(document, section.body, [activity])


CHANGES = ((PLAN, planned), (USER, active))


def _tail(done: Activity) -> str:
    return f" - {done.status}, {done.time}"


def _names(line: str, ident: str) -> bool:
    """Whether a line names a session, and not only one whose id begins with this id."""
    return re.search(rf"(?<![\w-]){re.escape(ident)}(?![\w-])", line) is not None


def _sound(data: bytes) -> Document:
    """Return the document; HoldfastError when its structure is broken."""
    document = Document(data)
    for at, what in document.flaws:
        raise HoldfastError(f"line {document.line(at)}: {what}; put that right by hand")
    return document


def _each(change: "Callable[[bytes, Activity], bytes]", activities: list[Activity], data: bytes) -> bytes:
    return reduce(change, reversed(activities), data)


def write(hub: str, activities: list[Activity], *, stage: bool) -> tuple[list[str], list[str]]:
    """Bring the documents beside the hub that there are up to date, the request's own activity, the first, last.

    Return the names of those that were written, and what was in the way.
    """
    written, problems = [], []
    for name, change in CHANGES:
        path = hub_location.companion(hub, name)
        if not os.path.lexists(path):
            continue
        try:
            written += [name] if store.update(path, partial(_each, change, activities)) else []
        except (HoldfastError, OSError) as error:
            problems.append(
                f"{name} was left as it is: {error if isinstance(error, HoldfastError) else error.strerror}"
            )
            continue
        # Even if nothing was written: an update that was cut off may have got no further than the file.
        problem = store.stage(path) if stage else ""
        problems += [problem] if problem else []
    return written, problems
