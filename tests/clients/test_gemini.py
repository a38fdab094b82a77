"""What is known of Gemini CLI agrees with the extension that is linked into it, and answers have its shape."""

from __future__ import annotations

import json

import pytest

from holdfast.clients.gemini import gemini
from holdfast.core.client import Answer
from tests.support.machine import ROOT

HOOKS = json.loads((ROOT / gemini.HOOKS).read_text())["hooks"]
# The fields that the reference of Gemini's hooks lists for each event, beside those in `hookSpecificOutput`.
_COMMON = {"systemMessage", "hookSpecificOutput"}
FIELDS = {event: _COMMON | ({"decision", "reason"} if event == "BeforeTool" else set()) for event in gemini.EVENTS}


@pytest.mark.parametrize(
    ("event", "body", "expected"),
    [
        ("BeforeAgent", {"prompt": "go on"}, [("prompt", "go on")]),
        ("BeforeAgent", {"prompt": "<hook_context>a\nb</hook_context>\n\ngo on"}, [("prompt", "go on")]),
        ("BeforeAgent", {}, [("prompt", None)]),
        ("AfterAgent", {"prompt_response": "done"}, [("last_assistant_message", "done")]),
        ("AfterTool", {"tool_response": {"error": {"message": "no"}}}, []),
        ("AfterTool", {"tool_response": {"llmContent": "ok"}}, [("tool_response", {"llmContent": "ok"})]),
        ("AfterTool", {"tool_response": "odd"}, [("tool_response", "odd")]),
    ],
)
def test_what_an_event_consists_of(event: str, body: dict[str, object], expected: list[tuple[str, object]]) -> None:
    """A prompt is what a person typed, the answer has the name that holdfast reads, and a failed tool did nothing."""
    assert [(key, part.get(key)) for part in gemini.parts(event, body) for key, _ in expected] == expected
    assert len(gemini.parts(event, body)) == len(expected)


@pytest.mark.parametrize(
    ("event", "answer", "expected"),
    [
        ("BeforeTool", Answer(context="c"), None),
        ("BeforeTool", Answer(verdict="deny", reason="r"), {"decision": "deny", "reason": "r"}),
        ("AfterTool", Answer(verdict="deny", reason="r"), None),
        (
            "AfterTool",
            Answer(context="c", title="t", message="see /holdfast:doctor"),
            {
                "hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "c"},
                "systemMessage": "see holdfast doctor",
            },
        ),
    ],
)
def test_an_answer_has_only_what_gemini_accepts(event: str, answer: Answer, expected: object) -> None:
    """What Gemini lacks is left out, and nothing to say is no output."""
    found = gemini.encode(event, answer)
    assert (json.loads(found) if found else None) == expected
