"""The harness itself: what a test may rely on, shown with a plugin of two hooks."""

from __future__ import annotations

import json
import signal
import uuid
from typing import TYPE_CHECKING

import pytest

from .api import FULL, HEAVY, Api, Hold, Request, Weigh, text, text_of, tool
from .claude import Claude, kill
from .wire import Fail

if TYPE_CHECKING:
    from pathlib import Path

START_REPLY = {
    "systemMessage": "two hooks are here",
    "hookSpecificOutput": {
        "hookEventName": "SessionStart",
        "additionalContext": "the tide is high",
    },
}


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """Give a plugin that speaks at SessionStart and steers a compaction."""
    folder = tmp_path / "plugin"
    manifest = {"name": "two", "version": "1.0.0", "description": "Two hooks."}
    replies = {"SessionStart": json.dumps(START_REPLY), "PreCompact": "keep the anchor"}
    for place in (".claude-plugin", "hooks"):
        (folder / place).mkdir(parents=True)
    (folder / ".claude-plugin" / "plugin.json").write_text(json.dumps(manifest))
    hooks = {event: [{"hooks": [_echo(reply)]}] for event, reply in replies.items()}
    (folder / "hooks" / "hooks.json").write_text(json.dumps({"hooks": hooks}))
    return folder


@pytest.fixture
def claude(claude: Claude, plugin: Path) -> Claude:
    """Give the client with the plugin of two hooks."""
    claude.plugin_dir = plugin
    return claude


def _echo(words: str) -> dict[str, object]:
    return {"type": "command", "command": "printf", "args": ["%s", words]}


def test_session_start_reaches_the_model_and_is_recorded(claude: Claude, api: Api) -> None:
    """What a hook adds at SessionStart is in the first request, and its cost in the transcript."""
    session = str(uuid.uuid4())
    done = claude.run("hello", session_id=session)
    assert (done.returncode, done.stdout.strip()) == (0, "Done."), done.stderr
    assert "the tide is high" in text_of(api.main_requests()[0])
    assert api.main_requests()[0].session == session
    assert [run.hook for run in claude.hook_runs(session)] == ["SessionStart:startup"]


def test_a_batch_of_tools_is_carried_out(claude: Claude, api: Api, project: Path) -> None:
    """Every block of a turn is executed for real."""
    one, two = project / "one.txt", project / "two.txt"
    api.script(
        [
            tool("Write", file_path=str(one), content="1\n"),
            tool("Bash", command="echo 2 > two.txt", description="Write two"),
        ],
        [text("written")],
    )
    assert claude.run("write").stdout.strip() == "written"
    assert (one.read_text(), two.read_text()) == ("1\n", "2\n")


def test_tools_the_client_hides_can_be_called(claude: Claude, api: Api) -> None:
    """A later client shows the model few tools at first, but carries out a call of any."""
    api.script([tool("TaskCreate", subject="Sail", description="Round the cape")])
    claude.run("plan")
    assert "Task #1 created" in text_of(api.main_requests()[-1])


def test_a_subagent_has_a_script_of_its_own(claude: Claude, api: Api, project: Path) -> None:
    """A marker in its prompt tells a subagent's requests from those of its parent."""
    task = tool("Agent", description="Look", prompt="LOOKOUT: go up", subagent_type="general-purpose")
    api.script([task], [text("sent")])
    written = project / "seen.txt"
    api.script([tool("Write", file_path=str(written), content="land\n")], marker="LOOKOUT")
    claude.run("send one up")
    assert written.read_text() == "land\n"
    assert "LOOKOUT" in api.main_requests("LOOKOUT")[0].opening
    assert "LOOKOUT" not in api.main_requests()[0].opening


def test_a_compaction_is_seen_and_summarised(claude: Claude, api: Api) -> None:
    """The compaction request shows what a hook printed; the scripted summary comes after it."""
    session = str(uuid.uuid4())
    api.summary = "<summary>We were at sea.</summary>"
    claude.run("one", session_id=session)
    for prompt in ("two", "three", "/compact mind the rocks", "four"):
        claude.run(prompt, resume=session)
    (request,) = api.compaction_requests()
    assert "mind the rocks" in text_of(request)
    assert "keep the anchor" in text_of(request)
    assert "We were at sea." in text_of(api.main_requests()[-1])


def test_one_process_is_given_prompt_after_prompt(claude: Claude, api: Api) -> None:
    """Each prompt has its own lines, which end with its result, and all of them are one session."""
    session = str(uuid.uuid4())
    api.script([text("ahoy")], [text("fair winds")])
    with claude.conversation(session) as talk:
        stated = [talk.say(prompt) for prompt in ("hail them", "and now")]
    assert [lines[-1]["result"] for lines in stated] == ["ahoy", "fair winds"]
    assert [line for lines in stated for line in lines] == talk.lines[: sum(map(len, stated))]
    assert {request.session for request in api.main_requests()} == {session}
    with claude.conversation(resume=session) as talk:
        talk.say("again")
    assert "ahoy" in text_of(api.main_requests()[-1])


def test_a_conversation_that_ended_says_so(claude: Claude) -> None:
    """A client that cannot start, or is gone, is a failure with its last words, not a wait without an end."""
    with claude.conversation(args=["--no-such-option"]) as talk, pytest.raises(EOFError, match="no-such-option"):
        talk.say("hello")


@pytest.mark.parametrize("amid", [False, True])
def test_a_client_compacts_by_itself(claude: Claude, api: Api, amid: bool) -> None:  # noqa: FBT001 - a case
    """After an answer that fills the window: before the next request, be it in the same turn or at a new prompt."""
    claude.extra.update(FULL)
    look = [tool("Bash", command="echo land", description="Look")] if amid else []
    api.script([text("one")], [text("two")], [Weigh(HEAVY), text("three"), *look])
    with claude.conversation() as talk:
        for prompt in ("first", "second", "third"):
            assert api.compaction_requests() == []
            talk.say(prompt)
        assert len(api.compaction_requests()) == amid
        talk.say("fourth")
    assert [request.kind for request in api.log if request.kind != "side"][3:5] == ["compaction", "main"]
    assert "keep the anchor" in text_of(api.compaction_requests()[0])


def test_summaries_are_scripted_fail_or_are_made_from_the_request(claude: Claude, api: Api) -> None:
    """Those that were scripted come first; then what is for all: a text, a failure, or what makes one."""

    def made(request: Request) -> str:
        return f"<summary>Heard of the anchor: {'keep the anchor' in text_of(request)}.</summary>"

    claude.extra["CLAUDE_CODE_MAX_RETRIES"] = "0"
    api.summarise("<summary>We were at sea.</summary>")
    results = []
    with claude.conversation() as talk:
        for api.summary in ("never asked for", Fail(400, "no wind"), made):
            results += [talk.say(prompt)[-1]["result"] for prompt in ("go on", "and on", "/compact")]
        talk.say("at last")
    assert "We were at sea." in text_of(api.compaction_requests()[1])
    assert ["no wind" in result for result in results[2::3]] == [False, True, False]
    assert "Heard of the anchor: True." in text_of(api.main_requests()[-1])


def test_a_client_can_be_killed_while_it_waits(claude: Claude, api: Api) -> None:
    """A held answer keeps the client waiting until the test kills it or lets it go on."""
    first, second = Hold(), Hold()
    api.script([first, text("never")], [second, text("at last")])
    killed = claude.start("wait")
    assert first.reached.wait(30)
    kill(killed)
    assert killed.returncode == -signal.SIGKILL
    freed = claude.start("wait again")
    assert second.reached.wait(30)
    second.release.set()
    assert freed.communicate(timeout=30)[0].strip() == "at last"


def test_the_environment_is_closed(claude: Claude, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the caller's environment reaches the client but the PATH it is given."""
    monkeypatch.setenv("STOWAWAY", "here")
    claude.path = f"/nowhere/first:{claude.path}"
    api.script([tool("Bash", command='echo "[$STOWAWAY] $PATH"', description="Look")])
    claude.run("look")
    assert "[] /nowhere/first:" in text_of(api.main_requests()[-1])


def test_a_terminal_shows_what_a_person_would_see(claude: Claude, api: Api) -> None:
    """Prompts are typed, answers and hook messages are read, and the end is awaited."""
    api.script([text("ahoy")], [text("fair winds")])
    with claude.terminal() as terminal:
        terminal.wait_for("two hooks are here")
        terminal.send("hail them")
        terminal.wait_for("ahoy")
        terminal.send("/clear")
        terminal.send("and now")
        terminal.wait_for("fair winds")
        terminal.send("/exit")
        terminal.wait_closed()
    assert len(api.main_requests()) == 2
