"""Values as people write them, and edits that are clear although the place is unusual."""

from __future__ import annotations

import pytest

from holdfast.core import clock
from holdfast.core.cache import Cache
from holdfast.editing.edit import Editor
from holdfast.formats import names
from holdfast.formats.catalogue import known
from holdfast.formats.state_file import parse, summary

FORMATS = known("", Cache(""))
MINUTE = "2026-03-02 10:00"


def read(text: str, path: str = "SESSION_STATE.md") -> dict[str, object]:
    """Return what is read from a file."""
    return {**summary(parse(text.encode(), path, FORMATS))}


def edited(text: str, request: dict[str, object], path: str) -> str:
    """Return a file after an edit that must be made."""
    outcome = Editor(path, FORMATS, MINUTE).apply(text.encode(), request)
    assert outcome.unplaced == []
    return outcome.data.decode()


@pytest.mark.parametrize(
    ("text", "is_none"),
    [
        ("None. All reviews have passed", True),
        ("No blockers - the tests pass", True),
        ("N/A (nothing to wait for)", True),
        ("None, but the disk is nearly full", False),
        ("None. But the disk is nearly full", False),
        ("No disk before Friday", False),
        ("Nothing works. The server is down", False),
    ],
)
def test_an_answer_of_none_may_have_a_reason(text: str, is_none: bool) -> None:  # noqa: FBT001 - a column
    """What follows the answer may explain it, and may not take it back."""
    assert names.is_none(text) is is_none


@pytest.mark.parametrize(
    ("text", "is_hint"),
    [
        ("*List what is in the way here*", True),
        ("_What did you decide today?_", True),
        ("Example: the disk is full", True),
        ("*", True),
        ("null", True),
        ("*In progress*", False),
        ("**A bold statement of three words**", False),
        ("The example: one", False),
    ],
)
def test_a_hint_is_no_value(text: str, is_hint: bool) -> None:  # noqa: FBT001 - a column
    """Sentences in italics, examples and lone signs only say what belongs there."""
    assert names.is_hint(text) is is_hint


@pytest.mark.parametrize(
    ("status", "category"),
    [
        ("All phases finished", "completed"),
        ("All 4 tasks done", "completed"),
        ("Everything is merged", "completed"),
        ("All hands on deck", ""),
    ],
)
def test_a_status_of_all(status: str, category: str) -> None:
    """What says that all is done is completed."""
    assert names.category(status, {}) == category


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-03-01 10:00 +0200", "2026-03-01T08:00:00Z"),
        ("2026-03-01T10:00:00+0200", "2026-03-01T08:00:00Z"),
        ("2026-03-01 10:00 CET", "2026-03-01T00:00:00Z"),
        ("2026-03-01 10:00 UTC", "2026-03-01T10:00:00Z"),
        ("2026-03-01 10:00", "2026-03-01T10:00:00Z"),
    ],
)
def test_times_in_zones(text: str, time: str) -> None:
    """An offset without a colon is read; a zone that only has a name is not guessed."""
    assert clock.write(clock.find(text)) == time


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("20251204-143000-parser.md", "2025-12-04T14:30:00Z"),
        ("2026-03-02.md", "2026-03-02T00:00:00Z"),
        ("HANDOFF_2026-03-02.md", "2026-03-02T00:00:00Z"),
        ("2026-03-02-1430-parser.md", "2026-03-02T14:30:00Z"),
        ("SESSION_STATE.md", ""),
        ("20259999.md", ""),
    ],
)
def test_dates_in_names(name: str, time: str) -> None:
    """A file's name may say when it was created."""
    at = clock.in_name(name)
    assert (clock.write(at) if at else "") == time


def test_a_title_is_taken_by_literal_match() -> None:
    """A title that begins otherwise than the format has it is returned as a whole."""
    assert (
        read("# Session_state.md - Agent notes\n\n## Current State\n\nx\n")["title"] == "Session_state.md - Agent notes"
    )
    assert read("# Handed over\n\n## Next Steps\n\n- x\n", "HANDOFF.md")["title"] == "Handed over"
    notes = "HANDOFF.md - Agent notes"
    assert read(f"# {notes}\n\n## Next Steps\n\n- x\n", "HANDOFF.md")["title"] == notes


@pytest.mark.parametrize(
    ("end", "category"),
    [
        ("**Session ended:** 2026-03-01", ""),
        ("## Session End\n\nDone at 18:00", ""),
        ("---\n\n**SESSION ENDED**", ""),
        ("## Session End Checklist\n\n- [ ] Commit", ""),
        ("**Status:** active\n\n**SESSION ENDED**", "active"),
    ],
)
def test_a_mark_of_the_sessions_end_is_no_status(end: str, category: str) -> None:
    """Sessions end, and their work goes on; only the status says that it is over."""
    text = f"# A\n\n## Current State\n\nx\n\n## Next Steps\n\n- x\n\n{end}\n"
    assert read(text)["category"] == category


def test_emphasis_that_was_cut_is_closed() -> None:
    """A bold text that is too long keeps its second mark."""
    reported = read(f"# A\n\n## Current State\n\nx\n\n## Next Steps\n\n- **{'word ' * 100}**\n")["next"]
    assert isinstance(reported, list)
    assert reported[0].endswith("…**")
    assert len(reported[0]) <= 300


def test_the_newest_entries_of_a_long_list_are_shown() -> None:
    """Of a list whose dates grow the last entries are shown, of any other the first."""
    days = [f"2026-{1 + day // 28:02}-{1 + day % 28:02} did {day}" for day in range(100)]
    text = "# A\n\n## Current State\n\nx\n\n## Decisions\n\n" + "".join(f"- {day}\n" for day in days)
    assert read(text)["decisions"] == days[-40:]
    assert read(text.replace("2026-", "No. "))["decisions"] == [day.replace("2026-", "No. ") for day in days[:40]]


FLAT = """\
---
status: active
last_updated: 2026-03-01
---

# A

## Context

x

## Current State

x

## Next Steps

- x
"""


@pytest.mark.parametrize("key", ["Status", "status", "session.status", "frontmatter.status"])
@pytest.mark.parametrize("path", [".agents/sessions/a.md", ".continue-here.md"])
def test_a_value_keeps_its_one_place(key: str, path: str) -> None:
    """A flat status is changed where it is, and no other one is made."""
    outcome = Editor(path, FORMATS, MINUTE).apply(FLAT.encode(), {key: "paused"})
    if not outcome.unplaced:
        assert outcome.data.decode() == FLAT.replace("status: active", "status: paused")
    assert outcome.data.count(b"status:") == 1
    assert not (outcome.unplaced and key == "Status")


GSD = (
    "---\ngsd_state_version: 1.0\nstatus: executing\n---\n\n# Project State\n\n## Session Continuity\n\nStopped at: x\n"
)
HERE = """\
---
phase: 2
status: active
last_updated: 2026-03-01
---

<current_state>
Half.
</current_state>

<next_action>
Go on.
</next_action>
"""


@pytest.mark.parametrize(
    ("text", "path", "request_", "expected"),
    [
        pytest.param(
            HERE, ".continue-here.md", {"Focus": "Done."}, HERE.replace("Half.", "Done."), id="focus in continue-here"
        ),
        pytest.param(
            HERE, ".continue-here.md", {"Next": "Stop."}, HERE.replace("Go on.", "Stop."), id="next in continue-here"
        ),
        pytest.param(
            "# A\n\n**Status:** active\n\n## Current State\n\nx\n\n## Next Steps\n\n- x",
            "SESSION_STATE.md",
            {"Open Questions": ["Why?"]},
            "# A\n\n**Status:** active\n\n## Current State\n\nx\n\n## Next Steps\n\n- x\n\n## Open Questions\n\n- Why?",
            id="a section that is not there, and no final newline",
        ),
    ],
)
def test_what_is_clear_is_edited(text: str, path: str, request_: dict[str, object], expected: str) -> None:
    """The edit gives exactly the expected text."""
    assert edited(text, request_, path) == expected


def test_a_status_that_only_the_frontmatter_has() -> None:
    """In a format whose frontmatter is derived the status is written where it is read next."""
    after = edited(GSD, {"Status": "Blocked"}, ".planning/STATE.md")
    assert read(after, ".planning/STATE.md")["status"] == "Blocked"
