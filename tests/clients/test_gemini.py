"""What is known of Gemini CLI agrees with the extension that is linked into it, and answers have its shape."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from holdfast.clients import gemini
from holdfast.clients.answer import Answer
from tests.clients.answers import ANSWERS
from tests.support.machine import ROOT

HOOKS = json.loads((ROOT / gemini.HOOKS).read_text())["hooks"]
# The fields that the reference of Gemini's hooks lists for each event, beside those in `hookSpecificOutput`.
_COMMON = {"systemMessage", "hookSpecificOutput"}
FIELDS = {event: _COMMON | ({"decision", "reason"} if event == "BeforeTool" else set()) for event in gemini.EVENTS}


def test_every_registered_event_has_a_meaning() -> None:
    """The extension registers the events of the table with shell commands, and gives them seconds, in milliseconds."""
    assert set(HOOKS) == set(gemini.EVENTS)
    for event, groups in HOOKS.items():
        (group,) = groups
        (hook,) = group["hooks"]
        assert hook["command"].endswith(f" gemini {event}")
        assert 1000 <= hook["timeout"] <= 60_000
        assert ("matcher" in group) == event.endswith("Tool")
        assert set(group.get("matcher", "|".join(gemini.TOOLS)).split("|")) == gemini.TOOLS.keys()


def test_the_manifest_agrees_with_that_of_claude_code() -> None:
    """Name, version and description are the same."""
    own = json.loads((ROOT / "extensions/gemini/gemini-extension.json").read_text())
    other = json.loads((ROOT / ".claude-plugin/plugin.json").read_text())
    assert own == {key: other[key] for key in ("name", "version", "description")}


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


@given(answer=ANSWERS)
def test_an_answer_has_no_other_fields(answer: Answer) -> None:
    """Each field is one that the reference lists for the event."""
    for event in gemini.EVENTS:
        found = gemini.encode(event, answer)
        assert not found or json.loads(found).keys() <= FIELDS[event]
