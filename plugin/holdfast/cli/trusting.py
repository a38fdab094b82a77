"""The command `trust`: shows texts that came with a clone or a pull to the user, who may accept them."""

import sys

import click

from holdfast.actions import accept as accepting
from holdfast.actions.accept import UntrustedFile
from holdfast.cli import screen
from holdfast.cli.app import HEADER, cli, print_json, require_worktree, say, say_nothing, warn, with_json
from holdfast.context.short_lists import counted
from holdfast.sessions.workspace import Workspace
from holdfast.trust import ledger, redaction

_ALL_TRUSTED = "Every state file here was written or accepted here."


@cli.command("trust")
@click.argument("names", metavar="[PATH]...", nargs=-1)
@click.option("--person", is_flag=True, help="List or trust people, whose sessions on other machines are read.")
@click.option("--revoke", is_flag=True, help="With --person: stop trusting this person.")
@click.option("--all", "everything", is_flag=True, help="Every file that is not accepted.")
@click.option("-y", "--yes", is_flag=True, help="Accept without a question.")
@HEADER
@with_json
@click.pass_obj
def trust(  # noqa: PLR0913 - one for each option
    workspace: Workspace,
    *,
    names: tuple[str, ...],
    person: bool,
    revoke: bool,
    everything: bool,
    yes: bool,
    header: bool,
    output: str,
) -> int:
    """List the files that may come from elsewhere and are not accepted, or show those at PATH and accept them.

    Claude receives only their number and three short names until a person accepts the text.
    """
    require_worktree(workspace.project)
    if person:
        from holdfast.cli import people

        return people.run(workspace, names, output, yes=yes, revoke=revoke, header=header)
    if names:
        found, accepted = accepting.named(workspace, names)
    else:
        found, accepted = accepting.untrusted_files(workspace), []
    if not (names or everything):
        return _list(found, workspace.now, output, header=header)
    if output == "text":
        _show(found, accepted, workspace.now)
    return _accept(found, workspace.now, output, yes=yes) if found else _list(found, workspace.now, output)


def _list(found: list[UntrustedFile], now: float, output: str, *, header: bool = False) -> int:
    """Print the files without their texts, and how to accept them; less of this if Claude reads the output."""
    if ledger.output_reaches_claude():
        found = [file.anonymous(named=number < redaction.NAMES) for number, file in enumerate(found)]
    if output == "json":
        print_json([file.row() for file in found])
        return 0
    if not found:
        say_nothing(_ALL_TRUSTED)
        return 0
    if ledger.output_reaches_claude():
        click.echo(_summary(found))
        return 0
    if screen.size():
        say(*(file.line(now) for file in found))
    else:
        rows = [[str(value) for value in file.row().values()] for file in found]
        click.echo("\n".join(screen.tabbed([key.upper() for key in found[0].row()], rows, header=header)))
    say_nothing("Read and accept one: holdfast trust PATH; all of them: holdfast trust --all")
    return 0


def _show(found: list[UntrustedFile], accepted: list[str], now: float) -> None:
    """Print the files with their texts; only their number and short names if Claude reads the output."""
    for name in accepted:
        click.echo(f"{name} is accepted already.")
    if found and ledger.output_reaches_claude():
        click.echo(_summary(found))
        return
    for file in found:
        click.echo(f"{file.line(now)}\n{file.text()}\n")


def _summary(found: list[UntrustedFile]) -> str:
    """Return how many files there are, and the short names of three."""
    names = redaction.short_names(file.path for file in found)
    return f"Not accepted here: {counted(len(found), 'file')}: {names}. The user reads them: holdfast trust"


def _accept(found: list[UntrustedFile], now: float, output: str, *, yes: bool) -> int:
    """Accept the files if the user says so, and return the exit code. Claude cannot accept a text."""
    names = ", ".join(file.name for file in found)
    if ledger.output_reaches_claude():
        return _refuse(found, now, output, "A person accepts it: the user types this in a terminal of their own.")
    if not yes and not (sys.stdin.isatty() and output == "text"):
        return _refuse(found, now, output, "No question could be asked. To accept it, type this again with --yes.")
    if not yes and not click.confirm(f"Let Claude read the text of {names}?"):
        return _refuse(found, now, output, "Nothing was accepted.")
    for file in found:
        file.accept()
    if output == "json":
        print_json([{**file.row(), "accepted": True} for file in found])
    else:
        click.echo(f"Accepted: {names}")
    return 0


def _refuse(found: list[UntrustedFile], now: float, output: str, reason: str) -> int:
    """Print why nothing was accepted, and return the exit code."""
    if output == "json":
        _list(found, now, output)
    warn(f"nothing was accepted. {reason}")
    return 1
