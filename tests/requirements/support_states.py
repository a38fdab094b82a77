"""Good state files of four formats, built as the documents' examples are, and what a command says of them."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project, Reply

Row = dict[str, Any]

SESSION_STATE = "SESSION_STATE.md"
N5_ID = "con_k3Vd9TqLx2MwBz7R"
SESSION_FILE = ".agents/sessions/20260211-080000-object-storage.md"
HUB_FILE = ".agents/SESSION-STATE.md"
MEMORY_FILE = ".gsd-lite/STATE.md"
KINDS = ("missing", "placeholder", "invalid", "contradictory", "stale", "broken")
SECONDS_PER_HOUR = 3600
_BEGUN = time.time()
_HEADING = re.compile(r"(#{1,6}) ")


def hours_ago(hours: float, form: str = "%Y-%m-%dT%H:%M:%SZ") -> str:
    """Return the time so many hours before this run began, in UTC, so that two files of one test have the same."""
    return time.strftime(form, time.gmtime(_BEGUN - hours * SECONDS_PER_HOUR))


def n5() -> str:
    """Return a gold standard file: every required, recommended and build-specific section filled in."""
    return f"""\
---
conversation_id: {N5_ID}
type: build
mode: general
status: active
created: {hours_ago(3, "%Y-%m-%dT%H:%M:%S+00:00")}
last_updated: {hours_ago(1, "%Y-%m-%dT%H:%M:%S+00:00")}
---

# SESSION STATE

## Metadata
- **Type:** Build
- **Mode:** general
- **Focus:** Move the exporter from the local disk to object storage
- **Objective:** Stop the monthly outage by writing exports to a bucket
- **Status:** active

## Progress
- **Overall:** 60%
- **Current Phase:** Upload done, download begun
- **Next Actions:** Measure a large file, write the manual

## Covered
- Found why the disk fills up
- Wrote the upload step

## Topics
- Object storage
- Export formats

## Key Insights
- Exports are written once and read rarely

## Decisions Made
- One bucket for each customer

## Open Questions
- Who deletes old exports?

## Artifacts
*What this conversation made*
- exporter.py v2 (permanent, src/)
- notes.md (temporary, scratch/)

## Tags
#build #exporter #storage

## Build-Specific

### Architectural Decisions
- The client library is wrapped in one module

### Files Modified
- src/exporter.py (rewritten)
- docs/manual.md (updated)

### Tests
- [x] Unit tests written
- [ ] Tests passing
- [ ] Edge cases covered

### Quality Checks
- [x] Errors are handled
- [ ] Tests passing
"""


def agents() -> str:
    """Return a session file with all that the template has: waves, nested code, criteria, decisions, a log."""
    return f"""\
---
session:
  title: "Move the exporter to object storage"
  status: in_progress
  created: "{hours_ago(3)}"
  last_updated: "{hours_ago(1)}"
  linear_issue: "BACK-123"
  linear_url: "https://linear.app/acme/issue/BACK-123"

orchestration:
  current_task: "Write the upload step"
  spawned_agents:
    - agent: backend-dev
      task: "Wrap the client library"
      status: completed
      summary: "One module, three functions"
---

# Session: Move the exporter to object storage

## Context
The disk of the old host fills up every month.

## Current State
The upload step works against the test bucket.

## Execution Progress

### Wave 1: Upload (ACTIVE)
- [x] BACK-124 - Multipart upload
- [ ] BACK-125 - Retry

### Wave 2: Download (blocked by Wave 1)
- [ ] BACK-126 - Stream to disk

## Technical Context

### Files to Update
- `src/exporter.py` - The upload step

### Key Commands
```bash
# not a heading
pytest tests/exporter -v
```

## Next Steps
- Try a file of 5 GB

## Acceptance Criteria
- [ ] Old links still work
- [x] No export is lost

## Decisions

### Decision 1: One bucket for each customer
**Decision**: A bucket is named after its customer.
**Rationale**: Rights are given by bucket.

## Blockers
- The production bucket has no quota yet

---

## Session Log

### 2026-02-11 08:00 - Started
Read the exporter.
"""


def memory() -> str:
    """Return a working memory file with the six sections."""
    return f"""\
---
version: 1.0
updated: {hours_ago(1)}
session: 2026-02-11-exporter
---

# Session State: Exporter

## Current Context

**Phase:** 2. Exporter
**Task:** TASK-002 - Write the upload step
**Focus:** Files of more than 5 GB
**Status:** Working

## Active Loops

| ID | Title | Status | Captured |
|----|-------|--------|----------|
| LOOP-004 | Who deletes old exports | open | 2026-02-11 |

**Total active:** 1 loop (1 open)

## Token Budget

**Status:** 48000 / 200000 tokens (24%) - deliberate
**Phase:** 🟡 Deliberate zone (20-40%)
**Strategy:** Focused loading, justify additions

- 0-20% 🟢 Comfortable (exploratory)
- 20-40% 🟡 Deliberate (focused) ← YOU ARE HERE
- 40-50% 🟠 Warning (reduce context)
- 50%+ 🔴 Stop (must exclude)

## Available Actions

**Core:**
- `/holdfast:continue` - Continue working on TASK-002

**Type action or respond directly**

## Context Stack

**Current:** TASK-002 (Write the upload step)
**Return to:** None (not forked)
**Depth:** 0

## Recent Updates

**{hours_ago(1, "%Y-%m-%d %H:%M")}**
- Added LOOP-004 to LOOPS.md: Who deletes old exports
"""


def hub() -> str:
    """Return a register with a parent, its child and one entry in the history."""
    now, before = hours_ago(1, "%Y-%m-%d %H:%M UTC"), hours_ago(3, "%Y-%m-%d %H:%M UTC")
    return f"""\
# Session State

**Last Updated:** {now}

## Active Sessions

### Implementor - The importer
**Session ID:** `7f2d0c11-0000-4000-8000-000000000001`
**Started:** {before}
**Last Updated:** {now}
**Status:** active
**Agent:** implementor
**Branch:** main
**Children:** Tests (7f2d0c11-0000-4000-8000-000000000002)
**Purpose:** Read the price list
**Context:** Two currencies
**Next:** The second currency

### Tests - The importer
**Session ID:** `7f2d0c11-0000-4000-8000-000000000002`
**Parent:** Implementor (7f2d0c11-0000-4000-8000-000000000001)
**Started:** {before}
**Last Updated:** {now}
**Status:** waiting
**Agent:** tests
**Purpose:** Cover the importer

## Session History (Recent)

### Git - The branch
**Session ID:** `7f2d0c11-0000-4000-8000-000000000003`
**Started:** {before}
**Last Updated:** {now}
**Completed:** {now}
**Status:** completed
**Agent:** git
**Purpose:** Make the branch
"""


def swap(text: str, *pairs: tuple[str, str]) -> str:
    """Return the text with the first of each pair replaced by the second; it must be there."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def put(project: Project, name: str, text: str | bytes) -> Path:
    """Write a file of the project as a person would."""
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def line_of(text: str, needle: str, start: str = "") -> int:
    """Return the 1-based number of the first line that holds the needle, after the text `start`."""
    begin = text.index(start) if start else 0
    return text.count("\n", 0, text.index(needle, begin)) + 1


def audited(project: Project, name: str, text: str | bytes | None = None) -> Row:
    """Return what `holdfast audit` says of one file as values, with its exit code as `code`."""
    if text is not None:
        put(project, name, text)
    reply = project.cli("audit", "--json", name)
    (row,) = json.loads(reply.out)
    assert isinstance(row, dict)
    return {**row, "code": reply.code}


def of_kind(row: Row, *kinds: str) -> list[Row]:
    """Return the findings of an audit of these kinds."""
    return [found for found in row["findings"] if found["kind"] in kinds]


def findings(row: Row) -> list[tuple[str, int, str]]:
    """Return the findings of an audit but its age: kind, line, and all words about it."""
    return [
        (found["kind"], found["line"], f"{found['what']}: {found['why']}")
        for found in row["findings"]
        if found["kind"] != "stale"
    ]


def synced(project: Project, path: Path, wanted: Row) -> tuple[Reply, str]:
    """Run `holdfast sync` for a file by its path and return the answer and the file after it."""
    name = path.relative_to(project.root).as_posix()
    reply = project.cli("sync", "--convo-id", name, "--json", json.dumps(wanted))
    return reply, path.read_text()


def changed_lines(before: str, after: str) -> list[str]:
    """Return the lines that are only in the second text, but for the time of the last change."""
    old = before.splitlines()
    return [line for line in after.splitlines() if line not in old and "last_updated" not in line]


def headings(text: str, level: int = 2) -> list[str]:
    """Return the titles of the headings of one level, outside code."""
    found, code = [], False
    for line in text.splitlines():
        code ^= line.startswith("```")
        if not code and line.startswith("#" * level + " "):
            found.append(line[level + 1 :].strip())
    return found


def section(text: str, title: str) -> str:
    """Return what is below a heading up to the next one of its level or above, "" where it is not there."""
    lines = text.splitlines(keepends=True)
    levels = [len(found[1]) if (found := _HEADING.match(line)) else 0 for line in lines]
    start = next((at for at, line in enumerate(lines) if levels[at] and line.lstrip("#").strip() == title), None)
    if start is None:
        return ""
    after = range(start + 1, len(lines))
    end = next((at for at in after if 0 < levels[at] <= levels[start]), len(lines))
    return "".join(lines[start + 1 : end])
