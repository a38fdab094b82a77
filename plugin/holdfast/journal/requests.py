"""Every request to a model in Claude Code's transcripts, with the numbers that the client wrote down, each once.

The client writes a line for each block of an answer, all under the same message id; the last one has the final count.
A fork begins with a copy of the lines of its origin, under the same ids. Subagents have files of their own.
"""

import contextlib
import glob
import os

from holdfast.core import fast_json, files
from holdfast.journal import transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.journal.transcript import Usage

_LONGEST = 1 << 25  # bytes of a line; those with batches of images are the longest


class Tokens:
    """Counts of tokens: `fresh` input, input `written` to the cache, input `cached` before, and `output`.

    `cost` is in US dollars, of the requests of which the client wrote it.
    """

    __slots__ = ("cached", "cost", "fresh", "output", "requests", "written")

    def __init__(self) -> None:
        self.fresh = self.written = self.cached = self.output = self.requests = 0
        self.cost = 0.0

    def add(self, usage: "Usage") -> None:
        """Add the numbers of one request."""
        self.cost += usage.cost
        self.fresh += usage.fresh
        self.written += usage.written
        self.cached += usage.cached
        self.output += usage.output
        self.requests += 1

    @property
    def total(self) -> int:
        """All tokens, input and output."""
        return self.fresh + self.written + self.cached + self.output

    def row(self) -> dict[str, object]:
        """Return the JSON object."""
        parts = {"fresh": self.fresh, "cache_write": self.written, "cache_read": self.cached, "output": self.output}
        return {"requests": self.requests, **parts, "cost": round(self.cost, 6)}


def of_session(path: str) -> "dict[str, tuple[Usage, str]]":
    """Return the requests of a session and its subagents by message id, each with the branch that the client noted.

    `path` is the session's transcript. What cannot be read is left out.
    """
    usage_of: dict[str, tuple[Usage, str]] = {}
    if not path:
        return usage_of
    children = glob.escape(path.removesuffix(".jsonl")) + "/subagents/*.jsonl"
    for name in (path, *sorted(glob.glob(children))):
        with contextlib.suppress(OSError, ValueError):  # ValueError: a null character in the path
            for line in files.lines(name, _LONGEST) if os.path.isfile(name) else ():
                usage_of.update(_request(line) if b'"usage"' in line else {})
    return usage_of


def _request(data: bytes) -> "dict[str, tuple[Usage, str]]":
    """Return the request in a line by its message id, {} for any other line."""
    line = fast_json.object_in(data)  # {} for an incomplete line
    usage = transcript.request(line)
    ident = fast_json.table_of(line, "message").get("id")
    return {ident: (usage, fast_json.text_of(line, "gitBranch"))} if usage and isinstance(ident, str) else {}
