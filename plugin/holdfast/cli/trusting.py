"""The command `trust`: shows what a clone brings to the user, who may say that Claude reads it."""

import sys

import click

from holdfast.actions import accept as accepting
from holdfast.actions.accept import UntrustedFile
from holdfast.cli import screen
from holdfast.cli.app import HEADER, cli, print_json, require_worktree, say, say_nothing, warn, with_json
from holdfast.context.short_lists import counted
from holdfast.core.errors import HoldfastError
from holdfast.project.paths import Project
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, redaction

_ALL_TRUSTED = "This clone is trusted. To take that back: holdfast trust --off"
_BRINGS_NOTHING = "Nothing here waits for a yes of yours."


@cli.command("trust")
@click.argument("names", metavar="[PATH]...", nargs=-1)
@click.option("--off", is_flag=True, help="Trust this clone no more.")
@click.option("--person", is_flag=True, help="List or trust people, whose sessions on other machines are read.")
@click.option("--revoke", is_flag=True, help="With --person: stop trusting this person.")
@click.option("-y", "--yes", is_flag=True, help="Say yes without a question.")
@HEADER
@with_json
@click.pass_obj
def trust(  # noqa: PLR0913 - one for each option
    workspace: Workspace,
    *,
    names: tuple[str, ...],
    off: bool,
    person: bool,
    revoke: bool,
    yes: bool,
    header: bool,
    output: str,
) -> int:
    """Show what this clone brings, and trust it: Claude then reads its state files. With PATH: print these texts.

    The yes counts for this clone and its worktrees, on this machine. Settings that a pull changes ask again.
    """
    project = workspace.project
    require_worktree(project)
    if person:
        from holdfast.cli import people

        return people.run(workspace, names, output, yes=yes, revoke=revoke, header=header)
    if off:
        return _off(project, output)
    if names:
        _show(*accepting.named(workspace, names), workspace.now)
        return 0
    found = accepting.untrusted_files(workspace)
    if yes or (sys.stdin.isatty() and screen.size() and output == "text"):
        return _accept(project, found, workspace.now, output, yes=yes)
    return _list(project, found, workspace.now, output, header=header)


def _off(project: Project, output: str) -> int:
    """Take the trust in a clone back, and print what was done."""
    if clone.output_reaches_claude():
        raise HoldfastError("only a person changes what is trusted. The user types this in a terminal of their own")
    done = clone.revoke(project)
    if output == "json":
        print_json({"trusted": clone.is_trusted(project), "changed": done})
    else:
        say("This clone is trusted no more." if done else "This clone was not trusted; nothing changed.")
    return 0


def _list(project: Project, found: list[UntrustedFile], now: float, output: str, *, header: bool = False) -> int:
    """Print the files without their texts, and how to trust them; less of this if Claude reads the output."""
    if clone.output_reaches_claude():
        found = [file.anonymous(named=number < redaction.NAMES) for number, file in enumerate(found)]
    if output == "json":
        print_json([file.row() for file in found])
        return 0
    if not found:
        say_nothing(_ALL_TRUSTED if clone.is_trusted(project) else _BRINGS_NOTHING)
        return 0
    if clone.output_reaches_claude():
        click.echo(_summary(found))
        return 0
    if screen.size():
        say(*(file.line(now) for file in found))
    else:
        rows = [[str(value) for value in file.row().values()] for file in found]
        click.echo("\n".join(screen.tabbed([key.upper() for key in found[0].row()], rows, header=header)))
    say_nothing("Read one: holdfast trust PATH; trust this clone: holdfast trust --yes")
    return 0


def _show(found: list[UntrustedFile], accepted: list[str], now: float) -> None:
    """Print the files with their texts; only their number and short names if Claude reads the output."""
    for name in accepted:
        click.echo(f"{name} is trusted already.")
    if found and clone.output_reaches_claude():
        click.echo(_summary(found))
        return
    for file in found:
        click.echo(f"{file.line(now)}\n{file.text()}\n")


def _summary(found: list[UntrustedFile]) -> str:
    """Return how many files there are, and the short names of three."""
    names = redaction.short_names(file.path for file in found)
    return f"Not trusted here: {counted(len(found), 'file')}: {names}. The user reads them: holdfast trust"


def _accept(project: Project, found: list[UntrustedFile], now: float, output: str, *, yes: bool) -> int:
    """Trust the clone if the user says so, and return the exit code. Claude cannot say so."""
    if clone.output_reaches_claude():
        return _refuse(project, found, now, output, "A person says yes, in a terminal of their own.")
    if clone.is_trusted(project) and not found:
        return _list(project, found, now, output)
    if not yes:
        say(*(file.line(now) for file in found))
        what = f"Let Claude read {counted(len(found), 'file')} of this clone" if found else "Trust this clone"
        if not click.confirm(f"{what}, and what is written here later?"):
            return _refuse(project, found, now, output, "")
    accepting.accept(project, found)
    if output == "json":
        print_json([{**file.row(), "accepted": True} for file in found])
    else:
        names = ", ".join(file.name for file in found)
        say(f"This clone is trusted{': ' if names else ''}{names}. To take that back: holdfast trust --off")
    return 0


def _refuse(project: Project, found: list[UntrustedFile], now: float, output: str, reason: str) -> int:
    """Print why nothing was trusted, and return the exit code."""
    if output == "json":
        _list(project, found, now, output)
    warn(f"nothing was changed. {reason}".rstrip())
    return 1
