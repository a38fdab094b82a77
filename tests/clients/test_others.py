"""What is known of each client beside Claude Code agrees with the hooks that are registered for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from holdfast.clients import catalogue
from holdfast.project import paths
from holdfast.project.file_registration import Copilot, Droid
from tests.clients.answers import ANSWERS
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.core.client import Answer

# The clients whose hooks are processes; how many of its units of time are a second; what stands around their matchers.
UNITS = {"codex": 1, "gemini": 1000, "qwen": 1, "copilot": 1, "droid": 1}
MATCHED = {"qwen": ("^(", ")$")}
# The manifests that have the name, the version and the description of Claude Code's.
MANIFESTS = {
    "codex": ".codex-plugin/plugin.json",
    "gemini": "extensions/gemini/gemini-extension.json",
    "qwen": "extensions/qwen/qwen-extension.json",
}
# The fields that each client knows, beside those in `hookSpecificOutput`, and those in it.
TOP = {
    "codex": {"systemMessage", "hookSpecificOutput"},
    "gemini": {"systemMessage", "hookSpecificOutput", "decision", "reason"},
    "qwen": {"systemMessage", "hookSpecificOutput"},
    "copilot": {"additionalContext", "permissionDecision", "permissionDecisionReason"},
    "opencode": {"context", "steering", "refusal", "message"},
    "droid": {"systemMessage", "hookSpecificOutput"},
}
SPECIFIC = {"hookEventName", "additionalContext"}
DECISION = {"permissionDecision", "permissionDecisionReason"}


def _groups(name: str) -> dict[str, Any]:
    """Return the registered hooks of a client by event."""
    if name == Droid.NAME:
        return {event: [Droid.entry(event)] for event in catalogue.of(name).EVENTS}
    text = Copilot.text() if name == "copilot" else (ROOT / catalogue.of(name).HOOKS).read_text()
    groups: dict[str, Any] = json.loads(text)["hooks"]
    return groups


@pytest.mark.parametrize("name", UNITS)
def test_every_registered_event_has_a_meaning(name: str) -> None:
    """The events of the table have shell commands and limits; those of tools match the tools of the table."""
    client, (before, after) = catalogue.of(name), MATCHED.get(name, ("", ""))
    assert list(_groups(name)) == list(client.EVENTS)
    for event, (group,) in _groups(name).items():
        (hook,) = group.get("hooks", [group])
        assert hook.get("command", hook.get("bash")).endswith(f" {name} {event}")
        assert 3 <= hook.get("timeout", hook.get("timeoutSec")) / UNITS[name] <= 20
        of_tools = client.EVENTS[event] in ("before_tool", "after_tool")
        assert group.get("matcher", "") == (f"{before}{'|'.join(client.TOOLS)}{after}" if of_tools else "")


@pytest.mark.parametrize("name", MANIFESTS)
def test_the_manifest_agrees_with_that_of_claude_code(name: str) -> None:
    """Name, version and description are the same, and what else a manifest has in common."""
    own, other = (json.loads((ROOT / path).read_text()) for path in (MANIFESTS[name], ".claude-plugin/plugin.json"))
    assert {"name", "version", "description"} <= own.keys()
    assert {key: own[key] for key in own.keys() & other.keys()} == {
        key: other[key] for key in own.keys() & other.keys()
    }
    assert "hooks" not in other


@pytest.mark.parametrize("name", TOP)
@given(answer=ANSWERS)
def test_an_answer_has_no_other_fields(name: str, answer: Answer) -> None:
    """Each field is one that the client knows for the event."""
    client = catalogue.of(name)
    for event, meaning in client.EVENTS.items():
        found = json.loads(client.encode(event, answer) or "{}")
        assert found.keys() <= TOP[name]
        specific = found.get("hookSpecificOutput", {}).keys()
        assert specific <= SPECIFIC | (DECISION if meaning == "before_tool" else set())


def test_copilots_file_names_its_launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So the file of another clone is known as such; any other file names none."""
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / ".copilot/hooks/holdfast.json"
    path.parent.mkdir(parents=True)
    path.write_text(Copilot.text())
    assert Copilot.named() == f"{paths.PLUGIN_ROOT}/hooks/launch"
    path.write_text(Copilot.text().replace("/hooks/launch", "/hooks/other"))
    assert Copilot.named() == ""
