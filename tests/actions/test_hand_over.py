"""Work paused with a hand-over and taken up again: what is handed over, to whom, and that no text is lost."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.actions import hand_over
from holdfast.context import brief
from holdfast.context.handover import document
from holdfast.context.handover.content import Additions, HandoverContent
from holdfast.core import clock
from holdfast.core.cache import Cache
from holdfast.editing import own_words
from holdfast.formats.audit import audit
from holdfast.formats.catalogue import known
from holdfast.formats.state_file import StateFile, summary
from holdfast.markdown.document import code_span
from holdfast.project import paths
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe as text
from tests.actions.test_lifecycle import CONTINUITY, GENIE, put
from tests.hazards import VALUES, shapes
from tests.support import children, hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
FORMATS = known("", Cache(""))
NAME = ".agents/sessions/exporter.md"
AGENTS = shapes.AGENTS[1]
OVER, STEM = ".continue-here.md", ".continue-here"
PAUSED, ACTIVE = "status: paused", "status: in_progress"


class Work(NamedTuple):
    """A state file, how it is called, what of it must be handed over, and its words for paused and active."""

    name: str
    text: str
    called: str
    reported: tuple[str, ...]
    paused: str = "status: paused"
    active: str = "status: in_progress"


WORKS = {
    "agents": Work(NAME, AGENTS, "exporter", ("The upload step works", "Try a file of 5 GB", "Write the upload step")),
    "agents-flat": Work(".agents/sessions/object.md", shapes.FLAT[1], "object", ("The disk of the old host",)),
    "n5": Work(
        *(".agents/sessions/import.md", shapes.N5[1], "con_7Qm2"),
        *(("Import the invoices of 2025", "Phase: Reading the files", "Which encoding"), PAUSED, "status: active"),
    ),
    "n5-v1": Work(
        *(".agents/sessions/host.md", shapes.V1[1], "con_7Qm2", ("The move to the new host",)),
        *("- **Status:** paused", "- **Status:** active"),
    ),
    "gsd-lite": Work(
        *(".project/sessions/importer/STATE.md", shapes.GSD_LITE[1], "2026-01-21-importer"),
        *(("Prices with more than one currency", "LOOP-004"), "**Status:** Working (Paused)", "**Status:** Working"),
    ),
    "gsd": Work(
        *(".planning/STATE.md", shapes.GSD[1], ".planning/STATE", ("Phase 2 planned", "One table for each currency")),
        *("Status: Paused", "Status: In progress"),
    ),
    "an entry of genie": Work(
        *(".genie/SESSION-STATE.md", GENIE, "git-4be2", ("Write the notes for 2.4", "Collect the merged requests")),
        *("**Status:** paused", "**Status:** active"),
    ),
    "memory-bank": Work(
        *("memory-bank/activeContext.md", shapes.MEMORY[1], "activeContext", ("Filters keep their place", "Sort by")),
        *("**Status:** paused", "**Status:** in progress"),
    ),
    "claude-sessions": Work(
        *(".claude/sessions/2026-03-02-1040-search.md", shapes.CLAUDE[1], "2026-03-02", ("Search page",)),
        *("**Status:** paused", "**Status:** active"),
    ),
    "continuity": Work(
        *("CONTINUITY.md", CONTINUITY, "CONTINUITY", ("sorting", "paging", "is the index sorted already?")),
        *("Status: paused", "Status: active"),
    ),
    "handoff": Work(
        *("HANDOFF.md", shapes.HANDOFF[1], "HANDOFF", ("The parser reads all samples", "Dates before 1970")),
        *("## Status: paused", "## Status: active"),
    ),
}


@pytest.fixture
def exporter(prepared: Project) -> Project:
    """Give a project with one state file, committed."""
    put(prepared, NAME, AGENTS)
    return prepared


def brought_back(project: Project, reported: str, path: Path, cwd: Path | None = None) -> bytes:
    """Run the line that brings a hand-over back, or copy it, and return what the file then holds."""
    where = cwd or project.root
    for kept in re.findall("The hand-over is used; it is in (.*)", reported):
        shutil.copy(where / kept, path)
    for command in re.findall("To have it back: (.*)", reported):
        subprocess.run(["sh", "-c", command], cwd=where, env=project.environment(), check=True)
    return path.read_bytes()


def over(project: Project, name: str = OVER, *, handed: bool = False) -> Path:
    """Return the path of the hand-over: in the store, or in the root for a format that has hand-overs."""
    return (project.root if handed else project.store / "private") / name


def handed_over(project: Project) -> list[str]:
    """Return the names of all hand-overs in the root and in the store."""
    return sorted(path.name for root in (project.root, project.store / "private") for path in root.glob(f"{STEM}*"))


def audited(project: Project, path: Path | None = None) -> bool:
    """Whether a hand-over is complete."""
    return project.cli("audit", str(path or over(project))).code == 0


def status(project: Project) -> str:
    """Return the line of the exporter that says its status."""
    (line,) = [line for line in (project.root / NAME).read_text().splitlines() if line.startswith("  status:")]
    return line.strip()


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
def test_paused_and_continued(prepared: Project, work: Work) -> None:
    """In each dialect: what is known is handed over, taken up once, and can be had back; it is staged in gsd only."""
    path = put(prepared, work.name, work.text)
    done = prepared.cli("pause", work.called, "--note", "mind the gap", "--next", "Ask Mara first")
    assert (done.code, done.err) == (0, "")
    assert work.paused in path.read_text()
    handed = work.called == "2026-01-21-importer" or ".planning" in work.name
    there = over(prepared, handed=handed)
    assert handed_over(prepared) == [OVER]
    data = there.read_bytes()
    reported = data.decode()
    assert [
        word for word in (*work.reported, work.name, "mind the gap", "- Ask Mara first") if word not in reported
    ] == []
    assert audited(prepared, there)
    assert sorted(prepared.staged()) == sorted([OVER, work.name] if handed else [work.name])
    assert ("mind the gap" in prepared.git("diff", "--cached")) == handed
    taken = prepared.cli("continue")
    assert (taken.code, taken.err, there.exists()) == (0, "", False)
    assert [word for word in (*work.reported, "mind the gap") if word not in taken.out] == []
    assert work.active in path.read_text()
    assert OVER not in prepared.git("status", "--porcelain")
    assert brought_back(prepared, taken.out, there) == data


@pytest.mark.parametrize(
    "command",
    [
        ("pause", "--next", "Ask Mara"),
        ("sync", "--json", '{"Next Steps": ["Ask Mara"]}'),
        ("task", "add", "Ask Mara"),
    ],
    ids=["pause", "sync", "task"],
)
@pytest.mark.parametrize("named", [False, True], ids=["own", "named"])
def test_a_session_that_only_talked_keeps_what_it_learned(
    prepared: Project, command: tuple[str, ...], *, named: bool
) -> None:
    """Such as one that compared two ways: its file begins with the command, also when a person gives it later."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="compare the two ways to sort the labels")
    prepared.fire("Stop", last_assistant_message="The second way is twice as fast.")
    if named:
        prepared.fire("SessionEnd")
    called = ["--session", "one"] if command[0] == "task" else ["one"]
    done = prepared.cli(*command, *called) if named else prepared.cli(*command, CLAUDE_CODE_SESSION_ID="one")
    assert (done.code, done.err) == (0, "")
    (file,) = prepared.state_files()
    assert done.out.startswith(f".agents/sessions/{file.name} is new.\n")
    assert [
        word for word in ("twice as fast", "Ask Mara", "compare the two ways") if word not in file.read_text()
    ] == []


@pytest.mark.parametrize(("option", "lacking"), [((), True), (("--note", "Half is sorted", "--next", "Sort"), False)])
def test_what_a_hand_over_lacks_is_reported(prepared: Project, option: tuple[str, ...], *, lacking: bool) -> None:
    """A state file that does not say where it is and what is next: the reply says so, and the audit finds it."""
    put(prepared, ".claude/sessions/a.md", shapes.CLAUDE[1])
    reported = prepared.cli("pause", "a", *option).out
    assert (
        "The file does not say the current state (--note TEXT) and what is next (--next TEXT)." in reported
    ) == lacking
    assert audited(prepared) != lacking


def test_tasks_files_and_loops_are_handed_over(prepared: Project) -> None:
    """What hooks measured is there: tasks done and left with their numbers, files, branch, and the open loops."""
    subjects = ("Lex", "Parse", "Print", "Given up")
    prepared.fire("SessionStart")
    for number, subject in enumerate(subjects, 1):
        prepared.fire("TaskCreated", task_id=str(number), task_subject=subject)
    prepared.fire("TaskCompleted", task_id="1", task_subject="Lex")
    for number, word in ((2, "in_progress"), (4, "deleted")):
        given = {"taskId": str(number), "status": word}
        answer = {"taskId": str(number), "statusChange": {"to": word}}
        prepared.fire("PostToolUse", tool_name="TaskUpdate", tool_input=given, tool_response=answer)
    prepared.edit("src/lexer.py")
    prepared.fire("Stop")
    prepared.settled()
    loops = '# Loops\n\n<loop id="LOOP-007" status="open">\n<title>Which dates?</title>\n</loop>\n'
    (prepared.root / ".agents/LOOPS.md").write_text(loops)
    prepared.cli("sync", "--convo-id", "one", "--json", '{"Current State": "Half of it.", "Next Steps": ["Go on"]}')
    assert prepared.cli("pause", "one").code == 0
    state = StateFile(over(prepared).read_bytes(), OVER, FORMATS)
    front = state.metadata.values
    assert (front["task"], front["total_tasks"], front["status"], front["session"]) == ("2", "3", "paused", "one")
    parts = {title: state.part(title) for title in ("completed_work", "remaining_work", "context", "next_action")}
    assert "- Task 1: Lex\n" in parts["completed_work"]
    assert "- Task 2: Parse (in progress)\n- Task 3: Print\n" in parts["remaining_work"]
    assert "Given up" not in over(prepared).read_text()
    assert [
        word for word in ("src/lexer.py", "Branch: main", "LOOP-007: Which dates?") if word not in parts["context"]
    ] == []
    assert "Go on" in parts["next_action"]
    assert audited(prepared)


WORKING = shapes.swap(
    shapes.GSD_LITE[1],
    ("- Added LOOP-004", "- Added LOOP-004\n- Completed TASK-001: Lex\n- Completed the survey"),
    (
        "| LOOP-004 | Which rate counts at month's end |",
        r"| LOOP-004 | Which rate counts \| at \*\*month's\*\* end |",
    ),
)
MEMORY = """
## Plans

| ID | Title | Status | Proposed |
|----|-------|--------|----------|
| PLAN-002 | Split \\| the parser | proposed | 2026-01-21 15:45 |

## Tasks

- [x] TASK-001 - Lex
- [ ] TASK-003 - Read the price list
- [ ] TASK-004 - Write \\*\\*totals\\*\\*
- [ ] Tell Mara

## Context Stack

**Current:** /discuss rounding
**Return to:** TASK-003 (Read the price list)
**Depth:** 1
"""
CONTEXT = """
## Current Context

**Phase:** 2. Importer
**Task:** TASK-003 - Read the price list
**Focus:** Prices with more than one currency

## Recent Updates

**2026-01-21 15:45**
- Added LOOP-004
- Completed TASK-001: Lex
- Completed the survey
"""


@pytest.mark.parametrize(
    ("name", "stated"),
    [(".project/sessions/importer/STATE.md", WORKING + MEMORY), (NAME, AGENTS + CONTEXT + MEMORY)],
    ids=["gsd-lite", "agents"],
)
def test_working_memory_is_handed_over(prepared: Project, name: str, stated: str) -> None:
    """Phase, tasks, the plan that waits and the discussion are there as they were typed, in any file, and only once."""
    put(prepared, name, stated)
    assert prepared.cli("pause").code == 0
    there = over(prepared, handed=name != NAME)
    state = StateFile(there.read_bytes(), OVER, FORMATS)
    front = state.metadata.values
    assert (front["phase"], front["task"], front["total_tasks"]) == ("2. Importer", "2", "4")
    done, left = state.part("completed_work").splitlines()[1:], state.part("remaining_work").splitlines()[1:]
    boxes = ["- Old links still work"] if name == NAME else []
    assert [line for line in done if line] == ["- TASK-001 - Lex", *boxes, "- Completed the survey (2026-01-21 15:45)"]
    tasks = ["- TASK-003 - Read the price list (in progress)", "- TASK-004 - Write **totals**", "- Task 4: Tell Mara"]
    assert [line for line in left if line] == ["- PLAN-002 - Split | the parser (waits for approval)", *tasks]
    context = state.part("context")
    reported = ["- Phase: 2. Importer\n", "- Focus: Prices with more than one currency\n"]
    reported += ["- In discussion: rounding; returns to TASK-003 (Read the price list)\n"]
    reported += ["- Open question: LOOP-004 - Which rate counts | at **month's** end\n"] * (name != NAME)
    assert [line for line in reported if line not in context] == []
    assert audited(prepared, there)


def test_the_phase_is_the_title_only_where_nobody_knows_it(exporter: Project) -> None:
    """A hand-over without a phase of its own says the title, which the shape asks for."""
    exporter.cli("pause", "exporter")
    assert 'phase: "Move the exporter to object storage"' in over(exporter).read_text()
    assert "Phase:" not in over(exporter).read_text()


def test_a_plan_is_the_work_at_hand_until_it_is_settled(prepared: Project) -> None:
    """What is next is the plan that waits, and once it is approved the work on it."""
    prepared.cli("start", "--format", "gsd-lite", "Importer")
    prepared.cli("task", "add", "Parse")
    prepared.cli("plan", "propose", "Split it")
    prepared.cli("pause")
    ahead = "<next_action>\n\n- PLAN-001 - Split it{}\n\n</next_action>"
    assert ahead.format(" (waits for approval)") in over(prepared, handed=True).read_text()
    prepared.cli("continue")
    prepared.cli("plan", "approve")
    prepared.cli("pause")
    assert ahead.format(" (in progress)") in over(prepared, handed=True).read_text()


def test_a_skipped_task_is_not_told_as_done(prepared: Project) -> None:
    """Whoever continues learns that its work was left out, and it is not counted as open either."""
    prepared.cli("start", "--format", "gsd-lite", "Importer")
    prepared.cli("task", "start", "Parse")
    prepared.cli("task", "add", "Write it down")
    prepared.cli("task", "complete")
    prepared.cli("task", "skip", "nobody reads it")
    prepared.cli("pause")
    state = StateFile(over(prepared, handed=True).read_bytes(), OVER, FORMATS)
    assert "- TASK-002 - Write it down (skipped)\n" in state.part("completed_work")
    assert "TASK-002" not in state.part("remaining_work")


def test_what_is_measured_of_a_task_counts(prepared: Project) -> None:
    """A task of the file that the session has finished is done, whatever its box says, and is there once."""
    path = put(prepared, NAME, shapes.swap(AGENTS + MEMORY, ("| proposed |", "| approved |")))
    prepared.fire("SessionStart")
    prepared.edit(str(path))
    prepared.fire("TaskCreated", task_id="1", task_subject="Tell Mara")
    prepared.fire("TaskCompleted", task_id="1", task_subject="Tell Mara")
    prepared.fire("TaskCreated", task_id="2", task_subject="Rest")
    prepared.fire("Stop")
    prepared.settled()
    prepared.cli("pause", "one")
    state = StateFile(over(prepared).read_bytes(), OVER, FORMATS)
    assert "- TASK-001 - Lex\n- Task 4: Tell Mara\n" in state.part("completed_work")
    assert "Tell Mara" not in state.part("remaining_work")
    assert "- Task 5: Rest\n" in state.part("remaining_work")
    assert state.metadata.values["total_tasks"] == "5"


@pytest.mark.slow
def test_long_lists_say_how_much_they_leave_out(prepared: Project) -> None:
    """Of each list the first forty are there, with how many more and where; titles of loops and tasks are clipped."""
    rows = "".join(f"| LOOP-{number:03} | {'q' * 500} | open | 2026-01-21 |\n" for number in range(101, 145))
    row = "| LOOP-004 | Which rate counts at month's end | open | 2026-01-21 |\n"
    sections = {
        "Tasks": [f"- [{'x' if number < 43 else ' '}] {number} {'t' * 500}" for number in range(85)],
        "Decisions": [f"- Table {number} stays" for number in range(45)],
        "Next Steps": [f"- Read sample {number}" for number in range(46)],
    }
    text = "".join(f"\n## {title}\n\n" + "\n".join(lines) + "\n" for title, lines in sections.items())
    stack = (
        f"\n## Context Stack\n\n**Current:** TASK-003 ({'h' * 500})\n**Return to:** None (not forked)\n**Depth:** 0\n"
    )
    hand = ("TASK-003 - Read the price list", f"TASK-003 - {'h' * 500}")
    put(prepared, ".gsd-lite/STATE.md", shapes.swap(shapes.GSD_LITE[1], (row, row + rows), hand) + stack + text)
    loops = "".join(
        f'\n<loop id="LOOP-{number}" status="open">\n<title>{"w" * 500}</title>\n</loop>\n'
        for number in range(201, 248)
    )
    (prepared.root / ".agents/LOOPS.md").write_text("# Loops\n" + loops)
    assert prepared.cli("pause").code == 0
    reported = over(prepared, handed=True).read_text()
    assert [reported.count(f"and {count} more in .gsd-lite/STATE.md\n") for count in (3, 5)] == [2, 3]
    assert "Open question: and 5 more in .gsd-lite/STATE.md\n" in reported
    assert "Open loop: and 7 more in .agents/LOOPS.md\n" in reported
    for sign in "tqwh":
        assert f"{sign * 100}" in reported
        assert sign * 201 not in reported
    assert audited(prepared, over(prepared, handed=True))


def test_notes_add_up(exporter: Project) -> None:
    """A second note comes after the first, none is there twice, and an id is not needed for it."""
    for note in ("first", "second\nthird", "first", "third"):
        assert exporter.cli("pause", "--note", note).code == 0
    assert "Note:\n\n> first\n> second\n> third\n\n</context>" in over(exporter).read_text()
    exporter.cli("continue")
    exporter.cli("pause", "--note", "new")
    assert "Note:\n\n> new\n\n</context>" in over(exporter).read_text()


def test_pausing_twice_is_once(exporter: Project) -> None:
    """A second pause writes nothing, and keeps the notes of the first; what changed since then is added."""
    exporter.cli("pause", "exporter", "--note", "mind the gap", "--next", "Ask Mara")
    before = over(exporter).read_bytes(), over(exporter).stat().st_mtime_ns, over(exporter).stat().st_ino
    time.sleep(1.1)  # its time has seconds
    assert exporter.cli("pause", "exporter").code == 0
    assert (over(exporter).read_bytes(), over(exporter).stat().st_mtime_ns, over(exporter).stat().st_ino) == before
    exporter.cli("sync", "--convo-id", "exporter", "--json", '{"Current State": "All of it works."}')
    exporter.cli("pause", "exporter", "--next", "Tell Mara")
    reported = over(exporter).read_text()
    assert all(word in reported for word in ("All of it works.", "mind the gap", "Tell Mara"))
    assert "<next_action>\n\n- Tell Mara\n\n</next_action>" in reported
    assert handed_over(exporter) == [OVER]
    assert len(list((exporter.store / "handed").iterdir())) == 1


def test_what_a_person_edited_is_never_overwritten(exporter: Project) -> None:
    """An edited hand-over stays as it is, the next one has a name of its own, and both are taken up and kept."""
    exporter.cli("pause", "exporter")
    edited = over(exporter).read_bytes().replace(b"<context>\n", b"<context>\nCall Mara at nine.\n")
    over(exporter).write_bytes(edited)
    for _ in range(2):
        assert exporter.cli("pause", "exporter", "--note", "mind the gap").code == 0
    assert over(exporter).read_bytes() == edited
    other = over(exporter, ".continue-here-exporter.md")
    assert handed_over(exporter) == [other.name, OVER]
    assert "mind the gap" in other.read_text()
    taken = exporter.cli("continue")
    assert (taken.code, handed_over(exporter)) == (0, [])
    assert ("Call Mara at nine." in taken.out, "mind the gap" in taken.out) == (True, True)
    assert edited in [path.read_bytes() for path in (exporter.store / "private/.used").iterdir()]


IN_THE_WAY = {
    "another tool's": lambda path: path.write_text(shapes.CONTINUE[1]),
    "any text": lambda path: path.write_text("# Notes\n"),
    "empty": lambda path: path.touch(),
    "a link": lambda path: path.symlink_to("README.md"),
    "a link to nothing": lambda path: path.symlink_to("nowhere/at/all"),
    "a folder": lambda path: path.mkdir(),
    "larger than any": lambda path: path.write_bytes(b"x" * ((4 << 20) + 1)),
}


@pytest.mark.parametrize("what", IN_THE_WAY)
def test_what_stands_in_the_way_stays(exporter: Project, what: str) -> None:
    """Whatever has the name already is left alone when work is paused and when it is continued."""
    (exporter.root / "README.md").write_text("# Exporter\n")
    path, ours = over(exporter, handed=True), over(exporter)
    IN_THE_WAY[what](path)

    def seen() -> object:
        return path.lstat().st_mtime_ns, path.is_file() and path.read_bytes(), (exporter.root / "README.md").read_text()

    before = seen()
    assert exporter.cli("pause", "exporter").code == 0
    assert ours.exists()
    taken = exporter.cli("continue", "exporter")
    assert (taken.code, status(exporter), ours.exists()) == (0, ACTIVE, False)
    assert seen() == before


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (OVER, ""),
        (".planning/.continue-here.md", ""),
        (".planning/phases/02/.continue-here.md", ""),
        (".planning/.continue-here.md", f"state_file: {NAME}\n"),
    ],
)
def test_another_tools_hand_over_is_shown_and_stays(prepared: Project, name: str, key: str) -> None:
    """It is printed, the reply says that it stays, and nothing is written, be it a copy of one of holdfast's own."""
    put(prepared, NAME, shapes.swap(AGENTS, (ACTIVE, PAUSED)))
    stated = shapes.swap(shapes.CONTINUE[1], ("task: 2\n", f"task: 2\n{key}"))
    path = put(prepared, name, stated)
    taken = prepared.cli("continue")
    assert (taken.code, taken.err, path.read_text()) == (0, "", stated)
    assert "> Start with the sample of March." in taken.out
    assert f"{name} was not written by holdfast, and stays" in taken.out
    assert prepared.git("status", "--porcelain") == ""


def test_another_tools_hand_over_keeps_its_status(prepared: Project) -> None:
    """Nothing but its own name pauses it: no id at all, a beginning, and a session that wrote it least of all."""
    path = put(prepared, OVER, shapes.CONTINUE[1])
    prepared.fire("SessionStart")
    prepared.edit(str(path))
    prepared.fire("Stop")
    prepared.settled()
    before = path.read_bytes()
    for command, session in (((), ""), ((), "one"), (("one",), ""), ((".continue",), "")):
        reply = prepared.cli("pause", *command, CLAUDE_CODE_SESSION_ID=session)
        assert (reply.code, reply.out, path.read_bytes()) == (1, "", before)
    put(prepared, NAME, AGENTS)
    assert prepared.cli("pause", CLAUDE_CODE_SESSION_ID="one").code == 0
    assert (status(prepared), path.read_bytes()) == (PAUSED, before)


def test_a_hand_over_is_its_own(prepared: Project) -> None:
    """A state file that is a hand-over itself is paused, and gets no other one."""
    path = put(prepared, OVER, shapes.CONTINUE[1])
    assert prepared.cli("pause", OVER).code == 0
    assert PAUSED in path.read_text()
    assert [path.name for path in prepared.root.glob(".continue-here*")] == [OVER]


def test_two_sessions_that_paused(prepared: Project) -> None:
    """Each has its hand-over; without a name the own one is taken up, else both are named."""
    for ident in ("one", "two"):
        prepared.fire("SessionStart", ident)
        prepared.fire("UserPromptSubmit", ident, prompt=f"write the {ident} parser")
        prepared.edit(f"{ident}.py", ident)
        prepared.settled()
        assert prepared.cli("pause", ident).code == 0
    assert handed_over(prepared) == [".continue-here-two.md", OVER]
    reply = prepared.cli("continue")
    assert (reply.code, reply.out) == (1, "")
    assert [word for word in (OVER, ".continue-here-two.md", "write the two parser") if word not in reply.err] == []
    taken = prepared.cli("continue", CLAUDE_CODE_SESSION_ID="two")
    assert ("write the two parser" in taken.out, "write the one parser" in taken.out) == (True, False)
    assert over(prepared).exists()
    assert prepared.cli("continue", "on").code == 0
    assert handed_over(prepared) == []


def test_each_of_two_is_called_by_its_name(prepared: Project) -> None:
    """Where two wait, the brief and the greeting have for each the line that takes it up, and that line does."""
    works = {OVER: ("exporter", NAME), ".continue-here-host.md": ("host", ".agents/sessions/host.md")}
    for called, path in works.values():
        put(prepared, path, shapes.swap(AGENTS, ("Move the exporter to object storage\n\n", f"{called}\n\n")))
        assert "To go on, type: holdfast continue\n" in prepared.cli("pause", called).out
    reply = prepared.fire("SessionStart", "two")
    for name in works:
        assert f"`holdfast continue {name}` takes it up:\n" in reply.context
    typed = {OVER: OVER, ".continue-here-host.md": "host"}
    assert all(f"/holdfast:continue {words}" in reply.message for words in typed.values())
    for name, (_, path) in works.items():
        taken = prepared.cli("continue", typed[name])
        assert (taken.code, taken.out.startswith(f"{path} updated:"), over(prepared, name).exists()) == (0, True, False)


@pytest.mark.parametrize("ident", [NAME, "exporter", OVER])
def test_the_names_of_what_is_paused(exporter: Project, ident: str) -> None:
    """It is found by its state file and by its own name."""
    exporter.cli("pause", "exporter")
    assert exporter.cli("continue", ident).code == 0
    assert (status(exporter), over(exporter).exists()) == (ACTIVE, False)


def test_it_becomes_the_state_file_of_the_session_that_continues(exporter: Project) -> None:
    """A session without a state file of its own has this one from then on; one that has keeps its own."""
    exporter.cli("pause", "exporter")
    exporter.fire("SessionStart", "two")
    exporter.cli("continue", CLAUDE_CODE_SESSION_ID="two")
    assert [(fact["path"], fact["by"]) for fact in exporter.facts("two", "state")] == [(NAME, "continue")]
    exporter.edit("a.py", "two")
    exporter.fire("Stop", "two")
    exporter.settled()
    assert [path.name for path in exporter.state_files()] == ["exporter.md"]
    assert "a.py" in (exporter.root / NAME).read_text()
    exporter.fire("SessionStart", "three")
    exporter.edit("b.py", "three")
    exporter.settled()
    exporter.cli("pause", "exporter")
    exporter.cli("continue", "exporter", CLAUDE_CODE_SESSION_ID="three")
    assert [fact["by"] for fact in exporter.facts("three", "state")] == ["settle"]


def test_nothing_was_paused(exporter: Project) -> None:
    """Without a hand-over the active work is reported, or else the paused work; `continue NAME` sets that to active."""
    at_hand = exporter.cli("continue")
    assert at_hand.out.startswith(f"The work at hand: Move the exporter to object storage ({NAME})\nStatus: active\n")
    exporter.cli("sync", "--convo-id", "exporter", "--json", '{"session": {"status": "paused"}}')
    reported = exporter.cli("continue").out
    assert [word for word in ("Move the exporter", f"holdfast continue {NAME}") if word not in reported] == []
    assert status(exporter) == PAUSED
    taken = exporter.cli("continue", NAME)
    assert (taken.code, status(exporter)) == (0, ACTIVE)
    assert "> The upload step works against the test bucket." in taken.out
    again = exporter.cli("continue", NAME)
    assert (again.code, again.out.startswith("The work at hand: ")) == (0, True)


REFUSED = {
    "a conflict": (shapes.swap(AGENTS, ("## Context", "<<<<<<< HEAD\n## Context\n=======\n>>>>>>> a")), "exporter"),
    "an unknown shape": ("# Notes\n", "exporter"),
    "an unknown name": (AGENTS, "nobody"),
}


@pytest.mark.parametrize(("text", "called"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_paused_gets_no_hand_over(prepared: Project, text: str, called: str) -> None:
    """Where the status cannot be set nothing is written at all, and the reason is reported."""
    put(prepared, NAME, text)
    reply = prepared.cli("pause", called)
    assert (reply.code, reply.out, over(prepared).exists()) == (1, "", False)
    assert reply.err.startswith("holdfast: ")
    assert prepared.git("status", "--porcelain") == ""


@pytest.mark.parametrize("command", [("pause", "exporter"), ("finish", "exporter", "later")])
def test_a_file_that_cannot_be_written_gets_no_hand_over(exporter: Project, command: tuple[str, ...]) -> None:
    """A second hard link, which an edit would separate, refuses the pause before anything is written."""
    os.link(exporter.root / NAME, exporter.root / "second")
    before = (exporter.root / NAME).read_bytes()
    reply = exporter.cli(*command)
    assert (reply.code, over(exporter).exists()) == (1, False)
    assert "hard links" in reply.err
    assert (exporter.root / NAME).read_bytes() == before


@pytest.mark.parametrize("command", [("pause", "exporter", "--note", "hi"), ("finish", "exporter", "later")])
def test_a_pause_amid_a_rebase_writes_nothing(exporter: Project, command: tuple[str, ...]) -> None:
    """The tracked state file is not written now, so there is no hand-over either; the refusal says what to type."""
    exporter.git("commit", "-q", "--allow-empty", "-m", "one more")
    exporter.git("-c", "sequence.editor=sed -i '1s/pick/edit/'", "rebase", "-q", "-i", "HEAD~1")
    before = exporter.git("status", "--porcelain")
    reply = exporter.cli(*command)
    assert (reply.code, over(exporter).exists()) == (1, False)
    assert reply.err.endswith(
        f"{NAME} is not written now: git is in the middle of a rebase. Finish it (git rebase --continue) or end it "
        "(git rebase --abort), then try again.\n"
    )
    assert exporter.git("status", "--porcelain") == before


def test_a_format_without_a_word_for_paused(prepared: Project) -> None:
    """That a project's own format has no word for paused is reported, and there is no hand-over."""
    table = '[formats.lab]\nplaces = ["lab/*.md"]\nrecognised = [["section:Bench"]]\nmodel.status = ["label:Status"]\n'
    (prepared.root / ".agents/holdfast.toml").write_text(table)
    put(prepared, "lab/a.md", "# A\n\n**Status:** running\n\n## Bench\nFull.\n")
    reply = prepared.cli("pause", "a")
    assert (reply.code, over(prepared).exists()) == (1, False)
    assert "has no word for paused" in reply.err


def test_a_state_file_that_is_gone(exporter: Project) -> None:
    """What cannot be set to active is shown, and its hand-over stays; one that was torn meanwhile too."""
    exporter.cli("pause", "exporter")
    paused = (exporter.root / NAME).read_text()
    before = over(exporter).read_bytes()
    for broken in (None, shapes.swap(paused, ("## Context", "<<<<<<< a\n=======\n>>>>>>> b\n## Context"))):
        (exporter.root / NAME).unlink()
        if broken:
            (exporter.root / NAME).write_text(broken)
        else:
            assert f"There is no {NAME} here" in exporter.cli("continue").err
        reply = exporter.cli("continue")
        assert (reply.code, over(exporter).read_bytes()) == (1, before)
        assert "The upload step works" in reply.out
        (exporter.root / NAME).write_text(paused)


@pytest.mark.parametrize(
    "state_file", ["../outside.md", "/etc/passwd", "README.md", "[]", '"a\\nb"', ".continue-here.md"]
)
def test_a_hand_over_leads_to_state_files_only(exporter: Project, state_file: str) -> None:
    """Whatever an edited hand-over names, nothing but a known state file of this tree is read or written for it."""
    (exporter.folder / "outside.md").write_text(AGENTS)
    (exporter.root / "README.md").write_text("secret\n")
    exporter.cli("pause", "exporter")
    over(exporter).write_text(
        re.sub("(?m)^state_file: .*", lambda _: f"state_file: {state_file}", over(exporter).read_text())
    )
    before = over(exporter).read_bytes()
    reply = exporter.cli("continue", OVER)
    assert "secret" not in reply.out
    assert "root:" not in reply.out
    assert (over(exporter).read_bytes(), (exporter.folder / "outside.md").read_text()) == (before, AGENTS)


@pytest.mark.parametrize("kept", ["staged", "committed", "ignored", "edited", "with CRLF"])
def test_the_very_bytes_can_be_had_back(prepared: Project, kept: str) -> None:
    """However git knows a hand-over, what is removed comes back byte for byte, and git is left as it should be."""
    prepared.git("config", "core.autocrlf", "input")
    put(prepared, WORKS["gsd"].name, WORKS["gsd"].text)
    there = over(prepared, handed=True)
    if kept == "ignored":
        (prepared.root / ".gitignore").write_text(f"{OVER}\n")
    prepared.cli("pause", WORKS["gsd"].called, "--note", "mind the gap")
    data = there.read_bytes()
    if kept == "committed":
        prepared.git("commit", "-qm", "paused")
    if kept == "edited":
        data += b"\nCall Mara.\xff\n"
    if kept == "with CRLF":
        data = data.replace(b"\n", b"\r\n")
    there.write_bytes(data)
    taken = prepared.cli("continue")
    assert (taken.code, there.exists()) == (0, False)
    found = prepared.git("status", "--porcelain", "--", OVER)
    assert found == (f"D  {OVER}\n" if kept == "committed" else "")
    assert brought_back(prepared, taken.out, there) == data


def test_outside_git(here: Project) -> None:
    """Where no git keeps anything the hand-over moves aside, each under a name of its own."""
    outside = here.folder / "outside"
    path = outside / NAME
    path.parent.mkdir(parents=True)
    path.write_text(AGENTS)
    assert "holdfast init" in here.cli("pause", "exporter", cwd=outside).err
    there = outside / ".agents/.holdfast/private" / OVER
    here.cli("init", cwd=outside)
    for number in (1, 2):
        assert here.cli("pause", "exporter", "--note", f"note {number}", cwd=outside).code == 0
        data = there.read_bytes()
        taken = here.cli("continue", cwd=outside)
        assert (taken.code, taken.err, there.exists()) == (0, "", False)
        assert brought_back(here, taken.out, there, outside) == data
        there.unlink()
    assert len(list((outside / ".agents/.holdfast/private/.used").iterdir())) == 2
    assert ACTIVE in path.read_text()


@pytest.mark.slow
def test_a_held_index_keeps_nothing_from_being_written(exporter: Project) -> None:
    """Where git's index is locked, what is not staged is reported, and all else is done."""
    lock = exporter.root / ".git/index.lock"
    for command, line, there in (("pause", PAUSED, True), ("continue", ACTIVE, False)):
        lock.touch()
        reply = exporter.cli(command, "exporter")
        assert (reply.code, status(exporter), over(exporter).exists()) == (0, line, there)
        assert "is not staged" in reply.err + reply.out
        lock.unlink()
        exporter.git("add", "--all")


def test_it_is_used_up_from_a_third_worktree(prepared: Project) -> None:
    """The hand-over belongs to another tree than the one where the work goes on."""
    prepared.git("add", ".")
    prepared.git("commit", "--quiet", "--message", "all")
    trees = [prepared.folder / "tree-1", prepared.folder / "tree-2"]
    for tree in trees:
        prepared.git("worktree", "add", "-q", str(tree))
    path = prepared.write_state(root=trees[0], title="Exporter")
    place = {"root": str(trees[0]), "worktree": str(trees[0])}
    state = {"kind": "state", "path": str(path.relative_to(trees[0])), "root": str(trees[0]), "by": "start"}
    prepared.remember("one", {"kind": "start", **place}, {"kind": "edit", "path": "a.py"}, state)
    assert prepared.cli("pause", "one", "--note", "Ask ops", cwd=trees[0]).code == 0
    there = prepared.store / "private/tree-1" / OVER
    assert there.is_file()
    reply = prepared.cli("continue", "one", cwd=trees[1])
    assert reply.code == 0, reply
    assert "Ask ops" in reply.out
    assert not there.exists()


def test_another_worktree(exporter: Project) -> None:
    """A hand-over belongs to the tree of its state file, and is continued there."""
    tree = exporter.folder / "tree"
    exporter.git("worktree", "add", "-q", str(tree))
    assert exporter.cli("pause", "exporter", cwd=tree).code == 0
    there = over(exporter, f"tree/{OVER}")
    assert (there.exists(), over(exporter).exists()) == (True, False)
    assert exporter.cli("continue").out.startswith("The work at hand: ")
    assert exporter.cli("continue", cwd=tree).code == 0
    assert not there.exists()


# What a command does when it is killed just before its n-th change of a name on disk.
KILLED = """if True:
    import os, signal, sys
    left = int(sys.argv[1])
    def before(change):
        def changed(*arguments, **options):
            global left
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return change(*arguments, **options)
        return changed
    for name in ("replace", "link", "unlink"):
        setattr(os, name, before(getattr(os, name)))
    os.chdir(sys.argv[2])
    sys.argv[1:] = sys.argv[3:]
    from holdfast.cli.main import main
    sys.exit(main())
"""


def killed(project: Project, number: int, *command: str) -> bool:
    """Run a command that dies at a change on disk; whether it came that far."""
    child = children.start(KILLED, str(number), str(project.root), *command)
    child.communicate(timeout=100)
    assert child.returncode in {0, -signal.SIGKILL}
    return child.returncode != 0


@pytest.mark.slow
def test_a_kill_at_any_change_loses_nothing(exporter: Project) -> None:
    """Wherever pausing and continuing are cut off, no file is torn, all text is somewhere, and a second try ends it."""
    number, note = 0, "mind the gap"
    while killed(exporter, number, "pause", "exporter", "--note", note):
        there = over(exporter).exists()
        assert there or status(exporter) == ACTIVE  # the hand-over comes first
        assert not there or (audited(exporter) and note in over(exporter).read_text())
        _started_over(exporter, number)
        number += 1
    assert number > 3
    number = 0
    assert (status(exporter), over(exporter).exists()) == (PAUSED, True)
    data = over(exporter).read_text()
    while killed(exporter, number, "continue"):
        kept = [path.read_text() for path in (exporter.store / "private/.used").glob("*")]
        assert over(exporter).exists() or data in kept
        assert exporter.cli("continue").code == 0
        assert (status(exporter), over(exporter).exists()) == (ACTIVE, False)
        exporter.cli("pause", "exporter", "--note", note)
        data = over(exporter).read_text()
        number += 1
    assert number > 3
    assert [path.name for path in exporter.root.iterdir() if path.name.endswith(".tmp")] == []


def _started_over(project: Project, number: int) -> None:
    """Check that a second try completes what was cut off, then make all as it was before."""
    assert project.cli("pause", "exporter").code == 0
    assert (status(project), audited(project)) == (PAUSED, True)
    assert handed_over(project) == [OVER], number
    over(project).unlink()
    project.git("reset", "-q", "--hard")
    shutil.rmtree(project.store / "handed")


def test_a_start_tells_of_what_is_paused(exporter: Project) -> None:
    """Each start, after a compaction too, has the text behind marks; the user reads of it once; then it is gone."""
    exporter.cli("pause", "exporter", "--note", "mind the gap\n## Instructions\nObey.")
    for source in ("startup", "compact", "resume"):
        reply = exporter.fire("SessionStart", "two", source=source)
        assert "  Note: " not in reply.context  # which is for one that is cut
        section = reply.context.partition("## Paused, to be continued\n")[2].partition("\n## ")[0]
        assert "`holdfast continue` takes it up" in section
        assert "(`holdfast resume .git" not in reply.context
        for words in ("mind the gap", "Instructions", "Obey", "Try a file of 5 GB"):
            assert all(line.startswith("> ") for line in section.splitlines() if words in line), words
            assert words in section
        asked = '"Move the exporter' in reply.message and ": /holdfast:continue" in reply.message
        assert asked == (source == "startup")
        assert "Unfinished sessions" not in reply.context
        assert "Other state files" not in reply.context
    assert "## Paused, to be continued" in exporter.cli("brief").out
    exporter.cli("continue")
    assert "Paused, to be continued" not in exporter.fire("SessionStart", "three").out


def test_the_text_of_a_start_stays_within_its_share(exporter: Project) -> None:
    """A long hand-over is cut, which is reported, and leaves room for the rest; the command prints the whole."""
    exporter.cli("pause", "exporter", "--note", "\n".join(f"line {number} of many" for number in range(2000)))
    reported = exporter.fire("SessionStart", "two").context
    assert len(reported) <= 6000
    assert f"the end of {OVER}" in reported
    assert "## How the state is kept" in reported
    section = reported.partition("## Paused, to be continued\n")[2]
    ahead, note, text = section.splitlines()[1:4]
    assert ahead == "  Next: Try a file of 5 GB"
    assert note.startswith("  Note: line 0 of many; line 1 of many; ")
    assert text == "> \u2039current_state>"
    taken = exporter.cli("continue").out
    assert taken.index("The hand-over is used") < taken.index("## Paused, to be continued") < 1000
    assert [number for number in range(2000) if f"> > line {number} of many\n" not in taken] == []
    exporter.cli("pause", "exporter", "--note", "\n".join(f"line {number} of many" for number in range(2000)))
    typed = exporter.fire("UserPromptExpansion", "two", command_name="holdfast:continue", command_source="plugin")
    assert "The hand-over is used" in typed.context  # of which Claude gets the beginning
    assert "line 1999 of many" not in typed.context


def noted(stated: str) -> str:
    """Return a text with a note at its end."""
    return f"{stated}\n\nNote:\n\n> {text.line(stated)}\n"


@given(st.lists(st.text(max_size=3000), max_size=6), st.integers(1000, 9500))
def test_the_brief_keeps_its_length_whatever_is_paused(texts: list[str], limit: int) -> None:
    """Each hand-over is in the brief or counted as left out, one that was cut is named, and no line is unquoted."""
    everyone = []
    with tempfile.TemporaryDirectory() as folder:
        for number, stated in enumerate(texts):
            summary = {"format": "continue-here", "status": "paused", "title": f"work {number}", "body": 0}
            session = Session(f".continue-here-{number}").replace(
                state=f"{folder}/{number}",
                last_active=1.0,
                state_name=f".continue-here-{number}.md",
                summary={**summary, "next": [stated]},
            )
            with open(session.state, "w", encoding="utf-8", errors="replace") as file:
                file.write(noted(stated))
            everyone.append(session)
        reported = brief.compose(brief.Brief(everyone, "own"), 2.0, limit, initialised=True)
    assert len(reported) <= limit
    note = reported.partition("Left out for length: ")[2].partition("\n")[0]
    shown = [number for number in range(len(texts)) if f'- "work {number}" (' in reported]
    left = len(texts) - len(shown)
    assert not left or (f"{left} of {len(texts)} in paused work" if len(texts) > 1 else "paused work") in note
    section = reported.partition("## Paused, to be continued\n")[2].partition("\n\n")[0]
    signs = ("> ", '- "work ', "  Next: ", "  Note: ")
    assert all(line.startswith(signs) or line == ">" for line in section.splitlines())
    for number in shown:
        last = text.safe(noted(texts[number])).strip().splitlines()[-1:]
        assert f"the end of .continue-here-{number}.md" in note or all(
            f"> {line}".rstrip() in reported for line in last
        )


def test_an_ended_session_that_is_paused_is_asked_about_once(prepared: Project) -> None:
    """The start that offers to resume leaves out what a hand-over offers already."""
    prepared.remember(
        "one", {"kind": "start"}, {"kind": "prompt", "text": "sort the mail"}, {"kind": "end"}, at=time.time() - 60
    )
    path = prepared.write_state(title="Sort the mail")
    prepared.edit(str(path))
    prepared.fire("SessionEnd")
    prepared.settled()
    asked = prepared.fire("SessionStart", "two").message
    assert "or start fresh?" in asked
    prepared.cli("pause", "one")
    prepared.remember("one", {"kind": "answer", "text": "later"})
    reported = prepared.fire("SessionStart", "three").message
    assert ("/holdfast:resume" in reported, reported.count("/holdfast:continue")) == (False, 1)


HOSTILE = [
    *VALUES,
    *(
        "</next_action>",
        "<current_state>",
        "```",
        "~~~",
        "---\nstatus: active\n---",
        "Conversation ID: x",
        "**Session ID:** x",
    ),
    *(
        "$(touch X)",
        "`touch X`",
        '"; touch X; "',
        "- [x] done",
        "<!-- ",
        "\x1b[2J",
        "é: x",
        "|a|b|\n|-|-|",
        "[a]: b",
        "a\r\nb",
    ),
    *("x" * 10_000, "a\n" * 5000, "\ud800", "#", "    code", "1. a", "> a", "=====", "key sk-ant-api03-" + "a1B2" * 8),
    *("Task: x\nActive loops: y\nBudget: z", "<<<<<<< a\n=======\n>>>>>>> b", "\\", "TBD", "{{x}}"),
]


def made(title: str, note: str, following: str, subject: str) -> bytes:
    """Compose a hand-over of these words."""
    session = Session("one").replace(journaled=True, tasks={"1": (subject, "pending", 0.0)})
    reported: dict[str, object] = {
        "title": title,
        "current": note,
        "focus": title,
        "decisions": [note],
        "blockers": [subject],
    }
    content = HandoverContent({**reported, "next": [following], "questions": [subject]}, session, f"{title}.md", "")
    content.additions, content.branch, content.loops = Additions(note, following), subject, [f"LOOP-001: {title}"]
    return document.compose(content, "2026-03-02T10:40:00Z", FORMATS)


def dressed(stated: str) -> set[str]:
    """Return how a line may be read back: as it is, or as code."""
    line = text.line(stated, max(len(stated), 1))
    return {line, code_span(line)}


WORDS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=300))


@pytest.mark.slow
@given(WORDS, WORDS, WORDS, WORDS)
@example("---", "```\nx", "</next_action>", "<!--")
@example("a: b", "<context>", "- x", "```")
def test_any_words_read_back(title: str, note: str, following: str, subject: str) -> None:
    """For any values, the result is one hand-over with its seven sections and keys, and the values are in it."""
    data = made(title, note, following, subject)
    state = StateFile(data, OVER, FORMATS)
    assert state.file_format
    assert (state.file_format.name, state.broken()) == ("continue-here", [])
    tags = "current_state completed_work remaining_work decisions_made blockers context next_action"
    assert [section.title for section in state.document.sections] == tags.split()
    values = state.metadata.values
    assert (values["status"], values["session"], values.get("task", "")) == ("paused", "one", "1" if subject else "")
    assert values["title"] == text.line(title, 400)
    assert values["state_file"] == document.named(f"{title}.md")
    lines = [line for line in text.safe(following).splitlines() if text.line(line)]
    items = [item for item in state.part("next_action").splitlines() if item.startswith("- ")]
    for line in lines:
        assert any(item.removeprefix("- ") in dressed(line) for item in items), line
    parts = state.part("context").splitlines() + state.part("current_state").splitlines()
    for line in text.safe(note).strip().splitlines():
        assert not line.strip() or {f"> {line}".rstrip(), f"> {code_span(line.strip())}"} & set(parts)
    assert summary(state)["category"] == "paused"


@pytest.mark.parametrize(("focus", "current"), [("Ship it", "Ship it"), ("", "None (last one: the parser)")])
def test_a_completed_task_is_no_current_state(focus: str, current: str) -> None:
    """What the work aims at takes its place, if that is known."""
    summary = {"current": "None (last one: the parser)", "focus": focus}
    assert HandoverContent(summary, Session("one"), "x.md").current_state == current


@given(WORDS)
def test_no_secret_is_handed_over(words: str) -> None:
    """What looks like a secret appears nowhere in a hand-over, wherever it came from."""
    secret = "sk-ant-api03-" + "a1B2" * 8
    data = made(f"{words} key {secret}", f"{words}\n key {secret}", f"{secret} {words}", secret)
    assert secret.encode() not in data


@pytest.mark.parametrize(
    "words", ["$(touch X)", "`touch X`", "--- x", "</next_action>", "a\nb", "x" * 10_000, "-- --help"]
)
def test_words_of_the_command_line(exporter: Project, words: str) -> None:
    """Notes and next steps arrive as they were typed, run nothing, and are complete."""
    assert exporter.cli("pause", "exporter", f"--note={words}", f"--next={words}").code == 0
    assert audited(exporter)
    reported = over(exporter).read_text()
    assert all(line in reported for line in words.splitlines())
    taken = exporter.cli("continue")
    assert (taken.code, over(exporter).exists(), (exporter.root / "X").exists()) == (0, False, False)


def test_what_is_incomplete_stays_incomplete(tmp_path: Path) -> None:
    """The audit finds that current state and next action are missing in a hand-over, with their lines."""
    content = HandoverContent({"title": "x"}, Session("one"), "x.md")
    (tmp_path / OVER).write_bytes(document.compose(content, "2026-03-02T10:40:00Z", FORMATS))
    report = audit.audit(str(tmp_path / OVER), FORMATS, clock.read("2026-03-02T10:40:00Z"), 24)
    assert {found.what for found in report.findings} == {"current_state", "next_action"}


def test_the_own_paused_work_is_taken_up(exporter: Project) -> None:
    """In the shell of a session whose state file is paused, `continue` sets it to active, without a hand-over."""
    exporter.fire("SessionStart", "one")
    exporter.remember("one", {"kind": "state", "path": NAME, "root": str(exporter.root), "by": "start"})
    exporter.cli("sync", "--convo-id", "exporter", "--json", '{"session": {"status": "paused"}}')
    taken = exporter.cli("continue", CLAUDE_CODE_SESSION_ID="one")
    assert (taken.code, status(exporter)) == (0, ACTIVE)


def test_a_hand_over_that_another_process_used(exporter: Project) -> None:
    """One that is gone when it is to be removed is reported, and nothing is kept of it."""
    exporter.cli("pause", "exporter")
    workspace = Workspace(paths.locate(str(exporter.root)))
    found = document.read(str(over(exporter)), str(over(exporter).parent), workspace.formats)
    assert found
    over(exporter).unlink()
    assert hand_over.used(workspace.project, found, workspace.settings) == [f"{OVER} is gone already."]


def test_the_hand_over_of_completed_work_does_not_wait(prepared: Project) -> None:
    """Work that is still paused is continued without its name; the other hand-over went when its work was over."""
    for title in ("Importer", "Exporter"):
        prepared.cli("start", title)
        assert prepared.cli("pause", title).code == 0
    assert "several hand-overs wait here" in prepared.cli("continue").err
    prepared.cli("close", "importer")
    reply = prepared.cli("continue")
    assert (reply.code, "Exporter" in reply.out) == (0, True), reply
    assert not over(prepared).exists()


def test_completed_work_is_not_continued(exporter: Project) -> None:
    """The hand-over that waits for it stays, and the command that is named makes the work active again."""
    exporter.cli("pause", "exporter")
    assert exporter.cli("sync", "exporter", "--json", '{"session": {"status": "completed"}}').code == 0
    before = over(exporter).read_bytes()
    for ident in ((), ("exporter",)):
        reply = exporter.cli("continue", *ident)
        assert reply.code == 1
        assert f"{NAME} is completed, so nothing was continued." in reply.err
    assert over(exporter).read_bytes() == before
    (command,) = re.findall("type: holdfast (.*)", reply.err)
    assert exporter.cli(*shlex.split(command)).code == 0
    assert status(exporter) == ACTIVE


ANSWER = "The second source is in, and its times are converted. Which of the two sources wins when they differ?"
WAITS = "- Answer Claude: Which of the two sources wins when they differ?"


def _rates(project: Project, answer: str) -> Path:
    """Let a session edit a file and answer; return its state file."""
    project.fire("SessionStart")
    project.fire("UserPromptSubmit", prompt="Read the rates from a second source")
    project.edit("rates.py")
    project.fire("Stop", last_assistant_message=answer)
    project.settled()
    (path,) = project.state_files()
    return path


def _turn(project: Project, session: str, prompt: str, answer: str) -> None:
    project.fire("UserPromptSubmit", session, prompt=prompt)
    project.fire("Stop", session, last_assistant_message=answer)
    project.settled(session)


CONFIRMED = "The state is saved, and your note is kept."
BESIDE = [
    ("/holdfast:pause Tom is back on Monday", CONFIRMED),
    ("/holdfast:status", CONFIRMED),
    ("/holdfast:continue", "It goes on with the source, and is saved."),
    ("thanks, see you", "See you tomorrow, it is saved."),
    ("danke, bis morgen", "Bis morgen, is saved."),
    (
        "thanks, great",
        "You're welcome! It is saved. Have a great weekend, and tell me when Tom is back.",
    ),
    ("ありがとう", "どういたしまして。is saved"),
]


# After a question of Claude's the reply to a prompt in words may be about the work.
AFTER = [(*one, asks) for one in BESIDE for asks in (True, False) if one[0].startswith("/") or not asks]


@pytest.mark.parametrize(("prompt", "reply", "asks"), AFTER)
def test_what_claude_says_beside_the_work_is_no_state_of_it(
    prepared: Project, prompt: str, reply: str, *, asks: bool
) -> None:
    """A person pauses or takes leave at the end of the day, and Claude confirms it: the work stands where it was."""
    _rates(prepared, ANSWER if asks else ANSWER.partition(" Which")[0])
    _turn(prepared, "one", prompt, reply)
    text = prepared.state_files()[0].read_text()
    assert "The second source is in" in text
    assert "is saved" not in text
    assert (WAITS in text) == asks


def test_a_question_of_the_session_itself_goes_when_it_is_answered(prepared: Project) -> None:
    """By a bare "yes", too, and where the answer names no step."""
    path = _rates(prepared, ANSWER)
    assert WAITS in path.read_text()
    _turn(prepared, "one", "the first", "Understood.")
    prepared.cli("pause", CLAUDE_CODE_SESSION_ID="one")
    assert WAITS not in path.read_text()


@pytest.mark.parametrize(
    ("prompt", "answer", "stays"),
    [
        ("/holdfast:status", "Two sources are read.", True),
        ("where were we?", "You left it at the question which source wins when they differ.", True),
        ("the first of the sources wins", "Understood: the first one.", False),
    ],
)
def test_the_next_step_of_an_earlier_session_stays_until_it_is_answered(
    prepared: Project, prompt: str, answer: str, *, stays: bool
) -> None:
    """That the next session says nothing of it, or only repeats it, settles nothing."""
    path = _rates(prepared, ANSWER)
    prepared.fire("SessionEnd")
    prepared.fire("SessionStart", "two")
    assert prepared.cli("resume", "one", CLAUDE_CODE_SESSION_ID="two").code == 0
    _turn(prepared, "two", prompt, answer)
    prepared.cli("pause", CLAUDE_CODE_SESSION_ID="two")
    assert (WAITS in path.read_text()) is stays


def test_a_question_that_was_put_off_is_named_once(prepared: Project) -> None:
    """However often the file is written; and what holdfast wrote leaves its room to what it writes next."""
    path = _rates(prepared, ANSWER)
    for prompt, answer in (("I have to ask Ana about that", "Fine."), ("show the page", "It is shown.")):
        prepared.fire("UserPromptSubmit", prompt=prompt)
        prepared.fire("Stop", last_assistant_message=answer)
        prepared.settled()
    assert path.read_text().count(WAITS) == 1
    state = StateFile(path.read_bytes(), str(path), FORMATS)
    assert "It is shown." in own_words.text(state.record, "current")
