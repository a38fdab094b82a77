"""What a state file says against what was measured: how much has drifted, and how each difference is settled."""

import time

import click

from holdfast import codec, recovery, text
from holdfast.cli.app import FORMAT, IDENT, cli, meant, own_session
from holdfast.drifts.severity import is_marked
from holdfast.errors import HoldfastError
from holdfast.paths import Place
from holdfast.recovery import Report


@cli.command("drift")
@IDENT
@click.option("--check", is_flag=True, help="Exit with 1 where the drift is marked or severe.")
@FORMAT
@click.pass_obj
def drift(place: Place, ident: str, check: bool, shape: str) -> int:  # noqa: FBT001 - click's way
    """Say how much has happened that a state file does not say, item by item with its evidence."""
    now = time.time()
    report = _report(place, ident, now, calls=shape == "json")
    if shape == "json":
        click.echo(codec.dumps(recovery.row(report)))
    else:
        way = f"What settles each of them: holdfast recover{f' {text.shell(ident)}' if ident else ''}"
        click.echo("\n".join([*recovery.summary(report, now), *([way] if report.items else [])]))
    return 1 if check and (report.problem or is_marked(report.severity)) else 0


@cli.command("recover")
@IDENT
@click.option("--check", is_flag=True, help="Exit with 1 where anything has drifted.")
@FORMAT
@click.pass_obj
def recover(place: Place, ident: str, check: bool, shape: str) -> int:  # noqa: FBT001 - click's way
    """Say what a state file leaves out or has wrong, item by item, each with the line that settles it."""
    now = time.time()
    report = _report(place, ident, now, calls=True)
    if shape == "json":
        click.echo(codec.dumps(recovery.row(report)))
    else:
        click.echo("\n".join(recovery.lines(report, now)))
    return 1 if check and (report.items or report.problem) else 0


def _report(place: Place, ident: str, now: float, *, calls: bool) -> Report:
    """Return the report on the state file that is meant; HoldfastError where that is not one piece of work."""
    hit, survey = meant(place, ident, now, over=True)
    if hit.entry or hit.session.shared:
        raise HoldfastError(
            f"{hit.name} is not the state file of one piece of work. Name one: holdfast list --all shows them."
        )
    return recovery.look(hit.session, survey, now, own=own_session(), calls=calls)
