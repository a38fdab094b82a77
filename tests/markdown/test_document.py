"""A Markdown file's structure, in offsets into its bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.markdown.document import Document, splice, splices
from tests.support.lineends import NEWLINES

BOM = b"\xef\xbb\xbf"
MARK = b"<!-- holdfast:files -->\n"
# Pieces that mean something in Markdown; strung together they make files that nobody would think of.
PIECES = st.sampled_from(
    b"# A\n|## B|\n|\r\n|\r|---\n|==\n|```\n|~~~~\n|- |> |    |\t|<!--|-->\n|<pre>\n|text|\xc3\xa9|\xff|\0|\xe2\x80\xa8"
    b"|\x0c|\xef\xbb\xbf|a: 1\n|<!-- holdfast:files -->\n|<!-- /holdfast:files -->\n|<<<<<<< a\n|\n>>>>>>> b\n|<aa>\n"
    b"|</aa>\n|<bb>\n|</bb>\n".split(b"|")
)
FILES = st.lists(PIECES, max_size=14).map(b"".join) | st.binary()


def titles(data: bytes) -> list[tuple[int, str]]:
    """Return level and title of each heading."""
    return [(heading.level, heading.title) for heading in Document(data).headings]


@pytest.mark.parametrize(
    ("data", "front", "body"),
    [
        pytest.param(b"---\na: 1\n---\n# T\n", b"a: 1\n", b"# T\n", id="usual"),
        pytest.param(b"---  \na: 1\n--- \t\n# T\n", b"a: 1\n", b"# T\n", id="blanks after the rules"),
        pytest.param(BOM + b"---\na: 1\n---\n# T\n", b"a: 1\n", b"# T\n", id="a byte order mark"),
        pytest.param(b"---\r\na: 1\r\n---\r\n# T\r\n", b"a: 1\r\n", b"# T\r\n", id="CRLF"),
        pytest.param(b"---\ra: 1\r---\r# T\r", b"a: 1\r", b"# T\r", id="CR"),
        pytest.param(b"---\n---\n# T\n", b"", b"# T\n", id="empty"),
        pytest.param(b"---\na: 1\n---", b"a: 1\n", b"", id="no final newline"),
        pytest.param(b"---\na: 1\n# T\n", None, b"---\na: 1\n# T\n", id="unclosed"),
        pytest.param(
            b"---\na: x---\n --- \n# T\n", None, b"---\na: x---\n --- \n# T\n", id="no rule at a line's start"
        ),
        pytest.param(b"# T\n\n---\n\na: 1\n\n---\n", None, b"# T\n\n---\n\na: 1\n\n---\n", id="rules further down"),
        pytest.param(b"\n---\na: 1\n---\n", None, b"\n---\na: 1\n---\n", id="a line before it"),
        pytest.param(b"----\na: 1\n----\n", None, b"----\na: 1\n----\n", id="four dashes"),
        pytest.param(BOM + b"# T\n", None, b"# T\n", id="only a byte order mark"),
        pytest.param(b"", None, b"", id="nothing"),
    ],
)
def test_finds_frontmatter(data: bytes, front: bytes | None, body: bytes) -> None:
    """Frontmatter is what is between two rules, the first of them at the very beginning."""
    document = Document(data)
    assert (data[slice(*document.frontmatter)] if document.frontmatter else None) == front
    assert data[document.body :] == body


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"# A\n### B ###\n", [(1, "A"), (3, "B")], id="ATX"),
        pytest.param(b"A\n===\n\nB\n---\n", [(1, "A"), (2, "B")], id="setext"),
        pytest.param(b"A\n\n---\n\nB\n", [], id="a rule"),
        pytest.param(b"#A\n    # B\n\\# C\n####### D\n", [], id="none at all"),
        pytest.param(b"#\n", [(1, "")], id="empty"),
        pytest.param(b"```\n# A\n```\n# B\n", [(1, "B")], id="in a fence"),
        pytest.param(b"~~~ md\n# A\n```\n# B\n~~~\n# C\n", [(1, "C")], id="in a fence of tildes"),
        pytest.param(b"````\n```\n# A\n```\n# B\n````\n# C\n", [(1, "C")], id="in a fence of four"),
        pytest.param(b"# A\n```\n# B\n", [(1, "A")], id="in a fence that never closes"),
        pytest.param(b"<!--\n# A\n-->\n# B\n", [(1, "B")], id="in a comment"),
        pytest.param(b"<!--\n# A\n\n# B\n", [], id="in a comment that never closes"),
        pytest.param(b"- # A\n- b\n\n  ## C\n> # D\n\n# E\n", [(1, "E")], id="in lists and quotes"),
        pytest.param(b"<details>\n# A\n\n# B\n</details>\n", [(1, "B")], id="in HTML"),
        pytest.param(b"- ```\n  # A\n\n# B\n", [(1, "B")], id="after a fence that its list ends"),
        pytest.param(b"## **A**\n## `b` c\n## _D_\n", [(2, "A"), (2, "`b` c"), (2, "D")], id="emphasis around it"),
        pytest.param(b"---\n# a: 1\n---\n# A\n", [(1, "A")], id="a comment in frontmatter"),
        pytest.param(
            "# Voilà\n# ЖУРНАЛ И\n# 🎯 Å\n".encode(), [(1, "Voilà"), (1, "ЖУРНАЛ И"), (1, "🎯 Å")], id="UTF-8"
        ),
        pytest.param(b"# A\xff\n# \xc3\n# \x00\n", [(1, "A\ufffd"), (1, "\ufffd"), (1, "\ufffd")], id="invalid bytes"),
        pytest.param(b"# A\x0c\xe2\x80\xa8B\n", [(1, "A\x0c\u2028B")], id="what only Python takes for line ends"),
    ],
)
def test_finds_headings(data: bytes, expected: list[tuple[int, str]]) -> None:
    """Headings are what CommonMark takes for headings, outside everything that contains text of its own."""
    assert titles(data) == expected


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("start", ["", "\ufeff", "---\na: é\n---\n", "\ufeff---\na: 1\n---\n"], ids=ascii)
def test_sections_end_where_the_next_of_their_level_begins(newline: str, start: str) -> None:
    """A section reaches to the next heading that is not deeper, counted in bytes, whatever precedes it."""
    text = start + "# É\nà\n## B\nb\n### C\nc\n\nD\n---\nd\n# E"
    data = text.replace("\n", newline).encode()
    document = Document(data)
    cut = [data[heading.start : heading.end].decode().split(newline) for heading in document.headings]
    assert cut == [
        ["# É", "à", "## B", "b", "### C", "c", "", "D", "---", "d", ""],
        ["## B", "b", "### C", "c", "", ""],
        ["### C", "c", "", ""],
        ["D", "---", "d", ""],
        ["# E"],
    ]
    assert [document.section(title) for title in ("é", "C", "D", "E", "F")] == [
        newline.join(["à", "## B", "b", "### C", "c", "", "D", "---", "d"]),
        "c",
        "d",
        "",
        None,
    ]


def test_the_first_of_two_headings_counts() -> None:
    """Of two sections with one title the first is meant, and its text is not the second's."""
    document = Document(b"## A\none\n## a\ntwo\n# A\nthree\n")
    assert document.section("A") == "one"
    assert [heading.level for heading in document.headings] == [2, 2, 1]


@pytest.mark.parametrize(
    ("data", "inside"),
    [
        pytest.param(MARK + b"- `a`\n\n- `b`\n", b"- `a`\n", id="up to a blank line"),
        pytest.param(b"# T\r\n\r\n" + MARK[:-1] + b"\r\n", b"", id="empty, CRLF"),
        pytest.param(MARK + b"x", b"x", id="no final newline"),
        pytest.param(b"text\n\n" + MARK + b"x\n# T\ny\n", b"x\n", id="up to a heading"),
        pytest.param(MARK + b"x\n<!-- c -->\ny\n", b"x\n", id="up to a comment"),
        pytest.param(b"<!-- holdfast:files 3 a1 -->\na\n\nb\nc\n", b"a\n\nb\n", id="a number of lines"),
        pytest.param(b"<!-- holdfast:files 3 a1 -->\na\n", b"a\n", id="fewer lines than that"),
        pytest.param(b"<!-- holdfast:files 0 a1 -->\na\n", b"", id="no line"),
        pytest.param(b"", None, id="no mark"),
        pytest.param(MARK + b"x\n\n" + MARK, None, id="two marks"),
        pytest.param(b"<!-- /holdfast:files -->\nx\n", None, id="another mark"),
        pytest.param(b"```\n" + MARK + b"```\n", None, id="in a fence"),
        pytest.param(b"```\n" + MARK, None, id="in an unclosed fence"),
        pytest.param(b"<!--\n" + MARK, None, id="a mark that ends a comment"),
        pytest.param(b"- x\n  " + MARK, None, id="in a list"),
        pytest.param(b"> " + MARK, None, id="in a quote"),
    ],
)
def test_finds_a_block_only_when_there_is_no_doubt(data: bytes, inside: bytes | None) -> None:
    """A block is below one mark that is alone on its line: so many lines, or those up to a blank one."""
    document = Document(data)
    span = document.block("files")
    assert (None if span is None else data[slice(*span)]) == inside


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<context>\n# A\nb\n</context>\n", [("context", "# A\nb\n")], id="usual"),
        pytest.param("<a_b-1> \t\nb\n</a_b-1>", [("a_b-1", "b\n")], id="every character, blanks, no final newline"),
        pytest.param("<aa>\n</aa>\n", [("aa", "")], id="empty"),
        pytest.param(
            "<aa>\n- b\n</aa>\n<bb>\n- c\n</bb>\n", [("aa", "- b\n"), ("bb", "- c\n")], id="lists, end to end"
        ),
        pytest.param("<aa>\n<bb>\nc\n</bb>\n</aa>\n", [("aa", "<bb>\nc\n</bb>\n"), ("bb", "c\n")], id="nested"),
        pytest.param("<aa>\n<bb>\n</aa>\n</bb>\n", [("aa", "<bb>\n")], id="crossed"),
        pytest.param("<aa>\n<aa>\nb\n</aa>\n</aa>\n", [("aa", "b\n")], id="one name twice"),
        pytest.param("<aa>\nb\n</aa>\n<aa>\nc\n</aa>\n", [("aa", "b\n"), ("aa", "c\n")], id="one name again"),
        pytest.param("text\n<aa>\nb\n</aa>\ntext\n", [("aa", "b\n")], id="text right around it"),
        pytest.param("<div>\n<aa>\nb\n</aa>\n</div>\n", [("aa", "b\n")], id="in HTML"),
        pytest.param("<aa>\n```\n</aa>\n```\nb\n</aa>\n", [("aa", "```\n</aa>\n```\nb\n")], id="a fence with its end"),
        pytest.param("```\n<aa>\nb\n</aa>\n```\n", [], id="in a fence"),
        pytest.param("<!--\n<aa>\nb\n</aa>\n-->\n", [], id="in a comment"),
        pytest.param("<!--\n<aa>\nb\n-->\n</aa>\n", [], id="half in a comment"),
        pytest.param("<aa>\nb\n", [], id="unclosed"),
        pytest.param("b\n</aa>\n", [], id="unopened"),
        pytest.param("<aa>\nb\n</bb>\n", [], id="two names"),
        pytest.param("<aa>\nb\n</AA>\n", [], id="two spellings"),
        pytest.param("<div>\nb\n</div>\n<Details>\nb\n</Details>\n", [], id="HTML"),
        pytest.param('<aa b="c">\nd\n</aa>\n', [], id="attributes"),
        pytest.param(" <aa>\nb\n </aa>\n- <bb>\n  c\n  </bb>\n", [], id="indented"),
        pytest.param("<aa> b\n</aa>\nx <aa>\n</aa>\n", [], id="not alone"),
    ],
)
def test_finds_tagged_sections(text: str, expected: list[tuple[str, str]]) -> None:
    """A tagged section is between two tag lines that no HTML element is named like."""
    for newline in NEWLINES:
        document = Document(text.replace("\n", newline).encode())
        found = [(tag.title, document.text(tag.body, tag.end).replace(newline, "\n")) for tag in document.tags]
        assert found == expected, document.data
        for tag in document.tags:
            assert document.text(tag.start, tag.body).startswith(f"<{tag.title}>")
            assert document.text(tag.end, len(document.data)).startswith(f"</{tag.title}>")
            assert tag.level == 7


def test_a_tag_that_stays_alone_is_html() -> None:
    """What has no counterpart is what CommonMark takes it for, and what is paired holds Markdown."""
    assert titles(b"<aa>\n# A\n\n# B\n") == [(1, "B")]
    assert titles(b"<aa>\n# A\n</aa>\n<bb>\n# B\n") == [(1, "A")]


def test_sections_lie_within_tags_or_around_them() -> None:
    """A heading ends with the tag that it is in, and does not end a section that began before the tag."""
    document = Document(b"# A\n<aa>\n## B\nb\n# C\n</aa>\na\n## D\n# E\n")
    assert [(section.title, document.text(section.body, section.end)) for section in document.sections] == [
        ("A", "<aa>\n## B\nb\n# C\n</aa>\na\n## D\n"),
        ("aa", "## B\nb\n# C\n"),
        ("B", "b\n"),
        ("C", ""),
        ("D", ""),
        ("E", ""),
    ]
    assert [section.title for section in document.headings] == ["A", "B", "C", "D", "E"]


@pytest.mark.parametrize(
    ("data", "flaws"),
    [
        pytest.param(b"# T\n\n```\na\n```\n<!-- b -->\n", [], id="none"),
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"---\na: b\n# T\n", [(0, "frontmatter")], id="frontmatter"),
        pytest.param(BOM + b"---\r\n# a\r\nb:\r\n", [(3, "frontmatter")], id="frontmatter after a BOM and a comment"),
        pytest.param(b"---\n\n# T\n", [], id="a rule"),
        pytest.param(b"---\n\na: b\n", [], id="a rule, a blank line and a key"),
        pytest.param(b"---\n# T\ntext\n", [], id="a rule and no key"),
        pytest.param(b"---\na: b\n---\nc: d\n", [], id="closed frontmatter"),
        pytest.param(b"# T\n\n```\na\n", [(5, "fence")], id="a fence"),
        pytest.param(b"````\na\n```\n", [(0, "fence")], id="a fence with a shorter one"),
        pytest.param(b"~~~\na\n```", [(0, "fence")], id="a fence with another one"),
        pytest.param(b"```\n```\n```", [(8, "fence")], id="a fence at the very end"),
        pytest.param(b"- ```\n  a\n\nb\n", [(2, "fence")], id="a fence in a list"),
        pytest.param(b"> ```\n> a\n\nb\n", [(2, "fence")], id="a fence in a quote"),
        pytest.param(b"> ```\n> ```\n- ~~~\n  ~~~~ \n", [], id="fences that close in a list and a quote"),
        pytest.param(b"    ```\n", [], id="indented code that is a fence"),
        pytest.param(b"a\n<!--\n# b\n", [(2, "comment")], id="a comment"),
        pytest.param(b"> <!-- a\n", [(2, "comment")], id="a comment in a quote"),
        pytest.param(b"<!-->\na\n", [], id="the shortest comment"),
        pytest.param(b"a\n<<<<<<< b\nc\n=======\nd\n>>>>>>> e\n", [(2, "conflict")], id="a conflict"),
        pytest.param(b"```\n<<<<<<< b\n=======\n>>>>>>> e\n```\n", [(4, "conflict")], id="a conflict in a fence"),
        pytest.param(b"a\n>>>>>>> e\n", [(2, "conflict")], id="half a conflict"),
        pytest.param(b"T\n=======\n", [], id="a heading's line"),
        pytest.param(b"a\xc3\xa9\xff\xfe", [(3, "UTF-8")], id="bytes"),
        pytest.param(b"\xff\n```\n<<<<<<< a\n", [(0, "UTF-8"), (2, "fence"), (6, "conflict")], id="several"),
    ],
)
def test_tells_what_is_broken(data: bytes, flaws: list[tuple[int, str]]) -> None:
    """Each flaw is reported once, with its offset, in the order of the file."""
    found = Document(data).flaws
    assert [offset for offset, _ in found] == [offset for offset, _ in flaws]
    assert all(word in what for (_, what), (_, word) in zip(found, flaws, strict=True))


def test_a_mark_at_the_beginning_is_in_no_line() -> None:
    """An offset within a byte order mark is on the first line, which begins after it."""
    document = Document(b"\xef\xbb\xbf# A\n# B\n")
    assert [document.line_start(at) for at in (0, 2, 3, 7)] == [3, 3, 3, 7]


def test_counts_lines_from_one() -> None:
    """A line's number is the same from its first byte to its end, whatever ends it."""
    document = Document(BOM + b"---\na: 1\r\n---\rb")
    assert [document.line(offset) for offset in (0, 3, 6, 7, 11, 12, 13, 16, 17, 18)] == [1, 1, 1, 2, 2, 2, 3, 3, 4, 4]
    assert Document(b"").line(0) == 1
    assert [Document(b"a\n").line(offset) for offset in (0, 1, 2)] == [1, 1, 2]


@pytest.mark.parametrize(
    ("data", "conflicted"),
    [
        (b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n", True),
        (b"# T\r\n<<<<<<< HEAD\r\na\r\n=======\r\nb\r\n>>>>>>> topic\r\n", True),
        (b"# T\n\nA heading\n=======\n", False),
        (b"a << b >> c\n  <<<<<<< x\n", False),
    ],
)
def test_sees_what_a_merge_left(data: bytes, *, conflicted: bool) -> None:
    """Conflict markers are seen at the beginning of lines only."""
    assert Document(data).conflicted() is conflicted


@given(FILES)
def test_every_offset_lies_in_the_file_at_a_line(data: bytes) -> None:
    """Whatever the file, all spans are in order, within it, and begin where a line begins."""
    document = Document(data)
    starts = {document.body, len(data)} | {at for at in range(1, len(data)) if data[at - 1] in b"\r\n"}
    assert 0 <= document.body <= len(data)
    assert document.text(0, len(data)) == data.decode("utf-8", "replace")
    for heading in document.headings:
        assert document.body <= heading.start < heading.body <= heading.end <= len(data)
        assert {heading.start, heading.body, heading.end} <= starts
        assert 1 <= heading.level <= 6
        assert heading.title.encode()[:1] in data + "\ufffd".encode()
    for start, end in document.comments:
        assert document.body <= start < end <= len(data)
        assert data[start:end].startswith(b"<!--")
    for tag in document.tags:
        assert document.body <= tag.start < tag.body <= tag.end < len(data)
        assert {tag.start, tag.body, tag.end} <= starts
    offsets = [offset for offset, _ in document.flaws]
    assert offsets == sorted(offsets)
    assert set(offsets) <= set(range(len(data)))


@given(FILES)
def test_sections_nest(data: bytes) -> None:
    """Of two sections one lies within the other, or both lie side by side; all are in order."""
    sections = Document(data).sections
    assert [section.start for section in sections] == sorted({section.start for section in sections})
    for at, section in enumerate(sections):
        assert all(other.end <= section.end or other.start >= section.end for other in sections[at + 1 :])


@given(FILES)
def test_a_byte_order_mark_moves_all_by_three(data: bytes) -> None:
    """A mark in front changes nothing else."""
    plain, marked = Document(data), Document(BOM + data)
    if data.startswith(BOM):
        return
    assert [(each.title, each.start + 3, each.end + 3) for each in plain.sections] == [
        (each.title, each.start, each.end) for each in marked.sections
    ]
    assert [(offset + 3, what) for offset, what in plain.flaws if "conflict" not in what] == [
        found for found in marked.flaws if "conflict" not in found[1]
    ]


@given(FILES)
def test_line_ends_change_no_structure(data: bytes) -> None:
    """With CRLF or CR in place of LF the same sections are found."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    expected = [(each.level, each.title, each.body) for each in Document(lines).sections]
    assert [(each.level, each.title, each.body) for each in Document(lines.replace(b"\n", b"\r")).sections] == expected
    longer = Document(lines.replace(b"\n", b"\r\n"))
    assert [
        (each.level, each.title, each.body - longer.data.count(b"\n", 0, each.body)) for each in longer.sections
    ] == expected


@given(FILES, st.integers(0, 200), st.integers(0, 200), st.binary(max_size=5))
def test_a_splice_changes_what_it_names(data: bytes, one: int, other: int, new: bytes) -> None:
    """What lies outside a splice stays, and splicing in what was there changes nothing."""
    start, end = sorted((min(one, len(data)), min(other, len(data))))
    assert splice(data, start, end, data[start:end]) == data
    spliced = splice(data, start, end, new)
    assert spliced[:start] + spliced[start + len(new) :] == data[:start] + data[end:]


@given(st.binary(max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.binary(max_size=3))))
def test_splices_are_made_from_the_end(data: bytes, drawn: list[tuple[int, int, bytes]]) -> None:
    """Several changes are those that single splices make from the end on, in whatever order they are given."""
    changes: list[tuple[int, int, bytes]] = []
    for one, other, new in sorted(drawn, key=lambda change: change[:2]):
        start, end = sorted((min(one, len(data)), min(other, len(data))))
        if not changes or changes[-1][1] < start:
            changes.append((start, end, new))
    expected = data
    for change in reversed(changes):
        expected = splice(expected, *change)
    assert splices(data, changes) == splices(data, changes[::-1]) == expected


def test_splices_at_one_place() -> None:
    """What is inserted at one place stays in order, before what is replaced there; overlaps are refused."""
    assert splices(b"abc", [(1, 2, b"B"), (1, 1, b"x"), (1, 1, b"y"), (2, 2, b"z")]) == b"axyBzc"
    with pytest.raises(ValueError, match="overlaps"):
        splices(b"abc", [(0, 2, b""), (1, 3, b"")])
