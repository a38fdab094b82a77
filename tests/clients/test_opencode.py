"""What the plugin in opencode sends becomes what holdfast reads, and answers have what it uses."""

from __future__ import annotations

import json
import re

import pytest

from holdfast.clients.opencode import opencode
from holdfast.core.client import Answer
from tests.support.machine import ROOT

PLUGIN = (ROOT / opencode.HOOKS).read_text()


def test_the_plugin_sends_the_events_and_tools_of_the_table() -> None:
    """Each event that has a meaning is sent, and no other; the same holds for tools."""
    sent = {name for names in re.findall(r"(?:fire|run)\((.*?),", PLUGIN) for name in re.findall(r'"(\w+)"', names)}
    assert sent == set(opencode.EVENTS)
    (edits,) = re.findall(r"const EDITS = {(.*)}", PLUGIN)
    assert {*re.findall(r"(\w+): ", edits), *re.findall(r'tool === "(\w+)"', PLUGIN)} == set(opencode.TOOLS)


def test_the_plugin_uses_each_part_of_an_answer() -> None:
    """What it does not use would be lost without a word."""
    used = set(re.findall(r"\{ (context|steering|refusal|message) \}", PLUGIN))
    assert used == {"context", "steering", "refusal", "message"}


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ('"Go on"', "Go on"),
        ("Go", "Go"),
        ('"Go" "on"', '"Go" "on"'),
        ('say "Go"', 'say "Go"'),
        ('"', '"'),
        (None, None),
    ],
)
def test_a_prompt_is_what_was_typed(prompt: object, expected: object) -> None:
    """`opencode run` puts quotes around words with spaces."""
    (part,) = opencode.parts("UserPromptSubmit", {"prompt": prompt})
    assert part["prompt"] == expected


PENDING: dict[str, object] = {"content": "Test", "status": "pending"}


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("write", {"filePath": "a"}, [{"filePath": "a"}]),
        ("apply_patch", {"patchText": "*** Add File: a\n*** Delete File: b\n"}, [{"filePath": "a"}, {"filePath": "b"}]),
        ("apply_patch", {"patchText": None}, []),
        ("todowrite", {"todos": [PENDING]}, [{"taskId": "1", "subject": "Test", "status": "pending"}]),
        ("todowrite", {"todos": [{"status": "cancelled"}]}, [{"taskId": "1", "subject": None, "status": "deleted"}]),
        ("todowrite", {"todos": [], "before": 2}, [{"taskId": at, "status": "deleted"} for at in ("1", "2")]),
        ("todowrite", {"todos": "odd", "before": "odd"}, []),
        ("todowrite", {"todos": ["odd"]}, []),
    ],
)
def test_a_patch_has_several_files_and_a_list_several_tasks(
    tool: str, given: dict[str, object], expected: list[object]
) -> None:
    """Tasks have no ids but their places; what a shorter list lacks is gone."""
    parts = opencode.parts("PostToolUse", {"tool_name": tool, "tool_input": given})
    assert [part["tool_input"] for part in parts] == expected


@pytest.mark.parametrize(
    ("event", "answer", "expected"),
    [
        (
            "SessionStart",
            Answer(context="c", title="t", message="m /holdfast:init"),
            {"context": "c", "message": "m holdfast init"},
        ),
        ("PreCompact", Answer(steering="s", block="b"), {"steering": "s"}),
        ("PreToolUse", Answer(context="c"), None),
        ("PreToolUse", Answer(verdict="ask", reason="r"), None),
        ("PreToolUse", Answer(verdict="deny", reason="r"), {"refusal": "r"}),
    ],
)
def test_an_answer_has_only_what_the_plugin_uses(event: str, answer: Answer, expected: object) -> None:
    """What opencode lacks is left out, and nothing to say is no output."""
    found = opencode.encode(event, answer)
    assert (json.loads(found) if found else None) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["opencode", "run", "--session", "one", "--fork"], "one"),
        (["opencode", "-s", "one", "--fork"], "one"),
        (["opencode", "-s", "one"], ""),
    ],
)
def test_a_fork_names_its_origin(words: list[str], expected: str) -> None:
    """It is the session that is continued."""
    assert opencode.origin(words) == expected
