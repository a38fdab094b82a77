"""The command `conflicts`: files that several sessions work on."""

import click

from holdfast.cli import screen
from holdfast.cli.app import HEADER, OUTPUT, cli, own_session, print_json, say, say_nothing, take_survey
from holdfast.core import clock
from holdfast.sessions import conflicts
from holdfast.sessions.conflicts import Change
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

_HEADINGS = ("PATH", "CHANGED", "SESSION", "TITLE", "AGENT", "BRANCH", "WORKTREE")  # in a pipe


@cli.command("conflicts")
@HEADER
@OUTPUT
@click.pass_obj
def list_conflicts(workspace: Workspace, *, header: bool, output: str) -> None:
    """List the files that several are at work on, or another live session: who changed them lately, and where."""
    survey = take_survey(workspace)
    found = conflicts.listed(survey, own_session())
    if output == "json":
        print_json([_row(changes) for changes in found])
        return
    if found and not screen.size():
        rows = [_cells(change) for changes in found for change in changes]
        click.echo("\n".join(screen.tabbed(_HEADINGS, rows, header=header)))
    elif found:
        say(*(line for changes in found for line in _lines(changes, workspace.now)))
    else:
        say_nothing(f"No file was changed by another live session in the last {survey.settings.overlap_minutes} min.")


def _row(changes: list[Change]) -> "dict[str, object]":
    """Return the changes of one file as JSON gives them; contested is what several are at work on."""
    return {
        "path": changes[0].path,
        "contested": len(changes) > 1,
        "changes": [change.row() for change in changes],
    }


def _cells(change: Change) -> tuple[str, ...]:
    """Return the cells of a change for a pipe."""
    agent, title = change.type or change.agent, safe.line(change.session.title, 200)
    at = "" if change.declared else clock.write(change.at)
    return safe.line(change.path, 400), at, change.session.id, title, agent, change.branch, change.worktree


def _lines(changes: list[Change], now: float) -> list[str]:
    """Return the changes of one file for people."""
    contested = f" ({len(changes)} at work on it)" if len(changes) > 1 else ""
    return [
        f"{safe.line(changes[0].path, 200)}{contested}",
        *(f"  {change.when(now)}: {change.label}" for change in changes),
    ]
