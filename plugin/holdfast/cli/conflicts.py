"""The command `conflicts`: files that several sessions work on."""

import click

from holdfast.cli.app import OUTPUT, cli, own_session, print_json, take_survey
from holdfast.sessions import conflicts
from holdfast.sessions.workspace import Workspace


@cli.command("conflicts")
@OUTPUT
@click.pass_obj
def list_conflicts(workspace: Workspace, output: str) -> None:
    """List the files that several are at work on, or another live session: who changed them lately, and where."""
    survey = take_survey(workspace)
    found = conflicts.listed(workspace.project, own_session(), survey, workspace.now)
    if output == "json":
        print_json([conflicts.row(changes) for changes in found])
        return
    for changes in found:
        click.echo("\n".join(conflicts.lines(changes, workspace.now)))
    if not found:
        click.echo(f"No file was changed by another live session in the last {survey.settings.overlap_minutes} min.")
