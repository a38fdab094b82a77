"""Twice as much of the same takes about twice as much work, counted in lines of Python; some cases only must end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.formats import names
from holdfast.hub import changes, entry_values, tree
from holdfast.hub.document import Hub
from holdfast.hub.entry_values import links_in
from holdfast.hub.transaction import Transaction
from holdfast.hub.validation import Validation, row
from holdfast.markdown import yamltree
from holdfast.markdown.document import Document
from holdfast.sharing import ignored
from holdfast.sharing.ignored import Patterns
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
    assert len(fold("one", facts).settling.news) == count


def _family(count: int, shape: str) -> Hub:
    """Return a hub whose entries name each other in one way."""
    assert FORMAT
    heading, one, first = SHAPES[shape]
    written = [_entry(number, 3).rstrip() for number in range(count)]
    for number, text in enumerate(written):
        words = {"next": number + 1, "around": (number + 1) % count, "own": number}
        title = f"### W{number}{heading.format(**words)}\n"
        written[number] = title + text.partition("\n")[2] + one.format(**words) + "\n\n"
    written[0] = written[0].rstrip() + first.format(children=", ".join(f"`id-{number}-x`" for number in range(count)))
    return Hub((HEAD + "".join(text.rstrip() + "\n\n" for text in written)).encode(), FORMAT)


# How entries name each other: the end of each heading, the last field of each entry, the last field of the first entry.
SHAPES = {
    "chain": ("", "\n**Parent:** `id-{next}-x`", ""),
    "cycle": ("", "\n**Parent:** `id-{around}-x`", ""),
    "cycle of shortened ids": ("", "\n**Parent:** `id-{around}-...`", ""),
    "orphans": ("", "\n**Parent:** `gone-{own}`", ""),
    "shortened orphans": ("", "\n**Parent:** `gone-{own}...`", ""),
    "missing children": ("", "\n**Children:** `gone-{own}`", ""),
    "family": ("", "\n**Parent:** `id-0-x`", "\n**Children:** {children}"),
    "chain by name": (" (child of W{next})", "", ""),
    "cycle by name": (" (child of W{around})", "", ""),
}


def _checked(shape: str, count: int) -> None:
    """Check a hub as `validate` does."""
    assert row(Validation(_family(count, shape), "", []), "")["entries"] == count


def _drawn(shape: str, count: int) -> None:
    """Draw the tree of a hub as `tree` does."""
    found = tree.tree(tree.members([], _family(count, shape)), everything=True)
    assert len(tree.drawn(found)) == count


@pytest.mark.parametrize("act", [_checked, _drawn])
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_as_many_relatives_are_twice_the_work(act: Callable[[str, int], None], shape: str) -> None:
    """Whose child an entry is takes as long to find in a long line of descent as in a short one."""
    act(shape, 2)
    few, many = lines(lambda: act(shape, 60)), lines(lambda: act(shape, 120))
    assert many < _LINEAR * few


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["chain", "cycle"])
def test_a_long_line_of_descent_is_read(shape: str) -> None:
    """Thousands of generations are no error, and what is shown of them has an end."""
    hub = _family(3_000, shape)
    flaws = Validation(hub, "", []).flaws
    assert len(flaws) >= 3_000
    assert max(len(flaw.what) for flaw in flaws) < 400
    found = tree.tree(tree.members([], hub), everything=True)
    assert len(found) == 3_000
    assert max(len(branches) for branches, _, _ in tree.drawn(found)) < 400


@pytest.mark.slow
@pytest.mark.parametrize(("act", "status"), [(changes.complete, b"completed"), (changes.resume, b"active")])
def test_a_long_line_of_descent_is_completed_and_resumed(
    act: Callable[[Transaction, str], None], status: bytes
) -> None:
    """Who completes the first of a thousand generations completes all, however deep a call of a function may go."""
    hub = _family(1_000, "chain")
    paused = Hub(hub.data.replace(b"active\n", b"paused\n"), hub.file_format)
    transaction = Transaction(paused, _NOW)
    act(transaction, "id-999-x")
    assert transaction.done().count(b"**Status:** " + status) >= 999


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
    (names.is_blank, "<!--", "a"),
    (links_in, "a", ""),
    (links_in, "1", "!"),
    (entry_values._parted, "a,", ""),  # noqa: SLF001 - what a context holds is cut before
    (yamltree.written, "1", "x"),
    *((hidden, piece, "…") for piece in ("a…", ".…", "a/", "../", "a\\n.", "a.#", "&#47;", "%25", "\\303", "\\u0041")),
]


@pytest.mark.slow
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
