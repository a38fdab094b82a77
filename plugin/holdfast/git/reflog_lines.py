"""The lines of a reflog: the old and the new commit, who, seconds since 1970, time zone, a tab, why."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    Line = tuple[str, str, float | None, bytes]


def parse(line: bytes) -> "Line":
    """Return the old commit, the new one, the time in seconds since 1970, and why HEAD or the branch moved.

    What a damaged line lacks is "", for the time None.
    """
    move, _, why = line.partition(b"\t")
    before, after = [*move.split(b" ", 2), b"", b""][:2]
    seconds = move.rpartition(b"> ")[2].partition(b" ")[0]
    return os.fsdecode(before), os.fsdecode(after), float(seconds) if seconds.isdigit() else None, why
