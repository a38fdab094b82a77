"""What was meant, through the real client: who is asked to write it down, and who is given what others know."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.client.api import text, text_of, tool
from tests.client.steps import command, new, write
from tests.support.plugin import settled

if TYPE_CHECKING:
    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = [pytest.mark.timeout(240), pytest.mark.slow]

ASKS = "has not been written by Claude"
GAVE_UP = "I tried `threading` for src/parser.py first, but it deadlocked, so I took it out again."


def _librarian(client: Claude, value: str) -> None:
    (client.project / ".agents/holdfast.toml").write_text(f'librarian = "{value}"\n')
    command(client, "trust", "--yes")


def _asked(api: Api) -> list[bool]:
    return [ASKS in text_of(request) for request in api.main_requests()]


def _turn(client: Claude, api: Api, session: str, number: int) -> None:
    api.script([write(client, f"src/part{number}.py")], [text(f"Part {number} is done. Next: part {number + 1}.")])
    known, resumed = (session, None) if number == 1 else (None, session)
    done = client.run(f"Write part {number} of the parser", session_id=known, resume=resumed)
    assert done.returncode == 0, done.stderr
    settled(client.project, session)


@pytest.mark.parametrize(("value", "asked"), [("prompt", [False] * 6 + [True]), ("off", [False] * 7)])
def test_the_fourth_prompt_asks_unless_that_is_off(ready: Claude, api: Api, value: str, asked: list[bool]) -> None:
    """After three prompts with edits of which the model wrote nothing down."""
    _librarian(ready, value)
    session = new()
    for number in (1, 2, 3):
        _turn(ready, api, session, number)
    api.script([text("Wrote it down.")])
    ready.run("And part 4?", resume=session)
    assert _asked(api) == asked


def test_a_turn_of_its_own_asks_at_once_and_only_once(ready: Claude, api: Api) -> None:
    """In a terminal, where nobody else reads the answer; the client shows what the hook says, and stops after it."""
    _librarian(ready, "turn")
    with ready.terminal("--session-id", session := new()) as terminal:
        for number in (1, 2, 3):
            api.script([write(ready, f"src/part{number}.py")], [text(f"Part {number} is done now.")])
            if number == 3:
                api.script([text("I wrote it down.")])
            terminal.send(f"Write part {number} of the parser")
            terminal.wait_for(f"Part {number} is done now.")
            settled(ready.project, session)
        terminal.send("Is it all?")
        terminal.wait_for("Stop hook says" if any(_asked(api)) else "Done.")
        terminal.send("/exit")
    settled(ready.project, session)
    assert sum(ASKS in json.dumps(request.body["messages"][-1]) for request in api.main_requests()) == 1


def test_an_edit_of_a_file_with_a_given_up_attempt_is_preceded_by_a_line(ready: Claude, api: Api) -> None:
    """Once for each session."""
    first, second = new(), new()
    api.script([write(ready, "src/parser.py")], [text(GAVE_UP)])
    ready.run("Make the parser faster", session_id=first)
    settled(ready.project, first)
    api.script(
        [write(ready, "src/parser.py", "y = 1\n")], [write(ready, "src/parser.py", "z = 1\n")], [text("Faster.")]
    )
    api.script()
    ready.run("Use threads in the parser", session_id=second)
    requests = [request for request in api.main_requests() if "Use threads" in request.opening]
    given = [text_of(request).count("src/parser.py, in another session:") for request in requests]
    assert given[:3] == [0, 1, 1]
    assert "it deadlocked" in text_of(requests[1])


def test_a_subagent_and_an_agent_of_its_kind_are_given_the_reports(ready: Claude, api: Api) -> None:
    """The second subagent has what the first one reported, and `claude --agent` what its kind reported before."""
    session = new()
    api.script([text("The lexer has no tests for tabs.")], marker="LOOK")
    api.script([text("Written.")], marker="WRITE")
    look = tool("Agent", description="Look at the lexer", prompt="LOOK around", subagent_type="general-purpose")
    more = tool("Agent", description="Write tests", prompt="WRITE tests", subagent_type="general-purpose")
    api.script([look], [text("Looked.")])
    ready.run("Delegate", session_id=session)
    settled(ready.project, session)
    api.script([more], [text("Both are done.")])
    ready.run("Delegate the rest", resume=session)
    (theirs,) = api.main_requests("WRITE")[:1]
    assert "general-purpose, Look at the lexer: The lexer has no tests for tabs." in text_of(theirs)
    agents = ready.project / ".claude/agents"
    agents.mkdir(parents=True)
    (agents / "reviewer.md").write_text("---\nname: reviewer\ndescription: reviews\n---\nYou review.\n")
    api.script([text("Line 4 leaks a handle.")], marker="REVIEW")
    ask = tool("Agent", description="Review the lexer", prompt="REVIEW it", subagent_type="reviewer")
    api.script([ask], [text("Reviewed.")])
    ready.run("Have it reviewed", session_id=(again := new()))
    settled(ready.project, again)
    api.script([text("Going on.")])
    ready.run("Go on reviewing", session_id=new(), args=["--agent", "reviewer"])
    own = next(one for one in api.main_requests() if "Go on reviewing" in one.opening)
    assert "What agents of this kind have to do here, and what they reported" in text_of(own)
    assert "reviewer, Review the lexer: Line 4 leaks a handle." in text_of(own)
