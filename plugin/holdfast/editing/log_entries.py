"""Add holdfast's own entries to a log whose entries are headings: an event, and a line about it."""

import time

from holdfast.core import clock
from holdfast.editing import layout, log_zone
from holdfast.formats.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    Entry = tuple[float, str, str]
    Splice = tuple[int, int, bytes]

_MEASURED = "log"


def splices(record: Record, entries: "list[Entry]") -> "list[Splice]":
    """Return the splice that adds (time in seconds, heading, text) to the log that the format gives to holdfast.

    There is none when the file has no such log, or several, and for entries that are there already.
    """
    part = next((part for part in record.file_format.parts if part.measured == _MEASURED), None)
    sections = record.sections(part.title) if part else []
    if part is None or len(sections) != 1 or not entries:
        return []
    document, section = record.document, sections[0]
    section_text = document.text(section.body, section.end)
    ahead = log_zone.ahead(record, section, clock.write(time.time(), clock.MINUTE))
    lines: list[str] = []
    for at, heading, text in sorted(entries):
        minute = clock.write(at + ahead, clock.MINUTE)
        head = part.entry.replace("{minute}", minute).replace("{text}", heading)
        if f"{head}\n{text}" not in section_text.replace("\r\n", "\n"):
            lines += [*([""] if lines else []), head, text]
    end = layout.content_end(document, section, section.end)
    if not lines:
        return []
    at, stop, added = layout.spaced(document, end, lines)
    last = at == len(document.data) and not document.data.endswith((b"\n", b"\r"))
    return [(at, stop, added.removesuffix(document.newline) if last else added)]  # no final newline stays none
