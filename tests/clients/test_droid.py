"""What Droid sends becomes what holdfast reads."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from holdfast.clients.droid import droid
from holdfast.core import client as clients

if TYPE_CHECKING:
    from pathlib import Path


def _line(ident: str, role: str, *parts: object) -> str:
    return json.dumps(
        {"type": "message", "id": ident, "message": {"role": role, "content": parts}}, separators=(",", ":")
    )


SAID = {"type": "text", "text": "Totals are next."}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([_line("a", "assistant", SAID)], "Totals are next."),
        (
            [_line("b", "assistant", SAID), _line("a", "assistant", {"type": "tool_use", "name": "Edit"})],
            "Totals are next.",
        ),
        ([_line("a", "user", SAID)], ""),
        (['{"id":"a","message":{"role":"assistant","content":"odd"}}', '{"id":"a","message":"odd"}'], ""),
    ],
)
def test_the_last_answer_is_in_the_transcript(tmp_path: Path, lines: list[str], expected: str) -> None:
    """The end of a turn names the message that is waited for."""
    path = tmp_path / "one.jsonl"
    path.write_text("\n".join(lines))
    (part,) = droid.parts("Stop", {"transcript_path": str(path), "message_id": "a"})
    assert part["last_assistant_message"] == expected


@pytest.mark.parametrize("named", [{}, {"message_id": "a"}], ids=["no message is named", "the message is there"])
def test_an_answer_that_is_there_is_read_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: dict[str, object]
) -> None:
    """An end of a turn that names no message has the last answer, too."""
    path = tmp_path / "one.jsonl"
    path.write_text(_line("a", "assistant", SAID))
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    (part,) = droid.parts("Stop", {"transcript_path": str(path), **named})
    assert (part["last_assistant_message"], waited) == ("Totals are next.", [])


def test_an_answer_that_never_comes_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is waited for, and not for long."""
    monkeypatch.setattr(clients, "PATIENCE", 0.1)
    (part,) = droid.parts("Stop", {"transcript_path": str(tmp_path / "missing"), "message_id": "a"})
    assert part["last_assistant_message"] == ""


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Create", {"file_path": "a"}, [{"file_path": "a"}]),
        ("ApplyPatch", {"input": "*** Add File: a\n*** Update File: b\n"}, [{"file_path": "a"}, {"file_path": "b"}]),
        ("ApplyPatch", "odd", []),
    ],
)
def test_a_patch_has_several_files(tool: str, given: object, expected: list[object]) -> None:
    """One part for each of them."""
    parts = droid.parts("PostToolUse", {"tool_name": tool, "tool_input": given})
    assert [part["tool_input"] for part in parts] == expected


@pytest.mark.parametrize(
    ("words", "expected"), [(["droid", "--fork", "one"], "one"), (["droid", "exec", "--fork"], ""), (["droid"], "")]
)
def test_a_fork_names_its_origin(words: list[str], expected: str) -> None:
    """It is the session that is forked."""
    assert droid.origin(words) == expected
