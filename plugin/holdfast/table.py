"""Sessions, loops and snapshots as tables for people: the only importer of rich."""

import os
import sys
from collections.abc import Sequence

from holdfast import clock, text
from holdfast.compaction.snapshots import Snapshot
from holdfast.loops.loop import Loop
from holdfast.session import Session, text_of

_WIDE = 200  # columns where nobody's terminal says how wide it is


def show(sessions: list[Session], now: float) -> None:
    """Print one row a session."""
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
    _show(headings, [_cells(session, now) for session in sessions])


def show_loops(loops: list[Loop]) -> None:
    """Print one row a loop."""
    rows = [
        (loop.ident, text.line(loop.title), text.line(loop.status, 24), text.line(loop.captured, 24)) for loop in loops
    ]
    _show(("id", "title", "status", "captured"), rows)


def show_snapshots(snapshots: list[Snapshot], now: float) -> None:
    """Print one row a snapshot."""
    rows = [
        (
            one.name,
            one.session[:8],
            text.line(text_of(one.facts, "title"), 60),
            one.trigger or "-",
            clock.ago(now - one.at),
            one.severity or "-",
            str(sum(len(each.names) for each in one.brought)) if one.over else "-",
        )
        for one in snapshots
    ]
    _show(("snapshot", "session", "title", "before", "taken", "drift", "brought back"), rows)


def _show(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print a table in the terminal's width; never wrapped when piped."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, no_wrap=heading != "title", overflow="ellipsis")
    for row in rows:
        table.add_row(*map(Text, row))
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
