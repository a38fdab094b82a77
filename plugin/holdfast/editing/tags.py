"""Tags on one line: `#build #exporter`, to which further ones are added in their place."""

import re

from holdfast.editing import layout
from holdfast.editing.pieces import Edit
from holdfast.formats.record import Record
from holdfast.markdown.document import Section

_TAG = re.compile(r"#[^\s#,;]+")


def line(requested: list[str], known: list[str]) -> str:
    """Return the requested tags that are not known yet, each once, on one line, such as "#build #exporter"."""
    tags = ["#" + "-".join(part.split()) for text in requested for part in re.split(r"[#,;]", text) if part.strip()]
    present = {tag.casefold() for tag in known}
    first = {tag.casefold(): tag for tag in reversed(tags)}  # of two that differ in case the first one counts
    return " ".join(first[name] for name in dict.fromkeys(map(str.casefold, tags)) if name not in present)


def edit(record: Record, section: Section, requested: list[str]) -> Edit | None:
    """Return the edit that adds tags to the last paragraph of a section, or begins their line; None for no new tag."""
    document, end = record.document, record.own_end(section)
    spans = document.paragraphs(section.body, end)
    new = line(requested, _TAG.findall(document.text(section.body, end)))
    if not new:
        return None
    start, stop = spans[-1] if spans else (0, 0)
    there = document.text(start, stop)
    if not spans:
        return Edit(layout.spaced(document, layout.content_end(document, section, end), [new]), "", new)
    if record.vacant(there):
        return Edit(layout.replaced(document, start, stop, [new]), " ".join(there.split()), new)
    at = start + len(there.rstrip().encode())
    return Edit((at, at, f" {new}".encode()), "", new)
