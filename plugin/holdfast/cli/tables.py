"""Tables of sessions, loops and snapshots. The only importer of rich."""

import os
import sys

from holdfast.core import clock
from holdfast.journal.session import text_of
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.context.compaction.snapshots import Snapshot
    from holdfast.memory.loops.loop import Loop
    from holdfast.sessions.session import Session

_PIPE_WIDTH = 200  # columns, without a terminal
_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE")  # variables that make rich treat a pipe as a terminal
_GAP = 3  # columns between two cells


def sessions(rows: "list[Session]", now: float) -> str:
    """Return a table with one row for each session; `now` is in seconds since 1970."""
    headings = (
        "session",
        "title",
        "status",
        "dialect",
        "state",
        "branch",
        "worktree",
        "heard",
        "files",
        "children",
    )
    return _table(headings, [_cells(session, now) for session in rows])


def loops(found: "list[Loop]") -> str:
    """Return a table with one row for each loop."""
    rows = [
        (loop.ident, safe.line(loop.title), safe.line(loop.status, 24), safe.line(loop.captured, 24)) for loop in found
    ]
    return _table(("id", "title", "status", "captured"), rows)


def snapshots(found: "list[Snapshot]", now: float) -> str:
    """Return a table with one row for each snapshot."""
    rows = [
        (
            one.name,
            one.session[:8],
            safe.line(text_of(one.facts, "title"), 60),
            one.trigger or "-",
            clock.ago(now - one.at),
            one.severity or "-",
            str(sum(len(each.names) for each in one.omissions)) if one.took_place else "-",
        )
        for one in found
    ]
    return _table(("snapshot", "session", "title", "before", "taken", "drift", "brought back"), rows)


def _table(headings: "tuple[str, ...]", rows: "Sequence[tuple[str, ...]]") -> str:
    """Return a table as text: as wide as the terminal, never wrapped in a pipe."""
    return _plain([headings, *rows]) or _fitted(headings, rows)


def _plain(rows: "list[tuple[str, ...]]") -> str:
    """Return a table for a pipe exactly as rich would, "" when it does not fit or only rich can print it.

    Importing rich takes three times as long as starting Python.
    """
    encoding = getattr(sys.stdout, "encoding", "") or "utf-8"
    simple = not _in_terminal() and encoding.lower().startswith("utf") and os.environ.keys().isdisjoint(_FORCING)
    if not simple or not all(cell.isprintable() for row in rows for cell in row):
        return ""
    cell_widths = [[_width(cell) for cell in row] for row in rows]
    widths = [max(column) for column in zip(*cell_widths, strict=True)]
    total = sum(widths) + _GAP * (len(widths) - 1)
    if total + 2 > _PIPE_WIDTH:
        return ""
    lines = [
        (" " * _GAP).join(cell + " " * (widths[at] - cell_widths[number][at]) for at, cell in enumerate(row))
        for number, row in enumerate(rows)
    ]
    return "".join(f" {line} \n" for line in [" " * total, lines[0], "─" * total, *lines[1:], " " * total])


def _in_terminal() -> bool:
    """Whether standard output is a terminal."""
    return bool(sys.stdout) and sys.stdout.isatty()


def _width(cell: str) -> int:
    """Return the number of columns of a text."""
    if cell.isascii():
        return len(cell)
    from rich.cells import cell_len

    return cell_len(cell)


def _fitted(headings: "tuple[str, ...]", rows: "Sequence[tuple[str, ...]]") -> str:
    """Return a table that rich fits to the width of the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, no_wrap=heading != "title", overflow="ellipsis")
    for row in rows:
        table.add_row(*map(Text, row))
    width = None if _in_terminal() else _PIPE_WIDTH
    console = Console(width=width, highlight=False, soft_wrap=False)
    with console.capture() as printed:
        console.print(table)
    return printed.get()


def _cells(session: "Session", now: float) -> "tuple[str, ...]":
    """Return the cells of the row of a session."""
    worktree = os.path.basename(session.worktree)
    return (
        session.id[:8] if session.journaled else session.id,
        safe.line(session.title, 60),
        safe.line(session.status, 24) or "-",
        text_of(session.summary, "format") or "-",
        "live" if session.live else "stale" if session.stale else "-",
        safe.line(session.branch, 40) or "-",
        safe.line(worktree, 30) or "-",
        clock.ago(now - session.heard),
        str(len(session.files)),
        str(len(session.children)),
    )
