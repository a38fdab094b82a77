"""How many tokens the last request of a session used, read from the end of Claude Code's transcript; and all requests.

A transcript has one JSON object per line and only grows. When an answer is complete, the client writes one line for
each block of it, all with the usage of the whole answer. A subagent has its own file. A compaction adds a line with the
size of the conversation after it; the request that wrote the summary is not recorded.
"""

import os

from holdfast.core import fast_json, files
from holdfast.core.fast_json import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.journal.session import Child, Recorded

    Object = dict[str, object]

_BLOCK = 1 << 16
_FARTHEST = 1 << 25  # bytes from the end that are searched for an answer; no batch of images is larger
_TITLED = 1 << 20  # bytes at the end that are searched for a title, or the result of a tool
_REFUSED = "doesn't want to proceed"  # with the use of a tool
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle"}
_LARGEST = 10**12  # tokens; a larger count is an error
_DEAREST = 10**6  # dollars; a larger cost of one request is an error
_SYNTHETIC = "<synthetic>"  # the model of a line that is not from a model
_MARKS = (b'"usage"', b'"compact_boundary"')  # inside a JSON text the quotes are escaped, so a text never matches


class Usage:
    """The tokens of one request: `fresh` input, input `written` to the cache, and input `cached` before.

    `used` is their sum, `output` the tokens of the answer. `cost` is what the client
    wrote of its price in dollars, 0.0 if it wrote nothing. `model` is the requested name if known, because only that
    shows whether the window is large. `at` is the time as the transcript writes it. `compacted` says that there was no
    request since the last compaction: then `used` is the size after the compaction, and the parts are 0.
    """

    __slots__ = ("at", "cached", "compacted", "cost", "fresh", "model", "output", "used", "written")

    def __init__(  # noqa: PLR0913 - one argument for each number of a request
        self, *, fresh: int = 0, written: int = 0, cached: int = 0, output: int = 0, model: str = "", at: str = ""
    ) -> None:
        self.fresh, self.written, self.cached, self.output = fresh, written, cached, output
        self.used = fresh + written + cached
        self.model, self.at = model, at
        self.compacted = False
        self.cost = 0.0


def usage(path: str, block: int = _BLOCK) -> "Usage | None":
    """Return the usage of the last request of the main conversation in a transcript; None when that is unknown.

    It is unknown before the first answer, after a compaction that does not record the new size, and when the file
    cannot be read. The cost does not depend on the size of the file.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC) if os.path.isfile(path) else -1
    except (OSError, ValueError):  # ValueError: a null character in the path
        return None
    if handle < 0:
        return None
    try:
        return _last(_lines(handle, block))
    except OSError:  # the disk failed
        return None
    finally:
        os.close(handle)


def title(path: str, *, by_person: bool = False) -> str:
    """Return the title of a conversation in the client, "" for none; one that a person gave takes precedence.

    With `by_person` no other title counts.

    A line of the type `custom-title` or `ai-title` has it; the client writes it again near the end from time to time.
    """
    try:
        data = files.tail(path, _TITLED) if os.path.isfile(path) else b""
    except (OSError, ValueError):
        return ""
    known: dict[str, str] = {}
    for line in data.splitlines():
        entry = fast_json.object_in(line) if any(kind.encode() in line for kind in _TITLES) else {}
        kind = text_of(entry, "type")
        known |= {kind: text_of(entry, _TITLES[kind])} if kind in _TITLES else {}
    kinds = [*_TITLES][:1] if by_person else _TITLES
    return next((known[kind] for kind in kinds if known.get(kind)), "")


def error_of(path: str, use: str) -> str:
    """Return the text of the error that a use of a tool had, such as a refusal, "" for none or an unknown one."""
    try:
        data = files.tail(path, _TITLED) if os.path.isfile(path) else b""
    except (OSError, ValueError):
        return ""
    mark = use.encode("utf-8", "replace")
    for line in reversed([line for line in data.splitlines() if mark in line and b'"tool_result"' in line]):
        message = fast_json.object_in(line).get("message")
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("tool_use_id") == use:
                text = result_text(block.get("content"))
                return text if block.get("is_error") is True or _REFUSED in text else ""
    return ""


def result_text(content: object) -> str:
    """Return the text of a tool's result."""
    if isinstance(content, list):
        return "\n".join(text_of(block, "text") for block in content if isinstance(block, dict))
    return content if isinstance(content, str) else ""


def _last(lines: "Iterator[bytes]") -> "Usage | None":
    """Return the usage in lines, given from the last to the first."""
    compaction: Object | None = None
    for entry in _objects(lines):
        if entry.get("subtype") == "compact_boundary":
            compaction = compaction or entry
            if not _remaining(compaction):
                return None
        elif (latest := request(entry)) is not None:
            return _after(compaction, latest.model) if compaction else latest
    return _after(compaction, "") if compaction else None


def _objects(lines: "Iterator[bytes]") -> "Iterator[Object]":
    """Yield the objects of the main conversation that may have a usage; most lines are not parsed."""
    for line in lines:
        if not any(mark in line for mark in _MARKS):
            continue
        entry = fast_json.object_in(line)  # {} for an incomplete line
        if entry and entry.get("isSidechain") is not True:
            yield entry


def request(line: "Object") -> "Usage | None":
    """Return the usage of a model's answer; None for any other line and for an error message."""
    message = line.get("message")
    if line.get("type") != "assistant" or not isinstance(message, dict) or line.get("isApiErrorMessage") is True:
        return None
    usage, model = message.get("usage"), text_of(message, "model")
    if not isinstance(usage, dict) or model == _SYNTHETIC:
        return None
    figures = Usage(
        fresh=_count(usage, "input_tokens"),
        written=_count(usage, "cache_creation_input_tokens"),
        cached=_count(usage, "cache_read_input_tokens"),
        output=_count(usage, "output_tokens"),
        model=text_of(line, "requestedModel") or model,
        at=text_of(line, "timestamp"),
    )
    cost = fast_json.number_of(line, "costUSD")
    figures.cost = cost if 0 < cost < _DEAREST else 0.0
    return figures if figures.used else None


def _after(compaction: "Object", model: str) -> Usage:
    """Return the usage after a compaction of a conversation with this model."""
    figures = Usage(model=model, at=text_of(compaction, "timestamp"))
    figures.used, figures.compacted = _remaining(compaction), True
    return figures


def _remaining(compaction: "Object") -> int:
    """Return how many tokens remained after a compaction, 0 when it does not say."""
    details = compaction.get("compactMetadata")
    return _count(details, "postTokens") if isinstance(details, dict) else 0


def _count(mapping: "Object", key: str) -> int:
    """Return a count of tokens, 0 for any other value."""
    value = mapping.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _LARGEST else 0


def _lines(handle: int, block: int) -> "Iterator[bytes]":
    """Yield the lines of an open file, the last one first; it need not end with a newline.

    Text that is appended meanwhile is not read. When the file is cut meanwhile, the search ends.
    """
    end = os.fstat(handle).st_size
    farthest = max(0, end - _FARTHEST)
    rest: list[bytes] = []  # of the line whose beginning was not read yet, its last piece first
    while end > farthest:
        start = max(farthest, end - block)
        piece = os.pread(handle, end - start, start)
        if len(piece) != end - start:
            return
        first, *lines = piece.split(b"\n")
        if lines:
            yield b"".join([lines.pop(), *reversed(rest)])
            yield from reversed(lines)
            rest = []
        rest.append(first)
        end = start
    yield b"".join(reversed(rest))


def description(session: "Recorded", child: "Child") -> str:
    """Return the task of a subagent, which Claude Code writes beside the subagent's transcript; "" without one."""
    inside = f"{session.transcript.removesuffix('.jsonl')}/subagents/agent-{child.id}.jsonl"
    for transcript in (child.transcript, inside):
        entry = fast_json.read_object(transcript.removesuffix(".jsonl") + ".meta.json")
        if entry:
            return text_of(entry, "description")
    return ""


_REQUEST_LONGEST = 1 << 25  # bytes of a line; those with batches of images are the longest


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


def requests_of(path: str) -> "dict[str, tuple[Usage, str]]":
    """Return the requests of a session and its subagents by message id, each with the branch that the client noted.

    `path` is the session's transcript. What cannot be read is left out.
    """
    import contextlib
    import glob  # no hook asks for all requests

    usage_of: dict[str, tuple[Usage, str]] = {}
    if not path:
        return usage_of
    children = glob.escape(path.removesuffix(".jsonl")) + "/subagents/*.jsonl"
    for name in (path, *sorted(glob.glob(children))):
        with contextlib.suppress(OSError, ValueError):  # ValueError: a null character in the path
            for line in files.lines(name, _REQUEST_LONGEST) if os.path.isfile(name) else ():
                usage_of.update(_request(line) if b'"usage"' in line else {})
    return usage_of


def _request(data: bytes) -> "dict[str, tuple[Usage, str]]":
    """Return the request in a line by its message id, {} for any other line."""
    line = fast_json.object_in(data)  # {} for an incomplete line
    usage = request(line)
    ident = fast_json.table_of(line, "message").get("id")
    return {ident: (usage, fast_json.text_of(line, "gitBranch"))} if usage and isinstance(ident, str) else {}
