"""What is known of Codex CLI agrees with the hooks that are registered for it, and with its own schemas."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from holdfast.clients.codex import codex
from holdfast.core.client import Answer, merged
from tests.client.fixtures import programs
from tests.clients.answers import ANSWERS
from tests.support import schema
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FILE = json.loads((ROOT / "hooks/codex.json").read_text())
PATCH = "*** Begin Patch\n*** Add File: a b.txt\n+*** Update File: no\n*** Update File: c\n*** Move to: d\n@@\n-x\n"


def test_the_file_has_no_other_key() -> None:
    """Codex refuses a file with any other key, and reads the file that its own manifest names."""
    assert set(FILE) == {"description", "hooks"}
    assert {key for groups in FILE["hooks"].values() for group in groups for key in group} == {"matcher", "hooks"}
    own = json.loads((ROOT / ".codex-plugin/plugin.json").read_text())
    assert own["hooks"] == "./hooks/codex.json"


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (PATCH, ["a b.txt", "c", "d"]),
        ("*** Update File: c\n*** Update File: c\n", ["c"]),
        ("*** Delete File: gone.py\r\n", ["gone.py"]),
        ("*** Add File: \n", []),
        ("no patch", []),
        ("".join(f"*** Add File: {number}\n" for number in range(200)), [str(number) for number in range(100)]),
    ],
)
def test_a_patch_names_its_files(patch: str, expected: list[str]) -> None:
    """Each file once, in the order of the patch; lines of a file's text are no headings."""
    body: dict[str, object] = {"tool_name": "apply_patch", "tool_input": {"command": patch}}
    parts = codex.parts("PostToolUse", body)
    assert [part["tool_input"] for part in parts] == [{"file_path": path} for path in expected]


@pytest.mark.parametrize(
    ("event", "body", "count"),
    [
        ("UserPromptSubmit", {"prompt": "x"}, 1),
        ("UserPromptSubmit", {"prompt": "x", "agent_id": "a"}, 0),
        ("Stop", {}, 1),
        ("PostToolUse", {"tool_name": "apply_patch", "tool_input": "odd"}, 0),
        ("PostToolUse", {"tool_name": "apply_patch", "tool_input": {"command": 1}}, 0),
    ],
)
def test_what_an_event_consists_of(event: str, body: dict[str, object], count: int) -> None:
    """A prompt inside a subagent is not the user's, and an odd patch is none."""
    assert len(codex.parts(event, body)) == count


@pytest.mark.parametrize(
    ("event", "answer", "expected"),
    [
        ("Stop", Answer(context="c"), None),
        ("PreCompact", Answer(steering="s", block="b"), None),
        (
            "SessionStart",
            Answer(context="c", title="t", message="/holdfast:init keeps"),
            {
                "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "c"},
                "systemMessage": "holdfast init keeps",
            },
        ),
        (
            "PreToolUse",
            Answer(verdict="deny", reason="r", message="m"),
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "r",
                },
                "systemMessage": "m",
            },
        ),
        ("PreToolUse", Answer(verdict="ask", reason="r"), None),
    ],
)
def test_an_answer_has_only_what_codex_accepts(event: str, answer: Answer, expected: object) -> None:
    """What Codex lacks is left out, and nothing to say is no output."""
    found = codex.encode(event, answer)
    assert (json.loads(found) if found else None) == expected


def test_answers_about_several_files_become_one() -> None:
    """Each text once; the strictest verdict counts, with its own reasons."""
    whole = merged([Answer(context="a", message="m"), Answer(verdict="deny", reason="r"), Answer(context="a")])
    assert whole
    assert (whole.context, whole.message, whole.verdict, whole.reason) == ("a", "m", "deny", "r")
    assert merged([]) is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [(["codex", "fork", "one"], "one"), (["codex", "fork"], ""), (["codex", "resume", "one"], ""), ([], "")],
)
def test_a_fork_names_its_origin(words: list[str], expected: str) -> None:
    """Only `codex fork` continues another session's conversation in a new session."""
    assert codex.origin(words) == expected


@pytest.fixture(scope="module")
def codex_programs() -> tuple[Path, ...]:
    """Give the program of Codex."""
    return programs("codex")


@pytest.fixture(scope="module")
def schemas(codex_programs: tuple[Path, ...]) -> dict[str, dict[str, Any]]:
    """Return the schemas in the program of Codex."""
    return schema.inside(codex_programs[0])


def _named(event: str) -> str:
    return "-".join(re.findall("[A-Z][a-z]+", event)).lower()


@given(answer=ANSWERS)
def test_each_answer_is_as_the_schema_of_codex_says(schemas: dict[str, dict[str, Any]], answer: Answer) -> None:
    """Codex discards a whole answer that has one field too many; an event without a schema has no answer."""
    for event in codex.EVENTS:
        found = codex.encode(event, answer)
        known = schemas.get(f"{_named(event)}.command.output")
        assert known or not found, event
        assert not found or (known and schema.flaws(json.loads(found), known) == []), (event, found)


def test_each_event_has_a_schema_and_a_wrong_answer_is_found(schemas: dict[str, dict[str, Any]]) -> None:
    """Codex knows each event that is registered for it."""
    assert {f"{_named(event)}.command.input" for event in codex.EVENTS} <= schemas.keys()
    known = schemas["session-start.command.output"]
    assert schema.flaws({"hookSpecificOutput": {"hookEventName": "SessionStart", "sessionTitle": "t"}}, known)
    assert schema.flaws({"additionalContext": "c"}, known)
