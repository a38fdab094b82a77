"""A scripted Messages API on loopback, which logs everything the client sends to the model."""

from __future__ import annotations

import itertools
import json
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from .wire import COUNT, Answer, Fail, Json, Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

COMPACTION_MARK = "create a detailed summary"
HOLD_LIMIT = 120.0
FULL = {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}  # the least that the client takes for its window
HEAVY = 90_000  # tokens that are too many for it


def text(words: str) -> Json:
    """Give a block in which the model says something."""
    return {"type": "text", "text": words}


def tool(name: str, /, **arguments: object) -> Json:
    """Give a block in which the model calls a tool."""
    return {"type": "tool_use", "name": name, "input": arguments}


@dataclass(frozen=True)
class Hold:
    """A step at which the answer waits: `reached` tells the test, `release` lets it go on."""

    reached: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Weigh:
    """A step that says how many tokens this request came to, whatever `Api.input_tokens` says."""

    tokens: int


Turn = list[Json | Hold | Weigh | Fail]
Summary = str | Fail


@dataclass(frozen=True)
class Request:
    """One request of the client: where it went, for which session, and its parsed body."""

    path: str
    session: str
    body: Json

    @property
    def opening(self) -> str:
        """The text of the first message, by which a conversation is distinguished from another."""
        return flatten(self.body.get("messages", [])[:1])

    @property
    def kind(self) -> str:
        """One of main (a conversation that has tools), compaction, side and count."""
        if self.path == COUNT:
            return "count"
        users = [m for m in self.body.get("messages", []) if m.get("role") == "user"]
        if COMPACTION_MARK in flatten(users[-1:]):
            return "compaction"
        return "main" if self.body.get("tools") else "side"


def flatten(value: object) -> str:
    """Give every text inside a message, a block or a list of them, one per line."""
    return "\n".join(_texts(value))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        yield from _texts([value.get("text"), value.get("content")])
        if "input" in value:
            yield json.dumps(value["input"], ensure_ascii=False)


def text_of(request: Request) -> str:
    """Give all text that reached the model in a request: system prompt and messages."""
    return flatten([request.body.get("system"), request.body.get("messages")])


class Api:
    """A server that plays scripts to the client; use it as a context manager.

    A script that has run out answers "Done.". A compaction is answered by the next of those that
    `summarise` was given, then by `summary`: a text, a failure, or what makes one from the request.

    A client whose environment has FULL compacts by itself after an answer of a `Weigh(HEAVY)`: in
    the middle of a turn where the answer calls a tool, else at the next prompt. It needs two
    answers before that one, and gives up where three compactions come within a few requests.
    """

    def __init__(self) -> None:
        """Take a free port; nothing is served before the context is entered."""
        self.summary: Summary | Callable[[Request], Summary] = "<summary>Earlier work, summarised.</summary>"
        self.input_tokens = 1000
        self.log: list[Request] = []
        self._scripts: dict[str, list[Turn]] = {}
        self._summaries: list[Summary] = []
        self._lock = threading.RLock()  # what makes a summary may ask for the requests
        self._numbers = itertools.count(1)
        self._closing = threading.Event()
        self._server = Server(self._answer)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        """Start to answer."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop to answer, and let every held answer go."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The address for ANTHROPIC_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def script(self, *turns: Turn, marker: str = "") -> None:
        """Add turns to play; with a marker, only to conversations whose first message has it."""
        with self._lock:
            self._scripts.setdefault(marker, []).extend(turns)

    def summarise(self, *answers: Summary) -> None:
        """Add what the next compactions are answered with, one by one."""
        with self._lock:
            self._summaries.extend(answers)

    def main_requests(self, marker: str = "") -> list[Request]:
        """Give the requests answered from the main script, or from the one with this marker."""
        return [r for r in self.requests("main") if self._marker_of(r) == marker]

    def compaction_requests(self) -> list[Request]:
        """Give the requests that asked for a summary of the conversation."""
        return self.requests("compaction")

    def requests(self, kind: str) -> list[Request]:
        """Give the logged requests of one kind, in order of arrival."""
        with self._lock:
            return [r for r in self.log if r.kind == kind]

    def _answer(self, path: str, session: str, body: Json) -> Answer:
        request = Request(path, session, body)
        with self._lock:
            self.log.append(request)
            turn = self._next_turn(request)
        return self._played(turn)

    def _played(self, turn: Turn) -> Answer:
        blocks: list[Json] = []
        tokens, failure = self.input_tokens, None
        for step in turn:
            if isinstance(step, Hold):
                step.reached.set()
                self._wait(step.release)
            elif isinstance(step, Weigh):
                tokens = step.tokens
            elif isinstance(step, Fail):
                failure = step
            else:
                blocks.append({**step, "id": self._id("toolu")} if step["type"] == "tool_use" else step)
        return Answer(self._id("msg"), blocks, tokens, failure)

    def _id(self, kind: str) -> str:
        return f"{kind}_{next(self._numbers):024d}"

    def _marker_of(self, request: Request) -> str:
        found = [marker for marker in self._scripts if marker in request.opening]
        return max(found, key=len, default="")

    def _next_turn(self, request: Request) -> Turn:
        if request.kind == "compaction":
            answer = self._summaries.pop(0) if self._summaries else self.summary
            made = answer(request) if callable(answer) else answer
            return [made if isinstance(made, Fail) else text(made)]
        if request.kind != "main":
            return [text("ok")]
        script = self._scripts.get(self._marker_of(request))
        return script.pop(0) if script else [text("Done.")]

    def _wait(self, release: threading.Event) -> None:
        end = time.monotonic() + HOLD_LIMIT
        while not (release.wait(0.05) or self._closing.is_set() or time.monotonic() > end):
            pass
