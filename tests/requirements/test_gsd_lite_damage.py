"""Damage to a good STATE.md, one kind at a time: `holdfast audit` names each with its line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.requirements.support_gsd import GLOBAL, ONE, TWO, put, section, swap
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here


class Damage(NamedTuple):
    """What is replaced in the example, and the line of the result that is at fault, "" for one that is missing."""

    old: str
    new: str
    line: str
    reported: str = ""  # what is missing
    complete: bool = False  # whether the audit may still call the file complete: what is missing is only recommended
    example: str = ONE


STACK = f"## Context Stack\n\n{section(ONE, 'Context Stack')}\n\n"
FIRST, SECOND = "**2026-01-21 15:45**", "**2026-01-21 15:35**"
KINDS = {
    "a section is missing": Damage(STACK, "", "", "Context Stack"),
    "a field is missing": Damage("**Focus:** Say when a context counts as full\n", "", "", "Focus"),
    "a field is empty": Damage("**Phase:** 1. Foundation & templates", "**Phase:**", "**Phase:**"),
    "a placeholder": Damage("Say when a context counts as full", "[one sentence]", "**Focus:** [one sentence]"),
    "a section appears twice": Damage("## Recent Updates\n", f"{STACK}## Recent Updates\n", "## Context Stack"),
    "a field appears twice": Damage("**Status:** Working", "**Status:** Working\n**Status:** Blocked", "**Status:** W"),
    "an unknown status": Damage("**Status:** Working", "**Status:** banana", "**Status:** banana"),
    "an unknown status of a loop": Damage("| clarifying |", "| banana |", "| LOOP-007"),
    "a loop twice": Damage("| LOOP-012 |", "| LOOP-007 |", "| LOOP-007 | How"),
    "a loop without an id": Damage("| LOOP-012 |", "| |", "| | How"),
    "a closed loop among the active": Damage("scope? | open", "scope? | closed", "| LOOP-012"),
    "a wrong total": Damage("3 loops (1 clarifying, 2 open)", "5 loops (1 clarifying, 4 open)", "**Total active:**"),
    "a row with a cell too many": Damage("| clarifying |", "| clarifying | x |", "| LOOP-007"),
    "a wrong percentage": Damage("tokens (37%)", "tokens (73%)", "**Status:** 1850"),
    "a wrong zone": Damage("(37%) - deliberate", "(37%) - stop", "**Status:** 1850"),
    "the mark in a wrong place": Damage(
        "(focused) ← YOU ARE HERE\n- 40-50% 🟠 Warning (reduce context)",
        "(focused)\n- 40-50% 🟠 Warning (reduce context) ← YOU ARE HERE",
        "- 40-50% 🟠",
    ),
    "a depth of two": Damage("**Depth:** 0", "**Depth:** 2", "**Depth:** 2"),
    "a depth that is not a number": Damage("**Depth:** 0", "**Depth:** deep", "**Depth:** deep"),
    "a fork without a way back": Damage("**Depth:** 0", "**Depth:** 1", "**Depth:** 1"),
    "a way back without a fork": Damage("None (not forked)", "TASK-001 (Lex)", "**Return to:** TASK-001"),
    "another task on the stack": Damage("**Current:** TASK-003", "**Current:** TASK-009", "**Current:** TASK-009"),
    "an action for a loop that is not there": Damage("007/012/018", "007/012/099", "- `/close-loop [ID]`"),
    "updates out of order": Damage(FIRST, "**2026-01-20 15:45**", SECOND),
    "an update without a time": Damage(f"{FIRST}\n", "", "- Updated CONTEXT.md"),
    "an update at an impossible time": Damage(FIRST, "**2026-13-41 25:99**", "**2026-13-41 25:99**"),
    "a time that is none": Damage("updated: 2026-01-21T15:45:00Z", "updated: yesterday", "updated: yesterday"),
    "no time at all": Damage("updated: 2026-01-21T15:45:00Z\n", "", "", "updated", complete=True),
    "no session": Damage("session: 2026-01-21-importer\n", "", "", "session", complete=True),
    "frontmatter that does not close": Damage("2026-01-21-importer\n---\n", "2026-01-21-importer\n", "---"),
    "a fence that does not close": Damage("See CONTEXT.md", "```\nSee CONTEXT.md", "```"),
    # Two fields contradict each other.
    "the zone of another percentage": Damage(
        "🟡 Deliberate zone (20-40%)", "🟠 Warning zone (40-50%)", "**Phase:** 🟠"
    ),
    "a discussion at depth 0": Damage("**Status:** Working", "**Status:** Discussion Mode", "**Status:** Disc"),
    "work at depth 1": Damage(
        "**Return to:** None (not forked)\n**Depth:** 0", "**Return to:** TASK-003\n**Depth:** 1", "**Status:** Working"
    ),
    "a task that is an id, and another on the stack": Damage(
        "**Task:** TASK-003 - Write the budget template", "**Task:** TASK-009", "**Current:** TASK-003"
    ),
    "an action for another task": Damage("working on TASK-003", "working on TASK-009", "- `/continue`"),
    "a task to complete that is another": Damage("Mark TASK-003", "Mark TASK-009", "- `/complete-task`"),
    "loops counted by a wrong status": Damage("(1 clarifying, 2 open)", "(2 clarifying, 1 open)", "**Total active:**"),
    "changed after its last time": Damage(
        "updated: 2026-01-21T15:45", "updated: 2026-01-20T15:45", "updated: 2026-01-20"
    ),
    "awaiting the approval of another plan": Damage("edit PLAN-005**", "edit PLAN-009**", "**AWAITING:", example=TWO),
    "a plan to approve that is another": Damage(
        "Approve PLAN-005", "Approve PLAN-009", "- `/approve-plan`", example=TWO
    ),
    "working while approval is awaited": Damage(
        "Blocked (Awaiting Approval)", "Working", "**Status:** Working", example=TWO
    ),
    "another plan on the stack": Damage("**Current:** PLAN-005", "**Current:** PLAN-009", "**Current:**", example=TWO),
    "a conflict marker": Damage("**Status:** Working", "<<<<<<< HEAD\n**Status:** Working", "<<<<<<< HEAD"),
}


@pytest.mark.parametrize("damage", KINDS.values(), ids=KINDS)
def test_audit_names_the_damage_with_its_line(prepared: Project, damage: Damage) -> None:
    """The audit fails, and a line of it gives the number of the line that is at fault, or the name of what is gone."""
    text = swap(damage.example, (damage.old, damage.new))
    put(prepared, text)
    reply = prepared.cli("audit", GLOBAL)
    assert reply.code != 0 or damage.complete, reply
    lines = [number for number, line in enumerate(text.splitlines(), 1) if damage.line and line.startswith(damage.line)]
    found = [line for line in reply.out.splitlines()[1:] if not line.strip().startswith("stale: ")]
    named = [line for line in found for number in lines if f"line {number}:" in line]
    assert named or (damage.reported and any(damage.reported in line for line in found)), reply.out


def test_a_date_contradicts_no_entry_of_its_day(prepared: Project) -> None:
    """The document's own head has `updated: 2026-01-21`."""
    put(prepared, swap(ONE, ("2026-01-21T15:45:00Z", "2026-01-21")))
    reply = prepared.cli("audit", GLOBAL)
    assert (reply.code, "contradictory" in reply.out) == (0, False), reply.out


@pytest.mark.parametrize("ident", ["LOOP-7", "007"])
def test_audit_names_a_loop_twice_under_two_spellings(prepared: Project, ident: str) -> None:
    """Of two rows with one id the second is at fault, and the line of the first is named."""
    text = swap(ONE, ("| LOOP-012 |", f"| {ident} |"))
    put(prepared, text)
    first = next(number for number, line in enumerate(text.splitlines(), 1) if line.startswith("| LOOP-007"))
    assert f"LOOP-007: this loop is on line {first} already" in prepared.cli("audit", GLOBAL).out


@pytest.mark.parametrize("text", [ONE, TWO], ids=["Example 1", "Example 2"])
def test_audit_is_content_with_the_examples(prepared: Project, text: str) -> None:
    """A good file is complete, and nothing is reported against it."""
    put(prepared, text)
    reply = prepared.cli("audit", GLOBAL)
    assert (reply.code, reply.err) == (0, "")
    assert "is complete (no placeholders)" in reply.out
