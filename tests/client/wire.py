"""The wire form of the Messages API: HTTP on loopback, and messages as server-sent events."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Json = dict[str, Any]

MESSAGES = "/v1/messages"
COUNT = "/v1/messages/count_tokens"


@dataclass(frozen=True)
class Fail:
    """A step at which the request fails: with this status, and these words for the client."""

    status: int = 500
    message: str = "scripted failure"

    @property
    def body(self) -> Json:
        """Give what is in such an answer."""
        return {"type": "error", "error": {"type": "api_error", "message": self.message}}


@dataclass(frozen=True)
class Answer:
    """What the model says to one request."""

    id: str
    blocks: list[Json]
    input_tokens: int
    failure: Fail | None = None

    def whole(self, model: str) -> Json:
        """Give the message in one piece."""
        return {
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": self.blocks,
            "stop_reason": self._stop_reason,
            "stop_sequence": None,
            "usage": {"input_tokens": self.input_tokens, "output_tokens": 10},
        }

    def events(self, model: str) -> Iterator[Json]:
        """Give the message as the events of a stream."""
        empty = {**self.whole(model), "content": [], "stop_reason": None}
        yield {"type": "message_start", "message": empty}
        for index, block in enumerate(self.blocks):
            start, *deltas = _parts(block)
            yield {"type": "content_block_start", "index": index, "content_block": start}
            yield from ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
            yield {"type": "content_block_stop", "index": index}
        stop = {"stop_reason": self._stop_reason, "stop_sequence": None}
        yield {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 10}}
        yield {"type": "message_stop"}

    @property
    def _stop_reason(self) -> str:
        return "tool_use" if any(b["type"] == "tool_use" for b in self.blocks) else "end_turn"


def _parts(block: Json) -> tuple[Json, ...]:
    """Give a block as it begins, and what is added to it."""
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    if block["type"] == "thinking":
        added = [{"type": f"{key}_delta", key: block[key]} for key in ("thinking", "signature")]
        return {**block, "thinking": "", "signature": ""}, *added
    words = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": words}


class Server(ThreadingHTTPServer):
    """A server on a free port of this machine that asks one function for every answer."""

    daemon_threads = True

    def __init__(self, answer: Callable[[str, str, Json], Answer]) -> None:
        """Take the port; `answer` is given the path, the session id and the parsed body."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        if path not in (MESSAGES, COUNT):
            self._reply({})
            return
        body = json.loads(raw)
        session = self.headers.get("X-Claude-Code-Session-Id", "")
        answer = cast("Server", self.server).answer(path, session, body)
        model = str(body.get("model"))
        if path == COUNT:
            self._reply({"input_tokens": answer.input_tokens})
        elif answer.failure:
            self._reply(answer.failure.body, answer.failure.status)
        elif body.get("stream"):
            lines = (f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in answer.events(model))
            self._send("text/event-stream", "".join(lines))
        else:
            self._reply(answer.whole(model))

    def do_GET(self) -> None:
        self._reply({})

    def do_HEAD(self) -> None:
        self._send("application/json", "")

    def log_message(self, *_: object) -> None:
        """Keep the output of the tests clean."""

    def _reply(self, value: Json, status: int = 200) -> None:
        self._send("application/json", json.dumps(value), status)

    def _send(self, kind: str, words: str, status: int = 200) -> None:
        data = words.encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            # The client was killed while it waited, as some tests want.
            self.close_connection = True
