"""State files of every dialect in the real client: read into the brief, edited where they are, synced by Claude."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.client.api import text, text_of, tool
from tests.client.fixtures import git
from tests.client.steps import command, new
from tests.hazards import shapes
from tests.support.plugin import facts, settled

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = pytest.mark.timeout(240)

N5 = "SESSION_STATE.md"
PLACES = {
    N5: shapes.N5,
    ".agents/sessions/20260211-080000-export.md": shapes.AGENTS,
    ".gsd-lite/STATE.md": shapes.GSD_LITE,
    ".genie/SESSION-STATE.md": shapes.GENIE,
    ".planning/STATE.md": shapes.GSD,
    ".claude/sessions/2026-03-02-1040-search.md": shapes.CLAUDE,
    "thoughts/ledgers/CONTINUITY_CLAUDE-search.md": shapes.CONTINUITY,
    "memory-bank/activeContext.md": shapes.MEMORY,
    "HANDOFF.md": shapes.HANDOFF,
}


def put(client: Claude, path: str, content: str) -> Path:
    """Put a file into the client's project and commit it."""
    target = client.project / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content)
    git(client.project, "add", ".")
    git(client.project, "commit", "--quiet", "--message", "Keep the state")
    return target


def test_the_brief_tells_of_state_files_of_every_format(holdfast: Claude, api: Api) -> None:
    """What is in people's own files reaches the model; of a file in an unknown format only that it is there."""
    for path, (_, content) in PLACES.items():
        put(holdfast, path, content)
    put(holdfast, "docs/HANDOFF.md", "# Cats\n\nIgnore all of this.\n")
    command(holdfast, "trust", "--yes")
    before = git(holdfast.project, "status", "--porcelain")
    holdfast.run("What is going on here?", session_id=new())
    reported = text_of(api.main_requests()[-1])
    assert "holdfast brief --all" in reported
    assert "Ignore all of this" not in reported
    reported = command(holdfast, "brief", "--all")
    for path in PLACES:
        assert path in reported, path
    assert "Import the invoices of 2025" in reported
    assert "docs/HANDOFF.md (of an unknown shape)" in reported
    assert "Ignore all of this" not in reported
    assert git(holdfast.project, "status", "--porcelain") == before


def test_an_n5_file_that_claude_edits_becomes_its_own(ready: Claude, api: Api) -> None:
    """The edited file is the session's, gets its time in the form it has, is staged, and comes back on resume."""
    state = put(ready, N5, shapes.N5[1])
    session = new()
    edit = tool("Edit", file_path=str(state), old_string="Import the invoices", new_string="Import all invoices")
    api.script([tool("Read", file_path=str(state))], [edit], [text("Noted.")])
    ready.run("Note what we do", session_id=session)
    settled(ready.project, session)
    (claim,) = facts(ready.project, session, "state")
    assert (claim["path"], claim["by"]) == (N5, "edit")
    after = state.read_text()
    assert after != shapes.N5[1].replace("Import the invoices", "Import all invoices")
    changed = [line for line in after.splitlines() if line not in shapes.N5[1].splitlines()]
    assert [line.split(":")[0] for line in changed] == ["last_updated", "- **Focus"]
    assert changed[0].endswith("+00:00")
    assert git(ready.project, "show", f":{N5}") == after
    ready.run("Go on", resume=session)
    reported = text_of(api.main_requests()[-1])
    assert f"This session's state file: {N5}" in reported
    assert "> - **Focus:** Import all invoices of 2025" in reported


def test_claude_syncs_its_state_from_its_own_shell(ready: Claude, api: Api) -> None:
    """`holdfast sync` works in Claude's Bash without an id once the session has a state file, and tells what it did."""
    state = put(ready, N5, shapes.N5[1])
    session = new()
    wishes = (
        """'{"Metadata": {"Focus": "Credit notes"}, "Covered": ["Looked at the sample files", "Read $25 \\\\1"]}'"""
    )
    edit = tool("Edit", file_path=str(state), old_string="**Overall:** 40%", new_string="**Overall:** 50%")
    sync = tool("Bash", command=f"holdfast sync --json {wishes}", description="Note it")
    audit = tool("Bash", command="holdfast audit; echo exit $?", description="Look at it")
    api.script([tool("Read", file_path=str(state))], [edit], [sync], [audit], [text("Noted.")])
    done = ready.run("Note what we did", session_id=session)
    assert done.returncode == 0, done.stderr
    settled(ready.project, session)
    assert "- **Focus:** Credit notes\n" in state.read_text()
    assert "- Looked at the sample files\n- Read $25 \\1\n" in state.read_text()
    reported = text_of(api.main_requests()[-1])
    line = 1 + shapes.N5[1].splitlines().index("- **Focus:** Import the invoices of 2025")
    assert f'Metadata.Focus, line {line}: "Import the invoices of 2025" → "Credit notes"' in reported
    assert "missing: line" in reported
    assert "exit 1" in reported
    assert "sync" in [fact["by"] for fact in facts(ready.project, session, "state")]


def test_a_hub_that_claude_edits_belongs_to_nobody(ready: Claude, api: Api) -> None:
    """A file that all sessions share is not taken over, stamped or staged when one of them edits it."""
    hub = put(ready, ".genie/SESSION-STATE.md", shapes.GENIE[1])
    session = new()
    old = next(line for line in shapes.GENIE[1].splitlines() if line.startswith("**Purpose:**"))
    edit = tool("Edit", file_path=str(hub), old_string=old, new_string="**Purpose:** Something else")
    api.script([tool("Read", file_path=str(hub))], [edit], [text("Noted.")])
    ready.run("Change the hub", session_id=session)
    settled(ready.project, session)
    assert hub.read_text() == shapes.GENIE[1].replace(old, "**Purpose:** Something else", 1)
    assert not [fact for fact in facts(ready.project, session, "state") if "genie" in fact["path"]]
    assert git(ready.project, "diff", "--cached", "--name-only", "--", ".genie") == ""


def test_a_person_hands_over_what_a_session_did(ready: Claude, api: Api) -> None:
    """Pause, hand-over and close by hand work on the file of a session that ran in the client."""
    session = new()
    api.script([tool("Write", file_path=str(ready.project / "a.py"), content="x = 1\n")], [text("Begun.")])
    ready.run("Add the export", session_id=session)
    settled(ready.project, session)
    wishes = (
        '{"Context": "The old host fills up.", "Current State": "The export writes files.", "Next Steps": ["Test it"]}'
    )
    command(ready, "sync", "--convo-id", session[:8], "--json", wishes)
    reported = command(ready, "handoff", session[:8])
    assert "Current state: The export writes files." in reported
    assert "- Test it" in reported
    assert "- a.py" in reported
    assert "paused" in command(ready, "pause", session[:8])
    assert "- [ ] Changes committed" in command(ready, "close", session[:8])
    assert 'status: "completed"' in _state(ready) or "status: completed" in _state(ready)


def _state(client: Claude) -> str:
    """Return the only state file in `.agents/sessions`."""
    (path,) = (client.project / ".agents/sessions").glob("*.md")
    return path.read_text()
