"""What a state file leaves out or has wrong, kind by kind: there, not there, and only seeming to be there."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.context.drift import evidence
from holdfast.context.drift.evidence import Prose
from holdfast.context.drift.item import KINDS, NOTED, Item
from tests.hazards import shapes
from tests.hazards.shapes import swap
from tests.support import drifting, hooks
from tests.support.drifting import BEGAN, GSD, LATER, NAME, SIX, WROTE, child, edit, loop, loops, prompts, task, zone

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
NAMED = ("Committed ", "Task ", "Subagent ", "Loop ")
AGENTS, FLAT, N5 = shapes.AGENTS[1], shapes.FLAT[1], shapes.N5[1]
TASKED = swap(AGENTS, ("Write the upload step", "Read the price list"))
DONE = swap(AGENTS, ("status: in_progress", "status: completed"))
TWO = loops(("LOOP-004", "open", "Which rate counts"), ("LOOP-012", "open", "Lineage"))
ONE = loops(("LOOP-004", "open", "Which rate counts"))
BOTH = f"{AGENTS}\n{SIX}"  # the six sections in a file of another dialect
PLAN = (
    "\n## Plans\n\n| ID | Title | Status | Proposed |\n|---|---|---|---|\n| PLAN-001 | Split it | proposed | today |\n"
)
CLOSED = loops(("LOOP-004", "closed", "Which rate counts"), ("LOOP-012", "clarifying", "Lineage"))


LIVE = (("host", os.uname().nodename), ("process", "x"))


class Case(NamedTuple):
    """A state file, what happened, files that are there; and what is reported of one kind, "" for nothing."""

    kind: str
    reported: str
    state: str = AGENTS
    facts: tuple[dict[str, Any], ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    used: int = 0  # tokens in the transcript
    start: tuple[tuple[str, str], ...] = ()
    wrote: float = WROTE


def stated(text: str, state: str = AGENTS) -> str:
    """Return a state file in which something more is reported."""
    return swap(state, ("works against the test bucket.", f"works against the test bucket. {text}"))


A = (edit("src/a.py"),)
WORKED_ON = (task("pending", "Convert"),)
SWITCHED = {"kind": "answer", "branch": "feat/prices", "at": LATER}
STEP = swap(AGENTS, ("- Try a file of 5 GB", "- Try a file of 5 GB\n- Convert"))
BOX = f"{AGENTS}\n## Tasks\n\n- [ ] Convert\n"
FINISHED = (child("running", WROTE - 10), child(text="The index is sorted by date already"))
CASES = {
    "task: the one named is over": Case(
        *("task", "Task: TASK-002 - Read the price list → TASK-003 - Convert (completed", GSD),
        (task("completed"), task("in_progress", "Convert", "2")),
    ),
    "task: over, and none begun": Case("task", "→ none in progress", GSD, (task("completed"),)),
    "task: in the frontmatter": Case(
        *("task", "Read the price list → Convert", TASKED), (task("completed"), task("in_progress", "Convert", "2"))
    ),
    "task: by the number that the file has for it": Case(
        *("task", "→ TASK-003 - Convert", swap(GSD, ("**Focus:** ", "**Focus:** TASK-003: Convert, "))),
        (task("completed"), task("in_progress", "Convert", "2")),
    ),
    "task: over before a command set it": Case("task", "", GSD, (task("completed"), {"kind": "task_set", "at": LATER})),
    "task: going on": Case("task", "", GSD, (task("in_progress"),)),
    "task: over, and begun anew under the same words": Case(
        "task", "", GSD, (task("completed"), task("in_progress", ident="2"))
    ),
    "task: words that are no task's": Case("task", "", AGENTS, (task("completed"),)),
    "task: a word of its name is a task": Case("task", "", GSD, (task("completed", "price lists"),)),
    "tasks: created and not named": Case(
        "tasks", "Tasks not recorded: Convert (pending)", AGENTS, (task("pending", "Convert"),)
    ),
    "tasks: named in any case": Case(
        "tasks", "", stated("To do: CONVERT  the\nprices"), (task("pending", "convert the prices"),)
    ),
    "tasks: taken away": Case("tasks", "", AGENTS, (task("deleted", "Convert"),)),
    "tasks: before the model wrote": Case("tasks", "", AGENTS, (task("pending", "Convert", at=WROTE - 10),)),
    "tasks: completed, and still a next step": Case(
        "tasks", "Tasks not recorded: Convert (completed)", STEP, (task("completed", "Convert"),)
    ),
    "tasks: completed, and its box is open": Case(
        "tasks", "Tasks not recorded: Convert (completed)", BOX, (task("completed", "Convert"),)
    ),
    "tasks: completed, and ticked": Case("tasks", "", BOX.replace("[ ]", "[x]"), (task("completed", "Convert"),)),
    "tasks: a ticked next step": Case(
        "tasks", "", STEP.replace("- Convert", "- [x] Convert"), (task("completed", "Convert"),)
    ),
    "tasks: completed, and said to be": Case(
        "tasks", "", STEP.replace("against the", "(convert (completed)) against the"), (task("completed", "Convert"),)
    ),
    "tasks: a next step that goes on": Case("tasks", "", STEP, (task("in_progress", "Convert"),)),
    "tasks: a next step of more than that": Case(
        "tasks", "", STEP.replace("- Convert", "- Convert the rest"), (task("completed", "Convert"),)
    ),
    "files: not mentioned": Case("files", "not described: src/a.py", AGENTS, A, (("src/a.py", ""),)),
    "files: by path": Case("files", "", stated("See `src/a.py`."), A, (("src/a.py", ""),)),
    "files: by path at the end of a sentence": Case("files", "", stated("See src/a.py."), A, (("src/a.py", ""),)),
    "files: by its absolute path": Case("files", "", stated("/srv/mara/exporter/src/a.py"), A, (("src/a.py", ""),)),
    "files: from another folder": Case(
        "files", "", stated("in ../src/a.py"), (edit("lib/src/a.py"),), (("lib/src/a.py", ""), ("a.py", ""))
    ),
    "files: in another folder of that name": Case(
        "files", "lib/src/a.py", stated("in web/src/a.py"), (edit("lib/src/a.py"),), (("lib/src/a.py", ""),)
    ),
    "files: by its name alone": Case("files", "", stated("a.py reads it"), A, (("src/a.py", ""),)),
    "files: by a name that another one has": Case(
        "files", "src/a.py", stated("a.py reads it"), A, (("src/a.py", ""), ("lib/a.py", ""))
    ),
    "files: a longer name": Case(
        "files", "src/a.py", stated("src/a.pyc and src/a.py.orig and xsrc/a.py"), A, (("src/a.py", ""),)
    ),
    "files: in a link": Case(
        "files", "", stated("[it](src/my%20file.py)"), (edit("src/my file.py"),), (("src/my file.py", ""),)
    ),
    "files: with an escape": Case("files", "", stated(r"src/my\_a.py"), (edit("src/my_a.py"),), (("src/my_a.py", ""),)),
    "files: decomposed": Case(
        "files", "", stated("src/\u00e9.py"), (edit("src/e\u0301.py"),), (("src/e\u0301.py", ""),)
    ),
    "files: only below holdfast's mark": Case(
        *("files", "src/a.py"),
        swap(
            AGENTS,
            (
                "## Acc",
                "## Files Modified\n\n<!-- holdfast:files -->\n- `src/a.py`\n\n## Acc",
            ),
        ),
        *(A, (("src/a.py", ""),)),
    ),
    "files: before the model wrote": Case("files", "", AGENTS, (edit("src/a.py", WROTE - 10),), (("src/a.py", ""),)),
    "files: outside": Case("files", "", AGENTS, (edit("/etc/a.py"),)),
    "files: records themselves": Case(
        *("files", "", AGENTS, (edit(".agents/LOOPS.md"), edit(".agents/holdfast.toml"), edit(".continue-here.md"))),
        ((".agents/LOOPS.md", ""), (".continue-here.md", "")),
    ),
    "files: made and gone again": Case("files", "", AGENTS, A),
    "children: not mentioned": Case("children", "Explore a877f (completed)", AGENTS, (child(),)),
    "children: by id": Case("children", "", stated("a877f looked"), (child(),)),
    "children: by type": Case("children", "", stated("An Explore subagent looked"), (child(),)),
    "children: by what it said": Case(
        "children",
        "",
        stated("the index is sorted by date already"),
        (child(text="The index is sorted by date already"),),
    ),
    "children: done since, and named while it ran": Case(
        "children", "Explore a877f (completed)", stated("Explore a877f looks"), FINISHED
    ),
    "children: done since, and its answer is there": Case(
        "children", "", stated("Explore: the index is sorted by date already"), FINISHED
    ),
    "children: done since, and that is noted": Case(
        "children", "", stated("Subagent Explore a877f (completed)"), FINISHED
    ),
    "children: still at work, and named": Case(
        "children", "", stated("a877f looks"), (child("running", WROTE - 10), child("running")), start=LIVE
    ),
    "children: a longer word": Case("children", "Explore", stated("Explorers; a877ff"), (child(),)),
    "children: before": Case("children", "", AGENTS, (child(at=WROTE - 10),)),
    "loops: captured since": Case(
        "loops", "Loops: 1 → 2 (LOOP-012 captured since)", GSD, (), ((".agents/LOOPS.md", TWO),)
    ),
    "loops: closed and turned": Case(
        "loops",
        "Loops: 1 → 1 (LOOP-012 captured since; LOOP-004 closed since)",
        GSD,
        (),
        ((".agents/LOOPS.md", CLOSED),),
    ),
    "loops: another count": Case(
        "loops", "Loops: 3 → 1", swap(GSD, ("1 loop (1 open)", "3 loops")), (), ((".agents/LOOPS.md", ONE),)
    ),
    "loops: another status": Case(
        *("loops", "LOOP-004 clarifying", GSD, (), ((".agents/LOOPS.md", ONE.replace("open", "clarifying")),))
    ),
    "loops: as they are": Case("loops", "", GSD, (), ((".agents/LOOPS.md", ONE),)),
    "loops: one id twice": Case("loops", "", GSD, (), ((".agents/LOOPS.md", ONE + ONE),)),
    "loops: one id twice, open and closed": Case(
        "loops", "", GSD, (), ((".agents/LOOPS.md", ONE + ONE.replace("open", "closed")),)
    ),
    "loops: one id twice, and one captured since": Case(
        "loops", "Loops: 1 → 2 (LOOP-012 captured since)", GSD, (), ((".agents/LOOPS.md", TWO + ONE),)
    ),
    "loops: a row that somebody keeps by hand": Case(
        *("loops", ""),
        swap(
            GSD, ("open | 2026-01-21 |\n", "open | 2026-01-21 |\n| Q-1 | Who pays | open | - |\n"), ("1 loop (", "2 (")
        ),
        *((), ((".agents/LOOPS.md", ONE),)),
    ),
    "loops: a table that cannot take them": Case(
        *("loops", "to be fixed by hand: Active Loops: its table has no column Captured"),
        swap(GSD, ("Status | Captured |", "Status | Raised |")),
        *((), ((".agents/LOOPS.md", TWO),)),
    ),
    "loops: no section": Case("loops", "", AGENTS, (), ((".agents/LOOPS.md", TWO),)),
    "loops: no section, and captured by the session": Case(
        "loops", "Loops: LOOP-012: Lineage (open)", AGENTS, (loop("open"),), ((".agents/LOOPS.md", TWO),)
    ),
    "loops: no section, and closed by the session": Case(
        "loops", "LOOP-012: Lineage (closed)", AGENTS, (loop("closed"),)
    ),
    "loops: no section, by id": Case("loops", "", stated("LOOP-012 waits"), (loop("open"),)),
    "loops: no section, by title": Case("loops", "", stated("the lineage of it"), (loop("open"),)),
    "loops: no section, by a longer id": Case("loops", "LOOP-012", stated("LOOP-0123 waits"), (loop("open"),)),
    "loops: no section, before the model wrote": Case("loops", "", AGENTS, (loop("open", at=WROTE - 10),)),
    "loops: a section that says what LOOPS.md does": Case(
        "loops", "", GSD, (loop("open", "LOOP-004", "Which rate counts"),), ((".agents/LOOPS.md", ONE),)
    ),
    "loops: no LOOPS.md": Case("loops", "", GSD),
    "budget: another zone": Case("budget", "Budget: 24% → 42% (crossed into the warning zone)", GSD, used=84_000),
    "budget: the same zone, further on": Case("budget", "Budget: 24% → 30%", GSD, used=60_000),
    "budget: about the same": Case("budget", "", GSD, used=52_000),
    "budget: a better zone": Case("budget", "Budget: 24% → 5% (crossed into the comfortable zone)", GSD, used=10_000),
    "budget: not measured yet": Case(
        *("budget", "not measured → 42%"),
        swap(GSD, ("48000 / 200000 tokens (24%) - deliberate", "N/A (not measured yet)")),
        used=84_000,
    ),
    "budget: no transcript": Case("budget", "", GSD),
    "zone: a worse one": Case(
        "zone",
        "Budget zone: comfortable → warning (crossed 33 min ago)",
        AGENTS,
        (zone(1), zone(2), zone(1, LATER + 9)),
    ),
    "zone: a worse one than before": Case(
        "zone", "deliberate → stop", AGENTS, (zone(2, WROTE - 20), zone(1, WROTE - 10), zone(3))
    ),
    "zone: no worse than before": Case("zone", "", AGENTS, (zone(2, WROTE - 10), zone(1), zone(2, LATER + 9))),
    "zone: before the model wrote": Case("zone", "", AGENTS, (zone(2, WROTE - 10),)),
    "zone: what the budget tells": Case("zone", "", GSD, (zone(2),), used=84_000),
    "zone: a budget that nobody can compare": Case("zone", "comfortable → warning", GSD, (zone(2),)),
    "zone: no number of a zone": Case("zone", "", AGENTS, (zone(17), zone(-1))),
    "prompts: many": Case("prompts", 'Prompts since: 12 (the last one: "and now the prices")', AGENTS, prompts(12)),
    "prompts: three": Case("prompts", "Prompts since: 3 (", AGENTS, prompts(3)),
    "prompts: two": Case("prompts", "", AGENTS, prompts(2)),
    "prompts: before the model wrote": Case("prompts", "", AGENTS, (*prompts(9, at=WROTE - 50), *prompts(2))),
    "prompts: commands and what the client says": Case(
        *("prompts", "", AGENTS),
        (*prompts(9, "/holdfast:status"), *prompts(9, "<task-notification>done"), *prompts(2, at=LATER + 50)),
    ),
    "prompts: a path is no command": Case("prompts", "Prompts since: 3", AGENTS, prompts(3, "/src/a.py is slow")),
    "age: beside something else": Case(
        "age", "Last written: 2 h ago (by the model)", AGENTS, (task("pending", "Convert"),), wrote=-7300.0
    ),
    "age: alone": Case("age", "", AGENTS, wrote=-7300.0),
    "age: less than an hour": Case("age", "", AGENTS, (task("pending", "Convert"),)),
    "actions: about a task that is over": Case(
        "actions",
        "complete-task",
        swap(GSD, ("**Task:** TASK-002", "**Task:** TASK-003")),
        (),
        ((".agents/LOOPS.md", ONE),),
    ),
    "actions: about a loop that is closed": Case("actions", "close-loop", GSD, (), ((".agents/LOOPS.md", CLOSED),)),
    "actions: as they are": Case("actions", "", GSD, (), ((".agents/LOOPS.md", ONE),)),
    "actions: in a person's words": Case(
        *("actions", "", swap(GSD, ("Mark TASK-002 complete", "Tell Mara that TASK-001 is done"))),
        *((), ((".agents/LOOPS.md", ONE),)),
    ),
    "status: completed, and work went on": Case("status", "completed → in_progress (work went on: src/a.py)", DONE, A),
    "status: completed": Case("status", "", DONE, (edit("src/a.py", WROTE - 10),)),
    "status: completed by hand after the work": Case(
        "status", "", DONE, (*A, {"kind": "completed", "status": "completed", "at": LATER + 10})
    ),
    "status: completed, and a task begun": Case(
        "status", "(work went on: Convert)", DONE, (task("in_progress", "Convert"),)
    ),
    "status: completed, and records kept": Case(
        "status", "", DONE, (edit(".agents/LOOPS.md"), edit(".agents/SESSION-STATE.md"))
    ),
    "status: every task is done, which completes nothing": Case("status", "", AGENTS, (task("completed"),)),
    "status: in a discussion": Case(
        *("status", "Status: Working → Discussion Mode (in a discussion: /discuss rates)"),
        swap(
            GSD,
            ("**Current:** TASK-002 (Read the price list)", "**Current:** /discuss rates"),
            ("**Depth:** 0", "**Depth:** 1"),
        ),
    ),
    "status: a plan waits": Case(
        "status", "Working → Blocked (Awaiting Approval) (in no discussion, PLAN-001 waits for approval)", GSD + PLAN
    ),
    "status: the discussion is over": Case(
        "status", "Discussion Mode → Working", swap(GSD, ("**Status:** Working", "**Status:** Discussion Mode"))
    ),
    "status: a person's own word": Case(
        "status", "", swap(GSD, ("**Status:** Working", "**Status:** Blocked by Mara")) + PLAN
    ),
    "status: in a file of another dialect": Case("status", "Working → Blocked", BOTH + PLAN),
    "status: frontmatter against body": Case(
        "status", "the frontmatter says", swap(N5, ("- **Status:** active", "- **Status:** complete"), ("40%", "100%"))
    ),
    "branch: another one": Case("branch", "Branch: feat/object-storage → main (where", FLAT),
    "branch: the same": Case("branch", "", swap(FLAT, ("feat/object-storage", "main"))),
    "branch: none is named": Case("branch", ""),
    "branch: none is named, and another is checked out": Case(
        "branch", "Branch: main → feat/prices (checked out 33 min ago)", AGENTS, (SWITCHED,)
    ),
    "branch: another is checked out, and mentioned": Case("branch", "", stated("on feat/prices"), (SWITCHED,)),
    "branch: another was checked out before": Case("branch", "", AGENTS, ({**SWITCHED, "at": WROTE - 10},)),
    "branch: there and back": Case("branch", "", AGENTS, (SWITCHED, {**SWITCHED, "branch": "main", "at": LATER + 10})),
    "branch: detached since": Case("branch", "", AGENTS, ({**SWITCHED, "branch": "0123456789ab"},)),
    "branch: detached": Case("branch", "", FLAT, start=(("branch", "0123456789ab"),)),
    "unfilled: a section": Case(
        "unfilled",
        "Current State (line 19)",
        swap(AGENTS, ("The upload step works against the test bucket.", "[Where it is]")),
        WORKED_ON,
    ),
    "unfilled: a list and a key": Case(
        *("unfilled", "orchestration.current_task (line 9), Next Steps"),
        swap(AGENTS, ("Try a file of 5 GB", "TBD"), ("Write the upload step", "TBD")),
        WORKED_ON,
    ),
    "unfilled: a field": Case("unfilled", "Focus", swap(GSD, ("Prices with more than one currency", "TBD")), WORKED_ON),
    "unfilled: a field, and nothing has happened": Case(
        "unfilled", "", swap(GSD, ("Prices with more than one currency", "TBD"))
    ),
    "unfilled: working memory in another file": Case(
        *("unfilled", "Focus (line 38), Return to (line 80)"),
        swap(BOTH, ("Prices with more than one currency", "[what is to be reached]"), ("None (not forked)", "TBD")),
        (child(),),
    ),
    "unfilled: working memory that is filled in": Case(
        "unfilled", "", swap(BOTH, ("TASK-002 - Read the price list", "TBD")), (child(),)
    ),
    "unfilled: a section that is not required": Case(
        "unfilled", "", f"{AGENTS}\n## Technical Context\n\nTBD\n\n## Blockers\n\nTBD\n", WORKED_ON
    ),
    "unfilled: nothing required": Case("unfilled", "", swap(AGENTS, ("Old links still work", "TBD")), WORKED_ON),
}


def arranged(project: Project, case: Case) -> None:
    """Let a project be as the case has it."""
    for name, text in case.files:
        drifting.put(project, name, text)
    start = dict(case.start)
    start |= {"transcript": drifting.transcript(project, case.used)} if case.used else {}
    drifting.begin(project, case.state, *case.facts, wrote=case.wrote, **start)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_kind(prepared: Project, case: Case) -> None:
    """What has drifted is reported in one item of its kind, and what has not, or is reported in other words, is not.

    Who needs no lines gets the same text.
    """
    arranged(prepared, case)
    report, other = drifting.look(prepared), drifting.look(prepared, calls=False)
    words = [item.words for item in report.items if item.kind == case.kind]
    assert len(words) == bool(case.reported), words
    assert not words or case.reported in words[0]
    assert [item.row() | {"remedy": ""} for item in report.items] == [
        item.row() | {"remedy": ""} for item in other.items
    ]
    assert all("…" in item.remedy for item in other.items if item.remedy)
    assert (report.points, report.severity) == (other.points, other.severity)


MANY = [f"src/{'x' * 100}{number}.py" for number in range(30)]
# What each thing of an item is called, and how many points it has.
NAMES = {
    "task: the one named is over": ((), 2),
    "status: completed, and work went on": ((), 4),
    "loops: captured since": (("LOOP-012",), 1),
    "loops: closed and turned": (("LOOP-012", "LOOP-004"), 2),
    "loops: another count": ((), 1),
    "loops: no section, and captured by the session": (("LOOP-012",), 1),
    "budget: another zone": ((), 0),
    "zone: a worse one": ((), 2),
    "actions: about a task that is over": (("continue", "complete-task", "skip-task"), 0),
    "tasks: created and not named": (("Convert",), 1),
    "files: not mentioned": (("src/a.py",), 1),
    "children: not mentioned": (("Explore a877f",), 1),
    "branch: another one": ((), 2),
    "prompts: three": ((), 0),
    "prompts: many": ((), 3),
    "unfilled: a section": (("Current State",), 1),
    "unfilled: a list and a key": (("orchestration.current_task", "Next Steps"), 2),
    "age: beside something else": ((), 0),
}


@pytest.mark.parametrize("name", NAMES)
def test_what_an_item_is_about(prepared: Project, name: str) -> None:
    """Each thing of an item has a name by which it can be looked for, and the item its points."""
    arranged(prepared, CASES[name])
    (item,) = [item for item in drifting.look(prepared).items if item.kind == CASES[name].kind]
    assert (item.names, item.weight) == NAMES[name]
    assert (item.row()["names"], item.row()["weight"]) == (list(item.names), item.weight)


def test_every_thing_has_its_name(prepared: Project) -> None:
    """However many there are, none is left out, and a renamed file goes by its new path, a deleted one by its old."""
    for path in (*MANY, "src/old.py", "src/gone.py"):
        drifting.put(prepared, path, f"{path}\n" * 20)
    drifting.begin(prepared, AGENTS, *(edit(path) for path in (*MANY, "src/old.py", "src/gone.py")))
    prepared.git("mv", "src/old.py", "src/new.py")
    prepared.git("rm", "-qf", "src/gone.py")
    for number in range(20):
        drifting.commit(prepared, f"Work number {number}", LATER + number)
    items = {item.kind: item for item in drifting.look(prepared).items}
    assert sorted(items["files"].names) == sorted([*MANY, "src/new.py", "src/gone.py"])
    assert [name[7:] for name in items["commits"].names] == [f" Work number {number}" for number in range(19, -1, -1)]
    assert (items["files"].weight, items["commits"].weight) == (32, 20)


def test_every_kind_has_its_cases() -> None:
    """No kind is left out of the table; commits and renames, which take a history, are below."""
    there = {case.kind for case in CASES.values() if case.reported}
    not_there = {case.kind for case in CASES.values() if not case.reported}
    assert there == not_there == set(KINDS) - {"commits", "phase"}  # a phase is reported after commands alone


def test_commits(prepared: Project) -> None:
    """Commits made since count, but not earlier ones, those that are mentioned, or those that hold nothing but it."""
    drifting.begin(prepared, stated("`Read the price list twice` is done."))
    drifting.commit(prepared, "Long ago", WROTE - 10)
    drifting.commit(prepared, "Read the price list twice", LATER)
    drifting.commit(prepared, "Convert", LATER + 10)
    drifting.commit(prepared, "Round, and say so", LATER + 20)
    (prepared.root / NAME).write_text((prepared.root / NAME).read_text() + "\n")
    drifting.commit(prepared, "With the state file", LATER + 30)
    names = prepared.git("log", "--format=%H", "-3").split()
    assert drifting.found(prepared, "commits") == [
        f"Commits not described: {names[1][:7]} Round, and say so, {names[2][:7]} Convert"
    ]
    drifting.put(prepared, NAME, stated(f"Read the price list twice. Done in {names[1][:9]} and\n{names[2]}."))
    drifting.commit(prepared, "With the state file again", LATER + 40)
    assert drifting.found(prepared, "commits") == []


def test_commits_that_hold_the_state_file(prepared: Project) -> None:
    """The state file is staged, so that most commits hold it: they count unless they hold nothing but records."""
    drifting.begin(prepared, AGENTS)
    records = [
        *(NAME, ".agents/sessions/other.md", ".agents/LOOPS.md", ".agents/holdfast.toml", ".continue-here-a.md"),
        *(".agents/SESSION-STATE.md", ".agents/SESSION-HISTORY.md", ".genie/state/SESSION-STATE.md"),
    ]
    for name in records:
        drifting.put(prepared, name, f"{AGENTS}\n")
    drifting.commit(prepared, "Records alone", LATER)
    for number, name in enumerate(["src/a.py", "it's a\nname.py", " \n", "README.md", ".agents/sessions.md"]):
        drifting.put(prepared, NAME, f"{AGENTS}{number}\n")
        drifting.put(prepared, name, f"{number}")
        drifting.commit(prepared, f"Work number {number}", LATER + 10 * number)
    prepared.git("mv", "src/a.py", ".agents/sessions/a.md")
    drifting.commit(prepared, "Moved to the records", LATER + 90)
    drifting.commit(prepared, "", LATER + 100, "--allow-empty-message")
    (words,) = drifting.found(prepared, "commits")
    assert [number for number in range(5) if f"Work number {number}" not in words] == []
    assert "Moved to the records" in words
    assert words.count(",") == 6
    assert "Records alone" not in words


def test_a_commit_of_a_state_file_with_any_name(prepared: Project) -> None:
    """Of a state file that is where no format looks, a commit of it alone does not count either."""
    now, root = time.time(), str(prepared.root)
    drifting.put(prepared, "notes.md", AGENTS)
    start = {"kind": "start", "root": root, "host": "elsewhere", "branch": "main", "at": now + BEGAN}
    prepared.remember(
        "one", start, {"kind": "state", "path": "notes.md", "root": root, "by": "edit", "at": now + WROTE}
    )
    drifting.commit(prepared, "Notes alone", LATER)
    assert not any("Notes alone" in words for words in drifting.found(prepared, "commits"))
    drifting.put(prepared, "notes.md", f"{AGENTS}more\n")
    drifting.put(prepared, "src/a.py", "x = 1\n")
    drifting.commit(prepared, "Notes and more", LATER + 10)
    (words,) = drifting.found(prepared, "commits")
    assert "Notes and more" in words
    assert "Notes alone" not in words


def test_what_a_merge_brings_along_is_no_commit_of_the_session(prepared: Project) -> None:
    """Of a merge, only the merge itself was made here."""
    drifting.begin(prepared, AGENTS)
    prepared.git("checkout", "-q", "-b", "other")
    drifting.put(prepared, "b.txt", "b\n")
    drifting.commit(prepared, "Somebody else's work", LATER)
    prepared.git("checkout", "-q", "main")
    prepared.git("merge", "-q", "--no-ff", "-m", "Merge the work of others", "other")
    (words,) = drifting.found(prepared, "commits")
    assert "Merge the work of others" in words
    assert "Somebody" not in words


@pytest.mark.parametrize("how", ["staged", "committed"])
def test_renamed_and_deleted_files(prepared: Project, how: str) -> None:
    """A file goes by its new name once it was renamed; a deleted one is reported as such."""
    for name in ("src/a.py", "src/b.py", "src/gone.py"):
        drifting.put(prepared, name, f"{name}\n" * 20)
    drifting.begin(prepared, stated("See lib/new.py."), *(edit(f"src/{name}.py") for name in ("a", "b", "gone")))
    (prepared.root / "lib").mkdir()
    prepared.git("mv", "src/a.py", "lib/new.py")
    prepared.git("mv", "src/b.py", "lib/other.py")
    prepared.git("rm", "-qf", "src/gone.py")
    if how == "committed":
        drifting.commit(prepared, "Moved")
    (words,) = drifting.found(prepared, "files")
    assert sorted(words.partition(": ")[2].split(", ")) == ["lib/other.py (was src/b.py)", "src/gone.py (deleted)"]


def test_a_file_that_nobody_wrote_in(prepared: Project) -> None:
    """Its age is that of the session."""
    drifting.put(prepared, NAME, AGENTS)
    drifting.commit(prepared, "state", -9000)
    os.utime(prepared.root / NAME, (1e9, 1e9))
    started = {"kind": "start", "root": str(prepared.root), "host": "elsewhere", "at": -7300}
    held = {"kind": "state", "path": NAME, "root": str(prepared.root), "by": "settle", "at": -7200}
    now = time.time()
    facts: tuple[dict[str, Any], ...] = (started, held, task("pending", "Convert"))
    prepared.remember("one", *({**fact, "at": now + fact["at"]} for fact in facts))
    reported = "Last written: only by holdfast (the session began 2 h ago)"
    assert [item.words for item in drifting.look(prepared).items] == ["Tasks not recorded: Convert (pending)", reported]


def test_since_when(prepared: Project) -> None:
    """A person's save with an editor counts, holdfast's own writes and a checkout do not."""
    drifting.begin(prepared, AGENTS, edit("src/a.py"))
    drifting.put(prepared, "src/a.py", "")
    path = prepared.root / NAME
    assert drifting.look(prepared).writer == "the model"
    assert drifting.found(prepared, "files")
    assert prepared.cli("settle").code == 0  # writes, stamps and stages
    assert "src/a.py" in path.read_text()
    assert drifting.look(prepared).writer == "the model"
    prepared.git("stash", "-q")
    prepared.git("stash", "pop", "-q", "--index")
    os.utime(path)
    assert drifting.look(prepared).writer == "the model"
    path.write_text(path.read_text().replace("the test bucket", "both buckets"))
    later = time.time() + 100
    os.utime(path, (later, later))
    report = drifting.look(prepared)
    assert (report.writer, round(report.since)) == ("a person", round(later))
    assert not drifting.found(prepared, "files")


CALLS = {
    "task": CASES["task: the one named is over"],
    "task in the frontmatter": CASES["task: in the frontmatter"],
    "tasks": CASES["tasks: created and not named"],
    "tasks of a file that holdfast keeps none in": Case("tasks", "x", GSD, (task("pending", "Convert; it's $(x)"),)),
    "tasks of a list": Case("tasks", "x", N5, (task("pending", "Convert"),)),
    "children": CASES["children: not mentioned"],
    "children in working memory": Case("children", "x", GSD, (child(),)),
    "loops": CASES["loops: captured since"],
    "loops closed": CASES["loops: closed and turned"],
    "loops counted": CASES["loops: another count"],
    "loops turned": CASES["loops: another status"],
    "budget": CASES["budget: another zone"],
    "budget not measured": CASES["budget: not measured yet"],
    "actions": CASES["actions: about a task that is over"],
    "actions on loops": CASES["actions: about a loop that is closed"],
    "loops twice": CASES["loops: one id twice, and one captured since"],
    "status": CASES["status: completed, and work went on"],
    "status in a discussion": CASES["status: in a discussion"],
    "status of a plan": CASES["status: a plan waits"],
    "status in another file": CASES["status: in a file of another dialect"],
    "tasks with a secret": Case("tasks", "x", GSD, (task("pending", "Use password=hunter2secret\nthere"),)),
    "branch": CASES["branch: another one"],
    "tasks that are still ahead": CASES["tasks: completed, and still a next step"],
    "tasks with an open box": CASES["tasks: completed, and its box is open"],
    "children that are done": CASES["children: done since, and named while it ran"],
    "loops of a file without a table": CASES["loops: no section, and captured by the session"],
}


def everything(project: Project, state: str) -> None:
    """Let as much have drifted as can be settled by lines that leave nothing open."""
    drifting.put(project, ".agents/LOOPS.md", TWO)
    drifting.put(project, "src/a.py", "")
    facts = (task("completed"), task("pending", "Convert", "2"), child(), edit("src/a.py"))
    drifting.begin(project, state, *facts, transcript=drifting.transcript(project, 84_000), branch="main")
    drifting.commit(project, "Read them twice")


EVERYTHING = {"gsd-lite": GSD + PLAN, "agents": BOTH + PLAN, "agents-flat": FLAT}


@pytest.mark.parametrize("state", EVERYTHING.values(), ids=EVERYTHING)
def test_settling_one_item_leaves_the_others(prepared: Project, state: str) -> None:
    """What a line puts into the file is no word of the model on all else: the others are still reported after it."""
    everything(prepared, state)
    before = drifting.look(prepared, own="one").items
    kinds = {item.kind for item in before}
    assert kinds >= {"files", "commits", "tasks", "children"}
    (path, known) = (prepared.root / NAME, (prepared.root / NAME).read_bytes())
    journal = prepared.store / "journal/one.jsonl"
    facts = journal.read_bytes()
    for item in before:
        if not item.remedy or "…" in item.remedy:
            continue
        assert drifting.typed(prepared, item.remedy, CLAUDE_CODE_SESSION_ID="one", HOLDFAST_CALLER="one").code == 0
        after = drifting.look(prepared, own="one").items
        others = {one.kind for one in before if one.remedy != item.remedy} - {"actions", "status"}  # which follow
        others -= (
            {"loops", "budget", "children"} if " settle " in item.remedy else set()
        )  # which it brings up to date as well
        assert others <= {one.kind for one in after}, item.words
        assert item.remedy not in {one.remedy for one in after}
        path.write_bytes(known)
        prepared.git("add", NAME)
        os.utime(path, (1e9, 1e9))
        journal.write_bytes(facts)


def test_what_the_lines_note_is_known_by_how_it_begins(prepared: Project) -> None:
    """Whoever asks since when the model wrote the file can tell these entries from its own."""
    drifting.begin(prepared, N5, task("pending", "Convert"), child(), loop("open"))
    drifting.commit(prepared, "Read them twice")
    for item in drifting.look(prepared).items:
        assert drifting.typed(prepared, item.remedy).code == 0
    assert drifting.look(prepared).items == []
    assert drifting.look(prepared).writer == "the model"
    lines = (prepared.root / NAME).read_text().partition("## Covered")[2].splitlines()
    assert NOTED == NAMED
    assert {word for word in NOTED for line in lines if line.startswith(f"- {word}")} == set(NOTED)


def test_a_line_that_would_not_settle_its_item_is_not_given(prepared: Project) -> None:
    """Where the file cannot take it, the item has no line, or one that leaves open what to say."""
    twice = f"{swap(GSD, ('Status | Captured |', 'Status | Raised |'))}\n## Recent Updates\n\n- Once more\n"
    arranged(prepared, Case("loops", "", twice, (child(),), ((".agents/LOOPS.md", TWO),)))
    items = {item.kind: item for item in drifting.look(prepared).items}
    assert items["loops"].remedy == ""
    assert "…" in items["children"].remedy
    assert "\n    \n" not in prepared.cli("recover").out


@pytest.mark.parametrize("case", CALLS.values(), ids=CALLS)
def test_a_call_settles_its_item(prepared: Project, case: Case) -> None:
    """A line that leaves nothing open makes its item vanish, typed by anybody, whatever its values hold."""
    arranged(prepared, case)
    (item,) = [item for item in drifting.look(prepared).items if item.kind == case.kind]
    assert "…" not in item.remedy
    reply = drifting.typed(prepared, item.remedy)
    assert (reply.code, reply.err) == (0, "")
    assert drifting.found(prepared, case.kind) == []


def test_a_commit_is_settled(prepared: Project) -> None:
    """So is the line for commits, which takes any subject."""
    drifting.begin(prepared, AGENTS)
    drifting.commit(prepared, """Say "it's" $(touch X) `touch X` \\ * ---""")
    (item,) = [item for item in drifting.look(prepared).items if item.kind == "commits"]
    assert drifting.typed(prepared, item.remedy).code == 0
    assert drifting.found(prepared, "commits") == []
    assert not (prepared.root / "X").exists()


OPEN = {
    "agents": (AGENTS, '{"Current State": "…", "Next Steps": ["…"]}'),
    "n5": (N5, '{"Covered": ["…"], "Progress": {"Next Actions": "…"}}'),
    "gsd-lite": (GSD, '{"Recent Updates": ["…"]}'),
    "agents-flat": (FLAT, '{"Journal": ["…"], "Next Steps": ["…"]}'),
}


@pytest.mark.parametrize(("state", "wanted"), OPEN.values(), ids=OPEN)
def test_what_only_the_model_knows_is_left_open(prepared: Project, state: str, wanted: str) -> None:
    """The line names the sections of that file's dialect, and is placed once it is filled in."""
    drifting.put(prepared, "src/a.py", "")
    drifting.begin(prepared, state, edit("src/a.py"))
    (item,) = [item for item in drifting.look(prepared, own="one").items if item.kind == "files"]
    assert item.remedy == f"holdfast sync --json '{wanted}'"
    reply = drifting.typed(prepared, item.remedy.replace("…", "src/a.py reads it"))
    assert (reply.code, reply.err) == (0, "")
    assert drifting.found(prepared, "files") == []


PATHS = st.lists(
    st.text("abé_-. ", min_size=1, max_size=4).filter(lambda name: name.strip(". ") == name), min_size=1, max_size=3
)


@given(PATHS, st.text("abé_-./ `(\n", max_size=12), st.text(" .,;:)`\n", max_size=4))
def test_a_path_that_stands_there_is_found(steps: list[str], before: str, after: str) -> None:
    """Wherever a path is by itself it is mentioned."""
    path = "/".join(steps)
    assert Prose(f"{before} `{path}`{after}").has_path(path)


@given(*[PATHS.filter(lambda steps: " " not in "".join(steps))] * 2)
def test_another_folder_is_not_taken_for_it(steps: list[str], others: list[str]) -> None:
    """A file is not described by the path of another one."""
    path, other = "/".join([*steps, "x.py"]), "/".join([*others, "x.py"])
    same = path == other or path.endswith(f"/{other}") or other.endswith(f"/{path}")
    assert Prose(f"see `{other}`").has_path(path) == same


@given(st.text(), st.text(), st.text())
def test_an_item_is_one_line(one: str, other: str, third: str) -> None:
    """Whatever a value holds, an item is one line without control characters."""
    item = Item("files", one, other, third, "", names=[one, other])
    words = f"{item.words}{''.join(map(str, item.row().values()))}"
    assert words.isprintable() or not any(
        char in words for char in map(chr, [*range(32), *range(127, 160), 0x2028, 0x2029])
    )


@pytest.mark.parametrize(("base", "passing"), [("", set()), ("HEAD", {"new.py"})])
def test_a_file_that_came_and_went_is_known_from_git(prepared: Project, base: str, passing: set[str]) -> None:
    """One that is gone was not there before either; without a commit from before nothing is known of it."""
    (prepared.root / "old.py").touch()
    prepared.git("add", "old.py")
    prepared.git("commit", "--quiet", "--message", "old")
    (prepared.root / "old.py").unlink()
    found = SimpleNamespace(changed=["old.py", "new.py"], root=str(prepared.root), _base=base)
    assert vars(evidence.Evidence)["passing"].func(found) == passing  # it looks at nothing else
