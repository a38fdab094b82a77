"""Tasks, plans, phases, loops and budgets in files of each format: what a command says is in the file (issue 35)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.requirements.support_gsd import GLOBAL, ONE, TWO, put, stopped, swap, task, worked
from tests.requirements.support_states import SESSION_FILE, SESSION_STATE, agents, hub, n5
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
FILES = {
    "n5": (SESSION_STATE, n5()),
    "agents": (SESSION_FILE, agents()),
    "gsd": (GLOBAL, ONE),
    "plan": (GLOBAL, TWO),
}
NEXT = "- **Next Actions:** Measure a large file, write the manual"
DOUBLED = ONE[ONE.index("## Context Stack") : ONE.index("## Recent Updates")]


class Case(NamedTuple):
    """One file, what a person edits in it before and between commands, and what the file says afterwards.

    A step is a command, or a pair of texts that a person swaps. `code` is of the last command, `says` what it answers.
    """

    form: str
    steps: tuple[str | tuple[str, str], ...]
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    code: int = 0
    says: str = ""


def budget(value: object) -> str:
    """Return the command that sets the token budget."""
    return f"sync --json {json.dumps({'Token Budget': value})}"


CASES = {
    # n5: "Next Actions", "Open Questions - Unresolved questions", "Covered"
    "a task that a person renamed is completed": Case(
        "n5",
        ("task start Alpha", ("TASK-001 - Alpha", "TASK-001 - Alpha and beta"), "task complete"),
        has=("- TASK-001 - Alpha and beta\n", f"{NEXT}\n"),
    ),
    "a question that a person renamed is closed": Case(
        "n5",
        ("loop add Why?", ("LOOP-001 - Why?", "LOOP-001 - Why at all?"), "loop close 1 --outcome Rain"),
        lacks=("LOOP-001",),
    ),
    "a title with a semicolon is there once": Case(
        "n5", ("task add A; B", "task start A; B"), has=(f"{NEXT}; TASK-001 - A; B\n",)
    ),
    "a title with a semicolon goes": Case(
        "n5", ("task start A; B", "task complete"), has=(f"{NEXT}\n", "- TASK-001 - A; B\n")
    ),
    "a plan with a semicolon goes": Case(
        "n5", ("plan propose First x; then y", "plan approve", "task complete"), has=(f"{NEXT}\n",)
    ),
    "a missing line of next actions is begun": Case(
        "n5", ((f"{NEXT}\n", ""), "task add T"), has=("- **Next Actions:** TASK-001 - T\n",)
    ),
    "a missing field is at its place": Case(
        "n5",
        (("- **Overall:** 60%\n", ""), 'sync --json {"Progress":{"Overall":"70%"}}'),
        has=("## Progress\n- **Overall:** 70%\n- **Current Phase:**",),
    ),
    "a phase below a heading is the phase": Case(
        "n5",
        (
            ("- **Current Phase:** Upload done, download begun\n", ""),
            (NEXT, f"{NEXT}\n\n### Current Phase\nOne"),
            "phase complete --next Two",
        ),
        has=("### Current Phase\nTwo\n",),
    ),
    "the box of a task that a person renamed is ticked": Case(
        "agents",
        ("task start Alpha", ("TASK-001 - Alpha", "TASK-001 - Alpha by hand"), "task complete"),
        has=("- [x] TASK-001 - Alpha by hand\n",),
        lacks=("- [ ] TASK-001",),
    ),
    "two phases in one file are named": Case(
        "n5",
        ("memory", 'sync --json {"Progress":{"Current Phase":"The end"}}', f"audit {SESSION_STATE}"),
        code=1,
        says="Current Context.Phase: says 'Upload done, download begun'",
    ),
    "tags in a list have their sign": Case(
        "n5",
        (("#build #exporter #storage", "- #build\n- #storage"), 'sync --json {"Tags":["bucket","Build"]}'),
        has=("- #build\n- #storage\n- #bucket\n",),
        says='"#bucket"',
    ),
    "a full stop makes no other item": Case(
        "n5", ('sync --json {"Covered":["wrote the upload step."]}',), says="says all of this already"
    ),
    # agents: "Add to progress checklist", "YYYY-MM-DD HH:MM - [Agent/Action]", "Where we are right now"
    "items for a wave are in its list": Case(
        "agents",
        ('sync --json {"Execution Progress":{"Wave 1":["BACK-130 - q"]}}',),
        has=("### Wave 1: Upload (ACTIVE)\n", "- [ ] BACK-130 - q\n"),
    ),
    "an entry of the log keeps its time": Case(
        "agents",
        ('sync --json {"Session Log":["2026-02-12 08:00 - Bob: looked"]}',),
        has=("### 2026-02-12 08:00 - Bob\n\nlooked\n",),
    ),
    "a list for the current state replaces it": Case(
        "agents",
        ('sync --json {"Current State":["Up","Down"]}',),
        has=("## Current State\n- Up\n- Down\n",),
        lacks=("The upload step works",),
    ),
    "a text for the current state replaces a list": Case(
        "agents",
        (("The upload step works against the test bucket.", "- Up\n- Down"), 'sync --json {"Current State":"Done"}'),
        has=("## Current State\nDone\n",),
        lacks=("- Down",),
    ),
    "no blocker is left": Case(
        "agents",
        ('sync --json {"Blockers":["None"]}',),
        has=("## Blockers\n- None\n",),
        lacks=("production bucket",),
    ),
    "a key of the frontmatter is begun": Case(
        "agents",
        (('  linear_issue: "BACK-123"\n', ""), 'sync --json {"linear_issue":"B-2"}'),
        has=("  linear_issue: B-2\n",),
    ),
    "a log without times is named": Case(
        "agents",
        (("### 2026-02-11 08:00 - Started\nRead the exporter.", "- Ana: began"), f"audit {SESSION_FILE}"),
        code=1,
        says="an entry without a heading",
    ),
    "a field of two sections": Case("gsd", ('sync --json {"Phase":"2. Two"}',), code=1, says="name the section"),
    # gsd-lite: "Phase, Task, Focus, Status"; "Current: What's happening right now"
    "the stack follows a task in words": Case(
        "gsd",
        ('sync --json {"Task":"Anything"}', 'sync --json {"Task":"TASK-009 - Nine"}'),
        has=("**Current:** TASK-009 (Nine)\n",),
    ),
    "a total that is missing is below the table": Case(
        "gsd",
        (("**Total active:** 3 loops (1 clarifying, 2 open)\n\n", ""), "loop add Why?"),
        has=("|\n\n**Total active:** 4 loops (1 clarifying, 3 open)\n\nSee LOOPS.md",),
    ),
    "a menu is as close as the document's": Case(
        "gsd",
        ("task complete",),
        has=("**Core:**\n- `/holdfast:continue`", "**Contextual:**\n- `/holdfast:complete-phase`"),
    ),
    "no id is given twice, also after its entry made way": Case(
        "gsd",
        (*(f"task add T{number}" for number in range(5)), "loop close 7 --outcome No --decision Drop"),
        has=("created DECISION-009\n",),
    ),
    "a list of zones without a mark is named": Case(
        "gsd", ((" ← YOU ARE HERE", ""), f"audit {GLOBAL}"), code=1, says="nothing is marked YOU ARE HERE"
    ),
    "a plan that waits without a line for it is named": Case(
        "plan",
        (("**AWAITING: Approve, reject, or edit PLAN-005**\n\n", ""), f"audit {GLOBAL}"),
        code=1,
        says="no line says AWAITING",
    ),
    "a total of one kind is compared": Case(
        "plan", (("1 loop (clarifying)", "1 loop (open)"), f"audit {GLOBAL}"), code=1, says="says 1 open"
    ),
    "a missing task is between phase and focus": Case(
        "gsd",
        (("**Task:** TASK-003 - Write the budget template\n", ""), "task start T"),
        has=("templates\n**Task:** TASK-004 - T\n**Focus:**",),
    ),
    "a status in own words outlives a discussion": Case(
        "gsd",
        (("**Status:** Working", "**Status:** Blocked: Ana"), "discuss d", "return x"),
        has=("**Status:** Blocked: Ana\n", "**Depth:** 0"),
    ),
    "a plan while paused": Case(
        "gsd", ("pause", "plan propose P"), has=("**Status:** Blocked (Awaiting Approval) (Paused)\n",)
    ),
    "a plan is approved while paused": Case("plan", ("pause", "plan approve"), has=("**Status:** Working (Paused)\n",)),
    "the same change to a plan is asked for twice": Case(
        "plan", ("plan edit Shorter", "plan edit Shorter"), says="which says so already"
    ),
    "a focus that a rejected plan left moves on": Case(
        "plan",
        ("plan reject Long", "plan propose Short", "plan approve", "task complete"),
        lacks=("**Focus:** Revise",),
    ),
    "the focus follows the task": Case(
        "plan", ("plan approve", "task complete", "task start Other"), has=("**Focus:** Other\n",)
    ),
    "a plan that a person decided in the file is not proposed": Case(
        "gsd",
        (
            "plan propose Auto",
            ("**Status:** Blocked (Awaiting Approval)", "**Status:** Working"),
            ("**AWAITING: Approve, reject, or edit PLAN-001**", "**Type action or respond directly**"),
            ("PLAN-001 approval checkpoint", "PLAN-001 (Auto)"),
            ("- `/holdfast:approve-plan` - Approve PLAN-001, proceed to execution\n", ""),
            "plan list",
        ),
        says="approved",
    ),
    "another name for the phase at hand": Case(
        "gsd", ("phase skip-to 1 Ground",), has=("**Phase:** 1. Ground\n",), says="1. Ground"
    ),
    "a section that is there twice is not added": Case(
        "gsd", ((DOUBLED, DOUBLED + DOUBLED), "memory"), code=1, says="Context Stack is in the file twice"
    ),
    "a table of loops that is missing is added": Case(
        "gsd",
        ((ONE[ONE.index("## Active Loops") : ONE.index("## Token Budget")], ""), "loop add Why?"),
        has=("## Active Loops", "| Why?", "**Total active:** 1 loop (open)"),
    ),
    "a strategy of a person stays": Case(
        "gsd",
        (
            ("**Strategy:** Focused loading, justify additions", "**Strategy:** Ask Ana"),
            ("(1 clarifying, 2 open)", "(1 clarifying, 2 open), 018 first"),
            "loop add Why?",
            budget("2300 / 5000 tokens (46%)"),
        ),
        has=("**Strategy:** Ask Ana\n", "4 loops (1 clarifying, 3 open), 018 first\n", "🟠 Warning zone"),
    ),
    # "Used / Total tokens; Percentage; Threshold phase"
    "a budget in thousands": Case("gsd", (budget("2.1k / 5k tokens"),), has=("2100 / 5000 tokens (42%) - warning",)),
    "a budget as a share": Case("gsd", (budget("60%"),), has=("3000 / 5000 tokens (60%) - stop", "🔴 Stop zone")),
    "a budget in a list": Case("gsd", (budget(["2100/5000"]),), has=("2100 / 5000 tokens (42%) - warning",)),
    "a budget in another zone": Case(
        "gsd",
        (budget("500 / 5000 tokens (10%) - stop"),),
        code=1,
        says="500 of 5000 tokens are in the zone comfortable",
    ),
    "a budget without numbers": Case("gsd", (budget({"Status": "lots"}),), code=1, says="'lots' names no tokens"),
}


def carried_out(project: Project, path: Path, steps: tuple[str | tuple[str, str], ...]) -> tuple[int, str]:
    """Carry out the steps; return the code of the last command and what it printed."""
    code, said = 0, ""
    for step in steps:
        if isinstance(step, tuple):
            path.write_text(swap(path.read_text(), step))
            continue
        assert code == 0, said
        words = step.split(" --json ") if " --json " in step else [step]
        options = ["--json", words[1]] if len(words) > 1 else []
        verbs = words[0].split(" ", 2) if words[0].split()[0] in {"task", "plan", "loop", "phase"} else [words[0]]
        verbs = verbs if len(verbs) > 1 else words[0].split(" ", 1)
        if verbs[0] == "phase" or verbs[:2] == ["loop", "close"]:
            verbs = words[0].split()
        reply = project.cli(*verbs, *options)
        code, said = reply.code, reply.out + reply.err
    return code, said


@pytest.mark.parametrize("name", CASES)
def test_what_a_step_says_is_in_the_file(prepared: Project, name: str) -> None:
    """Each case is a sentence of its document, tried with a command as a person types it."""
    case = CASES[name]
    place, text = FILES[case.form]
    path = put(prepared, text, place)
    code, said = carried_out(prepared, path, case.steps)
    assert (code, case.says in said) == (case.code, True), said
    after = path.read_text()
    assert [part for part in case.has if part not in after] == [], after
    assert [part for part in case.lacks if part in after] == [], after


@pytest.mark.parametrize("step", ["task add A", "loop add Why?", "plan propose P", "phase skip-to 4 Four", "discuss d"])
@pytest.mark.parametrize("form", ["n5", "agents"])
def test_each_step_is_a_change_of_the_file(prepared: Project, form: str, step: str) -> None:
    """The document: "last_updated" in the frontmatter: each command that changes the file sets it."""
    place, text = FILES[form]
    path = put(prepared, text, place)
    before = [line for line in text.splitlines() if "last_updated:" in line]
    code, said = carried_out(prepared, path, (step,))
    changed = [line for line in path.read_text().splitlines() if "last_updated:" in line] != before
    assert changed == (path.read_text() != text), said
    assert code == 0 or not changed


ROADMAPS = {
    "boxes": "- [x] 1. Foundation & templates\n- [ ] 2. Hand-over\n",
    "signs": "### ✅ Phase 1 - Foundation & templates\n\n### 🔄 Phase 2 - Hand-over (current)\n",
    "bold": "**Phase 1:** Foundation & templates\n**Phase 2:** Hand-over\n",
    "zeros": "- Phase 01: Foundation & templates\n- Phase 02: Hand-over\n",
    "brackets": "- Phase 1 (Foundation & templates)\n- Phase 2 (Hand-over)\n",
    "bold items": "* **1. Foundation & templates**\n* **2. Hand-over**\n",
    "a table": "| # | Phase |\n|---|---|\n| 1. | Foundation & templates |\n| 2. | Hand-over |\n",
    "colon": '## 1. Foundation & templates\n\n## 2. Hand-over: "A"\n',
}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Phase 2: Mark work complete", "Mark work complete"),
        ("Phase 2: Keep orders active", "Keep orders active"),
        ("Phase 2: Beta (Phase 1 done)", "Beta (Phase 1 done)"),
        ("Phase 2: Set *all* of it up (in progress, 60%)", "Set *all* of it up"),
        ("Phase 2: Prüfen — current", "Prüfen"),
        ("[Phase 2: Importer](phases/2.md) ✅ 2026-01-20", "Importer"),
    ],
)
def test_a_phase_keeps_its_whole_name(prepared: Project, line: str, name: str) -> None:
    """A word of status is one only where it is set apart from the name."""
    path = put(prepared)
    put(prepared, f"- [x] Phase 1: Foundation\n- {line}\n- Phase 3: End\n", "ROADMAP.md")
    assert prepared.cli("phase", "complete").code == 0
    assert f"**Phase:** 2. {name}\n" in path.read_text()


def test_a_name_that_the_roadmap_lacks_gets_no_number_of_another_phase(prepared: Project) -> None:
    """The next number is that of the phase that ROADMAP.md has there; a name of it means that phase."""
    path = put(prepared)
    put(prepared, "- Phase 1: Foundation\n- Phase 2: Importer\n- Phase 3: Reports\n", "ROADMAP.md")
    before = path.read_bytes()
    refused = prepared.cli("phase", "complete", "--next", "Other")
    assert (refused.code, path.read_bytes()) == (1, before)
    assert "2. Importer is next" in refused.err
    assert prepared.cli("phase", "complete", "--next", "reports").out.startswith("Completed phase 1. Foundation")
    assert "**Phase:** 3. Reports\n" in path.read_text()


@pytest.mark.parametrize("shape", ROADMAPS)
def test_the_next_phase_is_read_from_each_shape_of_a_roadmap(prepared: Project, shape: str) -> None:
    """The document: "Phase: Which phase of the project (from ROADMAP.md or project plan)"."""
    path = put(prepared)
    put(prepared, ROADMAPS[shape], "ROADMAP.md")
    reply = prepared.cli("phase", "complete")
    assert reply.code == 0, reply.err
    assert "**Phase:** 2. Hand-over" + (': "A"' if shape == "colon" else "") + "\n" in path.read_text()


def test_a_loop_is_closed_where_it_is_shown(prepared: Project) -> None:
    """A loop of paused work is closed there; a named file that does not have it is refused."""
    (prepared.root / ".project/sessions").mkdir(parents=True)
    one = prepared.root / prepared.cli("start", "One").out.strip()
    assert prepared.cli("loop", "add", "Why?").code == 0
    assert prepared.cli("pause").code == 0
    two = prepared.root / prepared.cli("start", "Two").out.strip()
    before = two.read_bytes()
    refused = prepared.cli(
        "loop", "close", "1", "--outcome", "Rain", "--session", two.relative_to(prepared.root).as_posix()
    )
    assert (refused.code, "LOOP-001 is in .project" in refused.err) == (1, True)
    assert prepared.cli("loop", "close", "1", "--outcome", "Rain").code == 0
    assert "| LOOP-001" not in one.read_text()
    assert 'status="closed"' in (one.parent / "LOOPS.md").read_text()
    assert two.read_bytes() == before


def test_a_question_of_another_conversation_is_closed_with_its_loop(prepared: Project) -> None:
    """The document: "Open Questions - Unresolved questions": in whichever file it is, it goes."""
    paths = [put(prepared, n5(), f"con_{name}/SESSION_STATE.md") for name in ("a1", "b2")]
    assert prepared.cli("loop", "add", "Why?", "--session", "con_a1/SESSION_STATE.md").code == 0
    assert "LOOP-001" in paths[0].read_text()
    assert prepared.cli("loop", "close", "1", "--outcome", "R", "--session", "con_b2/SESSION_STATE.md").code == 0
    assert "LOOP-001" not in paths[0].read_text()


def test_a_task_that_came_with_a_clone_is_begun_before_one_that_is_added(prepared: Project) -> None:
    """What waits longest is next, also where only Recent Updates tell of it."""
    entry = "**2026-01-21 15:50**\n- Added TASK-004: Waits\n\n"
    path = put(prepared, swap(ONE, ("## Recent Updates\n\n", f"## Recent Updates\n\n{entry}")))
    assert prepared.cli("task", "add", "Later").code == 0
    assert "Now: TASK-004." in prepared.cli("task", "complete").out
    assert "**Task:** TASK-004 - Waits\n" in path.read_text()


@pytest.mark.parametrize("brought", [(), ("memory",)], ids=["at once", "after memory"])
@pytest.mark.parametrize("at_hand", ["TASK-004 - Next one", "PLAN-001 - Split"])
def test_recover_names_what_commands_had_changed(prepared: Project, at_hand: str, brought: tuple[str, ...]) -> None:
    """The document: "Task: TASK-002 → TASK-003", after git put an older text back, until a command sets it again."""
    path = put(prepared)
    plan = [("plan", "propose", "Split")] if at_hand.startswith("PLAN") else []
    for step in [("task", "complete", "--next", "Next one"), ("phase", "complete", "--next", "Two"), *plan]:
        assert prepared.cli(*step).code == 0
    path.write_text(ONE)
    assert not brought or prepared.cli(*brought).code == 0
    said = prepared.cli("recover").out
    assert f"Task: TASK-003 - Write the budget template → {at_hand}" in said
    assert "Phase: 1. Foundation & templates → 2. Two" in said
    assert prepared.cli("phase", "skip-to", "2", "Two").code == 0
    assert "Phase:" not in prepared.cli("recover").out


def test_a_start_counts_the_loops_of_the_table(prepared: Project) -> None:
    """The document: "Active loop count and IDs (quick reference)": also loops that are in no LOOPS.md."""
    put(prepared)
    for title in ("Which sources?", "Which dates?"):
        assert prepared.cli("loop", "add", title).code == 0
    said = prepared.cli("brief").out
    assert "5 open loops" in said
    assert "and 1 more" in said
    assert '"SECTION"' in said
    assert prepared.cli("brief", "--all").out.count("\n- LOOP-") == 5


def test_a_committed_hand_over_is_one_in_a_worktree(prepared: Project) -> None:
    """The document: "Pick up exactly where you left off": the file that a commit brought is not a second one."""
    put(prepared)
    assert prepared.cli("pause", "--next", "go").code == 0
    prepared.git("add", "-A")
    prepared.git("commit", "-qm", "paused")
    tree = prepared.folder / "tree"
    prepared.git("worktree", "add", "-q", str(tree))
    reply = prepared.cli("continue", cwd=tree)
    assert (reply.code, "several hand-overs" in reply.err) == (0, False), reply


def test_the_loops_of_gsd_lite_are_merged_by_loop(prepared: Project) -> None:
    """`init` says that git merges loops by entry; that holds wherever the format has them."""
    assert prepared.cli("init", "--shared", "--yes").code == 0
    known = prepared.git("check-attr", "merge", ".gsd-lite/LOOPS.md", ".project/sessions/one/LOOPS.md")
    assert known.count("merge: holdfast") == 2


def test_a_file_in_other_words_is_listed_once(prepared: Project) -> None:
    """A link, a path from here, and several paths in one line name a file of Files Modified, too."""
    own = "- [c](src/c.py)\n- ./src/d.py\n- src/e.py, src/f.py\n"
    path = worked(prepared, swap(n5(), ("- src/exporter.py (rewritten)\n", own)), SESSION_STATE)
    for name in ("c", "d", "f", "g"):
        prepared.edit(f"src/{name}.py")
    after = stopped(prepared, path)
    assert [after.count(f"src/{name}.py") for name in "cdfg"] == [1, 1, 1, 1]


def test_what_is_said_of_a_listed_file_is_said_in_its_line(prepared: Project) -> None:
    """The document: "Files created with classification": one line of a file, not holdfast's and another one."""
    path = worked(prepared, n5(), SESSION_STATE)
    for name in ("src/one.py", "two.md"):
        put(prepared, "x\n", name)
        prepared.edit(name, tool="Write")
    stopped(prepared, path)
    said = {"Artifacts": ["two.md (temporary, root)"], "Files Modified": ["src/one.py (rewritten)"]}
    assert prepared.cli("sync", "--json", json.dumps(said)).code == 0
    other = ["one.py (temporary, src)", "one.py (permanent, tests)"]  # another class of a file, and another file
    assert prepared.cli("sync", "--json", json.dumps({"Artifacts": other})).code == 0
    after = path.read_text()
    assert "- one.py (temporary, src)\n- two.md (temporary, root)\n- one.py (permanent, tests)\n\n## Tags" in after
    assert "- src/one.py (rewritten)\n- two.md\n\n### Tests" in after


def test_the_tasks_of_a_conversation_are_next_actions_and_covered(prepared: Project) -> None:
    """The document: "Next Actions", "Covered - List of topics/tasks completed"; what a person takes out stays out."""
    path = worked(prepared, n5(), SESSION_STATE)
    for number, title in enumerate(("Read", "Check", "Write"), 1):
        task(prepared, str(number), title)
    task(prepared, "1", status="completed")
    after = stopped(prepared, path)
    assert f"{NEXT}; Check; Write\n" in after
    assert "- Wrote the upload step\n- Read\n" in after
    path.write_text(swap(after, ("; Check; Write", "; Write"), ("- Read\n", "")))
    task(prepared, "3", status="completed")
    after = stopped(prepared, path)
    assert f"{NEXT}\n" in after
    assert "- Wrote the upload step\n- Write\n\n" in after
    task(prepared, "4", "Pack")
    stopped(prepared, path)
    for step in ("start Pack", "complete"):  # the same task, whoever completes it
        assert prepared.cli("task", *step.split()).code == 0
    task(prepared, "4", status="completed")
    assert stopped(prepared, path).count("Pack") == 1


@pytest.mark.parametrize("between", [", ", "; "])
def test_tasks_among_next_actions_in_one_line_are_those(prepared: Project, between: str) -> None:
    """The document: "Next Actions: Run integration tests, update STATUS.md": Claude's tasks of these names are they."""
    listed = NEXT.replace(", ", between)
    path = worked(prepared, swap(n5(), (NEXT, listed)), SESSION_STATE)
    task(prepared, "1", "Measure a large file")
    task(prepared, "2", "Write the manual")
    assert f"{listed}\n" in stopped(prepared, path)
    task(prepared, "1", status="completed")
    assert "- **Next Actions:** write the manual\n" in stopped(prepared, path)
    task(prepared, "2", status="completed")
    after = stopped(prepared, path)
    assert "- **Next Actions:** None\n" in after
    assert "- Wrote the upload step\n- Measure a large file\n- write the manual\n" in after


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("Run the tests, update STATUS.md", ["Run the tests, update STATUS.md"]),
        ("Test the import; pack it", ["Test the import", "pack it"]),
        ("\n  - Test the import\n  - [x] Pack", ["Test the import"]),
        ("keine", []),
        ("\u65e0", []),
    ],
)
def test_a_task_beside_next_actions_closes_none_of_them(prepared: Project, line: str, left: list[str]) -> None:
    """The checklist has each step that is open, whatever is in a line with it; a box keeps its tick."""
    there = f"- **Next Actions:** {line}".replace(" \n", "\n")
    path = put(prepared, swap(n5(), (NEXT, there)), SESSION_STATE)
    assert prepared.cli("task", "add", "Test").code == 0
    found = {one["kind"]: one["evidence"] for one in json.loads(prepared.cli("checklist", "--json").out)["findings"]}
    assert (found["steps"], found["tasks"][0]) == ([*left, "Who deletes old exports?"], "TASK-001 - Test")
    assert all(part in path.read_text() for part in ([there] if left else ["- **Next Actions:** TASK-001 - Test\n"]))


def test_an_open_focus_is_that_of_the_task(prepared: Project) -> None:
    """The document: "Focus: One-sentence description of current goal": it follows Claude's tasks till it is written."""
    (prepared.root / ".gsd-lite").mkdir()
    prepared.fire("SessionStart")
    task(prepared, "1", "Read the list", "in_progress")
    prepared.edit("a.txt")
    path = prepared.root / GLOBAL
    prepared.fire("Stop")
    prepared.settled("one")
    assert "**Focus:** Read the list\n" in path.read_text()
    task(prepared, "1", status="completed")
    task(prepared, "2", "Check it", "in_progress")
    assert "**Focus:** Check it\n" in stopped(prepared, path)


def test_a_task_whose_entry_made_way_is_recorded(prepared: Project) -> None:
    """The document: "Last 3-5 artifact updates": what left Recent Updates is no drift."""
    path = worked(prepared)
    task(prepared, "1", "Read the list", "completed")
    stopped(prepared, path)
    for number in range(6):
        assert prepared.cli("task", "add", f"T{number}").code == 0
    assert "Read the list" not in path.read_text()
    assert "Tasks not recorded" not in prepared.cli("recover").out


def test_a_start_names_the_phase_of_the_work_that_was_left(prepared: Project) -> None:
    """The document: "Session resumption": phase and task, whatever was said."""
    path = worked(prepared)
    prepared.fire("UserPromptSubmit", prompt="Go on")
    prepared.edit("a.txt")
    prepared.fire("Stop", last_assistant_message="Step 1. of the parser is written.")
    prepared.settled("one")
    prepared.fire("SessionEnd")
    prepared.rested()
    assert path.is_file()
    assert "  Phase: 1. Foundation & templates\n" in prepared.fire("SessionStart", "two").context


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ("**Total budget:** 8000 tokens\n**Used:** 2000 tokens", "2000 / 8000 tokens (25%) - deliberate"),
        ("**Total budget:** 8000 tokens", "1850 / 5000 tokens (37%) - deliberate"),
        ("**Budget:** 5,000 tokens\n\n**Total loaded:** 2,100 tokens", "2100 / 5000 tokens (42%) - warning"),
        ("**Token budget:** 5k tokens\n- Loaded: 2.1k tokens", "2100 / 5000 tokens (42%) - warning"),
        ("Files: 3 / 5\n\n| Token limit | 5000 |\n| Tokens used | 500 |", "500 / 5000 tokens (10%) - comfortable"),
        ("**Remaining:** 900 tokens", "1850 / 5000 tokens (37%) - deliberate"),
    ],
)
def test_a_budget_in_two_lines_is_that_of_context_md(prepared: Project, lines: str, shown: str) -> None:
    """The document: "Used / Total tokens", "from CONTEXT.md": no number is made up."""
    path = put(prepared)
    put(prepared, f"# Context\n\n{lines}\n", "CONTEXT.md")
    assert prepared.cli("memory").code == 0
    assert f"**Status:** {shown}\n" in path.read_text()


def test_a_turn_that_changed_files_is_logged_whatever_its_answer(prepared: Project) -> None:
    """The document: "After each significant action: add entry to Session Log"."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Rename it")
    prepared.edit("src/a.py", tool="Write")
    prepared.fire("Stop", last_assistant_message="Renamed.")
    prepared.settled("one")
    assert " - Claude changed src/a.py\n\nRenamed.\n" in prepared.state_files()[0].read_text()


@pytest.mark.parametrize("where", [".gsd-lite/CONTEXT.md", "CONTEXT.md"])
def test_the_size_of_the_budget_is_that_of_context_md(prepared: Project, where: str) -> None:
    """The document: "Current token budget status from CONTEXT.md": also one that has the size alone."""
    zones = "| Zone | Range |\n|---|---|\n| Comfortable | 0-30% |\n| Deliberate | 30-60% |\n"
    put(prepared, f"**Total budget:** 8000 tokens\n\n{zones}| Warning | 60-80% |\n| Stop | 80%+ |\n", where)
    path = worked(prepared, used=2600)
    assert "**Status:** 2600 / 8000 tokens (32%) - deliberate\n" in stopped(prepared, path)


def test_a_conversation_in_claudes_shell_is_called_like_its_folder(prepared: Project) -> None:
    """The document: `conversation_id: con_EXAMPLE123`, also where the client gave the id."""
    prepared.fire("SessionStart")
    name = prepared.cli("start", "--format", "n5", "Build it", CLAUDE_CODE_SESSION_ID="one").out.strip()
    assert name == "con_one/SESSION_STATE.md"
    assert "\nconversation_id: con_one\n" in (prepared.root / name).read_text()


def test_a_task_that_begins_with_none_is_a_task(prepared: Project) -> None:
    """Only "None" itself says that there is no task."""
    path = put(prepared)
    assert prepared.cli("task", "start", "None of the pages load").code == 0
    assert prepared.cli("task", "start", "Other").code == 0
    assert "TASK-004 - None of the pages load" in prepared.cli("task", "list").out
    path.write_text(swap(path.read_text(), ("**Task:** TASK-005 - Other", "**Task:** Nonempty lists")))
    assert "Nonempty lists" in prepared.cli("checklist").out


def test_the_task_is_over_when_the_list_of_the_client_says_so(prepared: Project) -> None:
    """The document: "Task transitions not recorded" is drift: the last of Claude's tasks is no current one."""
    path = worked(prepared)
    task(prepared, "1", "Write the budget template", "in_progress")
    stopped(prepared, path)
    task(prepared, "1", status="completed")
    after = stopped(prepared, path)
    assert "**Task:** None (TASK-003 is complete)\n" in after
    assert "**Current:** Between tasks (TASK-003 is complete)\n" in after


@pytest.mark.parametrize("heading", ["History", "Completed"])
def test_a_history_may_be_called_so(prepared: Project, heading: str) -> None:
    """The protocol: "Completed sessions move to history section", whose heading it does not give."""
    text = swap(hub(), ("## Session History (Recent)", f"## {heading}"))
    path = put(prepared, text, ".genie/SESSION-STATE.md")
    said = prepared.cli("validate").out
    assert "not in the history" not in said
    ident = "7f2d0c11-0000-4000-8000-000000000001"
    asked = ("action=completed", "agent=implementor", f"session_id={ident}", "context=outcome: PR 5")
    assert prepared.cli("update", *asked).code == 0
    after = path.read_text()
    assert [line for line in after.splitlines() if line.startswith("## ")] == ["## Active Sessions", f"## {heading}"]


def test_sweep_counts_the_files_of_completed_work(prepared: Project) -> None:
    """The document: "Archive sessions indefinitely → Delete after capturing knowledge"."""
    put(prepared, swap(agents(), ("status: in_progress", "status: completed")), SESSION_FILE)
    assert "1 state file of completed work" in prepared.cli("sweep").out
