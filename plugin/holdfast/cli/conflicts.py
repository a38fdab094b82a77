"""Which files are in use, and by whom."""

import time

import click

from holdfast import codec, conflicts, sessions
from holdfast.cli.app import FORMAT, cli, own_session
from holdfast.paths import Place


@cli.command("conflicts")
@FORMAT
@click.pass_obj
def list_conflicts(place: Place, shape: str) -> None:
    """List the files that several are at work on, or another live session: who changed them lately, and where."""
    now = time.time()
    survey = sessions.survey(place, now)
    if survey.complaint:
        click.echo(f"holdfast: {survey.complaint}", err=True)
    found = conflicts.listed(place, own_session(), survey, now)
    if shape == "json":
        click.echo(codec.dumps([conflicts.row(changes) for changes in found]))
        return
    for changes in found:
        click.echo("\n".join(conflicts.lines(changes, now)))
    if not found:
        click.echo(f"No file was changed by another live session in the last {survey.settings.overlap_minutes} min.")
