"""Working memory in the two shapes of the document's examples, and how a session works on it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project, Reply

GLOBAL, DATED = ".gsd-lite/STATE.md", ".project/sessions/2026-01-21-importer/STATE.md"
TITLE = "Write the budget template"  # of the task at hand in ONE
HEAD = "📋 ARTIFACT UPDATE - Protocol Drift Detected"
# Ids, fields, counts, labels and order are those of gsd-lite-state.md, Example 1; the titles are ours.
ONE = """\
---
version: 1.0
updated: 2026-01-21T15:45:00Z
session: 2026-01-21-importer
---

# Session State: Importer

## Current Context

**Phase:** 1. Foundation & templates
**Task:** TASK-003 - Write the budget template
**Focus:** Say when a context counts as full
**Status:** Working

## Active Loops

| ID | Title | Status | Captured |
|----|-------|--------|----------|
| LOOP-007 | Are invoices ever mixed? | clarifying | 2026-01-21 14:45 |
| LOOP-012 | How much lineage is in scope? | open | 2026-01-21 15:30 |
| LOOP-018 | Why does the unique test fail? | open | 2026-01-21 15:35 |

**Total active:** 3 loops (1 clarifying, 2 open)

See LOOPS.md for full details.

## Token Budget

**Status:** 1850 / 5000 tokens (37%) - deliberate
**Phase:** 🟡 Deliberate zone (20-40%)
**Strategy:** Focused loading, justify additions

- 0-20% 🟢 Comfortable (exploratory)
- 20-40% 🟡 Deliberate (focused) ← YOU ARE HERE
- 40-50% 🟠 Warning (reduce context)
- 50%+ 🔴 Stop (must exclude)

See CONTEXT.md for full breakdown.

## Available Actions

**Core:**
- `/continue` - Continue working on TASK-003
- `/pause` - Pause session and save state
- `/status` - Show full status report
- `/add-loop [description]` - Capture new question
- `/discuss [topic]` - Fork into discussion

**Contextual:**
- `/complete-task` - Mark TASK-003 complete
- `/close-loop [ID]` - Mark loop 007/012/018 resolved
- `/explore-loop [ID]` - Investigate loop 012 or 018

**Type action or respond directly**

## Context Stack

**Current:** TASK-003 (Write the budget template)
**Return to:** None (not forked)
**Depth:** 0

## Recent Updates

**2026-01-21 15:45**
- Updated CONTEXT.md: Crossed into warning zone (44%), excluded reports/**, returned to deliberate zone (34%)

**2026-01-21 15:35**
- Added LOOP-018 to LOOPS.md: Why does the unique test fail in staging?

**2026-01-21 15:30**
- Added LOOP-012 to LOOPS.md: How much lineage is in scope for the refactor?

**2026-01-21 15:00**
- Closed LOOP-006 in LOOPS.md: No mixed invoice types, created DECISION-008

**2026-01-21 14:45**
- Added LOOP-007 to LOOPS.md: Are invoices ever mixed?
"""
# The same of Example 2: a plan that waits for approval.
TWO = """\
---
version: 1.0
updated: 2026-01-21T16:20:00Z
session: 2026-01-21-phase2-planning
---

# Session State: Phase 2 planning

## Current Context

**Phase:** 2. Session hand-over (Planning)
**Task:** PLAN-005 - Draft the hand-over
**Focus:** Waiting for the user's word on the plan
**Status:** Blocked (Awaiting Approval)

## Active Loops

| ID | Title | Status | Captured |
|----|-------|--------|----------|
| LOOP-024 | Do loops outlive a session? | clarifying | 2026-01-21 16:10 |

**Total active:** 1 loop (clarifying)

See LOOPS.md for full details.

## Token Budget

**Status:** 2250 / 5000 tokens (45%) - warning
**Phase:** 🟠 Warning zone (40-50%)
**Strategy:** Avoid loading more, seek exclusions

- 0-20% 🟢 Comfortable (exploratory)
- 20-40% 🟡 Deliberate (focused)
- 40-50% 🟠 Warning (reduce context) ← YOU ARE HERE
- 50%+ 🔴 Stop (must exclude)

See CONTEXT.md for full breakdown.

## Available Actions

**Core:**
- `/status` - Show full status report
- `/pause` - Pause and save state
- `/discuss [topic]` - Fork into discussion

**Contextual (plan approval):**
- `/approve-plan` - Approve PLAN-005, proceed to execution
- `/reject-plan` - Reject plan, request revisions
- `/edit-plan [changes]` - Request specific modifications

**AWAITING: Approve, reject, or edit PLAN-005**

## Context Stack

**Current:** PLAN-005 approval checkpoint
**Return to:** None (checkpoint is primary context)
**Depth:** 0

## Recent Updates

**2026-01-21 16:20**
- Presented PLAN-005 for approval: The hand-over keeps loops for one session

**2026-01-21 16:10**
- Added LOOP-024 to LOOPS.md: Do loops outlive a session?

**2026-01-21 16:00**
- Started TASK-011: Draft the plan of phase 2

**2026-01-21 15:50**
- Completed TASK-010: Review phase 1
"""


def put(project: Project, text: str = ONE, name: str = GLOBAL) -> Path:
    """Write a file of the project as a person would."""
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def worked(project: Project, text: str = ONE, name: str = GLOBAL, used: int = 0) -> Path:
    """Let session `one` write a state file, which becomes its own; its last request had so many tokens of 5000."""
    if used:
        (project.root / ".agents/holdfast.toml").write_text("window_tokens = 5000\n")
        spent(project, used)
    path = put(project, text, name)
    project.fire("SessionStart", transcript_path=str(project.folder / "t.jsonl"))
    project.edit(str(path), tool="Write")
    return path


def spent(project: Project, used: int) -> None:
    """Let the last request of session `one` have so many tokens."""
    usage = {"input_tokens": used, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
    message = {"id": "msg_1", "role": "assistant", "content": [], "model": "claude-opus-4-5", "usage": usage}
    line = {"type": "assistant", "isSidechain": False, "timestamp": "2026-01-21T16:00:00.000Z", "message": message}
    with (project.folder / "t.jsonl").open("a") as file:
        file.write(json.dumps(line, separators=(",", ":")) + "\n")


def stopped(project: Project, path: Path) -> str:
    """End a turn of session `one`, and return what the state file says once that is settled."""
    project.fire("Stop")
    project.settled("one")
    return path.read_text()


def asked(project: Project, *arguments: str) -> Reply:
    """Run a command in the shell of session `one`."""
    return project.cli(*arguments, CLAUDE_CODE_SESSION_ID="one")


def own(project: Project, *arguments: str) -> Reply:
    """Run a command in the shell of session `one`, which carries it out without a complaint."""
    reply = asked(project, *arguments)
    assert (reply.code, reply.err) == (0, ""), reply
    return reply


def slash(project: Project, name: str, typed: str = "") -> str:
    """Type a slash command of the plugin in session `one`, and return what Claude gets, or the user of a report."""
    return project.fire("UserPromptExpansion", command_name=f"holdfast:{name}", command_args=typed).answer


def task(project: Project, ident: str, subject: str = "", status: str = "") -> None:
    """Let Claude put a task on its list, or turn one."""
    if subject:
        project.fire("TaskCreated", task_id=ident, task_subject=subject)
    if status:
        called: dict[str, Any] = {"tool_name": "TaskUpdate", "tool_input": {"taskId": ident, "status": status}}
        project.fire("PostToolUse", **called, tool_response={"statusChange": {"to": status}})


def section(text: str, title: str) -> str:
    """Return what is under a heading of the second level."""
    found = re.findall(rf"(?ms)^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text)
    assert len(found) == 1, (title, text)
    return str(found[0]).strip()


def stated(text: str, title: str, name: str) -> str:
    """Return what a field of a section says."""
    found = re.findall(rf"(?m)^\*\*{re.escape(name)}:\*\* (.*)$", section(text, title))
    assert len(found) == 1, (name, text)
    return str(found[0])


def rows(text: str) -> dict[str, list[str]]:
    """Return the cells of each row of the table of loops, by the id that is in it."""
    lines = [line for line in section(text, "Active Loops").splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {re.findall(r"LOOP-\d+", " ".join(row))[0]: row for row in cells}


def actions(text: str) -> dict[str, str]:
    """Return the commands of the menu, without the plugin's name, with the description of each."""
    found = re.findall(r"(?m)^- `/(?:holdfast:)?([a-z-]+)[^`]*` - (.*)$", section(text, "Available Actions"))
    return dict(found)


def entries(text: str) -> list[tuple[str, str]]:
    """Return the entries of Recent Updates with the minutes that they are under, in the order of the file."""
    found, minute = [], ""
    for line in section(text, "Recent Updates").splitlines():
        minute = line.strip("*") if line.startswith("**") else minute
        found += [(minute, line[2:])] if line.startswith("- ") else []
    return found


def news(text: str) -> list[str]:
    """Return the entries of Recent Updates without their minutes."""
    return [line for _, line in entries(text)]


def swap(text: str, *pairs: tuple[str, str]) -> str:
    """Return a text with parts of it replaced, each of which is there."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def loops(*known: tuple[str, ...], captured: str = "2026-01-21T14:45:00Z") -> str:
    """Return a LOOPS.md with these loops: id, status and title of each, and when it was captured if it says so."""
    each = [
        f'<loop id="{ident}" status="{status}">\n<title>{title}</title>\n'
        f"<captured>{at[0] if at else captured}</captured>\n</loop>\n"
        for ident, status, title, *at in known
    ]
    return "\n".join(["# Loops\n", *each])
