"""What was kept of sessions when they were compacted, and the way back to it."""

import os
import time

import click

from holdfast import clock, codec, table, text
from holdfast.cache import Cache
from holdfast.cli.app import FORMAT, cli, prepared
from holdfast.compaction import restoring, snapshots
from holdfast.compaction.given import Given
from holdfast.compaction.snapshots import Snapshot
from holdfast.errors import HoldfastError
from holdfast.paths import Place
from holdfast.session import text_of
from holdfast.settings import usable


@cli.command("snapshots")
@click.argument("name", metavar="[NAME]", default="")
@click.option("--state", is_flag=True, help="Print the state file as it was, byte for byte.")
@FORMAT
@click.pass_obj
def show_snapshots(place: Place, name: str, state: bool, shape: str) -> None:  # noqa: FBT001 - click passes flags so
    """List the snapshots that compactions left, those of the session NAME, or show the one that is called so."""
    known = snapshots.everyone(place.store) if place.store else []
    of_session = [one for one in known if name and one.session.startswith(name)]
    one = None if not name or (of_session and not state) else snapshots.named(place.store, name)
    if one and state:
        _print_state(one)
    elif one:
        click.echo(codec.dumps(_whole(one)) if shape == "json" else "\n".join(_lines(one)))
    elif shape == "json":
        click.echo(codec.dumps([_row(each) for each in of_session or known]))
    elif known:
        table.show_snapshots(of_session or known, time.time())
    else:
        click.echo("There are no snapshots yet: one is taken before each compaction.")


@cli.command("restore")
@click.argument("name", metavar="SNAPSHOT")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.pass_obj
def restore_snapshot(place: Place, name: str, dry_run: bool) -> None:  # noqa: FBT001 - click passes flags so
    """Set a state file back to what SNAPSHOT has of it; what stands there now becomes a snapshot itself."""
    prepared(place)
    found, now = snapshots.named(place.store, name), time.time()
    settings, complaint = usable(place.root, os.environ, Cache(place.store))
    if complaint:
        click.echo(f"holdfast: {complaint}", err=True)
    done = restoring.preview(place, found) if dry_run else restoring.restore(place, found, settings, now)
    click.echo(done.diff, nl=False)
    if not done.diff:
        click.echo(f"{text.line(done.name)} says so already; nothing was written.")
    elif not dry_run:
        click.echo(f"Restored {text.line(done.name)} as it was at {_when(found)}.")
        click.echo(f"Undo: holdfast restore {done.undo}" if done.undo else f"It was gone; undo: remove {done.name}")
    if done.unstaged:
        click.echo(f"holdfast: {done.unstaged}", err=True)


def _print_state(one: Snapshot) -> None:
    """Print a state file's own bytes."""
    state = one.state
    if state is None:
        raise HoldfastError(f"{one.name} has no state file: its session had none. Type: holdfast snapshots {one.name}")
    click.echo(state, nl=False)


def _when(one: Snapshot) -> str:
    return f"{clock.write(one.at, '%Y-%m-%d %H:%M:%S')} UTC"


def _row(one: Snapshot) -> dict[str, object]:
    """Return what a list has of a snapshot."""
    return {
        "name": one.name,
        "session": one.session,
        "at": clock.write(one.at),
        "trigger": one.trigger,
        "path": one.path,
        "severity": one.severity,
        "compacted": one.over,
        "left_out": [each.row() for each in one.brought],
    }


def _whole(one: Snapshot) -> dict[str, object]:
    """Return all that a snapshot holds but the bytes of the state file."""
    return {**_row(one), "facts": one.facts, "summary": one.summary}


def _lines(one: Snapshot) -> list[str]:
    """Return a snapshot as people read it."""
    told = [
        f"Snapshot {one.name} of session {one.session}",
        f"Taken: {_when(one)}, before {_what(one)}",
        f"Title: {text.line(text_of(one.facts, 'title'))}",
        *([f"State file: {text.line(one.path)}"] if one.path else []),
        *([f"Drift: {one.severity}"] if one.severity else []),
    ]
    told += _part("Given to the summariser", one.given)
    if one.over:
        told += _part("Left out by the summary, and brought back", one.brought) or ["", "The summary has all of it."]
    summary = text.safe(one.summary).strip()
    return [*told, *(["", "The summary:", *(f"> {line}".rstrip() for line in summary.splitlines())] if summary else [])]


def _what(one: Snapshot) -> str:
    """Return what a snapshot was taken before."""
    if one.trigger == "restore":
        return "a restore"
    kind = "an automatic" if one.trigger == "auto" else "a manual"
    return f"{kind} compaction{'' if one.over else ', which did not take place'}"


def _part(title: str, given: list[Given]) -> list[str]:
    return ["", f"{title}:", *(f"- {one.line()}" for one in given)] if given else []
