"""Working memory from an empty project: by commands and work alone it comes to what the format's examples show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from holdfast.cli import main
from tests.journal.test_transcript import answer
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
# Ids, fields, counts and order are those of formats/gsd-lite-state.md, Example 1 and Example 2; T stands for a time.
WORKING = """\
## Current Context

**Phase:** 1. Foundation & templates
**Task:** TASK-003 - Write the budget template
**Focus:** Say when a context counts as full
**Status:** Working

## Active Loops

| ID | Title | Status | Captured |
| --- | --- | --- | --- |
| LOOP-007 | Are invoices ever mixed? | clarifying | T |
| LOOP-012 | How much lineage is in scope? | open | T |
| LOOP-018 | Why does the unique test fail? | open | T |

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

See `holdfast budget` for full breakdown.

## Available Actions

**Core:**

- `/holdfast:continue` - Continue working on TASK-003
- `/holdfast:pause` - Pause session and save state
- `/holdfast:status` - Show full status report
- `/holdfast:add-loop [description]` - Capture new question
- `/holdfast:discuss [topic]` - Fork into discussion

**Contextual:**

- `/holdfast:complete-task` - Mark TASK-003 complete
- `/holdfast:skip-task [reason]` - Skip TASK-003 with rationale
- `/holdfast:close-loop [ID]` - Mark loop 007/012/018 resolved
- `/holdfast:explore-loop [ID]` - Investigate loop 012 or 018

**Type action or respond directly**

## Context Stack

**Current:** TASK-003 (Write the budget template)
**Return to:** None (not forked)
**Depth:** 0

## Recent Updates

"""
APPROVAL = """\
## Current Context

**Phase:** 2. Session hand-over (planning)
**Task:** PLAN-005 - Draft the hand-over
**Focus:** Waiting for the user's word on the plan
**Status:** Blocked (Awaiting Approval)

## Active Loops

| ID | Title | Status | Captured |
| --- | --- | --- | --- |
| LOOP-024 | Do loops outlive a session? | clarifying | T |

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

See `holdfast budget` for full breakdown.

## Available Actions

**Core:**

- `/holdfast:continue` - Continue working on PLAN-005
- `/holdfast:pause` - Pause session and save state
- `/holdfast:status` - Show full status report
- `/holdfast:add-loop [description]` - Capture new question
- `/holdfast:discuss [topic]` - Fork into discussion

**Contextual (plan approval):**

- `/holdfast:approve-plan` - Approve PLAN-005, proceed to execution
- `/holdfast:reject-plan` - Reject plan, request revisions
- `/holdfast:edit-plan [changes]` - Request specific modifications

**AWAITING: Approve, reject, or edit PLAN-005**

## Context Stack

**Current:** PLAN-005 approval checkpoint
**Return to:** None (checkpoint is primary context)
**Depth:** 0

## Recent Updates

"""


@pytest.fixture
def empty(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Give a project in which commands are typed one after the other in this process, for there are many."""
    monkeypatch.chdir(prepared.root)
    for name, value in prepared.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    return prepared


def typed(*commands: tuple[str, ...]) -> None:
    """Run commands as a person would."""
    for command in commands:
        assert main.run([*command]) == 0, command


def worked(project: Project, used: int, title: str) -> None:
    """Begin a session's state file, and let the session have asked for so many tokens of 5000."""
    (project.root / ".agents/holdfast.toml").write_text("window_tokens = 5000\n")
    transcript = project.folder / "transcript.jsonl"
    transcript.write_bytes(answer(fresh=50, written=200, cached=used - 250) + b"\n")
    project.fire("SessionStart", "one", transcript_path=str(transcript))
    typed(("start", "--format", "gsd-lite", "--session", "one", title))


def looped(count: int, kept: dict[int, str]) -> None:
    """Capture so many questions, of which only these stay open."""
    for number in range(1, count + 1):
        typed(("loop", "add", kept.get(number, f"Question {number}?")))
        if number not in kept:
            typed(("loop", "close", str(number), "--outcome", f"Answer {number}."))


def sections(project: Project) -> tuple[str, str]:
    """Return the six sections without times up to the entries of the last one, and these entries."""
    (path,) = project.state_files()
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "T", path.read_text())
    text = re.sub(r" +\|", " |", re.sub(r"(?<=\| )-+", "---", text))  # the width of columns
    _, _, rest = text.partition("## Current Context")
    before, title, updates = rest.partition("## Recent Updates\n\n")
    return f"## Current Context{before}{title}", updates


def test_the_first_example_mid_task(empty: Project) -> None:
    """A task at hand, one loop being clarified, two open, the budget in the deliberate zone; the audit is content."""
    worked(empty, 1850, "Foundation & templates")
    typed(("phase", "skip-to", "1", "Foundation & templates"), ("task", "start", "Write the loop template"))
    typed(("task", "complete", "--next", "Write the state template"))
    looped(
        18,
        {7: "Are invoices ever mixed?", 12: "How much lineage is in scope?", 18: "Why does the unique test fail?"},
    )
    typed(
        ("loop", "explore", "7"),
        ("task", "complete", "--next", "Write the budget template"),
        ("sync", "--json", '{"Current Context": {"Focus": "Say when a context counts as full"}}'),
        ("memory",),
    )
    reported, updates = sections(empty)
    assert reported == WORKING
    assert "- Completed TASK-002: Write the state template\n" in updates
    assert "- Exploring LOOP-007 in LOOPS.md: Are invoices ever mixed?\n" in updates
    assert "is complete (no placeholders)" in empty.cli("audit").out


@pytest.mark.slow
def test_the_second_example_awaiting_approval(empty: Project) -> None:
    """A plan waits for the user's word, the budget is in the warning zone; the audit is content."""
    worked(empty, 2250, "Phase 2 planning")
    typed(("phase", "skip-to", "2", "Session hand-over (planning)"))
    looped(24, {24: "Do loops outlive a session?"})
    typed(
        ("loop", "explore", "24"),
        ("task", "start", "TASK-010 - Review phase 1"),
        ("task", "complete", "--next", "TASK-011 - Draft the plan of phase 2"),
        ("plan", "propose", "PLAN-005 - Draft the hand-over"),
        ("sync", "--json", '{"Current Context": {"Focus": "Waiting for the user\'s word on the plan"}}'),
        ("memory",),
    )
    reported, updates = sections(empty)
    assert reported == APPROVAL
    for line in ("Presented PLAN-005 for approval: Draft the hand-over", "Completed TASK-010: Review phase 1"):
        assert f"- {line}\n" in updates
    assert "is complete (no placeholders)" in empty.cli("audit").out
