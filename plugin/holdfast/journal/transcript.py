"""What the last request of a session's conversation weighed, read from the end of Claude Code's transcript.

A transcript is a file of one JSON object a line that only ever grows. The client writes one line for each block of an
answer, all with the usage of the whole answer, and only once that is complete; a subagent has a file of its own. A
compaction leaves a line that says what the conversation weighs after it, while the request that wrote the summary is
recorded nowhere.
"""

import os

from holdfast.core import fast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Object = dict[str, object]

_BLOCK = 1 << 16
_FARTHEST = 1 << 25  # bytes from the end after which no answer is looked for: more than any batch of images takes
_LARGEST = 10**12  # a count of tokens above this is none
_SYNTHETIC = "<synthetic>"  # the model of a line that the client made up itself
_MARKS = (b'"usage"', b'"compact_boundary"')  # within a text the quotes would be escaped


class Usage:
    """What the model was given in one request: `fresh` tokens, those `written` to the cache and those `cached` in it.

    `used` is all of it, `output` what came back. `model` is the name that was asked for where that is known: it alone
    has the mark of a large window. `at` is the time as the transcript writes it. When `compacted`, there was no request
    since the conversation was compacted: `used` is what the compaction left, and the parts are not known.
    """

    __slots__ = ("at", "cached", "compacted", "fresh", "model", "output", "used", "written")

    def __init__(  # noqa: PLR0913 - one argument for each number that a request has
        self, *, fresh: int = 0, written: int = 0, cached: int = 0, output: int = 0, model: str = "", at: str = ""
    ) -> None:
        self.fresh, self.written, self.cached, self.output = fresh, written, cached, output
        self.used = fresh + written + cached
        self.model, self.at = model, at
        self.compacted = False


def usage(path: str, block: int = _BLOCK) -> "Usage | None":
    """Return what the last request of the main conversation in a transcript weighed; None when that is not known.

    It is not known before the first answer, when a compaction came after the last one and does not say what it left,
    and when there is no file that can be read. What this costs does not depend on the size of the file.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC) if os.path.isfile(path) else -1
    except (OSError, ValueError):  # ValueError: a null character in the path
        return None
    if handle < 0:
        return None
    try:
        return _last(_lines(handle, block))
    except OSError:  # the disk went away under us
        return None
    finally:
        os.close(handle)


def _last(lines: "Iterator[bytes]") -> "Usage | None":
    """Return the usage in lines of which the last one comes first."""
    compaction: Object | None = None
    for found in _objects(lines):
        if found.get("subtype") == "compact_boundary":
            compaction = compaction or found
            if not _left(compaction):
                return None
        elif (request := _request(found)) is not None:
            return _after(compaction, request.model) if compaction else request
    return _after(compaction, "") if compaction else None


def _objects(lines: "Iterator[bytes]") -> "Iterator[Object]":
    """Yield the objects of the main conversation that may tell what it weighs; most lines are not even parsed."""
    for line in lines:
        if not any(mark in line for mark in _MARKS):
            continue
        try:
            found = fast_json.loads(line)
        except ValueError:  # torn
            continue
        if isinstance(found, dict) and found.get("isSidechain") is not True:
            yield found


def _request(line: "Object") -> "Usage | None":
    """Return the usage of an answer of the model; None for any other line, and for an answer that was none."""
    message = line.get("message")
    if line.get("type") != "assistant" or not isinstance(message, dict) or line.get("isApiErrorMessage") is True:
        return None
    told, model = message.get("usage"), _text(message, "model")
    if not isinstance(told, dict) or model == _SYNTHETIC:
        return None
    found = Usage(
        fresh=_count(told, "input_tokens"),
        written=_count(told, "cache_creation_input_tokens"),
        cached=_count(told, "cache_read_input_tokens"),
        output=_count(told, "output_tokens"),
        model=_text(line, "requestedModel") or model,
        at=_text(line, "timestamp"),
    )
    return found if found.used else None


def _after(compaction: "Object", model: str) -> Usage:
    """Return what a compaction left of a conversation with this model."""
    found = Usage(model=model, at=_text(compaction, "timestamp"))
    found.used, found.compacted = _left(compaction), True
    return found


def _left(compaction: "Object") -> int:
    """Return how many tokens a compaction left, 0 when it does not say."""
    told = compaction.get("compactMetadata")
    return _count(told, "postTokens") if isinstance(told, dict) else 0


def _count(told: "Object", key: str) -> int:
    """Return a count of tokens, 0 for what is none."""
    value = told.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _LARGEST else 0


def _text(told: "Object", key: str) -> str:
    """Return the text under a key, "" for anything else."""
    value = told.get(key)
    return value if isinstance(value, str) else ""


def _lines(handle: int, block: int) -> "Iterator[bytes]":
    """Yield the lines of an open file, the last one first, with or without a line end after it.

    What is appended meanwhile is not read; in a file that is cut short meanwhile nothing more is looked for.
    """
    end = os.fstat(handle).st_size
    farthest = max(0, end - _FARTHEST)
    rest: list[bytes] = []  # of the line whose beginning was not reached yet, its last piece first
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
