"""Rows of a table by their keys: cells that differ are set, and what a person wrote stays where it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.errors import HoldfastError
from holdfast.editing.edit import Editor
from holdfast.editing.requests import Request
from holdfast.markdown.document import Document
from tests.support import edits
from tests.support.edits import FORMATS, NOW, make, within

COLUMNS = ["ID", "Title", "Status", "Captured"]
HEAD = "| ID | Title | Status | Captured |\n|----|-------|--------|----------|\n"
FOUR = "| LOOP-004 | Which rate | open | 2026-01-21 |\n"
NEW = (
    "| ID       | Title      | Status | Captured   |\n| -------- | ---------- | ------ | ---------- |\n"
    "| LOOP-004 | Which rate | open   | 2026-01-21 |\n"
)
NONE = "| ID  | Title | Status | Captured |\n| --- | ----- | ------ | -------- |\n"
SEVEN = "| LOOP-007 | Which month | open | 2026-01-22 |\n"
WIDE = (
    "|   ID     | Notes |   Title    | captured   | Status |\n|:---------|-------|------------|------------|:------:|\n"
)
TOTAL = "\n**Total active:** 1 loop\n"
ROW = ["LOOP-004", "Which rate", "open", "2026-01-21"]
NEXT = ["LOOP-007", "Which month", "open", "2026-01-22"]


def loops(*rows: list[str], gone: str = "", columns: list[str] | None = None) -> Request:
    """Return the request for rows of the table of loops, and for one that goes, or is closed where it has to stay."""
    wanted: dict[str, list[str] | None] = {row[0]: row for row in rows}
    wanted |= {gone: None} if gone else {}
    ended = {gone: [gone, "", "closed", ""]} if gone else {}
    return Request(("Active Loops",), rows=wanted, ended=ended, columns=columns or COLUMNS)


SET = [
    pytest.param(HEAD + FOUR + TOTAL, loops(ROW), HEAD + FOUR + TOTAL, id="all as wanted"),
    pytest.param(HEAD + FOUR + TOTAL, loops(ROW, NEXT), HEAD + FOUR + SEVEN + TOTAL, id="a new one"),
    pytest.param(HEAD + TOTAL, loops(ROW, NEXT), HEAD + FOUR + SEVEN + TOTAL, id="the first ones"),
    pytest.param(HEAD + SEVEN + FOUR, loops(ROW, NEXT), HEAD + SEVEN + FOUR, id="the order stays"),
    pytest.param(TOTAL[1:], loops(ROW), NEW + TOTAL, id="no table"),
    pytest.param("*None yet*\n" + TOTAL, loops(ROW), NEW + TOTAL, id="a placeholder"),
    pytest.param("*None yet*\n- a\n", loops(ROW), NEW + "\n- a\n", id="a placeholder right above a list"),
    pytest.param("<!-- a hint -->\n" + TOTAL, loops(ROW), "<!-- a hint -->\n\n" + NEW + TOTAL, id="a comment"),
    pytest.param(TOTAL[1:], loops(), TOTAL[1:], id="no table and no row"),
    pytest.param(
        HEAD + "| **LOOP-004** | `Which rate` | open | 2026-01-21 |\n",
        loops(["LOOP-004", "Which rate", "clarifying", "2026-01-21"]),
        HEAD + "| **LOOP-004** | `Which rate` | clarifying | 2026-01-21 |\n",
        id="in other clothes",
    ),
    pytest.param(
        HEAD + "|[loop-004](LOOPS.md#4)|Which rate|  |2026-01-21|\n",
        loops(ROW),
        HEAD + "|[loop-004](LOOPS.md#4)|Which rate| open |2026-01-21|\n",
        id="a link, no blanks, and an empty cell",
    ),
    pytest.param(
        HEAD + "|LOOP-004|Which rate||2026-01-21|\n",
        loops(ROW),
        HEAD + "|LOOP-004|Which rate| open |2026-01-21|\n",
        id="nothing between bars",
    ),
    pytest.param(HEAD + "| LOOP-004 | Which rate |\n", loops(ROW), HEAD + FOUR, id="a short row"),
    pytest.param(
        HEAD + "| LOOP-004 | Which rate\n", loops(ROW), HEAD + FOUR.replace(" |\n", "\n"), id="a short row, not closed"
    ),
    pytest.param(
        WIDE + "| LOOP-004 | mine  | Which rate | 2026-01-21 |  new   |\n",
        loops(ROW, NEXT),
        WIDE
        + "| LOOP-004 | mine  | Which rate | 2026-01-21 |  open   |\n"
        + "| LOOP-007 |  | Which month | 2026-01-22 | open |\n",
        id="other order, and a column of a person",
    ),
    pytest.param(
        "| Title | ID |\n|---|---|\n| Which rate | LOOP-004 |\n",
        loops(ROW, NEXT),
        "| Title | ID |\n|---|---|\n| Which rate | LOOP-004 |\n| Which month | LOOP-007 |\n",
        id="columns that a person left out",
    ),
    pytest.param(
        "| Word | Means |\n|---|---|\n| ID | a number |\n\n" + HEAD + FOUR,
        loops(ROW, NEXT),
        "| Word | Means |\n|---|---|\n| ID | a number |\n\n" + HEAD + FOUR + SEVEN,
        id="another table before it",
    ),
    pytest.param(
        "| Who | ID |\n|---|---|\n| Jan | LOOP-007 |\n\n" + HEAD + FOUR,
        loops(ROW, NEXT),
        "| Who | ID |\n|---|---|\n| Jan | LOOP-007 |\n\n" + HEAD + FOUR + SEVEN,
        id="another table before it that names the key later",
    ),
    pytest.param(
        "   ID | Title | Status | Captured\n   ---|---|---|---\n   LOOP-004 | Which rate | open | 2026-01-21\n",
        loops(ROW, NEXT),
        "   ID | Title | Status | Captured\n   ---|---|---|---\n   LOOP-004 | Which rate | open | 2026-01-21\n   "
        + SEVEN,
        id="indented, without bars around",
    ),
    pytest.param(
        HEAD + FOUR + TOTAL[1:], loops(ROW, NEXT), HEAD + FOUR + SEVEN + TOTAL[1:], id="text right below the rows"
    ),
    pytest.param(
        HEAD + r"| LOOP-004 | a \| b | open | x |" + "\n",
        loops(["LOOP-004", "a | b", "open", "y"], ["LOOP-007", r"`c|d` \|", "open", ""]),
        HEAD + r"| LOOP-004 | a \| b | open | y |" + "\n" + r"| LOOP-007 | `c\|d` \\| | open |  |" + "\n",
        id="bars",
    ),
    pytest.param(
        HEAD,
        loops(["LOOP-004", "two\nlines\x1b[2J\u2028<!-- # |", "\\", "`"]),
        HEAD + "| LOOP-004 | two lines <!-- # \\| | \\ | ` |\n",
        id="whatever a title may be",
    ),
    pytest.param(HEAD + FOUR + SEVEN, loops(NEXT, gone="LOOP-004"), HEAD + SEVEN, id="one goes"),
    pytest.param(HEAD + FOUR, loops(NEXT, gone="LOOP-004"), HEAD + SEVEN, id="one goes, one comes"),
    pytest.param(HEAD + FOUR + TOTAL, loops(gone="LOOP-004"), HEAD + TOTAL, id="the last one goes"),
    pytest.param(HEAD + FOUR.replace("open", "open!"), loops(gone="LOOP-004"), HEAD, id="its key alone counts"),
    pytest.param(
        HEAD + FOUR, loops(["LOOP-004", "", "closed", ""]), HEAD + FOUR.replace("open", "closed"), id="some stay"
    ),
    pytest.param(
        HEAD.replace("Captured |", "Captured | Who |").replace("----|\n", "----|-----|\n")
        + FOUR.replace("21 |", "21 | Jan |"),
        loops(gone="LOOP-004"),
        HEAD.replace("Captured |", "Captured | Who |").replace("----|\n", "----|-----|\n"),
        id="a value of a person",
    ),
    pytest.param(
        HEAD.replace("Captured |", "Captured | Note |").replace("----|\n", "----|------|\n")
        + FOUR.replace("21 |", "21 | Jan knows the rest |"),
        loops(gone="LOOP-004"),
        HEAD.replace("Captured |", "Captured | Note |").replace("----|\n", "----|------|\n")
        + FOUR.replace("21 |", "21 | Jan knows the rest |").replace("open", "closed"),
        id="a remark of a person",
    ),
    pytest.param(
        HEAD + FOUR.replace("\n", " x |\n"),
        loops(gone="LOOP-004"),
        HEAD + FOUR.replace("\n", " x |\n"),
        id="a cell too many",
    ),
]


@pytest.mark.parametrize(("text", "want", "expected"), SET)
def test_rows_become_what_is_wanted(text: str, want: Request, expected: str) -> None:
    """What differs is set, what is new comes after the last row, what holdfast wrote may go; nothing else changes."""
    for end in ("\n", "\r\n"):
        assert within("Active Loops", text.replace("\n", end), want, end=end) == (expected.replace("\n", end), [])


REFUSED = [
    pytest.param(HEAD + FOUR + SEVEN + FOUR, "appears twice, on lines 13 and 15", id="a key twice"),
    pytest.param(
        HEAD + "| LOOP-004 | a | b | c | d |\n", "line 13: the row has more cells than the table", id="ragged"
    ),
    pytest.param("| Loop | What |\n|---|---|\n| LOOP-004 | x |\n", "no column ID: Loop - What", id="other columns"),
    pytest.param(
        HEAD.replace("Title", "Words"), "no column Title, but others", id="one unknown column for a known one"
    ),
    pytest.param(
        "- | ID | Title |\n  |---|---|\n  | LOOP-004 | x |\n", "no column ID: it is inside a list", id="in a list"
    ),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_what_nobody_can_tell_is_refused(text: str, why: str) -> None:
    """A table of another kind, or one in which a row cannot be recognised, stays as it is; the reason is reported."""
    kept, problems = within("Active Loops", text, loops(["LOOP-004", "Which rate", "closed", "2026-01-21"], NEXT))
    assert kept == text
    assert len(problems) == 1
    assert why in problems[0]


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("want", [loops(ROW, NEXT), loops(NEXT, gone="LOOP-004")], ids=["added", "replaced"])
def test_a_table_at_the_end_of_a_file(want: Request, end: str) -> None:
    """A last row without a line's end gets one where another follows it; the file still ends without one."""
    data = (edits.BEFORE + "## Active Loops\n\n" + HEAD + FOUR).rstrip("\n").replace("\n", end)
    rows = (FOUR + SEVEN if len(want.ended) == 0 else SEVEN).replace("\n", end)
    assert make(data.encode(), want).data.decode() == data[: -len(FOUR) + 1] + rows.rstrip("\r\n")


def test_a_section_is_begun_with_its_table() -> None:
    """Where there is no section it begins with the rows, or with none, and the count of them can follow."""
    count = Request(("Active Loops", "Total active"), text="0 loops")
    data = make((edits.BEFORE + edits.AFTER[1:]).encode(), loops(), count).data.decode()
    assert data == edits.BEFORE + "## Active Loops\n\n" + NONE + "\n**Total active:** 0 loops\n" + edits.AFTER
    counted = make((edits.BEFORE + edits.AFTER[1:]).encode(), count, loops(ROW)).data.decode()
    assert counted == edits.BEFORE + "## Active Loops\n\n" + NEW + "\n**Total active:** 0 loops\n" + edits.AFTER


def test_a_change_is_reported() -> None:
    """The outcome has the line, what stood there, and what is there now."""
    data = (edits.BEFORE + "## Active Loops\n\n" + HEAD + FOUR).encode()
    (change,) = make(data, loops(["LOOP-004", "Which rate", "closed", "2026-01-21"])).changes
    assert (change.where, change.line) == ("Active Loops", 13)
    assert (change.old, change.new) == (
        "LOOP-004 - Which rate - open - 2026-01-21",
        "LOOP-004 - Which rate - closed - 2026-01-21",
    )


@pytest.mark.parametrize(
    ("key", "why"),
    [("Active Loops", "which `holdfast loop` keeps"), ("Plans", "edit them by hand")],
)
@pytest.mark.parametrize("there", [HEAD + FOUR, "No rows yet.\n", ""], ids=["there", "without a table", "not there"])
@pytest.mark.parametrize("value", ["text", ["item"]], ids=["text", "list"])
def test_plain_text_is_no_row(key: str, why: str, there: str, value: object) -> None:
    """A sync of plain text into a table is refused, with what to do instead."""
    data = (edits.BEFORE + (f"## {key}\n\n{there}" if there else "")).encode()
    outcome = Editor(".agents/sessions/x.md", FORMATS, NOW).apply(data, {key: value})
    assert outcome.data == data
    ((where, problem),) = outcome.unplaced
    assert (where, why in problem) == (key, True)


def test_a_field_is_no_section() -> None:
    """Rows are not put where a line of that name is."""
    data = (edits.BEFORE + "**Active Loops:** two\n").encode()
    outcome = make(data, loops(ROW))
    assert (outcome.data, [why for _, why in outcome.unplaced]) == (
        data,
        ["a field is there under this name, not a section"],
    )


KEYS = ["LOOP-001", "LOOP-002", "LOOP-003"]
CELLS = st.sampled_from(["open", "", "a|b", r"\|", "`x|y`", "**b**", "[l](u)", "-", "\\", "x\ny"]) | st.text(max_size=8)
LINES = st.sampled_from(
    [
        "| LOOP-001 | a | open | x |",
        "| `LOOP-002` | b |",
        "| LOOP-003 | c | open | x | y |",
        "| MINE | d | e | f |",
        "| |",
        "mine",
        r"| x \| y | z |",
        "  | LOOP-002 | b | open | x |",
    ]
)
ROWS = st.dictionaries(st.sampled_from(KEYS), st.lists(CELLS, min_size=3, max_size=3) | st.none(), max_size=3)


@given(st.lists(LINES, max_size=5), ROWS)
def test_rows_of_people_stay(lines: list[str], wanted: dict[str, list[str] | None]) -> None:
    """Whatever is in a table, rows of others stay in their order, and those that are wanted read back."""
    text = HEAD + "".join(line + "\n" for line in lines)
    rows = {key: cells and [key, *cells] for key, cells in wanted.items()}
    ended = {key: [key, "", "closed", ""] for key in rows}
    want = Request(("Active Loops",), rows=rows, ended=ended, columns=COLUMNS)
    after, problems = within("Active Loops", text, want)
    stated = after.splitlines()
    theirs = [line for line in lines if not any(key in line for key in wanted)]
    rest = iter(stated)
    assert all(line in rest for line in theirs)
    if problems:
        assert after == text
        return
    document = Document(after.encode())
    found = [[" ".join(document.text(*cell).split()) for cell in row.cells] for row in document.rows(0, 9999)]
    reported = {re.sub(r"[`*]", "", cells[0]): [*cells[1:], "", ""][:3] for cells in found}
    for key, cells in rows.items():
        if cells:
            read = [cell.replace(r"\|", "|") for cell in reported[key]]
            asked = [" ".join(_plain(cell).split()) for cell in cells[1:]]
            reported_ = [(_bare(cell), _bare(other)) for cell, other in zip(read, asked, strict=True) if other]
            assert [one for one, _ in reported_] == [other for _, other in reported_]


def _plain(text: str) -> str:
    """Return a text without what no file of plain text holds."""
    from holdfast.trust.safe import plain

    return plain(text.encode("utf-8", "replace").decode())


def _bare(text: str) -> str:
    """Return a text without what emphasizes it."""
    return re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", text).strip().strip("`*_~").strip()


def test_an_unknown_file_is_refused() -> None:
    """Wishes change nothing in a file of an unknown shape."""
    with pytest.raises(HoldfastError, match="is not written"):
        Editor("x.md", FORMATS, NOW).make(b"# Notes\n", [loops(ROW)])
