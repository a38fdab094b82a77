"""The real client: an accepted plan is found again, and so are tasks that a resumed session lost."""

from __future__ import annotations

import re
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from tests.client.api import text, text_of, tool
from tests.client.steps import new
from tests.support.plugin import facts, settled, state_files

if TYPE_CHECKING:
    from tests.client.api import Api, Turn
    from tests.client.claude import Claude

pytestmark = [pytest.mark.timeout(240), pytest.mark.slow]


def test_an_accepted_plan_is_named_in_state_and_brief(ready: Claude, api: Api) -> None:
    """Its file is the one that the client chose; the next session learns of it, and so does this one, resumed."""
    session = new()
    api.script([text("Which rates?")])
    with ready.terminal("--session-id", session, "--permission-mode", "plan", ready="plan mode on") as terminal:
        terminal.send("Fix the tax")
        terminal.wait_for("Which rates?")
        request = api.main_requests()[0]
        (plan,) = {*re.findall(r"/\S*/plans/[\w-]+\.md", text_of(request))}
        written = tool("Write", file_path=plan, content="# Round the rates\n\n1. Read them\n")
        api.script([written], [tool("ExitPlanMode")], [text("The plan is accepted.")])
        terminal.send("Those of this year")
        terminal.wait_for("Would you like to proceed?")
        time.sleep(1.5)  # the client takes no key for a question that has just appeared
        terminal.type("1")
        terminal.wait_for("The plan is accepted.")
        terminal.send("/exit")
        terminal.wait_closed()
    settled(ready.project, session)
    (fact,) = facts(ready.project, session, "plan")
    named = f'"Round the rates" ({fact["path"]})'
    assert fact["path"] == plan.replace(str(ready.home), "~")
    (state,) = state_files(ready.project)
    assert f"- Follow the plan {named}\n" in state.read_text()
    for prompt, resumed, line in (("What is open?", "", f"Plan: {named}"), ("Go on", session, f"- {named}")):
        api.script([text("Going on.")])
        assert ready.run(prompt, resume=resumed or None, session_id=None if resumed else new()).returncode == 0
        assert line in text_of(api.main_requests()[-1])


def test_tasks_that_a_resumed_session_lost_are_offered(ready: Claude, api: Api) -> None:
    """The client resumes with its list as a rule; without it the model gets the open tasks."""
    session = new()
    tasks: Turn = [tool("TaskCreate", subject=name, description=name) for name in ("Read the rates", "Round them")]
    api.script(tasks, [tool("TaskUpdate", taskId="1", status="completed")], [text("Begun.")])
    assert ready.run("Fix the tax", session_id=session).returncode == 0
    offered = []
    for gone in (False, True):
        if gone:
            shutil.rmtree(ready.config / "tasks" / session)
        api.script([text("Going on.")])
        assert ready.run("Go on", resume=session).returncode == 0
        found = text_of(api.main_requests()[-1]).rpartition("<holdfast-")[2]
        offered.append(found.partition("(TaskCreate adds them again)\n")[2].partition("\n\n")[0])
    assert offered == ["", "- Round them"]
