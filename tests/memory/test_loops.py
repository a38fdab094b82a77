"""LOOPS.md as people and tools write it: read as it is meant, edited where that is safe, the same everywhere else."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.markdown.document import Document
from holdfast.memory.loops import book, elements
from holdfast.memory.loops import lifecycle as loops
from holdfast.memory.loops.book import NEW, Book, parse
from holdfast.memory.loops.elements import FIELDS, tidy
from holdfast.project import discovery, ids, paths
from holdfast.trust.safe import plain
from tests.support import hooks
from tests.support.examples import times
from tests.support.machine import snapshot
from tests.support.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.memory.loops.elements import Loop
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
NOW = clock.read("2026-01-21T15:30:00Z")
TEMPLATE = b"""\
# Loops

What is open. Ids are `LOOP-NNN`, as in <loop id="LOOP-900" status="open"> here.

```xml
<loop id="LOOP-NNN" status="open|clarifying|closed">
  <title>[Title]</title>
</loop>
```

<!-- An example:
<loop id="LOOP-901" status="open">
  <title>in a comment</title>
</loop>
-->

## Active

<loop id="LOOP-007" status="clarifying">
  <title>Validate invoice types</title>
  <context>
    Two types were seen in R&D & elsewhere:
      - a < b

    ```sql
    select '</loop>' -- </context>
    </context>
    </loop>
    ```
  </context>
  <question>
    Can one invoice
    have both?
  </question>
  <captured>2026-01-21T14:30:00Z</captured>
  <exploring>
    <started>2026-01-21T14:45:00Z</started>
    <approach>Ask &lt;them&gt; &amp; look</approach>
  </exploring>
</loop>

## Closed

<loop status='closed' id='LOOP-003'>
  <title>Which database?</title>
  <outcome>
    <closed>2026-01-20</closed>
    <result>The one we have.</result>
    <evidence>It works.</evidence>
    <decision_ref>DECISION-008</decision_ref>
  </outcome>
</loop>

---
*Kept with care.*
"""


class Wild(NamedTuple):
    """A file, its loops as (id, status, title), a part of each of its flaws, and which of them is edited."""

    name: str
    data: bytes
    loops: list[tuple[str, str, str]]
    flaws: tuple[str, ...] = ()
    edited: str = ""  # the id of an open loop that can be edited
    added: bool = True  # whether a loop can be added


def _loop(ident: str, *lines: str, status: str = "open") -> bytes:
    return "\n".join([f'<loop id="{ident}" status="{status}">', *lines, "</loop>", ""]).encode()


ONE = _loop("LOOP-001", "  <title>One</title>")
TWO = _loop("LOOP-002", "  <title>Two</title>")
SHUT = _loop("LOOP-003", "  <title>Shut</title>", status="closed")
READ_ONE, READ_TWO, READ_SHUT = ("LOOP-001", "open", "One"), ("LOOP-002", "open", "Two"), ("LOOP-003", "closed", "Shut")
FENCE = b"```\n"
WILD = [
    Wild(
        "the template",
        TEMPLATE,
        [("LOOP-007", "clarifying", "Validate invoice types"), ("LOOP-003", "closed", "Which database?")],
        edited="LOOP-007",
    ),
    Wild("nothing but blanks", b"\n\n", []),
    Wild("crlf", (b"# Loops\n\n" + ONE + b"\n" + TWO).replace(b"\n", b"\r\n"), [READ_ONE, READ_TWO], edited="LOOP-001"),
    Wild(
        "lone carriage returns",
        (b"# Loops\n\n" + ONE + b"\n" + TWO).replace(b"\n", b"\r"),
        [READ_ONE, READ_TWO],
        edited="LOOP-001",
    ),
    Wild("a mark in front", b"\xef\xbb\xbf" + ONE, [READ_ONE], edited="LOOP-001"),
    Wild("no final newline", ONE.rstrip(), [READ_ONE], edited="LOOP-001"),
    Wild("frontmatter", b'---\nloops: "<loop>"\n---\n' + ONE, [READ_ONE], edited="LOOP-001"),
    Wild("indented", b"".join(b"  " + line for line in ONE.splitlines(keepends=True)), [READ_ONE], edited="LOOP-001"),
    Wild("tabs", ONE.replace(b"  <", b"\t<"), [READ_ONE], edited="LOOP-001"),
    Wild(
        "indented as code",
        b"".join(b"    " + line for line in ONE.splitlines(keepends=True)),
        [READ_ONE],
        edited="LOOP-001",
    ),
    Wild("flush left throughout", ONE.replace(b"  <", b"<"), [READ_ONE], edited="LOOP-001"),
    Wild(
        "on one line", b'<loop id="LOOP-001" status="open"><title>One</title></loop>\n', [READ_ONE], edited="LOOP-001"
    ),
    Wild("attributes on two lines", ONE.replace(b" status", b"\n      status"), [READ_ONE], edited="LOOP-001"),
    Wild("no status", ONE.replace(b' status="open"', b""), [READ_ONE], edited="LOOP-001"),
    Wild(
        "a status child alone",
        ONE.replace(b' status="open"', b"").replace(b"  <t", b"  <status> Clarifying </status>\n  <t"),
        [("LOOP-001", "clarifying", "One")],
        edited="LOOP-001",
    ),
    Wild(
        "a status child that differs",
        ONE.replace(b"  <t", b"  <status>closed</status>\n  <t"),
        [READ_ONE],
        edited="LOOP-001",
    ),
    Wild("a status in other case", ONE.replace(b'"open"', b'"Open"'), [READ_ONE], edited="LOOP-001"),
    Wild(
        "a status of its own",
        ONE.replace(b'"open"', b'"waiting for Ann"'),
        [("LOOP-001", "waiting for Ann", "One")],
        edited="LOOP-001",
    ),
    Wild(
        "closed in other words",
        SHUT.replace(b"closed", b"Resolved") + SHUT.replace(b"closed", b"done").replace(b"3", b"4"),
        [("LOOP-003", "Resolved", "Shut"), ("LOOP-004", "done", "Shut")],
    ),
    Wild("an id as people type it", ONE.replace(b"LOOP-001", b"loop-1"), [READ_ONE], edited="LOOP-001"),
    Wild("a template that is live", ONE.replace(b"001", b"NNN"), [], ("'LOOP-NNN'",)),
    Wild("an id of more digits", ONE.replace(b"001", b"20260121"), [], ("'LOOP-20260121'",)),
    Wild("no id", ONE.replace(b' id="LOOP-001"', b"") + TWO, [READ_TWO], ("without an id",), edited="LOOP-002"),
    Wild("an empty id", ONE.replace(b"LOOP-001", b""), [], ("without an id",)),
    Wild(
        "quotes that do not close",
        ONE.replace(b'001"', b"001") + TWO,
        [READ_TWO],
        ("cannot be read",),
        edited="LOOP-002",
    ),
    Wild("nothing in it", b'<loop id="LOOP-001"/>\n\n' + TWO, [READ_TWO], ("nothing in it",), edited="LOOP-002"),
    Wild("never closed", ONE.replace(b"</loop>\n", b"") + TWO, [READ_TWO], ("never closes",), edited="LOOP-002"),
    Wild(
        "never closed at the end",
        TWO + ONE.replace(b"</loop>\n", b""),
        [READ_TWO],
        ("never closes",),
        edited="LOOP-002",
    ),
    Wild(
        "an element never closed",
        ONE.replace(b"</loop>", b"  <context>\n  much\n</loop>") + TWO,
        [READ_ONE, READ_TWO],
        ("<context> of LOOP-001 never closes",),
        edited="LOOP-002",
    ),
    Wild(
        "elements of others",
        ONE.replace(b"</loop>", b"  <br>\n  <tags><t>a</t></tags>\n</loop>"),
        [READ_ONE],
        edited="LOOP-001",
    ),
    Wild(
        "loops in quotes and prose",
        b'> <loop id="LOOP-005">\n> </loop>\n\nAs `</loop>` or <loop> go.\n\n' + ONE,
        [READ_ONE],
        edited="LOOP-001",
    ),
    Wild("a wrapper", b"<loops>\n" + ONE + b"</loops>\n", [READ_ONE], edited="LOOP-001"),
    Wild(
        "a long fence around a short one",
        b"````\n```\n" + TWO + b"```\n" + TWO + b"````\n" + ONE,
        [READ_ONE],
        edited="LOOP-001",
    ),
    Wild("a fence of tildes", b"~~~ xml\n" + TWO + FENCE + b"~~~\n" + ONE, [READ_ONE], edited="LOOP-001"),
    Wild(
        "a fence in a list", b'- ```\n  <loop id="LOOP-009">\n  </loop>\n  ```\n\n' + ONE, [READ_ONE], edited="LOOP-001"
    ),
    Wild(
        "a comment in a loop",
        ONE.replace(b"</loop>", b"  <!--\n  <outcome>\n  </outcome>\n</loop>\n  -->\n</loop>"),
        [READ_ONE],
        edited="LOOP-001",
    ),
    Wild(
        "an example in a loop",
        ONE.replace(b"</loop>", b"  <context>\n    ```\n" + TWO + b"    ```\n  </context>\n</loop>"),
        [READ_ONE],
        edited="LOOP-001",
    ),
    Wild(
        "a stray fence in each of two loops",
        ONE.replace(b"</loop>", b"  <context>\n  ```\n  </context>\n</loop>")
        + TWO.replace(b"</loop>", b"  <context>\n  ```\n  </context>\n</loop>"),
        [READ_ONE, READ_TWO],
        edited="LOOP-001",
    ),
    Wild(
        "a stray fence before a template",
        ONE.replace(b"</loop>", b"  <context>\n  ```\n  </context>\n</loop>") + b"\n```\n" + TWO + b"```\n",
        [READ_ONE],
        edited="LOOP-001",
    ),
    Wild(
        "blank lines in a text",
        ONE.replace(b"</loop>", b"  <context>\n\n\n    a\n\n    b\n\n  </context>\n</loop>"),
        [READ_ONE],
        edited="LOOP-001",
    ),
    Wild(
        "an outcome to be filled in",
        ONE.replace(b"</loop>", b"  <outcome>\n    <closed></closed>\n    <result></result>\n  </outcome>\n</loop>"),
        [READ_ONE],
        edited="LOOP-001",
    ),
    Wild(
        "a fence that never closes, behind",
        ONE + b"\n## Notes\n\n```\nx\n",
        [READ_ONE],
        ("code fence that never closes",),
        edited="LOOP-001",
    ),
    Wild(
        "a fence that never closes, before",
        b"```\nx\n\n" + ONE,
        [READ_ONE],
        ("code fence that never closes",),
        added=False,
    ),
    Wild(
        "a comment that never closes, before",
        b"<!-- x\n\n" + ONE,
        [READ_ONE],
        ("comment that never closes",),
        added=False,
    ),
    Wild(
        "conflict markers",
        b"<<<<<<< ours\n" + ONE + b"=======\n" + TWO + b">>>>>>> theirs\n",
        [READ_ONE, READ_TWO],
        ("conflict",),
        added=False,
    ),
    Wild(
        "conflict markers behind",
        ONE + b"<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
        [READ_ONE],
        ("conflict",),
        added=False,
    ),
    Wild("bytes that are not UTF-8", ONE + b"\n\xff\n", [READ_ONE], ("not UTF-8",), added=False),
    Wild(
        "an id that appears twice",
        ONE + TWO + ONE,
        [READ_ONE, READ_TWO, READ_ONE],
        ("LOOP-001 appears twice, on lines 1 and 7",),
        edited="LOOP-002",
    ),
]
EACH = pytest.mark.parametrize("wild", [pytest.param(wild, id=wild.name) for wild in WILD])
EDITABLE = pytest.mark.parametrize("wild", [pytest.param(wild, id=wild.name) for wild in WILD if wild.edited])


@pytest.fixture
def project(tmp_path: Path) -> paths.Project:
    """Give a repository in which files may appear."""
    folder = tmp_path / "repository"
    Repository.create(folder, commit=False).write(".agents/holdfast.toml")
    return paths.locate(str(folder))


def put(project: paths.Project, data: bytes) -> Path:
    """Write LOOPS.md."""
    path = Path(discovery.loops_path(project.root))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def add(project: paths.Project, title: str = "New", **stated: str) -> Loop:
    """Capture a loop."""
    with store.writing(project):
        return loops.add(project, project.root, {"title": title, **stated}, NOW)


def explore(project: paths.Project, ident: str, approach: str = "") -> tuple[Loop, bool]:
    """Begin to explore a loop."""
    with store.writing(project):
        return loops.explore(project, project.root, ident, approach, NOW)


def close(project: paths.Project, ident: str, result: str = "It is so.", **stated: str) -> tuple[Loop, bool]:
    """Close a loop."""
    with store.writing(project):
        return loops.close(project, project.root, ident, {"result": result, **stated}, NOW)


def read(project: paths.Project) -> Book:
    """Return the book."""
    return book.read(project.root)


def reported(found: Book) -> list[tuple[str, str, str]]:
    """Return the loops as the table has them."""
    return [(loop.ident, loop.status, loop.title) for loop in found.loops]


@EACH
def test_a_file_is_read_as_it_is_meant(wild: Wild, project: paths.Project) -> None:
    """The loops are those that a person sees, and what is wrong is reported with its line."""
    put(project, wild.data)
    book = read(project)
    assert reported(book) == wild.loops
    found = [what for _, what in book.flaws]
    assert len(found) == len(wild.flaws)
    assert all(part in what for part, what in zip(wild.flaws, found, strict=True)), found
    assert all(1 <= line <= Document(wild.data).line(len(wild.data)) for line, _ in book.flaws)


def test_texts_are_read_without_the_files_own_indentation(project: paths.Project) -> None:
    """A loop says what people read: no indentation, no entities, code as it is."""
    put(project, TEMPLATE)
    loop, shut = read(project).loops
    assert loop.context == (
        "Two types were seen in R&D & elsewhere:\n  - a < b\n\n"
        "```sql\nselect '</loop>' -- </context>\n</context>\n</loop>\n```"
    )
    assert (loop.question, loop.captured) == ("Can one invoice\nhave both?", "2026-01-21T14:30:00Z")
    assert (loop.started, loop.approach) == ("2026-01-21T14:45:00Z", "Ask <them> & look")
    assert (shut.closed, shut.result, shut.evidence) == ("2026-01-20", "The one we have.", "It works.")
    assert (shut.decision, shut.line, loop.line) == ("DECISION-008", 44, 19)
    assert TEMPLATE[loop.start :].startswith(b"<loop id")
    assert TEMPLATE[: loop.end].endswith(b"</loop>")
    assert [each.ident for each in read(project).open] == ["LOOP-007"]


@EACH
def test_a_new_loop_leaves_all_else_as_it_is(wild: Wild, project: paths.Project) -> None:
    """What is added is one block of lines; where nobody can tell what it would be part of, nothing is written."""
    path = put(project, wild.data)
    if not wild.added:
        with pytest.raises(HoldfastError, match=r"LOOPS\.md, line \d+: .*fix that by hand"):
            add(project)
        assert path.read_bytes() == wild.data
        return
    loop = add(project, "New & <odd>", context="a\n\n  b")
    after = path.read_bytes()
    assert _without(after, loop, wild.data) == wild.data
    book = read(project)
    assert [each for each in reported(book) if each[0] != loop.ident] == wild.loops
    assert (loop.title, loop.context, loop.status) == ("New & <odd>", "a\n\n  b", "open")
    assert loop.captured == "2026-01-21T15:30:00Z"
    assert len(book.flaws) == len(wild.flaws)


def _without(after: bytes, loop: Loop, before: bytes) -> bytes:
    """Return a file without the block that a loop is, and without the newlines that part it from the rest."""
    block = after[loop.start : loop.end]
    size = len(after) - len(before)
    starts = range(max(0, loop.start - 20), loop.start + 1)
    cuts = [(at, after[at : at + size]) for at in starts if after[:at] + after[at + size :] == before]
    assert any(cut.strip() == block for _, cut in cuts), "more than the loop was written"
    return before


def look(project: paths.Project, ident: str) -> tuple[Loop, bool]:
    """Explore a loop in a way that is new to it."""
    return explore(project, ident, "Look again")


@EDITABLE
@pytest.mark.parametrize("act", [look, close], ids=["explore", "close"])
def test_an_edit_stays_within_its_loop(
    wild: Wild, act: Callable[[paths.Project, str], tuple[Loop, bool]], project: paths.Project
) -> None:
    """Status and texts change in one loop; all bytes before and behind stay, and twice is the same as once."""
    path = put(project, wild.data)
    before = read(project).loop(wild.edited)
    loop, changed = act(project, wild.edited)
    after = path.read_bytes()
    assert changed
    assert after[: before.start] == wild.data[: before.start]
    assert after[loop.end :] == wild.data[before.end :]
    same = [name for name in FIELDS if before.text(name) and name != "approach"]
    assert [loop.text(name) for name in same] == [before.text(name) for name in same]
    assert loop.status == ("closed" if act is close else "clarifying")
    assert len(read(project).flaws) == len(wild.flaws)
    assert act(project, wild.edited)[1] is False
    assert path.read_bytes() == after


OPEN_SECTION = b"# Loops\n\n## Open\n\n*None.*\n\n## Closed\n\n" + SHUT
NEW_LOOP = b"""\
<loop id="LOOP-%03d" status="open">
  <title>New</title>
  <captured>2026-01-21T15:30:00Z</captured>
</loop>
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"", b"\n%s\n", id="new file"),
        pytest.param(ONE, ONE + b"\n%s", id="after the only one"),
        pytest.param(ONE + TWO, ONE + TWO + b"\n%s", id="after the last one"),
        pytest.param(ONE + b"\n" + SHUT, ONE + b"\n%s\n" + SHUT, id="after the last open one"),
        pytest.param(ONE + SHUT, ONE + b"\n%s\n" + SHUT, id="between two without a blank line"),
        pytest.param(ONE + b"said of it\n", ONE + b"\n%s\nsaid of it\n", id="before prose"),
        pytest.param(SHUT, SHUT + b"\n%s", id="after closed ones that no heading holds"),
        pytest.param(b"# L\n\n## Closed\n\n" + SHUT, b"# L\n\n%s\n## Closed\n\n" + SHUT, id="before the closed ones"),
        pytest.param(
            b"# L\n\n---\n\n## Resolved Loops\n", b"# L\n\n%s\n---\n\n## Resolved Loops\n", id="before a rule"
        ),
        pytest.param(
            OPEN_SECTION, OPEN_SECTION.replace(b"*None.*\n", b"*None.*\n\n%s"), id="in the section of open ones"
        ),
        pytest.param(b"# L\n\n---\n*Kept.*\n", b"# L\n\n%s\n---\n*Kept.*\n", id="before the closing note"),
        pytest.param(b"# L\n\nWords", b"# L\n\nWords\n\n%s", id="after a last line without newline"),
        pytest.param(ONE + b"\n## Closed\n\n" + TWO, ONE + b"\n%s\n## Closed\n\n" + TWO, id="not among closed ones"),
        pytest.param(b"- a\n  " + ONE.replace(b"\n", b"\n  ").rstrip(b" "), None, id="indented"),
        pytest.param(ONE.replace(b"\n", b"\r\n"), None, id="crlf"),
        pytest.param(ONE.replace(b"  <", b"\t<"), None, id="tabs"),
    ],
)
def test_a_new_loop_has_its_place(before: bytes, after: bytes | None, project: paths.Project) -> None:
    """It goes after the last open one, else before those that are closed, else at the end, and looks like others."""
    path = put(project, before) if before else Path(discovery.loops_path(project.root))
    new = NEW_LOOP % (ids.highest("LOOP", [before]) + 1)
    if not before:
        expected = NEW + b"\n" + new
    elif after is not None:
        expected = after % (new if before.endswith(b"\n") else new.rstrip())
    elif b"\r" in before:
        expected = before + b"\r\n" + new.replace(b"\n", b"\r\n")
    elif b"\t" in before:
        expected = before + b"\n" + new.replace(b"  <", b"\t<")
    else:
        expected = before + b"\n  " + new.rstrip().replace(b"\n", b"\n  ") + b"\n"
    add(project)
    assert path.read_bytes() == expected


def test_a_loop_lives_from_capture_to_outcome(project: paths.Project) -> None:
    """The file says what was done, in the words that were given, and nothing that was there goes."""
    put(project, b"# Loops\n")
    long = "Because the first line\nand a second one say so."
    add(project, "  Which\nsources? ", context="R&D asked", question=long)
    explore(project, "1")
    explore(project, "loop-1", "Ask <them>")
    explore(project, "LOOP-001", long)
    close(project, "001", "Both.", evidence=long, decision="DECISION-004")
    assert (
        Path(read(project).path).read_text()
        == """\
# Loops

<loop id="LOOP-001" status="closed">
  <title>Which sources?</title>
  <context>R&amp;D asked</context>
  <question>
    Because the first line
    and a second one say so.
  </question>
  <captured>2026-01-21T15:30:00Z</captured>
  <exploring>
    <started>2026-01-21T15:30:00Z</started>
    <approach>
      Because the first line
      and a second one say so.
    </approach>
  </exploring>
  <outcome>
    <closed>2026-01-21T15:30:00Z</closed>
    <result>Both.</result>
    <evidence>
      Because the first line
      and a second one say so.
    </evidence>
    <decision_ref>DECISION-004</decision_ref>
  </outcome>
</loop>
"""
    )


def test_what_was_to_be_filled_in_is_filled_in(project: paths.Project) -> None:
    """An outcome that a template left empty is written, and a status that appears twice is set twice."""
    path = put(
        project,
        b'<loop status="open" id="LOOP-002">\n  <status>open</status>\n  <outcome>\n    <result></result>\n'
        b"    <by>Ann</by>\n  </outcome>\n</loop>\n",
    )
    close(project, "2", "It is.")
    assert path.read_bytes() == (
        b'<loop status="closed" id="LOOP-002">\n  <status>closed</status>\n  <outcome>\n    <result>It is.</result>\n'
        b"    <by>Ann</by>\n    <closed>2026-01-21T15:30:00Z</closed>\n  </outcome>\n</loop>\n"
    )


OUTCOME = b"  <outcome>\n    <result>So.</result>\n  </outcome>\n</loop>"
BY_NAME = {wild.name: wild.data for wild in WILD}


@pytest.mark.parametrize(
    ("data", "ident", "act", "why"),
    [
        (ONE, "2", look, r"has no LOOP-002\. Open: LOOP-001\. Type: holdfast loop list"),
        (ONE, "x", look, "'x' is not the id of a loop"),
        (ONE, "", close, "'' is not the id of a loop"),
        (SHUT, "3", look, "LOOP-003 is closed.*holdfast loop add"),
        (SHUT.replace(b"</loop>", OUTCOME), "3", close, r"closed already, with another outcome \(line 1\)"),
        (BY_NAME["an id that appears twice"], "1", close, "LOOP-001 appears twice, on lines 1 and 7; give one"),
        (BY_NAME["an element never closed"], "1", close, "its <context> on line 3 never closes"),
        (BY_NAME["a fence that never closes, before"], "1", close, "line 1: a code fence that never closes"),
        (BY_NAME["a comment that never closes, before"], "1", look, "line 1: a comment that never closes"),
        (BY_NAME["conflict markers behind"], "1", look, "line 4: a conflict marker"),
        (BY_NAME["bytes that are not UTF-8"], "1", close, "not UTF-8"),
        (
            ONE.replace(b"</loop>", b"<outcome>\n</outcome>\n<outcome>\n</outcome>\n</loop>"),
            "1",
            close,
            "<outcome> 2 times",
        ),
        (b"", "1", look, "is empty: another program may be saving it"),
    ],
)
def test_what_is_unclear_is_refused(
    data: bytes, ident: str, act: Callable[[paths.Project, str], object], why: str, project: paths.Project
) -> None:
    """The file stays as it is, and the message says what is in the way."""
    path = put(project, data)
    before = snapshot(path.parent)
    with pytest.raises(HoldfastError, match=why):
        act(project, ident)
    assert snapshot(path.parent) == before


@pytest.mark.parametrize("stated", ["", "  \n", "\x1b[0m\u200b", "TBD", "[outcome]", "..."])
def test_an_outcome_says_something(stated: str, project: paths.Project) -> None:
    """A loop is not closed with nothing."""
    put(project, ONE)
    with pytest.raises(HoldfastError, match=r"outcome (says nothing|is missing)"):
        close(project, "1", stated)
    assert read(project).loop("1").status == "open"


@pytest.mark.parametrize("stated", ["", " \n\t", "\x00\x1b[0m"])
def test_a_title_says_something(stated: str, project: paths.Project) -> None:
    """A question has words, and no file appears for one without."""
    with pytest.raises(HoldfastError, match="title is empty"):
        add(project, stated)
    assert not os.path.exists(discovery.loops_path(project.root))


def test_closing_again_is_no_news(project: paths.Project) -> None:
    """The same outcome changes nothing, more of it or another is refused; one that was closed without gets it."""
    path = put(project, ONE + SHUT)
    assert close(project, "1", "So.\n", evidence="Seen.")[1]
    after = path.read_bytes()
    assert not close(project, "1", " So.")[1]
    assert not close(project, "1", "So.", evidence="Seen.")[1]
    for stated in ({"result": "Not so."}, {"result": "So.", "evidence": "Heard."}):
        with pytest.raises(HoldfastError, match="with another outcome"):
            close(project, "1", **stated)
    assert path.read_bytes() == after
    loop, changed = close(project, "3", "At last.")
    assert (loop.result, changed) == ("At last.", True)


def test_no_file_is_no_loop(project: paths.Project) -> None:
    """Reading makes nothing, and an edit of nothing is refused."""
    assert (read(project).loops, read(project).flaws) == ([], [])
    with pytest.raises(HoldfastError, match=r"LOOPS\.md has no LOOP-001\. Open: none"):
        close(project, "1")
    assert not os.path.exists(discovery.loops_path(project.root))


@pytest.mark.parametrize(("there", "expected"), [((), 2), ((0, 1, 2), 0), ((1, 2), 1)])
def test_the_first_place_that_has_one_counts(there: tuple[int, ...], expected: int, project: paths.Project) -> None:
    """The loops of GSD-lite are found where they are; a new file goes to .agents."""
    for number in there:
        path = Path(project.root, discovery.PATHS[number])
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(ONE)
    assert discovery.loops_path(project.root) == f"{project.root}/{discovery.PATHS[expected]}"


@pytest.mark.slow
def test_what_is_no_plain_file_is_left_alone(project: paths.Project, tmp_path: Path) -> None:
    """A link is not written through, a read-only file not written, a pipe not read, a huge file not parsed."""
    path = Path(discovery.loops_path(project.root))
    target = tmp_path / "elsewhere.md"
    target.write_bytes(ONE)
    path.symlink_to(target)
    with pytest.raises(HoldfastError, match="is a link"):
        add(project)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(HoldfastError, match="not a plain file"):
        read(project)
    with pytest.raises(HoldfastError, match="not a plain file"):
        add(project)
    path.unlink()
    path.write_bytes(ONE)
    path.chmod(0o444)
    with pytest.raises(HoldfastError, match="read-only"):
        close(project, "1")
    path.chmod(0o644)
    path.write_bytes(b"x" * discovery.LARGEST + ONE)
    for act in (read, add):
        with pytest.raises(HoldfastError, match="larger than 4 MB"):
            act(project)
    path.write_bytes(ONE)
    with pytest.raises(HoldfastError, match="larger than 4 MB"):
        add(project, context="x" * discovery.LARGEST)
    assert (path.read_bytes(), target.read_bytes()) == (ONE, ONE)


TEXTS = st.text(
    st.one_of(
        st.sampled_from("<>&`~#-*_ \n\t|!/\"'\r\\\x00\x1b\u2028\x85\u200b\ufeff\U0001f600"),
        st.characters(),
    ),
    max_size=200,
)
SNIPPETS = st.lists(
    st.sampled_from(
        [
            *(
                "</loop>",
                '<loop id="LOOP-003">',
                "<!--",
                "-->",
                "```",
                "~~~~",
                "</context>",
                "<outcome>",
                "</outcome>",
                "\n",
            ),
            *(
                "<result>",
                "&lt;",
                "&amp;amp;",
                "# H",
                "---",
                "- ",
                "    ",
                "\t",
                "\r\n",
                "x",
                "<<<<<<< ours",
                "<script>",
            ),
        ]
    ),
    max_size=12,
).map("".join)
ANY = st.one_of(TEXTS, SNIPPETS)


@settings(max_examples=times(0.6))
@given(ANY, ANY, ANY, ANY, ANY)
@example("```", "```\n\n```", "</loop>\n<!--", "x" * 10_000, "-->\n\n~~~")
@example("LOOP-099", "\n\n<<<<<<< a\n", "a\n\n    b\n\tc", "&amp;lt;", "<!--")
def test_any_text_reads_back(title: str, context: str, approach: str, result: str, evidence: str) -> None:
    """Any text that is written stays what it is, ends no element, and changes the meaning of nothing around it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, ".agents").mkdir()
        Path(folder, paths.SETTINGS).touch()
        project = paths.locate(folder)
        path = put(project, TEMPLATE)
        ident = add(project, "T" + title, context=context, question=evidence).ident
        explore(project, ident, approach)
        close(project, ident, "R" + result, evidence=evidence)
        add(project)
        close(project, "7", "R" + result)
        loops_now = read(project).loops
        assert loops_now[0].ident == "LOOP-007"
        loop = read(project).loop(ident)
        assert loop.title.split() == plain("T" + title).split()
        stated = (loop.context, loop.question, loop.approach, loop.result, loop.evidence)
        given_texts = (context, evidence, approach, "R" + result, evidence)
        assert stated == tuple(map(tidy, given_texts))
        assert [each.split() for each in stated] == [plain(each).split() for each in given_texts]
        assert read(project).loop("7").result == tidy("R" + result)
        assert (len(loops_now), read(project).flaws, loop.status) == (4, [], "closed")
        after = path.read_bytes()
        assert after.startswith(TEMPLATE[: TEMPLATE.index(b'<loop id="LOOP-007')])
        assert after.endswith(TEMPLATE[TEMPLATE.index(b"\n## Closed") :])


@settings(max_examples=times(3))
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [ONE, TWO, SHUT, b"```\n", b"<!--\n", b"-->\n", b"</loop>\n", b"## Closed\n", b"\n", b"<loop>\n"]
            ),
            st.binary(max_size=8),
        ),
        max_size=14,
    ).map(b"".join)
)
def test_any_bytes_are_read(data: bytes) -> None:
    """There is no file that breaks the reading, and each loop is where it says that it is."""
    found, _ = parse(Document(data))
    ends = [0, *(loop.end for loop in found)]
    assert all(end <= loop.start for end, loop in zip(ends, found, strict=False))
    assert all(data[loop.start : loop.end].startswith(b"<loop") for loop in found)
    assert all(data[loop.start : loop.end].rstrip(b"> \t\r\n").endswith(b"</loop") for loop in found)


def test_a_file_full_of_strays_is_read_at_once() -> None:
    """Fences, comments and tags that never close cost no more than their number."""
    for stray in (b"```x\n", b"<!--\n", b"<b>\n", b"<context>\n", b"~~~~ a\n"):
        data = ONE.replace(b"</loop>", stray * 20_000 + b"</loop>") + TWO + stray * 20_000 + b"```\n~~~~\n-->\n"
        assert [loop.ident for loop in parse(Document(data))[0]][:1] == ["LOOP-001"]


@pytest.mark.parametrize(
    ("stated", "ident"),
    [
        *(
            ("7", "LOOP-007"),
            ("007", "LOOP-007"),
            ("loop-7", "LOOP-007"),
            (" LOOP-007 ", "LOOP-007"),
            ("1234", "LOOP-1234"),
        ),
        *(
            ("", ""),
            ("x", ""),
            ("-7", ""),
            ("TASK-007", ""),
            ("7.", ""),
            ("LOOP-1234567", ""),
            ("\u0667", ""),
            ("7\n8", ""),
        ),
    ],
)
def test_ids_are_typed_in_many_ways(stated: str, ident: str) -> None:
    """What a person types is one id, or none."""
    assert ids.parse("LOOP", stated) == ident


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        ("TASK-003 - Parse it", ("TASK-003", "Parse it")),
        ("task-3: Parse", ("TASK-003", "Parse")),
        ("TASK-003 \u2014 a - b", ("TASK-003", "a - b")),
        ("TASK-003 Parse", ("TASK-003", "Parse")),
        ("TASK-003", None),
        ("Parse TASK-003", None),
        ("TASK-0035678 x", None),
        ("PLAN-003 - x", None),
    ],
)
def test_a_title_may_bring_its_id(stated: str, found: tuple[str, str] | None) -> None:
    """An id at the beginning of a title is distinguished from it."""
    assert ids.split_title("TASK", stated) == found


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b"See LOOP-012, loop-9 and (LOOP-7).", 12),
        (b"LOOP-1234567 MYLOOP-8 LOOP-2026-01-21 LOOP-x LOOP-", 0),
        (b"", 0),
        (b"\xffLOOP-003\xff LOOP-999999", 999_999),
        (b"TASK-900", 0),
    ],
)
def test_ids_are_found_in_texts(text: bytes, number: int) -> None:
    """What is an id counts, wherever it is; a number of more digits is somebody else's."""
    assert ids.highest("LOOP", [text]) == number


def test_an_id_is_never_given_twice(project: paths.Project) -> None:
    """Neither after the loops are deleted, nor to another kind's disadvantage, nor when the note of them is damaged."""
    counter = Path(project.store, "ids")
    assert [add(project).ident, add(project).ident] == ["LOOP-001", "LOOP-002"]
    Path(discovery.loops_path(project.root)).unlink()
    assert add(project).ident == "LOOP-003"
    assert ids.next_number(project, "TASK", [b"TASK-041 LOOP-050"]) == "TASK-042"
    assert add(project).ident == "LOOP-004"
    for damage in (b"", b"{", b"[1]", b'{"LOOP": "x", "TASK": 42}', b'{"LOOP": 9999999}', b"\xff"):
        counter.write_bytes(damage)
        assert ids.next_number(project, "LOOP", [Path(discovery.loops_path(project.root)).read_bytes()]) == "LOOP-005"
    counter.unlink()
    assert add(project).ident == "LOOP-005"
    with store.writing(project):
        assert loops.add(project, project.root, {"title": "x"}, NOW, [b"LOOP-080 was closed"]).ident == "LOOP-081"
        with pytest.raises(HoldfastError, match="LOOP-999999 is in a file"):
            loops.add(project, project.root, {"title": "x"}, NOW, [b"LOOP-999999"])


def test_ids_of_other_machines_are_not_given(project: paths.Project) -> None:
    """The next id follows those that other machines used, unless one of them is far ahead."""
    Path(project.store, "sharing").mkdir(parents=True)
    for others, ident in (
        ([{"LOOP": 4}, {"LOOP": 7, "TASK": 50}, {}], "LOOP-008"),
        ([{"LOOP": 3}], "LOOP-009"),
        ([{"LOOP": 5000}], "LOOP-010"),
        ([], "LOOP-011"),
    ):
        ids.reserve(project.store, others)
        assert add(project).ident == ident
    assert ids.taken(project.store) == {"LOOP": 11}
    assert ids.clean({"LOOP": 3, "TASK": -1, "PLAN": True, "OTHER": 3, "DECISION": 10**6}) == {"LOOP": 3}
    assert ids.clean(["LOOP"]) == {}


def test_worktrees_share_the_ids(project: paths.Project) -> None:
    """A loop that somebody wrote into another worktree's file by hand counts, as those that were added there."""
    main = Repository(Path(project.root))
    main.commit("first", {"a.txt": b""})
    trees = [Path(project.root).parent / name for name in ("one", "two")]
    for tree in trees:
        main.git("worktree", "add", "-q", str(tree))
    (trees[0] / ".agents").mkdir()
    (trees[0] / ".agents/LOOPS.md").write_bytes(ONE.replace(b"001", b"030"))
    there = [project, *(paths.locate(str(tree)) for tree in trees)]
    assert [add(tree).ident for tree in there] == ["LOOP-031", "LOOP-032", "LOOP-033"]
    assert [[loop.ident for loop in read(tree).loops] for tree in there] == [
        ["LOOP-031"],
        ["LOOP-030", "LOOP-032"],
        ["LOOP-033"],
    ]


def test_a_person_who_saves_meanwhile_loses_nothing(project: paths.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody saved after the file was read stays, and an id that they used is not given once more."""
    path = put(project, ONE)
    write, saved = files.write_atomic, iter([TWO, b"\nA remark.\n"])

    def late(name: str, data: bytes, **how: Any) -> bool:
        more = next(saved, b"") if name == str(path) else b""
        if more:
            path.write_bytes(path.read_bytes() + more)
        return write(name, data, **how)

    monkeypatch.setattr(files, "write_atomic", late)
    assert add(project).ident == "LOOP-003"
    assert [loop.ident for loop in read(project).loops] == ["LOOP-001", "LOOP-002", "LOOP-003"]
    assert path.read_bytes().startswith(ONE + TWO + b"\n<loop")
    assert path.read_bytes().endswith(b"</loop>\n\nA remark.\n")


def test_the_command_keeps_loops(prepared: Project) -> None:
    """What a person types is in the file, staged, and is reported in their words."""
    stated = prepared.cli("loop", "add", "Determine lineage scope.", "--context", "asked by Ann")
    assert stated == (0, "Captured LOOP-001: Determine lineage scope.\nLoops: .agents/LOOPS.md\n", "")
    assert prepared.staged() == [".agents/LOOPS.md"]
    assert prepared.cli("loop", "explore", "1", "--approach", "ask").out == (
        "Exploring LOOP-001: Determine lineage scope.\nLoops: .agents/LOOPS.md\n"
    )
    assert (
        prepared.cli("loop", "explore", "1").out
        == "LOOP-001 says so already; nothing was written.\nLoops: .agents/LOOPS.md\n"
    )
    assert "Determine lineage scope." in prepared.cli("loop", "list").out
    shown = prepared.cli("loop", "show", "LOOP-001").out.splitlines()
    assert shown[0] == "LOOP-001: Determine lineage scope. (clarifying)"
    assert {"Context: asked by Ann", "Approach: ask"} <= set(shown)
    stated = prepared.cli("loop", "close", "loop-1", "--outcome", "All of it.", "--evidence", "the list")
    assert stated == (0, "Closed LOOP-001: Determine lineage scope.\nLoops: .agents/LOOPS.md\n", "")
    assert prepared.cli("loop", "list").err == "No loop is open. 1 closed: holdfast loop list --all\n"
    assert prepared.cli("loop", "list", "--json").out == "[]\n"
    (row,) = json.loads(prepared.cli("loop", "list", "--all", "--json").out)
    assert row == json.loads(prepared.cli("loop", "show", "1", "--json").out)
    assert (row["id"], row["status"], row["result"], row["evidence"]) == (
        "LOOP-001",
        "closed",
        "All of it.",
        "the list",
    )
    assert prepared.log == []


def test_an_id_from_before_a_merge_is_found(prepared: Project) -> None:
    """Commands find a loop by its old id; where another loop has that id now, they say which other one had it."""
    for title in ("Early?", "Late?"):
        assert prepared.cli("loop", "add", title).code == 0
    path = prepared.root / ".agents/LOOPS.md"
    path.write_text(
        path.read_text().replace('id="LOOP-002" status="open"', 'id="LOOP-002" status="open" alias="LOOP-001"')
    )
    also = "Before a merge, LOOP-001 was also the id of LOOP-002: Late?"
    assert prepared.cli("loop", "show", "1").out.splitlines()[-1] == also
    assert prepared.cli("loop", "explore", "1").out.splitlines()[::2] == ["Exploring LOOP-001: Early?", also]
    path.write_text(path.read_text().replace('alias="LOOP-001"', 'alias="LOOP-007"'))
    done = prepared.cli("loop", "close", "7", "--outcome", "Yes.")
    assert done.out == "Closed LOOP-002: Late?\nLoops: .agents/LOOPS.md\nLOOP-007 is LOOP-002 since a merge.\n"
    assert 'id="LOOP-002" status="closed" alias="LOOP-007"' in path.read_text()


def test_a_text_comes_from_standard_input(prepared: Project) -> None:
    """A dash reads one text, of several lines; two dashes, and what is no text, are refused."""

    def run(data: bytes, *more: str) -> tuple[int, str]:
        done = prepared.fed(data, "loop", "add", "T", "--context", "-", *more)
        return done.code, done.err

    assert run(b"\xef\xbb\xbfone\r\n  two\n") == (0, "")
    assert book.read(str(prepared.root)).loop("1").context == "one\n  two"
    assert run(b"", "--question", "-")[0] == 2
    assert run(b"\xff") == (1, "holdfast: Standard input is not UTF-8. Give plain text.\n")
    assert len(book.read(str(prepared.root)).loops) == 1


def test_a_decision_is_recorded(prepared: Project) -> None:
    """It gets an id, is in the one state file that is meant, and closing again takes no other."""
    state = prepared.write_state()
    state.write_text(state.read_text() + "\n## Decisions\n- DECISION-007: Use SQLite\n")
    prepared.cli("loop", "add", "Which sources?")
    stated = prepared.cli("loop", "close", "1", "--outcome", "Both.", "--decision", "Use both")
    assert stated.code == 0, stated.err
    assert stated.out.splitlines() == [
        "Closed LOOP-001: Which sources?",
        "Loops: .agents/LOOPS.md",
        "Recorded DECISION-008: Use both (LOOP-001) in .agents/sessions/20251204-143000-parser.md.",
    ]
    assert state.read_text().endswith("- DECISION-007: Use SQLite\n- DECISION-008: Use both (LOOP-001)\n")
    assert book.read(str(prepared.root)).loop("1").decision == "DECISION-008"
    stated = prepared.cli("loop", "close", "1", "--outcome", "Both.", "--decision", "Use both")
    assert stated == (0, "LOOP-001 says so already; nothing was written.\nLoops: .agents/LOOPS.md\n", "")
    assert state.read_text().count("DECISION-008") == 1
    prepared.cli("loop", "add", "What else?")
    prepared.write_state("20251205-143000-second.md")
    stated = prepared.cli("loop", "close", "2", "--outcome", "Nothing.", "--decision", "Stop")
    assert stated.code == 0
    assert "Recorded DECISION-009: Stop (LOOP-002) in .agents/sessions/" in stated.out
    assert "using the most recent of 2 sessions" in stated.err
    put(paths.locate(str(prepared.root)), SHUT)
    stated = prepared.cli("loop", "close", "3", "--outcome", "No.", "--decision", "Stop")
    assert "Recorded DECISION-010: Stop (LOOP-003)" in stated.out
    prepared.cli("loop", "add", "And?")
    prepared.cli("loop", "close", "4", "--outcome", "No.")
    stated = prepared.cli("loop", "close", "4", "--outcome", "No.", "--decision", "Stop")
    assert (stated.code, "none was recorded" in stated.err) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("add",), 2, "Missing argument"),
        (("add", " "), 1, "The title is empty"),
        (("explore", "9"), 1, "has no LOOP-009"),
        (("close", "9", "--outcome", "x"), 1, "has no LOOP-009"),
        (("close", "1"), 1, "--outcome"),
        (("close", "1", "--outcome", "TBD", "--decision", "x"), 1, "The outcome says nothing"),
        (("show", "x"), 1, "is not the id of a loop"),
    ],
)
def test_what_is_mistyped_is_reported(arguments: tuple[str, ...], code: int, why: str, prepared: Project) -> None:
    """A line says what is wrong, and nothing is written."""
    path = put(paths.locate(str(prepared.root)), ONE)
    stated = prepared.cli("loop", *arguments)
    assert (stated.code, stated.out, path.read_bytes()) == (code, "", ONE)
    assert why in stated.err


def test_flaws_of_the_file_are_reported(prepared: Project) -> None:
    """Reading says what is wrong and where, and shows the rest."""
    put(paths.locate(str(prepared.root)), BY_NAME["never closed"])
    stated = prepared.cli("loop", "list", "--json")
    assert [row["id"] for row in json.loads(stated.out)] == ["LOOP-002"]
    assert stated.err == "holdfast: .agents/LOOPS.md, line 1: a <loop> that never closes\n"


def test_nothing_appears_before_init(here: Project) -> None:
    """Loops are read anywhere, and written only where files may appear."""
    for command in (("add", "x"), ("explore", "1"), ("close", "1", "--outcome", "x")):
        stated = here.cli("loop", *command)
        assert (stated.code, stated.out) == (1, "")
        assert "Type: holdfast init" in stated.err
    assert here.cli("loop", "list") == (0, "", "No loop is open.\n")
    assert [path.name for path in here.root.iterdir()] == [".git"]


@pytest.mark.parametrize("words", [("add", "Why?"), ("explore", "1"), ("close", "1", "--outcome", "Yes.")], ids=str)
def test_settings_that_cannot_be_used_stop_a_command_before_it_writes(
    prepared: Project, words: tuple[str, ...]
) -> None:
    """They may say that nothing is staged; a command that failed has not changed the file."""
    assert prepared.cli("loop", "add", "Is it fast?").code == 0
    before = Path(discovery.loops_path(str(prepared.root))).read_bytes()
    (prepared.root / ".agents/holdfast.toml").write_text("stage = 7\n")
    reply = prepared.cli("loop", *words)
    assert (reply.code, "stage" in reply.err) == (1, True), reply
    assert Path(discovery.loops_path(str(prepared.root))).read_bytes() == before


@pytest.mark.parametrize("around", [(b"<!-- ", b" -->\n"), (b"```\n", b"\n```\n"), (b"~~~\n", b"\n~~~\n")])
def test_what_is_hidden_is_no_loop(around: tuple[bytes, bytes]) -> None:
    """Each comment and each code fence hides what is in it, also the second one of its kind."""
    before, after = around
    data = before + ONE + after + before + TWO + after + SHUT
    assert [loop.ident for loop in parse(Document(data))[0]] == ["LOOP-003"]
    tags = before + b"<loop>" + after + before + b"<title>" + after + b"<title>Three</title>"
    found, alone = elements.find(tags, 0, len(tags))
    assert ([one.start for one in found], alone) == ([tags.rindex(b"<title>")], [])


@pytest.mark.parametrize(
    "after", [ONE + TWO.replace(b"Two", b"2"), ONE + SHUT, ONE, ONE + TWO + b"<loop>\n", ONE + b"\n```\n" + TWO]
)
def test_an_edit_that_would_spoil_the_file_is_refused(after: bytes) -> None:
    """The last look before a file is written, should a text get past all that cleans it: the other loops stay."""
    before = Book("/p/LOOPS.md", ONE + TWO)
    look = loops._look_again  # noqa: SLF001 - no text is known that gets so far
    look(before, Book("/p/LOOPS.md", ONE.replace(b"One", b"1") + TWO), "LOOP-001", {"title": "1"})
    with pytest.raises(HoldfastError, match=r"/p/LOOPS\.md is not written: the loops around LOOP-001"):
        look(before, Book("/p/LOOPS.md", after), "LOOP-001", {})
