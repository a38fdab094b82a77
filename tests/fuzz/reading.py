"""What people write, as it is read: frontmatter, Markdown, state files of every shape, hand-overs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.context.handover import document as handed
from holdfast.context.handover.content import HandoverContent
from holdfast.core import files
from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import dumps
from holdfast.formats import listing
from holdfast.formats.audit.audit import KINDS, audit
from holdfast.formats.catalogue import known
from holdfast.formats.record import Record
from holdfast.formats.state_file import StateFile, summary
from holdfast.markdown import metadata, metadata_edit
from holdfast.markdown.document import TAGGED, Document, splices
from holdfast.memory.view import View, seen
from holdfast.sessions.session import Session
from tests.fuzz import words
from tests.fuzz.facts import ROOT
from tests.fuzz.target import Target

if TYPE_CHECKING:
    from holdfast.markdown.document import Section

FORMATS = known("", Cache(""))
PATHS = (
    *(".agents/sessions/x.md", ".genie/SESSION-STATE.md", ".planning/STATE.md", ".continue-here.md"),
    *("memory-bank/activeContext.md", "thoughts/ledgers/CONTINUITY_CLAUDE-x.md", "HANDOFF.md"),
)
_FRONT = (
    b"status: in_progress\nsession:\n  status: 'paused'  # note\n  list: [a, \"b\"]\n",
    b"a: &x\n  b: 1\nc: *x\ntext: |\n  one\n\n  two\nmore: >-\n  three\nempty:\n",
    b'title: "Caf\\u00e9 \\" x"\nitems:\n- a\n- b: c\n? odd\n: key\nlast: {a: b, c: [d]}\n',
)


def the_frontmatter(data: bytes) -> None:
    """Check that frontmatter says texts, lists and groups, or why not; that what is set is read back, alone."""
    document = Document(b"---\n" + data + b"\n---\n# T\n")
    found = metadata.read(document)
    assert bool(found.problem) == bool(found.line)
    _texts(found.values)
    for path, stated in found.leaves()[:20]:
        span = found.span(path)
        assert span is None or 0 < span[0] <= span[1] < len(document.data)
        found.text(path)
        found.has(path)
        for value in (stated, "new: # value"):
            _set(document, path, value)
    _set(document, "session.of.its.own", "x")


def _texts(value: object) -> None:
    """Check that a value is made of texts."""
    left = [value]
    for _ in range(20_000):
        if not left:
            return
        inner = left.pop()
        assert isinstance(inner, (str, list, dict))
        left += inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list) else []


def _set(document: Document, path: str, value: str) -> None:
    """Check that a value which can be set is read back, and that setting it again changes nothing."""
    try:
        change = metadata_edit.edit(document, path, value)
    except HoldfastError as error:
        assert str(error).startswith("line ")
        return
    if change:
        after = Document(splices(document.data, [change]))
        assert after.data[after.body :] == document.data[document.body :]
        assert metadata_edit.edit(after, path, value) is None


def a_document(data: bytes) -> None:
    """Check that offsets lie in the file and in order, its parts are the file, and a part is read as the whole is."""
    document = Document(data)
    size = len(data)
    assert splices(data, []) == data
    assert 0 <= document.body <= size
    _nested(document.sections, size)
    cuts = [0, *(section.start for section in document.sections), size]
    assert b"".join(data[start:end] for start, end in pairwise(cuts)) == data
    for spans in (
        [(at, end) for _, at, end in document.blocks(0, size)],
        [(row.start, row.end) for row in document.rows(0, size)],
        document.comments,
    ):
        assert all(0 <= at <= end <= size for at, end in spans)
        assert spans == sorted(spans)
    for item in document.items(0, size):
        assert 0 <= item.start <= item.text_start <= item.text_end <= size
        assert item.start <= item.end <= size
    for row in document.rows(0, size):
        assert all(row.start <= at <= end <= row.end for at, end in row.cells)
    assert all(0 <= at <= size and what for at, what in document.flaws)
    mark = 3 if data.startswith(b"\xef\xbb\xbf") else 0  # of the bytes' order, which is in no line
    for each in (0, size // 3, size):
        assert document.line_start(each) <= max(each, mark) <= max(document.line_end(each), size)
        assert document.line(each) >= 1
    _labels(document)


def _nested(sections: list[Section], size: int) -> None:
    """Check that of two sections each lies within the other, or beside it."""
    around: list[Section] = []
    for section in sections:
        assert 0 <= section.start < section.body <= section.end <= size
        while around and around[-1].end <= section.start:
            around.pop()
        assert not around or section.end <= around[-1].end
        assert section.level == TAGGED or 1 <= section.level <= 6
        around.append(section)


def _labels(document: Document) -> None:
    """Check that labels lie in the file, and are the same wherever the file is read from."""
    size = len(document.data)
    third = size // 3
    part = [(label.name, label.start, label.value_start) for label in document.labels(third, third + size // 9)]
    every = document.labels(0, size + 1)
    for label in every:
        assert 0 <= label.start <= label.end <= size
        assert 0 <= label.value_start <= label.value_end <= size
        assert label.name
    whole = [(label.name, label.start, label.value_start) for label in document.labels(third, third + size // 9)]
    assert part == whole


def a_state_file(data: bytes) -> None:
    """Check that listing, briefing, audit and working memory read any file through each dialect."""
    for path in PATHS:
        state = StateFile(data, path, FORMATS)
        dumps(summary(state))
    for file_format in FORMATS:
        record = Record(state.record.outline, file_format)
        for word in file_format.model:
            [listing.entries(record, spot) for spot in record.spots(word)]
            [record.text(spot) for spot in record.spots(word)]
        for entry in record.entries_of_hub():
            entry.ident()
    View(seen(state, FORMATS))
    dumps(state.outline(""))
    path = str(ROOT / "x.md")
    (ROOT / "x.md").write_bytes(data)
    report = audit(path, FORMATS, 1.7e9, 24)
    assert all(found.kind in KINDS and found.line >= 0 for found in report.findings)


def a_hand_over(data: bytes) -> None:
    """Check that a file is a hand-over or is none, and that what it says can be handed over."""
    path = ROOT / ".continue-here.md"
    path.write_bytes(data)
    found = handed.read(str(path), str(ROOT), FORMATS)
    if found:
        found.work()
        assert not found.is_of("/elsewhere/x.md", "")
    assert files.read(str(path)) == data
    state = StateFile(data, ".agents/sessions/x.md", FORMATS)
    content = HandoverContent(summary(state), Session("one"), ".agents/sessions/x.md")
    content.view = View(seen(state, FORMATS))
    path.write_bytes(handed.compose(content, "2026-01-17T16:00:00Z", FORMATS))
    again = handed.read(str(path), str(ROOT), FORMATS)
    assert again
    assert again.state == ".agents/sessions/x.md"
    assert StateFile(again.data, again.path, FORMATS).broken() == []


TARGETS = [
    Target("frontmatter", the_frontmatter, lambda: [*_FRONT], (*words.YAML, *words.ODD, *words.VALUE, words.MANY), 200),
    Target("markdown", a_document, words.files, (*words.MARKDOWN, *words.YAML, *words.ODD), 350),
    Target(
        "state", a_state_file, words.files, (*words.MARKDOWN, *words.YAML, *words.TIMES, *words.ODD, words.MANY), 120
    ),
    Target("hand-over", a_hand_over, words.files, (*words.MARKDOWN, *words.YAML, *words.VALUE, *words.ODD), 120),
]
