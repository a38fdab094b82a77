"""The command `conflicts`: files that several sessions work on."""

import click

from holdfast.cli import screen
from holdfast.cli.app import cli, own_session, print_json, say, say_nothing, take_survey
from holdfast.cli.output import HEADER, is_json, reports
from holdfast.context import other_machines
from holdfast.core import clock
from holdfast.sessions import conflicts
from holdfast.sessions.conflicts import Change
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import rows as shared
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sharing.rows import Row

_HEADINGS = ("PATH", "CHANGED", "SESSION", "TITLE", "AGENT", "BRANCH", "WORKTREE")  # in a pipe


@cli.command("conflicts")
@HEADER
@reports
@click.pass_obj
def list_conflicts(workspace: Workspace) -> None:
    """List the files that several sessions, or another live one, changed lately: who changed them, and where."""
    survey = take_survey(workspace)
    found = conflicts.listed(survey, own_session())
    others = [*other_machines.in_use(survey, survey.settings.overlap_minutes * 60)]
    if is_json():
        print_json([*(_row(changes) for changes in found), *(_json(path, row, workspace.now) for path, row in others)])
        return
    if found and not screen.size():
        rows = [_cells(change) for changes in found for change in changes]
        click.echo("\n".join(screen.tabbed(_HEADINGS, rows)))
    elif found:
        say(*(line for changes in found for line in _lines(changes, workspace.now)))
    if others and not screen.size():
        click.echo("\n".join(screen.tabbed((), [_plain(path, row, workspace.now) for path, row in others])))
    elif others:
        say(*(other_machines.sentence(workspace, path, row) for path, row in others))
    if not found and not others:
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


def _plain(path: str, row: "Row", now: float) -> tuple[str, ...]:
    """Return the cells of such a change for a pipe; the worktree says where it was made."""
    at = clock.write(now - shared.unchanged_for(row, path, now))
    return path, at, row["id"], safe.line(row["title"], 200), "", safe.line(row["branch"], 100), shared.where(row)


def _json(path: str, row: "Row", now: float) -> "dict[str, object]":
    """Return such a change as JSON gives it."""
    _, at, ident, title, _, branch, where = _plain(path, row, now)
    change = {"at": at, "session": ident, "title": title, "agent": "", "agent_type": "", "branch": branch}
    return {"path": path, "contested": False, "changes": [{**change, "worktree": where, "named_in_hub": False}]}
