"""The end of a piece of work: what is left to do, and the file that goes."""

import time

import click

from holdfast import codec, lifecycle, views
from holdfast.cli.app import FORMAT, IDENT, cli, followed, meant, prepared, told_unplaced
from holdfast.paths import Place
from holdfast.sync import Synced


@cli.command()
@IDENT
@click.option("--check", is_flag=True, help="Only print what is to be done; nothing is written.")
@click.option("--delete", is_flag=True, help="Delete the file; only with nothing uncommitted.")
@click.option("--force", is_flag=True, help="With --delete: even so. What git does not have yet it is given first.")
@FORMAT
@click.pass_obj
def close(  # noqa: PLR0913 - one for each option
    place: Place, *, ident: str, check: bool, delete: bool, force: bool, shape: str
) -> int:
    """Set a state file to completed and print what is to be done before it goes; with --delete it goes.

    Without ID your own or the only active one is meant; with --check or --delete also the only one that is completed.
    """
    if check and delete:
        raise click.UsageError("Give --check or --delete, not both.")
    if not check:
        prepared(place)
    now = time.time()
    hit, survey = meant(place, ident, now, over=check or delete)
    name = hit.session.state_name
    if delete:
        told = lifecycle.delete(place, hit, survey.settings, force=force)
        click.echo(codec.dumps({"path": name, "deleted": True, "told": told}) if shape == "json" else "\n".join(told))
        return 0
    done = None if check else lifecycle.turn(place, hit, "completed", survey.dialects, survey.settings)
    if done:
        followed(place, hit, now)
    moved, left = lifecycle.checklists(place, hit, survey.dialects)
    if shape == "json":
        items = {"knowledge": [item.row() for item in moved], "items": [item.row() for item in left]}
        click.echo(codec.dumps({**_told(done, name), **items}))
    else:
        told = views.synced_lines(done, name) if done else []
        click.echo("\n".join([*told, *lifecycle.checklist_lines(moved, left)]))
    return told_unplaced(done) if done else 0


def _told(done: Synced | None, name: str) -> dict[str, object]:
    """Return what was written as values."""
    return views.synced_row(done, name) if done else {"path": name, "written": False}
