"""The command `board`: all sessions in a full-screen application, as plain text, or as JSON."""

import os

import click

from holdfast.cli import empty, screen
from holdfast.cli.app import HEADER, cli, print_json, say, say_nothing, warn, with_json
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.overview.board import Board
from holdfast.project import known_projects
from holdfast.project.paths import Project
from holdfast.sessions.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.overview.watched import Row

_HEADINGS = ("ID", "TITLE", "GROUP", "STATUS", "PROCESS", "LAST ACTIVE", "TASKS", "FILES", "BRANCH", "PROJECT")


@cli.command()
@click.option("--everywhere", is_flag=True, help="The sessions of all projects of this machine.")
@click.option("--plain", is_flag=True, help="Numbered lists and questions, line by line, as for a screen reader.")
@HEADER
@with_json
@click.pass_obj
def board(workspace: Workspace, *, everywhere: bool, plain: bool, header: bool, output: str) -> None:
    """Show all sessions on one screen: read, resume, pause, close and search them.

    In a pipe it prints the sessions as a list. `holdfast` alone opens it in a terminal if there are several sessions.
    """
    found = Board(_projects(workspace.project, everywhere=everywhere))
    if output == "json" or not (plain or screen.can_ask()):
        _print(found, workspace.project, output, header=header)
    elif plain or os.environ.get("TERM", "") == "dumb":
        from holdfast.cli.board.plain import Plain

        Plain(found, projects=everywhere).run()
    else:
        rows = found.begin()
        from holdfast.cli.board import first

        with first.shown(rows, projects=everywhere):
            from holdfast.cli.board.app import BoardApp

        app = BoardApp(found, rows, projects=everywhere)
        app.run()
        if app.failure:
            raise app.failure


def _projects(project: Project, *, everywhere: bool) -> list[Project]:
    """Return the projects whose sessions are shown, this one first."""
    known = known_projects.projects(os.environ) if everywhere else []
    others = [one for one in known if one.store != project.store]
    if not project.store and not others:
        raise HoldfastError(f"{project.root} is not in git and not prepared. Type: holdfast init")
    return [*([project] if project.store else []), *others]


def _print(found: Board, project: Project, output: str, *, header: bool) -> None:
    """Print the sessions for a program."""
    rows = found.read()
    for line in found.notes():
        warn(line)
    if output == "json":
        print_json([_row(row) for row in rows])
    elif rows:
        say(*screen.tabbed(_HEADINGS, [_cells(row) for row in rows], header=header))
    else:
        say_nothing(empty.nothing_known(project))


def _row(row: "Row") -> dict[str, object]:
    """Return the JSON object of a session."""
    last_active = clock.write(row.last_active) if row.last_active else ""
    shown = {name: value for name, value in row._asdict().items() if name not in {"key", "ident", "last_active"}}
    return {"id": row.ident, **shown, "last_heard": last_active}


def _cells(row: "Row") -> tuple[str, ...]:
    """Return the cells of a session for a pipe."""
    last_active = clock.write(row.last_active) if row.last_active else ""
    own = (row.ident, row.title, row.group, row.status, row.process, last_active, row.tasks, str(row.files), row.branch)
    return (*own, row.root)
