"""Events as the client fires them: what is journaled, what is answered, and what is left alone."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.core.lock import TIMEOUT
from holdfast.hooks import handler, session_start
from holdfast.project import background, packages, paths
from holdfast.sessions import survey
from holdfast.sessions.workspace import Workspace
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared

# Event, what it carries beside the usual, and the fact that is kept of it.
FACTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("SessionStart", {}, {"kind": "start", "source": "startup", "branch": "main", "pid": os.getpid()}),
    ("UserPromptSubmit", {}, {"kind": "prompt", "text": "parse the invoices"}),
    ("PreToolUse", {}, {"kind": "attempt", "tool": "Edit", "path": "a.txt"}),
    ("PostToolUse", {}, {"kind": "edit", "tool": "Edit", "path": "a.txt"}),
    (
        "PostToolUse",
        {"tool_name": "NotebookEdit", "tool_input": {"notebook_path": "n.ipynb"}},
        {"kind": "edit", "tool": "NotebookEdit", "path": "n.ipynb"},
    ),
    (
        "PostToolUse",
        {"tool_name": "EnterWorktree", "tool_response": {"worktreePath": "/w", "worktreeBranch": "topic"}},
        {"kind": "worktree", "path": "/w", "branch": "topic"},
    ),
    (
        "PostToolUse",
        {"tool_name": "ExitPlanMode", "tool_response": {"plan": "\n# Fix the tax\n\n1. Read", "filePath": "/p/tax.md"}},
        {"kind": "plan", "text": "Fix the tax", "path": "/p/tax.md"},
    ),
    (
        "PostToolUse",
        {
            "tool_name": "TaskUpdate",
            "tool_input": {"taskId": "1", "status": "in_progress"},
            "tool_response": {"statusChange": {"from": "pending", "to": "in_progress"}},
        },
        {"kind": "task", "id": "1", "subject": "", "status": "in_progress"},
    ),
    ("TaskCreated", {}, {"kind": "task", "id": "1", "subject": "Write tests", "status": "pending"}),
    ("TaskCompleted", {}, {"kind": "task", "id": "1", "subject": "Write tests", "status": "completed"}),
    ("SubagentStart", {}, {"kind": "child", "agent": "a877", "type": "general-purpose", "status": "running"}),
    ("SubagentStop", {}, {"kind": "child", "agent": "a877", "status": "completed", "text": "looked around"}),
    ("Stop", {}, {"kind": "answer", "text": "half of it is done", "background": []}),
    ("Stop", {"background_tasks": [{"id": "a877"}]}, {"kind": "answer", "background": ["a877"]}),
    ("StopFailure", {}, {"kind": "answer", "text": "an API error (rate_limit)"}),
    ("PreCompact", {}, {"kind": "compact", "trigger": "auto"}),
    ("PostCompact", {}, {"kind": "summary", "text": "<summary>Earlier work.</summary>"}),
    ("SessionEnd", {}, {"kind": "end", "reason": "prompt_input_exit"}),
]
NOTHING_KEPT: list[tuple[str, dict[str, Any]]] = [
    ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}),
    ("PostToolUse", {"tool_name": "Read", "tool_input": {"file_path": "a.txt"}}),
    ("SubagentStop", {"agent_type": ""}),
]


@pytest.mark.parametrize(("event", "fields", "expected"), FACTS, ids=lambda value: str(value)[:24])
def test_fact(here: Project, event: str, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    """Each event leaves one fact, with the time, in its session's journal, and is answered with nothing or a reply.

    A prompt in a session that began without a word is the second fact, after that start.
    """
    reply = here.fire(event, **fields)
    assert (reply.code, reply.err, here.log) == (0, "", [])
    assert event == "SessionStart" or reply.out == ""
    *before, fact = [fact for fact in here.facts() if fact["kind"] not in {"measured", "settled"}]
    assert [fact["kind"] for fact in before] == (["start"] if event == "UserPromptSubmit" else [])
    assert {key: fact[key] for key in expected} == expected
    assert isinstance(fact["at"], float)


@pytest.mark.parametrize(("event", "fields"), NOTHING_KEPT)
def test_no_fact(here: Project, event: str, fields: dict[str, Any]) -> None:
    """What tells nothing about the state of a session is not journaled."""
    assert here.fire(event, **fields) == (0, "", "")
    assert here.facts() == []


def test_every_event_is_wired_with_its_own_script(here: Project) -> None:
    """The manifest starts each event's own script through the launcher, with a limit in time."""
    wired = json.loads((here.plugin / "hooks/hooks.json").read_text())["hooks"]
    assert set(wired) == set(hooks.EVENTS)
    for event in hooks.EVENTS:
        *_, launcher, script = here.command(event)
        assert launcher == str(here.plugin / "hooks/launch")
        assert f'main("{event}")' in Path(script).read_text()
        command = event == "UserPromptExpansion"  # which a user typed, and which may wait for the lock as in a shell
        assert 0 < wired[event][0]["hooks"][0]["timeout"] <= (TIMEOUT + 10 if command else 20)


def test_session_start_replies_in_the_shape_that_the_client_reads(prepared: Project) -> None:
    """The reply names its event; a title comes with a state file, and not without."""
    first = prepared.fire("SessionStart").json
    assert first["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert "sessionTitle" not in first["hookSpecificOutput"]
    path = prepared.write_state(title="The parser")
    prepared.edit(str(path))
    again = prepared.fire("SessionStart", source="resume").json
    assert again["hookSpecificOutput"]["sessionTitle"] == "The parser"
    assert set(again) == {"hookSpecificOutput", "systemMessage"}


def test_pre_compact_prints_plain_text_for_the_summariser(prepared: Project) -> None:
    """The state file's path, and what was changed since the model last wrote it, are reported as plain text."""
    path = prepared.write_state()
    prepared.edit("before.py")
    prepared.settled()
    prepared.edit(str(path))
    (prepared.root / "after.py").touch()
    prepared.edit("after.py")
    reported = prepared.fire("PreCompact").out
    assert ".agents/sessions/20251204-143000-parser.md" in reported
    assert "after.py" in reported
    assert "before.py" not in reported
    assert not reported.startswith("{")


SECRETS = {
    "prompt": ("UserPromptSubmit", "prompt"),
    "answer": ("Stop", "last_assistant_message"),
    "summary": ("PostCompact", "compact_summary"),
    "child": ("SubagentStop", "last_assistant_message"),
    "task": ("TaskCreated", "task_subject"),
}


@pytest.mark.parametrize(("event", "key"), SECRETS.values(), ids=SECRETS)
def test_secrets_are_masked(here: Project, event: str, key: str) -> None:
    """No secret of a prompt, an answer, a summary or a task gets into a journal."""
    key_of_a_service = "sk-ant-api03-" + "a1B2" * 8
    here.fire(event, **{key: f"use {key_of_a_service} and password=hunter2-and-more\x1b[31m"})
    kept = (here.store / "journal/one.jsonl").read_text()
    assert "[masked]" in kept
    assert not [secret for secret in (key_of_a_service[:20], "hunter2", "\\u001b") if secret in kept]


def test_secrets_are_masked_in_a_renamed_task(here: Project) -> None:
    """A task that TaskUpdate renames is kept as safely as one that was created."""
    here.fire("PostToolUse", tool_name="TaskUpdate", tool_input={"taskId": "1", "subject": "ghp_" + "a1B2" * 9})
    assert here.facts()[0]["subject"] == "[masked]"


def test_file_contents_are_never_journaled(here: Project) -> None:
    """Of an edit the journal has the tool and the path, not what stood or is in the file."""
    content = "the whole file " * 1000
    response = {"filePath": "a.txt", "originalFile": content, "structuredPatch": [{"lines": ["-whole"]}]}
    here.edit("a.txt", tool="Write", tool_response=response)
    assert set(here.facts()[0]) == {"at", "kind", "path", "tool"}


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["x", "é", "\U0001f980", '"', "\\"])
def test_a_line_is_never_longer_than_32_kilobytes(here: Project, letter: str) -> None:
    """However much an event says, its fact is one line of at most 32 KB that can be read back."""
    long = letter * 33000
    for event, fields in (
        ("SessionStart", {"source": long, "cwd": "/" + long, "transcript_path": long}),
        ("PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "/" + long}}),
        ("PostCompact", {"compact_summary": long}),
        ("SubagentStop", {"agent_id": long, "agent_type": long, "last_assistant_message": long}),
        ("Stop", {"last_assistant_message": long, "background_tasks": [{"id": long}] * 17}),
    ):
        here.fire(event, **fields)
    lines = (here.store / "journal/one.jsonl").read_bytes().splitlines(keepends=True)
    assert max(map(len, lines)) <= 1 << 15
    assert len([fact for fact in here.facts() if fact["kind"] not in {"measured", "settled"}]) == len(lines) == 5


def test_nothing_appears_in_a_project_that_was_not_prepared(here: Project) -> None:
    """Before `holdfast init` a whole session leaves the working tree as it was."""
    for event in hooks.EVENTS:
        here.fire(event)
    here.settled()
    assert os.listdir(here.root) == [".git"]
    assert here.git("status", "--porcelain") == ""
    assert here.log == []


def test_outside_git_nothing_is_kept_before_init(here: Project) -> None:
    """A folder without git that was not prepared is left alone; only a start says so, in one line."""
    shutil.rmtree(here.root / ".git")
    assert here.fire("SessionStart").json == {"systemMessage": "no git, so nothing is kept here: /holdfast:init"}
    assert here.fire("SessionStart", source="compact") == (0, "", "")
    for event in hooks.EVENTS[1:]:
        assert here.fire(event) == (0, "", "")
    assert os.listdir(here.root) == []


def test_an_unprepared_project_is_offered_to_be_prepared(here: Project) -> None:
    """The first starts tell the user of the command that does it; a prepared project is not told."""
    told = "/holdfast:init keeps the state of each session in Markdown here"
    assert told in here.fire("SessionStart").message
    assert here.cli("init", "--yes").code == 0
    assert told not in here.fire("SessionStart", "two").message


def test_a_fork_begins_with_a_prompt(prepared: Project) -> None:
    """Claude Code sends no start for it."""
    data = json.dumps({"cwd": str(prepared.root), "session_id": "new", "prompt": "Go on"}).encode()
    handler.answer("UserPromptSubmit", data, handler.client_of(""))
    assert [fact["source"] for fact in prepared.facts("new", "start")] == ["fork"]


def test_packages_that_are_missing_are_built(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the background; the line says that only journals are kept until then."""
    built: list[bool] = []
    monkeypatch.setattr(packages, "ready", lambda: False)
    monkeypatch.setattr(packages, "activate", lambda: False)
    monkeypatch.setattr(background, "build_dependencies", lambda: built.append(True))
    project = paths.locate(str(prepared.root))
    line = session_start._prepare(project, survey.survey(Workspace(project)), None)  # noqa: SLF001 - as below
    assert (built, "journals" in line) == ([True], True)


def test_packages_of_the_interpreter_are_enough(prepared: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """None are built for a Python that has them itself."""
    monkeypatch.setattr(packages, "ready", lambda: False)
    monkeypatch.setattr(packages, "activate", lambda: True)
    monkeypatch.setattr(background, "build_dependencies", lambda: pytest.fail("packages were built"))
    project = paths.locate(str(prepared.root))
    assert session_start._prepare(project, survey.survey(Workspace(project)), None) == ""  # noqa: SLF001 - no event waits between the two


def test_recording_is_switched_off_for_a_process(prepared: Project) -> None:
    """With HOLDFAST=off a hook reads, records and answers nothing."""
    prepared.variables["HOLDFAST"] = "off"
    assert prepared.fire("SessionStart").out == ""
    prepared.edit("a.py")
    assert prepared.facts() == []
    del prepared.variables["HOLDFAST"]
    prepared.fire("SessionStart")
    assert prepared.facts()


def test_nothing_is_staged_in_a_ci_job(prepared: Project) -> None:
    """State files are written, and the job's index stays as it is."""
    prepared.variables["CI"] = "true"
    prepared.fire("SessionStart")
    prepared.edit("a.py")
    prepared.fire("Stop")
    prepared.settled("one")
    (state,) = prepared.state_files()
    assert state.name not in prepared.git("diff", "--cached", "--name-only")
