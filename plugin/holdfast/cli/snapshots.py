"""The commands `drift`, `recover`, `snapshots`, `restore`: what a state file does not say, and what it said before."""

import os
from dataclasses import dataclass

import click

from holdfast.actions import adoption, sync
from holdfast.cli import screen, tables
from holdfast.cli.app import (
    cli,
    find_state_file,
    own_session,
    print_json,
    require_store,
    say,
    say_nothing,
    warn,
    with_session_argument,
)
from holdfast.cli.output import HEADER, is_json, reports
from holdfast.context.compaction import snapshots
from holdfast.context.compaction.must_keep import MustKeep
from holdfast.context.compaction.snapshots import Snapshot
from holdfast.context.drift import report as reporting
from holdfast.context.drift.item import is_marked
from holdfast.context.drift.report import Report
from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of, text_of
from holdfast.editing import store
from holdfast.journal import log
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.project.settings import Settings
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe


@cli.command("drift")
@with_session_argument
@click.option("--check", is_flag=True, help="Exit with 1 where the drift is marked or severe.")
@reports
@click.pass_obj
def drift(workspace: Workspace, ident: str, check: bool) -> int:  # noqa: FBT001 - click passes flags so
    """Show the drift of a state file: what happened that it does not say.

    Each item has its evidence. `holdfast recover` shows the commands that settle it.
    """
    report = _report(workspace, ident, calls=is_json())
    if is_json():
        print_json(reporting.row(report))
    else:
        hint = f"Commands that settle them: holdfast recover{f' {safe.shell(ident)}' if ident else ''}"
        say(*reporting.summary(report, workspace.now), *([hint] if report.items else []))
    return 1 if check and (report.problem or is_marked(report.severity)) else 0


@cli.command("recover")
@with_session_argument
@click.option("--check", is_flag=True, help="Exit with 1 where anything has drifted.")
@reports
@click.pass_obj
def recover(workspace: Workspace, ident: str, check: bool) -> int:  # noqa: FBT001 - click passes flags so
    """Show the drift of a state file, with the commands that settle it.

    Drift is what happened and is missing or wrong in the state file.
    """
    report = _report(workspace, ident, calls=True)
    if is_json():
        print_json(reporting.row(report))
    else:
        say(*reporting.report_lines(report, workspace.now))
    return 1 if check and (report.items or report.problem) else 0


def _report(workspace: Workspace, ident: str, *, calls: bool) -> Report:
    """Return the drift report on a state file; HoldfastError when it is a hub or shared by several sessions.

    `calls` asks for the command that settles each item.
    """
    hit, survey = find_state_file(workspace, ident, or_completed=True, or_away=True)
    if hit.entry or hit.session.shared:
        raise HoldfastError(
            f"{hit.name} is not the state file of one piece of work. Name one: holdfast list --all shows them."
        )
    return reporting.look(hit.session, survey.workspace, own=own_session(), calls=calls)


@dataclass(slots=True)
class Restored:
    """The result of a restore, or of its preview: the file's name, the change as a diff, and what undoes it.

    `diff` is b"" if the file has this text already. `undo` names the snapshot of the replaced text, "" if there was
    none. `unstaged` says why the file was not staged, "" if it was.
    """

    name: str
    diff: bytes
    undo: str = ""
    unstaged: str = ""


def preview(project: Project, snapshot: Snapshot) -> Restored:
    """Return what a restore would do; HoldfastError if it is impossible."""
    path = _target(project, snapshot)
    name = paths.locate(os.path.dirname(path)).relative(path)
    return Restored(name, sync.diff(_there(path) or b"", snapshot.state or b"", name))


def restore(project: Project, snapshot: Snapshot, settings: Settings, now: float) -> Restored:
    """Restore a state file and stage it; HoldfastError, without any change, if it is impossible."""
    path, kept = _target(project, snapshot), snapshot.state or b""  # before a new snapshot may remove this one
    with store.writing(project):
        done = preview(project, snapshot)
        if not done.diff:
            return done
        there = _there(path)
        if there is not None:
            title = f"before {snapshot.name} was restored"
            facts: dict[str, object] = {"trigger": "restore", "path": path, "title": title}
            done.undo = snapshots.take(project.store, snapshot.session, facts, there, now).name
        store.copy(path, kept)
        since = number_of(snapshot.facts, "since")
        log.append(project.store, snapshot.session, {"kind": "restored", "since": since})
    done.unstaged = adoption.stage(project, snapshot.session, path, settings)
    return done


def _target(project: Project, snapshot: Snapshot) -> str:
    """Return the path to restore; HoldfastError if the snapshot has no file, or its folder is gone."""
    path = snapshot.path
    if not path or snapshot.state is None:
        raise HoldfastError(f"{snapshot.name} has no state file: its session had none. Type: holdfast snapshots")
    home = paths.locate(os.path.dirname(path))
    if not os.path.isdir(os.path.dirname(path)) or home.store != project.store:
        shown = safe.line(path, 300)
        raise HoldfastError(
            f"{shown} is not in this project any more. Print it: holdfast snapshots {snapshot.name} --state"
        )
    if os.path.lexists(path) and (os.path.islink(path) or not os.path.isfile(path)):
        raise HoldfastError(f"{safe.line(path, 300)} is not a plain file any more. Move it away first.")
    return path


def _there(path: str) -> bytes | None:
    """Return the bytes of a file, None if it is gone."""
    return files.read(path) if os.path.lexists(path) else None


@cli.command("snapshots")
@click.argument("name", metavar="[NAME]", default="")
@click.option("--state", is_flag=True, help="Print the state file as it was, byte for byte.")
@HEADER
@reports
@click.pass_obj
def show_snapshots(workspace: Workspace, *, name: str, state: bool) -> None:
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
    elif is_json():
        print_json(
            {**_row(one), "facts": one.facts, "summary": one.summary}
            if one
            else [_row(each) for each in of_session or known]
        )
    elif one:
        say(*_lines(one))
    elif known:
        lines = tables.snapshots(of_session or known, workspace.now)
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
    snapshot = snapshots.named(project.store, name)
    if workspace.settings_problem:
        warn(workspace.settings_problem)
    clone.require_trusted_project(project, snapshot.path)
    # The difference shows the present text, too, which may be the reason for the command.
    hidden = clone.is_redacted(snapshot.path)
    settings = workspace.settings
    done = preview(project, snapshot) if dry_run else restore(project, snapshot, settings, workspace.now)
    if is_json():
        diff = "" if hidden else done.diff.decode("utf-8", "replace")
        print_json({"path": done.name, "diff": diff, "undo": done.undo, "dry_run": dry_run})
    else:
        _print_restored(done, snapshot, dry_run=dry_run, hidden=hidden)
    if done.unstaged:
        warn(done.unstaged)


def _print_restored(done: Restored, snapshot: Snapshot, *, dry_run: bool, hidden: bool) -> None:
    """Print a change as a diff unless the present text is `hidden`, and how to undo it."""
    if hidden:
        say("The present text may come from elsewhere and is not shown here.")
    else:
        click.echo(done.diff, nl=False)
    if not done.diff:
        say(f"{safe.line(done.name)} says so already; nothing was written.")
    elif not dry_run:
        say(f"Restored {safe.line(done.name)} as it was at {_when(snapshot)}.")
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
