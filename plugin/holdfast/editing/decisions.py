"""Decisions in the form of agents-sessions.md: a numbered heading, what was decided, and why."""

import re

from holdfast.editing import layout
from holdfast.editing.pieces import Edit, new_items
from holdfast.formats.record import Record
from holdfast.markdown.document import Section

HELD = "decisions"  # what the format says of such a section
_NUMBERED = re.compile(r"Decision (\d+)\b", re.IGNORECASE)
_WHY = re.compile(r"\s*\bRationale:\s*")
_TITLE = 60  # characters


def edit(record: Record, section: Section, requested: list[str]) -> Edit | None:
    """Return the edit that adds decisions, None if the section has them all."""
    document = record.document
    present = " ".join(document.text(section.body, section.end).split())
    new = [text for text in new_items(requested, []) if " ".join(_parts(text)[:1]) not in present]
    titles = (_NUMBERED.match(one.title) for one in record.within(section.body, section.end))
    first = max((int(found[1]) for found in titles if found), default=0) + 1
    if not new:
        return None
    put = lines(new, first)
    at = layout.content_end(document, section, section.end)
    return Edit(layout.spaced(document, at, put), "", "; ".join(new), headings=len(new))


def lines(texts: list[str], first: int = 1) -> list[str]:
    """Return decisions as lines; `first` is the number of the first one."""
    entries = [line for number, text in enumerate(texts, first) for line in ("", *_entry(number, text))]
    return entries[1:]


def _entry(number: int, text: str) -> list[str]:
    decided, why = _parts(text)
    title = decided if len(decided) <= _TITLE else decided[:_TITLE].rpartition(" ")[0] + "…"
    made = [f"### Decision {number}: {title.rstrip('.')}", "", f"**Decision**: {decided}"]
    return [*made, f"**Rationale**: {why}"] if why else made


def _parts(text: str) -> tuple[str, str]:
    """Return what was decided and why, as far as the text names a rationale."""
    decided, *why = _WHY.split(text, maxsplit=1)
    return decided.strip(), "".join(why).strip()
