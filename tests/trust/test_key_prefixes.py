"""Keys of well-known issuers: each shape is masked everywhere, and none reaches a file."""

from __future__ import annotations

import json
import time
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.trust import safe, secrets
from tests.support import hooks
from tests.support.hostile import holding, shown, typed
from tests.support.keys import DISGUISES, JOINTS, LITERALS, NAMES, SHAPES, made, telling

if TYPE_CHECKING:
    from tests.support.hooks import Project

here = hooks.here
prepared = hooks.prepared
# One issuer for each kind of pattern; the first test covers all issuers.
ISSUERS = ("GitHub", "Anthropic", "Twilio", "Azure AD", "AWS secret", "address", "Slack webhook")

KEYS = st.builds(made, st.sampled_from(sorted(SHAPES)), st.integers(0, 3))
RUNS = st.builds(lambda char, count: char * count, st.sampled_from("aA0fQ9-_"), st.integers(1, 90))
PIECES = st.one_of(
    *(KEYS, st.sampled_from(LITERALS), st.sampled_from(NAMES), st.sampled_from(JOINTS), RUNS, st.text(max_size=6)),
    st.builds(lambda key, start, end: key[start : start + end], KEYS, st.integers(0, 60), st.integers(1, 60)),
)
DISGUISED = st.builds(lambda piece, disguise: disguise(piece), PIECES, st.sampled_from(DISGUISES))


@pytest.mark.parametrize("around", ["{}", "use {} for it", "`{}`,", '"{}"', "a\n{}\nb", "({})."])
def test_the_key_of_an_issuer_is_masked(around: str) -> None:
    """Each key is masked completely, and the quick check in `safe.mask` recognises each."""
    for issuer, seed in product(SHAPES, range(10)):
        masked = safe.mask(around.format(made(issuer, seed)))
        assert telling(issuer, seed) not in masked, issuer
        assert safe.MASK in masked, issuer
        assert masked == secrets.masked(around.format(made(issuer, seed)), safe.MASK), issuer


@given(st.lists(PIECES | DISGUISED, max_size=8).map("".join))
@example("pa\u017f\u017fword: hunter2hunter2")
@example("credent\u0131als=hunter2hunter2")
@example("AP\u0130_KEY=hunter2hunter2")
def test_the_quick_check_misses_no_secret(made_up: str) -> None:
    """For any text the quick check runs the patterns whenever they would find something."""
    assert safe.mask(made_up) == secrets.masked(made_up, safe.MASK)


def stated(field: str, number: int) -> str:
    """Return a text with a key; the field's number decides issuer and seed."""
    return f"{field}: use {made(ISSUERS[number % len(ISSUERS)], number)} there"


def worked(project: Project) -> int:
    """Play a session with a key in every field of every event, and return how many keys there were."""
    count = 0

    def key(field: str) -> str:
        nonlocal count
        count += 1
        return stated(field, count)

    events: list[tuple[str, dict[str, Any]]] = [
        ("SessionStart", {"source": "startup", "model": key("model"), "session_title": key("title")}),
        ("UserPromptSubmit", {"prompt": key("prompt")}),
        ("UserPromptSubmit", {"prompt": key("second prompt")}),
        ("PostToolUse", edited(key)),
        ("TaskCreated", {"task_id": "1", "task_subject": key("subject"), "task_description": key("description")}),
        ("PostToolUse", {"tool_name": "TaskUpdate", "tool_input": {"taskId": "1", "subject": key("new subject")}}),
        ("SubagentStart", {"agent_id": key("agent"), "agent_type": key("type")}),
        ("SubagentStart", {"agent_id": "a1", "agent_type": key("another type")}),
        ("SubagentStop", {"agent_id": "a1", "agent_type": "t", "last_assistant_message": key("child")}),
        ("TaskCompleted", {"task_id": "1", "task_subject": key("done"), "task_description": key("description")}),
        ("Stop", {"last_assistant_message": key("answer")}),
        ("PreCompact", {"trigger": "manual", "custom_instructions": key("instructions")}),
        ("PostCompact", {"trigger": "manual", "compact_summary": f"<summary>{key('summary')}</summary>"}),
        ("SessionStart", {"source": "compact"}),
        ("SessionEnd", {"reason": key("reason")}),
    ]
    for event, fields in events:
        reply = project.fire(event, **fields)
        assert leaked(shown(reply), count) == [], event
    return count


def edited(key: Any) -> dict[str, Any]:
    """Return the fields of an edit."""
    given = {"file_path": "a.txt", "old_string": key("old"), "new_string": key("new")}
    return {"tool_name": "Edit", "tool_input": given, "tool_response": {"originalFile": key("original")}}


def leaked(where: str, count: int) -> list[int]:
    """Return the numbers of the keys that are in a text."""
    return [number for number in range(1, count + 1) if telling(ISSUERS[number % len(ISSUERS)], number) in where]


def test_no_key_in_a_session_reaches_a_file(prepared: Project) -> None:
    """A key in any field of any event reaches no file of the working tree, git folder or store."""
    began = time.monotonic()
    count = worked(prepared)
    prepared.settled()
    assert prepared.state_files()
    for number in range(1, count + 1):
        assert holding(prepared.root, telling(ISSUERS[number % len(ISSUERS)], number)) == [], number
    assert time.monotonic() - began < hooks.LIMIT * 10


def test_no_key_that_is_typed_reaches_a_file(prepared: Project) -> None:
    """Arguments of commands are masked like the fields of events."""
    assert prepared.cli("start", stated("title", 1)).code == 0
    sections = {"Current State": stated("state", 3), "Next Steps": [stated("step", 4)]}
    commands = [
        ["loop", "add", stated("loop", 2)],
        ["loop", "explore", "LOOP-001", "--approach", stated("approach", 5)],
        ["loop", "close", "LOOP-001", "--outcome", stated("outcome", 6)],
        ["sync", "--json", json.dumps(sections)],
        ["update", "status=active", f"purpose={stated('purpose', 7)}", f"context={stated('context', 8)}"],
        ["pause", "--note", stated("note", 9), "--next", stated("next", 10)],
        ["status"],
        ["brief"],
        ["list", "--all"],
    ]
    typed(prepared, "one", commands)
    found = {number: holding(prepared.root, telling(ISSUERS[number % len(ISSUERS)], number)) for number in range(1, 11)}
    assert {number: names for number, names in found.items() if names} == {}
