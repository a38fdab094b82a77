"""Labels, the lines by which people keep one value under a name, in offsets into the file's bytes."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.markdown.document import Document, Label, splice
from tests.support.lineends import NEWLINES

# Pieces of labels and what may be around them; strung together they make files that nobody would think of.
PIECES = st.sampled_from(
    "**A:** |**B**: |__C:__ |Plain: |- |* |1. |  |    |\t|x|y z|é|状态\uff1a|✅ |[x] | · |, | - |  \n|\\\n|\n|\r\n|"
    "\r|\n\n|`|``|<!-- | -->|<b>|> |## |```\n|<div>\n|:|**|__|*|\0|---\n|<aa>\n|</aa>\n".encode().split(b"|")
)
CELLS = st.sampled_from([b"| A | x |\n", b"|-|-|\n", b"| **B:** |", b" | ", b"\xff"])
FILES = st.lists(PIECES | CELLS, max_size=14).map(b"".join) | st.binary()


def labels(document: Document) -> list[Label]:
    """Return all labels of a file."""
    return document.labels(0, len(document.data))


def value(document: Document, label: Label) -> str:
    """Return a label's value, its lines joined."""
    return " ".join(document.text(label.value_start, label.value_end).split())


def pairs(text: str) -> list[tuple[str, str]]:
    """Return name and value of each label."""
    document = Document(text.encode())
    return [(label.name, value(document, label)) for label in labels(document)]


@pytest.mark.parametrize(
    ("text", "style", "item"),
    [
        ("**Status:** x y\n", "bold", False),
        ("**Status**: x y", "bold", False),
        ("__Status:__ x y\n", "bold", False),
        ("__Status__: x y\n", "bold", False),
        ("**Status** : x y\n", "bold", False),
        ("**Status :** x y\n", "bold", False),
        ("**Status:**x y\n", "bold", False),
        ("  **Status:**   x y  \n", "bold", False),
        ("✅ **Status:** x y\n", "bold", False),
        ("✅**Status:** x y\n", "bold", False),
        ("1️⃣ **Status:** x y\n", "bold", False),
        ("[x] **Status:** x y\n", "bold", False),
        ("- **Status:** x y\n", "bold", True),
        ("* **Status**: x y\n", "bold", True),
        ("1. __Status__: x y\n", "bold", True),
        ("- [ ] **Status:** x y\n", "bold", True),
        ("- 🎯 **Status:** x y\n", "bold", True),
        ("- a\n\n  **Status:** x y\n", "bold", False),
        ("- a\n  **Status:** x y\n", "bold", False),
        ("Status: x y\n", "plain", False),
        ("Status:\tx y\n", "plain", False),
        ("Status : x y\n", "plain", False),
        ("✅ Status: x y\n", "plain", False),
        ("text\nStatus: x y\n", "plain", False),
        ("+ Status: x y\n", "plain", True),
        ("- [✅] Status: x y\n", "plain", True),
        ("| Status | x y |\n|---|---|\n", "row", False),
        ("| # |\n|---|\n\n| **Status:** | x y | z |\n|---|---|---|\n", "row", False),
        ("Status|x y\n-|-\n", "row", False),
        ("## Status: x y\n", "heading", False),
        ("# **Status:** x y #\n", "heading", False),
        ("# **Status: x y**\n", "heading", False),
        ("# **Status**: x y\n", "heading", False),
        ("# 🎯 Status: x y\n", "heading", False),
        ("Status: x y\n===========\n", "heading", False),
    ],
)
def test_finds_labels_in_six_styles(text: str, style: str, *, item: bool) -> None:
    """The name comes without colon, emphasis and what precedes it, the value without what surrounds it."""
    for start, newline in product(("", "\ufeff", "---\na: é\n---\n", "é\n\n"), NEWLINES):
        data = (start + text).replace("\n", newline).encode()
        document = Document(data)
        (label,) = labels(document)
        assert (label.name, value(document, label), label.style, label.item) == ("Status", "x y", style, item), data
        lines = text.replace("\n", newline).encode().splitlines(keepends=True)
        assert data[label.start : label.end] in {b"".join(lines), *lines}


@pytest.mark.parametrize(
    "name",
    [
        "Blocker (P1)",
        "Blockers/Concerns",
        "last_updated",
        "🎯 Focus",
        "Phase 2 of 3",
        "Статус",
        "状态",
        "R&D",
        "Q1 'go'",
    ],
)
def test_names_are_kept_as_they_are(name: str) -> None:
    """A name may hold more than words."""
    for text in (f"**{name}:** v\n", f"**{name}**: v\n", f"- __{name}:__ v\n", f"| **{name}** | v |\n|-|-|\n"):
        assert pairs(text) == [(name, "v")]
    assert pairs(f"{name}: v\n") == [(name.removeprefix("🎯 "), "v")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("https://example.org x\n", id="an address"),
        pytest.param("15:45 x\nat 15:45 x\n", id="a time"),
        pytest.param("3 things: x\n", id="a digit first"),
        pytest.param("name:x\n", id="nothing after the colon"),
        pytest.param("**name**:x\n", id="nothing after the colon of a bold name"),
        pytest.param("This is a sentence of seven words: x\n", id="too many words"),
        pytest.param("One. Two: x\nWhy? So: x\nHo! So: x\n一。二\uff1ax\n", id="sentences"),
        pytest.param("a `b`: x\na <b>: x\n[a]: x y\na *b*: x\n", id="code, tags, links, emphasis"),
        pytest.param(f"**{'a' * 61}:** x\n{'a' * 61}: x\n| {'a' * 61} | x |\n|-|-|\n", id="too long"),
        pytest.param("**:** x\n**-:** x\n****:** x\n", id="no name"),
        pytest.param("**a: b** x\n**a** b: x\n", id="no colon at its end"),
        pytest.param("so **a:** x\nété **a:** x\n(**a:** x)\n状态 **a:** x\n", id="text in front"),
        pytest.param("\\**a:** x\n\\*\\*a:** x\n", id="escaped"),
        pytest.param("`**a:** x`\n``a\n**b:** x``\n", id="in code spans"),
        pytest.param("```\n**a:** x\nb: x\n```\n\n    **a:** x\n", id="in code blocks"),
        pytest.param("<!-- **a:** x\nb: x -->\n", id="in a comment"),
        pytest.param("x <!--\n**a:** x\nb: x --> c\n", id="in a comment within a paragraph"),
        pytest.param("<div>\n**a:** x\n</div>\n", id="in HTML"),
        pytest.param("> b: x\n\n## s\n\n> **a:** x\n> b: x\n\n- > **c:** x\n", id="in quotes"),
        pytest.param("---\na: x\n---\n", id="in frontmatter"),
        pytest.param("| a |\n|---|\n| `b` |\n|  | x |\n", id="rows of one cell"),
        pytest.param("# `a: x`\n# a\n# 1. a: x\n", id="headings"),
    ],
)
def test_finds_no_label(text: str) -> None:
    """What is no label, or stands where nothing is one."""
    assert pairs(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("**A:** 1 | **B:** x\n", [("A", "1"), ("B", "x")], id="a bar"),
        pytest.param("**A:** 1 · **B:** 2 • **C:** 3\n", [("A", "1"), ("B", "2"), ("C", "3")], id="dots"),
        pytest.param("**A:** 1  **B:** 2 **C:** 3\n", [("A", "1"), ("B", "2"), ("C", "3")], id="blanks"),
        pytest.param("**A:** 1 - **B:** 2 \u2013 **C**: 3\n", [("A", "1"), ("B", "2"), ("C", "3")], id="dashes"),
        pytest.param("**A:** 1, **B:** 2; **C:** 3\n", [("A", "1"), ("B", "2"), ("C", "3")], id="commas"),
        pytest.param(
            "**A:** a-b- **B:** c/ **C:** d\n", [("A", "a-b-"), ("B", "c/"), ("C", "d")], id="parts of a value"
        ),
        pytest.param("**A:** 1 | ✅ **B:** ❌\n", [("A", "1"), ("B", "❌")], id="an emoji before the name"),
        pytest.param("**A:** ✅ **B:** ❌\n", [("A", "✅"), ("B", "❌")], id="an emoji as the value"),
        pytest.param("**A:** 1, 完成 **B:** 2\n", [("A", "1, 完成"), ("B", "2")], id="a word after a comma"),
        pytest.param("**A:** | **B:**\n", [("A", ""), ("B", "")], id="no values"),
        pytest.param("**A:** use **b** (**C:** d)\n", [("A", "use **b** (**C:** d)")], id="emphasis in a value"),
        pytest.param("**A:** `**B:** c` **D:** e\n", [("A", "`**B:** c`"), ("D", "e")], id="code in a value"),
        pytest.param("A: 1 | **B:** 2\n", [("A", "1 | **B:** 2")], id="after a plain one"),
        pytest.param("- **A:** 1 | **B:** 2\n  x\n- **C:** 3\n", [("A", "1"), ("B", "2 x"), ("C", "3")], id="in items"),
    ],
)
def test_several_labels_on_one_line(text: str, expected: list[tuple[str, str]]) -> None:
    """A bold label's value ends before what separates it from the next one."""
    assert pairs(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("**A:** x\ny\n  z\n\nw\n", ["x\ny\n  z"], id="a paragraph"),
        pytest.param("A: x\ny\n**B:** z\nC: w", ["x\ny", "z", "w"], id="to the next label"),
        pytest.param("**A:** x  \n**B:** y\\\n**C:** z  \n", ["x", "y", "z"], id="hard breaks"),
        pytest.param("**A:** x\\\\\n**B:** C:\\\n", ["x\\\\", "C:\\"], id="backslashes that are none"),
        pytest.param("**A:** x  \ny\\\nz\n", ["x  \ny\\\nz"], id="hard breaks within"),
        pytest.param("**A:**\nx\ny\n", ["x\ny"], id="from the next line on"),
        pytest.param("- A: x\n  y\n- z\n", ["x\n  y"], id="an item"),
        pytest.param("A: x\n# y\n", ["x"], id="to a heading"),
        pytest.param("A: x\n<!-- y -->\nz\n", ["x"], id="to a comment"),
        pytest.param("A: x\n| b | c |\n|-|-|\n", ["x", "c"], id="to a table"),
        pytest.param("A: x\n- y\n", ["x"], id="to a list"),
        pytest.param("A: x\n2. y\n", ["x\n2. y"], id="over what is no list"),
        pytest.param("A: x <!-- y\nB: z --> w\n", ["x <!-- y\nB: z --> w"], id="over a comment"),
        pytest.param("<aa>\nA: x\n</aa>\ny\n", ["x"], id="to a tag"),
        pytest.param("| A | x\\|y |\n|-|-|\n", ["x\\|y"], id="a cell"),
        pytest.param("# A: x ##\ny\n", ["x"], id="a heading"),
    ],
)
def test_a_value_may_have_several_lines(text: str, expected: list[str]) -> None:
    """A value goes on to the next label or the paragraph's end, and its label's lines with it."""
    for newline in NEWLINES:
        document = Document(text.replace("\n", newline).encode())
        found = labels(document)
        assert [document.text(each.value_start, each.value_end).replace(newline, "\n") for each in found] == expected
        for label in found:
            assert document.text(label.value_end, label.end).strip("| \\#\r\n") == ""
            assert document.text(label.start, label.end).endswith(newline) or label.end == len(document.data)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("**A:**\n", "**A:**new\n"),
        ("**A:** \n", "**A:** new\n"),
        ("**A:**   \n\nx\n", "**A:** new  \n\nx\n"),
        ("**A:** | **B:** x", "**A:** new| **B:** x"),
        ("- A:", "- A:new"),
        ("- A: \n  - b\n", "- A: new\n  - b\n"),
        ("# A:\n", "# A:new\n"),
        ("| A |  |\n|-|-|\n", "| A | new |\n|-|-|\n"),
    ],
)
def test_an_empty_value_has_a_place(text: str, filled: str) -> None:
    """Where there is no value, its place is after the name and one blank."""
    data = text.encode()
    label = labels(Document(data))[0]
    assert splice(data, label.value_start, label.value_end, b"new").decode() == filled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("**Children:**\n- a\n  - b\n- c\n", ["a", "c"], id="a list below"),
        pytest.param("Children:\n1. a\n", ["a"], id="a plain name"),
        pytest.param("## Children:\n- a\n", ["a"], id="a heading"),
        pytest.param("- Children:\n  - [x] a\n  - b\n- c\n", ["a", "b"], id="a nested list"),
        pytest.param("- c\n- **Children:**\n    * a\n", ["a"], id="a list that is nested deeper"),
        pytest.param("- Children:\n\t- a\n", ["a"], id="a list that is nested by a tab"),
        pytest.param("**Children:** x\n- a\n", [], id="a value"),
        pytest.param("**Children:**\nx\n- a\n", [], id="a value on the next line"),
        pytest.param("**Children:**\n\n- a\n", ["a"], id="a blank line"),
        pytest.param("**Children:**\n\n\n- a\n", [], id="two blank lines"),
        pytest.param("- Children:\n- a\n", [], id="a list that goes on"),
        pytest.param("**Children:**\n> - a\n", [], id="a quote"),
    ],
)
def test_a_list_may_stand_in_place_of_a_value(text: str, expected: list[str]) -> None:
    """A label without a value that a list follows, at most a blank line apart, has its outermost items."""
    document = Document(text.encode())
    (label,) = labels(document)
    assert label.name == "Children"
    assert [document.text(item.text_start, item.text_end) for item in label.items] == expected


def test_of_several_labels_the_last_has_the_list() -> None:
    """Only the label that a list follows has its items."""
    document = Document(b"**A:** | **B:**\n- x\n")
    assert [len(label.items) for label in labels(document)] == [0, 1]
    assert [label.name for label in document.labels(0, 1)] == ["A", "B"]
    assert document.labels(1, 20) == []


@given(FILES)
@example(b"**A:** x\\\n**B:** [x] \xe2\x9c\x85 **C:** ")
def test_values_lie_in_their_lines_and_apart(data: bytes) -> None:
    """Whatever the file, a value lies in its label's lines, after its name, and in no other label's value."""
    document = Document(data)
    found = labels(document)
    starts = {document.body, len(data)} | {at for at in range(1, len(data)) if data[at - 1] in b"\r\n"}
    at = 0
    for label in found:
        assert at <= label.value_start <= label.value_end <= label.end <= len(data)
        assert document.body <= label.start <= label.value_start
        assert {label.start, label.end} <= starts
        assert 0 < len(label.name) <= 60
        assert label.name.split()[0] in document.text(label.start, label.end)
        assert document.text(label.value_start, label.value_end).strip(" \t\r\n") == document.text(
            label.value_start, label.value_end
        )
        assert all(label.end <= item.start < item.end <= len(data) for item in label.items)
        at = label.value_end
    assert all(one.end <= other.start or one.start == other.start for one, other in pairwise(found))


@given(FILES, st.sampled_from([b"new", "é ✅".encode(), b"1.5"]))
def test_a_replaced_value_is_the_value(data: bytes, new: bytes) -> None:
    """A label's value is replaced by a splice; then the same label has the new one."""
    document = Document(data)
    for label in labels(document):
        if label.value_start == label.value_end or label.style == "row":
            continue
        changed = Document(splice(data, label.value_start, label.value_end, new))
        again = [each for each in labels(changed) if each.value_start == label.value_start]
        assert [(each.name, value(changed, each)) for each in again] == [(label.name, new.decode())]


@given(FILES, st.integers(0, 60), st.integers(1, 12))
@example(b"x\n" * 40 + b"**A:** 1\n**B:** 2\n\n**C:** 3\n", 88, 12)
@example(b"---\nsession:\n1. 1. 1.   status: i", 11, 3)
def test_labels_read_where_they_are_asked_for_are_those_of_the_whole(data: bytes, start: int, length: int) -> None:
    """A small part of a file has the labels that it has when all are read."""
    data += b"\n\ntext" * 40
    whole, part = Document(data), Document(data)
    known = whole.labels(0, len(data))
    assert len(data) > 8 * length, "the part is read alone"
    shown = [
        [(label.name, label.start, label.end, label.value_start, label.value_end) for label in found]
        for found in (
            [label for label in known if start <= label.start < start + length],
            part.labels(start, start + length),
        )
    ]
    assert shown[0] == shown[1]
