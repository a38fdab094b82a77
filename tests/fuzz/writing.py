"""What is written into files of any kind: edits of state files, the hub and LOOPS.md.

The first line of an input says what is wanted, the rest is the file.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.actions import merge_file
from holdfast.core import clock
from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.editing.edit import Editor
from holdfast.formats.catalogue import known
from holdfast.formats.state_file import StateFile
from holdfast.git import merge as git_merge
from holdfast.hub import update
from holdfast.hub.document import Hub
from holdfast.hub.transaction import Transaction
from holdfast.hub.update import Request, read_request
from holdfast.memory import refresh
from holdfast.memory.loops import book, lifecycle
from holdfast.memory.loops.elements import FIELDS
from holdfast.memory.measured import Measured
from holdfast.project import paths
from holdfast.project.discovery import loops_path
from holdfast.sessions.workspace import Workspace
from tests.fuzz import words
from tests.fuzz.facts import ROOT
from tests.fuzz.target import Target
from tests.hazards import shapes

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.editing.edit import Outcome

FORMATS = known("", Cache(""))
PATHS = (
    *(".agents/sessions/x.md", ".genie/SESSION-STATE.md", ".planning/STATE.md", ".continue-here.md"),
    *("memory-bank/activeContext.md", "thoughts/ledgers/CONTINUITY_CLAUDE-x.md", "HANDOFF.md"),
)
_NOW = clock.read("2026-01-17T16:00:00Z")
_FIXED = (("Status",), ("Focus",), ("Next Steps",), ("frontmatter", "status"), ("Recent Updates",), ("New",), ("",))
_GENIE = next(file_format for file_format in FORMATS if file_format.name == "genie")
_ASKED = (
    b"action=started agent=git session_id=new-1 purpose=Import context=files:[a,b] parent_session=abc123",
    b"action=completed session_id=abc123 context=all done",
    b"action=paused session_id=abc123 purpose='a **b**'",
)


def an_edit(data: bytes) -> None:
    """Check that a wish is refused with a reason, or made so that twice is once and no other letter goes."""
    head, _, file = data.partition(b"\n")
    path, at = PATHS[(head[0] if head else 0) % len(PATHS)], head[1] if len(head) > 1 else 0
    value = head[2:].decode("utf-8", "surrogateescape").replace("\\n", "\n")
    keys = _keys(file, path)
    wanted = _nested(keys[at % len(keys)], value[2:].split(";") if value.startswith("- ") else value)
    editor = Editor(path, FORMATS, "2026-04-01 12:00")
    outcome = _made(lambda: editor.apply(file, wanted))
    if outcome is None:
        return
    if not outcome.changes:
        assert outcome.data == file
        return
    gone = Counter(_letters(file)) - Counter(_letters(outcome.data))
    assert gone <= Counter(_letters("".join(change.old for change in outcome.changes).encode())), outcome.changes
    again = editor.apply(outcome.data, wanted)
    assert (again.data, again.changes) == (outcome.data, [])


def _keys(file: bytes, path: str) -> list[tuple[str, ...]]:
    """Return the places of a file that a wish may name, and some that are in none."""
    state = StateFile(file, path, FORMATS)
    found: list[tuple[str, ...]] = [("frontmatter", where) for where, _ in state.metadata.leaves()[:20]]
    found += [(section.title,) for section in state.document.sections[:30]]
    for label in state.document.labels(0, len(file))[:40]:
        section = state.record.around(label.start)
        found += [(label.name,), *([(section.title, label.name)] if section else [])]
    return [*_FIXED, *found]


def _nested(keys: tuple[str, ...], value: object) -> dict[str, object]:
    """Return the object that JSON has for keys that lead to a value."""
    for key in reversed(keys[1:]):
        value = {key: value}
    return {keys[0]: value}


def _made(make: Callable[[], Outcome]) -> Outcome | None:
    """Return what an edit comes to, None when it is refused, which has a reason."""
    try:
        return make()
    except HoldfastError as error:
        assert str(error)
        return None


def _letters(data: bytes) -> str:
    """Return the letters and digits in some bytes."""
    return "".join(filter(str.isalnum, data.decode("utf-8", "replace")))


def the_memory(data: bytes) -> None:
    """Check that what is measured is brought into working memory once, and is there the second time."""
    (ROOT / ".agents/LOOPS.md").write_bytes(b'<loop id="LOOP-004" status="open">\n<title>Which</title>\n</loop>\n')
    measured = Measured(book.read(str(ROOT)))
    measured.current, measured.done = "Read the price list", ["Parse"]
    measured.news = [(_NOW, "Started", "Read the price list")]
    for path in PATHS[:2]:
        try:
            after = refresh.settled(data, path, FORMATS, measured, _NOW)
        except HoldfastError:
            continue
        assert refresh.settled(after, path, FORMATS, measured, _NOW) == after


def the_hub(data: bytes) -> None:
    """Check that an update is refused, or leaves the headings that were there, and changes nothing a second time."""
    head, _, file = data.partition(b"\n")
    try:
        asked = read_request((head.decode("utf-8", "surrogateescape"),), "own")
        after = _updated(file, asked)
    except HoldfastError as error:
        assert str(error)
        return
    before, changed = (Hub(each, _GENIE) for each in (file, after))
    titles = [Counter((each.level, each.title) for each in hub.document.headings) for hub in (before, changed)]
    assert (titles[0] - titles[1]).total() <= 1  # a title that was to be filled in
    assert not changed.problem
    found = changed.entry(asked.session)
    assert found
    assert found.entry.category == _GENIE.category(asked.status)
    assert _updated(after, asked) == after


def _updated(file: bytes, asked: Request) -> bytes:
    transaction = Transaction(Hub(file, _GENIE), _NOW)
    update.apply(transaction, asked)
    return transaction.done()


def the_loops(data: bytes) -> None:
    """Check that any LOOPS.md is read, and that what is added, explored or closed is refused or leaves all else."""
    title, _, file = data.partition(b"\n")
    path = Path(loops_path(str(ROOT)))
    path.write_bytes(file)
    found = book.read(str(ROOT))
    assert all(0 <= loop.start < loop.end <= len(file) for loop in found.loops)
    assert all(line >= 1 and what for line, what in found.flaws)
    place = paths.Project(str(ROOT), "", "", str(ROOT / ".agents/.holdfast"))
    stated = title.decode("utf-8", "surrogateescape").replace("\\n", "\n")
    acts: list[Callable[[], object]] = [
        lambda: lifecycle.add(place, place.root, {"title": stated, "context": stated}, _NOW),
        *(lambda: lifecycle.explore(place, place.root, found.loops[0].ident, stated, _NOW) for _ in found.loops[:1]),
        *(
            lambda: lifecycle.close(place, place.root, found.loops[-1].ident, {"result": stated}, _NOW)
            for _ in found.loops[:1]
        ),
    ]
    with store.writing(place):
        for act in acts:
            _kept(path, act)


def a_merge(data: bytes) -> None:
    """Check that the merge driver ends with a text, whatever both sides added to a state file, a hub and LOOPS.md."""
    workspace = Workspace(paths.Project("", "", "", ""))
    for path in (PATHS[0], PATHS[1], ".agents/LOOPS.md"):
        try:
            merged, clean, _ = merge_file.merged(workspace, (b"", data, data + b"\nx"), git_merge.MARKER, path)
        except HoldfastError:  # no text: ours stays, in conflict
            assert b"\0" in data
        else:
            assert clean or git_merge.OURS.encode() in merged


def _kept(path: Path, act: Callable[[], object]) -> None:
    """Check that an act takes no letter from a file, and that one which is refused changes nothing."""
    before = path.read_bytes()
    reported = {loop.ident: [loop.text(name) for name in FIELDS] for loop in book.Book("x", before).loops}
    try:
        act()
    except HoldfastError as error:
        assert str(error)
        assert path.read_bytes() == before
        return
    after = path.read_bytes()
    assert len(after) >= len(before) - 200
    changed = {loop.ident: [loop.text(name) for name in FIELDS] for loop in book.Book("x", after).loops}
    assert sum(changed.get(ident) != stated for ident, stated in reported.items()) <= 1
    assert not re.search(rb"[^\n]*\Z", after) or after


def _wishes() -> list[bytes]:
    every = words.files()
    heads = (
        b"\0\x08Credit notes",
        b"\0\x09- one;two",
        b"\1\x01x # y",
        b"\0\x00done",
        b"\0\x02- Read it",
        b"\2\x0c\\1\\n\\n## H",
    )
    return [heads[number % len(heads)] + b"\n" + file for number, file in enumerate(every)]


def _hubs() -> list[bytes]:
    more = [file for file in words.files() if b"Session ID" in file]
    hubs = [shapes.GENIE[1].encode(), *more]
    return [asked + b"\n" + hub for hub in hubs for asked in _ASKED]


def _books() -> list[bytes]:
    one = b'# Loops\n\n## Active\n\n<loop id="LOOP-007" status="clarifying">\n  <title>Which</title>\n'
    one += b"  <question>\n    Can\n    it?\n"
    one += b"  </question>\n  <exploring>\n    <started>2026-01-21</started>\n  </exploring>\n</loop>\n\n## Closed\n\n"
    two = b"<loop status='closed' id='LOOP-003'>\n<title>T</title>\n<outcome><result>R</result></outcome>\n</loop>\n"
    code = b'```xml\n<loop id="LOOP-NNN">\n</loop>\n```\n<!--\n<loop id="LOOP-9">\n</loop>\n-->\n'
    return [b"Which one\n" + text for text in (one, one + two, code + one + two, two, b"", one.replace(b"\n", b"\r\n"))]


def _memories() -> list[bytes]:
    wanted = (b"## Current Context", b"## Recent Updates", b"## Active Loops", b"Context Stack")
    return [file for file in words.files() if any(title in file for title in wanted)]


_SECTIONS = (
    b"## Active Loops\n",
    b"## Token Budget\n",
    b"## Available Actions\n",
    b"## Context Stack\n",
    b"## Recent Updates\n",
)

TARGETS = [
    Target("edit", an_edit, _wishes, (*words.MARKDOWN, *words.YAML, *words.VALUE, *words.ODD), 150),
    Target("memory", the_memory, _memories, (*words.MARKDOWN, *_SECTIONS, *words.VALUE, *words.ODD, words.MANY), 60),
    Target(
        "hub",
        the_hub,
        _hubs,
        (*words.MARKDOWN, b"**Session ID:** `abc123`\n", b"### A - B\n", *words.ODD, b"abc123"),
        100,
    ),
    Target("loops", the_loops, _books, (*words.LOOPS, *words.ODD, *words.VALUE), 200),
    Target("merge", a_merge, lambda: [*_books(), *_hubs()], (*words.MARKDOWN, *words.LOOPS, *words.ODD), 60),
]
