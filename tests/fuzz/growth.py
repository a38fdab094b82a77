"""How the time of a target grows with its input: one thing over and over, twice as long each time."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from tests.fuzz.guided import checked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.target import Target

_SMALLEST = 1 << 12  # bytes
_LITTLE = 0.05  # seconds below which a time says nothing
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


class Steep(NamedTuple):
    """An input of which twice as much takes far more than twice as long."""

    target: str
    frame: tuple[bytes, bytes]
    piece: bytes
    size: int
    times: tuple[float, float]

    def __str__(self) -> str:
        """Return it on one line, as a person can make it again."""
        before, after = self.times
        piece = self.piece if len(self.piece) < 40 else self.piece[:40] + b"..."
        reported = f"{self.frame[0]!r} + {piece!r} * n + {self.frame[1]!r}"
        return f"{self.target}: {reported}, {self.size} bytes: {before:.2f} s, then {after:.2f} s"


def main(name: str) -> int:
    """Say what of a target takes longer and longer; 1 when anything does."""
    from tests.fuzz.table import TARGETS

    found = list(steep(next(target for target in TARGETS if target.name == name)))
    print(
        "\n".join(f"takes longer and longer: {one}" for one in found) or "its time keeps up with its input", flush=True
    )
    return int(bool(found))


def steep(target: Target) -> Iterator[Steep]:
    """Yield what takes longer and longer."""
    for frame in _FRAMES:
        for piece in filter(None, dict.fromkeys((*_PIECES, *target.words))):
            found = _grown(target, frame, piece)
            if found:
                yield found


def grown(frame: tuple[bytes, bytes], piece: bytes, size: int) -> bytes:
    """Return an input of about this size."""
    return frame[0] + piece * (size // len(piece) + 1) + frame[1]


def _grown(target: Target, frame: tuple[bytes, bytes], piece: bytes) -> Steep | None:
    """Return how an input of one piece grows, None when its time keeps up with its size."""
    size, last = _SMALLEST, 0.0
    while size <= target.longest:
        now = _time(target, grown(frame, piece, size))
        if last > _LITTLE / 2 and now > _LITTLE and now > STEEP * last:
            again = _time(target, grown(frame, piece, size // 2)), _time(target, grown(frame, piece, size))
            if again[1] > STEEP * again[0]:
                return Steep(target.name, frame, piece, size, again)
        if now > _LONG:
            return None
        size, last = size * 2, now
    return None


def _time(target: Target, data: bytes) -> float:
    """Return for how long the machine is busy with an input."""
    before = time.process_time()
    checked(target, data)
    return time.process_time() - before


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
