"""Ids such as LOOP-007: numbered on through all worktrees of a repository, and never given twice."""

import os
import re
from collections.abc import Iterable

from holdfast import codec, files
from holdfast.errors import HoldfastError
from holdfast.paths import Place

_LAST = 999_999  # what has more digits is a number of somebody else's


def named(kind: str, text: str) -> str:
    """Return the id that a person means by `7`, `007`, `loop-7` or `LOOP-007`, "" for any other text."""
    found = re.fullmatch(rf"(?:{kind}-)?([0-9]{{1,6}})", text.strip(), re.IGNORECASE)
    return written(kind, int(found[1])) if found else ""


def written(kind: str, number: int) -> str:
    """Return an id as it is written."""
    return f"{kind}-{number:03d}"


def leading(kind: str, text: str) -> tuple[str, str] | None:
    """Return the id and the rest of a title that begins with one, such as "TASK-003 - Parse"; None for any other."""
    found = re.fullmatch(
        rf"({kind}-[0-9]{{1,6}})(?:\s*[-:\u2013\u2014]\s*|\s+)(\S.*)", text.strip(), re.IGNORECASE | re.DOTALL
    )
    return (named(kind, found[1]), found[2]) if found else None


def highest(kind: str, texts: Iterable[bytes]) -> int:
    """Return the highest number that an id of this kind has anywhere in the texts, 0 for none."""
    ours = re.compile(rb"(?<!\w)" + kind.encode() + rb"-([0-9]{1,6})(?![0-9]|-[0-9])", re.IGNORECASE)
    return max((int(found[1]) for text in texts for found in ours.finditer(text)), default=0)


def next_number(place: Place, kind: str, texts: Iterable[bytes]) -> str:
    """Return an id that was never given before, and note that it is now; the caller holds the lock.

    It follows the highest one that was ever given here or stands in the texts. Where the note of what was given is
    missing or damaged, the texts decide.
    """
    path = f"{place.store}/ids"
    given = _given(path)
    number = max(given.get(kind, 0), highest(kind, texts)) + 1
    if number > _LAST:
        last = written(kind, _LAST)
        raise HoldfastError(
            f"{last} stands in a file of this project, and no id comes after it. Give that one another."
        )
    os.makedirs(place.store, exist_ok=True)
    files.write_atomic(path, codec.dumps({**given, kind: number}).encode() + b"\n")
    return written(kind, number)


def _given(path: str) -> dict[str, int]:
    """Return the last number that was given of each kind."""
    try:
        kept = codec.loads(files.read(path))
    except (OSError, ValueError):
        return {}
    told = kept.items() if isinstance(kept, dict) else ()
    return {kind: number for kind, number in told if type(number) is int and 0 <= number <= _LAST}
