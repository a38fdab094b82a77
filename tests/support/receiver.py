"""A receiver of webhooks on the loopback that answers as it is told: it drops, delays, redirects, repeats, and lies."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

# What it does with a request, by name; anything else is a status.
DROP, DRIP, LONG, SHORT, NOISE, MOVED = "drop", "drip", "long", "short", "noise", "moved"
RAW = "raw:"  # before the very bytes of an answer


@dataclass
class Receiver:
    """What a receiver got, and what it does next: each answer of the plan once, then 200 for ever."""

    port: int
    plan: list[str] = field(default_factory=list)
    got: list[tuple[dict[str, str], str]] = field(default_factory=list)  # headers and body of what it accepted
    tries: int = 0
    other: list[str] = field(default_factory=list)  # paths that it was led to by a redirect

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}/hook"


@contextlib.contextmanager
def receiver(*plan: str) -> Iterator[Receiver]:
    """Give a receiver that follows the plan."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    known = Receiver(server.server_address[1], list(plan))
    server.known = known  # type: ignore[attr-defined] # the handler finds it there
    running = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    running.start()
    try:
        yield known
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        known: Receiver = self.server.known  # type: ignore[attr-defined] # set by `receiver`
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        known.tries += 1
        if self.path != "/hook":
            known.other.append(self.path)
        answer = known.plan.pop(0) if known.plan else "200"
        if answer in (DROP, NOISE) or answer.startswith(RAW):
            bytes_of = {DROP: b"", NOISE: b"\x00\xff noise\r\n"}
            self.connection.sendall(bytes_of.get(answer, answer.removeprefix(RAW).encode() + b"\r\n\r\n"))
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        status = {MOVED: 302, LONG: 200, SHORT: 200}.get(answer) or int(answer)
        if 200 <= status < 300:
            known.got.append((dict(self.headers), body))
        self.send_response(status)
        if answer == MOVED:
            self.send_header("Location", f"http://127.0.0.1:{known.port}/elsewhere")
        if answer == "429":
            self.send_header("Retry-After", "1")
        self.send_header("Content-Length", {LONG: "1000000", SHORT: "1"}.get(answer, "2"))
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: Any) -> None:
        """Print nothing."""
