"""Insert new fields and sections at the place that the format defines."""

from holdfast.core.errors import HoldfastError
from holdfast.editing import decisions, layout, lists, logs, order, tables, tags, values
from holdfast.editing.locate import Target
from holdfast.editing.overlay import Overlay
from holdfast.editing.pieces import Edit, item, new_items
from holdfast.editing.requests import Request
from holdfast.formats.format import Part
from holdfast.formats.record import Record
from holdfast.markdown.document import TAGGED, Document, Label

KEEPERS = {"Active Loops": ", which `holdfast loop` keeps"}  # title of a table -> the command that writes it


def field(record: Record, target: Target, request: Request) -> Edit | None:
    """Return the edit that adds a field: a key of the frontmatter, or a label in a section, which may be new too."""
    value, name = request.line, target.field
    if name.startswith("front:"):
        return values.key(record, name[6:], value)
    section, part = target.section, target.part
    if section is None and part and part.title:
        return section_of(record, part, request, "", label=name)
    document = record.document
    start = section.body if section else record.title.body if record.title else record.start
    end = record.own_end(section) if section else record.edge
    known = record.part(section) if section else None
    tabled = known is not None and known.holds == "table"  # its rows are no labels
    labels = [label for label in document.labels(start, end) if not tabled or label.style != "row"]
    line = _label(record, labels, name, value) if labels or section else f"**{name}:** {value}"
    if not labels:
        at = layout.content_end(document, section, end) if section and tabled else start
        return Edit(layout.spaced(document, at, [line]), "", value)
    at = layout.last_line(document, labels[-1].start, _reach(document, labels[-1]))
    return Edit(layout.after(document, at, [line]), "", value)


def section_of(record: Record, part: Part, request: Request, minute: str, *, label: str = "") -> Edit | None:
    """Return the edit that adds a section at its place in the order of the format."""
    lines = _lines(record, part, request, minute, label)
    if not lines:
        return None
    at, above, closed = order.place(record, part)
    gap = [""] if layout.roomy(record.document) else []
    headed = [*above, *_headed(part, order.level(record, part), [*gap, *lines]), *(["", "---"] if closed else [])]
    headings = sum(line.startswith(("#", "<")) for line in headed)
    new = request.text or "; ".join(request.items or []) or "; ".join(line for line in lines if line)
    return Edit(layout.spaced(record.document, at, headed), "", new, headings=headings)


def _lines(record: Record, part: Part, request: Request, minute: str, label: str) -> list[str]:
    """Return the lines of a new section without its heading."""
    if label:
        return [_label(record, [], label, request.line)]
    if request.rows is not None:
        return tables.lines(request)
    return request.managed_lines.lines if request.managed_lines else _texts(part, request, minute)


def _texts(part: Part, request: Request, minute: str) -> list[str]:
    """Return the text, the items or the entries that a new section begins with."""
    if part.holds == "table":
        raise tabular(part)
    items = new_items(request.items if request.items is not None else [request.text], [])
    if part.holds == "tags" and request.items is not None:
        return [tags.line(request.items, [])]
    if part.holds == "log":
        return logs.lines(part, items, request.minute or minute)
    if part.holds == decisions.HELD:
        return decisions.lines(items)
    if request.items is not None or part.holds in {"list", "checks"}:
        return [item(text, checks=part.holds == "checks") for text in items]
    return request.text.splitlines()


def _label(record: Record, labels: list[Label], name: str, value: str) -> str:
    """Return a label's line in the style of these, else of any in the file."""
    document = record.document
    if isinstance(record, Overlay):
        return f"**{name}:** {value}"
    return layout.label_like(document, labels or document.labels(record.start, record.end), name, value)


def _reach(document: Document, label: Label) -> int:
    """Return where a label ends with its list."""
    return max([label.value_end, *(item.end for item in lists.below(document, label))])


def tabular(part: Part) -> HoldfastError:
    """Return the error for a text in a section that holds a table."""
    return HoldfastError(f"its rows are a table{KEEPERS.get(part.title, '; edit them by hand')}")


def _headed(part: Part, level: int, lines: list[str]) -> list[str]:
    """Return lines under the heading, or between the tags, of a section."""
    if level == TAGGED:
        return [f"<{part.title}>", "", *(line for line in lines if line), "", f"</{part.title}>"]
    return ["#" * level + f" {part.title}", *lines]
