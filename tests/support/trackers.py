"""GitHub and GitLab on the loopback, as their published REST API describes them, for the real `gh` and for `glab`.

docs.github.com/rest (issues, issue comments, pulls, repositories) and docs.gitlab.com/api (issues, notes, merge
requests, projects). `gh` speaks plain HTTP to the host github.localhost, through the proxy that the environment names,
and `glab` to the address in its settings. Debian has `glab` since version 13: where it is missing, a program of ours
has its place, which knows `glab api` and the options that its manual lists, and nothing else.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.support.machine import PYTHON

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    Row = dict[str, Any]

TOKEN = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"  # noqa: S105 - no real one
RATE, DENIED, BROKEN, LOST, NOISE = "rate", "denied", "broken", "lost", "noise"
BODY = "Some words.\n\n## Acceptance criteria\n\n- [ ] Totals are right\n- [x] It is quick\n\n## Notes\n\n- none\n"
_REFUSALS = {
    DENIED: (401, {"message": "Bad credentials"}),
    RATE: (403, {"message": "API rate limit exceeded for user ID 1."}),
    BROKEN: (502, {"message": "Server Error"}),
}
_MARK = {"github": "body", "gitlab": "description"}

SETTINGS = """check_update: false
hosts:
    gitlab.localhost:
        api_protocol: http
        api_host: 127.0.0.1:{port}
        git_protocol: https
"""
GLAB = f"""#!{PYTHON}
import sys, urllib.request
words = sys.argv[1:]
assert words.pop(0) == "api", words
given = {{"--hostname": "", "--method": "GET", "--header": "", "--input": ""}}
places = []
while words:
    word = words.pop(0)
    if word in given:
        given[word] = words.pop(0)
    else:
        assert not word.startswith("-"), word
        places.append(word)
(place,) = places
body = sys.stdin.buffer.read() if given["--input"] == "-" else None
url = f"http://127.0.0.1:PORT/api/v4/{{place}}"
request = urllib.request.Request(url, body, method=given["--method"], headers={{"Authorization": "Bearer TOKEN"}})
try:
    sys.stdout.buffer.write(urllib.request.urlopen(request).read())
except urllib.error.HTTPError as error:
    sys.exit(f"glab: {{error.read().decode()}} (HTTP {{error.code}})")
except OSError as error:
    sys.exit(f"glab: {{error}}")
"""


@dataclass
class Tracker:
    """A tracker with one issue, number 12, and what was done to it.

    `plan` says how each next call fails, "" for not at all.
    """

    kind: str
    port: int = 0
    plan: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)  # method and path of each
    issues: list[Row] = field(default_factory=list)
    comments: list[Row] = field(default_factory=list)
    requests: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Open the issue."""
        self.issues.append(self._row(12, {"title": "Totals are wrong", _MARK[self.kind]: BODY}, "issues"))

    @property
    def posts(self) -> list[str]:
        """The calls that write."""
        return [call for call in self.calls if not call.startswith("GET")]

    @property
    def remote(self) -> str:
        """The address of the repository for git."""
        return f"https://{'github' if self.kind == 'github' else 'gitlab'}.localhost/our/invoices.git"

    def environment(self, folder: Path) -> dict[str, str]:
        """Return what leads the programs here; `folder` becomes a folder of programs."""
        folder.mkdir()
        if not shutil.which("glab"):
            (folder / "glab").write_text(GLAB.replace("PORT", str(self.port)).replace("TOKEN", TOKEN))
            (folder / "glab").chmod(0o755)
        settings = folder / "config.yml"
        settings.write_text(SETTINGS.format(port=self.port))
        settings.chmod(0o600)
        proxy = f"http://127.0.0.1:{self.port}"
        programs = {"GH_TOKEN": TOKEN, "GITLAB_TOKEN": TOKEN, "GLAB_CONFIG_DIR": str(folder)}
        return {"HTTP_PROXY": proxy, "http_proxy": proxy, "NO_PROXY": "127.0.0.1", **programs}

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Row) -> tuple[int, Any]:
        """Return status and JSON."""
        name = "our/invoices"
        place = path.removeprefix("/api/v4/projects/" if self.kind == "gitlab" else "/repos/")
        if not unquote(place).startswith(name):
            return 404, {"message": "Not Found"}
        rest = unquote(place)[len(name) :].strip("/")
        if method == "POST":
            return self._created(rest, body)
        if not rest:
            return 200, {"default_branch": "main"}
        kind, _, number = rest.partition("/")
        rows = {"issues": self.issues, "pulls": self.requests, "merge_requests": self.requests}[kind]
        if number.endswith(("/comments", "/notes")):
            rows, number = self.comments, ""
        if number:
            found = [row for row in rows if row.get("number", row.get("iid")) == int(number)]
            return (200, found[0]) if found else (404, {"message": "Not Found"})
        each, page = int(query["per_page"][0]), int(query["page"][0])
        return 200, rows[(page - 1) * each : page * each]

    def _created(self, rest: str, body: Row) -> tuple[int, Any]:
        """Keep a new row; 422 for one without its required keys."""
        if rest.endswith(("/comments", "/notes")):
            needed, rows, kind = {"body"}, self.comments, "comment"
        elif rest == "issues":
            needed, rows, kind = {"title", _MARK[self.kind]}, self.issues, "issues"
        elif rest == "pulls":
            needed, rows, kind = {"title", "body", "head", "base"}, self.requests, "pull"
        else:
            needed, rows, kind = {"title", "description", "source_branch", "target_branch"}, self.requests, "merge"
        if body.keys() != needed:
            return 422, {"message": f"Validation Failed: {sorted(body)}"}
        number = 13 + len(self.issues) + len(self.requests) + len(self.comments)
        rows.append(self._row(number, body, kind))
        return 201, rows[-1]

    def _row(self, number: int, body: Row, kind: str) -> Row:
        ident = {"number": number} if self.kind == "github" else {"iid": number}
        if kind == "comment":
            ident = {"id": number}
        page = "html_url" if self.kind == "github" else "web_url"
        shown = {} if kind == "comment" and self.kind == "gitlab" else {page: f"https://tracker/{kind}/{number}"}
        return {**ident, **shown, **body}


class _Handler(BaseHTTPRequestHandler):
    """Answers for the tracker of its server."""

    def do_GET(self) -> None:
        """Answer what reads."""
        self._do("GET")

    def do_POST(self) -> None:
        """Answer what writes."""
        self._do("POST")

    def _do(self, method: str) -> None:
        known: Tracker = self.server.known  # type: ignore[attr-defined] # set below
        data, parts = self._body(), urlsplit(self.path)
        known.calls.append(f"{method} {parts.path}")
        does = known.plan.pop(0) if known.plan else ""
        if TOKEN not in f"{self.headers.get('Authorization')} {self.headers.get('PRIVATE-TOKEN')}":
            does = DENIED
        if does in _REFUSALS:
            self._answer(*_REFUSALS[does])
            return
        status, found = known.answer(method, parts.path, parse_qs(parts.query), json.loads(data or b"{}"))
        if does == LOST:  # it was done, and the answer is lost
            self.close_connection = True
        else:
            self._answer(status, found if does != NOISE else "")

    def _body(self) -> bytes:
        """Return what was sent; `gh` sends it in chunks."""
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        data = b""
        while size := int(self.rfile.readline(), 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _answer(self, status: int, found: Any) -> None:
        data = json.dumps(found).encode() if found != "" else b"<html>"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(OSError):  # the program was killed
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextlib.contextmanager
def tracker(kind: str) -> Iterator[Tracker]:
    """Give a running tracker: github or gitlab."""
    known = Tracker(kind)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.known = known  # type: ignore[attr-defined] # for the handler
    server.daemon_threads = True
    known.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield known
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def marks(rows: list[Row]) -> list[str]:
    """Return the marks of ours in rows."""
    return [mark for row in rows for mark in re.findall(r"<!-- holdfast:([0-9a-f]{16}) -->", json.dumps(row))]
