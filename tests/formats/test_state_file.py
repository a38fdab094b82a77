"""A state file read: which format it is of, and what it says in the words of listing and briefing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import clock
from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.formats import catalogue
from holdfast.formats.state_file import StateFile, summary
from tests.hazards import shapes

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = catalogue.known("", Cache(""))
THEN = clock.read("2025-12-04T14:30:00Z")
BODIES = st.binary(max_size=60) | st.text("#-`<!> \n", max_size=60).map(str.encode)
WORDS = {
    **dict.fromkeys(
        ("title", "status", "own_words", "category", "focus", "objective", "progress", "phase", "current", "type"), ""
    ),
    **{word: [] for word in ("next", "questions", "decisions", "blockers", "artifacts")},
    **dict.fromkeys(("created", "updated"), 0.0),
}
OTHERS = {"format", "reason", "problem", "shared", "body", "ids", "agents", "entries"}
NO_SHAPE = "its shape is none of the known ones"


def reported(text: str, name: str = "x.md") -> dict[str, object]:
    """Return what a file with this text says."""
    return {**summary(StateFile(text.encode(), name, FORMATS))}


def read(folder: Path, data: bytes) -> dict[str, object]:
    """Return the digest of a file with these bytes."""
    path = folder / "x.md"
    path.write_bytes(data)
    return {**summary(StateFile(path.read_bytes(), str(path), FORMATS))}


def moment(text: str) -> float:
    """Return a time that must be one."""
    seconds = clock.read(text)
    assert seconds
    return seconds


AGENTS = """\
---
session:
  title: "Move the exporter"
  status: "✅ completed (links are checked)"
  type: code
  created: "2026-02-11T08:00:00Z"
  last_updated: "2026-02-11T11:30:00+02:00"
orchestration:
  current_task: Write the upload step
---
# Session: An older name
**Session ID:** `s-7`

## Context
The disk of the old host is full.
<!-- since May -->

## Current State
Uploads work.

## Next Steps
1. Try a file
   of 5 GB
2. [What comes then.]

## Execution Progress
- [x] read
- [✅] write
- [ ] test

## Key Decisions
- One bucket

## Open Questions
None

## Blockers
- none
- the proxy

## Files Changed
- `a.py` - the parser

---

## Session Log
"""
FLAT = """\
---
branch: feat/object-storage
status: archived
created: 2026-02-11
last_entry: 2026-02-11T09:30:00Z
last_updated: 2026-02-11T09:00:00Z
claude_session_id: 5d0c6d1e-3c58-4b8f-9c0e-2f8f6d6f0a11
---

# Object storage

## Goal
No full disks.

## Current State
Uploads **work**.

## Next Steps
Try a file of 5 GB.

Then tell the others.

## Decisions

| What | Why |
|------|-----|
| One bucket | simple |

## Open Questions

### Who pays?
Nobody knows.

## Journal
[2026-02-11 08:00] feat(export): upload step
"""
V1 = """\
# Session State: Hosts

**Conversation ID:** `con_7Qm2XvLt9RkAe4Wd` (the first)
**Started:** 2025-10-30 19:02 ET
**Last Updated:** 2025-10-31 08:00 UTC
**Status:** Waiting for the offers

## Type & Mode
**Primary Type:** strategy

## Focus
The move to the new host

## Objective
*What are we trying to accomplish?*

## Progress

### Current Task
Reading the offers

### Covered
- [x] three hosts
- [ ] a fourth

### Blocked
- None

### Next Actions
1. Ask for a price
2. Action 2

## Insights & Decisions

### Decisions Made
- **Two sites** - for the backups

### Open Questions
- How long is the contract?

## Artifacts
- `hosts.csv`
"""
N5 = """\
---
conversation_id: con_7Qm2XvLt9RkAe4Wd
type: research
status: completed
created: 2026-03-02T09:15:00+00:00
last_updated: 2026-03-02T10:40:00+00:00
---

# SESSION STATE

## Metadata
- **Type:** Chat
- **Focus:** Import the invoices
- **Goal:** TBD
- **Status:** ⏸️ parked until Monday

## Progress
- **Overall:** 40%
- **Phase:** Reading the files
- **Next Actions:**
  - Ask for the others
  - TBD

## Covered
- TBD

## Decisions
- Keep the oldest files as they are

## Open Questions
- Which encoding do the oldest files have?

## Blockers
- N/A

## Artifacts
- invoices.csv
"""
GSD_LITE = """\
---
version: 1.0
updated: 2026-01-21T15:45:00Z
session: 2026-01-21-importer
---

# Session State: Importer

## Current Context

**Phase:** 2. Importer
**Task:** TASK-003 - Read the price list
**Focus:** [what is to be reached now]
**Status:** Awaiting input

## Active Loops

| ID | Title | Status | Captured |
|----|-------|--------|----------|
| LOOP-004 | Which rate counts | open | 2026-01-21 |

**Total active:** 1 loop

## Context Stack

**Current:** Reading prices
**Return to:** None

## Recent Updates

**2026-01-21 15:45**
- Added LOOP-004
"""
CONTINUE = """\
---
phase: 02-import
task: 2
total_tasks: 5
status: in_progress
last_updated: 2026-03-02T10:40:00Z
---

<current_state>
The parser reads all samples but one.
</current_state>

<remaining_work>
- Task 3: Dates before 1970
</remaining_work>

<decisions_made>
- Dates are text
</decisions_made>

<blockers>
None
</blockers>

<next_action>
Start with the sample of March.
</next_action>
"""
GSD = """\
---
gsd_state_version: 1.0
milestone: v1.0
milestone_name: Import
status: completed
last_updated: "2026-03-01T08:00:00Z"
---

# Project State

## Project Reference

**Core value:** No price is wrong
**Current focus:** Prices

## Current Position

Phase: 2 of 5 (Import)
Plan: 1 of 3 in current phase
Status: Ready to execute
Last activity: 2026-03-02 - Read the samples

Progress: [████░░░░░░] 40%

## Accumulated Context

### Decisions

- One table for each currency

### Pending Todos

None yet.

### Blockers/Concerns

- The samples of March

## Session Continuity

Last session: 2026-03-02 10:40
Stopped at: Phase 2 planned
Resume file: None
"""
GENIE = shapes.swap(
    shapes.GENIE[1],
    ("**Next:** Collect the merged requests", "**Context:** [what is going on]\n**Next:** Collect the merged requests"),
    ("**Status:** completed", "**Status:** completed ✅\n**Completed:** 2026-01-16"),
)
CONTINUITY = """\
---
session_id: s-9
updated: 2026-03-01
---
# Continuity Ledger: search page
Updated: 2026-03-02 10:40 UTC
**Status**: in progress

## Goal (incl. success criteria)
Results sorted by date.

## Key Decisions
- Sort on the server

## State
- Done:
  - filters
  - icons
- Now: sorting
- Next: paging

## Open Questions
- UNCONFIRMED: is the index sorted already?

## Working Set
- `search.ts`
"""
CLAUDE = """\
# Development Session - 2026-03-02 10:40 - Search page

## Session Overview
**Started:** 2026-03-02 10:40
**Status:** 🚧 sorting
**Focus:** Sorting

## Goals
- Sort by date

## Progress
- [x] Filters
- [ ] Sorting

## Next Steps
- Paging

## Blockers
- No blockers

## Files Modified
- `search.ts`
"""
MEMORY = """\
# Active Context

**Last Updated:** 2026-03-02

## Current Work Focus
The search page.

## Recent Changes
- Filters keep their place

## Next Steps (this week)
- Sort by date

## Active Decisions and Considerations
- Sort on the server

## Open Questions
- none identified

## Known Issues
- Paging jumps
"""
REMEMBERED = """\
# Progress

## What Works
Filters.

## What's Left
- [ ] Sorting

## Current Status
**Status:** On hold
"""
HANDOFF = """\
# Handoff: Dates

**Updated:** 2026-03-02
**Current focus:** the last sample

## Status: DONE

## Goal
Every date is read.

## Where Things Stand
All samples but one.

## What's Done
- The parser

## What's Next
- Dates before 1970

## Key Decisions
- Dates are text

## Questions
- n/a

## Risks
- The year 0

## Important Files
- `dates.py`
"""
SUMMARIES = [
    pytest.param(
        "agents",
        AGENTS,
        "it has `session.title` in its frontmatter",
        {
            "ids": ["s-7"],
            "title": "Move the exporter",
            "status": "✅ completed (links are checked)",
            "category": "completed",
            "focus": "Write the upload step",
            "objective": "The disk of the old host is full.",
            "progress": "2 of 3 done",
            "current": "Uploads work.",
            "type": "build",
            "next": ["Try a file of 5 GB"],
            "decisions": ["One bucket"],
            "blockers": ["the proxy"],
            "artifacts": ["`a.py` - the parser"],
            "created": moment("2026-02-11T08:00:00Z"),
            "updated": moment("2026-02-11T09:30:00Z"),
        },
        id="agents",
    ),
    pytest.param(
        "agents-flat",
        FLAT,
        "it has `claude_session_id` in its frontmatter",
        {
            "ids": ["5d0c6d1e-3c58-4b8f-9c0e-2f8f6d6f0a11"],
            "title": "Object storage",
            "status": "archived",
            "category": "completed",
            "objective": "No full disks.",
            "current": "Uploads **work**.",
            "next": ["Try a file of 5 GB.", "Then tell the others."],
            "questions": ["Who pays?"],
            "decisions": ["One bucket - simple"],
            "created": moment("2026-02-11"),
            "updated": moment("2026-02-11T09:30:00Z"),
        },
        id="agents-flat",
    ),
    pytest.param(
        "n5-v1",
        V1,
        "it has label Conversation ID",
        {
            "ids": ["con_7Qm2XvLt9RkAe4Wd"],
            "title": "The move to the new host",
            "status": "Waiting for the offers",
            "category": "waiting",
            "focus": "The move to the new host",
            "progress": "1 of 2 done",
            "current": "Reading the offers",
            "type": "planning",
            "next": ["Ask for a price"],
            "questions": ["How long is the contract?"],
            "decisions": ["**Two sites** - for the backups"],
            "artifacts": ["`hosts.csv`"],
            "created": moment("2025-10-30"),
            "updated": moment("2025-10-31 08:00"),
        },
        id="n5-v1",
    ),
    pytest.param(
        "n5",
        N5,
        "it has `conversation_id` in its frontmatter",
        {
            "ids": ["con_7Qm2XvLt9RkAe4Wd"],
            "title": "Import the invoices",
            "status": "⏸️ parked until Monday",
            "category": "paused",
            "focus": "Import the invoices",
            "progress": "40%",
            "phase": "Reading the files",
            "type": "discussion",
            "next": ["Ask for the others"],
            "questions": ["Which encoding do the oldest files have?"],
            "decisions": ["Keep the oldest files as they are"],
            "artifacts": ["invoices.csv"],
            "created": moment("2026-03-02 09:15"),
            "updated": moment("2026-03-02 10:40"),
        },
        id="n5",
    ),
    pytest.param(
        "gsd-lite",
        GSD_LITE,
        "it has label Current Context/Focus",
        {
            "ids": ["2026-01-21-importer"],
            "title": "Importer",
            "status": "Awaiting input",
            "category": "waiting",
            "objective": "TASK-003 - Read the price list",
            "phase": "2. Importer",
            "current": "Reading prices",
            "questions": ["LOOP-004 - Which rate counts"],
            "updated": moment("2026-01-21 15:45"),
        },
        id="gsd-lite",
    ),
    pytest.param(
        "continue-here",
        CONTINUE,
        "it has section current_state and section next_action",
        {
            "title": "02-import",
            "status": "in_progress",
            "category": "active",
            "focus": "The parser reads all samples but one.",
            "progress": "2",
            "phase": "02-import",
            "current": "The parser reads all samples but one.",
            "next": ["Start with the sample of March."],
            "decisions": ["Dates are text"],
            "updated": moment("2026-03-02 10:40"),
        },
        id="continue-here",
    ),
    pytest.param(
        "gsd",
        GSD,
        "it has `gsd_state_version` in its frontmatter",
        {
            "shared": True,
            "title": "Import",
            "status": "Ready to execute",
            "category": "active",
            "focus": "Prices",
            "objective": "No price is wrong",
            "progress": "[████░░░░░░] 40%",
            "phase": "2 of 5 (Import)",
            "current": "Phase 2 planned",
            "decisions": ["One table for each currency"],
            "blockers": ["The samples of March"],
            "updated": moment("2026-03-02 10:40"),
        },
        id="gsd",
    ),
    pytest.param(
        "genie",
        GENIE,
        "it has section Active Sessions and label Session ID",
        {"shared": True, "title": "Session State", "updated": moment("2026-01-17 16:40")},
        id="genie",
    ),
    pytest.param(
        "continuity",
        CONTINUITY,
        "it has section Goal and section State and section Working Set",
        {
            "ids": ["s-9"],
            "title": "search page",
            "status": "in progress",
            "category": "active",
            "focus": "sorting",
            "objective": "Results sorted by date.",
            "progress": "filters; icons",
            "current": "sorting",
            "next": ["paging"],
            "questions": ["UNCONFIRMED: is the index sorted already?"],
            "decisions": ["Sort on the server"],
            "artifacts": ["`search.ts`"],
            "updated": moment("2026-03-02 10:40"),
        },
        id="continuity",
    ),
    pytest.param(
        "claude-sessions",
        CLAUDE,
        "it has title Development Session and section Goals",
        {
            "title": "Search page",
            "status": "🚧 sorting",
            "focus": "Sorting",
            "objective": "- Sort by date",
            "progress": "1 of 2 done",
            "next": ["Paging"],
            "artifacts": ["`search.ts`"],
            "created": moment("2026-03-02 10:40"),
        },
        id="claude-sessions",
    ),
    pytest.param(
        "memory-bank",
        MEMORY,
        "it has title Active Context and section Current Focus",
        {
            "shared": True,
            "title": "Active Context",
            "focus": "The search page.",
            "current": "- Filters keep their place",
            "next": ["Sort by date"],
            "decisions": ["Sort on the server"],
            "blockers": ["Paging jumps"],
            "updated": moment("2026-03-02"),
        },
        id="memory-bank",
    ),
    pytest.param(
        "memory-bank",
        REMEMBERED,
        "it has section What Works and section What's Left to Build",
        {
            "shared": True,
            "title": "Progress",
            "status": "On hold",
            "category": "paused",
            "progress": "Filters.",
            "current": "**Status:** On hold",
            "next": ["Sorting"],
        },
        id="memory-bank, progress",
    ),
    pytest.param(
        "handoff",
        HANDOFF,
        "it has title Handoff",
        {
            "shared": True,
            "title": "Dates",
            "status": "DONE",
            "category": "completed",
            "focus": "the last sample",
            "objective": "Every date is read.",
            "progress": "- The parser",
            "current": "All samples but one.",
            "next": ["Dates before 1970"],
            "decisions": ["Dates are text"],
            "blockers": ["The year 0"],
            "artifacts": ["`dates.py`"],
            "updated": moment("2026-03-02"),
        },
        id="handoff",
    ),
]


@pytest.mark.parametrize(("file_format", "text", "reason", "expected"), SUMMARIES)
def test_the_summary_of_each_format(file_format: str, text: str, reason: str, expected: dict[str, object]) -> None:
    """Each word of the model comes from where the format keeps it; what is not filled in, or nothing, is left out."""
    for newline in ("\n", "\r\n"):
        found = reported(text.replace("\n", newline))
        assert (found["format"], found["reason"], found["problem"]) == (file_format, reason, "")
        assert found.keys() == WORDS.keys() | OTHERS
        known = {key: value for key, value in found.items() if key in expected.keys() | WORDS.keys()}
        assert known == {**WORDS, "own_words": found["own_words"], **expected}
        assert found["own_words"] in {"", found["status"]}
        assert found["shared"] is ("shared" in expected)


def test_the_entries_of_a_register() -> None:
    """Each session that a hub lists is reported in the same words, with its id and the line that it begins on."""
    entries = reported(GENIE)["entries"]
    assert isinstance(entries, list)
    words = {
        "title": "Git - Release notes",
        "id": "git-4be2",
        "line": 6,
        "status": "active",
        "category": "active",
        "focus": "Write the notes for 2.4",
        "next": ["Collect the merged requests"],
        "created": moment("2026-01-17 16:00"),
        "files": [],
    }
    assert entries[0] == {**WORDS, **words}
    assert [(entry["id"], entry["category"], entry["updated"]) for entry in entries[1:]] == [
        ("tests-91c0", "active", 0.0),
        ("git-0aa1", "completed", moment("2026-01-16")),
    ]


STATUS = {
    "n5": ("- **Status:** active", "- **Status:** {}"),
    "gsd": ("Status: In progress", "Status: {}"),
    "gsd-lite": ("**Status:** Working", "**Status:** {}"),
    "handoff": ("## Status: IN PROGRESS", "## Status: {}"),
}


@pytest.mark.parametrize(
    ("shape", "status", "category"),
    [
        (shapes.AGENTS, "in_progress", "active"),
        (shapes.AGENTS, "completed (pending cleanup) ✅", "completed"),
        (shapes.AGENTS, "**On hold** until Monday", "paused"),
        (shapes.AGENTS, "🔴 Blocked by the proxy", "waiting"),
        (shapes.AGENTS, "✅", "completed"),
        (shapes.AGENTS, "🚧 WIP", "active"),
        (shapes.AGENTS, "not done", ""),
        (shapes.AGENTS, "uncompleted", ""),
        (shapes.AGENTS, "blue", ""),
        (shapes.AGENTS, "activewear", ""),
        (shapes.FLAT, "archived", "completed"),
        (shapes.CONTINUE, "blocked", "waiting"),
        (shapes.N5, "Complete ✅", "completed"),
        (shapes.GSD, "Phase complete - ready for verification", "active"),
        (shapes.GSD, "Milestone complete", "completed"),
        (shapes.GSD_LITE, "Discussion Mode", "active"),
        (shapes.GSD_LITE, "Awaiting Input (decision)", "waiting"),
        (shapes.HANDOFF, "⏸️ PAUSED", "paused"),
    ],
)
def test_a_status_in_a_persons_words(shape: tuple[str, str], status: str, category: str) -> None:
    """The status is what is there; its category is what the format, else anybody, calls so, and else unknown."""
    old, new = STATUS.get(shape[0], ("status: in_progress", "status: '{}'"))
    found = reported(shapes.swap(shape[1], (old, new.format(status))))
    assert (found["format"], found["status"], found["category"]) == (shape[0], status, category)


FRONT_AND_BODY = [
    pytest.param(shapes.AGENTS, ("title: ", "name: "), "title", "Move the exporter to object storage", id="title"),
    pytest.param(
        shapes.AGENTS,
        ("# Session: Move", "# Session: Copy"),
        "title",
        "Move the exporter to object storage",
        id="key first",
    ),
    pytest.param(
        shapes.AGENTS,
        ('title: "Move the exporter to object storage"', "title:"),
        "title",
        "Move the exporter to object storage",
        id="an empty key",
    ),
    pytest.param(
        shapes.AGENTS,
        ('title: "Move the exporter to object storage"', 'title: "[Title of the work]"'),
        "title",
        "Move the exporter to object storage",
        id="a placeholder for a key",
    ),
    pytest.param(shapes.FLAT, ("# Object storage", "Text."), "title", "Context", id="the first heading"),
    pytest.param(
        shapes.V1, ("- Costs", "- Price"), "title", "The move to the new host", id="a title that says nothing"
    ),
    pytest.param(shapes.N5, ("- **Status:** active", "- **Status:** paused"), "status", "paused", id="the body counts"),
    pytest.param(shapes.N5, ("- **Status:** active", "- **Status:** TBD"), "status", "active", id="not filled in"),
    pytest.param(shapes.N5, ("- **Status:** active\n", ""), "status", "active", id="only in the frontmatter"),
    pytest.param(shapes.N5, ("- **Type:** Build\n", ""), "type", "build", id="type"),
    pytest.param(shapes.N5, ("mode: ", "title: Invoices\nmode: "), "title", "Invoices", id="a title of its own"),
    pytest.param(shapes.GSD, ("Status: In progress\n", ""), "status", "executing", id="gsd, no line"),
    pytest.param(shapes.GSD, ("stopped_at: ", "other: "), "current", "Phase 2 planned", id="gsd, stopped at"),
    pytest.param(
        shapes.FLAT,
        ("last_entry: 2026-02-11T09:30:00Z", "last_entry: 2026-02-11T10:30:00Z"),
        "updated",
        moment("2026-02-11T10:30:00Z"),
        id="the latest time",
    ),
    pytest.param(shapes.CONTINUE, ("phase: 02-import\n", ""), "title", "x.md", id="no title anywhere"),
]


@pytest.mark.parametrize(("shape", "pair", "word", "expected"), FRONT_AND_BODY)
def test_the_first_place_with_an_answer_counts(
    shape: tuple[str, str], pair: tuple[str, str], word: str, expected: object
) -> None:
    """Frontmatter and body may both tell a word: the format says which counts, and the other fills its gaps."""
    found = reported(shapes.swap(shape[1], pair))
    assert (found["format"], found[word]) == (shape[0], expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("- one\n- two\n  - inner", ["one", "two"]),
        ("1. one\n\n   more\n2. **two**", ["one", "**two**"]),
        ("- [ ] one\n- [x] two\n- ✅ three\n- ~~four~~", ["one"]),
        ("One thing.\n\nAnother\nthing.", ["One thing.", "Another thing."]),
        ("| A | B |\n|---|---|\n| one | two |\n| three | |", ["one - two", "three"]),
        ("### One\ntext\n### Two", ["One", "Two"]),
        ("```\n- code\n```", []),
        ("<!-- - one -->", []),
        ("", []),
        *(
            (f"{before}{nothing}", [])
            for before in ("", "- ")
            for nothing in ("None", "none.", "N/A", "Nothing", "*None*")
        ),
        *((f"- {open_}\n- one", ["one"]) for open_ in ("TBD", "[What to do]", "None yet", "Action 2", "<what next>")),
        ("".join(f"- {number}\n" for number in range(50)), [str(number) for number in range(40)]),
        ("- " + "x" * 400, ["x" * 299 + "…"]),
    ],
)
def test_a_list_however_it_is_written(body: str, expected: list[str]) -> None:
    """Items, rows, subsections or paragraphs: each is an entry; placeholders and words for nothing are none."""
    found = reported(shapes.swap(shapes.AGENTS[1], ("- Try a file of 5 GB", body)))
    assert found["next"] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Half of it.\n\n- the lexer\n<!-- a remark -->", "Half of it.\n\n- the lexer"),
        ("TBD", ""),
        ("[Where the work stands]", ""),
        ("Where we are right now. What just happened.", ""),
        ("", ""),
        ("x" * 1300, "x" * 1199 + "…"),
    ],
)
def test_a_text_is_kept_as_it_stands(body: str, expected: str) -> None:
    """A section is its text without comments, clipped; a template's own sentence is not an answer."""
    found = reported(shapes.swap(shapes.AGENTS[1], ("The upload step works against the test bucket.", body)))
    assert found["current"] == expected


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        pytest.param("title: x\n  created: 2025-12-04T14:30:00Z", {"created": THEN}, id="an unquoted time"),
        pytest.param("title: x\n  created: 2025-12-04", {"created": THEN - 52200}, id="an unquoted date"),
        pytest.param("title: x\n  created: 2025-99-99", {"created": 0.0}, id="an impossible date"),
        pytest.param("title: x\n  created: !!timestamp soon", {"created": 0.0}, id="a tag that does not fit"),
        pytest.param(
            "status: completed (pending cleanup) ✅", {"status": "completed (pending cleanup) ✅"}, id="prose"
        ),
        pytest.param("status: on\n  title: 16.10", {"status": "on", "title": "16.10"}, id="scalars as written"),
        pytest.param("status: [a, b]\n  title:", {"status": "a, b", "title": "T"}, id="a list, and nothing"),
        pytest.param("title: [x]\norchestration: [y]", {"title": "x", "focus": ""}, id="a list for a mapping"),
        pytest.param("title: !!bool maybe", {"title": "maybe"}, id="a truth that is none"),
        pytest.param('title: "x"\n  status: "y"\n  ? [a]\n  : b', None, id="a list as a key"),
        pytest.param("title: x: y", None, id="a second colon"),
        pytest.param("title: 'x", None, id="an open quote"),
        pytest.param("title: *x", None, id="an alias of nothing"),
        pytest.param("title: x\n\tstatus: y", None, id="a tab"),
        pytest.param("title: x\x07", None, id="a control character"),
        pytest.param("other: x", None, id="neither title nor status"),
        pytest.param("&a [*a]", None, id="a list that holds itself"),
        pytest.param("{" * 3000, None, id="nested too deeply"),
    ],
)
def test_digests_odd_yaml(tmp_path: Path, session: str, expected: dict[str, object] | None) -> None:
    """Values are the text that is there; what is no YAML, or no session, is reported in one line, never an error."""
    found = read(tmp_path, f"---\nsession:\n  {session}\n---\n# Session: T\n".encode())
    assert (found["format"], found["title"] == "") == ("agents" if expected else "unknown", False)
    if expected is None:
        assert str(found["reason"]).startswith(NO_SHAPE + "; ")
        assert "\n" not in str(found["reason"])
        assert found["problem"] == found["reason"]
        assert ("frontmatter cannot be read, line " in str(found["reason"])) is ("other" not in session)
    else:
        assert found | expected == found


def test_frontmatter_that_is_no_yaml_is_read_line_by_line() -> None:
    """A file is known by its sections, or by the keys that are at the beginning of a line, and listing works."""
    found = reported(shapes.swap(shapes.FLAT[1], ("branch: feat/", "branch: @feat/")))
    words = {key: found[key] for key in ("format", "status", "category", "updated", "objective")}
    assert words == {
        "format": "agents-flat",
        "status": "in_progress",
        "category": "active",
        "updated": moment("2026-02-11T09:30:00Z"),
        "objective": "The disk of the old host fills up every month.",
    }
    nested = reported(shapes.swap(shapes.AGENTS[1], ('title: "Move', "title: *Move")))
    assert (nested["format"], nested["title"], nested["status"]) == (
        "agents",
        "Move the exporter to object storage",
        "",
    )


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (b"", "x.md"),
        (b"# T\n", "T"),
        (b"text\n\n## Notes\n", "Notes"),
        (b"---\nsession:\n  title: x\n# T\n", "T"),
        (b"---\n- a\n---\n", "x.md"),
        (b"---\nx\n---\n", "x.md"),
        (b"---\n---\n", "x.md"),
        (b"\xff\x00", "x.md"),
    ],
)
def test_other_files_are_of_an_unknown_format(tmp_path: Path, data: bytes, title: str) -> None:
    """A file of no known shape has a title, and nothing else but the reason why it is not known."""
    found = read(tmp_path, data)
    assert {key: found[key] for key in WORDS} == {**WORDS, "title": title}
    assert (found["format"], found["shared"], found["ids"], found["entries"]) == ("unknown", False, [], [])
    assert str(found["reason"]).startswith(NO_SHAPE)
    assert found["problem"] == found["reason"]


@pytest.mark.parametrize(
    ("text", "name", "file_format", "reason"),
    [
        ("# Plan\n\n## Next Steps\n", "HANDOFF-api.md", "handoff", "name like *handoff*.md and section Next Steps"),
        ("# Plan\n\n## Next Steps\n", "plan.md", "unknown", "comes nearest"),
        ("# Hub\n\n## Active Sessions\n", "session-state.md", "genie", "name like SESSION-STATE.md"),
        (shapes.V1[1], "x.md", "n5-v1", "label Conversation ID"),
        ("---\nconversation_id: con_1\n---\n**Conversation ID:** con_1\n", "x.md", "n5", "`conversation_id` in its"),
        (
            "# Session: T\n\n## Context\n\n## Current State\n",
            "x.md",
            "agents",
            "title Session: and section Context",
        ),
        ("# T\n\n## Context\n\n## Current State\n", "x.md", "unknown", "agents comes nearest, but it lacks "),
        ("```\n# Handoff\n```\n", "x.md", "unknown", ""),
    ],
)
def test_a_format_is_recognised_by_its_marks(text: str, name: str, file_format: str, reason: str) -> None:
    """The reason names the marks that are there, or what lacks for the nearest."""
    found = reported(text, name)
    assert (found["format"], reason in str(found["reason"])) == (file_format, True), found["reason"]


def test_what_must_not_be_written_is_reported(tmp_path: Path) -> None:
    """A conflict is reported with its line, and so is a project's own format that is only read; both are still read."""
    conflict = reported(shapes.AGENTS[1] + "<<<<<<< a\n=======\n>>>>>>> b\n")
    line = shapes.AGENTS[1].count("\n") + 1
    assert conflict["problem"] == f"line {line}: a merge left conflict markers; resolve them first"
    assert conflict["focus"] == "Write the upload step"
    (tmp_path / ".agents").mkdir()
    own = 'places = ["log.md"]\nrecognised = [["title:Log"]]\nwrites = false\nmodel.next = ["section:Later"]\n'
    (tmp_path / ".agents/holdfast.toml").write_text(f"[formats.log]\n{own}")
    known = catalogue.known(str(tmp_path), Cache(""))
    found = summary(StateFile(b"# Log\n\n## Later\n- rest\n", "log.md", known))
    assert (found["format"], found["problem"], found["next"]) == ("log", "its format log is only read", ["rest"])


@given(BODIES, st.text(max_size=30))
def test_digest_never_raises(tmp_path_factory: pytest.TempPathFactory, body: bytes, front: str) -> None:
    """Whatever the bytes, a digest is the words of the model, each of its kind."""
    folder = tmp_path_factory.getbasetemp()
    found = read(folder, b"---\nsession:\n  title: " + front.encode("utf-8", "surrogatepass") + b"\n---\n" + body)
    assert found.keys() == WORDS.keys() | OTHERS
    assert {word: type(found[word]) for word in WORDS} == {word: type(value) for word, value in WORDS.items()}
    assert found["title"]


@pytest.mark.parametrize("text", [str(case.values[1]) for case in SUMMARIES], ids=[case.id for case in SUMMARIES])
def test_a_byte_order_mark_hides_nothing(tmp_path: Path, text: str) -> None:
    """A file with a byte order mark and CRLF is read as it would be without, but for where its body begins."""
    data = text.encode()
    marked, plain = read(tmp_path, b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")), read(tmp_path, data)
    assert isinstance(marked["body"], int)
    assert {**marked, "body": 0} == {**plain, "body": 0}


def test_a_part_is_given_as_it_stands() -> None:
    """The whole, an entry, or one section by any of its names; what is not there is reported with what is."""
    hub, work = (StateFile(text.encode(), "x.md", FORMATS) for text in (GENIE, AGENTS))
    assert hub.part("") == GENIE
    assert hub.part("", "tests-91c0").startswith("### Tests - Import\n**Session ID:** `tests-91c0`\n")
    assert work.part("Decisions Made") == "## Key Decisions\n- One bucket\n\n"
    with pytest.raises(
        HoldfastError, match=r"x\.md: the section 'Goal' is not there\. Sections: Context, Current State"
    ):
        work.part("Goal")
    twice = StateFile(b"# T\n## A\n## B\n## A\n", "x.md", FORMATS)
    with pytest.raises(HoldfastError, match=r"appears 2 times, on lines 2, 4\. Sections: A, B$"):
        twice.part("a")


def test_an_outline_has_every_section() -> None:
    """Sections come with level, line and their own text, and with the frontmatter as the text that is there."""
    found = StateFile(shapes.AGENTS[1].encode(), "x.md", FORMATS).outline("")
    assert (found["format"], found["reason"]) == ("agents", "it has `session.title` in its frontmatter")
    front, sections = found["frontmatter"], found["sections"]
    assert isinstance(front, dict)
    assert isinstance(sections, list)
    assert front["session"]["status"] == "in_progress"
    assert sections[0] == {
        "title": "Context",
        "level": 2,
        "line": 15,
        "text": "The disk of the old host fills up every month.",
    }
    assert [section["title"] for section in sections[-2:]] == ["Session Log", "2026-02-11 08:00 - Started"]
    assert sections[-2]["text"] == ""
    one = StateFile(shapes.AGENTS[1].encode(), "x.md", FORMATS).outline("Next Steps")
    assert one["sections"] == [sections[2]]


def test_items_under_nested_subheadings_count_once() -> None:
    """Each belongs to the outermost subheading of its section."""
    text = f"{AGENTS.partition('## Next Steps')[0]}## Next Steps\n\n### First\n\n- Parse\n\n#### Then\n\n- Print\n"
    assert reported(text)["next"] == ["Parse", "Print"]


def test_what_is_among_keys_that_never_close_is_not_read() -> None:
    """The file's text begins after the first empty line."""
    begun = AGENTS.partition("\n---\n")[0] + "\n**Session ID:** `among-keys`\n"
    text = "\n# Session: Parser\n\n## Context\nWhy.\n\n## Current State\nHalf.\n"
    found = reported(begun + text)
    assert (found["ids"], found["current"]) == ([], "Half.")


@pytest.mark.parametrize("sign", ["\x1b[31m", "\x1b]0;title\x07", "\x9b31m", "\u202e", "\x07"])
def test_an_id_steers_no_terminal(sign: str) -> None:
    """Lists print ids as they are read."""
    text = shapes.GENIE[1].replace("**Session ID:** `", f"**Session ID:** `{sign}", 1)
    assert text != shapes.GENIE[1]
    rows = reported(text, ".agents/SESSION-STATE.md")["entries"]
    assert isinstance(rows, list)
    assert [row["id"] for row in rows if not row["id"].isprintable()] == []
