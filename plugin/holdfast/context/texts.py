"""Compose short lists for Claude and the user: as many entries as fit, and how many more there are."""

from holdfast.trust import safe


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


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, such as "1 file" or "3 files"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
