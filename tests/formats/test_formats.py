"""The structure that each documented format has: recognised, read, audited and brought up to date as it says."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.cli import render
from holdfast.core.cache import Cache
from holdfast.editing.edit import Editor
from holdfast.formats.audit import audit
from holdfast.formats.catalogue import known
from holdfast.formats.state_file import StateFile, summary

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = known("", Cache(""))

N5 = """\
---
conversation_id: con_PLUM20260301
type: build
mode: general
status: active
created: 2026-03-01T09:00:00+00:00
last_updated: 2026-03-01T11:30:00+00:00
---

# SESSION STATE

## Metadata
- **Type:** Build
- **Mode:** general
- **Focus:** Teach the importer to read prices in two currencies
- **Objective:** One table from which both reports are made
- **Status:** active

## Progress
- **Overall:** 60%
- **Current Phase:** Rates are read, totals come next
- **Next Actions:** Compare the totals with last month's

## Covered
- Read the price lists of three suppliers
- Chose where the rates come from

## Topics
- Currencies
- Rounding

## Key Insights
- Rates change at midnight of the supplier, not ours

## Decisions Made
- Rates are kept with the day they count for

## Open Questions
- Who corrects a rate that was wrong for a week?

## Artifacts
*What came out of it*
- rates.csv (permanent, data/)

## Tags
#build #importer

## Build-Specific

### Architectural Decisions
- One table, a row for each day and currency

### Files Modified
- src/rates.py (new)

### Tests
- [x] Rounding
- [x] Missing rates

### Quality Checks
- [x] Reviewed
"""
N5_WISHES: dict[str, Any] = {
    "Metadata": {"Focus": "Prices in two currencies", "Objective": "One table for both reports"},
    "Progress": {"Overall": "60%", "Current Phase": "Totals"},
    "Covered": ["Chose where the rates come from", "Totals of January agree"],
    "Key Insights": ["Suppliers round half up"],
    "Decisions Made": ["Totals are rounded last"],
}
FRONT = """\
---
session:
  title: "Clear description of work"           # REQUIRED
  status: in_progress                          # REQUIRED: in_progress|paused|completed
  created: "2026-03-01T09:00:00Z"              # REQUIRED
  last_updated: "2026-03-01T09:00:00Z"         # REQUIRED

orchestration:
  current_task: "What's actively being worked" # REQUIRED
  spawned_agents:
    - agent: tester
      task: "Brief task description"
      status: completed
---
"""
TEMPLATE = """\
# Session: [Title]

## Context
Background for anyone picking up this work.
What problem are we solving? Why now?

## Current State
Where we are right now. What just happened.

## Execution Progress

### Wave 1: [Name] (ACTIVE)
- [ ] BACK-123 - Brief description
- [x] BACK-124 - Brief description (completed)

## Technical Context

### Files to Update
- `path/to/file.py` - What needs to change

### Key Commands
```bash
make [target]
```

## Acceptance Criteria
- [ ] Criterion 1

## Decisions

### Decision 1: [Title]
**Decision**: What was decided
**Rationale**: Why

## Blockers
- Current blocker (if any)

---

## Session Log

### YYYY-MM-DD HH:MM - [Agent/Action]
Brief description of what happened.
"""
CONTEXT = """\
## Current Context

**Phase:** 2. Importer
**Task:** TASK-014 - Read the rates
**Focus:** Rates of days on which no market is open
**Status:** Working
"""
LOOPS = """\
## Active Loops

| ID | Title | Status | Captured |
|----|-------|--------|----------|
| LOOP-003 | Which rate counts on a Sunday | clarifying | 2026-03-01 |
| LOOP-005 | Do old reports change | open | 2026-03-02 |

**Total active:** 2 loops (1 clarifying, 1 open)

LOOPS.md has all of them.
"""
BUDGET = """\
## Token Budget

**Status:** 1400 / 5000 tokens (28%) - deliberate
**Phase:** 🟡 Deliberate zone (20-40%)
**Strategy:** Read only what the next step needs

- 0-20% 🟢 Comfortable
- 20-40% 🟡 Deliberate ← YOU ARE HERE
"""
ACTIONS = """\
## Available Actions

**Core:**
- `/continue` - Go on with TASK-014
- `/add-loop [description]` - Keep a question for later

**Contextual (current task):**
- `/close-loop [ID]` - A question has its answer

**Type one of them, or just answer**
"""
STACK = """\
## Context Stack

**Current:** TASK-014 (Read the rates)
**Return to:** None (not forked)
**Depth:** 0
"""
UPDATES = """\
## Recent Updates

**2026-03-02 10:15**
- Added LOOP-005 to LOOPS.md: Do old reports change

**2026-03-02 09:40**
- Updated STATE.md: from TASK-013 to TASK-014
"""
LITE = f"""\
---
version: 1.0
updated: 2026-03-02T10:15:00Z
session: 2026-03-02-rates
---

# Session State: Rates

{CONTEXT}
{LOOPS}
{BUDGET}
{ACTIONS}
{STACK}
{UPDATES}"""
WAITING = LITE.replace("**Status:** Working", "**Status:** Blocked (Awaiting Approval)")
DRIFTED = "Task: TASK-013\nActive loops: 1\nBudget: 900/5000 (18%)\n"
ENTRY = """\
### Importer - Rates
**Session ID:** `rates-81f0`
**Started:** 2026-03-02 09:00 UTC
**Status:** active
**Children:** lint (lint-0c2d), tests (tests-77aa)
**Purpose:** Read the rates of two banks
**Context:** Branch feat/rates
**Next:** Ask for the rates of 2019
"""
CHILD = """\
### Tests (child of Importer)
**Session ID:** `tests-77aa`
**Parent:** Importer (rates-81f0)
**Started:** 2026-03-02 09:20 UTC
**Status:** completed
**Purpose:** Cover the days without a market
**Context:** Twelve days, two banks
"""
HUB = f"## Active Sessions\n\n{ENTRY}\n{CHILD}"
ENTRY_TEMPLATE = """\
### [Role Name] - [Context Description]
**Session ID:** `abc123...`
**Started:** YYYY-MM-DD HH:MM UTC
**Status:** active | paused | completed
**Children:** [workflow-name] (session-id)
**Purpose:** [What it works on]
**Context:** [Key files, decisions, state]
**Next:** [What to do when it goes on]
"""
CHILD_TEMPLATE = """\
### [Workflow Name] (child of [Parent Role])
**Session ID:** `def456...`
**Parent:** [Parent Role] (abc123)
**Started:** YYYY-MM-DD HH:MM UTC
**Status:** active | completed
**Purpose:** [One task]
**Context:** [Key operations, files]
"""
UPDATER = """\
### <Agent Name> - <Purpose>
**Session ID:** `<session_id>`
**Started:** <ISO timestamp>
**Status:** <action>
**Agent:** <agent-name>
**Purpose:** <purpose>
**Context:** <context>
**Next:** [to be filled]
"""
SECTIONS = {
    "context": CONTEXT,
    "loops": LOOPS,
    "budget": BUDGET,
    "actions": ACTIONS,
    "stack": STACK,
    "updates": UPDATES,
}
# Every example, the format it is of, and whether it is complete.
EXAMPLES = [
    pytest.param(N5, "n5", True, id="n5"),
    pytest.param(FRONT, "agents", False, id="agents frontmatter"),
    pytest.param(TEMPLATE, "agents", False, id="agents template"),
    *[pytest.param(text, "gsd-lite", False, id=f"gsd-lite {name}") for name, text in SECTIONS.items()],
    pytest.param(LITE, "gsd-lite", True, id="gsd-lite at work"),
    pytest.param(WAITING, "gsd-lite", True, id="gsd-lite waiting"),
    pytest.param(DRIFTED, "gsd-lite", False, id="gsd-lite drifted"),
    pytest.param(ENTRY, "genie", True, id="genie entry"),
    pytest.param(CHILD, "genie", True, id="genie child"),
    pytest.param(HUB, "genie", True, id="genie hub"),
    pytest.param(ENTRY_TEMPLATE, "genie", False, id="genie template"),
    pytest.param(CHILD_TEMPLATE, "genie", False, id="genie child template"),
    pytest.param(UPDATER, "genie", False, id="genie updater"),
]
# What the model says of an example: whole texts, lists, and of a hub the entries.
SUMMARIES = [
    pytest.param(
        N5,
        {
            "title": "Teach the importer to read prices in two currencies",
            "focus": "Teach the importer to read prices in two currencies",
            "objective": "One table from which both reports are made",
            "status": "active",
            "category": "active",
            "type": "build",
            "progress": "60%",
            "phase": "Rates are read, totals come next",
            "next": ["Compare the totals with last month's"],
            "questions": ["Who corrects a rate that was wrong for a week?"],
            "decisions": ["Rates are kept with the day they count for"],
            "artifacts": ["rates.csv (permanent, data/)"],
            "ids": ["con_PLUM20260301"],
        },
        id="n5",
    ),
    pytest.param(
        FRONT, {"title": "x.md", "status": "in_progress", "focus": "", "objective": ""}, id="agents frontmatter"
    ),
    pytest.param(
        TEMPLATE, {"objective": "", "current": "", "next": [], "decisions": [], "blockers": []}, id="agents template"
    ),
    pytest.param(
        LITE,
        {
            "title": "Rates",
            "focus": "Rates of days on which no market is open",
            "objective": "TASK-014 - Read the rates",
            "phase": "2. Importer",
            "current": "TASK-014 (Read the rates)",
            "category": "active",
            "questions": ["LOOP-003 - Which rate counts on a Sunday", "LOOP-005 - Do old reports change"],
            "ids": ["2026-03-02-rates"],
        },
        id="gsd-lite at work",
    ),
    pytest.param(WAITING, {"status": "Blocked (Awaiting Approval)", "category": "waiting"}, id="gsd-lite waiting"),
    pytest.param(DRIFTED, {"objective": "TASK-013"}, id="gsd-lite drifted"),
]
# Where the samples of a template stand, by line.
UNFILLED = [
    (FRONT, [3, 9, 12]),
    (TEMPLATE, [1, 4, 5, 8, 12, 13, 14, 19, 27, 31, 32, 33, 36, 42, 43]),
    (ENTRY_TEMPLATE, [1, 3, 4, 5, 6, 7, 8]),
    (CHILD_TEMPLATE, [1, 3, 4, 5, 6, 7]),
    (UPDATER, [1, 2, 3, 4, 5, 6, 7, 8]),
]
# An example, the entry that is meant, what is wanted, and the lines that are there afterwards.
SYNCS = [
    pytest.param(
        N5,
        "",
        N5_WISHES,
        [
            "- **Focus:** Prices in two currencies\n- **Objective:** One table for both reports\n",
            "- **Overall:** 60%\n- **Current Phase:** Totals\n- **Next Actions:** Compare",
            "three suppliers\n- Chose where the rates come from\n- Totals of January agree\n\n",
            "not ours\n- Suppliers round half up\n\n## Decisions Made\n- Rates are kept with the day they count for\n",
            "- Totals are rounded last\n\n## Open Questions\n",
        ],
        id="n5",
    ),
    pytest.param(
        FRONT,
        "",
        {"session": {"title": "Rates", "status": "paused"}, "Context": "Two banks.", "Next Steps": ["Ask the bank"]},
        [
            '  title: "Rates" ',
            "  status: paused ",
            "## Context\n",
            "Two banks.\n",
            "## Next Steps\n",
            "- Ask the bank\n",
        ],
        id="agents frontmatter",
    ),
    pytest.param(
        TEMPLATE,
        "",
        {
            "Context": "Two banks.",
            "Current State": "One is read.",
            "Blockers": ["No rates of 2019"],
            "Session Log": ["Read"],
        },
        [
            "## Context\nTwo banks.\n\n",
            "## Current State\nOne is read.\n\n",
            "## Blockers\n- No rates of 2019\n",
            " - Update\n\nRead\n",
        ],
        id="agents template",
    ),
    pytest.param(
        LITE,
        "",
        {
            "Current Context": {"Task": "TASK-015", "Status": "Blocked"},
            "Context Stack": {"Depth": "1"},
            "Focus": "Sundays",
        },
        ["**Task:** TASK-015\n**Focus:** Sundays\n**Status:** Blocked\n", "(not forked)\n**Depth:** 1\n"],
        id="gsd-lite fields",
    ),
    pytest.param(
        LITE,
        "",
        {"Recent Updates": ["Closed LOOP-003: the rate of Friday"]},
        ["**2026-04-01 12:00**\n- Closed LOOP-003: the rate of Friday\n\n**2026-03-02 10:15**\n"],
        id="gsd-lite updates",
    ),
    pytest.param(
        DRIFTED,
        "",
        {"Task": "TASK-014", "Active loops": 2, "Budget": "1400/5000 (28%)"},
        ["Task: TASK-014\nActive loops: 2\nBudget: 1400/5000 (28%)\n"],
        id="gsd-lite drifted",
    ),
    *[
        pytest.param(text, "", {"Focus": "Sundays"}, ["Focus"], id=f"gsd-lite {name} alone")
        for name, text in SECTIONS.items()
    ],
    pytest.param(
        HUB,
        "tests-77aa",
        {"Status": "active", "Next": "Cover 2019", "Context": ["Branch feat/rates"]},
        ["**Status:** active\n**Purpose:** Cover the days", "banks; Branch feat/rates\n", "**Next:** Cover 2019\n"],
        id="genie child",
    ),
    pytest.param(
        ENTRY_TEMPLATE,
        "abc123...",
        {"Status": "active", "Purpose": "Rates", "Children": ["tests (tests-77aa)"]},
        ["**Status:** active\n**Children:** tests (tests-77aa)\n**Purpose:** Rates\n"],
        id="genie template",
    ),
    pytest.param(
        UPDATER,
        "<session_id>",
        {"Status": "in_progress", "Agent": "tester", "Next": "Run it"},
        ["**Status:** in_progress\n**Agent:** tester\n", "**Next:** Run it\n"],
        id="genie updater",
    ),
]


def _state(text: str) -> StateFile:
    return StateFile(text.encode(), "x.md", FORMATS)


def _audit(folder: Path, text: str) -> audit.Report:
    """Return the audit of a file with this text."""
    path = folder / "x.md"
    path.write_text(text)
    return audit.audit(str(path), FORMATS, time.time(), 24)


@pytest.mark.parametrize(("text", "file_format", "complete"), EXAMPLES)
def test_an_example_is_known_for_what_it_is(tmp_path: Path, text: str, file_format: str, complete: bool) -> None:  # noqa: FBT001 - a column
    """It is recognised wherever it is and may be written; old as it is, only what is filled in is complete."""
    state = _state(text)
    assert (state.file_format and state.file_format.name, state.problem) == (file_format, "")
    report = _audit(tmp_path, text)
    assert (report.file_format, report.complete, report.broken) == (file_format, complete, False)
    line = "✓ x.md is complete (no placeholders)"
    if file_format in {"n5", "n5-v1"}:
        line = "✓ SESSION_STATE is complete (no TBD placeholders)"
    stated = [one for one in render.audit_lines(report, "x.md") if one.startswith("✓")]
    assert stated == [line] * complete


@pytest.mark.parametrize(("text", "expected"), SUMMARIES)
def test_an_example_is_read(text: str, expected: dict[str, Any]) -> None:
    """Listing and briefing get the words from where the format keeps them; samples of a template say nothing."""
    reported: dict[str, Any] = {**summary(_state(text))}
    assert {word: reported[word] for word in expected} == expected


def test_the_entries_of_a_hub_are_read() -> None:
    """Each entry is a piece of work of its own, with its id, its state and what is next."""
    entries = summary(_state(HUB))["entries"]
    assert isinstance(entries, list)
    reported = [[entry[word] for word in ("id", "title", "category", "focus", "next", "line")] for entry in entries]
    assert reported == [
        ["rates-81f0", "Importer - Rates", "active", "Read the rates of two banks", ["Ask for the rates of 2019"], 3],
        ["tests-77aa", "Tests (child of Importer)", "completed", "Cover the days without a market", [], 12],
    ]


@pytest.mark.parametrize(("text", "lines"), UNFILLED)
def test_every_sample_of_a_template_is_named(tmp_path: Path, text: str, lines: list[int]) -> None:
    """Each line with a sample is found, once, and no line without; code in a fence is no sample."""
    report = _audit(tmp_path, text)
    assert [found.line for found in report.of("placeholder")] == lines


def test_frontmatter_alone_lacks_the_sections(tmp_path: Path) -> None:
    """What the format requires beside the frontmatter is missing, and named."""
    missing = _audit(tmp_path, FRONT).of("missing")
    assert [found.what for found in missing] == ["Context", "Current State", "Next Steps"]
    assert {found.line for found in missing} == {1}


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_alone_lacks_the_others(tmp_path: Path, name: str) -> None:
    """One section is recognised on its own, and all others are missing."""
    titles = {text.splitlines()[0][3:] for key, text in SECTIONS.items() if key != name}
    assert {found.what for found in _audit(tmp_path, SECTIONS[name]).of("missing")} == titles


def test_stale_is_not_incomplete(tmp_path: Path) -> None:
    """What says active and was last changed long ago is reported, and the file is complete all the same."""
    report = _audit(tmp_path, N5)
    assert [(found.line, found.what) for found in report.of("stale")] == [(7, "updated")]
    assert report.complete


@pytest.mark.parametrize(("text", "ident", "wanted", "expected"), SYNCS)
def test_an_example_is_brought_up_to_date(text: str, ident: str, wanted: dict[str, Any], expected: list[str]) -> None:
    """Each wish is placed where the format keeps it, and a second time changes nothing."""
    editor = Editor("x.md", FORMATS, "2026-04-01 12:00", ident)
    outcome = editor.apply(text.encode(), wanted)
    assert outcome.unplaced == []
    assert [part for part in expected if part not in outcome.data.decode()] == []
    again = Editor("x.md", FORMATS, "2026-04-02 12:00", ident).apply(outcome.data, wanted)
    assert (again.data, again.changes, again.unplaced) == (outcome.data, [], [])


def test_a_document_about_a_format_is_no_state_file() -> None:
    """Headings that describe the sections, with what and why under each, are not those sections."""
    described = "".join(
        f"### {number}. {text.splitlines()[0][3:]}\n\n**What:** It tells.\n**Why:** So that it is known.\n\n"
        f"**Elements:**\n- **Focus:** One sentence\n- **Return to:** Where to go\n\n```markdown\n{text}```\n\n"
        for number, text in enumerate(SECTIONS.values(), 1)
    )
    text = (
        f"---\nversion: 1.0\npurpose: To tell\n---\n\n# Session State Template\n\n## Structure Sections\n\n{described}"
    )
    state = _state(text)
    assert (state.file_format, bool(state.problem)) == (None, True)
