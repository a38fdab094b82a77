"""gsd-lite-state.md, Available Actions: the menu, the commands behind it, the fork and its return."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.requirements.support_gsd import (
    GLOBAL,
    ONE,
    TWO,
    actions,
    asked,
    loops,
    news,
    own,
    put,
    rows,
    section,
    slash,
    stated,
    stopped,
    swap,
    worked,
)
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
CORE = ["continue", "pause", "status", "add-loop", "discuss"]
DEEP = "Already in discussion mode (depth 1). Complete current discussion before forking again."
LINEAGE = loops(("LOOP-012", "open", "How much lineage is in scope?"), captured="2026-01-21T15:30:00Z")
AT_HAND = "TASK-003 (Write the budget template)"
ROADMAP = "# Roadmap\n\n- [x] **Phase 1: Foundation**\n- [ ] **Phase 2: Importer**\n- [ ] **Phase 3: Reports**\n"

# The menu

STATES = {
    "working": (),
    "in a discussion": (("discuss", "dates"),),
    "a plan waits": (("plan", "propose", "Split it"),),
    "between tasks": (("task", "complete"),),
    "paused": (("pause",),),
    "completed": (("close",),),
}


@pytest.mark.parametrize("steps", STATES.values(), ids=STATES)
def test_core_actions_are_always_present(prepared: Project, steps: tuple[tuple[str, ...], ...]) -> None:
    """/continue, /pause, /status, /add-loop and /discuss are there whatever the state is."""
    path = worked(prepared)
    for step in steps:
        own(prepared, *step)
    menu = actions(stopped(prepared, path))
    assert [name for name in CORE if name not in menu] == []


CONTEXTUAL = {
    "plan": ((("plan", "propose", "Split it"),), ["approve-plan", "reject-plan", "edit-plan"]),
    "loop": ((), ["close-loop", "explore-loop"]),
    "phase": ((("task", "complete"),), ["complete-phase", "skip-to-phase"]),
    "task": ((), ["complete-task", "skip-task"]),
    "discussion": ((("discuss", "dates"),), ["return"]),
}


@pytest.mark.parametrize(("steps", "wanted"), CONTEXTUAL.values(), ids=CONTEXTUAL)
def test_contextual_actions_vary_by_state(
    prepared: Project, steps: tuple[tuple[str, ...], ...], wanted: list[str]
) -> None:
    """What can be done to a plan, loop, phase, task or discussion is there while there is one."""
    path = worked(prepared)
    for step in steps:
        own(prepared, *step)
    menu = actions(stopped(prepared, path))
    assert [name for name in wanted if name not in menu] == []


def test_contextual_actions_of_another_state_are_not_there(prepared: Project) -> None:
    """Without a plan, a discussion or an open loop there is no action for it."""
    text = swap(ONE, ("clarifying |", "closed |"), ("open |", "closed |"), ("(1 clarifying, 2 open)", "(3 closed)"))
    menu = actions(stopped(prepared, worked(prepared, text)))
    others = ("approve-plan", "reject-plan", "edit-plan", "return", "close-loop", "explore-loop")
    assert [name for name in others if name in menu] == []


def test_actions_say_what_they_are_about(prepared: Project) -> None:
    """STATE.md shows exactly what is possible: which task is completed, which loop is closed."""
    menu = actions(stopped(prepared, worked(prepared)))
    assert "TASK-003" in menu["continue"]
    assert "TASK-003" in menu["complete-task"]
    assert "007/012/018" in menu["close-loop"]
    assert ("012" in menu["explore-loop"], "007" in menu["explore-loop"]) == (True, False)


def test_an_action_of_a_person_is_kept_and_shown_as_it_is(prepared: Project) -> None:
    """`/deploy` is no command of holdfast: it stays in the file, and status names it as the file does."""
    line = "- `/deploy` - To staging, ask Mara\n"
    path = worked(prepared, swap(ONE, ("- `/complete-task`", f"{line}- `/complete-task`")))
    assert line in stopped(prepared, path)
    reported = prepared.cli("status").out
    assert "/holdfast:deploy" not in reported
    assert "/deploy" in reported


# The commands


def test_continue_goes_on_with_the_current_task(prepared: Project) -> None:
    """Claude gets the task at hand."""
    worked(prepared)
    assert "TASK-003" in slash(prepared, "continue")


def test_pause_saves_state_and_creates_continue_here_md(prepared: Project) -> None:
    """The hand-over has the task, the phase and the open loops; /continue takes it up and the work goes on."""
    path = worked(prepared)
    reported = slash(prepared, "pause", "Mara knows the rest")
    over = (prepared.root / ".continue-here.md").read_text()
    wanted = ["TASK-003", "1. Foundation & templates", "LOOP-012", "Mara knows the rest"]
    assert [words for words in wanted if words not in over] == []
    assert ".continue-here.md" in reported
    assert stated(path.read_text(), "Current Context", "Status") == "Working (Paused)"
    assert "TASK-003" in slash(prepared, "continue")
    assert stated(path.read_text(), "Current Context", "Status") == "Working"


@pytest.mark.parametrize("status", ["In Progress", "Planning", "Waiting for Ana", "Blocked: Ana", "Working on it"])
def test_pause_keeps_a_status_in_other_words(prepared: Project, status: str) -> None:
    """A person's own words for it go on after a pause, too."""
    path = put(prepared, swap(ONE, ("**Status:** Working", f"**Status:** {status}")))
    assert prepared.cli("pause").code == 0
    assert stated(path.read_text(), "Current Context", "Status") == f"{status} (Paused)"
    assert prepared.cli("continue").code == 0
    assert stated(path.read_text(), "Current Context", "Status") == status


@pytest.mark.parametrize("status", ["Working", "Blocked (Ana must send the key)", "Awaiting Input", "Discussion Mode"])
def test_pause_keeps_sections_and_status_of_the_document(prepared: Project, status: str) -> None:
    """Pick up exactly where you left off: the next step is in the hand-over, and what the work waits for in both."""
    path = worked(prepared)
    if status == "Discussion Mode":
        own(prepared, "discuss", "dates")
    else:
        own(prepared, "sync", "--json", json.dumps({"Current Context": {"Status": status}}))
    titles = re.findall("(?m)^## .*", path.read_text())
    assert f'"{status} (Paused)"' in own(prepared, "pause", "--next", "Ask Mara: dates").out
    assert stated(path.read_text(), "Current Context", "Status") == f"{status} (Paused)"
    assert re.findall("(?m)^## .*", path.read_text()) == titles
    handed = (prepared.root / ".continue-here.md").read_text()
    assert [words for words in ("Ask Mara: dates", "Ana must send") if words not in handed] == (
        [] if "Ana" in status else ["Ana must send"]
    )
    assert f'→ "{status}"' in own(prepared, "continue").out
    assert stated(path.read_text(), "Current Context", "Status") == status


def test_status_shows_all_sections_of_state_md(prepared: Project) -> None:
    """Loops, budget, recent updates and the context stack are in the report; nothing is cut."""
    worked(prepared)
    reported = slash(prepared, "status")
    told = " ".join(reported.split())
    for title in ("Current Context", "Token Budget", "Recent Updates"):
        said = re.findall(r"(?m)^(?:\*\*[A-Z]\w+:\*\*|-) (.*[a-z].*)$", section(ONE, title))
        assert [line for line in said if line not in told and "%" not in line[:6] and line != "Working"] == []
    assert "…" not in reported
    wanted = ["Phase: 1.", "LOOP-007", "1850 / 5000 tokens", "Added LOOP-018", AT_HAND, "/holdfast:discuss"]
    assert [words for words in wanted if words not in reported] == []


def test_add_loop_drafts_the_loop_in_xml_and_presents_it_for_approval(prepared: Project) -> None:
    """Nothing is captured yet: Claude is given a draft with title, context and question, to be approved."""
    path = worked(prepared)
    before = path.read_bytes()
    reported = slash(prepared, "add-loop", "Which sources are in scope?").replace(
        "\u2039", "<"
    )  # as the fence writes it
    wanted = ["<loop", "<title>Which sources are in scope?</title>", "<context>", "<question>", "approv"]
    assert [words for words in wanted if words not in reported] == []
    assert list(prepared.root.rglob("LOOPS.md")) == []
    assert path.read_bytes() == before


def test_an_approved_loop_is_captured_with_context_and_question(prepared: Project) -> None:
    """What was approved is in LOOPS.md as XML, whole, and in the table."""
    path = worked(prepared)
    given = ("--context", "Mara's list names nine sources.", "--question", "Which of them do we import?")
    own(prepared, "loop", "add", "Which sources are in scope?", *given)
    (book,) = prepared.root.rglob("LOOPS.md")
    wanted = ['status="open"', "<title>Which sources are in scope?</title>", *given[1::2]]
    assert [words for words in wanted if words not in book.read_text()] == []
    assert rows(path.read_text())["LOOP-019"][1] == "Which sources are in scope?"


def test_approve_plan_proceeds_to_execution(prepared: Project) -> None:
    """The plan is the task at hand, and nothing waits any more."""
    path = worked(prepared)
    own(prepared, "plan", "propose", "Split the importer")
    slash(prepared, "approve-plan")
    text = path.read_text()
    assert stated(text, "Current Context", "Status") == "Working"
    assert stated(text, "Current Context", "Task") == "PLAN-001 - Split the importer"
    assert "AWAITING" not in text


def test_reject_plan_requests_revisions(prepared: Project) -> None:
    """Claude gets the reason, which is kept; the work is back at the task."""
    path = worked(prepared)
    own(prepared, "plan", "propose", "Split the importer")
    assert "too large" in slash(prepared, "reject-plan", "too large")
    text = path.read_text()
    assert stated(text, "Current Context", "Task") == "TASK-003 - Write the budget template"
    assert "too large" in news(text)[0]


_AHEAD = (("task", "start", "Ship"), ("task", "add", "Second"))
_TYPED = ("sync", "--json", '{"Current Context": {"Task": "Ship"}}')
INTERRUPTED = {
    "started before another was added": (ONE, _AHEAD),
    "the same in a file of the format agents": ("", _AHEAD),
    "added before": (ONE, (("task", "add", "Ship"), ("task", "add", "Second"), ("task", "start", "Ship"))),
    "of a person, without an id": (ONE, (_TYPED, ("task", "add", "Second"))),
    "none": (ONE, (("task", "complete"), ("task", "add", "Second"))),
}


@pytest.mark.parametrize(("text", "steps"), INTERRUPTED.values(), ids=INTERRUPTED)
def test_reject_plan_goes_back_to_the_task_that_it_interrupted(
    prepared: Project, text: str, steps: tuple[tuple[str, ...], ...]
) -> None:
    """Whatever was added meanwhile. What was rejected is no task, so the hand-over does not call it one."""
    if text:
        worked(prepared, text)
    for step in steps:
        own(prepared, *step)
    before = own(prepared, "task", "list", "--json").json["task"]
    own(prepared, "plan", "propose", "Split it")
    own(prepared, "plan", "reject", "too large")
    assert own(prepared, "task", "list", "--json").json["task"] == before
    own(prepared, "pause")
    (handed,) = [*prepared.root.glob(".continue-here.md"), *prepared.store.glob("private/.continue-here.md")]
    assert "PLAN-001 - Split it" not in handed.read_text()


def test_a_task_that_is_left_for_another_waits(prepared: Project) -> None:
    """Also one that a person wrote without an id: it is on the list of tasks."""
    worked(prepared, swap(ONE, ("TASK-003 - Write the budget template", "Ship")))
    own(prepared, "task", "start", "Second")
    assert own(prepared, "task", "list", "--json").json["waiting"] == ["Ship"]


def test_edit_plan_requests_specific_modifications(prepared: Project) -> None:
    """Claude gets the changes, which are kept; the plan goes on waiting."""
    path = worked(prepared)
    own(prepared, "plan", "propose", "Split the importer")
    assert "tests first" in slash(prepared, "edit-plan", "tests first")
    text = path.read_text()
    assert stated(text, "Current Context", "Status") == "Blocked (Awaiting Approval)"
    assert "tests first" in news(text)[0]


def test_close_loop_marks_it_resolved_and_documents_the_outcome(prepared: Project) -> None:
    """The row goes, and LOOPS.md has the outcome."""
    path = worked(prepared)
    book = put(prepared, LINEAGE, ".gsd-lite/LOOPS.md")
    slash(prepared, "close-loop", "12 Customers only")
    assert "LOOP-012" not in rows(path.read_text())
    assert '<loop id="LOOP-012" status="closed">' in book.read_text()
    assert "<result>Customers only</result>" in book.read_text()


def test_explore_loop_changes_the_status_to_clarifying(prepared: Project) -> None:
    """Table, count and LOOPS.md say so."""
    path = worked(prepared)
    book = put(prepared, LINEAGE, ".gsd-lite/LOOPS.md")
    slash(prepared, "explore-loop", "LOOP-012")
    assert rows(path.read_text())["LOOP-012"][2] == "clarifying"
    assert stated(path.read_text(), "Active Loops", "Total active") == "3 loops (2 clarifying, 1 open)"
    assert '<loop id="LOOP-012" status="clarifying">' in book.read_text()


def test_complete_phase_moves_to_the_next(prepared: Project) -> None:
    """The next phase is the next one of ROADMAP.md, which the phase is from."""
    put(prepared, ROADMAP, "ROADMAP.md")
    path = worked(prepared)
    slash(prepared, "complete-phase")
    assert stated(path.read_text(), "Current Context", "Phase") == "2. Importer"


ROADMAPS = {
    "beside": (".gsd-lite/ROADMAP.md", ROADMAP),
    "a table": ("ROADMAP.md", "| Phase | Status |\n|---|---|\n| 1. Foundation | done |\n| 2. Importer | open |\n"),
    "two columns": (
        "ROADMAP.md",
        "| # | Phase | Goal |\n|---|---|---|\n| 1 | Foundation | a |\n| 2 | Importer | b |\n",
    ),
    "number and name": ("ROADMAP.md", "| Phase | Name |\n|---|---|\n| 1 | Foundation |\n| Phase 2 | Importer |\n"),
    "headings": ("ROADMAP.md", "# Roadmap\n\n## 1. Foundation\n\nx\n\n## 2. Importer\n"),
    "a numbered list": ("ROADMAP.md", "1. Foundation\n2. **Importer** (next)\n"),
}


@pytest.mark.parametrize(("name", "text"), ROADMAPS.values(), ids=ROADMAPS)
def test_the_phase_is_from_the_roadmap_whatever_its_form(prepared: Project, name: str, text: str) -> None:
    """ROADMAP.md may be beside the state file or above, with headings, lists or a table."""
    put(prepared, text, name)
    path = worked(prepared)
    slash(prepared, "complete-phase")
    assert stated(path.read_text(), "Current Context", "Phase") == "2. Importer"


def test_the_last_phase_can_be_completed(prepared: Project) -> None:
    """Nothing comes after it, and the trail says so."""
    put(prepared, ROADMAP, "ROADMAP.md")
    path = worked(prepared, swap(ONE, ("1. Foundation & templates", "3. Reports")))
    slash(prepared, "complete-phase")
    assert stated(path.read_text(), "Current Context", "Phase") == "None (3. Reports is complete)"
    assert news(path.read_text())[0].startswith("Completed phase 3. Reports")


TWICE = {
    "skip to the phase": [("phase", "skip-to", "1", "Foundation & templates")],
    "skip to the phase by number": [("phase", "skip-to", "1")],
    "complete a phase": [("phase", "complete", "--next", "2. Reports"), ("phase", "complete", "--next", "2. reports")],
    "complete a phase by name": [
        ("phase", "complete", "--next", "Reports"),
        ("phase", "complete", "--next", "Reports"),
    ],
    "start the task": [("task", "start", "TASK-003")],
    "add a task": [("task", "add", "Write more"), ("task", "add", "Write more")],
    "complete a task": [("task", "complete"), ("task", "complete", "TASK-003")],
    "add a loop": [("loop", "add", "Why?"), ("loop", "add", "Why?")],
    "discuss": [("discuss", "dates"), ("discuss", "dates")],
    "propose a plan": [("plan", "propose", "Split"), ("plan", "propose", "Split")],
}


@pytest.mark.parametrize("steps", TWICE.values(), ids=TWICE)
def test_the_same_command_twice_is_once(prepared: Project, steps: list[tuple[str, ...]]) -> None:
    """The second one writes nothing, and says so."""
    path = worked(prepared)
    for step in steps[:-1]:
        own(prepared, *step)
    before = news(path.read_text())
    reply = asked(prepared, *steps[-1])
    assert re.search("(?i)already|over|no current|is the current", reply.out + reply.err), reply
    assert news(path.read_text()) == before


def test_skip_to_phase_jumps_to_a_specific_phase(prepared: Project) -> None:
    """The number alone is enough where ROADMAP.md names the phase."""
    put(prepared, ROADMAP, "ROADMAP.md")
    path = worked(prepared)
    slash(prepared, "skip-to-phase", "3")
    assert stated(path.read_text(), "Current Context", "Phase") == "3. Reports"


@pytest.mark.parametrize("roadmap", ["", ROADMAP], ids=["without a roadmap", "with one"])
def test_skip_to_phase_takes_a_number(prepared: Project, roadmap: str) -> None:
    """A word that is neither a number nor a phase of the roadmap is refused, and nothing is written."""
    if roadmap:
        put(prepared, roadmap, "ROADMAP.md")
    path = worked(prepared)
    before = path.read_bytes()
    reported = slash(prepared, "skip-to-phase", "two")
    assert path.read_bytes() == before
    assert "Now in phase" not in reported
    assert "number" in reported


TWICE_THERE = {
    "Current Context": (("phase", "complete", "--next", "Two"), ("plan", "propose", "P"), ("discuss", "dates")),
    "Context Stack": (("task", "complete"), ("discuss", "dates")),
    "Recent Updates": (("task", "add", "T"), ("phase", "complete", "--next", "Two")),
}


@pytest.mark.parametrize("title", TWICE_THERE)
def test_a_section_that_is_there_twice_is_not_changed(prepared: Project, title: str) -> None:
    """It is not clear which one is meant: the command is refused, and nothing claims it."""
    path = worked(prepared, f"{ONE}\n## {title}\n\n{section(ONE, title)}\n")
    before = path.read_text()
    codes = {asked(prepared, *step).code for step in TWICE_THERE[title]}
    assert (codes, path.read_text()) == ({1}, before)


def test_return_while_paused_stays_paused(prepared: Project) -> None:
    """Depth and status agree, and continue goes on with the task."""
    path = worked(prepared)
    for step in (("discuss", "dates"), ("pause",), ("return",)):
        own(prepared, *step)
    assert stated(path.read_text(), "Current Context", "Status") == "Working (Paused)"
    own(prepared, "continue")
    assert stated(path.read_text(), "Current Context", "Status") == "Working"


def test_skip_to_phase_knows_the_names_of_phases_that_were_left(prepared: Project) -> None:
    """Without a roadmap, too: the phase just completed goes on by its number alone."""
    path = worked(prepared)
    own(prepared, "phase", "complete", "--next", "Importer: dates")
    own(prepared, "phase", "skip-to", "1")
    assert stated(path.read_text(), "Current Context", "Phase") == "1. Foundation & templates"


def test_complete_task_moves_to_the_next(prepared: Project) -> None:
    """The task that waits is at hand."""
    path = worked(prepared)
    own(prepared, "task", "add", "Write the loop template")
    slash(prepared, "complete-task")
    assert stated(path.read_text(), "Current Context", "Task") == "TASK-004 - Write the loop template"


def test_skip_task_has_a_rationale(prepared: Project) -> None:
    """Without a reason nothing is skipped; with one it is in the trail."""
    path = worked(prepared)
    before = path.read_bytes()
    slash(prepared, "skip-task")
    assert path.read_bytes() == before
    slash(prepared, "skip-task", "no samples yet")
    assert "Skipped TASK-003: no samples yet" in news(path.read_text())


# Return behaviour after a fork


def test_agent_updates_the_context_stack_when_the_user_forks(prepared: Project) -> None:
    """Current is the discussion, Return to the task, Depth 1."""
    path = worked(prepared)
    slash(prepared, "discuss", "token budget research")
    stack = section(path.read_text(), "Context Stack")
    assert stack == f"**Current:** /discuss token budget research\n**Return to:** {AT_HAND}\n**Depth:** 1"


def test_words_of_a_person_in_the_stack_are_kept(prepared: Project) -> None:
    """A note on the discussion, in the document's form, goes with it: its words are in Recent Updates."""
    path = worked(prepared, swap(ONE, ("**Return to:** None (not forked)", "**Return to:** None, Mara is away")))
    own(prepared, "discuss", "dates")
    assert news(path.read_text())[0] == "Forked into discussion: dates (Return to said: None, Mara is away)"
    path.write_text(swap(path.read_text(), ("**Depth:** 1\n", "**Depth:** 1\n\n*Discussion: Mara asked why*\n")))
    assert asked(prepared, "return", "Days are enough").code == 0
    assert news(path.read_text())[0] == "Returned from discussion: dates; Days are enough; Mara asked why"
    assert section(path.read_text(), "Context Stack").endswith("**Return to:** None (not forked)\n**Depth:** 0")


IDS_OF_DECISIONS = {
    "a title": ("Only parents", "DECISION-009: Only parents"),
    "an id": ("DECISION-004", "DECISION-004"),
    "id and title": ("decision-12 - Only parents", "DECISION-012: Only parents"),
}


@pytest.mark.parametrize(("given", "shown"), IDS_OF_DECISIONS.values(), ids=IDS_OF_DECISIONS)
def test_a_hand_over_has_the_decisions_of_loops(prepared: Project, given: str, shown: str) -> None:
    """The document: "created DECISION-008": an id that is given is that one, and the next session is told."""
    worked(prepared)
    own(prepared, "loop", "close", "12", "--outcome", "All of it", "--decision", given)
    assert f"<decision_ref>{shown}</decision_ref>" in (prepared.root / ".gsd-lite/LOOPS.md").read_text()
    own(prepared, "pause")
    assert f"- {shown} (LOOP-012: All of it)\n" in (prepared.root / ".continue-here.md").read_text()


def test_agent_prompts_before_returning(prepared: Project) -> None:
    """The file offers the way back by name, with what it returns to."""
    path = worked(prepared)
    slash(prepared, "discuss", "token budget research")
    assert AT_HAND in actions(path.read_text())["return"]


@pytest.mark.parametrize("command", ["return", "continue"])
def test_user_confirms_and_agent_restores_the_context_stack(prepared: Project, command: str) -> None:
    """Either command brings back the stack and the status."""
    path = worked(prepared)
    slash(prepared, "discuss", "token budget research")
    reported = slash(prepared, command)
    assert "TASK-003" in reported
    stack = section(path.read_text(), "Context Stack")
    assert stack == f"**Current:** {AT_HAND}\n**Return to:** None (not forked)\n**Depth:** 0"
    assert stated(path.read_text(), "Current Context", "Status") == "Working"


@pytest.mark.parametrize("word", ["Blocked", "Awaiting Input", "Blocked (waits for Mara's samples)"])
def test_a_discussion_from_blocked_is_a_discussion_and_comes_back_to_blocked(prepared: Project, word: str) -> None:
    """Status says Discussion Mode while it goes on, then again what it said before."""
    path = worked(prepared, swap(ONE, ("**Status:** Working", f"**Status:** {word}")))
    own(prepared, "discuss", "dates")
    assert stated(path.read_text(), "Current Context", "Status") == "Discussion Mode"
    own(prepared, "return")
    assert stated(path.read_text(), "Current Context", "Status") == word


def test_nesting_limit_is_a_single_level(prepared: Project) -> None:
    """A second fork is refused in the document's words, and nothing is written."""
    path = worked(prepared)
    slash(prepared, "discuss", "dates")
    before = path.read_bytes()
    assert DEEP in slash(prepared, "discuss", "more")
    assert path.read_bytes() == before


# Example 2, and plans


def test_a_checkpoint_is_kept_until_it_is_decided(prepared: Project) -> None:
    """What Claude wrote of a plan that waits is there after two turns: status, task, actions, stack, AWAITING line."""
    path = worked(prepared, TWO)
    stopped(prepared, path)
    text = stopped(prepared, path)
    assert section(text, "Current Context") == section(TWO, "Current Context")
    assert section(text, "Context Stack") == section(TWO, "Context Stack")
    menu = actions(text)
    assert [name for name in ("approve-plan", "reject-plan", "edit-plan") if name not in menu] == []
    assert "complete-task" not in menu
    assert "**AWAITING: Approve, reject, or edit PLAN-005**" in section(text, "Available Actions")


@pytest.mark.parametrize("command", ["return", "continue"])
@pytest.mark.parametrize("text", [ONE, TWO], ids=["proposed by command", "written by Claude"])
def test_a_discussion_at_a_checkpoint_comes_back_to_it(prepared: Project, text: str, command: str) -> None:
    """The plan still waits: status, stack, menu, and the approval itself."""
    path = worked(prepared, text)
    if text == ONE:
        own(prepared, "plan", "propose", "Split the importer")
    before = path.read_text()
    slash(prepared, "discuss", "why so late")
    slash(prepared, command)
    after = path.read_text()
    for title in ("Current Context", "Context Stack"):
        assert section(after, title) == section(before, title)
    assert "**AWAITING: Approve, reject, or edit PLAN-00" in section(after, "Available Actions")
    assert "Approved PLAN-00" in own(prepared, "plan", "approve").out


def test_a_checkpoint_is_named_by_status(prepared: Project) -> None:
    """Before any turn has ended, status says which plan waits and what can be done about it."""
    put(prepared, TWO)
    reported = prepared.cli("status").out
    assert "Waits for approval: PLAN-005" in reported
    assert "/holdfast:approve-plan" in reported


DECISIONS = {
    "approve": ("approve-plan", "", "Working", "PLAN-005 - Draft the hand-over"),
    "reject": ("reject-plan", "too large", "Working", ""),
    "edit": ("edit-plan", "tests first", "Blocked (Awaiting Approval)", "PLAN-005 - Draft the hand-over"),
}


@pytest.mark.parametrize(("name", "typed", "status", "after"), DECISIONS.values(), ids=DECISIONS)
def test_a_checkpoint_is_decided_by_command(prepared: Project, name: str, typed: str, status: str, after: str) -> None:
    """The plan is recognised from status, task and menu alone; the decision is after the next turn, too."""
    path = worked(prepared, TWO)
    stopped(prepared, path)
    assert "PLAN-005" in slash(prepared, name, typed)
    text = stopped(prepared, path)
    assert stated(text, "Current Context", "Status") == status
    assert not after or stated(text, "Current Context", "Task") == after
    assert ("AWAITING" in text) == (name == "edit-plan")
    assert "PLAN-005" in news(text)[0]


@pytest.mark.parametrize("word", ["Working", "Blocked", "Awaiting Input", "Executing"])
def test_status_awaits_approval_after_a_plan_is_proposed(prepared: Project, word: str) -> None:
    """Whatever the status said before, it says what the document's example says."""
    path = worked(prepared, swap(ONE, ("**Status:** Working", f"**Status:** {word}")))
    own(prepared, "plan", "propose", "Split the importer")
    text = path.read_text()
    assert stated(text, "Current Context", "Status") == "Blocked (Awaiting Approval)"
    assert stated(text, "Context Stack", "Current") == "PLAN-001 approval checkpoint"
    assert "Presented PLAN-001 for approval: Split the importer" in news(text)
    assert GLOBAL in prepared.staged()
