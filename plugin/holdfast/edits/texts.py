"""The text of a section set, and entries added to a log."""

from holdfast.dialects.dialect import Part
from holdfast.edits import layout, lists
from holdfast.edits.pieces import Edit, entry
from holdfast.markdown.document import Section
from holdfast.states.record import Record


def text(record: Record, section: Section, wanted: str) -> Edit | None:
    """Set the text of a section: the paragraphs that it begins with; what comes after them stays."""
    document, end = record.document, record.own_end(section)
    new = [line.rstrip() for line in wanted.splitlines()]
    if record.body(section).split()[: len(wanted.split())] == wanted.split():
        return None
    run: list[tuple[int, int]] = []
    at = section.body
    for kind, start, stop in document.blocks(section.body, end):
        said = kind == "paragraph" and not document.labels(start, stop)
        if said or (kind == "html" and record.unfilled(document.text(start, stop))):
            run.append((start, stop))
        elif kind != "comment" or run:
            break
        else:
            at = layout.last_line(document, start, stop)
    if run:
        old = " ".join(document.text(run[0][0], run[-1][1]).split())
        return Edit(layout.replaced(document, run[0][0], run[-1][1], new), old, wanted)
    return Edit(layout.spaced(document, at, new), "", wanted)


def log(record: Record, section: Section, part: Part, wanted: list[str], minute: str) -> Edit | None:
    """Add an entry to a log, where its newest stands."""
    document, end = record.document, section.end
    said = " ".join(record.body(section).split())
    new = [text for text in wanted if " ".join(text.split()) not in said]
    if not new:
        return None
    entries = [entry(part, text, minute) for text in new]
    headings = sum(entry.startswith("#") for entry in entries)
    lines = "\n\n".join(entries).splitlines()
    items = lists.first(record, section)
    told = "; ".join(new)
    if items and len(lines) == len(entries):
        at = layout.last_line(document, items[-1].start, items[-1].end)
        return Edit(layout.after(document, at, layout.items_like(document, items, lines)), "", told)
    at = section.body if part.newest == "first" else layout.content_end(document, section, end)
    return Edit(layout.spaced(document, at, lines), "", told, headings=headings)
