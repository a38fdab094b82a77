"""What is known of Qwen Code agrees with the extension that is linked into it, and answers have its shape."""

from __future__ import annotations

import json

import pytest

from holdfast.clients.qwen import qwen
from holdfast.core.client import Answer
from tests.support.machine import ROOT

HOOKS = json.loads((ROOT / qwen.HOOKS).read_text())["hooks"]
# The fields that the reference of Qwen's hooks lists, of those that holdfast uses.
TOP, SPECIFIC = {"systemMessage", "hookSpecificOutput"}, {"hookEventName", "additionalContext"}
DECISION = {"permissionDecision", "permissionDecisionReason"}


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
    """What a summariser reads is given as JSON; a title is left out."""
    assert json.loads(qwen.encode(event, answer)) == {"hookSpecificOutput": expected}


def test_a_fork_names_its_origin() -> None:
    """It is the session that is resumed."""
    assert qwen.origin(["qwen", "--resume", "one", "--fork-session"]) == "one"
    assert qwen.origin(["qwen", "--resume", "one"]) == ""
