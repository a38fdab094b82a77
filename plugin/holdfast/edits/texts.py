"""The text of a section set."""

from holdfast.edits import layout
from holdfast.edits.pieces import Edit
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
