"""A value is edited where it is read: no edit makes a second place for a value that the file has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here

STATE = "SESSION_STATE.md"
GSD = ".planning/STATE.md"
HAND_OVER = ".continue-here.md"
FLAT = ".agents/sessions/20261101-100000-work.md"
_GSD = """---
gsd_state_version: 1.0
status: executing
---

# Project State

## Current Position

Phase: 2 of 3

## Session Continuity

Stopped at: x
"""
_STATE = "# Session State: W\n\n{}\n\n## Next Steps\n\n- a\n"
_FLAT = """---
{}: Active
created: 2026-11-01
branch: main
---

# Work

## Current State

x

## Next Steps

- a
"""
_HAND_OVER = """---
phase: 03-export
task: 2
status: in_progress
---

<remaining_work>
- a
</remaining_work>

<next_action>
Do it
</next_action>
"""
_LITE = "# GSD-Lite State\n\n## Current Context\n\n**Focus:** lexer\n**Current Phase:** Phase 1\n"
_OLD = "# GSD-Lite State\n\n## Active Phase\n\n**Phase:** 1\n**Status:** Executing\n\n## Key Decisions Made\n\n- one\n"
_QUOTED = _STATE.format("> **Status**: 🟡 In progress\n> **Date**: 2026-11-01")
_TWO = _STATE.format("**Status:** active\n\n## Next Steps & Todos\n\n- b")
# A file, its text, what is requested, and what changes into what.
CASES: dict[str, tuple[str, str, dict[str, Any], str, str]] = {
    "derived frontmatter": (GSD, _GSD, {"Status": "paused"}, "executing", "paused"),
    "a key in capitals": (FLAT, _FLAT.format("Status"), {"Status": "completed"}, "Active", "completed"),
    "a request in capitals": (FLAT, _FLAT.format("status"), {"STATUS": "completed"}, "Active", "completed"),
    "a label in a quote": (STATE, _QUOTED, {"Status": "paused"}, "🟡 In progress", "paused"),
    "a heading": (STATE, _STATE.format("## Status\n\nIn progress"), {"Status": "paused"}, "In progress", "paused"),
    "an asterisk": (STATE, _STATE.format("**Status:** *"), {"Status": "paused"}, ":** *\n", ":** paused\n"),
    "focus of gsd-lite": (".gsd-lite/STATE.md", _LITE, {"Focus": "parser"}, "lexer", "parser"),
    "phase of gsd-lite": (".gsd-lite/STATE.md", _LITE, {"Phase": "Phase 2"}, "Phase 1", "Phase 2"),
    "a letter of the beginning": ("HANDOFF.md", "# Handoff: H\n\n**Status:** active\n", {"Title": "T"}, ": H", ": T"),
    "decisions of the older gsd-lite": (
        ".gsd-lite/STATE.md",
        _OLD,
        {"Decisions": ["two"]},
        "- one\n",
        "- one\n- two\n",
    ),
    "two headings": (STATE, _TWO, {"Next Steps & Todos": ["c"]}, "- b\n", "- b\n- c\n"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_value_is_set_where_it_is(prepared: Project, case: tuple[str, str, dict[str, Any], str, str]) -> None:
    """Nothing else of the file changes."""
    path, text, requested, old, new = case
    file = prepared.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    done = prepared.cli("sync", f"./{path}", "--json", json.dumps(requested))
    assert done.code == 0, done.err
    assert text.count(old) == 1
    assert file.read_text() == text.replace(old, new)


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        *(
            (heading, "Next Steps")
            for heading in ("Next Steps & Todos", "Next Steps and Plans", "Immediate Next Steps")
        ),
        *((heading, "Blockers") for heading in ("Blockers and Issues", "Blockers/Concerns", "Known Blockers")),
        *((heading, "Decisions") for heading in ("Decisions & Rationale", "Decisions log", "2. Decisions (3)")),
        *((heading, "Open Questions") for heading in ("Open Questions and Notes", "Open Questions & Risks")),
    ],
)
@pytest.mark.parametrize("path", [FLAT, STATE])
def test_a_heading_with_more_words_is_the_same_section(prepared: Project, path: str, heading: str, name: str) -> None:
    """What is added to a section goes under the heading that the file has for it."""
    text = (_FLAT.format("status") if path == FLAT else _STATE.format("**Status:** active")).replace(
        "Next Steps", "Files"
    )
    file = prepared.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n## {heading}\n\n- one\n")
    assert prepared.cli("sync", f"./{path}", "--json", json.dumps({name: ["two"]})).code == 0
    assert file.read_text().endswith(f"\n## {heading}\n\n- one\n- two\n")


@pytest.mark.parametrize(
    ("listed", "added", "expected"),
    [
        ("**A**: one\n**B**: two\n", "**C**: three", "**A**: one\n**B**: two\n**C**: three\n"),
        ("**A**: one\n\n**B**: two\n", "**C**: three", "**A**: one\n\n**B**: two\n\n**C**: three\n"),
        ("**A**: one\n**B**: two\n", "three", "**A**: one\n**B**: two\n\nthree\n"),
    ],
)
def test_lines_that_begin_in_bold_are_a_list(prepared: Project, listed: str, added: str, expected: str) -> None:
    """An entry is added in their form, and all of them are read."""
    file = prepared.root / STATE
    file.write_text(f"# Session State: W\n\n**Status:** active\n\n## Decisions\n\n{listed}")
    assert prepared.cli("sync", f"./{STATE}", "--json", json.dumps({"Decisions": [added]})).code == 0
    assert file.read_text().endswith(f"## Decisions\n\n{expected}")
    known = prepared.cli("status", f"./{STATE}", "--json").json["decisions"]
    assert [entry.strip("*") for entry in known] == ["A**: one", "B**: two", added.strip("*")]


def test_a_title_does_not_overwrite_a_phase(prepared: Project) -> None:
    """The phase serves as the title of a hand-over only as long as it has none; other keys are found by their names."""
    file = prepared.root / HAND_OVER
    file.write_text(_HAND_OVER)
    assert prepared.cli("sync", f"./{HAND_OVER}", "--json", json.dumps({"Title": "Export", "Task": "3"})).code == 0
    summary = prepared.cli("status", f"./{HAND_OVER}", "--json").json
    assert (summary["title"], summary["phase"], summary["progress"]) == ("Export", "03-export", "3")


@pytest.mark.parametrize("requested", ["SESSION_STATE.md", "SESSION_STATE", "./SESSION_STATE.md"])
def test_the_exact_name_of_a_file_means_that_file(prepared: Project, requested: str) -> None:
    """Files of the same name in other folders make it no less clear; where they do, whole paths are listed."""
    for folder in ("", ".context/", "docs/"):
        (prepared.root / folder).mkdir(exist_ok=True)
        (prepared.root / folder / STATE).write_text(_STATE.format(f"**Status:** {folder or 'here'}"))
    assert "Status: active (here)" in prepared.cli("status", requested).out
    assert "  docs/SESSION_STATE  " in prepared.cli("status", "SESSION_ST").err


def test_what_is_over_is_no_blocker(prepared: Project) -> None:
    """A subsection whose status is completed is left out; one without a list is named by its heading."""
    issues = "### Login\n\n**Status:** Completed\n\n### Import\n\n**Status:** blocked\n"
    (prepared.root / STATE).write_text(_STATE.format(f"**Status:** active\n\n## Issues\n\n{issues}"))
    assert prepared.cli("status", f"./{STATE}", "--json").json["blockers"] == ["Import"]
