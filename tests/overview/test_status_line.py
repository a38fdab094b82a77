"""The status line: what it shows, what it costs to import, and how it comes into the user's settings and out again."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.project import claude_registration
from tests.journal.test_transcript import answer
from tests.support import hooks
from tests.support.machine import PYTHON

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared
# What the line never loads: packages, parts of the standard library, and what reads state files.
NEVER = {"click", "re", "json", "typing", "contextlib", "subprocess", "pathlib", "dataclasses", "tomllib", "enum"}
NEVER |= {"holdfast.sessions.survey", "holdfast.formats.state_file", "holdfast.trust.secrets", "holdfast.git.run"}


def given(project: Project, session: str = "one", **more: Any) -> bytes:
    """Return what the client gives a status line."""
    place = {"current_dir": str(project.root), "project_dir": str(project.root)}
    body = {"session_id": session, "cwd": str(project.root), "workspace": place, "hook_event_name": "Status", **more}
    return json.dumps(body).encode()


def shown(project: Project, session: str = "one", settings: str | None = None, **more: Any) -> str:
    """Return the status line; `settings` is the variable for its parts."""
    reply = project.fed(given(project, session, **more), "statusline", HOLDFAST_STATUSLINE=settings)
    assert (reply.code, reply.err) == (0, "")
    return reply.out


def test_each_part_of_the_line(prepared: Project, tmp_path: Path) -> None:
    """Title, tasks, context and zone, other live sessions, branch; drift only if it is marked."""
    transcript = tmp_path / "t.jsonl"
    transcript.write_bytes(answer(fresh=300_000, written=0, cached=0) + b"\n")
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices")
    prepared.edit("a.py")
    prepared.fire("TaskCreated", task_id="1")
    prepared.fire("TaskCreated", task_id="2")
    prepared.fire("TaskCompleted", task_id="1")
    branch = prepared.git("branch", "--show-current").strip()
    assert shown(prepared) == f"Parse the invoices · tasks 1/2 · {branch}\n"
    prepared.fire("SessionStart", "two")
    parts = shown(prepared, transcript_path=str(transcript)).strip().split(" · ")
    assert parts == ["Parse the invoices", "tasks 1/2", "🟡 30% deliberate", "1 other live session", branch]
    prepared.fire("SessionEnd", "two")
    assert "other live" not in shown(prepared)


def test_drift_is_shown_once_it_is_marked(prepared: Project) -> None:
    """As the last settle measured it."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit")
    prepared.edit("a.py")
    prepared.fire("Stop")
    prepared.settled("one")
    *_, measured = prepared.facts(kind="drift")
    for severity, stated in (("slight", False), ("marked", True), ("severe", True)):
        prepared.remember("one", {**measured, "severity": severity})
        assert (f"drift {severity}" in shown(prepared)) == stated


def test_the_settings_choose_parts_and_order(prepared: Project) -> None:
    """From the file, once it was accepted, and again when it has changed; a variable overrides it."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices")
    branch = prepared.git("branch", "--show-current").strip()
    settings = prepared.root / ".agents/holdfast.toml"
    for parts, line in (
        (["branch", "title"], f"{branch} · Parse the invoices\n"),
        (["branch"], f"{branch}\n"),
        ([], ""),
    ):
        settings.write_text(f"statusline = {json.dumps(parts)}\n")
        assert prepared.cli("trust", "-y").code == 0
        assert shown(prepared) == shown(prepared) == line
    assert shown(prepared, settings="title") == "Parse the invoices\n"


def test_settings_from_elsewhere_do_not_count(prepared: Project) -> None:
    """Until they are accepted, however often the line is shown."""
    prepared.fire("SessionStart")
    prepared.accepts = False
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices")
    (prepared.root / ".agents/holdfast.toml").write_text('statusline = ["branch"]\n')
    for _ in range(2):
        assert "Parse the invoices" in shown(prepared)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"{}", b'{"session_id": "../x", "cwd": "/"}', b'{"session_id": 7}'])
def test_nothing_is_printed_for_what_is_no_session(here: Project, data: bytes) -> None:
    """And the exit code is 0, because the client would show an error."""
    assert here.fed(data, "statusline") == (0, "", "")


def test_the_line_is_safe(here: Project) -> None:
    """Whatever a title and a branch are called."""
    here.remember(
        "one", {"kind": "start", "root": str(here.root)}, {"kind": "prompt", "text": "a\x1b[31m\u202e\nb" * 100}
    )
    text = shown(here)
    assert text.endswith("\n")
    assert text[:-1].isprintable()
    assert len(text) < 100


def test_the_line_imports_little(prepared: Project) -> None:
    """No package, no git, and nothing of the standard library that takes long."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit")
    shown(prepared)  # keeps the settings
    prepared.accept()
    script = str(prepared.plugin / "plugin/holdfast/__main__.py")
    command = [str(PYTHON), "-X", "importtime", "-I", "-S", script, "statusline"]
    done = subprocess.run(
        command, env=prepared.environment(), input=given(prepared), capture_output=True, check=True, cwd=prepared.root
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "parse the invoices" in done.stdout.decode()
    assert "holdfast.overview.line" in loaded
    assert loaded & NEVER == set()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a home with a folder for the client's settings and one for the plugin's data."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CLAUDE_PLUGIN_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOLDFAST_DATA", str(tmp_path / "data"))
    (tmp_path / ".claude").mkdir()
    return tmp_path


def test_without_a_home_there_are_no_settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The root of the file system is not taken for one."""
    monkeypatch.delenv("HOME")
    with pytest.raises(HoldfastError, match="Set HOME"):
        claude_registration.settings_path()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "config"))
    assert claude_registration.settings_path() == str(home / "config/settings.json")


SETTINGS = [
    '{\n    "model": "opus",\n  "ünicode": "ä"}',
    '{"statusLine": {"type": "command", "command": "echo mine", "padding": 2}, "model": "opus"}',
    "{}\n",
    None,
]


@pytest.mark.parametrize("before", SETTINGS)
def test_the_settings_are_put_back_byte_for_byte(home: Path, before: str | None) -> None:
    """Adding twice changes nothing the second time; what else is in them stays."""
    path = home / ".claude/settings.json"
    if before is not None:
        path.write_text(before)
    earlier = json.loads(before or "{}")
    claude_registration.add_status_line()
    text = path.read_text()
    claude_registration.add_status_line()
    assert path.read_text() == text
    found = json.loads(text)
    assert {**found, "statusLine": 0} == {**earlier, "statusLine": 0}
    assert found["statusLine"] == {
        **earlier.get("statusLine", {}),
        "type": "command",
        "command": claude_registration.status_line_command(),
    }
    claude_registration.remove_status_line()
    assert (path.read_text() if path.exists() else None) == before
    assert not os.listdir(home / "data")


@pytest.mark.parametrize("before", SETTINGS)
def test_what_was_changed_meanwhile_stays(home: Path, before: str | None) -> None:
    """Only the status line is put back."""
    path = home / ".claude/settings.json"
    if before is not None:
        path.write_text(before)
    claude_registration.add_status_line()
    path.write_text(json.dumps({**json.loads(path.read_text()), "theme": "dark"}))
    claude_registration.remove_status_line()
    assert json.loads(path.read_text()) == {**json.loads(before or "{}"), "theme": "dark"}


def test_a_status_line_of_the_users_own_is_not_removed(home: Path) -> None:
    """One that replaced ours."""
    path = home / ".claude/settings.json"
    claude_registration.add_status_line()
    path.write_text('{"statusLine": {"type": "command", "command": "echo other"}}')
    assert claude_registration.remove_status_line() == "status line: holdfast's is not in the settings"
    assert "echo other" in path.read_text()


@pytest.mark.parametrize("text", ["{", "[]", '"x"'])
def test_settings_that_cannot_be_read_stay(home: Path, text: str) -> None:
    """An error names the file."""
    (home / ".claude/settings.json").write_text(text)
    with pytest.raises(HoldfastError, match=r"settings\.json"):
        claude_registration.add_status_line()
    assert (home / ".claude/settings.json").read_text() == text


def test_a_link_to_the_settings_stays_a_link(home: Path) -> None:
    """People keep them elsewhere."""
    (home / "kept.json").write_text('{"model": "opus"}')
    (home / ".claude/settings.json").symlink_to(home / "kept.json")
    claude_registration.add_status_line()
    assert (home / ".claude/settings.json").is_symlink()
    claude_registration.remove_status_line()
    assert (home / "kept.json").read_text() == '{"model": "opus"}'


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("cat > got.json; echo mine; echo second", "mine\nsecond\n"),
        ("exit 3", ""),
        ("no-such-program 2>/dev/null", ""),
    ],
)
def test_an_earlier_status_line_comes_first(prepared: Project, command: str, printed: str) -> None:
    """It gets the same input; one that fails is left out."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices")
    alone = shown(prepared)
    (prepared.data / "statusline.json").write_text(json.dumps({"earlier": command}))
    assert shown(prepared) == printed + alone
    if printed:
        assert (prepared.root / "got.json").read_bytes() == given(prepared)


def test_the_command_runs_in_a_shell(prepared: Project) -> None:
    """As the client starts it, with the launcher, from a folder whose name has a blank or not."""
    words = shlex.split(claude_registration.status_line_command())
    assert (words[-1], [os.path.isfile(word) for word in words[:2]]) == ("statusline", [True, True])
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="Parse the invoices")
    line = claude_registration.status_line_command()
    done = subprocess.run(
        ["sh", "-c", line], input=given(prepared), env=prepared.environment(), capture_output=True, check=True
    )
    assert done.stdout.decode().startswith("Parse the invoices")
