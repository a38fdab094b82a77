"""The command `board`: all sessions in a full-screen application."""

import os

import click

from holdfast.cli import screen
from holdfast.cli.app import cli, require_store
from holdfast.cli.board.lines import shown
from holdfast.core.errors import HoldfastError
from holdfast.overview.board import Board
from holdfast.sessions.workspace import Workspace


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
