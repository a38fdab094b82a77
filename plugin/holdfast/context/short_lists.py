"""Compose short lists for Claude and the user: as many entries as fit, and how many more there are."""

from holdfast.core.words import width
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def listed(items: list[str], most: int, beyond: int = 0) -> str:
    """Return the first `most` items in one line, and how many more there are, `beyond` not in the list included."""
    shown, more = ", ".join(safe.line(item, 120) for item in items[:most]), len(items[most:]) + beyond
    return f"{shown} (and {more} more)" if more else shown


def fitting(lines: list[str], room: int, most: int) -> list[str]:
    """Return the first lines that fit into `room` characters, at most `most`, and one that counts the others."""
    shown: list[str] = []
    for line in lines[:most]:
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    return shown + ([f"- and {len(lines) - len(shown)} more"] if len(lines) > len(shown) else [])


def cut(text: str, columns: int) -> str:
    """Return as much of a text as fits into so many columns, with an ellipsis at its end if it is longer."""
    if width(text) <= columns:
        return text
    end = min(len(text), columns)
    while end and width(text[:end]) > columns - 1:
        end -= 1
    return text[:end].rstrip() + "…" * (columns > 0)


def kilobytes(count: int) -> str:
    """Return a number of bytes in KB, rounded up."""
    return f"{(count + 1023) >> 10:,} KB"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, such as "1 file" or "3 files"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def up_to(entries: "Iterable[str]", room: int) -> list[str]:
    """Return the first entries, up to one that no longer fits into `room` characters."""
    made: list[str] = []
    for entry in entries:
        made.append(entry)
        room -= len(entry) + 1
        if room < 0:
            break
    return made


def fitted(title: str, entries: "Iterable[str]", room: int) -> tuple[str, int]:
    """Return a section with the first entries that fit into `room` characters, and their number."""
    lines = [f"## {title}"]
    for entry in entries:
        room -= len(entry) + 1
        if room < len(lines[0]) + 1:
            break
        lines.append(entry)
    return ("\n".join(lines) if lines[1:] else "", len(lines) - 1)
