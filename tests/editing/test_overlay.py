"""Sections of working memory in a file of any format: begun after its own, and neither is taken for the other's."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given

from holdfast.core.errors import HoldfastError
from holdfast.editing.edit import Editor
from holdfast.editing.requests import ManagedLines, Request
from holdfast.formats.state_file import StateFile
from tests.editing.test_edit_properties import files
from tests.hazards import shapes
from tests.robustness.test_hazards import PATHS
from tests.support.edits import FORMATS, MEMORY, NOW, make

SHAPES = [
    *(shapes.AGENTS, shapes.FLAT, shapes.N5, shapes.V1, shapes.GSD, shapes.GENIE, shapes.CONTINUE),
    *(shapes.MEMORY, shapes.CLAUDE, shapes.CONTINUITY, shapes.HANDOFF),
]
COLUMNS = ["ID", "Title", "Status", "Captured"]
ROW = ["LOOP-004", "Which rate", "open", "2026-01-21"]
SIX = {
    "Current Context": [
        Request(("Current Context", name), text=text)
        for name, text in {"Phase": "2. Import", "Task": "TASK-003", "Focus": "Prices", "Status": "Working"}.items()
    ],
    "Active Loops": [
        Request(("Active Loops",), rows={"LOOP-004": ROW}, columns=COLUMNS),
        Request(("Active Loops", "Total active"), text="1 loop"),
    ],
    "Token Budget": [
        Request(("Token Budget", "Status"), text="1 / 5 (20%)"),
        Request(("Token Budget", "Strategy"), text="x"),
    ],
    "Available Actions": [
        Request(
            ("Available Actions",),
            managed_lines=ManagedLines(
                ["**Core:**", "- `/pause` - x", "", "**Contextual (task):**", "- `/return` - x"], str, str
            ),
        ),
    ],
    "Context Stack": [
        Request(("Context Stack", name), text=text)
        for name, text in {"Current": "TASK-003", "Return to": "None", "Depth": "0"}.items()
    ],
    "Recent Updates": [Request(("Recent Updates",), items=["Added LOOP-004"], minute="2026-01-21 15:00")],
}
TEXTS = {
    "Current Context": "**Phase:** 2. Import\n**Task:** TASK-003\n**Focus:** Prices\n**Status:** Working\n",
    "Active Loops": "| ID       | Title      | Status | Captured   |\n| -------- | ---------- | ------ | ---------- |\n"
    "| LOOP-004 | Which rate | open   | 2026-01-21 |\n\n**Total active:** 1 loop\n",
    "Token Budget": "**Status:** 1 / 5 (20%)\n**Strategy:** x\n",
    "Available Actions": "**Core:**\n- `/pause` - x\n\n**Contextual (task):**\n- `/return` - x\n",
    "Context Stack": "**Current:** TASK-003\n**Return to:** None\n**Depth:** 0\n",
    "Recent Updates": "**2026-01-21 15:00**\n\n- Added LOOP-004\n",
}
EVERY = [want for wants in SIX.values() for want in wants]
EACH = pytest.mark.parametrize(("file_format", "text"), SHAPES, ids=[name for name, _ in SHAPES])


def path_of(file_format: str) -> str:
    """Return where a file of a format lies."""
    return PATHS.get(file_format, ".agents/sessions/x.md")


def whole(file_format: str, text: str) -> bytes:
    """Return a file in which all six sections were begun."""
    return make(text.encode(), *EVERY, path=path_of(file_format)).data


def inserted(before: bytes, after: bytes) -> bytes:
    """Return what came where nothing else changed."""
    first = next((at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), len(before))
    assert after.endswith(before[first:])
    return after[first : len(after) - len(before) + first]


@EACH
def test_a_section_is_begun_after_all_others(file_format: str, text: str) -> None:
    """Each of the six begins with its fields, rows, items or entries, and the file stays what it is."""
    for title, end in product(SIX, ("\n", "\r\n")):
        data = text.replace("\n", end).encode()
        outcome = make(data, *SIX[title], path=path_of(file_format))
        assert outcome.unplaced == []
        assert outcome.state.file_format
        assert outcome.state.file_format.name == file_format, title
        came = inserted(data, outcome.data).decode().replace("\r\n", "\n").strip("\n")
        heading, _, body = came.partition("\n")
        assert (heading, body.strip("\n")) == (f"## {title}", TEXTS[title].strip("\n"))
        assert (outcome.data.count(b"\r\n") == outcome.data.count(b"\n")) is (end == "\r\n"), title


@EACH
def test_all_six_stand_in_their_order(file_format: str, text: str) -> None:
    """Begun in any order they are in the one that the format has, each once."""
    wants = [want for title in reversed(SIX) for want in SIX[title]]
    data = make(text.encode(), *wants, path=path_of(file_format)).data
    assert data == whole(file_format, text)
    came = inserted(text.encode(), data).decode()
    assert [line for line in came.splitlines() if line.startswith("## ")] == [f"## {title}" for title in SIX]


NOTES = {
    "a note": "\n---\n\n*Kept by Eva.*\n",
    "fields": "\n---\n**Depth:** 7\n**Status:** done\n",
    "no line's end": "",
}


@pytest.mark.parametrize("note", NOTES.values(), ids=NOTES)
def test_where_a_file_ends(note: str) -> None:
    """What closes the file stays the last, and a file without a final newline stays without one."""
    data = (shapes.N5[1] + note if note else shapes.N5[1].rstrip("\n")).encode()
    after = make(data, *SIX["Context Stack"]).data.decode()
    expected = f"{shapes.N5[1]}\n## Context Stack\n{TEXTS['Context Stack']}{note}"
    assert after == (expected if note else expected.rstrip("\n"))


def test_after_tags() -> None:
    """Where a file consists of tags, what is begun is after the last one, not in it."""
    data = shapes.CONTINUE[1].encode()
    after = make(data, *SIX["Context Stack"], path=".continue-here.md").data.decode()
    assert after.startswith(shapes.CONTINUE[1] + "\n## Context Stack\n")


def test_in_the_format_itself() -> None:
    """A file of the format itself has what it lacks in the order of the format, in its own look."""
    data = shapes.GSD_LITE[1].encode()
    after = make(data, *SIX["Available Actions"], *SIX["Context Stack"]).data.decode()
    stack = f"## Available Actions\n\n{TEXTS['Available Actions']}\n## Context Stack\n\n{TEXTS['Context Stack']}\n"
    assert after == shapes.GSD_LITE[1].replace("## Recent", stack + "## Recent")


OWN = ["Status", "Focus", "Phase", "Current", "Title", "Depth", "Strategy"]


@EACH
def test_a_word_means_the_files_own(file_format: str, text: str) -> None:
    """A wish for a field that is in the six sections, too, goes where it would without them."""
    editor, full = Editor(path_of(file_format), FORMATS, NOW), whole(file_format, text)
    for key in OWN:
        plain = editor.apply(text.encode(), {key: "paused"})
        among = editor.apply(full, {key: "paused"})
        assert among.unplaced == plain.unplaced, key
        assert [(change.line, change.old) for change in among.changes] == [
            (change.line, change.old) for change in plain.changes
        ], key
        assert len(among.data) - len(full) == len(plain.data) - len(text.encode()), key


WISHES: list[tuple[dict[str, object], tuple[str, str] | None, str]] = [
    ({"Current Context": {"Focus": "Credit notes"}}, ("**Focus:** Prices", "**Focus:** Credit notes"), ""),
    ({"Context Stack": {"Depth": 1}}, ("**Depth:** 0", "**Depth:** 1"), ""),
    ({"Recent Updates": ["x"]}, ("**2026-01-21", f"**{NOW}**\n\n- x\n\n**2026-01-21"), ""),
    ({"Active Loops": ["LOOP-005"]}, None, "its rows are a table, which `holdfast loop` keeps"),
]


@EACH
def test_a_section_that_is_named_is_edited_as_it_is(file_format: str, text: str) -> None:
    """A sync that names one of the six finds it in a file of any format, with its table and its log."""
    data = whole(file_format, text)
    for wanted, pair, why in WISHES:
        outcome = Editor(path_of(file_format), FORMATS, NOW).apply(data, wanted)
        expected = shapes.swap(data.decode(), pair) if pair else data.decode()
        assert outcome.data.decode() == expected
        assert [problem for _, problem in outcome.unplaced] == ([why] if why else []), wanted


def test_what_is_not_there_is_not_begun_by_a_sync() -> None:
    """A file of another format does not get a section of working memory because a sync names one."""
    data = shapes.N5[1].encode()
    outcome = Editor(path_of("n5"), FORMATS, NOW).apply(data, {"Context Stack": {"Depth": 1}})
    assert (outcome.data, len(outcome.unplaced)) == (data, 1)


def test_an_entry_of_a_hub() -> None:
    """Through the other format, too, an entry is found by its id, and nothing is begun that would end it."""
    editor = Editor(path_of("genie"), FORMATS, NOW, "tests-91c0", through=MEMORY)
    data = shapes.GENIE[1].encode()
    outcome = editor.make(data, SIX["Context Stack"])
    after = StateFile(outcome.data, path_of("genie"), FORMATS)
    assert [record.ident() for record in after.record.entries_of_hub()] == ["git-4be2", "tests-91c0", "git-0aa1"]


@given(files())
def test_any_file_with_anything_in_it(file: tuple[str, bytes]) -> None:
    """Whatever is in a file, the six sections come in once or with a reason why not; what people wrote stays."""
    file_format, data = file
    editor = Editor(path_of(file_format), FORMATS, NOW, through=MEMORY)
    try:
        outcome = editor.make(data, EVERY)
    except HoldfastError:
        return
    again = editor.make(outcome.data, EVERY)
    assert (again.data, again.changes) == (outcome.data, [])
    rest = iter(outcome.data.splitlines())
    assert file_format == "gsd-lite" or all(line in rest for line in data.splitlines() if line.strip())
