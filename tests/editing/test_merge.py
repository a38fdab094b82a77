"""Any edits of both sides: nothing is lost, nothing comes back, and a conflict is one from either side."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from holdfast.editing import merge
from holdfast.git import merge as git_merge
from tests.hazards import HAZARDS, Hazard, shapes
from tests.support import merges, work
from tests.support.merges import Case, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable

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


def merged(texts: merges.Texts) -> tuple[bytes, bool]:
    """Return the merge of a state file as `merge_file` makes it."""
    return merge.merged(merge.with_agreed_keys(texts), 7, merge.STATE_FILE)


FRONT = b"---\ntitle: %b\nlast_updated: 2026-01-%d 10:00 UTC\n---\n\n# Work\n\n%b\n"


def test_the_later_time_counts() -> None:
    """In the frontmatter, beside a change of the line next to it; another line that both changed is in conflict."""
    base, ours, theirs = FRONT % (b"A", 10, b"a"), FRONT % (b"B", 12, b"a"), FRONT % (b"A", 11, b"b")
    for texts in ((base, ours, theirs), (base, theirs, ours)):
        assert merged(texts) == (FRONT % (b"B", 12, b"b"), True)
    data, clean = merged((base, ours, FRONT % (b"C", 13, b"a")))
    assert not clean
    assert b"<<<<<<< ours\ntitle: B\n=======\ntitle: C\n>>>>>>> theirs\nlast_updated: 2026-01-13" in data


KEYS = (
    b"---\nsession:\n  title: %b\n  status: %b\n  last_updated: 2026-01-%d 10:00 UTC\n  branch: main\n---\n\n# Work\n"
)
BASE = (b"A", b"in_progress", 10)


@pytest.mark.parametrize(
    ("ours", "theirs", "result"),
    [
        ((b"B", b"completed", 16), (b"A", b"paused", 11), (b"B", b"completed", 16)),
        ((b"A", b"paused", 16), (b"B", b"completed", 11), (b"B", b"paused", 16)),
        ((b"B", b"in_progress", 10), (b"A", b"paused", 11), (b"B", b"paused", 11)),
        ((b"B", b"in_progress", 12), (b"A", b"in_progress", 10), (b"B", b"in_progress", 12)),
    ],
)
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_each_key_of_the_frontmatter_is_merged_for_itself(
    ours: tuple[bytes, ...], theirs: tuple[bytes, ...], result: tuple[bytes, ...], newline: bytes
) -> None:
    """Lines next to each other are no conflict, and of two statuses the later version's counts."""
    texts = [(KEYS % one).replace(b"\n", newline) for one in (BASE, ours, theirs, result)]
    assert merged((texts[0], texts[1], texts[2])) == (texts[3], True)
    assert merged((texts[0], texts[2], texts[1])) == (texts[3], True)


SIDES = b"""\
# Work

**Status:** %b
**Focus:** %b

## Current State
%b

## Next Steps
- Lex
%b
## Session Log

### 2026-01-10 10:00 - Began

It began.
%b
## Notes
%b
"""
AS_IT_WAS = (b"Working", b"The lexer", b"Nothing works.", b"", b"", b"None.")
ENTRY = b"\n### 2026-01-%d 10:00 - %b\n\nIt is %b.\n"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({0: b"Done"}, {1: b"The parser"}),
        ({2: b"All of it works."}, {3: b"- Parse\n"}),
        ({3: b"- Parse\n"}, {4: ENTRY % (11, b"Parsed", b"parsed")}),
        ({4: ENTRY % (11, b"Parsed", b"parsed")}, {5: b"Ana knows."}),
        ({0: b"Done", 2: b"All of it works.", 4: b""}, {1: b"The parser", 3: b"- Parse\n", 5: b"Ana knows."}),
    ],
)
def test_what_one_side_changed_is_no_conflict(ours: dict[int, bytes], theirs: dict[int, bytes]) -> None:
    """However near the other side's change is: labels, sections and entries are merged each for itself."""
    versions = [dict(enumerate(AS_IT_WAS)) | side for side in ({}, ours, theirs, ours | theirs)]
    base, one, other, both = (SIDES % tuple(side.values()) for side in versions)
    assert merged((base, one, other)) == (both, True)
    assert merged((base, other, one)) == (both, True)


def test_what_both_sides_added_to_a_log_or_a_list_is_there() -> None:
    """Two entries, and two steps, are no conflict."""
    base = SIDES % AS_IT_WAS
    one, other = (
        SIDES % (*AS_IT_WAS[:3], b"- %b\n" % word, ENTRY % (day, word, word), b"None.")
        for day, word in ((11, b"Parse"), (12, b"Write"))
    )
    data, clean = merged((base, one, other))
    assert clean
    assert data == SIDES % (
        *AS_IT_WAS[:3],
        b"- Parse\n- Write\n",
        ENTRY % (11, b"Parse", b"Parse") + ENTRY % (12, b"Write", b"Write"),
        b"None.",
    )


def test_a_title_that_both_changed_is_in_conflict() -> None:
    """Neither is better; the status next to it is merged all the same."""
    data, clean = merged((KEYS % BASE, KEYS % (b"B", b"completed", 16), KEYS % (b"C", b"paused", 11)))
    assert not clean
    assert b"<<<<<<< ours\n  title: B\n=======\n  title: C\n>>>>>>> theirs\n  status: completed" in data


def test_line_ends_that_a_side_changed_are_no_conflict() -> None:
    """The lines that the other side added have the new ends."""
    base, theirs = b"a\nb\nc\n", b"a\nb\nc\nd\n"
    assert merged((base, base.replace(b"\n", b"\r\n"), theirs)) == (theirs.replace(b"\n", b"\r\n"), True)


def test_odd_line_ends_are_merged_as_they_are() -> None:
    """Ends that are still Windows' after one step are not changed."""
    data, clean = merged((b"a\nb\n", b"a\r\r\nb\n", b"a\nb\nc\n"))
    assert (b"a\r\r\n" in data, b"c\n" in data) == (True, True), (data, clean)


def _paragraphs(data: bytes) -> list[merge.Span]:
    return [(match[0].split(b"=")[0], *match.span()) for match in re.finditer(rb"^\w+=.*$", data, re.MULTILINE)]


LEVELS = [merge.Level(_paragraphs, lambda texts: texts)]
ODD: dict[str, Callable[[int], bytes]] = {
    "brackets": lambda size: b"[ " * (size // 2),
    "rows": lambda size: b"".join(b"| %d | {} |\n" % row for row in range(size // 12)),
    "parts": lambda size: b"".join(b"p%d={}\n\n" % row for row in range(size // 12)),
    "equal lines": lambda size: b"x {}\n" * (size // 5),
    "line ends": lambda size: b"\n" * size,
    "times": lambda size: b"updated: 2026-01-01 {}\n" * (size // 24),
}


def _merged(texts: merges.Texts) -> None:
    merge.merged(merge.with_later_time(texts), 7, LEVELS)


@pytest.mark.parametrize("name", ODD)
def test_twice_as_much_is_twice_the_work(name: str) -> None:
    """Of lines that all are in conflict, of one long line, and of parts: the steps grow as the text does."""
    counts = []
    for size in (8_000, 16_000, 32_000):
        text = ODD[name](size)
        texts = text, text.replace(b"{}", b"ours") + b"o", text.replace(b"{}", b"theirs") + b"t"
        counts.append(work.lines(partial(_merged, texts)))
    assert counts[2] < 2.5 * counts[1]


def test_a_large_file_is_merged_by_git_with_markers() -> None:
    """Its lines are not cut into parts; both sides are in the result."""
    base = b"a=1\n" + b"line of a large file\n" * 250_000
    texts = base, base + b"ours\n", base + b"theirs\n"
    data, clean = merge.merged(texts, 7, LEVELS)
    assert not clean
    assert work.lines(lambda: merge.merged(texts, 7, LEVELS)) < 50_000
    assert data.endswith(b"<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs\n")


@pytest.mark.parametrize("parts", [10, 200])
def test_git_runs_a_few_times_however_many_parts_are_in_conflict(monkeypatch: pytest.MonkeyPatch, parts: int) -> None:
    """A file with more parts in conflict than it takes git a moment to merge one by one is merged as a whole."""
    runs: list[merge.Texts] = []

    def counted(base: bytes, ours: bytes, theirs: bytes, marker: int) -> tuple[bytes, bool]:
        runs.append((base, ours, theirs))
        return git_merge.text(base, ours, theirs, marker)

    monkeypatch.setattr(merge, "git_merge", SimpleNamespace(text=counted))
    text = ODD["parts"](parts * 12)
    data, clean = merge.merged((text, text.replace(b"{}", b"ours"), text.replace(b"{}", b"theirs")), 7, LEVELS)
    assert (clean, data.count(b"=ours\n"), data.count(b"=theirs\n")) == (False, parts, parts)
    assert len(runs) < 30


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
