"""What a person answers to choices and plans, lists of tasks, and reports of subagents reach the next session."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared

STORE, FIELDS = "Where is the cache kept?", "Which fields does the key have?"
QUESTIONS = [
    {"question": STORE, "header": "Cache", "multiSelect": False, "options": [{"label": "Redis"}, {"label": "Memory"}]},
    {
        "question": FIELDS,
        "header": "Key",
        "multiSelect": True,
        "options": [{"label": "country"}, {"label": "day, UTC"}],
    },
]
REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected. The user said:\n"


def _begin(project: Project) -> None:
    project.fire("SessionStart")
    project.fire("UserPromptSubmit", prompt="cache the tax table in the importer")
    project.edit("src/tax.py")


def _used(project: Project, tool: str, given: dict[str, Any], response: dict[str, Any] | None = None) -> None:
    project.fire("PostToolUse", tool_name=tool, tool_input=given, tool_response=response or given)


def _end(project: Project) -> tuple[str, str]:
    """Return the state file and the brief of the next session."""
    project.fire("Stop")
    project.fire("SessionEnd")
    project.settled()
    (file,) = project.state_files()
    return file.read_text(), project.fire("SessionStart", "two").context


def test_answers_to_choices_are_decisions(prepared: Project) -> None:
    """One, several and typed ones; a committed file has no words that a person typed."""
    _begin(prepared)
    answers = {STORE: "On disk, as Ms Miller wants", FIELDS: "country, day, UTC"}
    _used(prepared, "AskUserQuestion", {"questions": QUESTIONS, "answers": answers})
    state, brief = _end(prepared)
    assert f'{STORE} → "On disk, as Ms Miller wants"; {FIELDS} → "country, day, UTC"' in brief
    assert f": {FIELDS} → country, day, UTC\n\n**Decision**: country, day, UTC\n" in state
    assert "Miller" not in state
    assert "country, day" in prepared.cli("search", "country").out


def test_no_two_decisions_have_one_number(prepared: Project) -> None:
    """What `sync` wrote between two answers keeps its number, as each answer does in later settles."""
    _begin(prepared)
    _used(prepared, "AskUserQuestion", {"questions": QUESTIONS, "answers": {STORE: "Redis"}})
    prepared.fire("Stop")
    prepared.settled()
    assert prepared.cli("sync", "--convo-id", "one", "--json", '{"Decisions": ["Keep old links"]}').code == 0
    for answer in ("country", "day, UTC"):
        question = f"{answer}: is it part of the key?"
        asked = {"question": question, "header": "Key", "options": [{"label": answer}]}
        _used(prepared, "AskUserQuestion", {"questions": [asked], "answers": {question: answer}})
        prepared.edit(f"src/{answer[:3]}.py")
        prepared.fire("Stop")
        prepared.settled()
    (file,) = prepared.state_files()
    numbers = re.findall(r"### Decision (\d+): (.*)", file.read_text())
    assert len(numbers) == 4
    assert sorted(int(number) for number, _ in numbers) == [1, 2, 3, 4], numbers
    assert dict(numbers)["2"] == "Keep old links"


@pytest.mark.parametrize("response", [{}, {"answers": {}}, {"answers": []}, {"answers": {STORE: ""}}])
def test_questions_without_an_answer_are_no_fact(prepared: Project, response: dict[str, Any]) -> None:
    """Whatever the client sends."""
    _begin(prepared)
    _used(prepared, "AskUserQuestion", {"questions": QUESTIONS}, response)
    assert prepared.facts(kind="choice") == []


def _transcript(project: Project, text: str, **fields: Any) -> None:
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": text, **fields}
    line = {"type": "user", "message": {"role": "user", "content": [block]}}
    with (project.home / "t.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def test_a_refused_plan_is_told_with_its_reason(prepared: Project) -> None:
    """No event says so; the transcript does. The reason is in the user's words, which a committed file has not."""
    _begin(prepared)
    prepared.fire("PreToolUse", tool_name="ExitPlanMode", tool_input={"plan": "# Use Redis\n\n1. Install it"})
    _transcript(prepared, f"{REFUSED}no server, Ms Miller said so", is_error=True)
    state, brief = _end(prepared)
    assert 'The user refused the plan "Use Redis": no server, Ms Miller said so' in brief
    assert 'The user refused the plan "Use Redis"\n' in state
    assert "Miller" not in state
    assert len(prepared.facts(kind="refused")) == 1


def test_an_accepted_plan_is_a_decision(prepared: Project) -> None:
    """It was proposed before, and is not refused."""
    _begin(prepared)
    prepared.fire("PreToolUse", tool_name="ExitPlanMode", tool_input={"plan": "# Keep it in memory"})
    _transcript(prepared, "User has approved your plan.")
    _used(prepared, "ExitPlanMode", {}, {"plan": "# Keep it in memory"})
    state, brief = _end(prepared)
    assert 'The plan "Keep it in memory" was accepted' in brief
    assert "refused" not in state + brief


def test_the_list_of_tasks_that_claude_keeps(prepared: Project) -> None:
    """Each list replaces the one before; what is left out of it is not open any more."""
    _begin(prepared)
    todos = [
        {"content": "Read the rates", "status": "completed"},
        {"content": "Write the cache", "status": "in_progress"},
        {"content": "Ask the bank", "status": "pending"},
    ]
    _used(prepared, "TodoWrite", {"todos": todos})
    _used(prepared, "TodoWrite", {"todos": [*todos[:2], {"content": "Measure", "status": "pending"}]})
    state, brief = _end(prepared)
    assert "- Write the cache\n- Measure\n" in state
    assert "- [-] Ask the bank" in state
    assert "Write the cache" in brief


def test_a_report_without_its_opening_words(prepared: Project) -> None:
    """Of a long one both ends; the file has its beginning."""
    _begin(prepared)
    middle = "It reads on. " * 400
    message = f"I've completed the research. Here is my report:\n\nThe table has 40 rates. {middle}It fits in memory."
    prepared.fire("SubagentStop", last_assistant_message=message)
    fact = prepared.facts(kind="child")[-1]
    assert fact["text"].startswith("The table has 40 rates.")
    assert fact["text"].endswith("It fits in memory.")
    assert len(fact["text"]) < 1600
