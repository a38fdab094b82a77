"""gsd-lite-state.md, Purpose to Structure and File Format: what STATE.md says, where it is, when it is updated."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.requirements.support_gsd import (
    DATED,
    GLOBAL,
    HEAD,
    ONE,
    TWO,
    asked,
    entries,
    loops,
    news,
    own,
    put,
    rows,
    section,
    slash,
    spent,
    stated,
    stopped,
    swap,
    task,
    worked,
)
from tests.support import hooks

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
SIX = [
    *("Current Context", "Active Loops", "Token Budget", "Available Actions", "Context Stack", "Recent Updates"),
]
FORKED = swap(
    ONE,
    ("**Status:** Working", "**Status:** Discussion Mode"),
    ("**Current:** TASK-003 (Write the budget template)", "**Current:** /discuss token budget thresholds"),
    ("**Return to:** None (not forked)", "**Return to:** TASK-003 (Write the budget template)"),
    ("**Depth:** 0\n", "**Depth:** 1\n\n*Discussion: the user asked why half is the red line*\n"),
)

# Purpose

ANSWERS = {
    "what_phase_and_task_are_we_working_on": (ONE, ["Phase: 1. Foundation & templates", "TASK-003"]),
    "what_loops_are_active": (ONE, ["3 loops (1 clarifying, 2 open)", "LOOP-007", "LOOP-012", "LOOP-018"]),
    "what_is_our_token_budget_status": (ONE, ["1850 / 5000 tokens (37%) - deliberate"]),
    "what_can_the_user_do_next": (ONE, ["/holdfast:continue", "/holdfast:complete-task", "/holdfast:close-loop"]),
    "what_is_the_context_stack_if_we_forked": (
        FORKED,
        ["/discuss token budget thresholds", "Returns to: TASK-003 (Write the budget template)"],
    ),
    "recent_updates_show_what_changed_and_when": (ONE, ["2026-01-21 15:35: Added LOOP-018 to LOOPS.md"]),
}


@pytest.mark.parametrize(("text", "reported"), ANSWERS.values(), ids=ANSWERS)
def test_state_md_answers_where_we_are(prepared: Project, text: str, reported: list[str]) -> None:
    """STATE.md is the single source of truth for "where are we right now?"."""
    put(prepared, text)
    reply = prepared.cli("status")
    assert reply.code == 0
    assert [words for words in reported if words not in reply.out] == []


@pytest.mark.parametrize("source", ["compact", "resume"])
def test_agent_can_read_state_md_to_reset_protocol_discipline(prepared: Project, source: str) -> None:
    """Recovery from context drift: the sections are in Claude's context again."""
    worked(prepared)
    reported = prepared.fire("SessionStart", source=source).context
    wanted = ["**Task:** TASK-003", "| LOOP-012 |", "**Depth:** 0", "`/discuss [topic]`", "1850 / 5000 tokens"]
    assert [words for words in wanted if words not in reported] == []


def test_session_resumption_picks_up_exactly_where_you_left_off(prepared: Project) -> None:
    """The next session hears of task, phase, focus and open loops, and is offered to go on."""
    worked(prepared)
    prepared.fire("SessionEnd")
    prepared.settled("one")
    reply = prepared.fire("SessionStart", "two")
    wanted = ["TASK-003", "1. Foundation & templates", "Say when a context counts as full", "LOOP-018", GLOBAL]
    assert [words for words in wanted if words not in reply.context] == []
    assert "/holdfast:resume one" in reply.message


# When to Update


def test_agent_must_update_state_md_after_a_new_loop(prepared: Project) -> None:
    """A new loop is in the table, in the count and in the trail at once."""
    path = worked(prepared)
    own(prepared, "loop", "add", "Which sources are in scope?", "--context", "The plan", "--question", "Which?")
    text = path.read_text()
    assert rows(text)["LOOP-019"][1:3] == ["Which sources are in scope?", "open"]
    assert stated(text, "Active Loops", "Total active") == "4 loops (1 clarifying, 3 open)"
    assert news(text)[0].startswith("Added LOOP-019 to LOOPS.md: Which sources are in scope?")


def test_agent_must_update_state_md_after_a_phase_transition(prepared: Project) -> None:
    """Phase and trail say so at once."""
    path = worked(prepared)
    own(prepared, "phase", "complete", "--next", "Importer")
    text = path.read_text()
    assert stated(text, "Current Context", "Phase") == "2. Importer"
    assert news(text)[0] == "Completed phase 1. Foundation & templates, began 2. Importer"


def test_agent_must_update_state_md_after_a_task_completion(prepared: Project) -> None:
    """A task that Claude's list has as completed is in the trail at the end of the turn."""
    path = worked(prepared)
    task(prepared, "1", "TASK-003 - Write the budget template", "completed")
    assert "Completed TASK-003 - Write the budget template" in [
        line.replace("TASK-003: ", "TASK-003 - ") for line in news(stopped(prepared, path))
    ]


def test_agent_must_update_state_md_when_forking_into_discussion(prepared: Project) -> None:
    """Stack, status and trail say so at once."""
    path = worked(prepared)
    slash(prepared, "discuss", "token budget thresholds")
    text = path.read_text()
    assert stated(text, "Current Context", "Status") == "Discussion Mode"
    assert stated(text, "Context Stack", "Depth") == "1"
    assert "token budget thresholds" in news(text)[0]


def test_agent_must_update_state_md_when_crossing_token_budget_thresholds(prepared: Project) -> None:
    """The section and the trail say so at the end of the turn."""
    path = worked(prepared, used=1850)
    stopped(prepared, path)
    spent(prepared, 2250)
    text = stopped(prepared, path)
    assert stated(text, "Token Budget", "Status") == "2250 / 5000 tokens (45%) - warning"
    assert news(text)[0] == "Crossed into the warning zone (45%)"


def test_agent_must_update_state_md_when_closing_loops_or_making_decisions(prepared: Project) -> None:
    """A closed loop, and the decision that it led to, are in the trail at once."""
    path = worked(prepared)
    known = loops(("LOOP-012", "open", "How much lineage is in scope?"), captured="2026-01-21T15:30:00Z")
    put(prepared, known, ".gsd-lite/LOOPS.md")
    own(prepared, "loop", "close", "12", "--outcome", "Customers only", "--decision", "Leave orders out")
    text = path.read_text()
    assert re.fullmatch(r"Closed LOOP-012 in LOOPS.md: Customers only, created DECISION-\d+", news(text)[0])
    assert "LOOP-012" not in rows(text)
    assert re.search(r"DECISION-\d+: Leave orders out", (path.parent / "LOOPS.md").read_text())
    assert re.findall(r"(?m)^## (.+)$", text) == SIX


def test_agent_must_update_state_md_before_checkpoints(prepared: Project) -> None:
    """What changed since is in the file that the user sees when a plan is put before him."""
    path = worked(prepared, used=1850)
    put(prepared, loops(("LOOP-012", "open", "Lineage?"), ("LOOP-031", "open", "Dates?")), ".gsd-lite/LOOPS.md")
    spent(prepared, 2250)
    own(prepared, "plan", "propose", "Split the importer")
    text = path.read_text()
    assert "LOOP-031" in rows(text)
    assert "(45%)" in stated(text, "Token Budget", "Status")


def test_update_minimum_once_per_turn_if_anything_changed(prepared: Project) -> None:
    """A turn that changed something stamps the file; a turn that changed nothing writes nothing."""
    path = worked(prepared)
    stopped(prepared, path)
    path.write_text(re.sub(r"(?m)^updated: .*$", "updated: 2026-01-21T15:45:00Z", path.read_text()))
    still = path.read_bytes()
    stopped(prepared, path)
    assert path.read_bytes() == still
    task(prepared, "1", "TASK-004 - Write the loop template", "in_progress")
    text = stopped(prepared, path)
    assert "updated: 2026-01-21T15:45:00Z" not in text
    assert "Started TASK-004" in news(text)[0]


def test_update_more_frequently_if_multiple_state_transitions_in_single_turn(prepared: Project) -> None:
    """Each of two transitions in a turn is in the trail, the later one first."""
    path = worked(prepared)
    own(prepared, "task", "complete", "--next", "Write the loop template")
    own(prepared, "discuss", "dates")
    assert [line for line in news(path.read_text()) if "Forked" in line or "Completed" in line] == [
        "Forked into discussion: dates",
        "Completed TASK-003: Write the budget template",
    ]


def test_if_agent_forgets_to_update_user_prompts_update_artifacts(prepared: Project) -> None:
    """The prompt alone brings the drift; after the lines under it were run nothing has drifted."""
    path = worked(prepared, used=1850)
    put(prepared, loops(("LOOP-012", "open", "Lineage?"), ("LOOP-031", "open", "Dates?")), ".gsd-lite/LOOPS.md")
    reported = prepared.fire("UserPromptSubmit", prompt="update artifacts").context
    assert HEAD in reported
    assert "LOOP-031" in reported
    own(prepared, "memory")
    assert "LOOP-031" in rows(path.read_text())
    assert HEAD not in prepared.fire("UserPromptSubmit", prompt="update artifacts").context


# Current Context


def test_current_context_has_phase_task_focus_and_status(prepared: Project) -> None:
    """Each element is set by name, and stands where the document has it."""
    path = worked(prepared)
    given = {"Phase": "2. Importer", "Task": "TASK-004 - Read prices", "Focus": "Read one file", "Status": "Blocked"}
    own(prepared, "sync", "--json", json.dumps({"Current Context": given}))
    text = path.read_text()
    assert {name: stated(text, "Current Context", name) for name in given} == given
    assert section(text, "Current Context").splitlines() == [f"**{name}:** {words}" for name, words in given.items()]


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("Working", "active"),
        ("Discussion Mode", "active"),
        ("Blocked", "waiting"),
        ("Blocked (Awaiting Approval)", "waiting"),
        ("Awaiting Input", "waiting"),
    ],
)
def test_status_is_working_blocked_awaiting_input_or_discussion_mode(prepared: Project, word: str, status: str) -> None:
    """Each word of the document is known for what it means, and stays in the file."""
    put(prepared, swap(ONE, ("**Status:** Working", f"**Status:** {word}")))
    reported = json.loads(prepared.cli("status", "--json").out)
    assert (reported["own_status"], reported["status"]) == (word, status)


# Token Budget Snapshot

ZONES = {
    "0-20% comfortable": (500, 10, "comfortable", "🟢 Comfortable zone (0-20%)"),
    "20-40% deliberate": (1850, 37, "deliberate", "🟡 Deliberate zone (20-40%)"),
    "40-50% warning": (2250, 45, "warning", "🟠 Warning zone (40-50%)"),
    "50%+ stop": (3000, 60, "stop", "🔴 Stop zone (50%+)"),
}


@pytest.mark.parametrize(("used", "percent", "zone", "phase"), ZONES.values(), ids=ZONES)
def test_token_budget_has_used_total_percentage_phase_and_indicator(
    prepared: Project, used: int, percent: int, zone: str, phase: str
) -> None:
    """What was measured is there, with the mark on the scale; the strategy is the zone's own."""
    old = ("**Status:** 1850 / 5000 tokens (37%) - deliberate", "**Status:** 1500 / 5000 tokens (30%) - deliberate")
    path = worked(prepared, swap(ONE, old), used=used)
    text = stopped(prepared, path)
    assert stated(text, "Token Budget", "Status") == f"{used} / 5000 tokens ({percent}%) - {zone}"
    assert stated(text, "Token Budget", "Phase") == phase
    assert stated(text, "Token Budget", "Strategy")
    (mark,) = [line for line in section(text, "Token Budget").splitlines() if line.endswith("← YOU ARE HERE")]
    assert zone.capitalize() in mark


def test_token_budget_status_comes_from_context_md(prepared: Project) -> None:
    """A budget that CONTEXT.md keeps is shown as it is there, whatever the transcript weighs."""
    put(prepared, "# Context\n\n**Status:** 1850 / 5000 tokens (37%) - deliberate\n", ".gsd-lite/CONTEXT.md")
    spent(prepared, 60_000)
    path = worked(prepared)
    before = section(path.read_text(), "Token Budget")
    assert section(stopped(prepared, path), "Token Budget") == before
    put(prepared, "# Context\n\n**Status:** 2250 / 5000 tokens (45%) - warning\n", ".gsd-lite/CONTEXT.md")
    prepared.edit(str(prepared.root / ".gsd-lite/CONTEXT.md"))
    text = stopped(prepared, path)
    assert stated(text, "Token Budget", "Status") == "2250 / 5000 tokens (45%) - warning"
    assert "Warning (reduce context) ← YOU ARE HERE" in section(text, "Token Budget")


OWN_ZONES = {
    "a list": "- 0-30% 🟢 Comfortable\n- 30-41% 🟡 Deliberate\n- 41-60% 🟠 Warning\n- 60%+ 🔴 Stop\n",
    "CRLF, no signs": "* 0-30% Comfortable\r\n* 30-41% Deliberate\r\n* 41-60% Warning\r\n* 60%+ Stop\r\n",
    "a table": "| Zone | At |\n|---|---|\n| Comfortable | 0-30% |\n| Deliberate | 30 - 41 % |\n| Warning | 41-60% |\n"
    "| Stop | 60%+ |\n",
    "bold": "- **0-30%** Comfortable\n- **30-41%** Deliberate\n- **41-60%** Warning\n- **60%+** Stop\n",
}


@pytest.mark.parametrize("zones", OWN_ZONES.values(), ids=OWN_ZONES)
@pytest.mark.parametrize("line", ["**Status:** 2,100 / 5,000 tokens (42%)", "- **Used**: 2100/5000 tokens"])
def test_zones_of_context_md_are_the_zones(prepared: Project, zones: str, line: str) -> None:
    """Total, zones, the mark and the command `budget` follow CONTEXT.md, not the settings."""
    path = worked(prepared)
    path.with_name("CONTEXT.md").write_text(f"# Context\n\n{line}\n\n{zones}", newline="")
    text = stopped(prepared, path)
    assert stated(text, "Token Budget", "Status") == "2100 / 5000 tokens (42%) - warning"
    assert stated(text, "Token Budget", "Phase") == "🟠 Warning zone (41-60%)"
    assert [item for item in section(text, "Token Budget").splitlines() if "HERE" in item] == [
        "- 41-60% 🟠 Warning (reduce context) ← YOU ARE HERE"
    ]
    told = own(prepared, "budget").out
    assert "2100 / 5000 tokens (42%) - warning" in told
    assert "From: .gsd-lite/CONTEXT.md" in told


def test_a_budget_from_context_md_is_not_overwritten(prepared: Project) -> None:
    """The budget that a file has from CONTEXT.md is not replaced by another one that was measured."""
    put(prepared, "# Context\n\n**Status:** 1850 / 5000 tokens (37%) - deliberate\n", ".gsd-lite/CONTEXT.md")
    spent(prepared, 60_000)
    path = worked(prepared)
    before = section(path.read_text(), "Token Budget")
    assert section(stopped(prepared, path), "Token Budget") == before


# Context Stack


def test_context_stack_while_working(prepared: Project) -> None:
    """Current is the task, Return to is "None (not forked)", Depth is 0; a task that is begun is there."""
    path = worked(prepared)
    own(prepared, "task", "start", "TASK-004 - Write the loop template")
    stack = section(path.read_text(), "Context Stack")
    assert stack == "**Current:** TASK-004 (Write the loop template)\n**Return to:** None (not forked)\n**Depth:** 0"


def test_context_stack_forked_into_discussion(prepared: Project) -> None:
    """A file that is forked, with its remark, stays as it is, and comes back to where it says."""
    path = worked(prepared, FORKED)
    assert section(stopped(prepared, path), "Context Stack") == section(FORKED, "Context Stack")
    own(prepared, "return")
    stack = section(path.read_text(), "Context Stack")
    assert "**Current:** TASK-003 (Write the budget template)" in stack
    assert "**Depth:** 0" in stack
    assert stated(path.read_text(), "Current Context", "Status") == "Working"


# File Format


@pytest.mark.parametrize("name", [GLOBAL, DATED])
def test_location_is_the_session_folder_or_gsd_lite(prepared: Project, name: str) -> None:
    """STATE.md is found in both places, whole, and is written and staged there."""
    path = put(prepared, ONE, name)
    reply = prepared.cli("audit")
    assert (reply.code, name in reply.out) == (0, True)
    assert prepared.cli("task", "complete", "--next", "Write the loop template").code == 0
    assert stated(path.read_text(), "Current Context", "Task") == "TASK-004 - Write the loop template"
    assert name in prepared.staged()


@pytest.mark.parametrize("name", [GLOBAL, DATED])
def test_a_project_that_has_a_state_md_uses_it(prepared: Project, name: str) -> None:
    """The first edit creates no second file, and binds to the existing one; commands in that session work on it."""
    path = put(prepared, FORKED, name)
    prepared.fire("SessionStart")
    prepared.edit("src/a.py")
    stopped(prepared, path)
    assert list(prepared.root.glob(".agents/sessions/*.md")) == []
    own(prepared, "return")
    own(prepared, "task", "complete", "--next", "Write the loop template")
    assert stated(path.read_text(), "Context Stack", "Depth") == "0"
    assert stated(path.read_text(), "Current Context", "Task") == "TASK-004 - Write the loop template"


def test_of_several_state_md_the_one_that_is_not_complete_is_used(prepared: Project) -> None:
    """Where earlier sessions left theirs, completed, the first edit binds to the one whose work goes on."""
    done = swap(ONE, ("**Status:** Working", "**Status:** Complete"), ("2026-01-21-importer", "2026-01-20-survey"))
    before = put(prepared, done, ".project/sessions/2026-01-20-survey/STATE.md").read_bytes()
    path = put(prepared, ONE, DATED)
    prepared.fire("SessionStart")
    prepared.edit("src/a.py")
    stopped(prepared, path)
    assert list(prepared.root.glob(".agents/sessions/*.md")) == []
    own(prepared, "task", "complete", "--next", "Write the loop template")
    assert stated(path.read_text(), "Current Context", "Task") == "TASK-004 - Write the loop template"
    assert (path.parent.parent / "2026-01-20-survey/STATE.md").read_bytes() == before


def test_a_new_file_of_this_format_goes_where_the_sessions_of_the_project_are(prepared: Project) -> None:
    """Location: .project/sessions/YYYY-MM-DD-description/STATE.md, where a project keeps its sessions there."""
    put(prepared, swap(ONE, ("**Status:** Working", "**Status:** Complete")), DATED)
    assert prepared.cli("start", "--format", "gsd-lite", "Price lists").code == 0
    made = sorted(prepared.root.glob(".project/sessions/*/STATE.md"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-price-lists", made[-1].parent.name)


@pytest.mark.parametrize("folder", [".gsd-lite", "gsd-lite"])
def test_start_makes_state_md_in_the_folder_of_the_project(prepared: Project, folder: str) -> None:
    """The first file is STATE.md, the next one has the next free place there; the session is its date and title."""
    (prepared.root / folder).mkdir()
    first = own(prepared, "start", "Phase 2: planning").out.splitlines()[0]
    assert first == GLOBAL.replace(".gsd-lite", folder)
    front = (prepared.root / first).read_text().split("---\n")[1]
    assert re.fullmatch(r"version: 1\.0\nupdated: \S+Z\nsession: \d{4}-\d\d-\d\d-phase-2-planning\n", front)
    second = prepared.cli("start", "Price lists", CLAUDE_CODE_SESSION_ID="two").out.splitlines()[0]
    assert second == f"{folder}/STATE-2.md"
    listed = json.loads(prepared.cli("list", "--json").out)
    assert {row["state_file"] for row in listed} >= {first, second}, listed


@pytest.mark.parametrize("way", ["--format", "setting"])
def test_the_format_can_be_chosen_in_a_project_without_its_folders(prepared: Project, way: str) -> None:
    """The file is in the first location that the document names, and the next one beside it."""
    if way == "setting":
        (prepared.root / ".agents/holdfast.toml").write_text('format = "gsd-lite"\n')
    for number, session in enumerate(("one", "two"), 1):
        prepared.fire("SessionStart", session)
        chosen = ["--format", "gsd-lite"] if way == "--format" else []
        made = prepared.cli("start", "Importer", *chosen, CLAUDE_CODE_SESSION_ID=session)
        (place,) = made.out.splitlines()
        assert re.fullmatch(r"\.project/sessions/\d{4}-\d\d-\d\d-importer(-2)?/STATE\.md", place), made
        assert (prepared.root / place).is_file()
        assert len(list(prepared.root.glob(".project/sessions/*/STATE.md"))) == number


ROADMAPS = {
    "a table": (
        "| # | Phase | Status |\n|---|---|---|\n| 1 | Found it | done |\n| 2 | Hand over | current |\n| 3 | Ship | |\n",
        2,
    ),
    "boxes": ("- [x] Phase 1: Found it\n- [x] Phase 2: Hand over\n- [ ] Phase 3: Ship\n", 3),
    "headings": ("## Phase 1: Found it ✅\n\n## Phase 2: Hand over (in progress)\n\n## Phase 3: Ship\n", 2),
    "words": ("1. **Found it** - completed\n2. Hand over\n3. Ship\n", 2),
    "CRLF": ("## Phase 1: Found it (done)\r\n\r\n## Phase 2: Hand over\r\n", 2),
    "no marks": ("## Phase 1: Complete the API\n\n## Phase 2: Current prices\n", 0),
    "names with a word of status": ("- [x] Phase 1: Found it\n- Phase 2: Get it done\n- Phase 3: Ship\n", 4),
    "a cell with a word of status": (
        "| # | Phase | Status |\n|---|---|---|\n| 1 | Found it | ✅ Done |\n| 2 | Get it done | |\n",
        4,
    ),
    "a day behind the word": ("- Phase 1: Found it (completed 2026-01-20)\n- Phase 2: Hand over\n", 2),
    "all done": ("- [x] Phase 1: Found it\n- [x] Phase 2: Hand over\n", 0),
}


@pytest.mark.parametrize(("roadmap", "phase"), ROADMAPS.values(), ids=ROADMAPS)
def test_the_phase_of_a_new_file_is_from_the_roadmap(prepared: Project, roadmap: str, phase: int) -> None:
    """The phase that it marks as current, else the first after those that are done; nothing is guessed."""
    (prepared.root / ".gsd-lite").mkdir()
    (prepared.root / "ROADMAP.md").write_text(f"# Roadmap\n\n{roadmap}", newline="")
    assert prepared.cli("start", "Importer").code == 0
    said = stated((prepared.root / GLOBAL).read_text(), "Current Context", "Phase")
    names = ("[which phase of the project this belongs to]", "1. Found it", "2. Hand over", "3. Ship", "2. Get it done")
    assert said == names[phase]


def test_the_first_edit_makes_a_file_in_the_format_of_the_project(prepared: Project) -> None:
    """What `start` makes, a session that begins to work gets by itself."""
    (prepared.root / ".gsd-lite").mkdir()
    prepared.fire("SessionStart")
    prepared.edit("a.txt")
    stopped(prepared, prepared.root / GLOBAL)


@pytest.mark.parametrize("context", [False, True], ids=["without", "with"])
def test_a_fresh_file_points_to_the_budget(prepared: Project, *, context: bool) -> None:
    """It names CONTEXT.md where there is one."""
    put(
        prepared,
        "# Context\n\n**Status:** 1850 / 5000 tokens (37%)\n",
        ".gsd-lite/" + "CONTEXT.md" * context + "x" * (not context),
    )
    own(prepared, "start", "Importer")
    budget = section((prepared.root / GLOBAL).read_text(), "Token Budget")
    assert ("See CONTEXT.md for full breakdown." in budget) == context
    assert ("**Status:** 1850 / 5000 tokens (37%) - deliberate\n" in budget) == context
    assert ("(focused) ← YOU ARE HERE" in budget) == context


def test_structure_is_yaml_frontmatter_and_six_sections(prepared: Project) -> None:
    """A new file has version, updated and session, then the six sections in order, each with its fields."""
    assert prepared.cli("start", "--format", "gsd-lite", "Price lists").code == 0
    text = prepared.state_files()[0].read_text()
    assert [re.search(rf"(?m)^{key}: \S", text) is None for key in ("version", "updated", "session")] == [False] * 3
    assert re.findall(r"(?m)^## (.+)$", text) == SIX
    fields = {
        "Current Context": ("Phase", "Task", "Focus", "Status"),
        "Active Loops": ("Total active",),
        "Token Budget": ("Status", "Phase", "Strategy"),
        "Context Stack": ("Current", "Return to", "Depth"),
    }
    assert [name for title, names in fields.items() for name in names if not stated(text, title, name)] == []
    assert "| ID  | Title | Status | Captured |" in section(text, "Active Loops")
    assert "LOOPS.md" in section(text, "Active Loops")


def test_the_trail_of_a_new_file_has_a_timestamp(prepared: Project) -> None:
    """Recent Updates of a new file has an entry under a minute."""
    assert prepared.cli("start", "--format", "gsd-lite", "Price lists").code == 0
    ((minute, _),) = entries(prepared.state_files()[0].read_text())
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", minute)


@pytest.mark.parametrize("word", ["Discussion Mode", "Blocked (waits for Mara)", "Awaiting Input"])
def test_status_on_a_screen_has_the_files_own_word(prepared: Project, word: str) -> None:
    """Working, Blocked, Awaiting Input and Discussion Mode are distinguished in a terminal, too."""
    put(prepared, swap(ONE, ("**Status:** Working", f"**Status:** {word}")))
    reported = prepared.cli("status", HOLDFAST_SCREEN="80x24").out
    assert re.search(rf"(?m)^Status: \w+ \({re.escape(word)}\)$", reported)


def test_the_start_names_one_of_several_state_md(prepared: Project) -> None:
    """Session resumption: where several folders have a STATE.md, the command at the start finds the one it names."""
    for name in ("importer", "reports"):
        put(prepared, swap(ONE, ("Importer", name)), f".project/sessions/2026-01-21-{name}/STATE.md")
    message = prepared.fire("SessionStart").message
    first = re.findall(r'"(\w+)" ', message)[0]
    reply = prepared.cli("resume", re.findall(r"/holdfast:resume (\S+)", message)[0])
    assert (reply.code, first in reply.out) == (0, True)


def test_the_user_reads_it_anytime_via_the_status_command(prepared: Project) -> None:
    """Typed as a slash command, status tells all six sections."""
    worked(prepared)
    reported = slash(prepared, "status")
    wanted = ["TASK-003", "3 loops", "1850 / 5000", "/holdfast:complete-task", "Recent updates", "TASK-003 (Write"]
    assert [words for words in wanted if words not in reported] == []
    assert asked(prepared, "status").code == 0


SCALES = {
    "as it is": lambda text: text,
    "another encoding": lambda text: text.encode().decode("cp1252", "replace"),
    "question marks": lambda text: text.encode("ascii", "replace").decode(),
    "no signs": lambda text: "".join(letter for letter in text if letter.isascii()),
    "stars": lambda text: (
        text.replace("- 0-", "* 0-").replace("- 20-", "* 20-").replace("- 4", "* 4").replace("- 5", "* 5")
    ),
    "no hints": lambda text: text.replace(" (focused)", "").replace(" (exploratory)", ""),
    "a person's words": lambda text: text.replace("YOU ARE HERE", "here, says Mara"),
}


@pytest.mark.parametrize("change", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("example", [ONE, TWO], ids=["example 1", "example 2"])
def test_the_list_of_zones_is_there_once(prepared: Project, change: Callable[[str], str], example: str) -> None:
    """When the numbers change there is one line for each zone, however the list was typed or damaged."""
    path = worked(prepared, change(example), used=1000)
    spent(prepared, 2600)
    budget = section(stopped(prepared, path), "Token Budget")
    assert "2600 / 5000 tokens (52%)" in budget
    assert [budget.count(name) for name in ("Comfortable", "Deliberate", "Warning")] == [1, 1, 1]
    assert budget.count("YOU ARE HERE") <= 1


PARTS = {
    "in parts": {"Token Budget": {"Used": "3000", "Total": 5000, "Percentage": "60%"}},
    "some parts": {"Token Budget": {"Used": 3000}},
    "a percentage alone": {"Token Budget": {"Percentage": "60%"}},
    "the line of the recovery": {"Budget": "3000/5000 (60%)"},
    "without a percentage": {"Token Budget": {"Status": "3,000 / 5,000"}},
}


@pytest.mark.parametrize("given", PARTS.values(), ids=PARTS)
def test_the_numbers_of_a_budget_are_its_one_status(prepared: Project, given: dict[str, object]) -> None:
    """Elements: used / total, percentage, zone, as in the document's recovery: nothing contradicts them afterwards."""
    path = worked(prepared)
    own(prepared, "sync", "--json", json.dumps(given))
    text = path.read_text()
    assert stated(text, "Token Budget", "Status") == "3000 / 5000 tokens (60%) - stop"
    assert stated(text, "Token Budget", "Phase") == "🔴 Stop zone (50%+)"
    assert re.findall("Used|Total|Percentage", section(text, "Token Budget")) == []


CONTRADICTORY = {
    "a percentage": {"Token Budget": {"Used": "3000", "Total": "5000", "Percentage": "50%"}},
    "a zone": {"Token Budget": {"Status": "4000 / 5000 tokens (80%)", "Phase": "🟢 Comfortable zone"}},
    "a count of loops": {"Active Loops": {"Total active": "9 loops"}},
}


@pytest.mark.parametrize("given", CONTRADICTORY.values(), ids=CONTRADICTORY)
def test_what_the_rest_of_the_file_contradicts_is_refused(prepared: Project, given: dict[str, object]) -> None:
    """Nothing is written, and the answer says what the file would say."""
    path = worked(prepared)
    before = path.read_text()
    reply = asked(prepared, "sync", "--json", json.dumps(given))
    assert (reply.code, path.read_text()) == (1, before)
    assert ", not " in reply.err


_TRIED = ("as it is", "another encoding", "stars", "no hints")
SYNCED = {
    "500 / 5000 tokens (10%)": "Comfortable",
    "2,100 / 5,000 tokens (42%)": "Warning",
    "4000 / 5000 tokens (80%)": "Stop",
}


@pytest.mark.parametrize("used", SYNCED, ids=SYNCED.values())
@pytest.mark.parametrize("change", [SCALES[name] for name in _TRIED], ids=_TRIED)
def test_the_zone_follows_a_budget_that_is_synced(prepared: Project, change: Callable[[str], str], used: str) -> None:
    """A new status brings the phase and the one mark along, by the file's own list of zones."""
    budget = section(ONE, "Token Budget")
    path = worked(prepared, swap(ONE, (budget, change(budget))))
    own(prepared, "sync", "--json", json.dumps({"Token Budget": {"Status": used}}))
    after = section(path.read_text(), "Token Budget")
    assert stated(path.read_text(), "Token Budget", "Status") == used
    assert f"{SYNCED[used]} zone" in stated(path.read_text(), "Token Budget", "Phase")
    assert [SYNCED[used] in line for line in after.splitlines() if "YOU ARE HERE" in line] == [True]
    assert len(re.findall(r"(?m)^[-*] .*\b(?:Comfortable|Deliberate|Warning|Stop)\b", after)) == 4
