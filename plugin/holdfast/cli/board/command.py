"""The command `board`: all sessions in a full-screen application.

Its first picture is painted before Textual is there, which takes longer to load than the sessions.
"""

import os
import shutil
import sys
from contextlib import contextmanager

import click

from holdfast.cli import screen
from holdfast.cli.app import cli, require_store
from holdfast.cli.board import lines
from holdfast.context.short_lists import cut
from holdfast.core.errors import HoldfastError
from holdfast.overview.board import Board
from holdfast.sessions.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.overview.board import Row

_WIDTH, _LEAST, _MOST = 40, 30, 76  # of the list: percent of the columns, and its limits in columns; see `BoardApp.CSS`
_FRAME = 2  # lines above and below the list
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l\x1b[2J", "\x1b[?1049l\x1b[?25h"  # the screen of applications, without cursor

_REVERSE, _PLAIN = "\x1b[7m", "\x1b[0m"


@cli.command()
@click.pass_obj
def board(workspace: Workspace) -> None:
    """Show all sessions on one screen: read, resume, pause, close and search them.

    `holdfast` alone opens it in a terminal if there are several sessions.
    """
    require_store(workspace.project)
    if not screen.can_ask() or os.environ.get("TERM", "") == "dumb":
        raise HoldfastError("the board needs a terminal that it can draw on. The same sessions: holdfast list --all")
    sessions = Board(workspace.project)
    rows = sessions.begin()
    with shown(rows):
        from holdfast.cli.board.app import BoardApp

    app = BoardApp(sessions, rows)
    app.run()
    if app.failure:
        raise app.failure


@contextmanager
def shown(rows: "Sequence[Row]") -> "Iterator[None]":
    """Show the list while the application is loaded, which then draws over it; after a failure the screen is left."""
    size = shutil.get_terminal_size()
    sys.stdout.write(_ENTER + painted(rows, (size.columns, size.lines)))
    sys.stdout.flush()
    try:
        yield
    except BaseException:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()
        raise


def painted(rows: "Sequence[Row]", size: tuple[int, int]) -> str:
    """Return what draws the top line and the list as the application does, on a screen of so many columns and lines."""
    columns, height = size[0], max(0, size[1] - _FRAME)
    headed = lines.under_headings(rows)
    width = min(columns, max(_LEAST, min(_MOST, columns * _WIDTH // 100))) - (len(headed) > height)
    drawn = [screen.paint(cut(f" holdfast: {lines.summary(rows, '')}", columns - 1), "bold")]
    chosen = next((at for at, line in enumerate(headed) if not isinstance(line, str)), -1)
    for at, line in enumerate(headed[:height]):
        cells = [(line, "bold")] if isinstance(line, str) else lines.cells(line, width)
        reverse = _REVERSE if at == chosen else ""
        drawn.append("".join(reverse + screen.paint(text, style) for text, style in cells) + _PLAIN)
    return "".join(f"\x1b[{at};1H{text}" for at, text in enumerate(drawn, 1))
