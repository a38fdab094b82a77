"""At a breakpoint Claude is asked to write down what it knows: with the next prompt, by a turn of its own, or never."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project, Reply

here, prepared = hooks.here, hooks.prepared
MARK = "has not been written by Claude"
ATTENDED = {"CLAUDE_CODE_ENTRYPOINT": "cli"}


def _set(project: Project, value: str) -> None:
    (project.root / ".agents/holdfast.toml").write_text(f'librarian = "{value}"\n')
    project.variables |= ATTENDED


def _prompt(project: Project, text: str = "make the cache smaller please") -> str:
    out = project.fire("UserPromptSubmit", prompt=text)
    return out.context if out.out else ""


def _turn(project: Project, *, edits: bool = True) -> str:
    """Return what Claude is told with the prompt of a turn."""
    told = _prompt(project)
    if edits:
        project.edit("src/cache.py")
    project.fire("Stop", last_assistant_message="It is smaller. Next: measure it")
    project.settled()
    return told


def _stop(project: Project, **fields: Any) -> Reply:
    reply = project.fire("Stop", **fields)
    project.settled()
    return reply


def test_after_three_prompts_with_work(prepared: Project) -> None:
    """Once; it says what is known and what is missing, and the command that adds it."""
    prepared.fire("SessionStart")
    assert not any(MARK in _turn(prepared) for _ in range(3))
    told = _prompt(prepared)
    assert MARK in told
    assert "next steps: measure it" in told
    assert "Nothing is known of: decisions with their reasons, dead ends" in told
    assert "holdfast sync --json" in told
    prepared.fire("Stop")
    prepared.settled()
    assert MARK not in _prompt(prepared)


def test_a_completed_task_is_a_breakpoint(prepared: Project) -> None:
    """After one prompt."""
    prepared.fire("SessionStart")
    prepared.fire("TaskCreated")
    _prompt(prepared)
    prepared.edit("src/cache.py")
    prepared.fire("TaskCompleted")
    _stop(prepared)
    assert MARK in _prompt(prepared)


@pytest.mark.parametrize("why", ["off", "talk", "written"])
def test_nothing_is_asked(prepared: Project, why: str) -> None:
    """Where it is switched off, where nothing was done, and where Claude has just written."""
    _set(prepared, "off" if why == "off" else "prompt")
    prepared.fire("SessionStart")
    for _ in range(4):
        _turn(prepared, edits=why != "talk")
    if why == "written":
        (path,) = prepared.state_files()
        prepared.edit(str(path))
        _stop(prepared)
    assert MARK not in _prompt(prepared)


def test_a_turn_of_its_own(prepared: Project) -> None:
    """At once, once, and its answer is not where the work stopped."""
    _set(prepared, "turn")
    prepared.fire("SessionStart")
    for _ in range(2):
        assert MARK not in _turn(prepared)
    _prompt(prepared)
    prepared.edit("src/cache.py")
    reply = _stop(prepared, last_assistant_message="All is smaller.")
    assert MARK in reply.context
    assert _stop(prepared, stop_hook_active=True, last_assistant_message="I wrote it down.").out == ""
    assert "I wrote it down." not in str(prepared.facts(kind="answer"))
    assert _stop(prepared, stop_hook_active=True).out == ""


@pytest.mark.parametrize(
    ("fields", "variables"),
    [
        ({"permission_mode": "plan"}, {}),
        ({"stop_hook_active": True}, {}),
        ({}, {"CI": "true"}),
        ({}, {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}),
        ({}, {"CLAUDE_CODE_SESSION_ATTENDED": "0"}),
    ],
)
def test_no_turn_where_a_program_reads(prepared: Project, fields: dict[str, Any], variables: dict[str, str]) -> None:
    """Nor in plan mode, nor twice."""
    _set(prepared, "turn")
    prepared.fire("SessionStart")
    prepared.variables |= variables
    for _ in range(5):
        _prompt(prepared)
        prepared.edit("src/cache.py")
        assert _stop(prepared, **fields).out == ""
    assert not os.path.exists(prepared.store / "librarian/one.forced")
