"""The real Copilot CLI in a real repository: what reaches its model, what is journaled, what stands in the files."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.client.models import call, say
from tests.client.steps import command, listed
from tests.support.plugin import facts, settled, state_files

if TYPE_CHECKING:
    from tests.client.copilot import Copilot
    from tests.client.models import Models

pytestmark = pytest.mark.timeout(240)


def work(client: Copilot, models: Models) -> str:
    """Run a session that writes a file, fails to edit another, and says where it stopped."""
    known = set(listed(client))
    root = client.project
    models.script(
        [call("create", path=str(root / "parser.py"), file_text="x = 1\n")],
        [call("edit", path=str(root / "README.md"), old_str="missing", new_str="y")],
        [say("The parser reads headers; totals are next.")],
    )
    done = client.run("Parse the invoices of the north branch")
    assert done.returncode == 0, done.stderr
    (ident,) = set(listed(client)) - known
    settled(client.project, ident)
    return ident


def test_a_session_is_journaled_and_has_a_state_file(copilot: Copilot, models: Models) -> None:
    """Prompt, the edit that succeeded and the answer are journaled, which the client itself does not send."""
    ident = work(copilot, models)
    (start,) = facts(copilot.project, ident, "start")
    assert (start["client"], start["source"]) == ("copilot", "startup")
    (prompt,) = facts(copilot.project, ident, "prompt")
    assert prompt["text"] == "Parse the invoices of the north branch"
    assert [fact["path"] for fact in facts(copilot.project, ident, "edit")] == ["parser.py"]
    (answer,) = facts(copilot.project, ident, "answer")
    assert answer["text"] == "The parser reads headers; totals are next."
    (state,) = state_files(copilot.project)
    assert f"Copilot CLI session `{ident}` started this work" in state.read_text()
    assert "- `parser.py`\n" in state.read_text()
    assert not (copilot.project / ".git/holdfast/errors.log").exists()


def test_the_next_session_is_told_and_a_resumed_one_too(copilot: Copilot, models: Models) -> None:
    """A new session reads what the last one did; its shell knows its session; a resumed one reads its own state."""
    ident = work(copilot, models)
    program = copilot.plugin_dir and copilot.plugin_dir / "bin/holdfast"
    words = f"{program} start 'The totals'"
    models.script([call("bash", command=words, description="begin")], [say("Begun.")])
    asked = len(models.requests)
    copilot.run("What was going on here?")
    for words in (f"Copilot session {ident[:8]}", "parser.py", "totals are next"):
        assert words in models.requests[asked]
    (second,) = set(listed(copilot)) - {ident}
    assert [fact["by"] for fact in facts(copilot.project, second, "state")] == ["start"]
    rows = json.loads(command(copilot, "resume", "--json"))
    commands = {row["id"]: row["command"].rpartition(" && ")[2] for row in rows}
    assert commands[ident] == f"copilot --resume={ident}"
    done = copilot.run("Go on", resume=ident)
    assert done.returncode == 0, done.stderr
    assert [fact["source"] for fact in facts(copilot.project, ident, "start")] == ["startup", "resume"]
    assert "This session's state file" in models.requests[-1]


def _fire(copilot: Copilot, event: str, session: str, **fields: Any) -> dict[str, Any]:
    """Send an event as the client does and return the answer; the session's process is this one."""
    assert copilot.plugin_dir
    hooks = copilot.plugin_dir / "hooks"
    payload = {"session_id": session, "cwd": str(copilot.project), "hook_event_name": event, **fields}
    done = subprocess.run(
        [str(hooks / "launch"), str(hooks / "event.py"), "copilot", event],
        input=json.dumps(payload).encode(),
        env=copilot.env,
        check=True,
        stdout=subprocess.PIPE,
    )
    answer: dict[str, Any] = json.loads(done.stdout or b"{}")
    return answer


def test_after_a_compaction_the_next_prompt_has_the_own_state(copilot: Copilot, models: Models) -> None:
    """Nothing follows a compaction, so its own state is told with the next prompt, and once."""
    ident = work(copilot, models)
    _fire(copilot, "SessionStart", ident, source="resume")
    assert _fire(copilot, "PreCompact", ident, trigger="manual") == {}
    told = _fire(copilot, "UserPromptSubmit", ident, prompt="Go on")["additionalContext"]
    assert "This session's state file" in told
    assert "parser.py" in told
    assert _fire(copilot, "UserPromptSubmit", ident, prompt="And on") == {}


def test_a_conflict_is_told_before_the_edit(copilot: Copilot, models: Models) -> None:
    """A file that a live session changed is named before the edit; the edit goes on."""
    _fire(copilot, "SessionStart", "other", source="new")
    edit = {"tool_name": "Write", "tool_input": {"path": str(copilot.project / "README.md")}}
    _fire(copilot, "PostToolUse", "other", **edit)
    assert facts(copilot.project, "other", "start")[-1]["pid"] == os.getpid()
    models.script(
        [call("edit", path=str(copilot.project / "README.md"), old_str="# A", new_str="# The")], [say("Done.")]
    )
    copilot.run("Name it")
    assert "README.md was changed just now by another live session" in models.requests[-1]
    assert (copilot.project / "README.md").read_text() == "# The project\n"


def test_install_doctor_and_uninstall(copilot: Copilot, models: Models) -> None:
    """The file is written once, doctor hears the hooks, a changed file is found, and uninstalling removes it."""
    work(copilot, models)
    assert "hooks: already" in copilot.install()
    assert _doctor(copilot).startswith("✓")
    assert "last heard" in _doctor(copilot)
    path = copilot.home / ".copilot/hooks/holdfast.json"
    path.write_text(path.read_text().replace('"timeoutSec": 15', '"timeoutSec": 1'))
    assert _doctor(copilot).startswith("✗")
    assert "hooks: written" in copilot.install()
    assert "hooks: removed" in copilot.install("--uninstall")
    assert not path.exists()
    path.write_text('{"hooks": {}}')
    assert "left alone" in copilot.install("--uninstall")


def _doctor(copilot: Copilot) -> str:
    """Return the line of doctor about Copilot CLI."""
    program = str(copilot.plugin_dir and copilot.plugin_dir / "bin/holdfast")
    done = subprocess.run(
        [program, "doctor"], cwd=copilot.project, env=copilot.env, capture_output=True, text=True, check=False
    )
    (line,) = [line for line in done.stdout.splitlines() if "Copilot CLI:" in line]
    return line
