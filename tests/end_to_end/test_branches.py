"""Work on several branches in the real client: what the user sees, and what each branch's commits have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.client.api import text, tool
from tests.client.fixtures import git
from tests.client.steps import command, new
from tests.support.plugin import settled

if TYPE_CHECKING:
    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = pytest.mark.timeout(240)


def _worked(client: Claude, api: Api, path: str, prompt: str) -> str:
    """Let a session write a file and commit everything; return its id."""
    session = new()
    api.script([tool("Write", file_path=str(client.project / path), content="x = 1\n")], [text("Half of it is done.")])
    client.run(prompt, session_id=session)
    settled(client.project, session)
    git(client.project, "add", "--all")
    git(client.project, "commit", "--quiet", "--message", prompt)
    return session


def test_the_user_sees_that_work_to_resume_is_on_another_branch(ready: Claude, api: Api) -> None:
    """Before anything is edited; Claude is told to wait for the switch."""
    git(ready.project, "add", "--all")
    git(ready.project, "commit", "--quiet", "--message", "Prepare")
    git(ready.project, "switch", "--quiet", "--create", "ical")
    session = _worked(ready, api, "ical.py", "Write the calendar export")
    git(ready.project, "switch", "--quiet", "main")
    api.script([text("Then switch, please.")])
    with ready.terminal() as terminal:
        terminal.send(f"/holdfast:resume {session[:8]}")
        terminal.wait_for("Then switch, please.", 90)
        terminal.wait_for("This work is on branch ical, main is checked out: git switch ical")


def test_what_was_closed_on_main_is_in_no_commit_of_another_branch(ready: Claude, api: Api) -> None:
    """A session there commits everything by itself; main has it again, staged."""
    git(ready.project, "add", "--all")
    git(ready.project, "commit", "--quiet", "--message", "Prepare")
    session = _worked(ready, api, "dunning.py", "Write the dunning letter")
    assert "says so" not in command(ready, "close", session[:8])
    (path,) = (ready.project / ".agents/sessions").glob("*.md")
    assert "status: completed" in path.read_text()
    git(ready.project, "switch", "--quiet", "--create", "letter")
    other = new()
    commit = tool("Bash", command="git add letter.py && git commit --all --quiet -m Letter", description="Commit")
    write = tool("Write", file_path=str(ready.project / "letter.py"), content="x = 1\n")
    api.script([write], [commit], [text("The letter is committed.")])
    ready.run("Write the letter and commit it", session_id=other)
    settled(ready.project, other)
    name = f".agents/sessions/{path.name}"
    assert git(ready.project, "rev-parse", f"main:{name}") == git(ready.project, "rev-parse", f"letter:{name}")
    assert "letter.py" in git(ready.project, "ls-tree", "--name-only", "letter")
    listed = command(ready, "list", "--all")
    assert "completed" in listed
    git(ready.project, "switch", "--quiet", "main")
    ready.run("Where are we?", session_id=new())
    command(ready, "settle")
    assert "status: completed" in path.read_text()
