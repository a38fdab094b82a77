"""Where the lines of a file begin, and spans without the blanks around them; all in bytes."""

from bisect import bisect_left, bisect_right
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BLANKS = b" \t\r\n"


class Lines:
    """The offsets at which the lines of a file begin (ends: LF, CRLF or CR); the first is after a byte order mark."""

    __slots__ = ("_size", "_starts")

    def __init__(self, data: bytes, first: int) -> None:
        self._size = len(data)
        self._starts = [first, *accumulate(map(len, data.splitlines(keepends=True)))]
        if len(self._starts) > 1 and not data.endswith((b"\r", b"\n")):
            self._starts.pop()  # the end of the file, where no line begins

    def number(self, offset: int) -> int:
        """Return the number of the line that an offset is on, from 1."""
        return max(1, bisect_right(self._starts, offset))

    def start(self, offset: int) -> int:
        """Return where the line begins that an offset is on."""
        return self._starts[max(bisect_right(self._starts, offset) - 1, 0)]  # a mark at the beginning is in no line

    def end(self, offset: int) -> int:
        """Return where the next line begins; the offset itself when one begins there."""
        return self._begin(bisect_left(self._starts, offset))

    def after(self, offset: int) -> int:
        """Return where the line ends that an offset is on, after its newline."""
        return self._begin(bisect_right(self._starts, offset))

    def _begin(self, number: int) -> int:
        """Return where a line begins, the file's end for one that is not there."""
        return self._starts[number] if number < len(self._starts) else self._size


def gap(before: bytes, newline: bytes) -> bytes:
    """Return the line ends that a text lacks to end with a blank line; an empty text lacks none."""
    if not before or before.endswith((b"\n\n", b"\r\n\r\n", b"\r\r")):
        return b""
    return newline if before.endswith((b"\n", b"\r")) else newline * 2


def between(found: "list[Any]", start: int, end: int, key: "Callable[[Any], int]") -> "list[Any]":
    """Return what begins between two offsets, of what is in order."""
    return found[bisect_left(found, start, key=key) : bisect_left(found, end, key=key)]
