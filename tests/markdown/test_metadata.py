"""Frontmatter: every value as a person sees it, and edits that change one value and nothing beside it."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from holdfast.core.errors import HoldfastError
from holdfast.markdown import metadata, metadata_edit
from holdfast.markdown.document import Document
from tests.support.lineends import NEWLINES

if TYPE_CHECKING:
    from holdfast.markdown.metadata import Metadata

BOM = b"\xef\xbb\xbf"
BODY = "# T\n\n---\nstatus: not this one\n---\n"
# What may be in frontmatter, in pieces that end at the signs §; strung together they are YAML more often than not.
FRONT = """\
session:
§session: # ours
  status: x # note
  title: 'it''s'
§orchestration:
  inner:
    a.b: "é\\t😀"
§  status: one
    two
§status: |+
  # text

§status: > # folded
  one
  two
# a remark
§  note: "a
    b"
§  list: [a, b]
§tags:
- a
- b: c
§"odd:key": ~
§percent: 40
§created: 2025-12-04
§? complex
: value
§? [a]
§base: &b {a: b}
§base: &b
  a: b
§copy: *b
§typed: !!str 1
§<<: *b
§é: ü

§# remark
§
§  \t
§{{x}}
§a: b: c
§- a
§...
§--- a
§%YAML 1.1
"""
FRONTS = st.lists(st.sampled_from(FRONT.split("§")), max_size=6).map("".join)
PATHS = st.text(max_size=6) | st.sampled_from(
    [
        *("session", "status", "session.status", "session.title", "session.note", "session.new", "session.list.x"),
        *(
            "orchestration.inner.a.b",
            "orchestration.inner.a",
            "tags",
            "created",
            "percent",
            "complex",
            "base.a",
            "copy.a",
        ),
        *("typed", "odd:key", "new", "new.deep.er", "é"),
    ]
)
VALUES = st.one_of(
    st.text(max_size=30),
    st.text("ab:#-'\"\\ \n\t[]{}&*!|>%@`?,~$", max_size=10),
    st.sampled_from(["true", "No", "y", "~", "null", "1:30", "0x1", "0o7", "1e3", "16.10", "03", "45%", "2026-01-02"]),
    st.sampled_from(
        [r"$1 \1 \g<0>", "Phase 3: done", "=", "<<", "---", "...", "x # y", "a: b", "\x85", "\u2028", "\ufeff"]
    ),
)


def document(front: str, newline: str = "\n") -> Document:
    """Return a file with this frontmatter."""
    return Document(f"---\n{front}---\n{BODY}".replace("\n", newline).encode("utf-8", "surrogatepass"))


def edited(before: Document, path: str, value: str) -> Document | None:
    """Return the file after an edit, None when there is nothing to change."""
    change = metadata_edit.edit(before, path, value)
    return change and Document(before.data[: change[0]] + change[2] + before.data[change[1] :])


def one_line(value: str) -> str:
    """Return what of a value fits on a line: line ends, and the blanks around them, are one blank."""
    lines = value.encode("utf-8", "replace").decode().replace("\r", "\n").split("\n")
    return " ".join(line.strip(" \t") for line in lines if line.strip(" \t")) if len(lines) > 1 else lines[0]


def found(front: str) -> Metadata:
    """Return what frontmatter says."""
    return metadata.read(document(front))


@pytest.mark.parametrize(
    ("front", "path", "text"),
    [
        pytest.param("version: 16.10\n", "version", "16.10", id="a number keeps its zeros"),
        pytest.param("phase: 03\n", "phase", "03", id="and its leading ones"),
        pytest.param("day: 2025-12-04\n", "day", "2025-12-04", id="a date"),
        pytest.param("flag: on\n", "flag", "on", id="a word that YAML takes for a truth"),
        pytest.param("a: ~\n", "a", "~", id="a null that is written"),
        pytest.param("a:\nb: c\n", "a", "", id="nothing"),
        pytest.param("a: 'it''s' # x\n", "a", "it's", id="quoted"),
        pytest.param("a: one\n  two\n", "a", "one two", id="over two lines"),
        pytest.param("a: |\n  one\n  two\n", "a", "one\ntwo\n", id="a block of lines"),
        pytest.param("a: [b, 'c d', 3]\n", "a", "b, c d, 3", id="a list"),
        pytest.param("a:\n- b\n- c: d\n-\n", "a", "b", id="a list with more than texts"),
        pytest.param("a:\n  b: c\n", "a", "", id="a group"),
        pytest.param("a:\n  b: c\n", "a.b", "c", id="under a key"),
        pytest.param("a: {b: {c: d}}\n", "a.b.c", "d", id="in brackets"),
        pytest.param("a.b: c\na:\n  b: d\n", "a.b", "c", id="a key with a dot comes first"),
        pytest.param("a:\n  b.c.d: e\n", "a.b.c.d", "e", id="a key with dots further down"),
        pytest.param("a: &x b\nc: *x\n", "c", "b", id="an alias"),
        pytest.param("a: &x\n  b: c\nd: *x\n", "d.b", "c", id="under an alias"),
        pytest.param("a: !!int 3\n", "a", "3", id="a tag"),
        pytest.param("? a\n: b\n", "a", "b", id="an explicit key"),
        pytest.param("a: b\n", "c", "", id="no such key"),
        pytest.param("a: b\n", "a.c", "", id="nothing under a text"),
        pytest.param("a: b\n", "", "", id="no path"),
        pytest.param("a: b\n", "a.", "", id="half a path"),
    ],
)
def test_reads_what_a_person_sees(front: str, path: str, text: str) -> None:
    """A scalar is the text as it is, a list its texts, anything else nothing."""
    assert found(front).text(path) == text
    assert found(front).problem == ""


def test_reads_lists_and_groups() -> None:
    """The values are nested as in the file, and a list can be had in its items."""
    read = found("a:\n  b: [c, 'd, e']\nf: g\n")
    assert read.values == {"a": {"b": ["c", "d, e"]}, "f": "g"}
    assert (read.items("a.b"), read.items("f"), read.items("a"), read.items("x")) == (["c", "d, e"], ["g"], [], [])


def test_knows_which_keys_there_are() -> None:
    """A key is there whatever is after it, even nothing, and even in what is not YAML."""
    read = found("a:\nb:\n  c: [d]\n")
    assert [path for path in ("a", "b", "b.c", "a.x", "b.c.d", "x", "") if read.has(path)] == ["a", "b", "b.c"]
    assert found("a: b: c\n").has("a")
    assert not metadata.read(Document(b"# T\n")).has("a")


@pytest.mark.parametrize("data", [b"", b"# T\n", b"---\n---\n", BOM + b"---\n# a: b\n---\n", b"---\na: b\n# T\n"])
def test_no_frontmatter_says_nothing(data: bytes) -> None:
    """Without frontmatter there are no values, and that is no problem."""
    read = metadata.read(Document(data))
    assert (read.values, read.problem, read.line) == ({}, "", 0)


LAUGHS = "a: &a0 [x, x]\n" + "".join(f"a{n}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(40))


@pytest.mark.parametrize(
    ("front", "line", "values"),
    [
        pytest.param("a: b\nc: d: e\n f: g\n", 3, {"a": "b", "c": "d: e"}, id="a colon in free text"),
        pytest.param("a: \"b\" c\nd: 'e' # f\n", 2, {"a": '"b" c', "d": "e"}, id="text after quotes"),
        pytest.param("a: b # c\nd: {{x}}\n", 3, {"a": "b", "d": "{{x}}"}, id="a template"),
        pytest.param('a: "b\nc: d\n', 4, {"a": '"b', "c": "d"}, id="quotes that never close"),
        pytest.param("é: ü\n\tb: c\n", 3, {"é": "ü"}, id="a tab for blanks"),
        pytest.param("a: b\nc: \x07\n", 3, {"a": "b", "c": "\x07"}, id="a control character"),
        pytest.param("a: b\n'c': *d\n", 3, {"a": "b", "c": "*d"}, id="an alias of nothing"),
        pytest.param("a: &a [*a]\n", 2, {"a": "&a [*a]"}, id="an alias of itself"),
        pytest.param("a: b\n...\n---  c\nd: e\n", 4, {"a": "b", "d": "e"}, id="another document"),
        pytest.param("a: b\n? [c]\n: d\n", 3, {"a": "b"}, id="a list for a key"),
        pytest.param("a: b\nc: " + "[" * 50_000 + "\n", 3, {"a": "b", "c": "[" * 50_000}, id="brackets without end"),
        pytest.param('a: "\\UFFFFFFFF"\n', 2, {"a": "\\UFFFFFFFF"}, id="a character that there is not"),
        pytest.param("a: b\na: c\n", 3, {"a": "c"}, id="a key twice"),
        pytest.param("a:\n  b: c\n  'b': d\n", 4, {"a": {"b": "d"}}, id="a key twice further down"),
        pytest.param("# x\n\n- a\n", 4, {}, id="a list"),
        pytest.param("text\n", 2, {}, id="a text"),
    ],
)
def test_says_what_is_wrong_and_where(front: str, line: int, values: dict[str, object]) -> None:
    """A problem is reported in one line with its place, is never overwritten, and the lines that can be read are."""
    for newline in NEWLINES:
        read = metadata.read(document(front, newline))
        assert read.problem.startswith("its frontmatter ")
        assert read.problem.isprintable()
        assert (read.line, read.values) == (line, values)
        assert read.span("a") is None
        with pytest.raises(HoldfastError, match=rf"^line {line}: "):
            metadata_edit.edit(document(front, newline), "a", "z")


def test_says_where_bytes_are_not_utf_8() -> None:
    """The line of the first such byte is reported, and the others are read."""
    read = metadata.read(Document(b"---\na: \xc3\xa9\nb: \xff\n---\n"))
    assert (read.line, read.values) == (3, {"a": "é", "b": "\ufffd"})
    assert "UTF-8" in read.problem


def test_aliases_cannot_grow_without_bound() -> None:
    """Aliases of lists of aliases are a problem before they are too much to look at."""
    read = found(LAUGHS)
    assert "aliases" in read.problem
    assert len(str(read.values)) < len(LAUGHS) * 2
    assert found("a: &a [b, c]\n" + "".join(f"k{n}: *a\n" for n in range(500))).text("k499") == "b, c"


@pytest.mark.parametrize(
    ("front", "path", "text"),
    [
        pytest.param("a: é\nb: ü # ä\n", "b", "ü", id="plain"),
        pytest.param("a: é\nb: 'ü''' # ä\n", "b", "ü''", id="in quotes"),
        pytest.param("é:\n  b:\n    😀 c\n", "é.b", "😀 c", id="on the next line"),
        pytest.param("b: ''\n", "b", "", id="empty quotes"),
        pytest.param("b: a\n  c\n", "b", "a\n  c", id="over two lines"),
        pytest.param("a: {b: c}\n", "a.b", "c", id="in brackets"),
        pytest.param("b:\n", "b", None, id="nothing"),
        pytest.param("b: |\n  a\n", "b", None, id="a block"),
        pytest.param("b: [a]\n", "b", None, id="a list"),
        pytest.param("b: &x a\n", "b", None, id="an anchor"),
        pytest.param("b: !!str a\n", "b", None, id="a tag"),
        pytest.param("a: &x b\nb: *x\n", "b", None, id="an alias"),
        pytest.param("a: &x\n  c: b\nb: *x\n", "b.c", None, id="under an alias"),
        pytest.param("a: &x\n  c: b\nb: *x\n", "a.c", None, id="under an anchor"),
        pytest.param("a: b\n", "c", None, id="no such key"),
    ],
)
def test_tells_where_a_text_stands(front: str, path: str, text: str | None) -> None:
    """A span is in bytes of the file, without the quotes, and only of what is by its key."""
    for mark in (b"", BOM):
        whole = Document(mark + document(front).data)
        span = metadata.read(whole).span(path)
        assert (span and whole.data[slice(*span)].decode()) == text, mark


EDITS = [
    pytest.param("a: b\n", "a", "c", "a: c\n", id="plain"),
    pytest.param("a: b  # c\n", "a", "d e", "a: d e  # c\n", id="a remark stays"),
    pytest.param("a:   b   \n", "a", "c", "a:   c   \n", id="blanks stay"),
    pytest.param("a: 'b'\n", "a", "it's: $1", "a: 'it''s: $1'\n", id="single quotes stay"),
    pytest.param("a: 'b'\n", "a", "\x07", 'a: "\\u0007"\n', id="single quotes that do not fit"),
    pytest.param('a: "b"\n', "a", 'c\\1 "d" é😀', 'a: "c\\\\1 \\"d\\" é😀"\n', id="double quotes stay"),
    pytest.param("a:\n    b\nc: d\n", "a", "e", "a:\n    e\nc: d\n", id="on the next line"),
    pytest.param("a:\nb: c\n", "a", "d", "a: d\nb: c\n", id="nothing there"),
    pytest.param("a: # n\nb: c\n", "a", "d", "a: d # n\nb: c\n", id="nothing there but a remark"),
    pytest.param("a: ''\n", "a", "x", "a: 'x'\n", id="empty quotes"),
    pytest.param("a: b\n", "a", "", 'a: ""\n', id="nothing from now on"),
    pytest.param("a: b\n  c\n\n  d\ne: f\n", "a", "z", "a: z\ne: f\n", id="over lines"),
    pytest.param('a: "b\n  c" # d\n', "a", "z", 'a: "z" # d\n', id="quotes over lines"),
    pytest.param("a: |\n  b\n\n  # c\n\n# d\ne: f\n", "a", "z", "a: z\n\n# d\ne: f\n", id="a block"),
    pytest.param("a: >- # n\n  b\n  c\n", "a", "- z", 'a: "- z" # n\n', id="a block with a remark"),
    pytest.param("a: |+\n  b\n\nc: d\n", "a", "z", "a: z\n\nc: d\n", id="a block with blank lines"),
    pytest.param("a: b\n", "a", "c\n  d\r\n\r\ne\n", "a: c d e\n", id="line ends become blanks"),
    pytest.param("a: 40\n", "a", "45", "a: 45\n", id="a number for a number"),
    pytest.param("a: 16.10\n", "a", "16.20", "a: 16.20\n", id="a version for a version"),
    pytest.param("a: 40%\n", "a", "45%", "a: 45%\n", id="a share for a share"),
    pytest.param("a: 2025-12-04\n", "a", "2026-01-01", "a: 2026-01-01\n", id="a day for a day"),
    pytest.param("a: forty\n", "a", "45", 'a: "45"\n', id="a number for a text"),
    pytest.param("a: 40\n", "a", "1:30", 'a: "1:30"\n', id="a number that is none to everybody"),
    pytest.param("a: true\n", "a", "false", 'a: "false"\n', id="a truth is a text"),
    pytest.param("s:\n  a: b # c\n  d: e\n", "s.a", "x", "s:\n  a: x # c\n  d: e\n", id="under a key"),
    pytest.param("a.b: c\na:\n  b: c\n", "a.b", "x", "a.b: x\na:\n  b: c\n", id="a key with a dot"),
    pytest.param("? a\n: b\n", "a", "c", "? a\n: c\n", id="an explicit key"),
    pytest.param("", "a", "b", "a: b\n", id="added to nothing"),
    pytest.param("# x\n", "a", "b", "# x\na: b\n", id="added to remarks"),
    pytest.param("a: b # c\n# d\n", "e", "f", "a: b # c\ne: f\n# d\n", id="added after the last"),
    pytest.param("s:\n   a: b\nt: u\n", "s.c", "d", "s:\n   a: b\n   c: d\nt: u\n", id="added in its group"),
    pytest.param(
        "s:\n  a:\n  - b\n  # c\nt: u\n", "s.d", "e", "s:\n  a:\n  - b\n  d: e\n  # c\nt: u\n", id="after a list"
    ),
    pytest.param("a: |\n  b\n\n", "c", "d", "a: |\n  b\nc: d\n\n", id="added after a block"),
    pytest.param("a: |+\n  b\n\n", "c", "d", "a: |+\n  b\n\nc: d\n", id="added after a block with its blank lines"),
    pytest.param("a: [b,\n  c]\n", "d", "e", "a: [b,\n  c]\nd: e\n", id="added after brackets"),
    pytest.param("a:\n", "d", "e", "a:\nd: e\n", id="added after nothing"),
    pytest.param("s:  # c\nt: u\n", "s.a", "b", "s:  # c\n  a: b\nt: u\n", id="added under a key with nothing"),
    pytest.param("x:\n    y: z\n", "s.t.a", "b", "x:\n    y: z\ns:\n    t:\n        a: b\n", id="added with parents"),
    pytest.param("  a: b\n", "c", "d", "  a: b\n  c: d\n", id="added where all is indented"),
    pytest.param("a: b\n", "c: d", "e", 'a: b\n"c: d": e\n', id="added under an odd key"),
]


@pytest.mark.parametrize(("before", "path", "value", "after"), EDITS)
def test_an_edit_changes_one_value(before: str, path: str, value: str, after: str) -> None:
    """The value is set, in the quotes, at the place and with the line ends that there are, and nothing else changes."""
    for mark, newline in product((b"", BOM), NEWLINES):
        old, expected = (Document(mark + document(front, newline).data) for front in (before, after))
        new = edited(old, path, value)
        assert new is not None
        assert new.data == expected.data
        assert metadata_edit.edit(new, path, value) is None


@pytest.mark.parametrize(
    ("front", "path", "line"),
    [
        pytest.param("a: b\ns: {c: d}\n", "s.c", 3, id="a group in brackets"),
        pytest.param("a: b\ns: {c: d}\n", "s.e", 3, id="a new key for a group in brackets"),
        pytest.param("{a: b}\n", "c", 2, id="all in brackets"),
        pytest.param("a: b\ns: [c]\n", "s", 3, id="a list in brackets"),
        pytest.param("a: b\ns:\n- c\n", "s", 4, id="a list"),
        pytest.param("a: b\ns:\n  c: d\n", "s", 4, id="a group"),
        pytest.param("a: b\n", "a.c", 2, id="a key under a text"),
        pytest.param("a: &x b\n", "a", 2, id="an anchor"),
        pytest.param("a: &x b\nc: *x\n", "c", 3, id="an alias"),
        pytest.param("a: &x\n  b: c\nd: *x\n", "a.b", 2, id="under an anchor"),
        pytest.param("a: &x\n  b: c\nd: *x\n", "a.e", 2, id="a new key under an anchor"),
        pytest.param("a: &x\n  b: c\nd: *x\n", "d.b", 4, id="under an alias"),
        pytest.param("a: !!str b\n", "a", 2, id="a tag"),
        pytest.param("a: b\n", "c..d", 1, id="a path with a gap"),
        pytest.param("a: b\n", "", 1, id="no path"),
        pytest.param("a: b\n", "k" * 2000, 2, id="a key that is too long for YAML"),
        pytest.param("? a\n", "a", 2, id="an explicit key with nothing"),
        pytest.param("s:\n  a: b # c\u2028t: u\n", "s.d", 3, id="a line end that only YAML knows"),
    ],
)
def test_refuses_what_cannot_be_set_safely(front: str, path: str, line: int) -> None:
    """An edit that would be lost, or would change what is not meant, is an error with the line and what to do."""
    with pytest.raises(HoldfastError, match=rf"^line {line}: .*; (change|write) [^\n]*$"):
        metadata_edit.edit(document(front), path, "new")


def test_a_file_without_frontmatter_is_reported() -> None:
    """There is nothing to edit without frontmatter, and what to do is reported."""
    with pytest.raises(HoldfastError, match=r"^line 1: it has no frontmatter; .*---"):
        metadata_edit.edit(Document(b"# T\n"), "a", "b")


def without(values: dict[str, object], names: list[str]) -> dict[str, object]:
    """Return values without the one at the end of these keys, and without the groups that it was alone in."""
    rest = {name: value for name, value in values.items() if name != names[0]}
    inner = values.get(names[0])
    left = without(inner, names[1:]) if isinstance(inner, dict) and names[1:] else {}
    return rest | ({names[0]: left} if left else {})


def loaded(found: Document) -> object:
    """Return what PyYAML makes of the frontmatter, None for what it cannot take."""
    assert found.frontmatter
    try:
        return yaml.safe_load(found.data[slice(*found.frontmatter)].decode())
    except (yaml.YAMLError, ValueError):
        return None


@given(FRONTS, PATHS, VALUES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_an_edit_is_read_back_and_nothing_else_is(front: str, path: str, value: str, newline: str) -> None:
    """Whatever the file and the value, an edit sets this value for good and leaves every other, or it is refused."""
    before = document(front, newline)
    read = metadata.read(before)
    try:
        after = edited(before, path, value)
    except HoldfastError as error:
        assert str(error).startswith("line ")  # noqa: PT017 - most edits are none
        return
    assert not read.problem
    if after is None:
        assert read.text(path) == one_line(value) or path in read.values
        return
    now = metadata.read(after)
    assert now.text(path) == one_line(value)
    assert metadata_edit.edit(after, path, value) is None
    assert without(now.values, read.names(path)) == without(read.values, read.names(path))
    assert after.data[after.body :] == before.data[before.body :]
    seen = loaded(after) if loaded(before) is not None else {}
    assert seen is not None
    for name in read.names(path):
        seen = seen.get(name, "") if isinstance(seen, dict) else seen
    assert not isinstance(seen, str) or seen in {"", one_line(value)}


@given(FRONTS, PATHS, VALUES)
def test_an_edit_touches_whole_lines_of_its_key_only(front: str, path: str, value: str) -> None:
    """Every line that is neither the key's nor a part of its value stays, in order, to the byte."""
    before = document(front)
    read = metadata.read(before)
    assume(not read.problem)
    try:
        change = metadata_edit.edit(before, path, value)
    except HoldfastError:
        return
    if change is None:
        return
    start, end, new = change
    span = read.span(path)
    if span:
        assert before.data[start:end].strip(b"'\"") == before.data[slice(*span)].strip(b"'\"")
    elif start == end and new.endswith(b"\n"):
        assert before.data[start - 1 : start] == b"\n"
    else:
        assert b"\n" not in new


@given(st.sampled_from(["some word", "'word'", '"word"', "40", "2025-12-04", "'4''0'", '"a\\"b"', "", "''"]), VALUES)
def test_an_edit_and_back_is_no_change(written: str, value: str) -> None:
    """When the new value is in the same quotes, or like the old one in none, setting the old one restores the file.

    A number or a date is restored when it was replaced by such a thing, and nothing at all never is.
    """
    before = document(f"a: {written} # b\n")
    after = edited(before, "a", value)
    assume(after is not None)
    assert after
    back = edited(after, "a", metadata.read(before).text("a"))
    assert back
    first, then = (each.data[len("---\na: ") :][:1].decode("latin-1") for each in (before, after))
    same = first == then if first in {"'", '"'} else then not in {"'", '"'} and written == "some word"
    assert back.data == before.data or not same


@given(st.binary(max_size=60) | FRONTS.map(str.encode), PATHS, VALUES)
def test_any_bytes_are_read_or_refused(front: bytes, path: str, value: str) -> None:
    """Whatever is between the rules, there are values and perhaps a problem, and an edit that works or says why."""
    whole = Document(b"---\n" + front + b"\n---\n")
    read = metadata.read(whole)
    span = read.span(path)
    assert bool(read.problem) == bool(read.line)
    assert 0 <= read.line <= len(whole.data.decode("latin-1").splitlines()) + 1
    assert span is None or whole.data[: span[0]].decode() + whole.data[slice(*span)].decode()
    try:
        after = edited(whole, path, value)
    except HoldfastError:
        return
    assert metadata.read(after or whole).text(path) == one_line(value)


def test_a_python_without_the_library_in_c_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PyYAML came without its fast loader, the slow one reads the same texts at the same places."""
    edits = [edit.values for edit in EDITS]
    fast = [metadata.read(document(str(before))) for before, _, _, _ in edits]
    monkeypatch.delattr(yaml, "CBaseLoader", raising=False)
    for known, (before, path, value, after) in zip(fast, edits, strict=True):
        slow = metadata.read(document(str(before)))
        assert (slow.values, slow.problem) == (known.values, known.problem)
        assert slow.span(str(path)) == known.span(str(path))
        new = edited(document(str(before)), str(path), str(value))
        assert new
        assert new.data == document(str(after)).data


@pytest.mark.slow
def test_many_keys_are_read_and_edited() -> None:
    """A file with very many keys is read and edited like any other."""
    many = "".join(f"k{n}: v{n}\n" for n in range(20_000))
    after = edited(document(many), "k19999", "new")
    assert after is not None
    assert metadata.read(after).values == {f"k{n}": f"v{n}" for n in range(19_999)} | {"k19999": "new"}
