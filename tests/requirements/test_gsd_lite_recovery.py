"""gsd-lite-state.md, Recovery Protocol: what `recover` and the prompt "update artifacts" find, and what settles it."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.requirements.support_gsd import (
    HEAD,
    ONE,
    asked,
    loops,
    own,
    put,
    rows,
    spent,
    stated,
    stopped,
    swap,
    task,
    worked,
)
from tests.support import hooks
from tests.support.hooks import Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Reply

prepared, here = hooks.prepared, hooks.here
AGREE = "The state file agrees with what was measured."
# The stale file of the document's example: TASK-002, two loops, 24 %.
STALE = swap(
    ONE,
    ("TASK-003", "TASK-002"),
    ("Write the budget template", "Write the loop template"),
    ("| LOOP-018 | Why does the unique test fail? | open | 2026-01-21 15:35 |\n", ""),
    ("3 loops (1 clarifying, 2 open)", "2 loops (1 clarifying, 1 open)"),
    ("1850 / 5000 tokens (37%)", "1200 / 5000 tokens (24%)"),
)
BOOK = [
    ("LOOP-007", "clarifying", "Are invoices ever mixed?"),
    ("LOOP-012", "open", "How much lineage is in scope?"),
    ("LOOP-018", "open", "Why does the unique test fail?"),
    ("LOOP-021", "open", "Which dates are local?"),
]
SUBJECTS = {
    "as the file has it": ("TASK-002 - Write the loop template", "TASK-003 - Write the budget template"),
    "with a colon": ("TASK-002: Write the loop template", "TASK-003: Write the budget template"),
    "without ids": ("Write the loop template", "Write the budget template"),
    "the id alone": ("TASK-002", "TASK-003"),
}


def drifted(project: Project, subjects: tuple[str, str]) -> Path:
    """Let a session leave STATE.md behind as in the document's example: TASK-003, four loops, 42 %."""
    path = worked(project, STALE, used=1200)
    put(project, loops(*BOOK), ".gsd-lite/LOOPS.md")
    task(project, "1", subjects[0], "completed")
    task(project, "2", subjects[1], "in_progress")
    spent(project, 2100)
    return path


def settled(project: Project, reported: str) -> list[Reply]:
    """Run the lines of a report that leave nothing open."""
    calls = [line.strip() for line in reported.splitlines() if line.startswith("    holdfast ") and "…" not in line]
    return [asked(project, *shlex.split(call)[1:]) for call in dict.fromkeys(calls)]


@pytest.mark.parametrize("subjects", SUBJECTS.values(), ids=SUBJECTS)
def test_recover_finds_a_task_transition_that_is_not_recorded(prepared: Project, subjects: tuple[str, str]) -> None:
    """Task: TASK-002 → TASK-003, as in the document's example, whatever form Claude's list has."""
    drifted(prepared, subjects)
    reported = asked(prepared, "recover").out
    assert re.search(r"(?m)^- Task: TASK-002\b.* → TASK-003\b.*completed", reported), reported


def test_recover_prints_the_list_of_was_and_is(prepared: Project) -> None:
    """The sticky note's head, and new loops, the budget and stale actions, each with what was reported and what is."""
    drifted(prepared, SUBJECTS["without ids"])
    reported = asked(prepared, "recover").out
    assert reported.startswith(HEAD)
    assert re.search(r"(?m)^- Loops: 2 → 4 \(.*LOOP-018, LOOP-021", reported), reported
    assert re.search(r"(?m)^- Budget: 24% → 42% \(crossed into the warning zone\)", reported), reported
    assert re.search(r"(?m)^- Actions: .*loop", reported), reported


@pytest.mark.parametrize("prompt", ["update artifacts", "Update artifacts!", "Please update the artifacts now"])
def test_the_user_prompts_update_artifacts(prepared: Project, prompt: str) -> None:
    """The prompt brings the same list along for Claude."""
    drifted(prepared, SUBJECTS["without ids"])
    reported = prepared.fire("UserPromptSubmit", prompt=prompt).context
    assert [words for words in (HEAD, "Task: TASK-002", "Loops: 2 → 4", "24% → 42%") if words not in reported] == []


@pytest.mark.parametrize("subjects", SUBJECTS.values(), ids=SUBJECTS)
def test_state_md_is_accurate_after_recovery(prepared: Project, subjects: tuple[str, str]) -> None:
    """The lines of the report settle all four items, and then nothing has drifted."""
    path = drifted(prepared, subjects)
    replies = settled(prepared, asked(prepared, "recover").out)
    assert [reply for reply in replies if reply.code] == []
    text = path.read_text()
    assert stated(text, "Current Context", "Task").startswith("TASK-003")
    assert list(rows(text)) == [ident for ident, _, _ in BOOK]
    assert "(42%)" in stated(text, "Token Budget", "Status")
    assert AGREE in asked(prepared, "recover").out


def test_the_line_that_settles_says_what_it_changed(prepared: Project) -> None:
    """Show diff: what was brought up to date is named, as was → is."""
    drifted(prepared, SUBJECTS["without ids"])
    reported = own(prepared, "memory").out
    assert [words for words in ("LOOP-018", "LOOP-021", "24%", "42%", " → ") if words not in reported] == []


@pytest.mark.parametrize("given", ["TASK-009", "just a title", "TASK-009 - Other"])
def test_the_stack_follows_a_task_that_is_synced(prepared: Project, given: str) -> None:
    """Task and Context Stack name one task, however it is written."""
    path = worked(prepared)
    own(prepared, "sync", "--json", json.dumps({"Task": given}))
    assert stated(path.read_text(), "Context Stack", "Current") == given.replace("- Other", "(Other)")


def test_a_single_read_resets(prepared: Project) -> None:
    """A turn that ends brings loops, budget and actions up to date without anybody's prompt."""
    path = drifted(prepared, SUBJECTS["without ids"])
    text = stopped(prepared, path)
    assert list(rows(text)) == [ident for ident, _, _ in BOOK]
    assert "(42%)" in stated(text, "Token Budget", "Status")
    assert AGREE in asked(prepared, "recover").out


@pytest.mark.parametrize("session", [False, True], ids=["by a person", "in a session"])
def test_a_newly_created_file_shows_no_drift(prepared: Project, session: bool) -> None:  # noqa: FBT001 - a case
    """Right after `start` nothing has happened that the file could leave out."""
    if session:
        prepared.fire("SessionStart")
    run = asked if session else Project.cli
    assert run(prepared, "start", "--format", "gsd-lite", "Price lists").code == 0
    reported = prepared.cli("drift", "--check")
    assert (reported.code, reported.out.splitlines()[1:]) == (0, []), reported.out
    assert "Drift" not in prepared.cli("status").out


def test_a_file_that_is_created_by_the_first_edit_shows_no_drift(prepared: Project) -> None:
    """What holdfast has just made itself does not say at once that it is out of date."""
    prepared.fire("SessionStart")
    prepared.edit("src/a.py")
    prepared.fire("Stop")
    prepared.settled("one")
    reported = asked(prepared, "drift", "--check")
    assert (reported.code, reported.out.splitlines()[1:]) == (0, []), reported.out


def test_the_six_sections_given_to_another_file_show_no_drift(prepared: Project) -> None:
    """`memory` leaves nothing behind that `drift` then complains of, but for what the file lacked before."""
    prepared.write_state()
    before = prepared.cli("drift").out.splitlines()[1:]
    assert prepared.cli("memory").code == 0
    assert [line for line in prepared.cli("drift").out.splitlines()[1:] if line not in before] == []


def test_a_recovery_reports_nothing_when_nothing_drifted(prepared: Project) -> None:
    """A file that is current is said to agree, in one line."""
    path = worked(prepared)
    stopped(prepared, path)
    assert own(prepared, "recover").out.splitlines() == [AGREE]
