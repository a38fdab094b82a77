"""Sessions as a table for people: the only importer of rich."""

import os
import sys

from holdfast import clock, text
from holdfast.session import Session, text_of

_WIDE = 200  # columns where nobody's terminal says how wide it is


def show(sessions: list[Session], now: float) -> None:
    """Print one row a session, in the terminal's width; never wrapped when piped."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in (
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
    ):
        table.add_column(heading, no_wrap=heading != "title", overflow="ellipsis")
    for session in sessions:
        table.add_row(*(Text(cell) for cell in _cells(session, now)))
    width = None if sys.stdout.isatty() else _WIDE
    Console(width=width, highlight=False, soft_wrap=False).print(table)


def _cells(session: Session, now: float) -> tuple[str, ...]:
    """Return the cells of one row."""
    worktree = os.path.basename(session.worktree)
    return (
        session.id[:8] if session.journaled else session.id,
        text.line(session.title, 60),
        text.line(session.status, 24) or "-",
        text_of(session.digest, "dialect") or "-",
        "live" if session.live else "stale" if session.stale else "-",
        text.line(session.branch, 40) or "-",
        text.line(worktree, 30) or "-",
        clock.ago(now - session.heard),
        str(len(session.files)),
        str(len(session.children)),
    )
