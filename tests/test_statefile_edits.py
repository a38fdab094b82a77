"""A state file edited: what a person wrote is there afterwards, byte for byte."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import frontmatter
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from holdfast import clock, statefile
from holdfast.markdown import Document

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = clock.read("2026-02-03T04:05:06Z")
# What a person may have made of a state file, in pieces.
PIECES = st.sampled_from(
    [
        "# T\n",
        "## Execution Progress\n",
        "## Files Modified\n",
        "### F\n",
        "## Session Log\n",
        "---\n",
        "\n",
        "text",
        "\n",
    ]
    + [
        "- [ ] do it\n",
        "- [x] done\n",
        "- `a.py`\n",
        "```\n",
        "~~~\n",
        "<!--",
        "-->\n",
        "| a | b |\n",
        "> q\n",
        "    x\n",
    ]
    + [
        "<!-- holdfast:tasks -->\n",
        "<!-- /holdfast:tasks -->\n",
        "<!-- holdfast:files -->\n",
        "<!-- /holdfast:files -->\n",
    ]
    + ["<<<<<<< ours\n", "\n>>>>>>> theirs\n", "<pre>\n", "- \\1 $1\n", "é\u2028", "===\n", "\ufeff"]
)
BODIES = st.tuples(st.lists(PIECES, max_size=14).map("".join), st.sampled_from(["\n", "\r\n"])).map(
    lambda made: made[0].replace("\n", made[1]).encode()
)
ODD = [
    "$1 \\1 \\g<0>",
    "a|b",
    "`",
    "a``b",
    "` a `",
    "é",
    "n\udce9",
    "a b\nc",
    "\u2028",
    "<!-- /holdfast:files -->",
    "- [x] a",
]
NAMES = st.lists(st.sampled_from(ODD) | st.text(st.characters(), min_size=1), max_size=4)
EMPTY = b"# T\n\n## Files Modified\n\n<!-- holdfast:files -->\n<!-- /holdfast:files -->\n"


FRONTS = st.lists(
    st.sampled_from(
        [
            "session:\n",
            "orchestration:\n",
            "  title: 'a: b' # c\n",
            "  title: >\n    last_updated: 2025-01-01\n",
            "a: 1\n",
        ]
        + [
            '  last_updated: "2025-12-04T14:30:00Z"\n',
            "  last_updated: 2025-12-04 # x\n",
            "last_updated: '2025-12-04'\n",
        ]
        + [
            "  inner:\n    last_updated: 2025-12-04\n",
            "  created: &t 2025-12-04\n",
            "  last_updated: *t\n",
            "  é: 1_0\n",
        ]
        + [
            "session: {title: x, last_updated: 2025-12-04}\n",
            "# last_updated: 2025-12-04\n",
            '  note: "a\n',
            '  b"\n',
            "\n",
        ]
    ),
    max_size=8,
).map("".join)


def block(data: bytes, name: str) -> str:
    """Return what stands in a block, which must be there."""
    span = Document(data).block(name)
    assert span, data
    return data[slice(*span)].decode()


def front(value: str, before: str = "title: x", after: str = "status: y") -> bytes:
    """Return a file whose session has this line for its last update."""
    return f"---\nsession:\n  {before}\n  last_updated: {value}\n  {after}\n---\n# T\n".encode()


@pytest.mark.parametrize(
    ("value", "stamped"),
    [
        pytest.param('"2025-12-04T14:30:00Z"', '"2026-02-03T04:05:06Z"', id="as documented"),
        pytest.param("2025-12-04T14:30:00Z", "2026-02-03T04:05:06Z", id="unquoted"),
        pytest.param("'2025-12-04T14:30Z'", "'2026-02-03T04:05Z'", id="single quotes, to the minute"),
        pytest.param("2025-12-04T14:30:00+00:00", "2026-02-03T04:05:06+00:00", id="an offset of nothing"),
        pytest.param("2025-12-04 14:30:00 UTC", "2026-02-03 04:05:06 UTC", id="UTC in words"),
        pytest.param("2025-12-04 14:30 UTC", "2026-02-03 04:05 UTC", id="UTC in words, to the minute"),
        pytest.param("2025-12-04", "2026-02-03", id="a date"),
        pytest.param("   2025-12-04   # by hand", "   2026-02-03   # by hand", id="blanks and a comment"),
        pytest.param('"2025-12-04" # "2025-12-04"', '"2026-02-03" # "2025-12-04"', id="a comment like it"),
        pytest.param("\n    2025-12-04", "\n    2026-02-03", id="on the next line"),
        *(
            pytest.param(value, value, id=f"left alone: {value or 'nothing'}")
            for value in [
                "",
                "yesterday",
                "2025-12-04T14:30:00",
                "2025-12-04T14:30:00+02:00",
                "YYYY-MM-DD",
                "[2025-12-04]",
            ]
            + ["|\n    2025-12-04", "&a 2025-12-04", "!!str 2025-12-04", "2027-01-01", '"2025-12-04 and some"', '"2025']
        ),
    ],
)
def test_stamps_the_value_in_its_own_form(value: str, stamped: str) -> None:
    """Only a known time that has passed is replaced, by now in the same form; a second time changes nothing."""
    assert statefile.stamp(front(value), NOW) == front(stamped)
    assert statefile.stamp(front(stamped), NOW) == front(stamped)


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["no mark", "byte order mark"])
@pytest.mark.parametrize(
    "spared",
    [
        pytest.param("{}---\n", id="nothing else"),
        pytest.param("{}orchestration:\n  last_updated: 2025-12-04\nlast_updated: 2025-12-04\n---\n", id="other keys"),
        pytest.param("last_updated: 2025-12-04\nother:\n  last_updated: 2025-12-04\n{}---\n", id="keys before"),
        pytest.param("{}  log:\n    last_updated: 2025-12-04\n---\n", id="deeper keys"),
        pytest.param("{}---\nlast_updated: 2025-12-04\n```\n  last_updated: 2025-12-04\n", id="the body"),
        pytest.param("#  last_updated: 2025-12-04\n{}#\n\n---\nsession:\n  last_updated: 2025-12-04\n", id="comments"),
    ],
)
def test_stamps_nothing_else(spared: str, mark: str, newline: str) -> None:
    """Another key of that name, a comment and the body stay, whatever the line ends."""
    session = "session:\n  title: 'é'\n  log: |\n    last_updated: 2025-12-04\n  last_updated: {}\n"
    session = session.replace("  log: |\n    last_updated: 2025-12-04\n", "") if "log:" in spared else session
    before, after = (
        (mark + "---\n" + spared.format(session.format(day))).replace("\n", newline).encode()
        for day in ("2025-12-04", "2026-02-03")
    )
    assert before != after
    assert statefile.stamp(before, NOW) == after


@given(FRONTS, BODIES)
def test_a_stamp_is_one_value_to_every_reader(given_front: str, body: bytes) -> None:
    """python-frontmatter reads the same after a stamp but for that value, and what is no YAML is not stamped."""
    data = f"---\n{given_front}---\n".encode() + body
    stamped = statefile.stamp(data, NOW)
    assert statefile.stamp(stamped, NOW) == stamped
    if stamped == data:
        return
    before, after = (frontmatter.loads(given.decode()) for given in (data, stamped))
    assert before.metadata["session"].pop("last_updated") != after.metadata["session"].pop("last_updated")
    assert before.metadata == after.metadata
    assert before.content == after.content


def test_a_stamp_needs_yaml_and_no_conflict() -> None:
    """Frontmatter that is broken, not UTF-8 or in conflict is left alone; so is a key that stands twice."""
    for data in (
        front("2025-12-04", before="title: a: b"),
        front("2025-12-04").replace(b"title: x", b"title: \xff"),
        front("2025-12-04") + b"<<<<<<< a\n=======\n>>>>>>> b\n",
        front("2025-12-04", after="last_updated: 2025-12-04"),
        front("*a", before="created: &a 2025-12-04"),
    ):
        assert statefile.stamp(data, NOW) == data


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"", b"@T@F", id="an empty file"),
        pytest.param(b"# T\n\ntext", b"# T\n\ntext\n\n@T\n@F", id="no final newline"),
        pytest.param(b"# T\n\n## Session Log\nx\n", b"# T\n\n@T\n@F\n## Session Log\nx\n", id="a log"),
        pytest.param(b"## Files Modified\n- x\n## B\n", b"## Files Modified\n- x\n\n@f\n## B\n\n@T", id="a section"),
    ],
)
def test_gives_a_place_to_what_is_measured(before: bytes, after: bytes, newline: bytes) -> None:
    """A block goes into the section of its name, else before the log, else to the end, set off by blank lines."""
    data = statefile.with_blocks(before.replace(b"\n", newline))
    assert block(data, "tasks") == block(data, "files") == ""
    assert statefile.with_blocks(data) == data
    shape = re.sub(rb"<!-- holdfast:(.)\w+ - [^>]*-->\n<!-- /holdfast:\w+ -->\n", rb"@\1", data.replace(b"\r\n", b"\n"))
    shape = shape.replace(b"## Execution Progress\n\n@t", b"@T")
    if b"## Files Modified\n-" not in before:
        shape = shape.replace(b"## Files Modified\n\n@f", b"@F")
    assert shape.replace(b"\n\n@", b"@").replace(b"\n@", b"@") == after.replace(b"\n\n@", b"@").replace(b"\n@", b"@")
    assert data.count(b"\n") == data.count(newline) or not before.count(b"\n")


def test_lists_files_as_code() -> None:
    """Each path is one code span, taken literally, in the order given, once."""
    data = statefile.with_files(
        EMPTY, ["a.py", "$1", "\\1", "\\g<0>", "a|b", "`x`", "a``b", "a.py", "a b.md", "é\udce9"]
    )
    listed = ["`a.py`", "`$1`", "`\\1`", "`\\g<0>`", "`a|b`", "`` `x` ``", "``` a``b ```", "`a b.md`", "`é?`"]
    assert block(data, "files").splitlines() == [f"- {name}" for name in listed]
    assert statefile.with_files(data, ["`x`", "a``b", "é\udce9"]) == data


def test_keeps_what_a_person_added_to_an_entry() -> None:
    """A remark after a listed path or below it stays, and the path counts as listed."""
    note = b"- `a.py` the parser, see [x]\n  more\n- `b c` \n\n"
    data = EMPTY.replace(b"-->\n<", b"-->\n" + note + b"<")
    assert statefile.with_files(data, ["a.py", "b c"]) == data
    assert block(statefile.with_files(data, ["a"]), "files").encode() == note + b"- `a`\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_ticks_on_and_off(newline: str) -> None:
    """A task's box follows its status; lines that are no task of ours stay as they are."""
    kept = "- [x] mine" + newline + "* [ ] one" + newline + "text [ ] one" + newline
    start = statefile.with_blocks(f"# T{newline}".encode()).replace(
        f"<!-- /holdfast:tasks -->{newline}".encode(), f"{kept}<!-- /holdfast:tasks -->{newline}".encode()
    )
    data = start
    for status, box in [("pending", " "), ("in_progress", " "), ("completed", "x"), ("pending", " "), ("deleted", "-")]:
        data = statefile.with_tasks(data, [("one", status), ("two \\1 [x]", "completed")])
        assert block(data, "tasks") == f"{kept}- [{box}] one{newline}- [x] two \\1 [x]{newline}"
    assert data.replace(f"- [-] one{newline}- [x] two \\1 [x]{newline}".encode(), b"") == start


UNCHANGED: list[Callable[[bytes], bytes]] = [
    lambda data: data + b"\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
    lambda data: b"```\n" + data,
    lambda data: b"<!--\n" + data,
    lambda data: data.replace(b"<!-- /holdfast", b"<!-- holdfast"),
]


@pytest.mark.parametrize(
    "spoil", UNCHANGED, ids=["conflict markers", "an unclosed fence", "an unclosed comment", "marks"]
)
def test_refuses_what_is_unclear(spoil: Callable[[bytes], bytes]) -> None:
    """In a conflict, in an open fence or comment, or between broken marks, nothing is written."""
    data = spoil(EMPTY)
    assert statefile.with_blocks(data).count(b"holdfast:files") <= data.count(b"holdfast:files")
    assert statefile.with_files(data, ["a"]) == data
    assert statefile.with_tasks(data, [("a", "completed")]) == data


@given(BODIES, NAMES, NAMES)
def test_only_lines_are_added_and_only_once(body: bytes, names: list[str], subjects: list[str]) -> None:
    """Whatever the file and the names: taking the added lines away gives it back, and a second time adds nothing."""
    tasks = [(subject, "pending") for subject in subjects]

    def edit(data: bytes) -> bytes:
        return statefile.with_tasks(statefile.with_files(data, names), tasks)

    placed = statefile.with_blocks(body)
    assert _is_within(body, placed)
    assert statefile.with_blocks(placed) == placed
    unticked = re.sub(rb"(?m)^- \[x\] done", b"- [ ] done", placed)
    edited = edit(unticked)
    assert _is_within(unticked, edited)
    assert edit(edited) == edited
    for name in ("tasks", "files"):
        before, after = Document(unticked).block(name), Document(edited).block(name)
        assert (before is None) == (after is None)
        if before and after:
            assert edited[slice(*after)].startswith(unticked[slice(*before)])


def _is_within(data: bytes, grown: bytes) -> bool:
    """Whether taking lines out of `grown` gives `data`; the last line may have got the end that it lacked."""
    lines, rest = (re.findall(rb"[^\n]*\n|[^\n]+\Z", given) for given in (data, grown))
    if lines and lines[-1] not in rest:
        lines[-1] += b"\r\n" if b"\r\n" in data else b"\n"
    left = iter(rest)
    return all(line in left for line in lines)
