"""What is known of Qwen Code agrees with the extension that is linked into it, and answers have its shape."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from holdfast.clients import qwen
from holdfast.clients.answer import Answer
from tests.clients.answers import ANSWERS
from tests.support.machine import ROOT

HOOKS = json.loads((ROOT / qwen.HOOKS).read_text())["hooks"]
# The fields that the reference of Qwen's hooks lists, of those that holdfast uses.
TOP, SPECIFIC = {"systemMessage", "hookSpecificOutput"}, {"hookEventName", "additionalContext"}
DECISION = {"permissionDecision", "permissionDecisionReason"}


def test_every_registered_event_has_a_meaning() -> None:
    """The extension registers the events of the table with shell commands and limits in seconds."""
    assert list(HOOKS) == list(qwen.EVENTS)
    for event, groups in HOOKS.items():
        (group,) = groups
        (hook,) = group["hooks"]
        assert hook["command"].endswith(f" qwen {event}")
        assert 5 <= hook["timeout"] <= 20
        assert ("matcher" in group) == event.endswith("ToolUse")
        assert group.get("matcher", "^(" + "|".join(qwen.TOOLS) + ")$") == "^(" + "|".join(qwen.TOOLS) + ")$"


def test_the_manifest_agrees_with_that_of_claude_code() -> None:
    """Name, version and description are the same."""
    own = json.loads((ROOT / "extensions/qwen/qwen-extension.json").read_text())
    other = json.loads((ROOT / ".claude-plugin/plugin.json").read_text())
    assert own == {key: other[key] for key in ("name", "version", "description")}


@pytest.mark.parametrize(
    ("event", "body", "expected"),
    [
        ("UserPromptSubmit", {"prompt": "whole text", "submitted_prompt": "typed"}, ["typed"]),
        ("UserPromptSubmit", {"prompt": "typed with vim"}, ["typed with vim"]),
        ("UserPromptSubmit", {"prompt": ""}, []),
        ("TodoCreated", {"todo_id": "1", "todo_content": "Test", "phase": "postWrite"}, ["Test"]),
        ("TodoCreated", {"todo_id": "1", "todo_content": "Test", "phase": "validation"}, []),
        ("TodoCompleted", {"todo_id": "1", "todo_content": "Test"}, []),
    ],
)
def test_what_an_event_consists_of(event: str, body: dict[str, object], expected: list[str]) -> None:
    """A round of tools has no prompt, and a task counts once it is written."""
    parts = qwen.parts(event, body)
    assert [part.get("task_subject") or part.get("prompt") for part in parts] == expected


@pytest.mark.parametrize(
    ("event", "answer", "expected"),
    [
        ("PreCompact", Answer(steering="s", block="b"), {"hookEventName": "PreCompact", "additionalContext": "s"}),
        (
            "PreToolUse",
            Answer(verdict="ask", reason="r"),
            {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "r"},
        ),
        ("SessionStart", Answer(context="c", title="t"), {"hookEventName": "SessionStart", "additionalContext": "c"}),
    ],
)
def test_an_answer_has_only_what_qwen_accepts(event: str, answer: Answer, expected: object) -> None:
    """A summariser is told as JSON; a title is left out."""
    assert json.loads(qwen.encode(event, answer)) == {"hookSpecificOutput": expected}


def test_a_fork_names_its_origin() -> None:
    """It is the session that is resumed."""
    assert qwen.origin(["qwen", "--resume", "one", "--fork-session"]) == "one"
    assert qwen.origin(["qwen", "--resume", "one"]) == ""


@given(answer=ANSWERS)
def test_an_answer_has_no_other_fields(answer: Answer) -> None:
    """Each field is one that the reference lists for the event."""
    for event in qwen.EVENTS:
        found = json.loads(qwen.encode(event, answer) or "{}")
        assert found.keys() <= TOP
        assert found.get("hookSpecificOutput", {}).keys() <= SPECIFIC | (DECISION if event == "PreToolUse" else set())
