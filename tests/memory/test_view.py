"""What the six sections of working memory say, line by line."""

from __future__ import annotations

import pytest

from holdfast.core.cache import Cache
from holdfast.formats import catalogue, state_file
from holdfast.memory import available_actions, checks, tasks
from holdfast.memory.view import View, seen, timed_entries
from tests.hazards import shapes

FORMATS = catalogue.known("", Cache(""))


def _view(text: str) -> View:
    return View(seen(state_file.parse(text.encode(), "STATE.md", FORMATS), FORMATS))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["- before any"], [("", "before any")]),
        (["**2026-01-17 14:00**", "- after", "* also"], [("2026-01-17 14:00", "after"), ("2026-01-17 14:00", "also")]),
        (["**2026-01-17 14:00:**", "- after"], [("2026-01-17 14:00", "after")]),
        (["- the last word is **bold**"], [("", "the last word is **bold**")]),
        (["**bold** begins a line of prose", "- entry"], [("", "entry")]),
    ],
)
def test_recent_updates_are_entries_under_minutes(lines: list[str], expected: list[tuple[str, str]]) -> None:
    """Only a line that is bold as a whole is a minute."""
    assert timed_entries(_view("\n".join(["# Work", "", "## Recent Updates", "", *lines, ""])).record) == expected


@pytest.mark.parametrize(
    ("percent", "zone", "wrong"),
    [
        (19, "comfortable", ""),
        (20, "deliberate", ""),
        (20, "comfortable", "is in the zone deliberate"),
        (19, "deliberate", "is in the zone comfortable"),
    ],
)
def test_a_zone_begins_at_its_percentage(percent: int, zone: str, wrong: str) -> None:
    """A status at the first percentage of a zone is in that zone."""
    lines = [
        f"**Status:** {percent * 50} / 5000 tokens ({percent}%) - {zone}",
        "",
        "- 0-20% 🟢 Comfortable",
        "- 20-40% 🟡 Deliberate",
    ]
    text = "\n".join(["# Work", "", "## Token Budget", "", *lines, ""])
    found = [one.why for one in checks.findings(_view(text).record) if "zone" in one.why]
    assert [text for text in found if wrong in text] == found
    assert bool(found) == bool(wrong)


@pytest.mark.parametrize(("status", "known"), [("Working", True), ("Paused", True), ("Frobnicating", False)])
def test_a_status_that_the_sections_do_not_have_is_a_contradiction(status: str, *, known: bool) -> None:
    """In a file of any format; those that they have are named."""
    text = f"{shapes.AGENTS[1]}\n## Current Context\n**Phase:** 1 - Build\n**Status:** {status}\n"
    found = [*checks.findings(seen(state_file.parse(text.encode(), "x.md", FORMATS), FORMATS))]
    told = [one.why for one in found if one.what == "Current Context.Status"]
    assert [why.partition(";")[0] for why in told] == ([] if known else [f"{status!r} is not a status"])


@pytest.mark.parametrize(
    ("head", "path", "shown"), [("# S", ".gsd-lite/STATE.md", []), (shapes.AGENTS[1], "x.md", ["Now: Rates?"])]
)
def test_a_discussion_is_named_where_the_file_does_not(head: str, path: str, shown: list[str]) -> None:
    """In a format whose current state is the discussion itself, it is not repeated."""
    context = "## Current Context\n**Phase:** 1 - Build\n**Status:** Discussion Mode\n"
    text = f"{head}\n\n{context}\n## Context Stack\n**Current:** Rates?\n**Return to:** TASK-001\n**Depth:** 1\n"
    state = state_file.parse(text.encode(), path, FORMATS)
    lines = available_actions.report_lines(View(seen(state, FORMATS)), state_file.summary(state))
    assert [line for line in lines if line.startswith("Now: ")] == shown


@pytest.mark.parametrize(
    ("line", "waits"),
    [
        ("- `/approve-plan` - Approve PLAN-005", True),
        ("**AWAITING: approve or edit PLAN-005**", True),
        ("- `/approve-plan` - Approve PLAN-009", False),
        ("- `/continue` - Go on with PLAN-005", False),
    ],
)
def test_a_menu_that_offers_the_approval_of_a_plan(line: str, *, waits: bool) -> None:
    """With a status that waits, it says that the plan under work awaits approval."""
    context = ["## Current Context", "", "**Task:** PLAN-005 - Split it", "**Status:** Blocked", ""]
    view = _view("\n".join(["# Work", "", *context, "## Available Actions", "", line, ""]))
    assert view.plan == (["PLAN-005", "Split it", "proposed", ""] if waits else [])


def test_a_task_that_is_an_id_without_a_title_is_named_by_its_id() -> None:
    """Such an id gets no other one before it, so the messages have no colon after nothing."""
    view = _view("# Session\n\n## Current Context\n\n**Task:** None\n")
    started, added = tasks.start(view, "TASK-009"), tasks.add(view, "TASK-009")
    assert (started.answer, started.updates) == ("Started TASK-009.", ["Started TASK-009"])
    assert added.answer == "Added TASK-009."
