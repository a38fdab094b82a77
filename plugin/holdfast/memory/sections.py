"""The six sections begun in a state file that does not have them, as new files of their own format have them."""

from holdfast.dialects.catalog import Dialects
from holdfast.dialects.dialect import Dialect
from holdfast.edits import layout, order
from holdfast.edits.seen import Closed, Seen
from holdfast.errors import HoldfastError
from holdfast.markdown.document import Document, splice
from holdfast.memory.view import DIALECT, SECTIONS, UPDATES, View, seen
from holdfast.states import template
from holdfast.states.statefile import StateFile
from holdfast.states.template import Work


def begun(data: bytes, path: str, dialects: Dialects, titles: "frozenset[str]", work: Work) -> bytes:
    """Return a state file of a piece of work with those sections begun that it lacks; HoldfastError where it cannot."""
    for title in SECTIONS:
        state = StateFile(data, path, dialects)
        if title in titles and not seen(state, dialects).sections(title):
            data = _begun(state, dialects, title, work)
    return data


def _begun(state: StateFile, dialects: Dialects, title: str, work: Work) -> bytes:
    """Return the file with one more section."""
    dialect = dialects.named(DIALECT)
    own = state.dialect is not None and state.dialect.name == DIALECT
    record = Closed(state.record, dialect) if own else Seen(state.record, dialect)
    part = record.dialect.part(title)
    lines = _lines(record.dialect, title, work)
    if part is None:
        raise HoldfastError(f"the dialect {DIALECT} has no section {title}")
    at, _, closed = order.place(record, part)
    headed = ["#" * order.level(record, part) + f" {title}", "", *lines, *(["", "---"] if closed else [])]
    data = splice(state.document.data, *layout.spaced(state.document, at, headed))
    after = StateFile(data, state.path, dialects)
    before = [section.title for section in state.document.sections]
    kept = [section.title for section in after.document.sections]
    if title in kept:
        kept.remove(title)
    if kept != before or title not in View(seen(after, dialects)).there:
        line = state.document.line(at)
        raise HoldfastError(f"{state.path}, line {line}: a section {title} cannot stand there. Put it in by hand.")
    return data


def _lines(dialect: Dialect, title: str, work: Work) -> list[str]:
    """Return the lines of a section as a new file has them."""
    if title == UPDATES:
        return []
    made = Document(template.compose(dialect, work))
    return (made.section(title) or "").splitlines()
