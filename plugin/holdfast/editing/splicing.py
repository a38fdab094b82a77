"""The bytes of one edit, in the style of the text around it; each kind of place has its own module."""

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.editing import (
    decisions,
    insert,
    lists,
    locate,
    logs,
    managed_lines,
    paragraphs,
    table_rows,
    tables,
    tags,
    values,
)
from holdfast.editing.locate import Target
from holdfast.editing.pieces import Edit
from holdfast.editing.requests import Request
from holdfast.formats.audit import kinds
from holdfast.formats.format import Field
from holdfast.formats.record import Record, Spot
from holdfast.markdown.document import Section


def edit(record: Record, target: Target, request: Request, minute: str) -> Edit | None:
    """Return the edit that applies a request at a place, None when the place has it; HoldfastError if it is impossible.

    `minute` is the time now in UTC, which a new entry of a log gets.
    """
    field = locate.field(record, target)
    if field:
        request.text = kinds.written(field, request.text)
        _refuse(record, field, request, minute)
    if target.part and not target.field:
        return insert.section_of(record, target.part, request, minute)
    if target.field:
        return insert.field(record, target, request)
    replace = field is not None and field.kind == "replaced"
    return _at(record, target.spot, request, minute, replace=replace) if target.spot else None


def _refuse(record: Record, field: Field, request: Request, minute: str) -> None:
    """Raise a HoldfastError when a request's text is no value of the field."""
    why = kinds.problem(field, request.line, record.file_format, clock.read(minute) or float("inf"))
    if why:
        raise HoldfastError(why)


def _at(record: Record, spot: Spot, request: Request, minute: str, *, replace: bool) -> Edit | None:
    """Return the edit of an existing place; with `replace` a requested list replaces the present one."""
    if request.section and spot.kind != "section":
        raise HoldfastError("a field is there under this name, not a section")
    if spot.kind == "front":
        return values.key(record, spot.path, request.line)
    if spot.label and spot.label.items:
        return lists.of_label(record, spot.label, request.items, replace=replace)
    if spot.label:
        return values.value_of(record, spot.label, request, replace=replace)
    if spot.section and spot.kind == "title":
        return values.title(record, spot.section, spot.path, request)
    return _in_section(record, spot.section, request, minute, replace=replace) if spot.section else None


def _in_section(record: Record, section: Section, request: Request, minute: str, *, replace: bool) -> Edit | None:
    """Return the edit of a section: its managed lines, rows, log entries, tags, items or text."""
    if request.managed_lines:
        return managed_lines.edit(record, section, request.managed_lines)
    if request.rows is not None:
        return tables.edit(record, section, request)
    return _of_part(record, section, request, minute, replace=replace)


def _of_part(record: Record, section: Section, request: Request, minute: str, *, replace: bool) -> Edit | None:
    """Return the edit of a section that people keep, by what the format says it holds."""
    part = record.part(section)
    table = table_rows.table_of(record, section)
    if part and part.holds == "table" and (part.title in insert.KEEPERS or table is None):
        raise insert.tabular(part)
    if table and (request.items is not None or (part and part.holds in {"table", "list", "checks"})):
        return table_rows.edit(record, section, table, request.items or [request.text], minute)
    if part and part.holds == "log":
        return logs.edit(record, section, part, request, minute)
    items = lists.first(record, section)
    if part and part.holds == decisions.HELD and not items:
        return decisions.edit(record, section, request.items if request.items is not None else [request.text])
    if part and part.holds == "tags" and request.items is not None and not items:
        return tags.edit(record, section, request.items)
    holds = part.holds if part else ""
    listed = holds in {"list", "checks"} or (bool(items) and holds not in {"text", "tags"})
    if request.items is None and not listed:
        return paragraphs.text(record, section, request.text)
    requested = [request.text] if request.items is None else request.items
    return lists.of_section(record, section, requested, checks=holds == "checks", replace=replace)
