"""A plan that the user accepts is named until the tasks made after it are completed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared

NAMED = '"Fix the tax" (~/.claude/plans/tax.md)'


def _accept(project: Project, **fields: Any) -> None:
    home = project.environment()["HOME"]
    response = {"plan": "# Fix the tax\n\n1. Read the rates\n", "filePath": f"{home}/.claude/plans/tax.md"}
    project.fire("PostToolUse", tool_name="ExitPlanMode", tool_input={}, tool_response=response, **fields)


def _state(project: Project) -> str:
    project.fire("Stop")
    project.settled()
    (file,) = project.state_files()
    return file.read_text()


def test_state_file_brief_log_and_hand_over_name_the_plan(prepared: Project) -> None:
    """With its title and file; the state file keeps it as an event when its tasks are completed."""
    prepared.fire("SessionStart")
    _accept(prepared)
    state = _state(prepared)
    assert f"- Follow the plan {NAMED}\n" in state
    assert "Plan accepted\n\nFix the tax: ~/.claude/plans/tax.md\n" in state
    assert f"  Plan: {NAMED}" in prepared.fire("SessionStart", "two").context
    again = prepared.fire("SessionStart", source="resume").context
    assert f"## Plan that the user accepted for this session\n- {NAMED}\n" in again
    (row,) = [json.loads(line) for line in prepared.cli("log", "--kind", "plan", "--json").out.splitlines()]
    assert (row["text"], row["path"]) == ("Fix the tax", "~/.claude/plans/tax.md")


def test_a_plan_is_followed_until_its_tasks_are_completed(prepared: Project) -> None:
    """A task from before it does not count; the state file keeps one entry about it."""
    prepared.fire("SessionStart")
    prepared.fire("TaskCreated", task_id="1", task_subject="An older task")
    prepared.fire("TaskCompleted", task_id="1", task_subject="An older task")
    _accept(prepared)
    assert f"- Follow the plan {NAMED}\n" in _state(prepared)
    prepared.fire("TaskCreated", task_id="2", task_subject="Read the rates")
    state = _state(prepared)
    assert f"- Read the rates\n- Follow the plan {NAMED}\n" in state
    prepared.fire("TaskCompleted", task_id="2", task_subject="Read the rates")
    state = _state(prepared)
    assert "Follow the plan" not in state
    assert state.count("Plan accepted\n") == 1
    assert "Plan that the user accepted" not in prepared.fire("SessionStart", source="resume").context


def test_a_plan_is_followed_until_a_commit_after_which_nothing_is_open(prepared: Project) -> None:
    """It stays in the log."""
    prepared.fire("SessionStart")
    _accept(prepared)
    prepared.edit("tax.py")
    assert f"- Follow the plan {NAMED}\n" in _state(prepared)
    at = prepared.facts(kind="plan")[0]["at"] + 1
    prepared.remember("one", {"kind": "commit", "id": "1a2b3c4d", "subject": "Tax", "made": at, "paths": ["tax.py"]})
    prepared.fire("Stop", last_assistant_message="The rates are right.")
    assert "Follow the plan" not in _state(prepared)


def test_a_plan_of_a_subagent_is_not_the_sessions(prepared: Project) -> None:
    """Only the user accepts a plan of the session."""
    prepared.fire("SessionStart")
    _accept(prepared, agent_id="a877", agent_type="Plan")
    assert prepared.facts(kind="plan") == []


def test_a_plan_in_the_project_is_named_by_its_path_there(prepared: Project) -> None:
    """As with the client's setting `plansDirectory`; secrets in it are masked."""
    response = {"plan": "Use password=hunter2hunter2", "filePath": f"{prepared.root}/plans/tax.md"}
    prepared.fire("PostToolUse", tool_name="ExitPlanMode", tool_input={}, tool_response=response)
    (fact,) = prepared.facts(kind="plan")
    assert fact["path"] == "plans/tax.md"
    assert "hunter2" not in fact["text"]
