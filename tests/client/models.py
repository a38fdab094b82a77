"""A scripted model on loopback that logs what a client sends: the APIs of OpenAI (both) and of Gemini."""

from __future__ import annotations

import gzip
import itertools
import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

Json = dict[str, Any]
# What Gemini CLI is answered that asks for JSON: who speaks next, which model fits, and how to correct a failed edit.
_JUDGEMENT = json.dumps(
    {
        "reasoning": "",
        "next_speaker": "user",
        "complexity_reasoning": "",
        "complexity_score": 1,
        "model_choice": "flash",
        "search": "",
        "replace": "",
        "explanation": "",
        "noChangesRequired": False,
    }
)


@dataclass(frozen=True)
class Turn:
    """What the model says to one request: steps, and how many tokens the request came to."""

    steps: tuple[Json, ...]
    tokens: int = 1200


def say(words: str) -> Json:
    """Give a step in which the model says something."""
    return {"type": "text", "text": words}


def call(name: str, /, **arguments: object) -> Json:
    """Give a step in which the model calls a function."""
    return {"type": "call", "name": name, "arguments": arguments}


def custom(name: str, given: str) -> Json:
    """Give a step in which the model calls a tool that takes plain text."""
    return {"type": "custom", "name": name, "input": given}


class Models:
    """A server that plays turns to the client; use it as a context manager. A script that has run out says "Done."."""

    def __init__(self) -> None:
        """Take a free port; nothing is served before the context is entered."""
        self.log: list[Json] = []
        self._turns: list[Turn] = []
        self._played: list[tuple[Json, Turn]] = []
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        """Start to answer."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop to answer."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The address of the API."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def script(self, *turns: Turn | list[Json]) -> None:
        """Add turns to play."""
        with self._lock:
            self._turns.extend(turn if isinstance(turn, Turn) else Turn(tuple(turn)) for turn in turns)

    @property
    def requests(self) -> list[str]:
        """The requests to the model as texts, oldest first."""
        with self._lock:
            return [_text(body) for body in self.log]

    def answered(self, words: str) -> str:
        """Return the last request that was answered with a text of these words, as a text."""
        with self._lock:
            return next(_text(body) for body, turn in reversed(self._played) if words in json.dumps(turn.steps))

    def answer(self, body: Json) -> Turn:
        """Return the next turn for a request. One without tools, such as for a title, takes none from the script."""
        options = body.get("generationConfig") or {}
        if options.get("responseJsonSchema") or options.get("responseSchema"):
            return Turn((say(_JUDGEMENT),))
        with self._lock:
            self.log.append(body)
            compacts = "contents" not in body and "summary" in json.dumps(body)[-8000:].lower()
            plays = self._turns and (body.get("tools") or compacts)
            turn = self._turns.pop(0) if plays else Turn((say("Done."),))
            self._played.append((body, turn))
            return turn

    def name(self, kind: str) -> str:
        """Return a fresh id."""
        return f"{kind}_{next(self._numbers)}"


def _text(body: Json) -> str:
    return json.dumps(body, ensure_ascii=False).replace("\\n", "\n").replace('\\"', '"')


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, api: Models) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api = api


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(gzip.decompress(raw) if self.headers.get("Content-Encoding") == "gzip" else raw)
        api = cast("_Server", self.server).api
        kind = self.path.partition("?")[0].rpartition(":")[2]
        if kind == "countTokens":
            self._send("application/json", '{"totalTokens": 1000}')
        elif kind == "generateContent":
            self._send("application/json", json.dumps(_content(api.answer(body))))
        elif kind == "streamGenerateContent":
            self._stream(iter([f"data: {json.dumps(_content(api.answer(body)))}\n\n"]))
        elif self.path.endswith("/responses"):
            self._stream(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in _events(api, api.answer(body)))
        elif self.path.endswith("/chat/completions") and body.get("stream"):
            whole = [*(f"data: {json.dumps(one)}\n\n" for one in _chunks(api, api.answer(body))), "data: [DONE]\n\n"]
            self._stream(iter(whole))
        elif self.path.endswith("/chat/completions"):
            self._send("application/json", json.dumps(_completion(api, api.answer(body))))
        else:
            self._send("application/json", "{}", 404)

    def do_GET(self) -> None:
        models = {"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []}
        self._send("application/json", json.dumps(models), 200 if self.path.endswith("/models") else 404)

    def log_message(self, *_: object) -> None:
        """Keep the output of the tests clean."""

    def _stream(self, lines: Iterator[str]) -> None:
        self._send("text/event-stream", "".join(lines))

    def _send(self, kind: str, words: str, status: int = 200) -> None:
        data = words.encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:  # the client was killed while it waited
            self.close_connection = True


def _events(api: Models, turn: Turn) -> Iterator[Json]:
    """Yield a turn as the events of a Responses stream."""
    ident = api.name("resp")
    yield {"type": "response.created", "response": {"id": ident, "status": "in_progress", "output": []}}
    output = [_item(api, step) for step in turn.steps]
    for index, item in enumerate(output):
        yield {"type": "response.output_item.added", "output_index": index, "item": item}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    usage: Json = {"input_tokens": turn.tokens, "output_tokens": 10, "total_tokens": turn.tokens + 10}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    done = {"id": ident, "status": "completed", "output": output, "usage": usage}
    yield {"type": "response.completed", "response": done}


def _item(api: Models, step: Json) -> Json:
    if step["type"] == "text":
        content = [{"type": "output_text", "text": step["text"], "annotations": []}]
        return {
            "id": api.name("msg"),
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    common = {"id": api.name("call"), "call_id": api.name("call"), "name": step["name"], "status": "completed"}
    if step["type"] == "custom":
        return {**common, "type": "custom_tool_call", "input": step["input"]}
    return {**common, "type": "function_call", "arguments": json.dumps(step["arguments"])}


def _message(api: Models, turn: Turn) -> Json:
    """Return a turn as a message of Chat Completions."""
    words = "".join(step["text"] for step in turn.steps if step["type"] == "text")
    calls = [
        {
            "index": index,
            "id": api.name("call"),
            "type": "function",
            "function": {"name": step["name"], "arguments": json.dumps(step["arguments"])},
        }
        for index, step in enumerate(step for step in turn.steps if step["type"] == "call")
    ]
    return {"role": "assistant", "content": words, **({"tool_calls": calls} if calls else {})}


def _usage(turn: Turn) -> Json:
    return {"prompt_tokens": turn.tokens, "completion_tokens": 10, "total_tokens": turn.tokens + 10}


def _completion(api: Models, turn: Turn) -> Json:
    message = _message(api, turn)
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
    ident = {"id": api.name("chat"), "created": 1, "model": "scripted", "object": "chat.completion"}
    return {**ident, "choices": [choice], "usage": _usage(turn)}


def _chunks(api: Models, turn: Turn) -> Iterator[Json]:
    message = _message(api, turn)
    base = {"id": api.name("chat"), "created": 1, "model": "scripted", "object": "chat.completion.chunk"}
    reason = "tool_calls" if "tool_calls" in message else "stop"
    yield {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield {**base, "choices": [], "usage": _usage(turn)}


def _content(turn: Turn) -> Json:
    """Return a turn as Gemini's API has it."""
    parts = [
        {"text": step["text"]}
        if step["type"] == "text"
        else {"functionCall": {"name": step["name"], "args": step["arguments"]}}
        for step in turn.steps
    ]
    usage = {"promptTokenCount": turn.tokens, "candidatesTokenCount": 10, "totalTokenCount": turn.tokens + 10}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
