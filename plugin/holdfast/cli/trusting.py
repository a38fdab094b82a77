"""Texts that came with a clone or a pull: shown to a person, and accepted by one."""

import sys
import time

import click

from holdfast import codec, provenance, trust
from holdfast.cli.app import FORMAT, cli, rooted
from holdfast.paths import Place
from holdfast.trust import Stranger

_ALL = "Every state file here was written or accepted here."


@cli.command("trust")
@click.argument("wanted", metavar="[PATH]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every file that is not accepted.")
@click.option("-y", "--yes", is_flag=True, help="Accept without a question.")
@FORMAT
@click.pass_obj
def accept(  # click passes flags so
    place: Place,
    wanted: tuple[str, ...],
    everything: bool,  # noqa: FBT001 - click's way
    yes: bool,  # noqa: FBT001 - click's way
    shape: str,
) -> int:
    """List the files that came with the repository and are not accepted, or show those at PATH and accept them.

    Claude is told title, status and path of such a file, and no more, until a person accepts its text.
    """
    rooted(place)
    now = time.time()
    found, known = trust.named(place, wanted, now) if wanted else (trust.strangers(place, now), [])
    if not (wanted or everything):
        return _listed(found, now, shape)
    if shape == "text":
        _show(found, known, now)
    return _accepted(found, now, shape, yes=yes) if found else _listed(found, now, shape)


def _listed(found: list[Stranger], now: float, shape: str) -> int:
    """Print the files, without their texts, and how they are accepted."""
    if shape == "json":
        click.echo(codec.dumps([one.row() for one in found]))
    elif found:
        click.echo("\n".join(one.line(now) for one in found))
        click.echo("Read and accept one: holdfast trust PATH; all of them: holdfast trust --all")
    else:
        click.echo(_ALL)
    return 0


def _show(found: list[Stranger], known: list[str], now: float) -> None:
    """Print what is to be accepted; where Claude would read it, no more than may enter its context."""
    for name in known:
        click.echo(f"{name} is accepted already.")
    for one in found:
        click.echo(one.line(now))
        if not provenance.told_to_claude():
            click.echo(f"{one.text()}\n")


def _accepted(found: list[Stranger], now: float, shape: str, *, yes: bool) -> int:
    """Accept what was shown once a person says so; Claude is none, and where nobody can be asked nobody did."""
    names = ", ".join(one.name for one in found)
    if provenance.told_to_claude():
        return _left(found, now, shape, "A person accepts it: the user types this in a terminal of their own.")
    if not yes and not (sys.stdin.isatty() and shape == "text"):
        return _left(found, now, shape, "Nobody could be asked. To accept it, type this again with --yes.")
    if not yes and not click.confirm(f"Let Claude read the text of {names}?"):
        return _left(found, now, shape, "As you wish.")
    for one in found:
        one.accept()
    told = [{**one.row(), "accepted": True} for one in found]
    click.echo(codec.dumps(told) if shape == "json" else f"Accepted: {names}")
    return 0


def _left(found: list[Stranger], now: float, shape: str, why: str) -> int:
    """Say why nothing was accepted."""
    if shape == "json":
        _listed(found, now, shape)
    click.echo(f"holdfast: nothing was accepted. {why}", err=True)
    return 1
