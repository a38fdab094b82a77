"""Boxes that are ticked, tags on one line, and lists of files that people keep by hand."""

from __future__ import annotations

import pytest

from holdfast.core.cache import Cache
from holdfast.editing import lists
from holdfast.editing.edit import Editor
from holdfast.formats.catalogue import known
from holdfast.formats.state_file import StateFile
from holdfast.markdown.document import splices
from tests.hazards import shapes

FORMATS = known("", Cache(""))
N5 = shapes.N5[1]
LIST = "## Checks\n- [ ] One\n- [x] Two\n- [~] Three\n- Four\n  - [ ] Inner\n"


def edited(text: str, wanted: dict[str, object]) -> tuple[str, list[str]]:
    """Return a file after these requests, and why some of them were not placed."""
    outcome = Editor("x.md", FORMATS, "2026-03-02 11:00").apply(text.encode(), wanted)
    return outcome.data.decode(), [why for _, why in outcome.unplaced]


@pytest.mark.parametrize(
    ("items", "after", "problem"),
    [
        (["[x] One"], {"- [ ] One": "- [x] One"}, ""),
        (["[ ] Two"], {"- [x] Two": "- [ ] Two"}, ""),
        (["[X] Two"], {}, ""),
        (["[✅] Two"], {}, ""),
        (["[~] One", "[x] Three"], {"- [ ] One": "- [~] One", "- [~] Three": "- [x] Three"}, ""),
        (["[x] Inner"], {"- [ ] Inner": "- [x] Inner"}, ""),
        (["One"], {}, ""),
        (["[x] One", "Five"], {"- [ ] One": "- [x] One", "Inner\n": "Inner\n- Five\n"}, ""),
        (["[x] One", "[x] One"], {"- [ ] One": "- [x] One"}, ""),
        (["[x] One", "[ ] One"], {}, "two different boxes"),
        (["[x] Four"], {}, "no box to tick"),
        (["[ ] Four"], {}, ""),
    ],
)
def test_a_box_is_ticked_and_nothing_else(items: list[str], after: dict[str, str], problem: str) -> None:
    """The box of the requested item changes; an item without one, or requested twice, is refused."""
    text = N5 + "\n" + LIST
    found, problems = edited(text, {"Checks": items})
    assert found == shapes.swap(text, *after.items())
    assert [problem in why for why in problems] == [True] * bool(problem)
    assert edited(found, {"Checks": items})[0] == found


def test_a_box_that_stands_twice_is_refused() -> None:
    """Of two items with one text neither is ticked, and both lines are named."""
    text = N5 + "\n" + LIST.replace("Two", "One")
    found, problems = edited(text, {"Checks": ["[x] One"]})
    assert found == text
    assert "appears 2 times, on lines 32, 33" in problems[0]


@pytest.mark.parametrize(
    ("there", "tags", "after"),
    [
        ("#build\n", ["bucket", "#build", "#Bucket"], "#build #bucket\n"),
        ("#build\n", ["two words, more"], "#build #two-words #more\n"),
        ("TBD\n", ["#build"], "#build\n"),
        ("", ["#build", "more"], "#build #more\n"),
        ("- build\n", ["more"], "- build\n- more\n"),
        ("#build\n", ["#BUILD"], "#build\n"),
    ],
)
def test_tags_stay_on_their_line(there: str, tags: list[str], after: str) -> None:
    """A tag is added once, in the place of a placeholder too; a list of tags stays a list."""
    text = N5.replace("#build\n", there)
    found, problems = edited(text, {"Tags": tags})
    assert (found, problems) == (text[: text.index("## Tags")] + "## Tags\n" + after, [])


def test_a_new_section_of_tags_has_one_line() -> None:
    """Tags of a file without a section for them begin one."""
    found, _ = edited(N5[: N5.index("\n## Tags")], {"Tags": ["build", "bucket"]})
    assert found.endswith("\n## Tags\n#build #bucket\n")


@pytest.mark.parametrize(
    ("there", "after"),
    [
        ("- src/a.py (new)\n", "- src/a.py (new)\n- src/b.py\n"),
        ("- `src/a.py` - new\n", "- `src/a.py` - new\n- `src/b.py`\n"),
        ("- [src/a.py](x)\n- src/b.py: c\n", "- [src/a.py](x)\n- src/b.py: c\n"),
        ("- src/a.py.bak\n", "- src/a.py.bak\n- src/a.py\n- src/b.py\n"),
        ("- TBD\n", "- src/a.py\n- src/b.py\n"),
        ("", "- src/a.py\n- src/b.py\n"),
    ],
)
def test_changed_files_are_added_to_a_list_kept_by_hand(there: str, after: str) -> None:
    """Each path that no item begins with is added, in the style of the list."""
    head = N5 + "\n## Build-Specific\n\n### Files Modified\n"
    record = StateFile((head + there).encode(), "x.md", FORMATS).record
    changed = splices(record.document.data, lists.file_splices(record, ["src/a.py", "src/b.py"])).decode()
    assert changed == head + after


@pytest.mark.parametrize(
    "text",
    [
        N5,
        N5 + "\n## Files Modified\n\n## Files Modified\n",
        N5 + "\n## Files Modified\n<!-- holdfast:files -->\n<!-- /holdfast:files -->\n",
        shapes.AGENTS[1] + "\n## Files Modified\n- src/a.py\n",
    ],
    ids=["no section", "two sections", "a block of holdfast's own", "another format"],
)
def test_no_other_file_gets_a_list(text: str) -> None:
    """A list is neither begun as a section, nor kept where holdfast has a block or the format has no such list."""
    assert lists.file_splices(StateFile(text.encode(), "x.md", FORMATS).record, ["src/b.py"]) == []


def test_a_link_is_no_box() -> None:
    """In a list of boxes a new item gets one, also if it begins with a link."""
    text = N5 + "\n## Checks\n- [ ] One\n"
    assert edited(text, {"Checks": ["[Two](b.md)", "[x] Three"]})[0] == text + "- [ ] [Two](b.md)\n- [x] Three\n"


def test_no_changed_file_begins_no_list() -> None:
    """An empty section stays as it is."""
    text = N5 + "\n## Build-Specific\n\n### Files Modified\n"
    assert lists.file_splices(StateFile(text.encode(), "x.md", FORMATS).record, []) == []


@pytest.mark.parametrize(
    ("there", "after"),
    [
        ("**Status:** active\n**Files:**\n- a\n- b\n", "**Status:** active\n{}**Files:**\n- a\n- b\n"),
        ("**Status:** active\n**Files:**\n\n- a\n- b\n", "**Status:** active\n{}**Files:**\n\n- a\n- b\n"),
        ("**Status:** active\n\n- a\n- b\n", "**Status:** active\n{}\n- a\n- b\n"),
    ],
    ids=["a list", "a list after a blank line", "a list that is no value"],
)
def test_a_new_label_is_not_below_the_list_of_the_last_one(there: str, after: str) -> None:
    """A line right below a list belongs to its last item; what follows a label with a value is not of that label."""
    text = f"# Session: Import\n\n{there}\n## Next Steps\n- Ask Jan\n"
    outcome = Editor("SESSION.md", FORMATS, "2026-03-02 11:00").apply(text.encode(), {"Last Updated": "today"})
    expected = text.replace(there, after.format("**Last Updated:** today\n"))
    assert (outcome.data.decode(), outcome.unplaced) == (expected, [])
