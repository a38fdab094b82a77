"""What is known of Claude Code agrees with the hooks that are registered for it, and answers have its shape."""

from __future__ import annotations

import json

import pytest

from holdfast.core.client import Answer, claude_code
from tests.support.machine import ROOT

HOOKS = json.loads((ROOT / "hooks/hooks.json").read_text())["hooks"]


def test_every_registered_event_has_a_meaning() -> None:
    """hooks.json registers the events of the table, in its order, and no others."""
    assert list(HOOKS) == list(claude_code.EVENTS)
    assert len(set(claude_code.EVENTS.values())) == len(claude_code.EVENTS)


@pytest.mark.parametrize(
    ("event", "meanings"),
    [
        ("PreToolUse", {"edit", "shell", "plan"}),
        ("PostToolUse", {"edit", "worktree", "plan", "task", "todos", "choice"}),
    ],
)
def test_hooks_match_the_tools_that_have_a_meaning(event: str, meanings: set[str]) -> None:
    """A hook on tools is called for each tool that it reacts to, and for no other."""
    tools = {tool for tool, meaning in claude_code.TOOLS.items() if meaning in meanings}
    assert {tool for group in HOOKS[event] for tool in group["matcher"].split("|")} == tools


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, None),
        ({"message": "a\nb"}, {"systemMessage": "a\nb"}),
        ({"context": "c"}, {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "c"}}),
        (
            {"context": "c", "title": "t", "message": "m"},
            {
                "hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "c", "sessionTitle": "t"},
                "systemMessage": "m",
            },
        ),
    ],
)
def test_an_answer_has_only_what_there_is_to_say(parts: dict[str, str], expected: object) -> None:
    """Nothing to say is no output at all; a title counts only inside `hookSpecificOutput`."""
    found = claude_code.encode("Stop", Answer(**parts))
    assert (json.loads(found) if found else None) == expected


def test_a_decision_names_its_reason() -> None:
    """The client reads verdict and reason from `hookSpecificOutput`."""
    (specific,) = json.loads(claude_code.encode("PreToolUse", Answer(verdict="ask", reason="why"))).values()
    assert specific == {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "why"}
    assert json.loads(claude_code.encode("PreCompact", Answer(block="why"))) == {"decision": "block", "reason": "why"}


def test_steering_is_plain_text() -> None:
    """The client hands what PreCompact prints to its summariser as it is."""
    assert claude_code.encode("PreCompact", Answer(steering="Keep a.py", message="m")) == "Keep a.py"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, True),
        ({"CLAUDE_CODE_ENTRYPOINT": "cli"}, True),
        ({"CLAUDE_CODE_ENTRYPOINT": "sdk-py"}, False),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "0"}, False),
        ({"CLAUDE_CODE_SESSION_ATTENDED": "1"}, True),
    ],
)
def test_a_program_is_not_a_person(environ: dict[str, str], *, expected: bool) -> None:
    """A user is asked only if a person sits at the terminal."""
    assert claude_code.is_attended(environ) is expected
