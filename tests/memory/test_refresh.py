"""The six sections as hooks keep them: what is measured goes in, what people wrote there stays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.editing.requests import ManagedLines, merged
from holdfast.memory import available_actions
from tests.journal.test_transcript import answer, boundary
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here


def begun(project: Project, used: int = 60_000) -> Path:
    """Begin a session with a state file of working memory, whose last request had so many tokens of 200,000."""
    (project.folder / "t.jsonl").write_bytes(answer(fresh=used, written=0, cached=0, model="claude-opus-4-5") + b"\n")
    project.fire("SessionStart", "one", transcript_path=str(project.folder / "t.jsonl"))
    assert project.cli("start", "--format", "gsd-lite", "--session", "one", "Importer").code == 0
    return project.state_files()[0]


def stopped(project: Project, path: Path) -> str:
    """End a turn, and return what the state file says once it is settled."""
    project.fire("Stop", "one")
    project.settled("one")
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "T", path.read_text())


def task(project: Project, ident: str, subject: str, status: str = "") -> None:
    """Let Claude make a task, or turn it."""
    if not status:
        project.fire("TaskCreated", "one", task_id=ident, task_subject=subject)
        return
    called = {"tool_name": "TaskUpdate", "tool_input": {"taskId": ident, "status": status}}
    project.fire("PostToolUse", "one", **called, tool_response={"statusChange": {"to": status}})


def test_the_budget_follows_the_transcript(prepared: Project) -> None:
    """Status, zone, strategy and the mark on the scale; a worse zone is news; the same percentage writes nothing."""
    path = begun(prepared)
    text = stopped(prepared, path)
    for line in (
        "**Status:** 60000 / 200000 tokens (30%) - deliberate",
        "**Phase:** 🟡 Deliberate zone (20-40%)",
        "- 20-40% 🟡 Deliberate (focused) ← YOU ARE HERE",
        "- 40-50% 🟠 Warning (reduce context)",
    ):
        assert f"{line}\n" in text
    before = path.read_bytes()
    log = prepared.folder / "t.jsonl"
    with log.open("ab") as file:
        file.write(answer(fresh=60_900, written=0, cached=0, model="claude-opus-4-5") + b"\n")
    stopped(prepared, path)
    assert path.read_bytes() == before
    with log.open("ab") as file:
        file.write(answer(fresh=1, written=2, cached=90_000, model="claude-opus-4-5") + b"\n")
    text = stopped(prepared, path)
    assert "- 20-40% 🟡 Deliberate (focused)\n- 40-50% 🟠 Warning (reduce context) ← YOU ARE HERE\n" in text
    assert "- Crossed into the warning zone (45%)\n" in text
    with log.open("ab") as file:
        file.write(boundary(trigger="auto", preTokens=90_003, postTokens=4_000) + b"\n")
    task(prepared, "9", "Read the rest")
    text = stopped(prepared, path)
    assert "**Status:** 4000 / 200000 tokens (2%) - comfortable\n" in text
    assert "comfortable zone (2%)" not in text  # what got better is no news


def test_tasks_that_claude_turns_are_news_and_the_task_at_hand(prepared: Project) -> None:
    """A task in progress is at hand where none is, or one that is over; what a person named stays at hand."""
    path = begun(prepared)
    task(prepared, "1", "Parse the invoices")
    task(prepared, "2", "Write the totals")
    task(prepared, "1", "", "in_progress")
    text = stopped(prepared, path)
    assert "**Task:** TASK-001 - Parse the invoices\n" in text
    assert "- Started TASK-001: Parse the invoices\n" in text
    assert prepared.cli("task", "start", "Parse the invoices").code == 0
    assert prepared.cli("sync", "--json", '{"Current Context": {"Task": "Parse the invoices"}}').code == 0
    task(prepared, "1", "", "completed")
    task(prepared, "2", "", "in_progress")
    text = stopped(prepared, path)
    for line in (
        "**Task:** TASK-002 - Write the totals",
        "**Current:** TASK-002 (Write the totals)",
        "- Completed TASK-001: Parse the invoices",
        "- Started TASK-002: Write the totals",
        "- `/holdfast:complete-task` - Mark TASK-002 complete",
    ):
        assert f"{line}\n" in text
    assert stopped(prepared, path) == text


def test_what_people_wrote_among_it_stays(prepared: Project) -> None:
    """Rows, actions, entries and lines of theirs are as they were, wherever they stand."""
    path = begun(prepared)
    prepared.cli("loop", "add", "Are dates in UTC?")
    text = path.read_text()
    theirs = {
        next(
            line for line in text.splitlines(keepends=True) if line.startswith("| ---")
        ): "| LOOP-900 | Mara's own | open | long ago |\n",
        "**Core:**\n\n": "- `/deploy` - To staging, ask Mara\n",
        "- `/holdfast:status` - Show full status report\n": "- `/holdfast:tree` - Who is at work?\n",
        "**Type action or respond directly**\n": "\nAsk before you push.\n",
        "**Depth:** 0\n": "**Note:** the large files are in data/\n",
        "- Created this file\n": "- Talked to Mara\n",
    }
    for line, more in theirs.items():
        assert line in text
        text = text.replace(line, line + more)
    path.write_text(text.replace("Pause session and save state", "Ask me first"))
    after = stopped(prepared, path)
    prepared.cli("discuss", "dates")
    prepared.cli("loop", "close", "1", "--outcome", "Yes.")
    after = path.read_text()
    for more in theirs.values():
        assert more in after
    assert after.count("`/holdfast:pause`") == 1
    assert "- `/holdfast:pause` - Ask me first\n" in after
    assert "| LOOP-001 |" not in after
    assert "**Total active:** 1 loop (open)\n" in after
    assert "- `/holdfast:close-loop [ID]` - Mark loop 900 resolved\n" in after
    assert "30%" in after


def test_a_row_in_which_a_person_changed_the_title_goes_with_its_loop(prepared: Project) -> None:
    """The id alone tells which row is that of a closed loop."""
    path = begun(prepared)
    prepared.cli("loop", "add", "Are dates in UTC?")
    path.write_text(path.read_text().replace("| Are dates in UTC? |", "| Are dates in UTC? Mara knows |"))
    prepared.cli("loop", "close", "1", "--outcome", "Yes.")
    assert "| LOOP-001 |" not in path.read_text()


def test_the_news_keep_to_the_latest_five(prepared: Project) -> None:
    """Of holdfast's own entries the oldest give way; those of people never do."""
    path = begun(prepared)
    path.write_text(path.read_text().replace("- Created this file\n", "- Talked to Mara\n"))
    for number in range(9):
        prepared.cli("task", "start", f"Number {number}")
    text = path.read_text()
    assert "- Talked to Mara\n" in text
    assert "- Started TASK-009: Number 8\n" in text


@pytest.mark.parametrize("conflict", ["<<<<<<< ours\n=======\n>>>>>>> theirs\n", "```\nnever closed\n"])
def test_what_cannot_be_edited_safely_is_left_alone(prepared: Project, conflict: str) -> None:
    """Conflict markers refuse every step; the hooks leave the file as it is."""
    path = begun(prepared)
    path.write_text(path.read_text().replace("## Token Budget\n", conflict + "## Token Budget\n"))
    before = path.read_bytes()
    prepared.fire("Stop", "one")
    prepared.settled("one")
    assert path.read_bytes().partition(b"## Token Budget")[2] == before.partition(b"## Token Budget")[2]


LINES = st.lists(
    st.sampled_from(
        [
            "",
            "**Core:**",
            "**Contextual (old):**",
            "- `/continue` - Continue current task",
            "- `/holdfast:pause` - Pause session and save state",
            "- `/pause` - Only on Fridays",
            "- `/approve-plan` - Approve PLAN-001, proceed to execution",
            "- `/deploy` - To staging",
            "Some words of a person.",
            "**Type action or respond directly**",
        ]
    ),
    max_size=14,
    unique=True,
)
WANTED = [
    "**Core:**",
    "- `/holdfast:continue` - Continue working on TASK-001",
    "- `/holdfast:pause` - Pause session and save state",
    "",
    "**Contextual:**",
    "- `/holdfast:complete-task` - Mark TASK-001 complete",
    "",
    "**Type action or respond directly**",
]


@given(LINES)
def test_a_menu_brought_up_to_date_keeps_every_line_of_a_person(there: list[str]) -> None:
    """All that is wanted is in it once, in order of the menu; a person's lines stay in theirs; twice is once."""
    menu = ManagedLines(WANTED, available_actions.key, available_actions.command)
    after = merged(there, menu)
    assert merged(after, menu) == after
    theirs = [line for line in there if line.strip() and not available_actions.key(line)]
    rest = iter(after)
    assert [line for line in theirs if line not in rest] == []
    taken = {available_actions.command(line) for line in theirs} - {""}
    wanted = [line for line in WANTED if line and available_actions.key(line) not in taken]
    assert all(after.count(line) == 1 for line in wanted)
    assert "- `/approve-plan` - Approve PLAN-001, proceed to execution" not in after
