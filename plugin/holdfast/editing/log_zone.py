"""The zone of the times in a log: entries that are added have their time in it."""

import math
import re

from holdfast.core import clock
from holdfast.formats.record import Record
from holdfast.markdown.document import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MINUTE = re.compile(r"[\s*_\[(`]*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(?::\d\d)?(?:Z| UTC)?[\s*_\])`:]*")
IN_UTC = re.compile(r"\d(?:Z| UTC)\b")
_SLACK, _HALF_HOUR, _FARTHEST = 120, 1800, 14 * 3600  # seconds; no zone is farther east of UTC


def minute_of(text: str) -> str:
    """Return the minute that a text begins with, "" for none."""
    found = MINUTE.match(text)
    return f"{found[1]} {found[2]}" if found else ""


def ahead(record: Record, section: Section, now: str) -> int:
    """Return how many seconds the times of a log are ahead of UTC.

    The time of the file's last change has the zone. If the newest time of the log is ahead of `now` (a minute in UTC),
    it is a local time of a zone further east, and the zone is derived from it.
    """
    stamps = [record.text(spot) for place in record.file_format.stamp for spot in record.find(place)]
    stamped = next((clock.offset_of(form) for text in stamps if (form := clock.form(text))), 0)
    newest, text = max(((minute_of(text), text) for text in _timed(record, section)), default=("", ""))
    return 0 if IN_UTC.search(text) else stamped + _early(newest, now, stamped)


def shifted(minute: str, seconds: int) -> str:
    """Return a minute shifted by some seconds; any other text unchanged."""
    at = clock.read(minute) if seconds else 0.0
    return clock.write(at + seconds, clock.MINUTE) if at else minute


def _timed(record: Record, section: Section) -> "Iterator[str]":
    """Yield the paragraphs and list items of a section, and its headings from their time on."""
    document = record.document
    for kind, start, stop in document.blocks(section.body, section.end):
        if kind == "paragraph":
            yield document.text(start, stop)
    for item in document.items(section.body, section.end):
        yield record.item(item)
    for inner in record.within(section.body, section.end):
        found = MINUTE.search(inner.title)
        yield inner.title[found.start() :] if found else ""


def _early(newest: str, now: str, offset: int) -> int:
    """Return how many seconds, in half hours, the newest time of a log is ahead of `now` plus `offset`."""
    early = clock.read(newest) - clock.read(now) - offset
    return math.ceil(early / _HALF_HOUR) * _HALF_HOUR if _SLACK < early <= _FARTHEST - offset else 0
