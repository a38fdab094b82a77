"""Of long logs the newest entries are shown, whichever end they are at."""

from __future__ import annotations

import pytest

from holdfast.cli import render
from holdfast.core.cache import Cache
from holdfast.formats import catalogue, state_file
from holdfast.memory import report
from holdfast.memory.view import View, seen

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
    shown = [line for line in report.lines(View(seen(state, FORMATS)), state_file.summary(state)) if "done" in line]
    assert len(shown) == 5
    assert "2026-11-30" in " ".join(shown)
