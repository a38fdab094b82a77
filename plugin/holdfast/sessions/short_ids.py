"""The short ids that lists show for sessions. A command accepts each of them as ID."""

import os
import re
from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LENGTH = 8  # characters
# A state file named after a day: the time of day and the words distinguish it, the day does not.
_DATED = re.compile(r"(?:19|20)\d\d-?[01]\d-?[0-3]\d[-_T]?(?P<time>\d{6})?[-_Z]*(?P<words>.*)")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def shortened(idents: "Iterable[str]") -> dict[str, str]:
    """Return a short id for each id; all of them are different."""
    choices = {ident: _choices(ident) for ident in dict.fromkeys(idents)}
    counts = Counter(choice for known in choices.values() for choice in known)
    return {ident: next((choice for choice in known if counts[choice] == 1), ident) for ident, known in choices.items()}


def _choices(ident: str) -> list[str]:
    """Return the possible short forms of an id, the best one first."""
    dated = None if _UUID.fullmatch(ident) else _DATED.fullmatch(os.path.basename(ident))
    parts = [dated["time"] or "", *_beginnings(dated["words"], LENGTH)] if dated else _beginnings(ident)
    return list(dict.fromkeys(filter(None, [*parts, ident])))


def _beginnings(text: str, least: int = 1) -> list[str]:
    """Return beginnings of a text, the shortest first; [] if it has fewer than `least` characters."""
    found = [text[:length].rstrip("-_ ") for length in (LENGTH, LENGTH * 2, LENGTH * 4)]
    return found if len(text) >= least else []
