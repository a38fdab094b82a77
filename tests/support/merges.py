"""Random edits of both sides of a file, and what must hold for the merge of any of them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Texts = tuple[bytes, bytes, bytes]
    Merge = Callable[[Texts], tuple[bytes, bool]]

LINES = (
    *("- {}", "- [ ] {}", "  - {}", "1. {}", "## {}", "### 2026-03-01 10:00 - {}", "**{}:** value", "| {} | cell |"),
    *(
        "A sentence {}.",
        "[2026-03-0{}] note: entry",
        "",
        "```",
        "---",
        "{}: value",
        "<!-- {} -->",
        "*[2026-03-01 09:30]*",
    ),
)
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n"])


class Case(NamedTuple):
    """A base and what each side made of it."""

    base: bytes
    ours: bytes
    theirs: bytes


def _edited(draw: st.DrawFn, lines: list[str], side: str) -> list[str]:
    """Return lines with some of them gone, changed, ticked, moved, and new ones; each new text is new to all sides."""
    lines = list(lines)
    for number in range(draw(st.integers(0, 5))):
        word = f"{side}{number}"
        at = draw(st.integers(0, len(lines)))
        act = draw(st.sampled_from(["add", "add", "add", "change", "tick", "delete", "move"]))
        if act == "add":
            lines.insert(at, draw(st.sampled_from(LINES)).format(word))
        elif at < len(lines):
            line = lines.pop(at)
            if act == "change":
                lines.insert(at, f"{line} {word}")
            elif act == "tick":
                lines.insert(at, line.replace("[ ]", "[x]"))
            elif act == "move":
                lines.insert(draw(st.integers(0, len(lines))), line)
    return lines


@st.composite
def cases(draw: st.DrawFn, texts: Sequence[bytes]) -> Case:
    """Draw one of these files and two edits of it."""
    base = draw(st.sampled_from(texts)).decode().split("\n")
    sides = [_edited(draw, base, side) for side in ("ours", "theirs")]
    end = draw(ENDS).decode()
    return Case(*(end.join(lines).encode() for lines in (base, *sides)))


def lines_of(text: bytes) -> list[bytes]:
    """Return the lines of a text that are not blank, without the blanks around them."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def _left_alone(base: list[bytes], side: list[bytes]) -> set[bytes]:
    """Return the lines that are once in both, and among the same others."""
    totals = Counter(base), Counter(side)
    same = {line for line, count in totals[0].items() if totals[1][line] == count}
    before = [
        {line: Counter(other for other in lines[:at] if other in same) for at, line in enumerate(lines)}
        for lines in (base, side)
    ]
    return {line for line in same if totals[0][line] == 1 and before[0][line] == before[1][line]}


def _outside(text: bytes) -> list[bytes]:
    """Return the lines outside of conflicts."""
    return lines_of(re.sub(rb"^<{7} ours\r?$.*?^>{7} theirs\r?$", b"", text, flags=re.MULTILINE | re.DOTALL))


def check_nothing_is_lost(case: Case, merge: Merge) -> None:
    """Check that each added line is in the result, or its words are, where both sides changed one line in two ways."""
    data, _ = merge(case)
    there = Counter(lines_of(data))
    for side in (case.ours, case.theirs):
        for line in Counter(lines_of(side)) - Counter(lines_of(case.base)):
            words = re.findall(rb"(?:ours|theirs)\d", line)
            assert line in there or (words and all(word in data for word in words)), (line, data.decode())


def check_nothing_comes_back(case: Case, merge: Merge) -> None:
    """Check that a line that one side deletes and the other leaves alone is not in the result."""
    base, *sides = ([line.strip() for line in text.splitlines()] for text in case)  # blank ones tell what moved, too
    data = merge(case)[0]
    there = set(_outside(data))
    for one, other in (sides, sides[::-1]):
        assert not (_left_alone(base, one) - set(other)) & there, data.decode()


def check_the_sides_are_equal(case: Case, merge: Merge) -> None:
    """Check that a merge conflicts from one side if it does from the other, and that markers tell of it."""
    (data, clean), (mirror, mirrored) = merge(case), merge((case.base, case.theirs, case.ours))
    assert clean == mirrored, (data.decode(), mirror.decode())
    assert clean == (not re.search(rb"^<{7} ours", data, re.MULTILINE))


def check_an_unchanged_side_gives_the_other(case: Case, merge: Merge) -> None:
    """Check that where one side is as the base, or both are equal, the result is the other side, byte for byte."""
    assert merge((case.base, case.ours, case.base)) == (case.ours, True)
    assert merge((case.base, case.base, case.ours)) == (case.ours, True)
    assert merge((case.base, case.ours, case.ours)) == (case.ours, True)


CHECKS = (
    check_nothing_is_lost,
    check_nothing_comes_back,
    check_the_sides_are_equal,
    check_an_unchanged_side_gives_the_other,
)
