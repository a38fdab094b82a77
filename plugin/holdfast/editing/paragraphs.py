"""The text of a section."""

from holdfast.editing import layout
from holdfast.editing.pieces import Edit
from holdfast.formats.record import Record
from holdfast.markdown.document import Section


def text(record: Record, section: Section, requested: str) -> Edit | None:
    """Return the edit that replaces the paragraphs a section begins with; what comes after them stays."""
    document, end = record.document, record.own_end(section)
    new = [line.rstrip() for line in requested.splitlines()]
    if record.body(section).split()[: len(requested.split())] == requested.split():
        return None
    run: list[tuple[int, int]] = []
    at = section.body
    for kind, start, stop in document.blocks(section.body, end):
        plain = kind == "paragraph" and not document.labels(start, stop)
        if plain or (kind == "html" and record.unfilled(document.text(start, stop))):
            run.append((start, stop))
        elif kind != "comment" or run:
            break
        else:
            at = layout.last_line(document, start, stop)
    if run:
        old = " ".join(document.text(run[0][0], run[-1][1]).split())
        return Edit(layout.replaced(document, run[0][0], run[-1][1], new), old, requested)
    return Edit(layout.spaced(document, at, new), "", requested)
