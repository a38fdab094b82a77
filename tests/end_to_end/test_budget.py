"""The real client: what the budget says after turns, tools, subagents, compactions, resumes and forks, to the token."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.client.api import Api, Request, text, text_of, tool
from tests.client.steps import command, listed, new, write
from tests.client.wire import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.client.claude import Claude

pytestmark = pytest.mark.timeout(240)
CHILD = "CHILD: look around in the whole house"
OUTPUT = 10  # what the scripted API says of every answer


class Weighed(Answer):
    """An answer whose request has numbers of its own; `input_tokens` is what all of them come from."""

    @property
    def parts(self) -> dict[str, int]:
        """What the budget is to say of it."""
        count = self.input_tokens
        return {"fresh": 1000 + count, "cache_write": 20_000 + 2 * count, "cache_read": 3000 + 3 * count}

    def whole(self, model: str) -> dict[str, Any]:
        """Give the message in one piece, with these numbers."""
        fresh, written, cached = self.parts.values()
        usage = {"cache_creation_input_tokens": written, "cache_read_input_tokens": cached, "output_tokens": OUTPUT}
        return {**super().whole(model), "usage": {"input_tokens": fresh, **usage}}


class Scale(Api):
    """An API that weighs every request differently, and knows what the last one of each conversation weighed."""

    def __init__(self) -> None:
        super().__init__()
        self.last: dict[str, dict[str, int]] = {}  # by the marker of the conversation
        self.count = 0

    def _answer(self, path: str, session: str, body: dict[str, Any]) -> Answer:
        answer = super()._answer(path, session, body)
        self.count += 1
        weighed = Weighed(answer.id, answer.blocks, self.count)
        request = Request(path, session, body)
        if request.kind == "main":
            self.last[self._marker_of(request)] = weighed.parts
        return weighed


@pytest.fixture
def api() -> Iterator[Scale]:
    """Give a running API that weighs what it is sent."""
    with Scale() as running:
        yield running


def budget(client: Claude, session: str) -> dict[str, Any]:
    """Return what the command says of a session."""
    found = json.loads(command(client, "budget", session, "--json"))
    assert isinstance(found, dict)
    assert found["id"] == session
    return found


def agrees(client: Claude, session: str, api: Scale) -> None:
    """Check that the budget is what the last request of the conversation weighed."""
    found, wanted = budget(client, session), api.last[""]
    assert {name: found[name] for name in wanted} == wanted
    assert (found["used"], found["output"], found["compacted"]) == (sum(wanted.values()), OUTPUT, False)


def test_after_turns_tools_and_subagents(ready: Claude, api: Scale) -> None:
    """The last request of the main conversation counts, be there tools or whole conversations of subagents after it."""
    session = new()
    ready.run("Begin", session_id=session)
    agrees(ready, session, api)
    bash = tool("Bash", command="echo one", description="Say it")
    api.script([text("I look."), bash, bash], [write(ready, "a.py")], [text("Done.")])
    ready.run("Use tools", resume=session)
    agrees(ready, session, api)
    api.script([tool("Bash", command="echo two", description="Say it")], [text("Looked.")], marker=CHILD)
    agent = tool("Agent", description="Look", prompt=CHILD, subagent_type="general-purpose")
    api.script([text("I delegate."), agent], [text("Delegated.")])
    ready.run("Delegate", resume=session)
    assert api.last[CHILD] != api.last[""]
    agrees(ready, session, api)


def test_after_a_compaction_and_the_turn_that_follows(ready: Claude, api: Scale) -> None:
    """What the compaction left counts until the next request is weighed."""
    session = new()
    for number in range(6):
        ready.run(f"Turn {number}", session_id=None if number else session, resume=session if number else None)
    before = budget(ready, session)
    ready.run("/compact", resume=session)
    assert len(api.compaction_requests()) == 1
    lines = [json.loads(line) for line in ready.transcript(session).read_text().splitlines()]
    (left,) = [line["compactMetadata"]["postTokens"] for line in lines if line.get("subtype") == "compact_boundary"]
    after = budget(ready, session)
    assert (after["used"], after["compacted"], after["model"]) == (left, True, before["model"])
    assert 0 < after["used"] < before["used"]
    assert "what the compaction left" in command(ready, "budget", session)
    ready.run("Go on", resume=session)
    agrees(ready, session, api)


def test_a_fork_has_a_budget_of_its_own(ready: Claude, api: Scale) -> None:
    """A fork's budget is that of its own last request, and the session that it was forked from keeps the one it had."""
    session = new()
    ready.run("Begin", session_id=session)
    first = budget(ready, session)
    ready.run("Go another way", resume=session, args=["--fork-session"])
    (fork,) = set(listed(ready)) - {session}
    agrees(ready, fork, api)
    assert budget(ready, fork)["used"] > first["used"]
    assert budget(ready, session) == first


@pytest.mark.parametrize(
    ("model", "extra"),
    [("", {}), ("claude-sonnet-4-5", {}), ("claude-opus-4-6[1m]", {}), ("", {"CLAUDE_CODE_DISABLE_1M_CONTEXT": "1"})],
)
def test_the_window_is_the_one_that_the_client_has(
    ready: Claude, client_version: str, model: str, extra: dict[str, str]
) -> None:
    """The default model, an older one, one with the mark, and the client's own switch: the client says the same.

    An old client leaves the mark out of its transcript: there the window is the small one until more than that is used.
    """
    session, unmarked = new(), client_version == "2.1.197" and "[" in model
    ready.extra.update(extra)
    arguments = ["--output-format", "json", *(["--model", model] if model else [])]
    done = ready.run("Begin", session_id=session, args=arguments)
    (used,) = json.loads(done.stdout)["modelUsage"].values()
    assert budget(ready, session)["window"] == (200_000 if unmarked else used["contextWindow"])


def test_claudes_own_shell_is_informed_of_its_session(ready: Claude, api: Scale) -> None:
    """Typed by Claude, the command means Claude's session, whichever others are there."""
    for prompt in ("Something else", "Begin"):
        session = new()
        ready.run(prompt, session_id=session)
    api.script([tool("Bash", command="holdfast budget", description="See")], [text("Seen.")])
    ready.run("How full is it?", resume=session)
    reported = text_of(api.main_requests()[-1])
    assert f"Session: How full is it? ({session})" in reported
    assert "← YOU ARE HERE" in reported


def test_claude_is_informed_once_that_the_zone_got_worse(ready: Claude, api: Scale) -> None:
    """The prompt after the request that entered a zone brings one sentence along; after a compaction it may again."""
    sentence = "tokens (24%): the deliberate zone. Strategy of this project: focused loading, justify additions."
    ready.extra["HOLDFAST_WINDOW_TOKENS"] = "100000"  # of which each request holds a bit more than 24,000
    session, reported = new(), []
    for number in range(5):
        ready.run(f"Turn {number}", session_id=None if number else session, resume=session if number else None)
        reported.append(text_of(api.main_requests()[-1]).count(sentence))
    assert reported == [0, 1, 1, 1, 1]
    ready.run("/compact", resume=session)
    again = []
    for words in ("Go on", "And on"):
        ready.run(words, resume=session)
        again.append(text_of(api.main_requests()[-1]).count(sentence))
    assert again[1] == again[0] + 1
