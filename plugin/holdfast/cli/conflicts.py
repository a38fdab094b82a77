"""The command `conflicts`: files that several sessions work on."""

import click

from holdfast.cli.app import OUTPUT, cli, own_session, print_json, take_survey
from holdfast.sessions import conflicts
from holdfast.sessions.conflicts import Change
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe


@cli.command("conflicts")
@OUTPUT
@click.pass_obj
def list_conflicts(workspace: Workspace, output: str) -> None:
    """List the files that several are at work on, or another live session: who changed them lately, and where."""
    survey = take_survey(workspace)
    found = conflicts.listed(workspace.project, own_session(), survey, workspace.now)
    if output == "json":
        print_json([_row(changes) for changes in found])
        return
    for changes in found:
        click.echo("\n".join(_lines(changes, workspace.now)))
    if not found:
        click.echo(f"No file was changed by another live session in the last {survey.settings.overlap_minutes} min.")


def _row(changes: list[Change]) -> "dict[str, object]":
    """Return the changes of one file as JSON gives them; contested is what several are at work on."""
    return {
        "path": changes[0].path,
        "contested": len(changes) > 1,
        "changes": [change.row() for change in changes],
    }


def _lines(changes: list[Change], now: float) -> list[str]:
    """Return the changes of one file for people."""
    contested = f" ({len(changes)} at work on it)" if len(changes) > 1 else ""
    return [
        f"{safe.line(changes[0].path, 200)}{contested}",
        *(f"  {change.when(now)}: {change.label}" for change in changes),
    ]
