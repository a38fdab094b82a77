"""What fits a terminal: its size, columns, colours and cut lines; for a pipe, rows with tabs. Imports little."""

import os
import sys
from collections.abc import Iterable, Sequence
from typing import Self

from holdfast.context.short_lists import cut
from holdfast.core.words import width
from holdfast.project import paths

JSON = "holdfast.json"  # whether JSON was asked for
HEADINGS = "holdfast.headings"  # whether a pipe gets the names of columns
FORCED = "HOLDFAST_SCREEN"  # a size such as 80x24: print as for such a terminal, without colours
_DEFAULT = (80, 24)  # columns and lines if the terminal reports none
_PASTED = ("holdfast ", "git ", "cp ", "cd ", "claude ")  # a command is one line, so that it can be copied
_BOX = "- [x] "
_GAP = 2  # columns between two cells
_CODES = {"bold": "1", "dim": "2", "green": "32", "yellow": "33", "cyan": "36"}


class Cell(str):
    """A text in one of the styles of `_CODES`."""

    __slots__ = ("style",)
    style: str

    def __new__(cls, text: str, style: str = "") -> Self:
        """Make a cell."""
        cell = super().__new__(cls, text)
        cell.style = style
        return cell


def size() -> tuple[int, int] | None:
    """Return columns and lines of the terminal that standard output is, None for a pipe."""
    columns, _, lines = os.environ.get(FORCED, "").partition("x")
    if columns.isdecimal() and lines.isdecimal():
        return max(20, int(columns)), max(5, int(lines))
    if not in_terminal():
        return None
    try:
        found = os.get_terminal_size(1)
    except OSError:
        return _DEFAULT
    return found.columns or _DEFAULT[0], found.lines or _DEFAULT[1]


def in_terminal() -> bool:
    """Whether standard output is a terminal."""
    return bool(sys.stdout) and sys.stdout.isatty()


def can_ask() -> bool:
    """Whether a person types and reads: both standard input and standard output are a terminal."""
    return in_terminal() and not os.environ.get(FORCED) and bool(sys.stdin) and sys.stdin.isatty()


def coloured() -> bool:
    """Whether standard output shows colours, and the user has not turned them off."""
    allowed = not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"
    return allowed and in_terminal() and not os.environ.get(FORCED)


def paint(text: str, style: str) -> str:
    """Return a text in a style, or as it is where no colours are shown."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if style and text and coloured() else text


def fold(text: str, columns: int, indent: str = "") -> list[str]:
    """Return a text as lines that fit, broken between words; all but the first begin with `indent`."""
    lines, line = [], ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line.strip() else line + word
        if line.strip() and width(longer) > columns:
            lines.append(line)
            longer = indent + word
        line = longer
    return [*lines, line]


def fitted(lines: "Iterable[str]", columns: int = 0) -> list[str]:
    """Return lines broken between words where they are wider than the screen; in a pipe as they are.

    A broken line continues below its own text. `columns` is the width to fit, by default that of standard output.
    """
    known = size()
    columns = columns or (known[0] if known else 0)
    whole = "\n".join(lines).split("\n")
    if columns and not os.environ.get(FORCED) and (command := paths.typed()) != "holdfast":
        import re

        whole = [re.sub(r"((?:^|[:,] |[`(]))holdfast (?=[a-z])", rf"\1{command} ", line) for line in whole]
    return [part for line in whole for part in _broken(line, columns)] if columns else whole


def _broken(line: str, columns: int) -> list[str]:
    """Return a line as lines of at most so many columns, unless a word has more."""
    if width(line) <= columns or "\x1b" in line or line.lstrip(" ").startswith(_PASTED):  # a painted line fits already
        return [line]
    colon = max(line.rfind(f": {command}") for command in _PASTED)
    command = line[colon + 2 :] if colon >= 0 else ""
    line = _without_folder(line.removesuffix(command)) + command
    text = line.lstrip(" ")
    lead = " " * (len(line) - len(text))
    below = " " * (len(_BOX) if text.startswith("- [") else 2)
    parts = fold(text, columns - len(lead), below)
    if command and not any(command in part for part in parts):
        return [*_broken(lead + text.removesuffix(command).rstrip(), columns), lead + below + command]
    return [lead + part for part in parts]


def _without_folder(line: str) -> str:
    """Return a line without the folder of state files before their names, which is the same for all of them.

    A command keeps it, because it is typed as it is.
    """
    return " ".join(word.removeprefix(f"{paths.STATE_FOLDER}/") for word in line.split(" "))


def folded_error(text: str) -> list[str]:
    """Return an error as lines: broken between words where standard error is a terminal, else as it is."""
    if os.environ.get(FORCED):
        return fitted([text])
    lines = text.split("\n")
    if not (sys.stderr and sys.stderr.isatty()):
        return lines
    try:
        columns = os.get_terminal_size(2).columns
    except OSError:
        columns = 0
    return fitted(lines, columns or _DEFAULT[0])


def widths(rows: "Iterable[Sequence[str]]", columns: int, flexible: int = 1) -> list[int]:
    """Return the width of each column of a table that fits into so many columns, 0 for one that is left out.

    The first row has the headings. A column that is empty in all other rows is left out.
    Columns from the last on are left out until the `flexible` one has room; that one takes what the others leave.
    """
    natural = [_natural(cells) for cells in zip(*rows, strict=True)]
    least = min(natural[flexible], max(16, columns // 3))
    room_of = [room if at < flexible else 0 for at, room in enumerate(natural)]
    left = columns - sum(room + _GAP for room in room_of if room)
    for at in range(flexible + 1, len(natural)):
        if left - natural[at] - _GAP < least:
            break
        room_of[at] = natural[at]
        left -= natural[at] + _GAP if natural[at] else 0
    room_of[flexible] = min(natural[flexible], max(1, left))
    return room_of


def _natural(cells: "Sequence[str]") -> int:
    """Return the width of a column, 0 if all but its heading is empty."""
    return 0 if all(cell in {"", "-"} for cell in cells[1:]) else max(map(width, cells))


def row(cells: "Sequence[str]", columns: "Sequence[int]") -> str:
    """Return the cells of a row in columns of these widths, painted."""
    line, gap = "", 0
    for cell, room in zip(cells, columns, strict=True):
        if room:
            shown = cut(cell, room)
            line += " " * gap + paint(shown, getattr(cell, "style", ""))
            gap = _GAP + room - width(shown)
    return line.rstrip()


def table(headings: "Sequence[str]", rows: "Sequence[Sequence[str]]", *, flexible: int = 1) -> list[str]:
    """Return a table as lines: fitted to a terminal under its headings, as `widths` says, else as `tabbed`."""
    known = size()
    if not known:
        return tabbed(headings, rows)
    columns = widths([headings, *rows], known[0], flexible)
    return [paint(row(headings, columns), "dim"), *(row(cells, columns) for cells in rows)]


def tabbed(headings: "Sequence[str]", rows: "Iterable[Sequence[str]]") -> list[str]:
    """Return rows for a program to read: cells with tabs between them, no spaces added, headings with `--header`."""
    import click  # the status line prints no table

    context = click.get_current_context(silent=True)
    first = [headings] if headings and context and context.meta.get(HEADINGS) else []
    return ["\t".join([" ".join(cell.split()) for cell in cells]) for cells in (*first, *rows)]


def page(lines: list[str], more: str, reserve: int = 1) -> list[str]:
    """Return as many lines as fit a terminal above the next prompt, and then `more`; in a pipe all of them.

    `more` may contain `{}`, which becomes the number of lines that are left out. `reserve` lines stay free.
    """
    known = size()
    if not known or len(lines) <= known[1] - reserve:
        return lines
    kept = lines[: max(1, known[1] - reserve - 1)]
    return [*kept, paint(more.format(len(lines) - len(kept)), "dim")]
