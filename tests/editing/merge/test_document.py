"""What both sides did to the parts of a state file comes together; what contradicts is between markers."""

from __future__ import annotations

import pytest

from holdfast.editing.merge.document import merged
from holdfast.editing.merge.nodes import trimmed

FRONT = '---\nsession:\n  status: in_progress  # see below\n  last_updated: "2026-02-11T09:30:00Z"\ntags:\n  - a\n---\n'
LIST = "# Work\n\n## Next\n\n- [ ] one\n- [ ] two\n  - inner\n- [ ] three\n\n## Notes\n\nWords.\n"
TABLE = "# Work\n\n| File | What | Who |\n|---|---|---|\n| a.py | parser | me |\n| b.py | reader | me |\n\nEnd.\n"
LOG = "# Work\n\n## Updates\n\n*[2026-01-21 14:30]*\n- old\n\n*[2026-01-21 13:00]*\n- older\n"
JOURNAL = "# Work\n\n## Journal\n\n[2026-01-20 10:00] note: began\n"
SESSIONS = "# Work\n\n## Log\n\n### 2026-01-20 10:00 - Began\n\nText.\n"
LABELS = "# Work\n\n**Status:** active\n**Last Updated:** 2026-01-17 16:40 UTC\n**Focus:** one\n**Files:**\n- a\n"

# What it is about, the base, what ours and theirs replace in it, and what the result replaces in it.
CLEAN = {
    "what is between two goes, and its blank lines stay": (
        "# Work\n\nFirst.\n\nSecond.\n\n\nThird.\n\nFourth.\n\n- item\n\nFifth.\n",
        [("Fourth.\n\n", "")],
        [("Third.\n\n", ""), ("- item\n\n", "")],
        [("Third.\n\nFourth.\n\n- item\n\n", "")],
    ),
    "items that both add": (
        LIST,
        [("three\n", "three\n- [ ] ours\n")],
        [("three\n", "three\n- [ ] theirs\n")],
        [("three\n", "three\n- [ ] ours\n- [ ] theirs\n")],
    ),
    "an item added beside one that goes": (
        LIST,
        [("- [ ] three\n", "")],
        [("three\n", "three\n- [ ] theirs\n")],
        [("- [ ] three\n", "- [ ] theirs\n")],
    ),
    "an item that both add": (
        LIST,
        [("three\n", "three\n- [ ] new\n")],
        [("one\n", "one\n- [ ] new\n")],
        [("three\n", "three\n- [ ] new\n")],
    ),
    "a box ticked and its text changed": (
        LIST,
        [("[ ] one", "[x] one")],
        [("one", "one of all the many things")],
        [("[ ] one", "[x] one of all the many things")],
    ),
    "a box ticked in two ways": (
        LIST,
        [("[ ] one", "[x] one")],
        [("[ ] one", "[X] one")],
        [("[ ] one", "[x] one")],
    ),
    "neighbours ticked": (
        LIST,
        [("[ ] one", "[x] one")],
        [("[ ] two", "[x] two")],
        [("[ ] one\n- [ ] two", "[x] one\n- [x] two")],
    ),
    "a box inside another item": (
        LIST,
        [("[ ] two", "[x] two")],
        [("- inner", "- inner\n  - more")],
        [("[ ] two\n  - inner", "[x] two\n  - inner\n  - more")],
    ),
    "an item moved and ticked": (
        LIST,
        [("- [ ] one\n", ""), ("- [ ] three\n", "- [ ] three\n- [ ] one\n")],
        [("[ ] one", "[x] one")],
        [("- [ ] one\n", ""), ("- [ ] three\n", "- [ ] three\n- [x] one\n")],
    ),
    "a first list on both sides": (
        "# Work\n\n## Next\n\n## Notes\n",
        [("Next\n\n", "Next\n\n- ours\n\n")],
        [("Next\n\n", "Next\n\n- theirs\n\n")],
        [("Next\n\n", "Next\n\n- ours\n- theirs\n\n")],
    ),
    "lists in the place of a placeholder": (
        "# Work\n\n## Next\n\n*None yet*\n\n## Notes\n",
        [("*None yet*", "- ours")],
        [("*None yet*", "- theirs")],
        [("*None yet*", "- ours\n- theirs")],
    ),
    "lists that both add in different places": (
        "# Work\n\n## Notes\n\nWords.\n\nMore words.\n",
        [("\nMore", "\n- ours\n\nMore")],
        [("More words.\n", "More words.\n\n- theirs\n")],
        [("\nMore words.\n", "\n- ours\n\nMore words.\n\n- theirs\n")],
    ),
    "sections that both add": (
        LIST,
        [("## Notes", "## Ours\n\nA.\n\n## Notes")],
        [("## Notes", "## Theirs\n\nB.\n\n## Notes")],
        [("## Notes", "## Ours\n\nA.\n\n## Theirs\n\nB.\n\n## Notes")],
    ),
    "the time of an update": (
        LABELS.replace("Last Updated", "Updated"),
        [("16:40", "17:00")],
        [("16:40", "18:00")],
        [("16:40", "18:00")],
    ),
    "the time of what was last": (
        LABELS.replace("Last Updated", "Last Activity"),
        [("16:40", "18:00")],
        [("16:40", "17:00")],
        [("16:40", "18:00")],
    ),
    "a heading changed and text below it": (
        LIST,
        [("## Notes", "## Remarks")],
        [("Words.", "Words.\n\nMore words.")],
        [("## Notes\n\nWords.", "## Remarks\n\nWords.\n\nMore words.")],
    ),
    "keys of the frontmatter": (
        FRONT,
        [("in_progress  #", "paused  #"), ("09:30", "10:00"), ("  - a\n", "  - a\n  - ours\n")],
        [("09:30", "11:00"), ("  - a\n", "  - a\n  - theirs\n"), ("tags:", "branch: x\ntags:")],
        [
            ("in_progress  #", "paused  #"),
            ("09:30", "11:00"),
            ("  - a\n", "  - a\n  - ours\n  - theirs\n"),
            ("tags:", "branch: x\ntags:"),
        ],
    ),
    "cells of one row": (
        TABLE,
        [("parser | me", "parser | you"), ("| b.py | reader | me |\n", "| b.py | reader | me |\n| o.py | x | me |\n")],
        [
            ("a.py | parser", "a.py | scanner"),
            ("| b.py | reader | me |\n", "| b.py | reader | me |\n| t.py | x | me |\n"),
        ],
        [
            ("a.py | parser | me", "a.py | scanner | you"),
            ("| b.py | reader | me |\n", "| b.py | reader | me |\n| o.py | x | me |\n| t.py | x | me |\n"),
        ],
    ),
    "a log with the latest first": (
        LOG,
        [("*[2026-01-21 14:30]*", "*[2026-01-21 15:00]*\n- ours\n\n*[2026-01-21 14:30]*")],
        [("*[2026-01-21 14:30]*", "*[2026-01-21 16:00]*\n- theirs\n\n*[2026-01-21 14:30]*")],
        [
            (
                "*[2026-01-21 14:30]*",
                "*[2026-01-21 16:00]*\n- theirs\n\n*[2026-01-21 15:00]*\n- ours\n\n*[2026-01-21 14:30]*",
            )
        ],
    ),
    "a log under one time": (
        LOG,
        [("- old\n", "- ours\n- old\n")],
        [("- old\n", "- theirs\n- old\n")],
        [("- old\n", "- ours\n- theirs\n- old\n")],
    ),
    "a journal with the latest last": (
        JOURNAL,
        [("began\n", "began\n[2026-01-20 12:00] note: a\n")],
        [("began\n", "began\n[2026-01-20 11:00] note: b\n[2026-01-20 13:00] note: b\n")],
        [
            (
                "began\n",
                "began\n[2026-01-20 11:00] note: b\n[2026-01-20 12:00] note: a\n[2026-01-20 13:00] note: b\n",
            )
        ],
    ),
    "a log of sections": (
        SESSIONS,
        [("Text.\n", "Text.\n\n### 2026-01-22 10:00 - Ours\n\nA.\n")],
        [("Text.\n", "Text.\n\n### 2026-01-21 10:00 - Theirs\n\nB.\n")],
        [("Text.\n", "Text.\n\n### 2026-01-21 10:00 - Theirs\n\nB.\n\n### 2026-01-22 10:00 - Ours\n\nA.\n")],
    ),
    "labels and the time of the last change": (
        LABELS,
        [("active", "paused"), ("16:40", "17:00"), ("- a\n", "- a\n- ours\n")],
        [("one", "two"), ("16:40", "16:50"), ("- a\n", "- a\n- theirs\n")],
        [("active", "paused"), ("16:40", "17:00"), ("one", "two"), ("- a\n", "- a\n- ours\n- theirs\n")],
    ),
    "first entries of a journal": (
        "# Work\n\n## Journal\n\n## Notes\n",
        [("Journal\n\n", "Journal\n\n[2026-01-20 12:00] note: a\n\n")],
        [("Journal\n\n", "Journal\n\n[2026-01-20 11:00] note: b\n\n")],
        [("Journal\n\n", "Journal\n\n[2026-01-20 11:00] note: b\n[2026-01-20 12:00] note: a\n\n")],
    ),
    "items with blank lines between them": (
        "# Work\n\n## Next\n\n- one\n\n- two\n\n## Notes\n",
        [("- two\n", "- two\n\n- ours\n")],
        [("- two\n", "- two\n\n- theirs\n")],
        [("- two\n", "- two\n\n- ours\n\n- theirs\n")],
    ),
    "blank lines that theirs changed": (
        LIST,
        [("[ ] one", "[x] one"), ("three\n", "three\n- [ ] four\n")],
        [("Next\n\n", "Next\n"), ("\n## Notes\n\n", "\n\n## Notes\n"), ("- [ ] two\n", "\n- [ ] two\n")],
        [
            *[("[ ] one", "[x] one"), ("three\n", "three\n- [ ] four\n"), ("Next\n\n", "Next\n")],
            *[("\n## Notes\n\n", "\n\n## Notes\n"), ("- [ ] two\n", "\n- [ ] two\n")],
        ],
    ),
    "blank lines that ours changed": (
        LIST,
        [("Next\n\n", "Next\n"), ("\n## Notes\n\n", "\n\n## Notes\n"), ("- [ ] two\n", "\n- [ ] two\n")],
        [("[ ] one", "[x] one"), ("Words.", "More words.")],
        [
            *[("[ ] one", "[x] one"), ("Words.", "More words."), ("Next\n\n", "Next\n")],
            *[("\n## Notes\n\n", "\n\n## Notes\n"), ("- [ ] two\n", "\n- [ ] two\n")],
        ],
    ),
    "a row and an item between others that go": (
        f"{TABLE}\n{LIST}".replace("# Work", "# Rows", 1),
        [("| a.py | parser | me |\n", ""), ("- [ ] two\n  - inner\n", "")],
        [("| a.py | parser | me |\n", "| a.py | parser | me |\n| t.py | x | me |\n"), ("inner\n", "inner\n- [ ] t\n")],
        [("| a.py | parser | me |\n", "| t.py | x | me |\n"), ("- [ ] two\n  - inner\n", "- [ ] t\n")],
    ),
}
BOTH = [pytest.param(*case, id=name) for name, case in CLEAN.items()]
Swaps = list[tuple[str, str]]


def _swapped(text: str, swaps: Swaps) -> str:
    for old, new in swaps:
        assert text.count(old) == 1, (old, text)
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(("base", "ours", "theirs", "wanted"), BOTH)
def test_both_sides_come_together(base: str, ours: Swaps, theirs: Swaps, wanted: Swaps) -> None:
    """What each side did is in the result, whatever the line ends and the mark at the beginning."""
    versions = [_swapped(base, swaps) for swaps in ([], ours, theirs, wanted)]
    for mark, newline, end in (("", "\n", "\n"), ("\ufeff", "\n", "\n"), ("", "\r\n", "\r\n"), ("", "\n", "")):
        texts = [(mark + text.removesuffix("\n").replace("\n", newline) + end).encode() for text in versions]
        data, clean = merged((texts[0], texts[1], texts[2]))
        assert (data.decode(), clean) == (texts[3].decode(), True)
        assert merged((texts[0], texts[2], texts[1]))[1]


@pytest.mark.parametrize("base", ["".join(f"{' ' * 2 * n}- a{n}\n" for n in range(400)), "- same\n" * 2_000])
def test_what_the_structure_cannot_decide_git_does(base: str) -> None:
    """Lists nested too deep, and too many equal lines, are merged by lines."""
    data, clean = merged((base.encode(), f"{base}\nours\n".encode(), f"theirs\n\n{base}".encode()))
    assert (data.decode(), clean) == (f"theirs\n\n{base}\nours\n", True)


def test_a_side_that_changed_all_line_ends() -> None:
    """Where one side has other line ends than the base, the result has those."""
    theirs = LIST.replace("[ ] one", "[x] one")
    ours = LIST.replace("three", "three\n- [ ] four").replace("\n", "\r\n")
    data, clean = merged((LIST.encode(), ours.encode(), theirs.encode()))
    assert (data.decode(), clean) == (ours.replace("[ ] one", "[x] one"), True)


# What it is about, the base, what ours and theirs replace in it, and the one part of the result that is in conflict.
CONFLICTS = {
    "a label": (
        LABELS,
        [("active", "paused")],
        [("active", "completed"), ("- a\n", "- a\n- b\n")],
        "<<<<<<< ours\n**Status:** paused\n=======\n**Status:** completed\n>>>>>>> theirs\n",
    ),
    "a key": (
        FRONT,
        [("in_progress", "paused"), ("  - a\n", "  - a\n  - b\n")],
        [("in_progress", "completed")],
        "<<<<<<< ours\n  status: paused  # see below\n=======\n  status: completed  # see below\n>>>>>>> theirs\n",
    ),
    "a paragraph": (
        LIST,
        [("Words.", "Our words."), ("three\n", "three\n- [ ] ours\n")],
        [("Words.", "Their words."), ("three\n", "three\n- [ ] theirs\n")],
        "<<<<<<< ours\nOur words.\n=======\nTheir words.\n>>>>>>> theirs\n",
    ),
    "an item that goes and changes": (
        LIST,
        [("- [ ] one\n", "")],
        [("[ ] one", "[x] one")],
        "<<<<<<< ours\n=======\n- [x] one\n>>>>>>> theirs\n",
    ),
    "a cell": (
        TABLE,
        [("a.py | parser", "a.py | scanner")],
        [("a.py | parser", "a.py | lexer")],
        "<<<<<<< ours\n| a.py | scanner | me |\n=======\n| a.py | lexer | me |\n>>>>>>> theirs\n",
    ),
    "a time with a remark": (
        LABELS,
        [("16:40 UTC", "17:00 UTC by me")],
        [("16:40 UTC", "18:00 UTC")],
        "<<<<<<< ours\n**Last Updated:** 2026-01-17 17:00 UTC by me\n=======\n**Last Updated:** 2026-01-17 18:00 UTC\n",
    ),
}


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "part"), [pytest.param(*case, id=name) for name, case in CONFLICTS.items()]
)
def test_conflicts_stand_around_their_part(base: str, ours: Swaps, theirs: Swaps, part: str) -> None:
    """Markers of the asked size are around what contradicts, and all else is merged."""
    texts = base.encode(), _swapped(base, ours).encode(), _swapped(base, theirs).encode()
    data, clean = merged(texts)
    assert not clean
    assert part in data.decode()
    assert data.count(b"<<<<<<<") == 1
    longer = merged(texts, marker=11)[0].decode()
    assert "<<<<<<<<<<< ours\n" in longer
    assert longer.replace("<" * 11, "<" * 7).replace("=" * 11, "=" * 7).replace(">" * 11, ">" * 7) == data.decode()


@pytest.mark.parametrize(("text", "found"), [(b"\n a \n\n", b" a "), (b"a  \n", b"a  "), (b"  ", b""), (b"\n \n", b"")])
def test_the_text_of_a_part(text: bytes, found: bytes) -> None:
    """Without blank lines around it; the blanks of a hard break belong to it, and an empty line has none."""
    start, end = trimmed(text, 0, len(text))
    assert text[start:end] == found
