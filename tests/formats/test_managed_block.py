"""What is measured goes into a state file, and what a person wrote is there afterwards, byte for byte."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.formats import managed_block
from holdfast.markdown.document import Document, splices

if TYPE_CHECKING:
    from collections.abc import Callable

# What a person may have made of a state file, in pieces.
LINES = """\
# T
## Execution Progress
## Files Modified
### F
## Session Log
---
===
- [ ] do it
- [x] done
- `a.py`
- \\1 $1
    x
> q
| a | b |
```
~~~
-->
<pre>
<<<<<<< ours
>>>>>>> theirs
<!-- holdfast:tasks -->
<!-- holdfast:files -->
"""
PIECES = st.sampled_from([*LINES.splitlines(keepends=True), "\n", "\n\n", "text", "<!--", "é\u2028", "\ufeff"])
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
    "[x]",
]
NAMES = st.lists(st.sampled_from(ODD) | st.text(st.characters(), min_size=1), max_size=4)
EMPTY = b"# T\n\n## Files Modified\n\n<!-- holdfast:files -->\n"
BOTH = ("tasks", "files")


def measured(data: bytes, paths: list[str], tasks: list[tuple[str, str]]) -> bytes:
    """Return a file with each path and each (subject, status) in its block."""
    return splices(data, managed_block.measured_splices(Document(data), paths, tasks))


def block(data: bytes, name: str) -> str:
    """Return what is in a block, which must be there."""
    span = Document(data).block(name)
    assert span, data
    return data[slice(*span)].decode()


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "@tasks\n@files", id="an empty file"),
        pytest.param("# T\n\ntext", "# T\n\ntext\n\n@tasks\n@files", id="no final newline"),
        pytest.param("# T\n## Session Log\nx\n", "# T\n\n@tasks\n@files\n## Session Log\nx\n", id="a log"),
        pytest.param(
            "# T\n## Files Modified\n- x\n# B\n", "# T\n## Files Modified\n- x\n\n@\n# B\n\n@tasks", id="a section"
        ),
    ],
)
def test_gives_a_place_to_what_is_measured(before: str, after: str, newline: str) -> None:
    """A block goes into the section of its name, else before the log, else to the end, set off by blank lines."""
    data = managed_block.with_blocks(before.replace("\n", newline).encode(), BOTH)
    assert block(data, "tasks") == block(data, "files") == ""
    shape = re.sub(r"<!-- holdfast:\w+ -->\n", "@", data.decode().replace("\r\n", "\n"))
    for name, title in (("tasks", "Execution Progress"), ("files", "Files Modified")):
        shape = shape.replace(f"## {title}\n\n@", f"@{name}")
    assert shape == after


def test_lists_files_as_code() -> None:
    """Each path is one code span, taken literally, in the order given, once."""
    names = ["a.py", "$1", "\\1", "\\g<0>", "a|b", "`x`", "a``b", "a.py", "a b.md", "é\udce9"]
    data = measured(EMPTY, names, [])
    listed = ["`a.py`", "`$1`", "`\\1`", "`\\g<0>`", "`a|b`", "`` `x` ``", "``` a``b ```", "`a b.md`", "`é?`"]
    assert block(data, "files").splitlines() == [f"- {name}" for name in listed]
    assert measured(data, ["`x`", "a``b", "é\udce9"], []) == data


def test_keeps_what_a_person_added_to_an_entry() -> None:
    """A remark after a listed path or below it stays, and the path counts as listed."""
    note = b"- `a.py` the parser, see [x]\n  more\n- `b c` \n"
    data = EMPTY + note + b"\nMore.\n"
    assert measured(data, ["a.py", "b c"], []) == data
    assert block(measured(data, ["a"], []), "files").encode() == note + b"- `a`\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_ticks_what_is_done_and_never_unticks(newline: str) -> None:
    """An empty box is ticked when its task is done; a box that is not empty, and lines of others, stay as they are."""
    kept = "- [x] mine" + newline + "* [ ] one" + newline + "text [ ] one" + newline
    start = managed_block.with_blocks(f"# T{newline}".encode(), ["tasks"]) + kept.encode()
    data = start
    for status, box in [("pending", " "), ("in_progress", " "), ("completed", "x"), ("pending", "x"), ("deleted", "x")]:
        data = measured(data, [], [("one", status), ("two \\1 [x]", "completed")])
        assert block(data, "tasks") == f"{kept}- [{box}] one{newline}- [x] two \\1 [x]{newline}"
    assert data.replace(f"- [x] one{newline}- [x] two \\1 [x]{newline}".encode(), b"") == start
    by_hand = data.replace(b"- [x] one", b"- [~] one")
    assert measured(by_hand, [], [("one", "completed")]) == by_hand


UNCHANGED: list[Callable[[bytes], bytes]] = [
    lambda data: data + b"\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
    lambda data: b"```\n" + data,
    lambda data: b"<!--\n" + data,
    lambda data: data + data,
]


@pytest.mark.parametrize(
    "spoil", UNCHANGED, ids=["conflict markers", "an unclosed fence", "an unclosed comment", "two marks"]
)
def test_refuses_what_is_unclear(spoil: Callable[[bytes], bytes]) -> None:
    """In a conflict, in an open fence or comment, or below one of two marks, nothing is written."""
    data = spoil(EMPTY)
    assert managed_block.with_blocks(data, BOTH).count(b"holdfast:files") <= 2 + data.count(b"holdfast:files")
    assert measured(data, ["a"], []) == data
    assert measured(data, [], [("a", "completed")]) == data


@given(BODIES, NAMES, NAMES)
@example(b"## Execution Progress\n<!-- holdfast:files -->\n# T\n", [], ["a"])
@example(b"<!-- holdfast:files -->\ntext", ["a"], [])
@example(b"<!-- holdfast:files -->", ["a"], [])
@example(b"<!-- holdfast:files -->\n<!--", [], [])
def test_only_lines_are_added_and_only_once(body: bytes, names: list[str], subjects: list[str]) -> None:
    """Whatever the file and the names: taking the added lines away gives it back, and a second time adds nothing."""
    tasks = [(subject, "pending") for subject in subjects]

    def edit(data: bytes) -> bytes:
        return measured(data, names, tasks)

    placed = managed_block.with_blocks(body, BOTH)
    assert _is_within(body, placed)
    assert managed_block.with_blocks(placed, BOTH) == placed
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
