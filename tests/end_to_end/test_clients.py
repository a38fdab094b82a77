"""Each client beside Claude Code, really run in a repository: what reaches its model, what is journaled and written.

What differs from client to client is in `clients` and in `tests.client.others`; each test is about all that can do it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from holdfast.clients import catalogue
from tests.client.fixtures import git
from tests.client.models import Turn, say
from tests.client.others import OTHERS
from tests.client.steps import command, listed
from tests.support.plugin import facts, settled, state_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.client.models import Models
    from tests.client.others import Other

    Make = Callable[[str], Other]

pytestmark = pytest.mark.timeout(240)
ASKED, STOPPED = "Parse the invoices of the north branch", "The parser reads headers; totals are next."
SUMMARY = "<state_snapshot>They parsed.</state_snapshot>"
# What the installer says to the second of two requests to remove.
GONE = {
    "codex": "not registered",
    "gemini": "is not installed",
    "qwen": "is not installed",
    "copilot": "does not exist",
    "opencode": "does not exist",
    "droid": "has none of holdfast",
}


def _each(names: Iterable[str]) -> pytest.MarkDecorator:
    """Return the parameter of a test about these clients."""
    return pytest.mark.parametrize("name", [*names])


every = _each(OTHERS)


def ran(client: Other, prompt: str, resume: str = "") -> None:
    """Run a prompt, which must succeed."""
    done = client.run(prompt, resume=resume)
    assert done.returncode == 0, done.stderr + done.stdout


def work(client: Other, models: Models) -> str:
    """Run a session that changes files, keeps a task where the client has some, and says where it stopped."""
    known, task = set(listed(client)), client.task("Write the totals")
    models.script(*([step] for step in client.writes()), *([[task]] if task else []), [say(STOPPED)])
    ran(client, ASKED)
    (ident,) = set(listed(client)) - known
    settled(client.project, ident)
    return ident


@every
def test_a_session_is_journaled_and_has_a_state_file(name: str, installed: Make, models: Models) -> None:
    """One prompt, each edit that succeeded, task and answer are journaled; the state file names them and is staged."""
    client = installed(name)
    ident = work(client, models)
    (start,) = facts(client.project, ident, "start")
    assert (start["client"], start["source"], start["pid"] > 0) == (name, "startup", True)
    assert [fact["text"] for fact in facts(client.project, ident, "prompt")] == ([ASKED] if client.PROMPTS else [])
    assert [fact["path"] for fact in facts(client.project, ident, "edit")] == [*client.WRITES]
    tasks = ["Write the totals"] if client.task("") else []
    assert [fact["subject"] for fact in facts(client.project, ident, "task")] == tasks
    assert [fact["text"] for fact in facts(client.project, ident, "answer")] == [STOPPED]
    (state,) = state_files(client.project)
    text = state.read_text()
    assert f"{client.title} session `{ident}` started this work" in text
    assert all(line in text for line in [*(f"- `{path}`\n" for path in client.WRITES), *tasks])
    assert git(client.project, "diff", "--cached", "--name-only").split() == [str(state.relative_to(client.project))]
    assert not (client.project / ".git/holdfast/errors.log").exists()


@every
def test_the_next_session_is_informed_and_a_resumed_one_too(name: str, installed: Make, models: Models) -> None:
    """A new session reads what the last one did, its shell knows its session; a resumed one reads its own state."""
    client = installed(name)
    ident = work(client, models)
    asked, by = len(models.requests), ["start"] if catalogue.of(name).SESSION else []
    begin = client.shell(f"{client.plugin_dir}/bin/holdfast start 'The totals'")
    models.script(*([[begin]] if by else []), [say("Begun.")])
    ran(client, "What was going on here?")
    reported = next(request for request in models.requests[asked:] if "holdfast-" in request)
    for words in (f"{client.short} session {ident[:8]}", client.WRITES[0], "totals are next", "with `holdfast"):
        assert words in reported
    (second,) = set(listed(client)) - {ident}
    prompts = ["What was going on here?"] if client.PROMPTS else []
    assert [fact["text"] for fact in facts(client.project, second, "prompt")] == prompts
    assert [fact["by"] for fact in facts(client.project, second, "state")] == by
    rows = {row["id"]: row["command"] for row in json.loads(command(client, "resume", "--json"))}
    assert rows[ident].rpartition(" && ")[2] == catalogue.of(name).RESUME.format(id=ident)
    assert f"{client.short} - {'Parse the invoices' if client.PROMPTS else ''}" in command(client, "tree")
    if not client.RESUMES:
        return
    ran(client, "Go on", resume=ident)
    assert [fact["source"] for fact in facts(client.project, ident, "start")] == ["startup", "resume"]
    assert "s state file: .agents/sessions/" in _reported(models)


def _reported(models: Models) -> str:
    """Return the last request with a text of holdfast; some clients ask for more, such as a title."""
    return next(request for request in reversed(models.requests) if "holdfast-" in request)


@_each(name for name, kind in OTHERS.items() if kind.FULL)
def test_after_a_compaction_the_own_state_is_there_again(name: str, installed: Make, models: Models) -> None:
    """The summariser learns what to keep where that is possible; the request after it has the state file again."""
    client, known = installed(name), catalogue.of(name)
    ident = work(client, models)
    full, following = Turn((say("Half of it."),), client.FULL), ([say(SUMMARY)], [say("On with it.")])
    models.script(full, *(following if client.COMPACTS_AT_ONCE else ()))
    ran(client, "Go on", resume=ident)
    models.script(*(() if client.COMPACTS_AT_ONCE else following))
    ran(client, "And on", resume=ident)
    assert [fact["trigger"] for fact in facts(client.project, ident, "compact")] == ["auto"]
    assert facts(client.project, ident, "snapshot") or (client.project / ".git/holdfast/snapshots").is_dir()
    if known.SUMMARISES:
        assert "They parsed." in facts(client.project, ident, "summary")[-1]["text"]
    if known.RESTARTS:
        assert "compact" in [fact["source"] for fact in facts(client.project, ident, "start")]
    assert ("Facts of this working session that its summary keeps" in models.answered("They parsed.")) is known.STEERS
    reported = models.answered("On with it.")
    assert "s state file" in reported
    assert client.WRITES[0] in reported


@every
def test_a_conflict_is_reported_and_refused(name: str, installed: Make, models: Models) -> None:
    """A file that a live session changed is named before the edit or with its result; `deny` refuses the edit."""
    client = installed(name)
    _live(client, "README.md")
    models.script(*([step] for step in client.edits()), [say("Named.")])
    ran(client, "Name it")
    assert "README.md was changed just now by another live session" in models.answered("Named.")
    assert (client.project / "README.md").read_text().startswith("# The project")
    (client.project / "README.md").write_text("# A project\n")
    (client.project / ".agents/holdfast.toml").write_text('conflicts = "deny"\n')
    client.extra["HOLDFAST_CONFLICTS"] = "deny"
    _live(client, "README.md")
    models.script(*([step] for step in client.edits()), [say("Named.")])
    ran(client, "Name it")
    assert "holdfast holds this edit back" in models.answered("Named.")
    assert (client.project / "README.md").read_text() == "# A project\n"


def _live(client: Other, path: str) -> None:
    """Let a session of Claude Code, whose process is this one, change a file."""
    hooks = client.plugin_dir / "hooks"
    for event, script, fields in (
        ("SessionStart", "session_start", {"source": "startup"}),
        ("PostToolUse", "post_tool_use", {"tool_name": "Edit", "tool_input": {"file_path": path}}),
    ):
        payload = {"session_id": "other", "cwd": str(client.project), "hook_event_name": event, **fields}
        subprocess.run(
            [str(hooks / "launch"), str(hooks / f"{script}.py")],
            input=json.dumps(payload).encode(),
            env={**client.env, "CLAUDE_PROJECT_DIR": str(client.project)},
            check=True,
            stdout=subprocess.DEVNULL,
        )
    assert facts(client.project, "other", "start")[-1]["pid"] == os.getpid()


@every
def test_install_doctor_and_uninstall(name: str, other: Make, models: Models) -> None:
    """The plugin is installed once, doctor knows when its last event came, and uninstalling takes it away again."""
    client = other(name)
    settings = client.home / client.SETTINGS
    before = settings.read_text() if client.SETTINGS else ""
    assert "already" not in _last(client.install())
    assert "already" in _last(client.install())
    assert "no event in this project yet" in client.doctor()["why"]
    models.script([say("Hello.")])
    ran(client, "Hello")
    assert "last event" in client.doctor()["why"]
    assert (client.doctor()["level"] == "ok") is (name != "codex"), (
        client.doctor()
    )  # in which nobody has trusted the hooks
    assert "removed" in client.install("--uninstall")
    assert GONE[name] in client.install("--uninstall")
    if name in ("codex", "opencode"):
        assert settings.read_text().strip() == before.strip()
    assert _remains(client.home) == []


# What uninstalling leaves: the list of projects, transcripts, lists of clients; `bin` is the test's own.
_STAYS = re.compile(
    r"\.local/share/holdfast|\.factory/sessions/|\.gemini/extension_integrity\.json|\.qwen/extension-store/|bin/"
)


def _remains(home: Path) -> list[str]:
    """Return what else has holdfast in its name or text."""
    files = [path for path in home.rglob("*") if path.is_file() and not path.is_symlink()]
    found = {path for path in files if b"holdfast" in path.read_bytes()}
    found |= {path for path in home.rglob("*") if "holdfast" in path.name}
    return sorted(name for path in found if not _STAYS.match(name := str(path.relative_to(home))))


def _last(report: str) -> str:
    """Return what the installer did in the client itself."""
    return report.partition("command: ")[2].partition("\n\n")[0].partition("\n")[2]


@_each(("copilot", "opencode"))
def test_a_file_that_was_changed_is_found(name: str, other: Make) -> None:
    """Doctor finds a file that is not as this clone writes it, which installing corrects; another's stays."""
    client = other(name)
    client.install()
    path = next(client.home.glob(".*/**/holdfast.js*"))
    path.write_text(path.read_text() + "\n")
    assert client.doctor()["level"] == "error"
    assert "written" in client.install()
    assert client.doctor()["level"] == "ok"
    path.write_text("{}")
    assert "left alone" in client.install("--uninstall")
    done = client.command("--version")
    assert done.returncode == 0


@_each(("gemini", "qwen"))
def test_doctor_tells_whether_the_hooks_run(name: str, installed: Make, models: Models) -> None:
    """An extension that is disabled in the project is silent, and doctor says so; once it is enabled its hooks run."""
    client = installed(name)
    client.command("extensions", "disable", "holdfast", "--scope", "workspace")
    models.script([say("Hello.")])
    ran(client, "Hello")
    found = client.doctor()
    assert "disabled here" in found["why"]
    assert "0 of " in found["why"]
    assert "no event in this project yet" in found["why"]
    assert found["remedy"] == f"Type: {name} extensions enable holdfast"
    client.command("extensions", "enable", "holdfast", "--scope", "workspace")
    models.script([say("Hello.")])
    ran(client, "Hello")
    assert client.doctor()["level"] == "ok", client.doctor()
    assert "last event" in client.doctor()["why"]
