"""Twice as much of the same takes about twice as much work, counted in lines of Python; some cases only must end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.formats import names, placeholders
from holdfast.hub import links, update_context
from holdfast.hub.document import Hub
from holdfast.hub.transaction import Transaction
from holdfast.markdown import yamltree
from holdfast.markdown.document import Document
from holdfast.sharing import ignored
from holdfast.sharing.ignore_patterns import Patterns
from tests.support.facts import fold
from tests.support.hubs import FORMAT, HEAD
from tests.support.work import lines

if TYPE_CHECKING:
    from collections.abc import Callable

_LINEAR = 2.5  # times the work for twice as much; 4 are quadratic
_NOW = 1_768_665_600.0
_LONG = 300_000  # characters: were a step taken for each pair of them, no test would see its end


def _entry(number: int, level: int) -> str:
    return f"{'#' * level} Git - Work\n**Session ID:** `id-{number}-x`\n**Status:** active\n\n"


def _hub(count: int, level: int) -> Hub:
    assert FORMAT
    return Hub((HEAD + "".join(_entry(number, level) for number in range(count))).encode(), FORMAT)


def _entries(count: int) -> None:
    """Read entries each of which is a chapter of its own, among which those that hold entries are looked for."""
    assert len(list(_hub(count, 2).entries())) == count


def _moved(count: int) -> None:
    """Move all entries to the history, as a session does that is completed with its children."""
    hub = _hub(count, 3)
    transaction = Transaction(hub, _NOW)
    for found in hub.entries():
        transaction.put(found.entry.ident, found.entry, history=True)
    assert transaction.done().count(b"Session ID") == count


def _cut(count: int) -> None:
    """Read nested items each of which has a label right under it."""
    assert len(Document(b"- a\n" + b"  - b\n**x:** y\n" * count).labels(0, 1 << 30)) == count


def _settled(count: int) -> None:
    """Fold a journal in which each task is followed by a settle that had read none of it."""
    facts: list[dict[str, object]] = [
        {"at": at, "kind": kind, "id": str(at), "facts": 0} for at in range(count) for kind in ("task", "settled")
    ]
    assert len(fold("one", facts).news) == count


@pytest.mark.parametrize(("act", "count"), [(_entries, 200), (_moved, 40), (_cut, 200), (_settled, 200)])
def test_twice_as_much_is_twice_the_work(act: Callable[[int], None], count: int) -> None:
    """What is done for each of many things does not depend on how many there are."""
    act(1)  # what is imported and remembered the first time
    few, many = lines(lambda: act(count)), lines(lambda: act(2 * count))
    assert many < _LINEAR * few


hidden = ignored.hider(Patterns(["secret/", "*.key", "/a/**/b/**/c", "z*a*b*c*d"]), "/x", [])
READERS: list[tuple[Callable[[str], object], str, str]] = [
    (names.plain, "-", "a"),
    (names.plain, "(a)", ""),
    (names.plain, "()", "a"),
    (names.forms, " ", "/b"),
    (placeholders.is_blank, "<!--", "a"),
    (links.read, "a", ""),
    (links.read, "1", "!"),
    (update_context._parted, "a,", ""),  # noqa: SLF001 - what a context holds is cut before
    (yamltree.written, "1", "x"),
    *((hidden, piece, "…") for piece in ("a…", ".…", "a/", "../", "a\\n.", "a.#", "&#47;", "%25", "\\303", "\\u0041")),
]


@pytest.mark.parametrize(
    ("read", "piece", "end"), READERS, ids=[f"{read.__name__} {piece}" for read, piece, _ in READERS]
)
def test_one_thing_over_and_over_is_read(read: Callable[[str], object], piece: str, end: str) -> None:
    """A line as long as a file is read; it may well be one that nobody wrote by hand."""
    for start in ("", "a"):
        read(start + piece * (_LONG // len(piece)) + end)


def test_frontmatter_that_is_followed_by_blank_lines_is_read() -> None:
    """Blank lines under what looks like a heading are looked at once."""
    data = b"---\na: b\n\n# T\n" + b"\n" * 100_000 + b"key: x\n---\n"
    assert Document(data).frontmatter
