"""The real client: a plan that the user accepts in the terminal is found again."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest

from tests.client.api import text, text_of, tool
from tests.client.steps import new
from tests.support.plugin import facts, settled, state_files

if TYPE_CHECKING:
    from tests.client.api import Api
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
