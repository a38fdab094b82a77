"""The commands `drift` and `recover`: how a state file differs from what was measured, and how to settle that."""

import click

from holdfast.cli.app import cli, find_state_file, own_session, print_json, say, with_json, with_session_argument
from holdfast.context.drift import report as reporting
from holdfast.context.drift.item import is_marked
from holdfast.context.drift.report import Report
from holdfast.core.errors import HoldfastError
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe


@cli.command("drift")
@with_session_argument
@click.option("--check", is_flag=True, help="Exit with 1 where the drift is marked or severe.")
@with_json
@click.pass_obj
def drift(workspace: Workspace, ident: str, check: bool, output: str) -> int:  # noqa: FBT001 - click passes flags so
    """Show the drift of a state file: what happened that it does not say.

    Each item has its evidence. `holdfast recover` shows the commands that settle it.
    """
    report = _report(workspace, ident, calls=output == "json")
    if output == "json":
        print_json(reporting.row(report))
    else:
        hint = f"Commands that settle them: holdfast recover{f' {safe.shell(ident)}' if ident else ''}"
        say(*reporting.summary(report, workspace.now), *([hint] if report.items else []))
    return 1 if check and (report.problem or is_marked(report.severity)) else 0


@cli.command("recover")
@with_session_argument
@click.option("--check", is_flag=True, help="Exit with 1 where anything has drifted.")
@with_json
@click.pass_obj
def recover(workspace: Workspace, ident: str, check: bool, output: str) -> int:  # noqa: FBT001 - click passes flags so
    """Show the drift of a state file, with the commands that settle it.

    Drift is what happened and is missing or wrong in the state file.
    """
    report = _report(workspace, ident, calls=True)
    if output == "json":
        print_json(reporting.row(report))
    else:
        say(*reporting.lines(report, workspace.now))
    return 1 if check and (report.items or report.problem) else 0


def _report(workspace: Workspace, ident: str, *, calls: bool) -> Report:
    """Return the drift report on a state file; HoldfastError when it is a hub or shared by several sessions.

    `calls` asks for the command that settles each item.
    """
    hit, survey = find_state_file(workspace, ident, or_completed=True)
    if hit.entry or hit.session.shared:
        raise HoldfastError(
            f"{hit.name} is not the state file of one piece of work. Name one: holdfast list --all shows them."
        )
    return reporting.look(hit.session, survey.workspace, own=own_session(), calls=calls)
