"""A field or a section that is not there yet, begun where the dialect has it."""

from holdfast.dialects.dialect import Part
from holdfast.edits import layout, lists, logs, order, rows, values
from holdfast.edits.pieces import Edit, item, new_items
from holdfast.edits.placing import Target
from holdfast.edits.seen import Seen
from holdfast.edits.wishes import Want
from holdfast.errors import HoldfastError
from holdfast.markdown.document import TAGGED, Document, Label
from holdfast.states.record import Record

_KEEPERS = {"Active Loops": ", which `holdfast loop` keeps"}  # of tables


def field(record: Record, target: Target, want: Want) -> Edit | None:
    """Begin a field: a key of the frontmatter, or a label in a section that is there or that begins with it."""
    value, name = want.line, target.field
    if name.startswith("front:"):
        return values.key(record, name[6:], value)
    section, part = target.section, target.part
    if section is None and part and part.title:
        return section_of(record, part, want, "", label=name)
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


def section_of(record: Record, part: Part, want: Want, minute: str, *, label: str = "") -> Edit | None:
    """Begin a section where the order of the dialect puts it."""
    lines = _lines(record, part, want, minute, label)
    if not lines:
        return None
    at, above, closed = order.place(record, part)
    gap = [""] if layout.roomy(record.document) else []
    headed = [*above, *_headed(part, order.level(record, part), [*gap, *lines]), *(["", "---"] if closed else [])]
    headings = sum(line.startswith(("#", "<")) for line in headed)
    told = want.text or "; ".join(want.items or []) or "; ".join(line for line in lines if line)
    return Edit(layout.spaced(record.document, at, headed), "", told, headings=headings)


def _lines(record: Record, part: Part, want: Want, minute: str, label: str) -> list[str]:
    """Return what is to stand in a new section."""
    if label:
        return [_label(record, [], label, want.line)]
    if want.rows is not None:
        return rows.lines(want)
    return want.menu.lines if want.menu else _texts(part, want, minute)


def _texts(part: Part, want: Want, minute: str) -> list[str]:
    """Return the text, the items or the entries that a new section begins with."""
    if part.holds == "table":
        raise tabular(part)
    items = new_items(want.items if want.items is not None else [want.text], [])
    if part.holds == "log":
        return logs.lines(part, items, want.minute or minute)
    if want.items is not None or part.holds in {"list", "checks"}:
        return [item(text, checks=part.holds == "checks") for text in items]
    return want.text.splitlines()


def _label(record: Record, labels: list[Label], name: str, value: str) -> str:
    """Return a label's line in the style of these, else of any in the file."""
    document = record.document
    if isinstance(record, Seen):
        return f"**{name}:** {value}"
    return layout.label_like(document, labels or document.labels(record.start, record.end), name, value)


def _reach(document: Document, label: Label) -> int:
    """Return where a label ends with its list."""
    return max([label.value_end, *(item.end for item in lists.below(document, label))])


def tabular(part: Part) -> HoldfastError:
    """Return the refusal of a text where rows stand."""
    return HoldfastError(f"its rows are a table{_KEEPERS.get(part.title, '; edit them by hand')}")


def _headed(part: Part, level: int, lines: list[str]) -> list[str]:
    """Return lines under the heading, or between the tags, of a section."""
    if level == TAGGED:
        return [f"<{part.title}>", *(line for line in lines if line), f"</{part.title}>"]
    return ["#" * level + f" {part.title}", *lines]
