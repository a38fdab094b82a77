"""The last answer in the transcript of a client whose events do not have it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_TAIL = 1 << 18  # bytes of a transcript that are searched
PATIENCE, _PAUSE = 1.0, 0.02  # seconds


def last_answer(
    transcript: str, is_written: "Callable[[bytes], bool]", text_in: "Callable[[dict[str, object]], str]"
) -> str:
    """Return the last text of the model in a transcript of JSON lines, "" if there is none near its end.

    The client may write it while this hook runs, so that `is_written` of its end is waited for. `text_in` returns what
    the model says in one line, "" for another one.
    """
    import time

    from holdfast.core import fast_json, files

    data, end = b"", time.monotonic() + PATIENCE
    while transcript:
        try:
            data = files.tail(transcript, _TAIL)
        except OSError:  # the client has not made it yet
            data = b""
        if is_written(data) or time.monotonic() >= end:
            break
        time.sleep(_PAUSE)
    for line in reversed(data.splitlines()):
        try:
            entry = fast_json.loads(line) if b'"assistant' in line else None
        except ValueError:  # a line that is cut
            continue
        if isinstance(entry, dict) and (text := text_in(entry)):
            return text
    return ""
