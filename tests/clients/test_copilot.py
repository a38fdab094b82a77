"""What Copilot CLI sends becomes what holdfast reads, and answers have its shape."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from holdfast.clients.copilot import copilot
from holdfast.core import client as clients
from holdfast.core.client import Answer

if TYPE_CHECKING:
    from pathlib import Path

SAID = '{"type":"assistant.message","data":{"content":"%s"}}'


def _answer(transcript: str) -> object:
    """Return the answer with which a turn ends."""
    (part,) = copilot.parts("Stop", {"transcript_path": transcript})
    return part["last_assistant_message"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], ""),
        ([SAID % "one", SAID % "two", '{"type":"session.usage_record"}'], "two"),
        ([SAID % "one", SAID % ""], "one"),
        (['{"type":"assistant.message","data":{"con', SAID % "x"], "x"),
        ([SAID % "one", '{"type":"assistant.message", broken'], "one"),
        (['{"type":"hook","data":{"content":"\\"assistant.message\\""}}'], ""),
    ],
)
def test_the_last_answer_is_in_the_transcript(tmp_path: Path, lines: list[str], expected: str) -> None:
    """A message without text, as one that only calls tools, is passed over, and so is a line that is cut."""
    transcript = tmp_path / "events.jsonl"
    transcript.write_text("\n".join([*lines, '{"type":"hook.start","data":{"hookType":"agentStop"}}']))
    assert _answer(str(transcript)) == expected


def test_a_transcript_that_never_comes_has_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is waited for, and not for long."""
    monkeypatch.setattr(clients, "PATIENCE", 0.1)
    assert [_answer(path) for path in (str(tmp_path / "missing"), "")] == ["", ""]


def test_an_answer_that_is_written_meanwhile_is_waited_for(tmp_path: Path) -> None:
    """The client writes the last answer while the hook runs, and then that the hook runs."""
    transcript = tmp_path / "events.jsonl"
    begun = [SAID % "before", '{"type":"hook.start","data":{"hookType":"agentStop"}}', '{"type":"user.message"}']
    transcript.write_text("\n".join(begun))

    def write() -> None:
        with transcript.open("a") as file:
            file.write("\n" + SAID % "after" + '\n{"type":"hook.start","data":{"hookType":"agentStop"}}')

    timer = threading.Timer(0.1, write)
    timer.start()
    assert _answer(str(transcript)) == "after"
    timer.join()


def test_a_new_session_starts_up() -> None:
    """A resumed one keeps its word."""
    assert [copilot.parts("SessionStart", {"source": word})[0]["source"] for word in ("new", "resume")] == [
        "startup",
        "resume",
    ]


@pytest.mark.parametrize(
    ("event", "answer", "expected"),
    [
        ("SessionStart", Answer(context="c", title="t", message="m"), {"additionalContext": "c"}),
        ("Stop", Answer(message="m"), None),
        ("PreCompact", Answer(steering="s"), None),
        ("PreToolUse", Answer(verdict="ask", reason="r"), None),
        (
            "PreToolUse",
            Answer(verdict="deny", reason="r"),
            {"permissionDecision": "deny", "permissionDecisionReason": "r"},
        ),
    ],
)
def test_an_answer_has_only_what_copilot_accepts(event: str, answer: Answer, expected: object) -> None:
    """Only fields at the top count."""
    found = copilot.encode(event, answer)
    assert (json.loads(found) if found else None) == expected
