"""What becomes of the state file of a session that `/clear` ended: its work goes on, or other work begins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.actions.test_lifecycle import put
from tests.hazards import shapes
from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared

REQUEST = "Parse the invoices of last year and sum them up"
# What is typed first after /clear, and whether the work before it goes on.
FIRST = [
    ("continue", True),
    ("ok, weiter", True),
    ("2", True),
    ("", True),
    ("write tests for the rounding as well", True),  # an open task
    ("now check the rates of each country", True),  # what the last answer named as next
    ("in src/parse.py empty lines are not handled", True),  # a file of the work
    ("sum up the invoices of the year before, too", True),  # the request
    ("Implement the following plan:\n\n# Currencies of the invoices\n\n1. Read them.", True),
    ("The login page needs a dark mode that follows the system", False),
    ("a página de perfil precisa de um botão para trocar a senha", False),
    ("ログイン画面にダークモードを追加してください", False),
    ("로그인 화면에 다크 모드를 추가하고 설정에 저장해 주세요", False),
]


def begun(project: Project) -> None:
    """Work in a session up to `/clear`."""
    project.fire("SessionStart")
    project.fire("UserPromptSubmit", prompt=REQUEST)
    project.edit("src/parse.py")
    project.fire("TaskCreated", task_id="1", task_subject="Write tests for the rounding")
    plan = {"plan": "# Currencies of the invoices\n\nRead them.", "filePath": ""}
    project.fire("PostToolUse", tool_name="ExitPlanMode", tool_input={}, tool_response=plan)
    project.fire("Stop", last_assistant_message="The sums are right.\n\nNext: check the rates of each country.")
    project.settled()


def cleared(project: Project) -> None:
    """Type `/clear`."""
    project.fire("SessionEnd", reason="clear")
    project.fire("SessionStart", "two", source="clear")


@pytest.mark.parametrize(("first", "goes_on"), FIRST)
def test_a_request_about_other_work_gets_its_own_file(prepared: Project, first: str, *, goes_on: bool) -> None:
    """The work before stays open in its own file and is listed; Claude reads how to go on with it all the same."""
    begun(prepared)
    (path,) = prepared.state_files()
    cleared(prepared)
    context = prepared.fire("UserPromptSubmit", "two", prompt=first).out if first else ""
    prepared.edit("src/other.py", "two")
    prepared.fire("Stop", "two", last_assistant_message="The second answer.")
    prepared.settled()
    text = path.read_text()
    if goes_on:
        assert (prepared.state_files(), "holdfast continue" in context) == ([path], False)
        assert "The second answer." in text
        return
    (own,) = [one for one in prepared.state_files() if one != path]
    assert f"holdfast continue {ident(prepared)}" in context
    assert "The sums are right." in text
    assert "other.py" not in text
    assert "other.py" in own.read_text()
    rows = {row["id"]: row for row in json.loads(prepared.cli("list", "--json").out)}
    assert {row["status"] for row in rows.values()} == {"active"}
    assert len(rows) == 2


def ident(project: Project) -> str:
    """Return the id of the first session."""
    return next(str(row["id"]) for row in json.loads(project.cli("list", "--json").out) if row["id"] != "two")


@pytest.mark.parametrize("command", ["pause", "close"])
def test_work_that_was_put_away_stays_so_after_clear(prepared: Project, command: str) -> None:
    """What is paused or completed is not handed on: the next edit makes a file of its own."""
    begun(prepared)
    (path,) = prepared.state_files()
    done = prepared.cli(command, ident(prepared))
    assert done.code == 0, done.err
    status = path.read_text().partition("status:")[2].split("\n")[0]
    cleared(prepared)
    prepared.edit("src/other.py", "two")
    prepared.settled()
    assert "other.py" not in path.read_text()
    assert path.read_text().partition("status:")[2].split("\n")[0] == status
    assert len(prepared.state_files()) == 2


def test_claude_may_go_on_with_the_work_before(prepared: Project) -> None:
    """The line names a command that binds the session to the file before."""
    begun(prepared)
    (path,) = prepared.state_files()
    cleared(prepared)
    prepared.fire("UserPromptSubmit", "two", prompt="The customers want a chart with bars on the first page")
    prepared.cli("continue", ident(prepared), CLAUDE_CODE_SESSION_ID="two")
    prepared.edit("src/chart.py", "two")
    prepared.fire("Stop", "two", last_assistant_message="The chart has bars.")
    prepared.settled()
    assert prepared.state_files() == [path]
    assert "The chart has bars." in path.read_text()


def test_one_file_for_all_work_goes_on(prepared: Project) -> None:
    """Where a project keeps one state file for all of its work, other work goes into it, too."""
    put(prepared, ".gsd-lite/STATE.md", shapes.GSD_LITE[1])
    begun(prepared)
    cleared(prepared)
    context = prepared.fire("UserPromptSubmit", "two", prompt="The login page needs a dark mode soon").out
    assert "holdfast continue" not in context
