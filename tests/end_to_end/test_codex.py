"""The real Codex CLI in a real repository: what reaches its model, what is journaled, what stands in the files."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.project import codex_registration as registration
from tests.client.codex import FREE
from tests.client.fixtures import git
from tests.client.models import Turn, call, custom, say
from tests.client.steps import command, listed
from tests.support.packages import lend
from tests.support.plugin import facts, settled, state_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.codex import Codex
    from tests.client.models import Models

pytestmark = pytest.mark.timeout(240)
PATCH = """\
*** Begin Patch
*** Add File: src/parser.py
+x = 1
*** Update File: README.md
*** Move to: docs/README.md
@@
-# A project
+# The project
*** End Patch
"""


def work(client: Codex, api: Models) -> str:
    """Run a session that patches several files and says where it stopped; return its id."""
    known = set(listed(client))
    api.script([custom("apply_patch", PATCH)], [say("The parser reads headers; totals are next.")])
    done = client.run("Parse the invoices of the north branch")
    assert done.returncode == 0, done.stderr
    (ident,) = set(listed(client)) - known
    settled(client.project, ident)
    return ident


def test_a_session_is_journaled_and_has_a_state_file(codex: Codex, models: Models) -> None:
    """Prompt, every file of a patch, and answer are journaled; the state file names them and is staged."""
    ident = work(codex, models)
    (start,) = facts(codex.project, ident, "start")
    assert (start["client"], start["source"], start["pid"] > 0) == ("codex", "startup", True)
    assert [fact["text"] for fact in facts(codex.project, ident, "prompt")] == [
        "Parse the invoices of the north branch"
    ]
    changed = ["src/parser.py", "README.md", "docs/README.md"]
    assert [fact["path"] for fact in facts(codex.project, ident, "edit")] == changed
    assert [fact["text"] for fact in facts(codex.project, ident, "answer")] == [
        "The parser reads headers; totals are next."
    ]
    assert facts(codex.project, ident, "end")
    (state,) = state_files(codex.project)
    text = state.read_text()
    assert f"Codex CLI session `{ident}` started this work" in text
    assert "Codex stopped on " in text
    assert all(f"- `{path}`\n" in text for path in changed)
    assert git(codex.project, "diff", "--cached", "--name-only").split() == [str(state.relative_to(codex.project))]
    assert not (codex.project / ".git/holdfast/errors.log").exists()


def test_the_next_session_is_told_and_the_commands_are_codex_own(codex: Codex, models: Models) -> None:
    """A new session reads what the last one did; `resume` prints the command of Codex, and the tree names it."""
    ident = work(codex, models)
    models.script([say("Hello.")])
    codex.run("What was going on here?")
    told = models.requests[-1]
    for words in (f"Codex session {ident[:8]}", "src/parser.py", "totals are next", "holdfast sync", "with `holdfast"):
        assert words in told
    resume = json.loads(command(codex, "resume", "--json"))
    assert [row["command"].rpartition(" && ")[2] for row in resume if row["id"] == ident] == [f"codex resume {ident}"]
    assert "Codex - Parse the invoices" in command(codex, "tree")


def test_a_session_that_is_resumed_gets_its_own_state(codex: Codex, models: Models) -> None:
    """After `codex exec resume` the journal has a second start of the same session, and the model its state file."""
    ident = work(codex, models)
    models.script([say("Totals are done.")])
    done = codex.run("Go on", resume=ident)
    assert done.returncode == 0, done.stderr
    assert [fact["source"] for fact in facts(codex.project, ident, "start")] == ["startup", "resume"]
    assert "This session's state file" in models.requests[-1]


def test_the_shell_of_codex_knows_its_session(codex: Codex, models: Models) -> None:
    """What the model runs with `holdfast` belongs to its own session."""
    program = codex.plugin_dir and codex.plugin_dir / "bin/holdfast"
    models.script(
        [custom("apply_patch", PATCH)],
        [call("exec_command", cmd=f"{program} start 'The totals'", yield_time_ms=20000)],
        [say("Done.")],
    )
    codex.run("Parse")
    (ident,) = listed(codex)
    assert [fact["by"] for fact in facts(codex.project, ident, "state")][-1] == "start"


def test_after_a_compaction_the_own_state_is_there_again(codex: Codex, models: Models) -> None:
    """A compaction is journaled, a snapshot is kept, and the next request has the state file again."""
    ident = work(codex, models)
    models.script(Turn((say("Half of it."),), 90_000), [say("A summary.")], [say("On with it.")])
    for prompt in ("Go on", "And on"):
        done = codex.run(prompt, resume=ident, compact_at=50_000)
        assert done.returncode == 0, done.stderr
    assert [fact["trigger"] for fact in facts(codex.project, ident, "compact")] == ["auto"]
    assert [fact["source"] for fact in facts(codex.project, ident, "start")][-1] == "compact"
    told = models.requests[-1]
    assert "This session's state file" in told
    assert "src/parser.py" in told


def test_doctor_tells_whether_the_hooks_are_trusted(codex: Codex) -> None:
    """Hooks that nobody has reviewed do not run, and doctor says so; those that are trusted run."""
    found = {row["check"]: row for row in _examined(codex)}
    assert "0 of 10 hooks trusted; not heard from here yet" in found["Codex CLI"]["found"]
    assert "Trust all" in found["Codex CLI"]["remedy"]
    codex.command("exec", FREE[1], "Hello")
    assert listed(codex) == {}
    client = registration.Codex(str(codex.binary))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in codex.env.items():
            patch.setenv(name, value)
        hooks = client.hooks(str(codex.project))
    with (codex.config / "config.toml").open("a") as config:
        for hook in hooks:
            of_command = hook["currentHash"].partition("/")[0]  # the other half is that of the whole plugin
            config.write(f'[hooks.state.{json.dumps(hook["key"])}]\ntrusted_hash = "{of_command}"\n')
    codex.command("exec", FREE[1], "Hello")
    (row,) = [row for row in _examined(codex) if row["check"] == "Codex CLI"]
    assert row["ok"], row
    assert "10 of 10 hooks trusted; last heard " in row["found"]


def _examined(codex: Codex) -> list[dict[str, Any]]:
    """Return what doctor finds, whatever its exit code."""
    program = str(codex.plugin_dir and codex.plugin_dir / "bin/holdfast")
    done = subprocess.run(
        [program, "doctor", "--format", "json"], cwd=codex.project, env=codex.env, capture_output=True, check=False
    )
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def test_install_and_uninstall(codex_alone: Codex, tmp_path: Path) -> None:
    """`holdfast install --client codex` registers the plugin once, and `--uninstall` takes it away again."""
    data = tmp_path / "data"
    data.mkdir()
    lend(data)
    codex_alone.extra["HOLDFAST_DATA"] = str(data)
    settings = codex_alone.config / "config.toml"
    before = settings.read_text()
    assert "installed holdfast@holdfast-tools" in _installed(codex_alone)
    assert _plugins(codex_alone) == ["holdfast@holdfast-tools"]
    again = _installed(codex_alone)
    assert "marketplace: already" in again
    assert "plugin: already" in again
    assert "removed" in _installed(codex_alone, "--uninstall")
    assert _plugins(codex_alone) == []
    assert settings.read_text().strip() == before.strip()
    assert "not registered" in _installed(codex_alone, "--uninstall")


def _installed(codex: Codex, *options: str) -> str:
    """Return what the installer prints; it must succeed."""
    assert codex.plugin_dir
    command = [str(codex.plugin_dir / "install.sh"), "--client", "codex", *options]
    done = subprocess.run(command, env=codex.env, cwd=codex.project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _plugins(codex: Codex) -> list[str]:
    """Return the plugins that Codex itself lists."""
    rows = json.loads(codex.command("plugin", "list", "--json").stdout)["installed"]
    return [row["pluginId"] for row in rows]
