"""The real Gemini CLI in a real repository: what reaches its model, what is journaled, what stands in the files."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.client.models import call, say
from tests.client.steps import command, listed
from tests.support.packages import lend
from tests.support.plugin import facts, settled, state_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.gemini import Gemini
    from tests.client.models import Models

pytestmark = pytest.mark.timeout(240)


def work(client: Gemini, models: Models) -> str:
    """Run a session that writes a file, edits another, fails to edit a third, and says where it stopped."""
    known = set(listed(client))
    models.script(
        [call("write_file", file_path="src/parser.py", content="x = 1\n")],
        [call("replace", file_path="README.md", old_string="# A", new_string="# The", instruction="name it")],
        [call("replace", file_path="src/parser.py", old_string="missing", new_string="y", instruction="fails")],
        [say("The parser reads headers; totals are next.")],
    )
    done = client.run("Parse the invoices of the north branch")
    assert done.returncode == 0, done.stderr
    (ident,) = set(listed(client)) - known
    settled(client.project, ident)
    return ident


def test_a_session_is_journaled_and_has_a_state_file(gemini: Gemini, models: Models) -> None:
    """Prompt, edits and answer are journaled; an edit that failed is none; the state file names what was changed."""
    ident = work(gemini, models)
    (start,) = facts(gemini.project, ident, "start")
    assert (start["client"], start["source"]) == ("gemini", "startup")
    assert [fact["text"] for fact in facts(gemini.project, ident, "prompt")] == [
        "Parse the invoices of the north branch"
    ]
    assert [fact["path"] for fact in facts(gemini.project, ident, "edit")] == ["src/parser.py", "README.md"]
    assert [fact["text"] for fact in facts(gemini.project, ident, "answer")] == [
        "The parser reads headers; totals are next."
    ]
    (state,) = state_files(gemini.project)
    text = state.read_text()
    assert f"Gemini CLI session `{ident}` started this work" in text
    assert "- `src/parser.py`\n- `README.md`\n" in text
    assert not (gemini.project / ".git/holdfast/errors.log").exists()


def test_the_next_session_is_told_and_a_resumed_one_too(gemini: Gemini, models: Models) -> None:
    """A new session reads what the last one did, which is not taken for its prompt; a resumed one its own state."""
    ident = work(gemini, models)
    gemini.run("What was going on here?")
    told = models.requests[-1]
    for words in (f"Gemini session {ident[:8]}", "src/parser.py", "totals are next"):
        assert words in told
    (second,) = set(listed(gemini)) - {ident}
    assert [fact["text"] for fact in facts(gemini.project, second, "prompt")] == ["What was going on here?"]
    resume = json.loads(command(gemini, "resume", "--json"))
    commands = {row["id"]: row["command"].rpartition(" && ")[2] for row in resume}
    assert commands[ident] == f"gemini --resume {ident}"
    done = gemini.run("Go on", resume=ident)
    assert done.returncode == 0, done.stderr
    assert [fact["source"] for fact in facts(gemini.project, ident, "start")] == ["startup", "resume"]
    assert "This session's state file" in models.requests[-1]


def test_a_file_of_a_live_session_is_told_with_the_result(gemini: Gemini, models: Models) -> None:
    """Gemini takes no text before a tool call, so that the conflict stands beside the result; `deny` refuses before."""
    _live(gemini, "README.md")
    models.script([call("write_file", file_path="README.md", content="# Mine\n")], [say("Done.")])
    gemini.run("Name it")
    assert "README.md was changed just now by another live session" in models.requests[-1]
    (gemini.project / ".agents/holdfast.toml").write_text('conflicts = "deny"\n')
    _live(gemini, "README.md")
    gemini.extra["HOLDFAST_CONFLICTS"] = "deny"
    models.script([call("write_file", file_path="README.md", content="# Mine again\n")], [say("Done.")])
    gemini.run("Name it")
    assert "holdfast holds this edit back" in models.requests[-1]
    assert (gemini.project / "README.md").read_text() == "# Mine\n"


def _live(gemini: Gemini, path: str) -> None:
    """Let a session of Claude Code, whose process is this one, change a file."""
    assert gemini.plugin_dir
    hooks = gemini.plugin_dir / "hooks"
    for event, script, fields in (
        ("SessionStart", "session_start", {"source": "startup"}),
        ("PostToolUse", "post_tool_use", {"tool_name": "Edit", "tool_input": {"file_path": path}}),
    ):
        payload = {"session_id": "other", "cwd": str(gemini.project), "hook_event_name": event, **fields}
        subprocess.run(
            [str(hooks / "launch"), str(hooks / f"{script}.py")],
            input=json.dumps(payload).encode(),
            env={**gemini.env, "CLAUDE_PROJECT_DIR": str(gemini.project)},
            check=True,
            stdout=subprocess.DEVNULL,
        )
    assert facts(gemini.project, "other", "start")[-1]["pid"] == os.getpid()


def test_install_doctor_and_uninstall(gemini_alone: Gemini, models: Models, tmp_path: Path) -> None:
    """`holdfast install --client gemini` links the extension once, doctor hears it, `--uninstall` removes it."""
    data = tmp_path / "data"
    data.mkdir()
    lend(data)
    gemini_alone.extra["HOLDFAST_DATA"] = str(data)
    assert "extension: linked holdfast" in _installed(gemini_alone)
    assert "extension: already holdfast" in _installed(gemini_alone)
    models.script([say("Hello.")])
    gemini_alone.run("Hello")
    program = str(gemini_alone.plugin_dir and gemini_alone.plugin_dir / "bin/holdfast")
    done = subprocess.run(
        [program, "doctor"], cwd=gemini_alone.project, env=gemini_alone.env, capture_output=True, text=True, check=False
    )
    (line,) = [line for line in done.stdout.splitlines() if "Gemini CLI:" in line]
    assert line.startswith("✓")
    assert "last heard" in line
    assert "extension: removed holdfast" in _installed(gemini_alone, "--uninstall")
    assert "extension: holdfast is not installed" in _installed(gemini_alone, "--uninstall")
    assert "holdfast" not in gemini_alone.command("extensions", "list").stdout


def _installed(gemini: Gemini, *options: str) -> str:
    """Return what the installer prints; it must succeed."""
    assert gemini.plugin_dir
    words = [str(gemini.plugin_dir / "install.sh"), "--client", "gemini", *options]
    done = subprocess.run(words, env=gemini.env, cwd=gemini.project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
