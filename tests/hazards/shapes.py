"""What a hazard is, and one small, complete file of each shape to put hazards into."""

from __future__ import annotations

from typing import Any, NamedTuple


class Hazard(NamedTuple):
    """One thing that makes a state file hard to edit, and what a right edit comes to.

    `wanted` is what `holdfast sync --json` is given. `after` are the bytes to which `before` changes, None when nothing
    may change; times of the last change stay as they are. `unplaced` names the keys that are reported as not placed,
    `refused` is a word of the reason why the whole edit is refused, "" when it is not.
    """

    id: str
    file_format: str
    before: bytes
    wanted: dict[str, Any]
    after: bytes | None
    unplaced: tuple[str, ...] = ()
    refused: str = ""


def swap(text: str, *pairs: tuple[str, str]) -> str:
    """Return the text with the first of each pair replaced by the second; ValueError unless it is there once."""
    for old, new in pairs:
        if text.count(old) != 1:
            raise ValueError(f"{old!r} appears {text.count(old)} times in {text!r}")
        text = text.replace(old, new)
    return text


def case(
    name: str,
    shape: tuple[str, str],
    wanted: dict[str, Any],
    *pairs: tuple[str, str],
    unplaced: tuple[str, ...] = (),
    refused: str = "",
) -> Hazard:
    """Return a hazard from a shape's format and file; the pairs are what the edit replaces by what.

    A surrogate in the text stands for the byte that is not UTF-8, as with `surrogateescape`.
    """
    file_format, before = shape
    after = swap(before, *pairs).encode("utf-8", "surrogateescape") if pairs else None
    return Hazard(name, file_format, before.encode("utf-8", "surrogateescape"), wanted, after, unplaced, refused)


def having(shape: tuple[str, str], *pairs: tuple[str, str]) -> tuple[str, str]:
    """Return a shape with parts of its file replaced."""
    return shape[0], swap(shape[1], *pairs)


AGENTS = (
    "agents",
    """\
---
session:
  title: "Move the exporter to object storage"
  status: in_progress
  created: "2026-02-11T08:00:00Z"
  last_updated: "2026-02-11T09:30:00Z"

orchestration:
  current_task: "Write the upload step"
  spawned_agents: []
---

# Session: Move the exporter to object storage

## Context
The disk of the old host fills up every month.

## Current State
The upload step works against the test bucket.

## Next Steps
- Try a file of 5 GB

## Acceptance Criteria
- [x] Old links still work

---

## Session Log

### 2026-02-11 08:00 - Started
Read the exporter.
""",
)

FLAT = (
    "agents-flat",
    """\
---
branch: feat/object-storage
status: in_progress
created: 2026-02-11T08:00:00Z
last_entry: 2026-02-11T09:30:00Z
last_updated: 2026-02-11T09:30:00Z
claude_session_id: 5d0c6d1e-3c58-4b8f-9c0e-2f8f6d6f0a11
---

# Object storage

## Context
The disk of the old host fills up every month.

## Journal
- [2026-02-11 08:00] feat(export): upload step
""",
)

N5 = (
    "n5",
    """\
---
conversation_id: con_7Qm2XvLt9RkAe4Wd
type: build
mode: standalone
status: active
created: 2026-03-02T09:15:00+00:00
last_updated: 2026-03-02T10:40:00+00:00
---

# SESSION STATE

## Metadata
- **Type:** Build
- **Mode:** standalone
- **Focus:** Import the invoices of 2025
- **Status:** active

## Progress
- **Overall:** 40%
- **Current Phase:** Reading the files

## Covered
- Looked at the sample files

## Open Questions
- Which encoding do the oldest files have?

## Tags
#build
""",
)

V1 = (
    "n5-v1",
    """\
# SESSION STATE

**Conversation ID:** con_7Qm2XvLt9RkAe4Wd
**Started:** 2025-10-30 19:02 ET

---

## Metadata
- **Type:** discussion
- **Focus:** The move to the new host
- **Status:** active

---

## Progress
- **Overall:** 10%

---

## Covered
- Compared three hosts

---

## Topics
- Costs
""",
)

GSD_LITE = (
    "gsd-lite",
    """\
---
version: 1.0
updated: 2026-01-21T15:45:00Z
session: 2026-01-21-importer
---

# Session State: Importer

## Current Context

**Phase:** 2. Importer
**Task:** TASK-003 - Read the price list
**Focus:** Prices with more than one currency
**Status:** Working

## Active Loops

| ID | Title | Status | Captured |
|----|-------|--------|----------|
| LOOP-004 | Which rate counts at month's end | open | 2026-01-21 |

**Total active:** 1 loop (1 open)

## Token Budget

**Used:** 1200 / 5000 tokens (24%)

## Recent Updates

**2026-01-21 15:45**
- Added LOOP-004
""",
)

GSD = (
    "gsd",
    """\
---
gsd_state_version: 1.0
status: executing
stopped_at: Phase 2 planned
---

# Project State

## Current Position

Phase: 2 of 5 (Import)
Plan: 1 of 3 in current phase
Status: In progress
Last activity: 2026-03-02 - Read the samples

## Accumulated Context

### Decisions

- One table for each currency

### Pending Todos

None yet.

## Session Continuity

Last session: 2026-03-02 10:40
Stopped at: Phase 2 planned
""",
)

GENIE = (
    "genie",
    """\
# Session State
**Last Updated:** 2026-01-17 16:40 UTC

## Active Sessions

### Git - Release notes
**Session ID:** `git-4be2`
**Started:** 2026-01-17 16:00 UTC
**Status:** active
**Purpose:** Write the notes for 2.4
**Next:** Collect the merged requests

### Tests - Import
**Session ID:** `tests-91c0`
**Started:** 2026-01-17 16:20 UTC
**Status:** starting
**Purpose:** Cover the importer

## Session History (Recent)

### Git - Hotfix
**Session ID:** `git-0aa1`
**Status:** completed
""",
)

CONTINUE = (
    "continue-here",
    """\
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

<next_action>
Start with the sample of March.
</next_action>
""",
)

MEMORY = (
    "memory-bank",
    """\
# Active Context

## Current Focus
The search page.

## Recent Changes
- Filters keep their place

## Next Steps
- Sort by date
""",
)

CLAUDE = (
    "claude-sessions",
    """\
# Development Session - 2026-03-02 10:40 - Search page

## Session Overview
**Started:** 2026-03-02 10:40

## Goals
- [ ] Sort by date

## Progress

### Update - 2026-03-02 11:15
Filters keep their place.
""",
)

CONTINUITY = (
    "continuity",
    """\
# Continuity Ledger: search page

## Goal
Results sorted by date.

## State
- Done: filters
- Now: sorting
- Next: paging

## Open Questions
- UNCONFIRMED: is the index sorted already?
""",
)

HANDOFF = (
    "handoff",
    """\
# Handoff

## Status: IN PROGRESS

## Summary
The parser reads all samples but one.

## Next Steps
- Dates before 1970
""",
)
