"""Detours, plans, tasks and phases by hand: what each step leaves in the state file, and what it refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.hazards import shapes
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
NAME = ".agents/sessions/20260121-144500-importer.md"
DEEP = "Already in discussion mode (depth 1). Complete current discussion before forking again."
ROADMAP = """\
# Roadmap

- [x] **Phase 1: Foundation** - the reader
- [ ] **Phase 2: Importing & totals** - what Mara needs first

## Phase 3: Reports
"""


def begun(project: Project) -> Path:
    """Begin a state file of working memory, as a person does."""
    assert project.cli("start", "--format", "gsd-lite", "Importer").code == 0
    return project.state_files()[0]


def bare(text: str) -> str:
    """Return a text without its times."""
    return re.sub(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\dZ)?", "T", text)


class Case(NamedTuple):
    """Steps, the last of which is looked at: the lines that are afterwards, those that do not, and what is reported."""

    steps: list[tuple[str, ...]]
    stands: list[str]
    gone: list[str]
    stated: str


PARSE = ("task", "start", "Parse the invoices")
CASES = {
    "a task begun": Case(
        [PARSE],
        [
            "**Task:** TASK-001 - Parse the invoices",
            "**Current:** TASK-001 (Parse the invoices)",
            "- Started TASK-001: Parse the invoices",
            "- `/holdfast:continue` - Continue working on TASK-001",
            "- `/holdfast:complete-task` - Mark TASK-001 complete",
            "- `/holdfast:skip-task [reason]` - Skip TASK-001 with rationale",
        ],
        ["Continue current task"],
        "Started TASK-001: Parse the invoices.",
    ),
    "a task with an id of its own": Case(
        [("task", "start", "TASK-041 - Parse"), ("task", "complete", "--next", "Write")],
        ["**Task:** TASK-042 - Write", "- Completed TASK-041: Parse"],
        [],
        "Completed TASK-041. Now: TASK-042.",
    ),
    "the next task that waits": Case(
        [("task", "add", "Parse"), ("task", "add", "Write"), ("task", "start", "task-1"), ("task", "complete")],
        ["- Added TASK-002: Write", "**Task:** TASK-002 - Write"],
        ["## Tasks"],
        "Completed TASK-001. Now: TASK-002.",
    ),
    "no task left": Case(
        [PARSE, ("task", "complete")],
        ["**Task:** None (TASK-001 is complete)", "**Current:** Between tasks (TASK-001 is complete)"],
        ["complete-task", "skip-task"],
        "Completed TASK-001. No other task waits. Start one: holdfast task start TITLE",
    ),
    "a task begun while one is at hand, which waits": Case(
        [PARSE, ("task", "start", "Write"), ("task", "complete")],
        ["**Task:** TASK-001 - Parse the invoices"],
        ["## Tasks"],
        "Completed TASK-002. Now: TASK-001.",
    ),
    "a task that waited, skipped": Case(
        [("task", "add", "Waits"), ("task", "start", "1"), ("task", "skip", "no time")],
        ["- Added TASK-001: Waits", "- Skipped TASK-001: no time"],
        ["## Tasks"],
        "Skipped TASK-001: no time. No other task waits. Start one: holdfast task start TITLE",
    ),
    "the last task completed within a discussion": Case(
        [PARSE, ("discuss", "dates"), ("task", "complete"), ("return",)],
        ["**Current:** Between tasks (TASK-001 is complete)", "**Depth:** 0", "**Status:** Working"],
        [],
        "Back to Between tasks (TASK-001 is complete); the discussion of dates is over.",
    ),
    "a plan approved within a discussion": Case(
        [("plan", "propose", "Split it"), ("discuss", "why"), ("plan", "approve"), ("return",)],
        ["**Status:** Working", "**Current:** PLAN-001 (Split it)", "**Depth:** 0"],
        ["AWAITING"],
        "Back to PLAN-001 (Split it); the discussion of why is over.",
    ),
    "a plan made in a task, and rejected": Case(
        [PARSE, ("plan", "propose", "Split it"), ("plan", "reject")],
        [
            "**Task:** TASK-001 - Parse the invoices",
            "**Current:** TASK-001 (Parse the invoices)",
            "**Status:** Working",
        ],
        ["AWAITING"],
        "Rejected PLAN-001 (Split it). It is to be revised.",
    ),
    "paused and continued while a plan waits": Case(
        [("plan", "propose", "Split it"), ("pause",), ("continue",)],
        ["**Status:** Blocked (Awaiting Approval)", "- Paused the session", "- Continued the session"],
        ["Take up what was paused"],
        "",
    ),
    "paused within a discussion": Case(
        [PARSE, ("discuss", "dates"), ("pause",)],
        ["**Status:** Discussion Mode (Paused)", "- `/holdfast:continue` - Take up what was paused", "**Depth:** 1"],
        ["/holdfast:return"],
        "",
    ),
    "a task skipped": Case(
        [PARSE, ("task", "skip", "no samples", "--next", "Write")],
        ["**Task:** TASK-002 - Write", "- Skipped TASK-001: no samples", "- Started TASK-002: Write"],
        [],
        "Skipped TASK-001: no samples. Now: TASK-002.",
    ),
    "a task completed within a discussion": Case(
        [PARSE, ("discuss", "dates"), ("task", "complete", "--next", "Write")],
        [
            "**Current:** /discuss dates",
            "**Return to:** TASK-002 (Write)",
            "**Depth:** 1",
            "**Task:** TASK-002 - Write",
        ],
        [],
        "Completed TASK-001. Now: TASK-002.",
    ),
    "a discussion": Case(
        [PARSE, ("discuss", "**why:** 50% | `x`")],
        [r"**Current:** /discuss \*\*why:\*\* 50% | `x`", "**Depth:** 1", "**Status:** Discussion Mode"],
        ["complete-task"],
        "In discussion: **why:** 50% | `x`. `holdfast return` goes back to TASK-001 (Parse the invoices).",
    ),
    "back": Case(
        [PARSE, ("discuss", "dates"), ("return", "--summary", "ISO")],
        [
            "**Current:** TASK-001 (Parse the invoices)",
            "**Return to:** None (not forked)",
            "**Depth:** 0",
            "**Status:** Working",
            "- Returned from discussion: dates; ISO",
        ],
        ["/holdfast:return"],
        "Back to TASK-001 (Parse the invoices); the discussion of dates is over.",
    ),
    "a plan": Case(
        [("plan", "propose", "Split it")],
        [
            "**Task:** PLAN-001 - Split it",
            "**Status:** Blocked (Awaiting Approval)",
            "**Current:** PLAN-001 approval checkpoint",
            "**Return to:** None (checkpoint is primary context)",
            "**Contextual (plan approval):**",
            "- `/holdfast:approve-plan` - Approve PLAN-001, proceed to execution",
            "**AWAITING: Approve, reject, or edit PLAN-001**",
            "- Presented PLAN-001 for approval: Split it",
        ],
        ["Type action or respond directly", "## Plans"],
        "PLAN-001 waits for approval: Split it.",
    ),
    "a plan approved": Case(
        [("plan", "propose", "Split it | now"), ("plan", "approve")],
        [
            "**Focus:** Split it | now",
            "**Status:** Working",
            "**Current:** PLAN-001 (Split it | now)",
            "**Return to:** None (not forked)",
            "**Type action or respond directly**",
        ],
        ["approve-plan", "AWAITING"],
        "Approved PLAN-001: Split it | now. The work on it may begin.",
    ),
    "a plan rejected, and a second one": Case(
        [("plan", "propose", "One"), ("plan", "reject", "too large"), ("plan", "propose", "Two")],
        ["- Presented PLAN-002 for approval: Two", "- Rejected PLAN-001: too large"],
        ["## Plans"],
        "PLAN-002 waits for approval: Two.",
    ),
    "a plan to be changed": Case(
        [("plan", "propose", "One"), ("plan", "edit", "tests first")],
        ["**Status:** Blocked (Awaiting Approval)", "- Asked for changes to PLAN-001: tests first"],
        [],
        "Changes to PLAN-001 are asked for: tests first",
    ),
    "a phase by number and name": Case(
        [("phase", "skip-to", "2", "Import")],
        ["**Phase:** 2. Import", "- Began phase 2. Import"],
        [],
        "Now in phase 2. Import.",
    ),
    "the phase after it": Case(
        [("phase", "skip-to", "2. Import"), ("phase", "complete", "2", "--next", "Reports")],
        ["**Phase:** 3. Reports", "- Completed phase 2. Import, began 3. Reports"],
        [],
        "Completed phase 2. Import. Now: 3. Reports.",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_step_stands_in_the_state_file(prepared: Project, case: Case) -> None:
    """Fields, sections and news say so; the file is staged; its audit still knows it for what it is."""
    path = begun(prepared)
    replies = [prepared.cli(*step) for step in case.steps]
    assert [reply.code for reply in replies] == [0] * len(replies), replies
    text = bare(path.read_text())
    for line in case.stands:
        assert f"{line}\n" in text
    for part in case.gone:
        assert part not in text
    assert not case.stated or replies[-1].out.splitlines()[0] == case.stated
    assert str(path.relative_to(prepared.root)) in prepared.staged()
    assert "(gsd-lite)" in prepared.cli("audit", "--convo-id", path.stem).out


REFUSALS = {
    "a discussion within a discussion": ([("discuss", "dates"), ("discuss", "more")], DEEP),
    "an empty topic": ([("discuss", " ")], "The topic is empty"),
    "nothing to return from": ([("return",)], "Not in discussion mode (depth 0)"),
    "a second plan": ([("plan", "propose", "One"), ("plan", "propose", "Two")], "PLAN-001 waits for approval already"),
    "a plan within a discussion": ([("discuss", "dates"), ("plan", "propose", "One")], "holdfast return"),
    "no plan to approve": ([("plan", "approve")], "No plan waits for approval"),
    "no plan to reject": ([("plan", "reject")], "No plan waits for approval"),
    "no changes": ([("plan", "propose", "One"), ("plan", "edit", "")], "Say what is to change"),
    "a plan without a title": ([("plan", "propose", "")], "The plan has no title"),
    "a task while a plan waits": ([("plan", "propose", "P"), ("task", "start", "T")], "PLAN-001 waits for approval"),
    "completing the plan that waits": ([("plan", "propose", "P"), ("task", "complete")], "PLAN-001 waits for approval"),
    "another plan": ([("plan", "propose", "P"), ("plan", "approve", "PLAN-007")], "PLAN-001 does"),
    "an id that is taken": ([PARSE, ("task", "add", "TASK-001 - Other")], "is 'Parse the invoices' already"),
    "the phase at hand again": (
        [("phase", "skip-to", "1", "A"), ("phase", "complete", "--next", "1. A")],
        "is the current phase",
    ),
    "a phase that is not the current one": (
        [("phase", "skip-to", "1", "A"), ("phase", "complete", "2. B")],
        "'2. B' is not the current phase, 1. A, so nothing was completed",
    ),
    "another task to skip": (
        [PARSE, ("task", "add", "Write"), ("task", "skip", "Write")],
        "TASK-002 is not the current task, TASK-001, so nothing was skipped",
    ),
    "the task itself as a reason": ([PARSE, ("task", "skip", "TASK-001")], "Say why TASK-001 is skipped"),
    "a task to put off that is none": ([PARSE, ("task", "later", "TASK-009", "2099-12-01")], "there is no TASK-009"),
    "a next task that is none": ([PARSE, ("task", "complete", "--next", "TASK-009")], "there is no TASK-009"),
    "another plan to reject": ([("plan", "propose", "P"), ("plan", "reject", "PLAN-007 slow")], "PLAN-001 does"),
    "no changes but an id": ([("plan", "propose", "P"), ("plan", "edit", "PLAN-001")], "Say what is to change"),
    "no reason to skip": ([PARSE, ("task", "skip", "")], "Say why TASK-001 is skipped"),
    "no current task": ([PARSE, ("task", "complete"), ("task", "complete")], "There is no current task"),
    "a task without a title": ([("task", "start", "")], "The task has no title"),
    "no current phase": ([("phase", "complete")], "There is no current phase"),
    "no phase after it": ([("phase", "skip-to", "1", "A"), ("phase", "complete")], "no ROADMAP.md here names phases"),
    "a phase without a name": ([("phase", "skip-to", "9")], "Phase 9 has no name here"),
}


@pytest.mark.parametrize(("steps", "why"), REFUSALS.values(), ids=REFUSALS)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(
    prepared: Project, steps: list[tuple[str, ...]], why: str
) -> None:
    """The refusal says why and what to type; the file is as it was."""
    path = begun(prepared)
    for step in steps[:-1]:
        assert prepared.cli(*step).code == 0
    before = path.read_bytes()
    reply = prepared.cli(*steps[-1])
    assert (reply.code, reply.out) == (1, "")
    assert why in reply.err
    assert path.read_bytes() == before


def test_the_roadmap_names_the_phases(prepared: Project) -> None:
    """The next phase and one by its number are called as ROADMAP.md calls them, which stays as it is."""
    path = begun(prepared)
    (prepared.root / "ROADMAP.md").write_text(ROADMAP)
    for arguments, phase in (
        (("skip-to", "1"), "1. Foundation"),
        (("complete",), "2. Importing & totals"),
        (("complete",), "3. Reports"),
    ):
        assert prepared.cli("phase", *arguments).code == 0
        assert f"**Phase:** {phase}\n" in path.read_text()
    assert prepared.cli("phase", "complete").out.startswith("Completed phase 3. Reports, the last one.")
    assert "**Phase:** None (3. Reports is complete)\n" in path.read_text()
    assert "Known: 1, 2, 3" in prepared.cli("phase", "skip-to", "7").err
    assert (prepared.root / "ROADMAP.md").read_text() == ROADMAP


WRITABLE = {name: text for name, text in vars(shapes).items() if isinstance(text, tuple) and name in {"AGENTS", "N5"}}


@pytest.mark.parametrize("name", WRITABLE)
def test_any_state_file_may_have_the_sections(prepared: Project, name: str) -> None:
    """`memory` gives a file of another dialect the six sections, which steps use, and leaves every line as it was."""
    before = WRITABLE[name][1]
    path = prepared.root / NAME
    path.parent.mkdir()
    path.write_text(before)
    assert prepared.cli("memory").code == 0
    assert prepared.cli("discuss", "dates").code == 0
    after = path.read_text()
    assert "\n## Context Stack\n\n**Current:** /discuss dates\n" in after
    assert "\n**Status:** Discussion Mode\n" in after
    assert "`/holdfast:return`" in after
    rest = iter(after.splitlines())
    stays = [line for line in before.splitlines() if "pdated" not in line]
    assert [line for line in stays if line not in rest] == []
    assert "depth 1" in prepared.cli("discuss", "more").err
    assert prepared.cli("return").code == 0
    assert "**Depth:** 0\n" in path.read_text()
    whole = path.read_text()
    assert prepared.cli("memory").out.splitlines()[0] == "All six sections are there and up to date."
    assert path.read_text() == whole


def test_a_register_has_no_working_memory(prepared: Project) -> None:
    """An entry of a hub is refused with its reason."""
    path = prepared.root / ".genie/SESSION-STATE.md"
    path.parent.mkdir()
    path.write_text(shapes.GENIE[1])
    reply = prepared.cli("discuss", "dates", "--convo-id", "git-4be2")
    assert reply.code == 1
    assert "which has no working memory" in reply.err
    assert path.read_text() == shapes.GENIE[1]


def test_a_file_without_a_plan_says_so(prepared: Project) -> None:
    """The list is empty, and the reader learns what makes a plan."""
    prepared.write_state()
    reply = prepared.cli("plan", "list")
    assert (reply.code, reply.out) == (0, "")
    assert "holdfast plan propose TITLE" in reply.err


@pytest.mark.parametrize("words", [("task", "start", "Parse"), ("memory",), ("discuss", "Which rates?")], ids=str)
def test_where_nothing_is_kept_no_step_is_taken(here: Project, tmp_path: Path, words: tuple[str, ...]) -> None:
    """Outside git a project is prepared first; its state file stays as it is."""
    folder = tmp_path / "elsewhere"
    path = here.write_state("x.md", root=folder)
    before = path.read_bytes()
    reply = here.cli(*words, cwd=folder)
    assert (reply.code, "is not in git and not prepared. Type: holdfast init" in reply.err) == (1, True), reply
    assert path.read_bytes() == before


def test_an_id_without_a_task_starts_nothing(prepared: Project) -> None:
    """A typing error in an id is no title of a new task."""
    prepared.cli("start", "--format", "gsd-lite", "Importer")
    prepared.cli("task", "add", "Parse")
    reply = prepared.cli("task", "start", "TASK-009")
    assert reply.code == 1
    assert "there is no TASK-009 in" in reply.err
    assert prepared.cli("task", "start", "TASK-001").out.startswith("Started TASK-001: Parse.")


def test_words_after_return_are_the_result(prepared: Project) -> None:
    """Without quotes, as after `discuss`; no session is looked for by them."""
    (path,) = [prepared.root / prepared.cli("start", "--format", "gsd-lite", "Importer").out.split()[0]]
    prepared.cli("task", "start", "Parse")
    prepared.cli("discuss", "rounding")
    reply = prepared.cli("return", "halves", "go", "up")
    assert (reply.code, reply.err) == (0, "")
    assert "halves go up" in path.read_text()
