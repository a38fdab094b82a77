"""The place of a new section: after the nearest earlier one in the format's order, at the level of its neighbours."""

from holdfast.editing import layout
from holdfast.editing.overlay import Overlay
from holdfast.formats import names
from holdfast.formats.format import Part
from holdfast.formats.record import Record
from holdfast.markdown.document import TAGGED, Section


def place(record: Record, part: Part) -> tuple[int, list[str], bool]:
    """Return the offset for a new section, the headings to put above it, and whether a rule closes it."""
    parent = record.file_format.part(part.under) if part.under else None
    if parent and not record.sections(part.under):
        at, _, closed = place(record, parent)
        return at, ["#" * level(record, parent) + f" {parent.title}", ""], closed
    at, closed = _among_others(record, part)
    return at, [], closed


def _among_others(record: Record, part: Part) -> tuple[int, bool]:
    """Return the offset for a section among the existing ones, and whether a rule closes it as it closes others."""
    document = record.document
    earlier, later = _neighbours(record, part)
    if earlier is None and later is not None:
        return later.start, False
    if earlier and earlier.level == TAGGED:
        return document.line_end(earlier.end), False
    inner = record.within(record.start, record.end)
    last = earlier or next(reversed(inner), None)
    if last is None:
        return layout.last_line(document, record.start, record.end), False
    tagged = next((section for section in inner if section.level == TAGGED and section.end >= last.end), None)
    if tagged and not earlier:
        end = document.line_end(tagged.end)
        return layout.content_end(document, Section(TAGGED, "", tagged.end, end, record.end), record.end), False
    end = earlier.end if earlier else record.end
    if end < record.end and (not _ruled(record, end) or _ruled(record, last.start)):  # another section follows
        return end, _ruled(record, end)
    return layout.content_end(document, _deepest(record, last), end), False


def _neighbours(record: Record, part: Part) -> tuple[Section | None, Section | None]:
    """Return the nearest existing sections before and after it in the order, within the same parent."""
    siblings = [other for other in record.file_format.parts if other.under == part.under and other.holds != "front"]
    at = siblings.index(part) if part in siblings else len(siblings)
    before = [found for other in siblings[:at] for found in _there(record, other)]
    after = [found for other in siblings[at + 1 :] for found in _there(record, other)]
    parent = record.sections(part.under) if part.under else []
    if not before and not after and parent:
        return parent[0], None
    return (before[-1] if before else None), (after[0] if after else None)


def _there(record: Record, part: Part) -> list[Section]:
    """Return the sections of a part, none for the lines above any section."""
    elsewhere = isinstance(record, Overlay) and record.known(part)
    return record.sections(part.title) if part.title and not elsewhere else []


def _deepest(record: Record, section: Section) -> Section:
    """Return the last section within a section, itself when there is none."""
    return next(reversed(record.within(section.body, section.end)), section)


def _ruled(record: Record, at: int) -> bool:
    """Whether a rule is right before an offset."""
    document = record.document
    found = [kind for kind, start, _ in document.blocks(max(document.body, at - 200), at) if start < at]
    return bool(found) and found[-1] == "rule"


def level(record: Record, part: Part) -> int:
    """Return the level for a new section: that of its neighbours, one below its parent, else the format's own."""
    if part.level == TAGGED:
        return TAGGED
    parent = record.sections(part.under) if part.under else []
    if parent:
        return min(parent[0].level + 1, 6)
    same = [other for other in record.file_format.parts if other.under == part.under and names.plain(other.title)]
    found = [section.level for other in same for section in _there(record, other) if section.level < TAGGED]
    return min(found, default=part.level)
