"""The bytes of one edit, in the style of what stands there: which kind of place it goes to decides who makes them."""

from holdfast.edits import beginning, lists, logs, menus, rows, texts, values
from holdfast.edits.pieces import Edit
from holdfast.edits.placing import Target
from holdfast.edits.wishes import Want
from holdfast.errors import HoldfastError
from holdfast.markdown.document import Section
from holdfast.states.record import Record, Spot


def edit(record: Record, target: Target, want: Want, minute: str) -> Edit | None:
    """Return the splice that makes a wish true at a place, None when it is; HoldfastError when it cannot be.

    `minute` is the time that a new entry of a log gets.
    """
    if target.part and not target.field:
        return beginning.section_of(record, target.part, want, minute)
    if target.field:
        return beginning.field(record, target, want)
    return _there(record, target.spot, want, minute) if target.spot else None


def _there(record: Record, spot: Spot, want: Want, minute: str) -> Edit | None:
    """Edit what stands at a place already."""
    if want.section and spot.kind != "section":
        raise HoldfastError("a field stands there under this name, not a section")
    if spot.kind == "front":
        return values.key(record, spot.path, want.line)
    if spot.label and spot.label.items:
        return lists.of_label(record, spot.label, want.items)
    if spot.label:
        return values.value_of(record, spot.label, want)
    if spot.section and spot.kind == "title":
        return values.title(record, spot.section, spot.path, want)
    return _into(record, spot.section, want, minute) if spot.section else None


def _into(record: Record, section: Section, want: Want, minute: str) -> Edit | None:
    """Make what is wanted of a section true in it."""
    if want.menu:
        return menus.edit(record, section, want.menu)
    if want.rows is not None:
        return rows.edit(record, section, want)
    part = record.part(section)
    if part and part.holds == "table":
        raise beginning.tabular(part)
    if part and part.holds == "log":
        return logs.edit(record, section, part, want, minute)
    return _said(record, section, want, part.holds if part else "")


def _said(record: Record, section: Section, want: Want, holds: str) -> Edit | None:
    """Set the text of a section, or add items to it."""
    items = want.items if want.items is not None else [want.text]
    found = lists.first(record, section)
    if want.items is None and (holds == "text" or (holds not in {"list", "checks"} and not found)):
        return texts.text(record, section, want.text)
    if found:
        return lists.add(record, found, items, record.document.items(section.body, section.end))
    return lists.begin(record, section, items, checks=holds == "checks")
