"""Add the six sections to a state file that lacks them, with the text of a new file of their format."""

from holdfast.core.errors import HoldfastError
from holdfast.editing import layout, order
from holdfast.editing.overlay import Closed, Overlay
from holdfast.formats import template
from holdfast.formats.catalogue import Formats
from holdfast.formats.format import Format
from holdfast.formats.state_file import StateFile, parse, summary
from holdfast.formats.template import Work
from holdfast.markdown.document import Document, splice
from holdfast.memory.view import FORMAT, SECTIONS, UPDATES, View, seen
from holdfast.trust import safe


def with_sections(data: bytes, path: str, formats: Formats, titles: "frozenset[str]", work: Work) -> bytes:
    """Return a state file with those of the sections `titles` added that it lacks; HoldfastError when one cannot be."""
    for title in SECTIONS:
        state = parse(data, path, formats)
        if title in titles and not seen(state, formats).sections(title):
            data = _with_section(state, formats, title, work)
    return data


def _with_section(state: StateFile, formats: Formats, title: str, work: Work) -> bytes:
    """Return the file with one more section; HoldfastError when it would not read back the same."""
    file_format = formats.named(FORMAT)
    own = state.file_format is not None and state.file_format.name == FORMAT
    record = Closed(state.record, file_format) if own else Overlay(state.record, file_format)
    part = record.file_format.part(title)
    lines = _with_known(_lines(record.file_format, title, work), state)
    if part is None:
        raise HoldfastError(f"the format {FORMAT} has no section {title}")
    at, _, closed = order.place(record, part)
    headed = ["#" * order.level(record, part) + f" {title}", "", *lines, *(["", "---"] if closed else [])]
    data = splice(state.document.data, *layout.spaced(state.document, at, headed))
    after = parse(data, state.path, formats)
    before = [section.title for section in state.document.sections]
    kept = [section.title for section in after.document.sections]
    if title in kept:
        kept.remove(title)
    if kept != before or title not in View(seen(after, formats)).there:
        line = state.document.line(at)
        raise HoldfastError(f"{state.path}, line {line}: a section {title} cannot be there. Put it in by hand.")
    return data


def _with_known(lines: list[str], state: StateFile) -> list[str]:
    """Return the lines of a section with the phase and the focus that other parts of the file name."""
    known = summary(state)
    words = (("Phase", known["phase"]), ("Focus", known["focus"]))
    texts = {f"**{label}:** ": safe.line(word, 300) for label, word in words}
    return [
        next((start + text for start, text in texts.items() if text and line.startswith(start + "[")), line)
        for line in lines
    ]


def _lines(file_format: Format, title: str, work: Work) -> list[str]:
    """Return the lines of a section as a new file has them."""
    if title == UPDATES:
        return []
    made = Document(template.compose(file_format, work))
    return (made.section(title) or "").splitlines()
