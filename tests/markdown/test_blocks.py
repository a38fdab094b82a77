"""A Markdown file's blocks, lists and tables, in offsets into its bytes."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.markdown.document import Document, Item
from tests.support.lineends import NEWLINES

# Pieces that mean something in Markdown; strung together they make files that nobody would think of.
PIECES = st.sampled_from(
    "- /* /1. /10) /  /    /\t/[x] /[✅] /[a]: b\n/a\n/é/\0/\r\n/\r/\n/\n\n/> /# A\n/---\n/```\n/~~~/<!--/-->\n/`c`/"
    "<b>/**B:** /\\/\\*/<aa>\n/<div>\n/| a | b |\n/|-|-|\n/| c\n/|".encode().split(b"/")
)
FILES = st.lists(PIECES | st.sampled_from([b"\xff", b"\xc3"]), max_size=14).map(b"".join) | st.binary()


def shown(document: Document, item: Item) -> str:
    """Return an item's depth, marker, box and text on one line."""
    box = f"[{document.text(*item.box)}] " if item.box else ""
    text = document.text(item.text_start, item.text_end)
    return f"{'  ' * item.depth}{item.marker.decode()} {box}{' '.join(text.split())}".rstrip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("- a\n* b\n+ c\n1. d\n20) e\n", ["- a", "* b", "+ c", "1. d", "20) e"], id="markers"),
        pytest.param("- a\n  b\nc\n", ["- a b c"], id="several lines"),
        pytest.param("- a\n\n  b\n\n- c\n", ["- a", "- c"], id="several paragraphs"),
        pytest.param("- a\n  - b\n    1. c\n- d\n", ["- a", "  - b", "    1. c", "- d"], id="nested"),
        pytest.param("- a\n\t- b\n\n\t\t- c\n", ["- a", "  - b", "    - c"], id="nested by tabs"),
        pytest.param("- - a\n  - b\n", ["-", "  - a", "  - b"], id="nested on one line"),
        pytest.param("- [ ] a\n- [x] b\n- [~] c\n- [!] d\n", ["- [ ] a", "- [x] b", "- [~] c", "- [!] d"], id="boxes"),
        pytest.param("- [✅] a\n- [→] b\n- [⚠️] c\n", ["- [✅] a", "- [→] b", "- [⚠️] c"], id="boxes with signs"),
        pytest.param("1. [x]  a\n- [ ]\n- [x] \n  b\n", ["1. [x] a", "- [ ]", "- [x] b"], id="more boxes"),
        pytest.param("- [Phase 01]: a\n- [Phase 02]: b c\n", ["- [Phase 01]: a", "- [Phase 02]: b c"], id="names"),
        pytest.param("- [a](b)\n- [a][b]\n- [x]\n\n[x]: c\n", ["- [a](b)", "- [a][b]", "- [x]"], id="links"),
        pytest.param("- \\*a\n- **b** `c` <d>\n", ["- \\*a", "- **b** `c` <d>"], id="escapes, emphasis, code, HTML"),
        pytest.param("-\n  a\n-\n- # b\n- ```\n  c\n  ```\n", ["- a", "-", "-", "-"], id="no text on the first line"),
        pytest.param("- a\n\n      code\n- <!-- b -->\n", ["- a", "-"], id="code and comments"),
        pytest.param("> - a\n\n```\n- b\n```\n<!--\n- c\n-->\n", [], id="in quotes, fences and comments"),
        pytest.param("a\n2. b\n\n---\n\\- c\n", [], id="none at all"),
    ],
)
def test_finds_items(text: str, expected: list[str]) -> None:
    """Items are those of all lists outside quotes, with the text of their first paragraph."""
    for start, newline in product(("", "\ufeff", "---\na: é\n---\n"), NEWLINES):
        document = Document((start + text).replace("\n", newline).encode())
        found = [shown(document, item) for item in document.items(0, len(document.data))]
        assert found == expected, document.data


def test_items_are_whole_lines() -> None:
    """An item ends after its last line, the blank lines after it are nobody's, and nested items lie within."""
    text = "- a\n\n  b\n\n\n- c\n  - d\n\n\n- - e\n\ntext\n"
    document = Document(text.encode())
    assert [document.text(item.start, item.end) for item in document.items(0, len(text))] == [
        "- a\n\n  b\n",
        "- c\n  - d\n",
        "  - d\n",
        "- - e\n",
        "- e\n",
    ]
    assert [item.marker for item in document.items(text.index("- c"), text.index("- - e"))] == [b"-", b"-"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("| a | b |\n|---|:-:|\n|  **c**  | `d` |\n", [["a", "b"], ["**c**", "`d`"]], id="usual"),
        pytest.param("a|b\n-|-\nc|d", [["a", "b"], ["c", "d"]], id="bare, no final newline"),
        pytest.param("| a \\| b | c |\n|-|-|\n", [["a \\| b", "c"]], id="a pipe in a cell"),
        pytest.param("| a | b |\n|-|-|\n| c |\n| d\n", [["a", "b"], ["c"], ["d"]], id="rows that are too short"),
        pytest.param("| a | b |\n|-|-|\n||  |\n", [["a", "b"], ["", ""]], id="empty cells"),
        pytest.param("text\n| a |\n|-|\n- x\n\n  | b |\n  |-|\n", [["a"], ["b"]], id="after text, in an item"),
        pytest.param("> | a |\n> |-|\n\n```\n| a |\n|-|\n```\n| b | c |\n|-|\n", [], id="none at all"),
    ],
)
def test_finds_rows(text: str, expected: list[list[str]]) -> None:
    """Rows are those of all tables outside quotes, the first of each its header."""
    document = Document(text.encode())
    rows = document.rows(0, len(document.data))
    assert [[document.text(*cell) for cell in row.cells] for row in rows] == expected
    assert not rows or rows[0].header


def test_an_empty_cell_is_where_its_value_goes() -> None:
    """What is put into an empty cell stands a blank after the bar."""
    data = b"| a | b |\n|---|---|\n|   |  |\n"
    row = Document(data).rows(0, len(data))[1]
    assert row.cells == [(22, 22), (26, 26)]
    assert (row.start, row.end, row.header) == (20, len(data), False)


def test_finds_blocks() -> None:
    """Blocks are whole lines, and the lines between them are blank, tag lines, or definitions of links."""
    parts = [
        ("heading", "# A\n"),
        ("paragraph", "b\nc\n"),
        ("list", "- d\n\n  e\n"),
        ("", "\n\n"),
        ("table", "| f |\n|---|\n"),
        ("", "\n<aa>\n"),
        ("quote", "> g\nlazy\n"),
        ("code", "```\n\n# h\n```\n"),
        ("rule", "***\n"),
        ("", "</aa>\n"),
        ("comment", " <!-- i\n\n-->\n"),
        ("html", "<div>\n# j\n"),
        ("", "\n"),
        ("code", "    k\n\n    l\n"),
        ("", "[m]: n\n"),
        ("heading", "o\n===\n"),
        ("list", "1. p\n"),
        ("list", "- q"),
    ]
    data = "".join(part for _, part in parts).encode()
    document = Document(data)
    assert [(kind, document.text(start, end)) for kind, start, end in document.blocks(0, len(data))] == [
        part for part in parts if part[0]
    ]
    assert [document.text(*span) for span in document.paragraphs(0, len(data))] == ["b\nc\n"]
    assert document.blocks(4, 8) == [("paragraph", 4, 8)]
    assert document.blocks(5, 8) == document.blocks(8, 8) == []


@given(FILES)
@example(b"- [x] \r\n\xff")
@example(b"- a\n\n\t- b\n\n- c\n")
def test_every_span_lies_where_it_should(data: bytes) -> None:
    """Whatever the file, spans are in order and within what holds them, and whole lines are whole."""
    document = Document(data)
    size = len(data)
    starts = {document.body, size} | {
        at for at in range(1, size) if data[at - 1 : at + 1] != b"\r\n" and data[at - 1] in b"\r\n"
    }
    edges = [edge for _, *span in document.blocks(0, size) for edge in span]
    assert edges == sorted(edges)
    assert set(edges) <= starts
    around: list[Item] = []
    for item in document.items(0, size):
        while len(around) > item.depth:
            around.pop()
        assert not around or around[-1].start < item.start < item.end <= around[-1].end
        assert document.body <= item.start < item.text_start <= item.text_end <= item.end <= size
        assert item.marker in data[item.start : item.text_start]
        assert item.end in starts
        assert not item.box or item.start < item.box[0] < item.box[1] < item.text_start
        assert document.text(item.text_start, item.text_end).strip(" \t\r\n") == document.text(
            item.text_start, item.text_end
        )
        around.append(item)
    for row in document.rows(0, size):
        assert {row.start, row.end} <= starts
        cells = [edge for cell in row.cells for edge in cell]
        assert [row.start, *cells, row.end] == sorted([row.start, *cells, row.end])
