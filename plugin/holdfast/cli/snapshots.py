"""The commands `snapshots` and `restore`: what was kept before each compaction, and how to return to it."""

import click

from holdfast.actions import restore
from holdfast.cli import screen, tables
from holdfast.cli.app import HEADER, cli, print_json, require_store, say, say_nothing, warn, with_json
from holdfast.cli.output import is_json, reports
from holdfast.context.compaction import snapshots
from holdfast.context.compaction.must_keep import MustKeep
from holdfast.context.compaction.snapshots import Snapshot
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe


@cli.command("snapshots")
@click.argument("name", metavar="[NAME]", default="")
@click.option("--state", is_flag=True, help="Print the state file as it was, byte for byte.")
@HEADER
@with_json
@click.pass_obj
def show_snapshots(workspace: Workspace, *, name: str, state: bool, header: bool, output: str) -> None:
    """List the snapshots that compactions left. With NAME: those of that session, or the one snapshot of that name."""
    store = workspace.project.store
    known = snapshots.everyone(store) if store else []
    known = [one for one in known if one.made_here] if clone.output_reaches_claude() else known
    of_session = [one for one in known if name and one.session.startswith(name)]
    one = None if not name or (of_session and not state) else snapshots.named(store, name)
    if one and not state and clone.output_reaches_claude() and not one.made_here:
        clone.refuse([one.name])
    if one and state:
        _print_state(workspace, one)
    elif output == "json":
        print_json(
            {**_row(one), "facts": one.facts, "summary": one.summary}
            if one
            else [_row(each) for each in of_session or known]
        )
    elif one:
        say(*_lines(one))
    elif known:
        lines = tables.snapshots(of_session or known, workspace.now, header=header)
        of_which = f" {safe.shell(name)}" if of_session else ""
        say(*screen.page(lines, f"{{}} more: holdfast snapshots{of_which} | cat"))
    else:
        say_nothing("There are no snapshots yet: one is taken before each compaction.")


@cli.command("restore")
@click.argument("name", metavar="SNAPSHOT")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@reports
@click.pass_obj
def restore_snapshot(workspace: Workspace, name: str, dry_run: bool) -> None:  # noqa: FBT001 - click passes flags so
    """Set a state file back to its text in SNAPSHOT. The present text becomes a snapshot, too."""
    project = workspace.project
    require_store(project)
    found = snapshots.named(project.store, name)
    if workspace.settings_problem:
        warn(workspace.settings_problem)
    clone.require_trusted_project(project, found.path)
    # The difference shows the present text, too, which may be the reason for the command.
    hidden = clone.is_redacted(found.path)
    if dry_run:
        done = restore.preview(project, found)
    else:
        done = restore.restore(project, found, workspace.settings, workspace.now)
    if is_json():
        diff = "" if hidden else done.diff.decode("utf-8", "replace")
        print_json({"path": done.name, "diff": diff, "undo": done.undo, "dry_run": dry_run})
    else:
        _print_restored(done, found, dry_run=dry_run, hidden=hidden)
    if done.unstaged:
        warn(done.unstaged)


def _print_restored(done: restore.Restored, found: Snapshot, *, dry_run: bool, hidden: bool) -> None:
    """Print a change as a diff unless the present text is `hidden`, and how to undo it."""
    if hidden:
        say("The present text may come from elsewhere and is not shown here.")
    else:
        click.echo(done.diff, nl=False)
    if not done.diff:
        say(f"{safe.line(done.name)} says so already; nothing was written.")
    elif not dry_run:
        say(f"Restored {safe.line(done.name)} as it was at {_when(found)}.")
        say(f"Undo: holdfast restore {done.undo}" if done.undo else f"It was gone; undo: remove {done.name}")


def _print_state(workspace: Workspace, one: Snapshot) -> None:
    """Print the bytes of the state file in a snapshot; HoldfastError when it has none."""
    state = one.state
    if state is None:
        raise HoldfastError(f"{one.name} has no state file: its session had none. Type: holdfast snapshots {one.name}")
    clone.require_trusted_project(workspace.project, one.path)
    click.echo(state, nl=False)


def _when(one: Snapshot) -> str:
    """Return the time of a snapshot, to the second."""
    return clock.local(one.at, "%Y-%m-%d %H:%M:%S")


def _row(one: Snapshot) -> dict[str, object]:
    """Return the JSON object for a snapshot, without its facts and summary."""
    return {
        "name": one.name,
        "session": one.session,
        "at": clock.write(one.at),
        "trigger": one.trigger,
        "path": one.path,
        "severity": one.severity,
        "compacted": one.took_place,
        "left_out": [each.row() for each in one.omissions],
    }


def _lines(one: Snapshot) -> list[str]:
    """Return a snapshot as lines of text."""
    text = [
        f"Snapshot {one.name} of session {one.session}",
        f"Taken: {_when(one)}, before {_what(one)}",
        f"Title: {safe.line(text_of(one.facts, 'title'))}",
        *([f"State file: {safe.line(one.path)}"] if one.path else []),
        *([f"Drift: {one.severity}"] if one.severity else []),
    ]
    text += _part("Given to the summariser", one.must_keep)
    summary = safe.safe(one.summary).strip()
    if one.took_place:
        why = "Left out by the summary" if summary else "No summary is known"
        text += _part(f"{why}, and brought back", one.omissions) or ["", "The summary has all of it."]
    return [*text, *(["", "The summary:", *(f"> {line}".rstrip() for line in summary.splitlines())] if summary else [])]


def _what(one: Snapshot) -> str:
    """Return a description of the event before which a snapshot was taken."""
    if one.trigger == "restore":
        return "a restore"
    kind = "an automatic" if one.trigger == "auto" else "a manual"
    return f"{kind} compaction{'' if one.took_place else ', which did not take place'}"


def _part(title: str, given: list[MustKeep]) -> list[str]:
    return ["", f"{title}:", *(f"- {one.line()}" for one in given)] if given else []
