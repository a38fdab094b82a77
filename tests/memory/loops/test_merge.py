"""The merge of two LOOPS.md: loops of both sides, and one id that both gave to a question of their own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from holdfast.actions import merge_file
from holdfast.actions.merge_file import Renumbered
from holdfast.core.errors import HoldfastError
from holdfast.markdown.document import Document
from holdfast.memory.loops import book
from holdfast.memory.loops.book import parse
from tests.support import merges

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.merges import Case

HEAD = "# Loops\n\n## Open\n"


def _loop(number: int, title: str, captured: str = "2026-01-20T10:00:00Z", status: str = "open", more: str = "") -> str:
    return (
        f'\n<loop id="LOOP-{number:03d}" status="{status}">\n  <title>{title}</title>\n'
        f"  <captured>{captured}</captured>\n{more}</loop>\n"
    )


OUTCOME = "  <outcome>\n    <result>It is.</result>\n  </outcome>\n"
EXPLORING = "  <exploring>\n    <approach>Look.</approach>\n  </exploring>\n"
FIRST = _loop(1, "Which sources?")
BASE = HEAD + FIRST
CLOSED = "\n## Closed\n"


def _merged(*texts: str) -> tuple[str, bool, Renumbered]:
    versions = texts[0].encode(), texts[1].encode(), texts[2].encode()
    changed = merge_file.renumbered(versions)
    ours = merge_file.renamed(versions[0], merge_file.aliased(versions[1], changed.ours), changed.ours)
    theirs = merge_file.renamed(versions[0], merge_file.aliased(versions[2], changed.theirs), changed.theirs)
    data, clean = merge_file.merged_loops((versions[0], ours, theirs), 7)
    return data.decode(), clean, changed


CASES = {
    "other loops": (
        BASE,
        BASE + _loop(2, "Ours?"),
        BASE + _loop(3, "Theirs?"),
        BASE + _loop(2, "Ours?") + _loop(3, "Theirs?"),
    ),
    "the first loops": (
        "# Loops\n",
        "# Loops\n" + _loop(1, "Ours?"),
        "# Loops\n" + _loop(2, "Theirs?"),
        "# Loops\n" + _loop(1, "Ours?") + _loop(2, "Theirs?"),
    ),
    "one loop closed and the other one added": (
        BASE,
        HEAD + _loop(1, "Which sources?", status="closed", more=OUTCOME),
        BASE + _loop(2, "Theirs?"),
        HEAD + _loop(1, "Which sources?", status="closed", more=OUTCOME) + _loop(2, "Theirs?"),
    ),
    "a loop explored and closed": (
        BASE,
        HEAD + _loop(1, "Which sources?", status="clarifying", more=EXPLORING),
        HEAD + _loop(1, "Which sources?", status="closed", more=OUTCOME),
        HEAD + _loop(1, "Which sources?", status="closed", more=EXPLORING + OUTCOME),
    ),
    "a loop moved to another section and changed": (
        BASE + CLOSED,
        HEAD + CLOSED + _loop(1, "Which sources?", status="closed", more=OUTCOME),
        HEAD + _loop(1, "Which two sources?") + CLOSED,
        HEAD + CLOSED + _loop(1, "Which two sources?", status="closed", more=OUTCOME),
    ),
    "one loop on both sides": (
        BASE,
        BASE + _loop(2, "Both?"),
        BASE + _loop(2, "Both?", status="closed", more=OUTCOME),
        BASE + _loop(2, "Both?", status="closed", more=OUTCOME),
    ),
}


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "wanted"), [pytest.param(*case, id=name) for name, case in CASES.items()]
)
def test_loops_come_together(base: str, ours: str, theirs: str, wanted: str) -> None:
    """Each side's loops and what they say are in the result, each loop once and under its id."""
    assert _merged(base, ours, theirs) == (wanted, True, Renumbered({}, {}))
    assert _merged(base, theirs, ours)[1]


def test_two_questions_with_one_id_get_two() -> None:
    """The one captured later gets the next id above all, also where its side speaks of it, from whichever side."""
    early = _loop(2, "Early?", "2026-01-21T10:00:00Z") + "\nLOOP-002 is about LOOP-001.\n"
    late = _loop(2, "Late?", "2026-01-22T10:00:00Z") + _loop(4, "As LOOP-002?") + "\nSee loop-2 and LOOP-002.\n"
    for ours, theirs, changed in (
        (early, late, Renumbered({}, {"LOOP-002": "LOOP-005"})),
        (late, early, Renumbered({"LOOP-002": "LOOP-005"}, {})),
    ):
        text, clean, done = _merged(BASE, BASE + ours, BASE + theirs)
        assert (done, [done.lines()[0].split()[0]]) == (changed, ["LOOP-002"])
        assert text.count('<loop id="LOOP-002"') == text.count('<loop id="LOOP-005"') == 1
        assert '<loop id="LOOP-005" status="open" alias="LOOP-002">\n  <title>Late?' in text
        assert "As LOOP-005?" in text
        assert "See loop-2 and LOOP-005." not in text
        assert "See LOOP-005 and LOOP-005." in text
        assert "LOOP-002 is about LOOP-001." in text
        assert not clean or "<<<" not in text


def test_an_old_id_is_kept_as_an_alias_and_found() -> None:
    """A loop that was renamed twice keeps both ids; one that no loop has any more finds it."""
    twice = _loop(2, "Mine?", "2026-01-23T10:00:00Z").replace('"open"', '"open" alias="LOOP-009 LOOP-002"')
    text, clean, _ = _merged(BASE, BASE + _loop(2, "Early?", "2026-01-21T10:00:00Z"), BASE + twice)
    loops = parse(Document(text.encode()))[0]
    found = {one: book.one_of(loops, one, "LOOPS.md").title for one in ("2", "LOOP-009", "10")}
    assert (clean, found) == (True, {"2": "Early?", "LOOP-009": "Mine?", "10": "Mine?"})
    assert [loop.title for loop in book.formerly(loops, "LOOP-002")] == ["Mine?"]
    with pytest.raises(HoldfastError, match="has no LOOP-011"):
        book.one_of(loops, "11", "LOOPS.md")
    loops[1].aliases = ["LOOP-009"]
    with pytest.raises(HoldfastError, match="LOOP-009 is LOOP-002 and LOOP-010 since merges"):
        book.one_of(loops, "9", "LOOPS.md")


def test_an_alias_is_added_to_earlier_ones() -> None:
    """The id that a merge takes away comes after those that other merges took."""
    once = _loop(2, "Mine?", "2026-01-23T10:00:00Z").replace('"open"', '"open" alias="LOOP-009"')
    text, clean, _ = _merged(BASE, BASE + _loop(2, "Early?", "2026-01-21T10:00:00Z"), BASE + once)
    assert clean
    assert 'id="LOOP-010" status="open" alias="LOOP-009 LOOP-002"' in text


def test_ids_given_before_are_not_given_again() -> None:
    """The next id is above the last one that was ever given here, too."""
    texts = BASE.encode(), (BASE + _loop(2, "A?")).encode(), (BASE + _loop(2, "B?", "2026-01-21")).encode()
    assert merge_file.renumbered(texts, 40).theirs | merge_file.renumbered(texts, 40).ours == {"LOOP-002": "LOOP-041"}


BOOKS = [(BASE + _loop(2, "Ours?", more=EXPLORING) + CLOSED + _loop(3, "Old?", status="closed", more=OUTCOME)).encode()]


@pytest.mark.parametrize("check", merges.CHECKS)
@given(case=merges.cases(BOOKS))
def test_any_edits(check: Callable[[Case, merges.Merge], None], case: Case) -> None:
    """Whatever both sides do to LOOPS.md, nothing is lost, nothing comes back, and neither side counts more."""
    check(case, partial(merge_file.merged_loops, marker=7))
