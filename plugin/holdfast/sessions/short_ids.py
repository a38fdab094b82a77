"""The short ids that lists show for sessions. A command accepts each of them as ID."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LENGTH = 8  # characters
_ALIKE = ("STATE", "SESSION_STATE")  # names of state files in a folder of their own
_HEX = frozenset("0123456789abcdef")
_UUID_LENGTH, _UUID_DASHES = 36, (8, 13, 18, 23)  # characters; the places of the dashes (RFC 9562, section 4)
_DAY, _TIME = 8, 6  # digits of a day and of a time of day in the name of a state file


def shortened(idents: "Iterable[str]") -> dict[str, str]:
    """Return a short id for each id; all of them are different."""
    choices = {ident: _choices(ident) for ident in dict.fromkeys(idents)}
    counts: dict[str, int] = {}
    for known in choices.values():
        for choice in known:
            counts[choice] = counts.get(choice, 0) + 1
    return {ident: next((choice for choice in known if counts[choice] == 1), ident) for ident, known in choices.items()}


def undated(name: str) -> str:
    """Return the words in the name of a state file, without its day and time; "" if it begins with no day."""
    parts = _parts_of_name(name)
    return parts[1] if parts else ""


def telling(path: str) -> str:
    """Return the part of a path that tells a state file from others: its name, its folder where all have one name."""
    folder, name = os.path.split(path)
    return (os.path.basename(folder) if name in _ALIKE else "") or name


def _choices(ident: str) -> list[str]:
    """Return the possible short forms of an id, the best one first."""
    name = telling(ident)
    dated = None if _is_uuid(ident) else _parts_of_name(name)
    ident = ident if os.path.basename(ident) == name else name
    parts = [dated[0], *_beginnings(dated[1], LENGTH)] if dated else _beginnings(ident)
    return list(dict.fromkeys(filter(None, [*parts, ident])))


def _is_uuid(ident: str) -> bool:
    """Whether an id is a UUID in lower case."""
    if len(ident) != _UUID_LENGTH or any(ident[at] != "-" for at in _UUID_DASHES):
        return False
    digits = ident.replace("-", "")
    return len(digits) == _UUID_LENGTH - len(_UUID_DASHES) and _HEX.issuperset(digits)


def _parts_of_name(name: str) -> tuple[str, str] | None:
    """Return the time of day and the words in the name of a state file, None if it does not begin with a day.

    The day itself does not distinguish a file from those of the same day.
    """
    day = (name[:4] + name[5:7] + name[8:10]) if name[4:5] == "-" and name[7:8] == "-" else name[:_DAY]
    length = len(day) + (2 if name[4:5] == "-" else 0)
    if not (_are_digits(day, _DAY) and day[:2] in ("19", "20") and day[4] in "01" and day[6] in "0123"):
        return None
    rest = name[length:]
    rest = rest[1:] if rest[:1] in ("-", "_", "T") else rest
    time = rest[:_TIME] if _are_digits(rest[:_TIME], _TIME) else ""
    return time, rest[len(time) :].lstrip("-_Z")


def _are_digits(text: str, length: int) -> bool:
    """Whether a text consists of this many decimal digits."""
    return len(text) == length and text.isascii() and text.isdigit()


def _beginnings(text: str, least: int = 1) -> list[str]:
    """Return beginnings of a text, the shortest first; [] if it has fewer than `least` characters."""
    beginnings = [text[:length].rstrip("-_ ") for length in (LENGTH, LENGTH * 2, LENGTH * 4)]
    return beginnings if len(text) >= least else []
