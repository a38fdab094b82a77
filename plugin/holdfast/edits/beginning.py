"""A field or a section that is not there yet, begun where the dialect has it."""

from holdfast.dialects.dialect import Part
from holdfast.edits import layout, order, values
from holdfast.edits.pieces import Edit, entry, item, new_items, one_line
from holdfast.edits.placing import Target, Want
from holdfast.errors import HoldfastError
from holdfast.states.record import Record

_TAG = 7  # the level of a tagged section


def field(record: Record, target: Target, want: Want) -> Edit | None:
    """Begin a field: a key of the frontmatter, or a label in a section that is there or that begins with it."""
    value, name = one_line(want), target.field
    if name.startswith("front:"):
        return values.key(record, name[6:], value)
    section, part = target.section, target.part
    if section is None and part and part.title:
        return section_of(record, part, Want((*want.keys[:-1], name), text=value), "", label=name)
    document = record.document
    start = section.body if section else record.title.body if record.title else record.start
    end = record.own_end(section) if section else record.edge
    labels = document.labels(start, end)
    around = labels or (document.labels(record.start, record.end) if section else [])
    line = layout.label_like(document, around, name, value) if around or section else f"**{name}:** {value}"
    if not labels:
        at = layout.last_line(document, start, start)
        return Edit(layout.spaced(document, at, [line]), "", value)
    last = max([labels[-1].value_end, *(item.end for item in labels[-1].items)])
    at = layout.last_line(document, labels[-1].start, last)
    return Edit(layout.after(document, at, [line]), "", value)


def section_of(record: Record, part: Part, want: Want, minute: str, *, label: str = "") -> Edit | None:
    """Begin a section where the order of the dialect puts it."""
    items = want.items if want.items is not None else [want.text]
    if label:
        lines = [layout.label_like(record.document, record.document.labels(record.start, record.end), label, want.text)]
    elif part.holds == "log":
        lines = "\n\n".join(entry(part, text, minute) for text in items).splitlines()
    elif part.holds == "table":
        raise HoldfastError("its rows are a table; begin it by hand")
    elif want.items is not None or part.holds in {"list", "checks"}:
        lines = [item(text, checks=part.holds == "checks") for text in new_items(items, [])]
    else:
        lines = want.text.splitlines()
    at, above, closed = order.place(record, part)
    gap = [""] if layout.roomy(record.document) else []
    headed = [*above, *_headed(part, order.level(record, part), [*gap, *lines]), *(["", "---"] if closed else [])]
    headings = sum(line.startswith(("#", "<")) for line in headed)
    told = want.text or "; ".join(items)
    return Edit(layout.spaced(record.document, at, headed), "", told, headings=headings)


def _headed(part: Part, level: int, lines: list[str]) -> list[str]:
    """Return lines under the heading, or between the tags, of a section."""
    if level == _TAG:
        return [f"<{part.title}>", *(line for line in lines if line), f"</{part.title}>"]
    return ["#" * level + f" {part.title}", *lines]
