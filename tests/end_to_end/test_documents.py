"""What the five documents ask for, in whole sessions on the real client."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.client.api import text, text_of, tool
from tests.client.steps import command, listed, new, write
from tests.requirements.test_genie_updater import RUN, USAGE
from tests.support.plugin import settled

if TYPE_CHECKING:
    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = pytest.mark.timeout(300)
GOLD = (
    "## Metadata",
    "## Progress",
    "## Covered",
    "## Topics",
    "## Key Insights",
    "## Decisions Made",
    "## Open Questions",
    "## Artifacts",
    "## Tags",
    "## Build-Specific",
)


@pytest.mark.slow
def test_after_ten_turns_a_file_reads_like_the_gold_standard(ready: Claude, api: Api) -> None:
    """n5-session-state.md: one file, its sections in the order of the example, and complete."""
    session = new()
    begin = 'holdfast start "Import the invoices" --type build --format n5'
    facts = {
        "Metadata": {"Focus": "Import the invoices", "Objective": "Totals agree"},
        "Progress": {"Overall": "50%", "Current Phase": "Phase 1", "Next Actions": "Run the tests"},
        "Covered": ["Read the export"],
        "Decisions Made": ["Totals are in cents"],
        "Artifacts": ["src/part0.py (permanent, src/)"],
    }
    api.script(
        [tool("Bash", command=begin)],
        [tool("Bash", command=f"holdfast sync --json '{json.dumps(facts)}'")],
        [text("Begun.")],
    )
    ready.run("Begin", session_id=session)
    for turn in range(9):
        api.script([write(ready, f"src/part{turn}.py")], [text(f"Part {turn} is imported.")])
        ready.run(f"Import part {turn}", resume=session)
        settled(ready.project, session)
        assert "\n\n\n" not in next(ready.project.rglob("SESSION_STATE.md")).read_text(), turn
    settled(ready.project, session)
    (state,) = ready.project.rglob("SESSION_STATE.md")
    body = state.read_text()
    assert "con_" in state.parent.name
    sections = [line for line in body.splitlines() if line.startswith("## ")]
    assert sections == [name for name in GOLD if name in sections]
    assert "- **Overall:** 50%" in body
    assert all(body.count(f"- src/part{turn}.py\n") == 1 for turn in range(9))
    assert body.count("part0.py (permanent") == 1


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("npx"), reason="npx is not installed")
def test_the_usage_lines_run_verbatim_in_claudes_shell(ready: Claude, api: Api) -> None:
    """genie-session-state-updater.md: each line of Usage Pattern, by the real npx, with nothing set by hand."""
    command(ready, "init", "--genie")
    session = new()
    for line in USAGE:
        api.script([tool("Bash", command=f"{RUN} {line}")])
    api.script([text("Done.")])
    ready.run("Implement feature X", session_id=session)
    answers = text_of(api.main_requests()[-1])
    assert answers.count('"status": "success"') + answers.count('"status":"success"') == len(USAGE), answers[-3000:]
    hub = (ready.project / ".genie/SESSION-STATE.md").read_text()
    assert f"`{session}`" in hub.partition("## Session History")[2]


@pytest.mark.slow
def test_a_start_counts_names_and_asks_in_three_lines(ready: Claude, api: Api) -> None:
    """agents-sessions.md: lists active sessions, asks which to resume or start fresh, also with more than two."""
    for number in range(4):
        session = new()
        api.script([write(ready, f"src/part{number}.py")], [text("Half of it.")])
        ready.run(f"Write part {number} of the exporter", session_id=session)
        settled(ready.project, session)
    with ready.terminal() as terminal:
        terminal.wait_for("start fresh?")
        shown = terminal.screen()
        terminal.send("/exit")
        terminal.wait_closed()
    assert "2 more: /holdfast:resume" in shown
    assert sum(f"part {number} of the exporter" in shown for number in range(4)) == 2


@pytest.mark.slow
def test_the_next_agent_gets_the_results_of_the_others(ready: Claude, api: Api) -> None:
    """agents-sessions.md: each agent "sets up context for next agent"."""
    session = new()
    first = tool("Agent", description="Map it", prompt="MAP the exporter", subagent_type="general-purpose")
    second = tool("Agent", description="Test it", prompt="TEST the exporter", subagent_type="general-purpose")
    api.script([text("The exporter is in src/export.py and has no retry.")], marker="MAP the exporter")
    api.script([text("Tested.")], marker="TEST the exporter")
    api.script([write(ready, "src/a.py")], [first], [text("Mapped.")])
    ready.run("Work on the exporter", session_id=session)
    api.script([second], [text("All done.")])
    ready.run("Now test it", resume=session)
    assert "has no retry" in text_of(api.main_requests("TEST the exporter")[0])
    assert listed(ready)[session]["children"]
