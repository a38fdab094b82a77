"""The real Qwen Code in a real repository: what reaches its model, what is journaled, what stands in the files."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.client.models import Turn, call, say
from tests.client.steps import command, listed
from tests.support.packages import lend
from tests.support.plugin import facts, settled, state_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.models import Models
    from tests.client.qwen import Qwen

pytestmark = pytest.mark.timeout(240)


def work(client: Qwen, models: Models) -> str:
    """Run a session that writes a file, fails to edit another, keeps a task, and says where it stopped."""
    known = set(listed(client))
    root = client.project
    models.script(
        [call("write_file", file_path=str(root / "src/parser.py"), content="x = 1\n")],
        [call("edit", file_path=str(root / "README.md"), old_string="missing", new_string="y")],
        [call("todo_write", todos=[{"id": "1", "content": "Write the totals", "status": "pending"}])],
        [say("The parser reads headers; totals are next.")],
    )
    done = client.run("Parse the invoices of the north branch")
    assert done.returncode == 0, done.stderr
    (ident,) = set(listed(client)) - known
    settled(client.project, ident)
    return ident


def _told(models: Models) -> str:
    """Return the last request with a text of holdfast; the client also asks what is worth remembering."""
    return next(request for request in reversed(models.requests) if "&lt;holdfast-" in request)


def test_a_session_is_journaled_and_has_a_state_file(qwen: Qwen, models: Models) -> None:
    """One prompt however many rounds of tools, the edit that succeeded, the task, and the answer are journaled."""
    ident = work(qwen, models)
    (start,) = facts(qwen.project, ident, "start")
    assert (start["client"], start["source"]) == ("qwen", "startup")
    prompts = [fact["text"] for fact in facts(qwen.project, ident, "prompt")]
    assert prompts == ["Parse the invoices of the north branch"]
    assert [fact["path"] for fact in facts(qwen.project, ident, "edit")] == ["src/parser.py"]
    assert [fact["subject"] for fact in facts(qwen.project, ident, "task")] == ["Write the totals"]
    (answer,) = facts(qwen.project, ident, "answer")
    assert answer["text"] == "The parser reads headers; totals are next."
    (state,) = state_files(qwen.project)
    text = state.read_text()
    assert f"Qwen Code session `{ident}` started this work" in text
    assert "- `src/parser.py`\n" in text
    assert "Write the totals" in text
    assert not (qwen.project / ".git/holdfast/errors.log").exists()


def test_the_next_session_is_told_and_a_resumed_one_too(qwen: Qwen, models: Models) -> None:
    """A new session reads what the last one did; a resumed one its own state; the shell knows its session."""
    ident = work(qwen, models)
    program = qwen.plugin_dir and qwen.plugin_dir / "bin/holdfast"
    words = f"{program} start 'The totals'"
    models.script([call("run_shell_command", command=words, is_background=False)], [say("Begun.")])
    asked = len(models.requests)
    qwen.run("What was going on here?")
    for words in (f"Qwen session {ident[:8]}", "src/parser.py", "totals are next"):
        assert words in models.requests[asked]
    (second,) = set(listed(qwen)) - {ident}
    assert [fact["by"] for fact in facts(qwen.project, second, "state")] == ["start"]
    rows = json.loads(command(qwen, "resume", "--json"))
    commands = {row["id"]: row["command"].rpartition(" && ")[2] for row in rows}
    assert commands[ident] == f"qwen --resume {ident}"
    done = qwen.run("Go on", resume=ident)
    assert done.returncode == 0, done.stderr
    assert [fact["source"] for fact in facts(qwen.project, ident, "start")] == ["startup", "resume"]
    assert "s state file: .agents/sessions/" in _told(models)


def test_a_compaction_is_steered_and_the_own_state_returns(qwen: Qwen, models: Models) -> None:
    """The summariser is told what to keep; the summary is kept; the request after it has the state file again."""
    ident = work(qwen, models)
    models.script(Turn((say("Half of it."),), 170_000))
    qwen.run("Go on", resume=ident)
    asked = len(models.requests)
    models.script([say("<summary>They parsed.</summary>")], [say("On with it.")])
    done = qwen.run("And on", resume=ident)
    assert done.returncode == 0, done.stderr
    assert [fact["trigger"] for fact in facts(qwen.project, ident, "compact")] == ["auto"]
    assert [fact["kind"] for fact in facts(qwen.project, ident, "summary")] == ["summary"]
    assert "Write the totals" in models.requests[asked]
    assert "holdfast-" in models.requests[asked]
    assert "s state file: .agents/sessions/" in _told(models)


def test_install_doctor_and_uninstall(qwen_alone: Qwen, models: Models, tmp_path: Path) -> None:
    """`holdfast install --client qwen` links the extension once, doctor hears it, `--uninstall` removes it."""
    data = tmp_path / "data"
    data.mkdir()
    lend(data)
    qwen_alone.extra["HOLDFAST_DATA"] = str(data)
    assert "extension: linked holdfast" in _installed(qwen_alone)
    assert "extension: already holdfast" in _installed(qwen_alone)
    models.script([say("Hello.")])
    qwen_alone.run("Hello")
    program = str(qwen_alone.plugin_dir and qwen_alone.plugin_dir / "bin/holdfast")
    done = subprocess.run(
        [program, "doctor"], cwd=qwen_alone.project, env=qwen_alone.env, capture_output=True, text=True, check=False
    )
    (line,) = [line for line in done.stdout.splitlines() if "Qwen Code:" in line]
    assert line.startswith("✓")
    assert "last heard" in line
    assert "extension: removed holdfast" in _installed(qwen_alone, "--uninstall")
    assert "extension: holdfast is not installed" in _installed(qwen_alone, "--uninstall")


def _installed(qwen: Qwen, *options: str) -> str:
    """Return what the installer prints; it must succeed."""
    assert qwen.plugin_dir
    words = [str(qwen.plugin_dir / "install.sh"), "--client", "qwen", *options]
    done = subprocess.run(words, env=qwen.env, cwd=qwen.project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
