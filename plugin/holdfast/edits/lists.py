"""Items added to a list, in the place of its placeholders, or begun where there is none."""

from holdfast.edits import layout
from holdfast.edits.pieces import Edit, item, new_items
from holdfast.errors import HoldfastError
from holdfast.markdown.document import Document, Item, Label, Section
from holdfast.states.record import Record


def of_label(record: Record, label: Label, wanted: list[str] | None) -> Edit | None:
    """Add items to the list that stands in a label's place."""
    if wanted is None:
        raise HoldfastError("a list stands there; give a list of items to add")
    return add(record, label.items, wanted, label.items)


def outermost(document: Document, start: int, end: int) -> list[Item]:
    """Return the items in a span that are in no other item."""
    return [item for item in document.items(start, end) if not item.depth]


def first(record: Record, section: Section) -> list[Item]:
    """Return the outermost items of the first list in the section's own text; a list of labels is none."""
    document, end = record.document, record.own_end(section)
    for kind, start, stop in document.blocks(section.body, end):
        items = outermost(document, start, stop) if kind == "list" else []
        if items and not all(_labelled(document, item) for item in items):
            return items
    return []


def below(document: Document, label: Label) -> list[Item]:
    """Return the list that stands right below a label, or a blank line apart, none when something else does."""
    if label.items or label.value_start < label.value_end or label.item or label.style == "row":
        return label.items
    blocks = document.blocks(label.start, len(document.data))
    following = next((block for block in blocks if block[1] >= label.end), None)
    if following is None or following[0] != "list" or document.data[label.end : following[1]].strip():
        return []
    return outermost(document, *following[1:])


def _labelled(document: Document, item: Item) -> bool:
    """Whether a list item is a label."""
    return any(label.style == "bold" and label.item for label in document.labels(item.start, item.text_end))


def add(record: Record, items: list[Item], wanted: list[str], known: list[Item]) -> Edit | None:
    """Add the items that no known one says yet after the last of the list; placeholders give way to the first."""
    document = record.document
    new = new_items(wanted, [record.item(item) for item in known])
    if not new:
        return None
    said = "; ".join(new)
    inner = document.items(items[0].start, items[-1].end)
    if unfilled(record, inner, items[-1].end):
        old = "; ".join(record.item(item) for item in inner)
        lines = layout.items_like(document, items[:1], new, first=True)
        return Edit(layout.replaced(document, items[0].start, items[-1].end, lines), old, said)
    at = layout.last_line(document, items[-1].start, items[-1].end)
    return Edit(layout.after(document, at, layout.items_like(document, items, new)), "", said)


def unfilled(record: Record, items: list[Item], end: int) -> bool:
    """Whether a list up to `end`, with all that stands in it, is nothing but placeholders."""
    return _bare(record.document, items, end) and all(record.vacant(record.item(item)) for item in items)


def _bare(document: Document, items: list[Item], end: int) -> bool:
    """Whether nothing but their first texts stands in items that reach up to `end`."""
    said = [max(item.text_end, document.line_end(item.text_start)) for item in items]
    rests = map(slice, said, [*(item.start for item in items[1:]), end])
    return not any(document.data[rest].strip() for rest in rests)


def begin(record: Record, section: Section, wanted: list[str], *, checks: bool) -> Edit | None:
    """Begin a list in a section that has none, in the place of a placeholder or after what stands there."""
    document, end = record.document, record.own_end(section)
    spans = document.paragraphs(section.body, end)
    new = new_items(wanted, [document.text(*span) for span in spans])
    if not new:
        return None
    lines = [item(text, checks=checks) for text in new]
    unfilled = [span for span in spans if record.vacant(document.text(*span))]
    if unfilled and len(unfilled) == len(spans):
        old = " ".join(document.text(*unfilled[0]).split())
        return Edit(layout.replaced(document, *unfilled[0], lines), old, "; ".join(new))
    at = layout.content_end(document, section, end)
    return Edit(layout.spaced(document, at, lines), "", "; ".join(new))
