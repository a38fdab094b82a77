"""gsd-lite-state.md, Recent Updates and tasks: the trail, what it keeps, whose time it has; no text is ever lost."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from tests.requirements.support_gsd import (
    ONE,
    TITLE,
    asked,
    entries,
    news,
    own,
    spent,
    stated,
    stopped,
    swap,
    task,
    worked,
)
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
MINUTES = ("15:45", "15:35", "15:30", "15:00", "14:45")  # of the trail in the example
OLDEST = "Added LOOP-007 to LOOPS.md: Are invoices ever mixed?"
LONG = " ".join(f"reason{number}" for number in range(150))  # 1300 characters

# Recent Updates


def test_recent_updates_are_newest_first_with_timestamp_artifact_and_change(prepared: Project) -> None:
    """An entry of a command comes first, under its minute, and says what changed."""
    path = worked(prepared)
    own(prepared, "loop", "add", "Which sources are in scope?")
    text = path.read_text()
    minute, line = entries(text)[0]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", minute)
    assert line == "Added LOOP-019 to LOOPS.md: Which sources are in scope?"
    minutes = [at for at, _ in entries(text)]
    assert minutes == sorted(minutes, reverse=True)


def test_recent_updates_show_the_last_five_changes(prepared: Project) -> None:
    """Of holdfast's own entries the newest five stay, however many steps there were."""
    assert prepared.cli("start", "--format", "gsd-lite", "Price lists").code == 0
    (path,) = prepared.state_files()
    for number in range(2, 8):
        assert prepared.cli("task", "start", f"Step {number}").code == 0
    assert [line.partition(": ")[2] for line in news(path.read_text())] == [f"Step {n}" for n in (7, 6, 5, 4, 3)]


def test_the_trail_links_a_loop_to_its_decision(prepared: Project) -> None:
    """Causality chain: the entry of a closed loop names the decision that it led to, and why."""
    path = worked(prepared)
    own(prepared, "loop", "add", "Which sources are in scope?")
    own(prepared, "loop", "close", "19", "--outcome", "Nine of them", "--decision", "Leave the archive out")
    line = news(path.read_text())[0]
    assert re.fullmatch(r"Closed LOOP-019 in LOOPS.md: Nine of them, created DECISION-\d+", line)


THEIRS = ["Completed the survey with Mara", "Started to doubt the schema", "Skipped lunch", "Crossed into the red"]


def test_a_persons_remark_stays_in_the_trail(prepared: Project) -> None:
    """Only what reads as an update makes way, however a remark begins."""
    path = worked(prepared, swap(ONE, (f"- {OLDEST}", "\n".join(f"- {line}" for line in THEIRS))))
    for number in range(4):
        own(prepared, "task", "complete", "--next", f"Step {number}")
    after = news(path.read_text())
    assert [line for line in THEIRS if line not in after] == []


COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "discuss and return": [("discuss", "dates"), ("return", "--summary", "ISO only")],
    "plans": [("plan", "propose", "Split"), ("plan", "edit", "tests first"), ("plan", "reject", "too large")],
    "tasks": [("task", "add", "Write"), ("task", "complete"), ("task", "skip", "no samples")],
    "phases": [("phase", "skip-to", "7", "Reports"), ("phase", "complete", "--next", "Export")],
    "loops": [("loop", "add", "Which?"), ("loop", "explore", "19"), ("loop", "close", "19", "--outcome", "All")],
    "pauses": [("pause",), ("continue",)],
}


def test_the_last_five_and_no_more_are_there_whatever_wrote_them(prepared: Project) -> None:
    """Of the example's entries and those of every command five are left; what left is in `holdfast log`."""
    path = worked(prepared)
    seen: set[str] = set()
    for step in [step for steps in COMMANDS.values() for step in steps]:
        seen |= set(news(path.read_text()))
        own(prepared, *step)
        assert len(news(path.read_text())) == 5, (step, news(path.read_text()))
    kept = prepared.cli("log", "--all", "--kind", "update", "--json").out.splitlines()
    left = {json.loads(line)["text"] for line in kept}
    assert seen - set(news(path.read_text())) <= left


# Never lose text: what a person or Claude gave is kept whole, in a file that the answer names.

GIVEN: dict[str, list[tuple[str, ...]]] = {
    "return --summary": [("discuss", "dates"), ("return", "--summary", LONG)],
    "plan edit": [("plan", "propose", "Split it"), ("plan", "edit", LONG)],
    "plan reject": [("plan", "propose", "Split it"), ("plan", "reject", LONG)],
    "plan propose": [("plan", "propose", LONG)],
    "task skip": [("task", "skip", LONG)],
    "task start": [("task", "start", LONG)],
    "discuss": [("discuss", LONG)],
    "pause --note": [("pause", "--note", LONG)],
    "loop explore --approach": [("loop", "add", "Which?"), ("loop", "explore", "19", "--approach", LONG)],
    "loop close --outcome": [("loop", "add", "Which?"), ("loop", "close", "19", "--outcome", LONG)],
}


@pytest.mark.parametrize("steps", GIVEN.values(), ids=GIVEN)
def test_a_long_text_is_kept_whole_in_a_place_that_is_named(prepared: Project, steps: list[tuple[str, ...]]) -> None:
    """A file of the project has every word of it, and the answer says which."""
    worked(prepared)
    for step in steps:
        reply = own(prepared, *step)
    whole = [path for path in prepared.root.rglob("*.md") if LONG in " ".join(path.read_text().split())]
    assert whole
    assert [path.name for path in whole if path.name in reply.out]


def test_a_long_text_is_whole_after_the_next_turns(prepared: Project) -> None:
    """Once it has left the trail it is in the log."""
    path = worked(prepared)
    own(prepared, "discuss", "dates")
    own(prepared, "return", "--summary", LONG)
    for number in range(4):
        own(prepared, "task", "complete", "--next", f"Step {number}")
    stopped(prepared, path)
    assert LONG in prepared.cli("log", "--all", "--json").out


# Zones


def local(hours: float, *, reported: bool) -> tuple[str, datetime]:
    """Return the example as somebody wrote it just now so many hours east of UTC, and his time.

    `reported` is whether its frontmatter says in which zone that is.
    """
    now = datetime.now(timezone(timedelta(hours=hours)))
    stamps = [
        (f"**2026-01-21 {minute}**", f"**{now - timedelta(minutes=2 + 10 * number):%Y-%m-%d %H:%M}**")
        for number, minute in enumerate(MINUTES)
    ]
    updated = now.isoformat(timespec="seconds") if reported else f"{now:%Y-%m-%dT%H:%M:%S}"
    return swap(ONE, *stamps, ("updated: 2026-01-21T15:45:00Z", f"updated: {updated}")), now


@pytest.mark.parametrize("hours", [0, 9, 5.5, -8])
def test_the_trail_is_in_the_zone_of_the_file(prepared: Project, hours: float) -> None:
    """A new entry comes first, under the time that it is in the zone of the file; the ones that were there stay."""
    text, now = local(hours, reported=True)
    path = worked(prepared, text)
    own(prepared, "task", "complete", "--next", "Write the loop template")
    after = entries(path.read_text())
    assert [line for _, line in after[:2]] == [
        "Started TASK-004: Write the loop template",
        "Completed TASK-003: Write the budget template",
    ]
    written = datetime.strptime(after[0][0], "%Y-%m-%d %H:%M").replace(tzinfo=now.tzinfo)
    assert abs(written - now) < timedelta(minutes=15)  # the zones are half an hour apart or more


@pytest.mark.parametrize("hours", [9, 14])
def test_east_of_utc_the_trail_receives_entries_though_no_zone_is_named(prepared: Project, hours: float) -> None:
    """Stamps that are ahead of UTC are a person's local time: what is new is before them all the same."""
    text, _ = local(hours, reported=False)
    path = worked(prepared, text)
    assert asked(prepared, "task", "complete", "--next", "Write the loop template").code == 0
    after = entries(path.read_text())
    assert after[0][1] == "Started TASK-004: Write the loop template"
    assert [at for at, _ in after] == sorted([at for at, _ in after], reverse=True)


def test_east_of_utc_the_trail_receives_what_a_turn_measured(prepared: Project) -> None:
    """What Claude's list says is news at the end of the turn, whatever the zone is."""
    text, _ = local(9, reported=True)
    path = worked(prepared, text)
    task(prepared, "1", "Write the loop template", "in_progress")
    assert "Write the loop template" in news(stopped(prepared, path))[0]


# Only what matters


def test_crossing_into_a_better_zone_is_no_news(prepared: Project) -> None:
    """The section says that the budget is comfortable again; the trail has no line of it, and loses none."""
    path = worked(prepared, used=1850)
    spent(prepared, 500)
    text = stopped(prepared, path)
    assert stated(text, "Token Budget", "Status") == "500 / 5000 tokens (10%) - comfortable"
    assert [line for line in news(text) if "comfortable" in line] == []
    assert OLDEST in news(text)


def test_going_to_and_fro_between_zones_does_not_push_out_what_matters(prepared: Project) -> None:
    """After many turns on either side of a threshold the trail still has what was done."""
    path = worked(prepared, used=1850)
    own(prepared, "task", "complete", "--next", "Write the loop template")
    for used in (2250, 500, 2250, 500, 2250, 500):
        spent(prepared, used)
        text = stopped(prepared, path)
    assert "Completed TASK-003: Write the budget template" in news(text)
    assert "Added LOOP-018 to LOOPS.md: Why does the unique test fail in staging?" in news(text)


# Tasks


@pytest.mark.parametrize("command", [("complete",), ("skip", "no samples yet")], ids=["complete-task", "skip-task"])
@pytest.mark.parametrize("listed", [TITLE, f"TASK-003 - {TITLE}"], ids=["a title", "an id and a title"])
def test_what_a_person_says_of_a_task_wins(prepared: Project, command: tuple[str, ...], listed: str) -> None:
    """Claude's list still has the task in progress: it is over all the same, at once and after the next turn."""
    path = worked(prepared)
    task(prepared, "1", listed, "in_progress")
    stopped(prepared, path)
    own(prepared, "task", *command)
    assert TITLE not in stated(path.read_text(), "Current Context", "Task")
    text = stopped(prepared, path)
    assert stated(text, "Current Context", "Task").startswith("None")
    assert TITLE not in stated(text, "Context Stack", "Current")


def test_a_task_that_a_person_begins_wins(prepared: Project) -> None:
    """Claude's list has it completed and another one in progress: the person's word counts."""
    path = worked(prepared)
    task(prepared, "1", f"TASK-003 - {TITLE}", "completed")
    task(prepared, "2", "TASK-004 - Write the loop template", "in_progress")
    stopped(prepared, path)
    own(prepared, "task", "start", f"TASK-003 - {TITLE}")
    assert stated(path.read_text(), "Current Context", "Task") == f"TASK-003 - {TITLE}"
    assert stated(stopped(prepared, path), "Current Context", "Task") == f"TASK-003 - {TITLE}"


def test_the_task_list_counts_again_once_it_changes(prepared: Project) -> None:
    """After the command Claude turns its list: what that says is at hand."""
    path = worked(prepared)
    task(prepared, "1", f"TASK-003 - {TITLE}", "in_progress")
    stopped(prepared, path)
    own(prepared, "task", "skip", "no samples yet")
    task(prepared, "1", status="pending")
    task(prepared, "2", "TASK-004 - Write the loop template", "in_progress")
    assert stated(stopped(prepared, path), "Current Context", "Task") == "TASK-004 - Write the loop template"


def test_a_task_that_is_complete_is_not_the_next_one(prepared: Project) -> None:
    """Claude's list has the task at hand without its id: it is the same task, and does not come after itself."""
    path = worked(prepared)
    task(prepared, "1", TITLE)
    task(prepared, "2", "Write the loop template")
    stopped(prepared, path)
    reported = own(prepared, "task", "complete").out
    assert "Write the loop template" in stated(path.read_text(), "Current Context", "Task")
    assert f"Now: {TITLE}" not in reported


def test_a_task_of_claude_gets_an_id(prepared: Project) -> None:
    """Task: current task ID and name; a task of Claude's list without one is numbered like any other."""
    path = worked(prepared)
    task(prepared, "1", TITLE, "completed")
    task(prepared, "2", "Write the loop template", "in_progress")
    text = stopped(prepared, path)
    assert stated(text, "Current Context", "Task") == "TASK-004 - Write the loop template"
    assert stated(text, "Context Stack", "Current") == "TASK-004 (Write the loop template)"
    assert "Started TASK-004: Write the loop template" in news(text)
    assert f"Completed TASK-003: {TITLE}" in news(text)


def test_a_task_of_claude_that_follows_gets_an_id(prepared: Project) -> None:
    """Where a command goes on with the next task of Claude's list, it is numbered."""
    path = worked(prepared)
    task(prepared, "1", "Write the loop template")
    stopped(prepared, path)
    reported = own(prepared, "task", "complete").out
    assert stated(path.read_text(), "Current Context", "Task") == "TASK-004 - Write the loop template"
    assert "TASK-004" in reported


def test_no_task_id_is_given_twice(prepared: Project) -> None:
    """A new task is numbered after all that are in the file."""
    path = worked(prepared, swap(ONE, (f"- {OLDEST}", "- Completed TASK-017: Review phase 1")))
    own(prepared, "task", "complete", "--next", "Write the loop template")
    assert stated(path.read_text(), "Current Context", "Task") == "TASK-018 - Write the loop template"


def begun(project: Project) -> Path:
    """Return the fresh file of session `one`, which began it by command."""
    own(project, "start", "--format", "gsd-lite", "Price lists")
    (path,) = project.state_files()
    return path


@pytest.mark.parametrize("command", [("task", "start", "Parse the invoices"), ("task", "complete"), ("task", "list")])
def test_a_task_of_claude_keeps_the_id_that_it_got(prepared: Project, command: tuple[str, ...]) -> None:
    """The turn told of it with an id; a command that takes it up names the same, also after it left Recent Updates."""
    path = worked(prepared)
    task(prepared, "1", "Parse the invoices", "in_progress")
    assert "Started TASK-004: Parse the invoices" in news(stopped(prepared, path))
    for number in range(5):
        own(prepared, "loop", "add", f"Question {number}?")
    assert "TASK-004" not in path.read_text()
    assert re.findall(r"TASK-00[4-9]", own(prepared, *command).out)[:1] in (["TASK-004"], []), path.read_text()
    assert "TASK-005" not in path.read_text()


@pytest.mark.parametrize("ending", ["", "complete", "skip"])
def test_what_the_committed_file_tells_of_is_there_in_a_clone(prepared: Project, ending: str) -> None:
    """A task in Recent Updates waits in a clone, too, with its id, until it is over; no task gets a second id."""
    path = worked(prepared)
    own(prepared, "task", "add", "Wait for samples")
    own(prepared, "task", "start", "Parse the invoices")
    if ending:
        own(prepared, "task", ending, *(["not now"] if ending == "skip" else []))
    prepared.git("add", "-A")
    prepared.git("commit", "-qm", "State")
    clone = prepared.folder / "clone"
    prepared.git("clone", "-q", str(prepared.root), str(clone))
    listed = prepared.cli("task", "list", cwd=clone).out
    here = prepared.cli("task", "list").out
    assert [line for line in here.splitlines() if "TASK-003" not in line] == [
        line for line in listed.splitlines() if "TASK-003" not in line
    ]
    assert ("Parse the invoices" in listed) == (not ending)
    again = prepared.cli("task", "start", "Wait for samples", cwd=clone).out
    assert "TASK-004" in again
    assert path.exists()


def test_the_title_of_a_fresh_file_is_not_its_task(prepared: Project) -> None:
    """Nothing can be skipped or completed before a task is there; then Task follows Claude's list."""
    path = begun(prepared)
    assert stated(path.read_text(), "Current Context", "Task").startswith("None")
    assert asked(prepared, "task", "skip", "no reason").code == 1
    task(prepared, "1", "Read the lists", "in_progress")
    assert stated(stopped(prepared, path), "Current Context", "Task") == "TASK-001 - Read the lists"


@pytest.mark.parametrize("command", [("complete",), ("skip", "no samples yet")], ids=["complete-task", "skip-task"])
@pytest.mark.parametrize("settle", [True, False], ids=["a turn between", "at once"])
def test_tasks_of_claude_end_once(prepared: Project, command: tuple[str, ...], *, settle: bool) -> None:
    """Two tasks of Claude's list are over after two commands: none comes back, and none waits any more."""
    path = begun(prepared)
    task(prepared, "1", "Read the lists", "in_progress")
    task(prepared, "2", "Compare the prices")
    stopped(prepared, path)
    codes = []
    for _ in range(5):
        codes.append(asked(prepared, "task", *command).code)
        if settle:
            stopped(prepared, path)
    assert codes == [0, 0, 1, 1, 1]
    text = stopped(prepared, path)
    assert stated(text, "Current Context", "Task").startswith("None")
    assert set(re.findall(r"TASK-\d+", text)) == {"TASK-001", "TASK-002"}
    assert asked(prepared, "task", "list").out == ""
    assert "Compare the prices" not in own(prepared, "status").out.partition("Recent")[0]


@pytest.mark.parametrize("name", ["TASK-003", "3", TITLE, f"TASK-003 - {TITLE}"])
@pytest.mark.parametrize("waits", [True, False], ids=["another waits", "none waits"])
def test_the_named_task_at_hand_is_the_one_that_is_complete(prepared: Project, name: str, *, waits: bool) -> None:
    """`task complete TASK-003` completes it; it does not come after itself."""
    path = worked(prepared)
    if waits:
        own(prepared, "task", "add", "Write the loop template")
    own(prepared, "task", "complete", name)
    after = stated(path.read_text(), "Current Context", "Task")
    assert after == "TASK-004 - Write the loop template" if waits else after.startswith("None")
    assert f"Started TASK-003: {TITLE}" not in news(path.read_text())


@pytest.mark.parametrize(
    "command", ["complete TASK-004", "complete 999", "complete No such task", "skip no --next New"]
)
def test_a_task_that_is_not_at_hand_is_not_completed(prepared: Project, command: str) -> None:
    """`task complete TASK-004` completes no other one, and a word that is no task makes none; no id is taken."""
    path = worked(prepared)
    own(prepared, "task", "add", "Write the loop template")
    if "--next" in command:
        own(prepared, "task", "complete")
        own(prepared, "task", "complete")
    before = path.read_bytes()
    done = asked(prepared, "task", *command.split())
    assert (done.code, path.read_bytes()) == (1, before)
    assert ("TASK-003, TASK-004" if "complete" in command else "no current task") in " ".join(done.err.split())
    assert "TASK-005" in own(prepared, "task", "add", "Another").out


@pytest.mark.parametrize("line", ["Decided with Ana: no", "STATE.md is Ana's now", "Call Ana"])
def test_what_a_person_wrote_stays(prepared: Project, line: str) -> None:
    """working-memory.md: lines that a person wrote in other words than the document's stay."""
    path = worked(prepared, swap(ONE, (f"- {OLDEST}\n", f"- {line}\n")))
    for number in range(6):
        assert own(prepared, "task", "add", f"Step {number}").code == 0
    assert line in news(path.read_text())


@pytest.mark.parametrize("zone", ["Z", "+02:00", "-07:00", "+05:30"])
def test_what_left_has_its_time_in_utc(prepared: Project, zone: str) -> None:
    """The audit trail has "what changed and when": times of the file are in its zone, those of `log` in UTC."""
    path = worked(prepared, swap(ONE, ("updated: 2026-01-21T15:45:00Z", f"updated: 2026-01-21T15:45:00{zone}")))
    assert path.exists()
    for number in range(6):
        assert own(prepared, "task", "add", f"Step {number}").code == 0
    shift = datetime.fromisoformat(f"2026-01-21T14:45:00{zone}").astimezone(UTC)
    rows = prepared.cli("log", "--all", "--kind", "update").out.splitlines()
    (left,) = [row for row in rows if OLDEST in row]
    assert left.startswith(shift.strftime("%Y-%m-%dT%H:%M:%SZ"))
