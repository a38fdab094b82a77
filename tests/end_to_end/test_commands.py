"""Working memory in the real client: what each slash command does to the files, and what reaches the model."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from holdfast.cli.slash import REPORTS
from tests.client.api import text, text_of, tool
from tests.client.steps import command, new, write
from tests.support.plugin import settled, state_files

if TYPE_CHECKING:
    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = pytest.mark.timeout(240)

LOOPS = "LOOPS.md"  # beside the state file
HERE = ".continue-here.md"
LOOP = ("loop", "add", "Which sources are in scope?")
TASK = ("task", "start", "Parse the invoices")
PLAN = ("plan", "propose", "Split the parser")
PHASE = ("phase", "skip-to", "1", "Foundation")
TALK = ("discuss", "the date format")


class Case(NamedTuple):
    """What was done by hand before, what is typed, which file then has which text, and what the model reads."""

    before: list[tuple[str, ...]]
    typed: str
    stands: dict[str, list[str]]
    reported: list[str]


STATE = "state"
CASES = {
    "continue": Case([TASK, ("pause",)], "continue", {STATE: ["**Status:** Working"]}, ["Parse the invoices"]),
    "continue in a discussion": Case(
        [TASK, TALK],
        "continue",
        {STATE: ["**Current:** TASK-001 (Parse the invoices)", "**Depth:** 0"]},
        ["Back to TASK-001 (Parse the invoices)"],
    ),
    "pause": Case(
        [TASK],
        "pause the samples are at Mara's",
        {STATE: ["**Status:** Working (Paused)"], HERE: ["the samples are at Mara's", "<next_action>"]},
        [HERE],
    ),
    "status": Case([TASK, LOOP], "status", {}, ["TASK-001 - Parse the invoices", "LOOP-001"]),
    "discuss": Case(
        [TASK],
        "discuss the date format",
        {
            STATE: [
                "**Current:** /discuss the date format",
                "**Return to:** TASK-001 (Parse the invoices)",
                "**Depth:** 1",
                "**Status:** Discussion Mode",
                "- `/holdfast:return` - Return to TASK-001 (Parse the invoices)",
            ]
        },
        ["In discussion: the date format."],
    ),
    "discuss twice": Case(
        [TASK, TALK],
        "discuss the weather",
        {STATE: ["**Current:** /discuss the date format"]},
        ["Already in discussion mode (depth 1). Complete current discussion before forking again."],
    ),
    "return": Case(
        [TASK, TALK],
        "return we take ISO dates",
        {
            STATE: [
                "**Current:** TASK-001 (Parse the invoices)",
                "**Return to:** None (not forked)",
                "**Depth:** 0",
                "**Status:** Working",
                "- Returned from discussion: the date format; we take ISO dates",
            ]
        },
        ["Back to TASK-001"],
    ),
    "approve-plan": Case(
        [PLAN],
        "approve-plan",
        {STATE: ["- Approved PLAN-001: Split the parser", "**Status:** Working", "- Approved PLAN-001"]},
        ["Approved PLAN-001: Split the parser"],
    ),
    "reject-plan": Case(
        [PLAN],
        "reject-plan too large",
        {STATE: ["- Rejected PLAN-001: too large", "- Rejected PLAN-001: too large"]},
        ["Rejected PLAN-001", "too large"],
    ),
    "edit-plan": Case(
        [PLAN],
        "edit-plan the tests first",
        {
            STATE: [
                "changes to PLAN-001: the tests first",
                "- Asked for changes to PLAN-001: the tests first",
                "**Status:** Blocked (Awaiting Approval)",
                "**AWAITING: Approve, reject, or edit PLAN-001**",
            ]
        },
        ["the tests first"],
    ),
    "close-loop": Case(
        [LOOP],
        "close-loop 1 all but the archive",
        {
            LOOPS: ['status="closed"', "<result>all but the archive</result>"],
            STATE: ["**Total active:** 0 loops", "- Closed LOOP-001 in LOOPS.md: all but the archive"],
        },
        ["Closed LOOP-001"],
    ),
    "close-loop without an outcome": Case(
        [LOOP], "close-loop LOOP-001", {LOOPS: ['status="open"']}, ["outcome", "holdfast loop close"]
    ),
    "explore-loop": Case(
        [LOOP],
        "explore-loop LOOP-001 ask Mara",
        {
            LOOPS: ['status="clarifying"', "<approach>ask Mara</approach>"],
            STATE: ["| LOOP-001 | Which sources are in scope? | clarifying |", "**Total active:** 1 loop (clarifying)"],
        },
        ["Exploring LOOP-001"],
    ),
    "complete-phase": Case(
        [PHASE],
        "complete-phase Foundation",
        {STATE: ["**Phase:** 2. Importing", "- Completed phase 1. Foundation, began 2. Importing"]},
        ["2. Importing"],
    ),
    "skip-to-phase": Case(
        [PHASE],
        "skip-to-phase 3 Reports",
        {STATE: ["**Phase:** 3. Reports", "- Skipped from 1. Foundation to phase 3. Reports"]},
        ["3. Reports"],
    ),
    "complete-task": Case(
        [("task", "add", "Write the totals"), TASK],
        "complete-task",
        {
            STATE: [
                "**Task:** TASK-001 - Write the totals",
                "- Completed TASK-002: Parse the invoices",
                "- Started TASK-001: Write the totals",
                "**Current:** TASK-001 (Write the totals)",
            ]
        },
        ["Completed TASK-002. Now: TASK-001."],
    ),
    "skip-task": Case(
        [TASK],
        "skip-task the schema is not decided",
        {STATE: ["**Task:** None (TASK-001 is skipped)", "- Skipped TASK-001: the schema is not decided"]},
        ["Skipped TASK-001: the schema is not decided"],
    ),
    "recover": Case([TASK], "recover", {}, ["holdfast"]),
    "audit": Case([], "audit", {}, ["Current Context.Focus"]),
    "tree": Case([], "tree", {}, ["this is holdfast's answer, no error:"]),
    "handoff": Case([TASK], "handoff", {}, ["Hand-over: Importer"]),
    "close": Case([TASK], "close", {STATE: ["**Status:** Working"]}, ["Changes committed"]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_command_does_what_it_says_and_claude_is_informed(ready: Claude, api: Api, case: Case) -> None:
    """The files say so afterwards, and the model learns it in the same request; the user reads plain reports."""
    (ready.project / "ROADMAP.md").write_text("- Phase 1: Foundation\n- Phase 2: Importing\n- Phase 3: Reports\n")
    command(ready, "start", "--format", "gsd-lite", "Importer")
    for arguments in case.before:
        command(ready, *arguments)
    api.script([text("Understood.")])
    done = ready.run(f"/holdfast:{case.typed}", session_id=new())
    name = case.typed.split()[0]
    if name in REPORTS:
        reported = done.stdout
        assert api.main_requests() == []
    else:
        reported = text_of(api.main_requests()[-1])
        assert done.stdout.strip() == "Understood."
        assert f"holdfast ran /holdfast:{name}" in reported
    for part in case.reported:
        assert part in reported
    for name, lines in case.stands.items():
        state = state_files(ready.project)[0]
        path = {STATE: state, LOOPS: state.with_name(LOOPS)}.get(name, ready.project / name)
        for line in lines:
            assert line in path.read_text()


def test_a_loop_is_drafted_and_captured_once_it_is_approved(ready: Claude, api: Api) -> None:
    """The model is given a draft, and nothing is written; what it captures then is in LOOPS.md and the state file."""
    command(ready, "start", "--format", "gsd-lite", "Importer")
    (path,), before, session = state_files(ready.project), state_files(ready.project)[0].read_text(), new()
    ready.run("/holdfast:add-loop Are dates in UTC?", session_id=session)
    reported = text_of(api.main_requests()[-1]).replace("\u2039", "<")  # as the fence writes it
    for part in ("holdfast ran /holdfast:add-loop", "<title>Are dates in UTC?</title>", "nothing is captured yet"):
        assert part in reported
    assert (path.read_text(), path.with_name(LOOPS).exists()) == (before, False)
    add = "holdfast loop add 'Are dates in UTC?' --context 'The export names no zone.' --question 'Which one is it?'"
    api.script([tool("Bash", command=add)], [text("Captured.")])
    ready.run("Yes, capture it", resume=session)
    assert "Captured LOOP-001: Are dates in UTC?" in text_of(api.main_requests()[-1])
    for words in ('<loop id="LOOP-001" status="open">', "<title>Are dates in UTC?</title>", "Which one is it?"):
        assert words in path.with_name(LOOPS).read_text()
    for line in (
        "| LOOP-001 | Are dates in UTC? | open | 20",
        "**Total active:** 1 loop (open)",
        "- Added LOOP-001 to LOOPS.md: Are dates in UTC?",
        "- `/holdfast:close-loop [ID]` - Mark loop 001 resolved",
    ):
        assert line in re.sub(" +", " ", path.read_text())  # the columns of a table are aligned


# A way out of quotes, substitutions, what a skill would run, both quotes, a second line that is Markdown.
HOSTILE = "'; touch X; ' $(touch X) `touch X` !`touch X` \"it's\" $ARGUMENTS\n**Depth:** 7\n## Context Stack"
FIRST = {"close-loop": "LOOP-001 ", "explore-loop": "1 ", "skip-to-phase": "3 "}
TAKES: dict[str, list[tuple[str, ...]]] = {
    **{name: [] for name in ("add-loop", "discuss", "start", "pause", "skip-to-phase")},
    **{name: [PLAN] for name in ("edit-plan", "reject-plan")},
    **{name: [LOOP] for name in ("close-loop", "explore-loop")},
    **{name: [TASK] for name in ("complete-task", "skip-task")},
    "return": [TASK, TALK],
    "complete-phase": [PHASE],
}


@pytest.mark.parametrize("name", TAKES)
def test_what_is_typed_is_data(ready: Claude, api: Api, name: str) -> None:
    """Nothing of it runs, no field or section comes into being, and the model learns what was done with it."""
    command(ready, "start", "--format", "gsd-lite", "Importer")
    for arguments in TAKES[name]:
        command(ready, *arguments)
    api.script([text("Understood.")])
    ready.run(f"/holdfast:{name} {FIRST.get(name, '')}{HOSTILE}", session_id=new())
    assert f"holdfast ran /holdfast:{name}. " in text_of(api.main_requests()[-1])
    assert [*ready.project.rglob("X"), *ready.home.rglob("X")] == []
    for path in state_files(ready.project):
        text_ = path.read_text()
        assert text_.count("\n**Depth:** ") == text_.count("\n## Context Stack\n") == ("\n# Session State: " in text_)


def test_ten_thousand_characters_are_kept_whole(ready: Claude, api: Api) -> None:
    """A topic as long as a page is in the state file to its last word."""
    command(ready, "start", "--format", "gsd-lite", "Importer")
    words = " ".join(f"word{number}" for number in range(1300))
    api.script([text("Understood.")])
    ready.run(f"/holdfast:discuss {words}", session_id=new())
    assert len(words) > 10_000
    assert f"**Current:** /discuss {words}\n" in state_files(ready.project)[0].read_text()


def test_a_project_is_prepared_and_work_begun_by_commands(holdfast: Claude, api: Api) -> None:
    """From nothing: prepared, a state file of this session, a detour in it, and that session's next start knows."""
    session = new()
    holdfast.run("/holdfast:init", session_id=session)
    assert "> Made .agents/holdfast.toml" in text_of(api.main_requests()[-1])
    holdfast.run("/holdfast:start Parse the invoices", resume=session)
    (path,) = state_files(holdfast.project)
    assert str(path.relative_to(holdfast.project)) in text_of(api.main_requests()[-1])
    holdfast.run("/holdfast:discuss the date format", resume=session)
    assert "/discuss the date format" in path.read_text()
    for _ in range(4):
        api.script([write(holdfast, "src/dates.py")], [text("Half of it is done.")])
        holdfast.run("Go on", resume=session)
    settled(holdfast.project, session)
    holdfast.run("And now?", resume=session)
    back = "- Return to: Parse the invoices (holdfast return)"
    assert back in text_of(api.main_requests()[-1])
    holdfast.run("/compact", resume=session)
    (run,) = [run for run in holdfast.hook_runs(session) if run.hook == "SessionStart:compact"]
    assert back in json.loads(run.stdout)["hookSpecificOutput"]["additionalContext"]
    holdfast.run("/holdfast:return", resume=session)
    assert "/discuss" not in path.read_text()


def test_a_session_paused_is_continued_by_the_next_one(ready: Claude, api: Api) -> None:
    """The brief of the next session has the hand-over; taken up, it is gone, and the state file is that session's."""
    command(ready, "start", "--format", "gsd-lite", "Importer")
    first, second = new(), new()
    ready.run("/holdfast:pause the samples are at Mara's", session_id=first)
    ready.run("What was going on?", session_id=second)
    reported = text_of(api.main_requests()[-1])
    assert "> the samples are at Mara's" in reported
    assert "holdfast continue" in reported
    ready.run("/holdfast:continue", resume=second)
    assert not (ready.project / HERE).exists()
    row = {row["id"]: row for row in json.loads(command(ready, "list", "--all", "--json"))}[second]
    assert row["state_file"] == str(state_files(ready.project)[0].relative_to(ready.project))
    assert row["status"] == "active"


def test_update_artifacts_brings_the_drift(ready: Claude, api: Api) -> None:
    """The phrase of the format, and no other prompt, brings what the state does not say, with the calls for it."""
    session = new()
    api.script([write(ready, "src/parser.py")], [text("Parsed.")])
    ready.run("Parse the invoices", session_id=session)
    settled(ready.project, session)
    ready.run("Update the parser", resume=session)
    assert "Protocol Drift Detected" not in text_of(api.main_requests()[-1])
    ready.run("update artifacts", resume=session)
    reported = text_of(api.main_requests()[-1])
    for part in ("Protocol Drift Detected", "src/parser.py", "holdfast sync"):
        assert part in reported


def test_completed_work_shows_its_checklist_once(ready: Claude, api: Api) -> None:
    """When the state says completed, the user sees what is left, at that Stop and at no other."""
    session = new()
    api.script([write(ready, "src/parser.py", "# TODO: totals\n")], [text("Parsed.")])
    ready.run("Parse the invoices", session_id=session)
    settled(ready.project, session)
    (path,) = state_files(ready.project)
    for status in ("in_progress", "completed", "completed"):
        path.write_text(path.read_text().replace("status: in_progress", f"status: {status}"))
        command(ready, "trust", "--yes")
        ready.run("And now?", resume=session)
        settled(ready.project, session)
    shown = [json.loads(run.stdout)["systemMessage"] for run in ready.hook_runs(session) if run.hook == "Stop"]
    (message,) = shown
    for part in ("Changes committed", "src/parser.py:1"):
        assert part in message
