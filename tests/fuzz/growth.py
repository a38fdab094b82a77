"""How time and memory of a target grow with its input: one thing over and over, twice as long each time."""

from __future__ import annotations

import sys
import time
import tracemalloc
from typing import TYPE_CHECKING, NamedTuple

from tests.fuzz.guided import checked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.target import Target

_SMALLEST = 1 << 12  # bytes
_LITTLE = 0.05  # seconds below which a time says nothing
_SMALL = 8.0  # MB below which memory says nothing
_LONG = 0.5  # seconds of one input after which it is not made any longer
STEEP = 3.0  # times as long for twice as much: 2 is linear, 4 quadratic
_PIECES = (
    *(
        b"a",
        b" ",
        b"-",
        b"_",
        b"*",
        b"#",
        b"`",
        b"|",
        b"[",
        b"]",
        b"(",
        b")",
        b"<",
        b">",
        b":",
        b"\\",
        b'"',
        b"'",
        b"\n",
    ),
    *(
        b"\r",
        b"\t",
        b"a ",
        b"- ",
        b"> ",
        b"# a\n",
        b"- a\n",
        b"**a** ",
        b"**a:** b ",
        b"[a](",
        b"<a>\n",
        b"<!--",
        b"-->",
    ),
    *(
        b"```\n",
        b"~~~\n",
        b"| a ",
        b"a: ",
        b"a: b\n",
        b"[a] ",
        b"(a) ",
        b"{{",
        b"\xf0\x9f\x8e\xaf",
        b"1 ",
        b"1.",
        b"./",
    ),
    *(
        b"**\n",
        b"a_",
        b"a.",
        b"&",
        b"!",
        b"x,",
        b"a=",
        b"\\\n",
        b"[[",
        b"]]",
        b"{",
        b"[]",
        b"<a ",
        b"</a>",
        b"__",
        b"?",
    ),
)
# What is around the pieces: nothing, a line's or a file's beginning, and an end that nothing before it fits.
_FRAMES = (
    *((b"", b""), (b"", b"a"), (b"## ", b"\n"), (b"## a", b"a\n"), (b"- ", b"\na"), (b"**a:** ", b"x\n")),
    *((b"| a | b |\n|---|---|\n| ", b" x |\n"), (b"x\n# T\n\n", b"\n"), (b"---\na: ", b"x\n---\n# T\n")),
)


class Slow(NamedTuple):
    """The seconds that an input takes, its size in bytes, and of what it is made."""

    seconds: float
    size: int
    piece: bytes


class Steep(NamedTuple):
    """An input of which twice as much takes far more than twice as long, or as much memory; in seconds or MB."""

    target: str
    frame: tuple[bytes, bytes]
    piece: bytes
    size: int
    taken: tuple[float, float]
    unit: str

    def __str__(self) -> str:
        """Return it on one line, as a person can make it again."""
        before, after = self.taken
        piece = self.piece if len(self.piece) < 40 else self.piece[:40] + b"..."
        reported = f"{self.frame[0]!r} + {piece!r} * n + {self.frame[1]!r}"
        taken = f"{before:.2f} {self.unit}, then {after:.2f} {self.unit}"
        return f"{self.target}: {reported}, {self.size} bytes: {taken}"


def main(name: str) -> int:
    """Say what of a target takes more and more time or memory; 1 when anything does."""
    from tests.fuzz.table import TARGETS

    slowest: list[Slow] = [Slow(0.0, 0, b"")]
    found = list(steep(next(target for target in TARGETS if target.name == name), slowest))
    print(
        "\n".join(f"takes more and more: {one}" for one in found) or "time and memory keep up with the input",
        "slowest: {:.2f} s for {} bytes of {!r}".format(*slowest[0]),
        sep="; ",
        flush=True,
    )
    return int(bool(found))


def steep(target: Target, slowest: list[Slow] | None = None) -> Iterator[Steep]:
    """Yield what takes longer and longer; the first of `slowest` becomes the input that took longest."""
    slowest = slowest or [Slow(0.0, 0, b"")]
    for frame in _FRAMES:
        for piece in filter(None, dict.fromkeys((*_PIECES, *target.words))):
            found = _grown(target, frame, piece, slowest)
            if found:
                yield found


def grown(frame: tuple[bytes, bytes], piece: bytes, size: int) -> bytes:
    """Return an input of about this size."""
    return frame[0] + piece * (size // len(piece) + 1) + frame[1]


def _grown(target: Target, frame: tuple[bytes, bytes], piece: bytes, slowest: list[Slow]) -> Steep | None:
    """Return how an input of one piece grows, None when its time and memory keep up with its size."""
    size, last = _SMALLEST, 0.0
    while size <= target.longest:
        now = _time(target, grown(frame, piece, size))
        slowest[0] = max(slowest[0], Slow(now, size, piece))
        if last > _LITTLE / 2 and now > _LITTLE and now > STEEP * last:
            again = _time(target, grown(frame, piece, size // 2)), _time(target, grown(frame, piece, size))
            if again[1] > STEEP * again[0]:
                return Steep(target.name, frame, piece, size, again, "s")
        if now > _LONG:
            return None
        size, last = size * 2, now
    size = target.longest
    taken = _memory(target, grown(frame, piece, size // 2)), _memory(target, grown(frame, piece, size))
    return Steep(target.name, frame, piece, size, taken, "MB") if taken[1] > max(_SMALL, STEEP * taken[0]) else None


def _time(target: Target, data: bytes) -> float:
    """Return for how long the machine is busy with an input."""
    before = time.process_time()
    checked(target, data)
    return time.process_time() - before


def _memory(target: Target, data: bytes) -> float:
    """Return how many MB an input takes at most at one time."""
    tracemalloc.start()
    try:
        checked(target, data)
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
