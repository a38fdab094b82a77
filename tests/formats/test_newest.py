"""Of long logs the newest entries are shown, whichever end they are at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.cli import render
from holdfast.core.cache import Cache
from holdfast.editing.edit import Editor
from holdfast.formats import catalogue, state_file
from holdfast.memory import available_actions
from holdfast.memory.view import View, seen
from holdfast.project import discovery

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = catalogue.known("", Cache(""))
DAYS = [f"2026-{month:02}-{day:02}" for month in (9, 10, 11) for day in range(1, 31)]


def _read(text: str, path: str = "SESSION_STATE.md") -> state_file.StateFile:
    return state_file.parse(text.encode(), path, FORMATS)


@pytest.mark.parametrize("days", [DAYS, DAYS[::-1]], ids=["oldest first", "newest first"])
@pytest.mark.parametrize(("heading", "word"), [("Current State", "current"), ("What Was Done", "progress")])
def test_a_text_that_is_a_log_is_its_newest_entry(days: list[str], heading: str, word: str) -> None:
    """Items of a list that is too long to be kept, and subsections with dates."""
    items = "".join(f"- {day}: done with what was planned on {day}\n" for day in days)
    parts = "".join(f"\n### Update - {day} 10:00\n\ndone on {day}\n" for day in days)
    for log in (items, parts):
        text = f"# Session State: W\n\n**Status:** active\n\n## {heading}\n\n{log}\n## Next Steps\n\n- a\n"
        assert "2026-11-30" in str(state_file.summary(_read(text))[word])  # type: ignore[literal-required]


@pytest.mark.parametrize("days", [DAYS, DAYS[::-1]], ids=["oldest first", "newest first"])
def test_a_list_that_is_cut_keeps_the_newest(days: list[str]) -> None:
    """In the summary, and once more where it is printed."""
    items = "".join(f"- {day}: decided\n" for day in days)
    text = f"# Session State: W\n\n**Status:** active\n\n## Decisions\n\n{items}\n## Next Steps\n\n- a\n"
    lines = render.summary_lines(state_file.summary(_read(text)), 0.0)
    shown = [line for line in lines if "decided" in line]
    assert len(shown) == 12
    assert {"  - 2026-11-30: decided", "  - 2026-11-19: decided"} <= set(shown)


@pytest.mark.parametrize(("count", "more"), [(12, []), (13, ["  and 1 more"])])
def test_only_what_is_not_shown_is_counted(count: int, more: list[str]) -> None:
    """A list that is shown whole has no line about others."""
    items = "".join(f"- decided the matter {number}\n" for number in range(count))
    text = f"# Session State: W\n\n**Status:** active\n\n## Decisions\n\n{items}"
    lines = render.summary_lines(state_file.summary(_read(text)), 0.0)
    assert [line for line in lines if line.endswith(" more")] == more


@pytest.mark.parametrize("days", [DAYS, DAYS[::-1]], ids=["oldest first", "newest first"])
def test_recent_updates_are_the_recent_ones(days: list[str]) -> None:
    """Also where a file has them in the order in which they were made."""
    items = "".join(f"- {day} 10:00 done\n" for day in days)
    state = _read(f"# S\n\n## Current Context\n\n**Focus:** f\n\n## Recent Updates\n\n{items}", ".gsd-lite/STATE.md")
    shown = [
        line
        for line in available_actions.report_lines(View(seen(state, FORMATS)), state_file.summary(state))
        if "done" in line
    ]
    assert len(shown) == 5
    assert "2026-11-30" in " ".join(shown)


BY_DATES = """\
# Session Log - 2026-01-19

## Session 2026-01-18
### Next Steps
- Old

## 2026-01-19
### Next Steps
- New
"""
BY_NUMBERS = """\
# Session 57: fix the gate

## Session 57
### Status
open
### Next
- Gate

## Session 56
### Next
- Oil
"""
PLAN = """\
# Task Plan: Import

## Goal
Read three banks.

## Current Phase
Phase 2

## Phases

### Phase 1: Ask
- [x] Ask Petra
- **Status:** complete

### Phase 2: Parse
- [x] Split
- [ ] Read field 86
- **Status:** in_progress

## Key Questions
1. Who pays?

## Decisions Made
| Decision | Rationale |
|---|---|
| Decimal | cents |
"""
OLD_PLAN = """\
# Task Plan: Import

## Goal
Do it.

## Phases
- [x] Phase 1: Ask
- [ ] Phase 2: Parse

## Status
**Currently in Phase 2**
"""

# What a file says, and what is read of it. A log has a section for each session; titles keep their head.
READ: dict[str, tuple[str, str, dict[str, object]]] = {
    "a log by dates": (
        "SESSION_STATE.md",
        BY_DATES,
        {"title": "Session Log - 2026-01-19", "next": ["New"]},
    ),
    "a log by numbers": (
        "SESSION.md",
        BY_NUMBERS,
        {"title": "Session 57: fix the gate", "next": ["Gate"], "current": "open"},
    ),
    "dates at the sections": (
        "PROGRESS.md",
        "# Progress\n\n## Next Steps (2026-01-12)\n- b\n\n## Next Steps (2026-01-19)\n- a\n",
        {"next": ["a"]},
    ),
    "no log": (
        "PROGRESS.md",
        "# Progress\n\n## Parser\n### Next Steps\n- a\n\n## Printer\n### Next Steps\n- b\n",
        {"next": ["a", "b"]},
    ),
    "only a date": (
        "SESSION_HANDOFF.md",
        "# Session Handoff - 2026-04-30\n\n## Next Steps\n- a\n",
        {"title": "Session Handoff - 2026-04-30"},
    ),
    "git's own status": (
        "SESSION_STATE.md",
        "# Session State: W\n\n## Git State\n**Status:** 1 commit ahead\n\n## Next Steps\n- a\n",
        {"status": "", "title": "W"},
    ),
    "only a date in words": (
        "SESSION_HANDOFF.md",
        "# Session Handoff \u2014 Nov 24, 2026 (evening)\n\n## Where we stopped\nIt fails.\n\n## Next session\n- a\n",
        {"title": "Session Handoff \u2014 Nov 24, 2026 (evening)", "current": "It fails.", "next": ["a"]},
    ),
    "git's own status in the head": (
        "HANDOFF.md",
        "# Handoff: W\n\n**Branch:** `x` | **Status:** 3 commits ahead, all clean\n\n## N\u00e4chste Schritte\n- a\n",
        {"status": "", "title": "W", "next": ["a"]},
    ),
    "notes by date": (
        "packages/web/SESSION-NOTES.md",
        "# Session notes (web)\n\n## 2026-11-22\nNext: old thing\n\n## 2026-11-25\nDone: that\nNext: keyboard\n",
        {"title": "Session notes (web)", "next": ["keyboard"]},
    ),
    "a table of issues": (
        "HANDOFF.md",
        "# Handoff: W\n\n## Known Issues\n| Issue | State |\n|---|---|\n| Leaks | taped |\n\n## Next Steps\n- a\n",
        {"blockers": [], "next": ["a"]},
    ),
    "a table of blockers": (
        "HANDOFF.md",
        "# Handoff: W\n\n## Blockers\n| What | Who |\n|---|---|\n| The key is lost | Ana |\n\n## Next Steps\n- a\n",
        {"blockers": ["The key is lost"]},
    ),
    "a plan": (
        "task_plan.md",
        PLAN,
        {
            "format": "planning-files",
            "title": "Import",
            "objective": "Read three banks.",
            "phase": "Phase 2",
            "status": "",
            "next": ["Read field 86"],
            "questions": ["Who pays?"],
            "decisions": ["Decimal - cents"],
        },
    ),
    "an older plan": (
        "task_plan.md",
        OLD_PLAN,
        {"next": ["Phase 2: Parse"], "current": "**Currently in Phase 2**"},
    ),
    "a list to do": (
        "tasks/todo.md",
        "# Fee faucet\n\n- [x] Read\n- [ ] Merge it\n\n# Export\n\n## Plan\n- [ ] Ask\n\n## Review\n- all well\n",
        {"format": "planning-files", "next": ["Merge it", "Ask"]},
    ),
    "findings": (
        "findings.md",
        "# Findings & Decisions\n\n## Technical Decisions\n| Decision | Rationale |\n|---|---|\n| Decimal | cents |\n",
        {"format": "planning-files", "title": "Findings & Decisions", "decisions": ["Decimal - cents"]},
    ),
}


@pytest.mark.parametrize("kind", READ)
def test_what_is_newest_and_what_is_of_the_whole(kind: str) -> None:
    """Of a log the newest session counts; a table of issues and the status of git are not about the work."""
    path, text, expected = READ[kind]
    found: dict[str, object] = {**state_file.summary(_read(text, path))}
    assert {word: found[word] for word in expected} == expected


@pytest.mark.parametrize(
    "path",
    [
        *(
            "SESSION_HANDOFF.md",
            "docs/session_handoff-2026.md",
            ".planning/SESSION_LOG.md",
            "packages/web/SESSION-NOTES.md",
            ".ai/HANDOFF.md",
            "memory/session-handoff.md",
        ),
        *(
            "packages/web/HANDOFF.md",
            "docs/session_handoffs/a.md",
            ".planning/SESSION-STATE.md",
            "packages/a/PROGRESS.md",
        ),
        *("task_plan.md", ".planning/task_plan.md", "findings.md", "memory/progress.md", "tasks/todo.md"),
        *("packages/web/tasks/todo.md", ".ai/progress.md", "2026-project_handoff.md", "memory/activeContext.md"),
    ],
)
def test_files_are_listed_where_people_have_them(tmp_path: Path, path: str) -> None:
    """With an underscore, in the folder of a package, and in those of other tools."""
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("# W\n")
    assert discovery.state_files(str(tmp_path), FORMATS.patterns).paths == [str(tmp_path / path)]


@pytest.mark.parametrize(
    ("keys", "value", "line"),
    [
        ("Next Steps", ["Weed"], "- Weed"),
        ("Decisions Made", ["Float is wrong"], "| Float is wrong |"),
        ("Key Questions", ["When?"], "2. When?"),
    ],
)
def test_a_plan_is_edited_where_that_is_unmistakable(keys: str, value: list[str], line: str) -> None:
    """An item goes into the section that the file has; no other line changes."""
    before = READ["a plan"][1]
    outcome = Editor("task_plan.md", FORMATS, "2026-07-01 10:00").apply(before.encode(), {keys: value})
    after = outcome.data.decode().splitlines()
    assert any(one.startswith(line) for one in after), outcome
    assert [one for one in before.splitlines() if one not in after] == []


@pytest.mark.parametrize(
    ("path", "text", "category"),
    [
        ("SESSION_LOG.md", "## Session 55\nStatus: done\n\n## Session 56: b\n### Next Steps\n- a\n", "active"),
        ("SESSION_LOG.md", "## Session 55\nStatus: done\n\n## Session 56: b\nStatus: active\n", "active"),
        ("SESSION_LOG.md", "## Session 56\nStatus: done\n\n## Session 55: b\nStatus: active\n", "completed"),
        ("SESSION_LOG.md", "## Session 55\n### Status\nDone\n\n## Session 56\n### Next Steps\n- a\n", "active"),
        ("SESSION_LOG.md", "## 2026-01-10\nStatus: Done\n\n## 2026-01-12\n### Next Steps\n- a\n", "active"),
        (
            "SESSION_LOG.md",
            "## Session 2026-01-12\n### Next Steps\n- a\n\n## Session 2026-01-10\nStatus: Done\n",
            "active",
        ),
        (
            "SESSION_LOG.md",
            "## Session 2026-01-12\nStatus: Done\n\n## Session 2026-01-10\nStatus: active\n",
            "completed",
        ),
        ("SESSION_LOG.md", "## Day 1\n**Status**: done\n\n## Day 2\n### Next Steps\n- a\n", "active"),
        (
            "HANDOFF.md",
            "## Current State\nHalf.\n\n## Next Steps\n- a\n\n**END OF SESSION**\n\nStatus: complete\n",
            "active",
        ),
        (
            "HANDOFF.md",
            "## Current State\nHalf.\n\n## Next Steps\n- a\n\n--- Session ended 18:00\nStatus: done\n",
            "active",
        ),
        ("HANDOFF.md", "## Current State\nHalf.\n\n## End of Session\nStatus: complete\n", "active"),
        ("HANDOFF.md", "## Current State\nAll.\n\n**Session ended**: 18:00\n**Status**: complete\n", "completed"),
    ],
)
def test_an_earlier_session_and_what_follows_an_end_do_not_end_the_work(path: str, text: str, category: str) -> None:
    """The status of the whole is that of its newest session, above the mark of its end."""
    summary = state_file.summary(_read(f"# Handoff\n\n{text}" if path == "HANDOFF.md" else f"# Log\n\n{text}", path))
    assert (summary["category"] or "active") == category
