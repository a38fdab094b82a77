"""Any edits of both sides: nothing is lost, nothing comes back, and a conflict is one from either side."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given

from holdfast.editing.merge.document import merged
from tests.hazards import HAZARDS, Hazard, shapes
from tests.support import merges
from tests.support.merges import Case, lines_of

SHAPES = {
    "agents": shapes.AGENTS,
    "flat": shapes.FLAT,
    "n5": shapes.N5,
    "gsd-lite": shapes.GSD_LITE,
    "gsd": shapes.GSD,
    "genie": shapes.GENIE,
    "continuity": shapes.CONTINUITY,
    "memory": shapes.MEMORY,
}
LOG = """\
# Work

## Next

- [ ] First thing
- [x] Second thing
  - [ ] part of the second
- [ ] Third thing

## Recent Updates

*[2026-01-21 14:30]*
- Wrote the parser
- Read the source

*[2026-01-21 13:00]*
- Began

## Files

| File | What |
|------|------|
| a.py | the parser |
| b.py | the reader |

## Journal

[2026-01-20 10:00] note(all): began
[2026-01-20 11:00] note(all): went on
"""
TEXTS = [*(text.encode() for _, text in SHAPES.values()), LOG.encode()]
CASES = merges.cases(TEXTS)


@given(case=CASES)
def test_no_line_of_either_side_is_lost(case: Case) -> None:
    """Each line that a side adds is in the result, or its words are, where both sides changed one line in two ways."""
    merges.check_nothing_is_lost(case, merged)


@given(case=CASES)
def test_no_line_comes_back(case: Case) -> None:
    """A line that one side deletes and the other leaves alone is not in the result."""
    merges.check_nothing_comes_back(case, merged)


@given(case=CASES)
def test_the_sides_are_equal(case: Case) -> None:
    """A merge conflicts from one side if it conflicts from the other; markers tell of a conflict."""
    merges.check_the_sides_are_equal(case, merged)


@given(case=CASES)
def test_an_unchanged_side_gives_the_other(case: Case) -> None:
    """Where one side is as the base, or both are equal, the result is the other side, byte for byte."""
    merges.check_an_unchanged_side_gives_the_other(case, merged)


# Each merge starts git; the quick tests take every eighth file.
@pytest.mark.parametrize(
    "hazard",
    [pytest.param(each, id=each.id, marks=[pytest.mark.slow] if at % 8 else []) for at, each in enumerate(HAZARDS)],
)
def test_odd_files(hazard: Hazard) -> None:
    """In every odd file a line in the middle and one at the end merge, and all other lines stay as they are."""
    base = hazard.before.replace(b"\0", b"")  # which git takes for a file that is no text
    lines = base.splitlines(keepends=True)
    middle = len(lines) // 2
    theirs = b"".join([*lines[:middle], b"- theirs0\n", *lines[middle:]])
    ours = base + b"\nours0\n"
    data, clean = merged((base, ours, theirs))
    assert not Counter(lines_of(base)) - Counter(lines_of(data))
    assert b"theirs0" in data
    assert b"ours0" in data
    assert clean == merged((base, theirs, ours))[1]
