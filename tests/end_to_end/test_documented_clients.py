"""Clients that no test runs: what their documentation says that they send goes through the installed commands."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.clients import catalogue
from tests.client.identity import IDENTITY
from tests.support.plugin import facts, settled, state_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
ASKED, STOPPED = "Parse the invoices", "Totals are next."
# What the client sends beside its own key of the session; the edit is of PATH.
EVENTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "cursor": [
        ("sessionStart", {"is_background_agent": False, "composer_mode": "agent"}),
        ("beforeSubmitPrompt", {"prompt": ASKED, "attachments": []}),
        ("preToolUse", {"tool_name": "Write", "tool_input": {"file_path": "PATH"}}),
        ("afterFileEdit", {"file_path": "PATH", "edits": [{"old_string": "", "new_string": "x"}]}),
        ("afterAgentResponse", {"text": STOPPED}),
    ],
    "windsurf": [
        ("pre_user_prompt", {"tool_info": {"user_prompt": ASKED}}),
        ("post_write_code", {"tool_info": {"file_path": "PATH", "edits": []}}),
        ("post_cascade_response", {"tool_info": {"response": STOPPED}}),
    ],
}
FILES = {"cursor": ".cursor/hooks.json", "windsurf": ".codeium/windsurf/hooks.json"}


class Editor:
    """A home with the client's folder, and the installed plugin."""

    def __init__(self, name: str, project: Path, plugin: Path, env: dict[str, str]) -> None:
        """Install the plugin and prepare the project."""
        self.name, self.project, self.plugin, self.env = name, project, plugin, env
        self.file = project.parent / "home" / FILES[name]
        self.file.parent.mkdir(parents=True)
        self.run("install.sh", "--client", name)
        self.run("bin/holdfast", "init")

    def run(self, program: str, *words: str, given: str = "") -> str:
        """Run a program of the plugin, or of the system, which must succeed, and return what it prints."""
        done = subprocess.run(
            [str(self.plugin / program) if "/" in program or program.endswith(".sh") else program, *words],
            env=self.env,
            cwd=self.project,
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def send(self, session: str, event: str, fields: dict[str, Any]) -> dict[str, Any]:
        """Run the installed command of an event and return the answer."""
        (entry,) = json.loads(self.file.read_text())["hooks"][event]
        whole = {catalogue.of(self.name).SESSION_KEY: session, "workspace_roots": [str(self.project)], **fields}
        given = json.dumps(whole).replace("PATH", str(self.project / "src/a.py"))
        answer: dict[str, Any] = json.loads(self.run("sh", "-c", entry["command"], given=given) or "{}")
        return answer

    def work(self, session: str) -> None:
        """Send all events of a conversation."""
        for event, fields in EVENTS[self.name]:
            self.send(session, event, fields)
        settled(self.project, session)


@pytest.fixture
def editor(project: Path, plugin_copy: Path, packages: Path) -> Callable[[str], Editor]:
    """Give what makes an editor by its name."""
    env = {"PATH": os.environ["PATH"], "HOME": str(project.parent / "home"), "HOLDFAST_DATA": str(packages), **IDENTITY}
    return lambda name: Editor(name, project, plugin_copy, env)


@pytest.mark.parametrize("name", EVENTS)
def test_a_conversation_is_recorded(name: str, editor: Callable[[str], Editor], project: Path) -> None:
    """Prompt, edit and answer are journaled, and the state file has them; the editor's process says nothing."""
    opened = editor(name)
    opened.work("one")
    (start,) = facts(project, "one", "start")
    assert (start["client"], start["source"], start["pid"]) == (name, "startup", 0)
    assert [fact["text"] for fact in facts(project, "one", "prompt")] == [ASKED]
    assert [fact["path"] for fact in facts(project, "one", "edit")] == ["src/a.py"]
    assert [fact["text"] for fact in facts(project, "one", "answer")] == [STOPPED]
    (state,) = state_files(project)
    assert f"{catalogue.of(name).TITLE} session `one` started this work" in state.read_text()
    assert not (project / ".git/holdfast/errors.log").exists()
    assert f"{catalogue.of(name).SHORT} - {ASKED}" in opened.run("bin/holdfast", "tree")
    (row,) = [row for row in json.loads(opened.run("bin/holdfast", "list", "--format", "json")) if row["id"] == "one"]
    assert row["title"]
    opened.run("install.sh", "--client", name, "--uninstall")
    assert not opened.file.exists()


def test_cursor_is_informed_and_its_edit_refused(editor: Callable[[str], Editor]) -> None:
    """A new conversation gets what the last one did; an edit of a file in use is refused if the project says so."""
    opened = editor("cursor")
    opened.work("one")
    reported = opened.send("two", *EVENTS["cursor"][0])["additional_context"]
    assert "src/a.py" in reported
    assert "Cursor session one" in reported
    edit = EVENTS["cursor"][2]
    assert opened.send("two", *edit) == {}
    opened.env["HOLDFAST_CONFLICTS"] = "deny"
    refused = opened.send("two", *edit)
    assert refused["permission"] == "deny"
    assert "holdfast holds this edit back" in refused["agent_message"]
