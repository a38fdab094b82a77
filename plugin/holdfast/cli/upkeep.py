"""The commands `settle`, `gc`, `doctor`, `deps`, `install` and `completion`, and the merge that git calls."""

import os
from collections.abc import Iterator, Sequence

import click

from holdfast.actions import doctor, merge_file, prune, upkeep
from holdfast.cli import output, screen
from holdfast.cli.app import cli, unique_id, warn, with_session_argument
from holdfast.cli.output import is_json, report, reports
from holdfast.clients import catalogue
from holdfast.context.short_lists import counted, kilobytes, listed
from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.core.finding import Finding
from holdfast.git.merge import MARKER
from holdfast.journal import log
from holdfast.project import packages
from holdfast.sessions import hub_location
from holdfast.sessions.listed import shortened
from holdfast.sessions.workspace import Workspace

_NAMED = 8  # sessions whose ids the report of a settle has


@cli.command("settle")
@with_session_argument
@click.option("--hub", "only_hub", is_flag=True, help="Only the hub; state files stay as they are.")
@reports
@click.pass_obj
def settle_now(workspace: Workspace, ident: str, only_hub: bool) -> None:  # noqa: FBT001 - as click does
    """Bring state files and hub up to date with the journals."""
    project = workspace.project
    if not project.store:
        raise HoldfastError("There are no journals here. Type: holdfast init")
    chosen = [unique_id(log.sessions(project.store), ident)] if ident else []
    if only_hub:
        line = "The hub is up to date." if upkeep.settle_hub(workspace, chosen) else "There is no hub here."
        report({"settled": []}, line)
    else:
        path = hub_location.path_of(project)
        hub = files.read_or_none(path)
        done = upkeep.settle_sessions(workspace, chosen, shown=_with_progress)
        written = ["The hub is up to date now."] if files.read_or_none(path) != hub else []
        report({"settled": done}, *([_settled_line(done)] if done or not written else written))
    if workspace.settings_problem:
        raise HoldfastError(workspace.settings_problem)


def _settled_line(done: "Sequence[str]") -> str:
    """Return the line that says which sessions were settled."""
    if not done:
        return "Everything was settled already."
    return f"Settled {counted(len(done), 'session')}: {listed([*shortened(done).values()], _NAMED)}"


@cli.command("gc")
@click.option("--dry-run", is_flag=True, help="Say what would shrink, and write nothing.")
@reports
@click.pass_obj
def collect_garbage(workspace: Workspace, *, dry_run: bool) -> None:
    """Shrink the journals of sessions that ended long ago to what their summaries need.

    A session stays as it is while it can be resumed, and until `keep_days` after it ended. A settle in the background
    does the same once a day.
    """
    done = prune.prune(workspace, lambda idents: output.each(idents, "Pruning"), dry=dry_run)
    before, after = sum(one.before for one in done), sum(one.after for one in done)
    verb = "would shrink" if dry_run else "shrank"
    line = f"{counted(len(done), 'journal')} {verb} from {kilobytes(before)} to {kilobytes(after)}."
    days = workspace.settings.keep_days
    nothing = (
        f"No journal can shrink: no session ended more than {days} days ago."
        if days
        else "keep_days is 0: all are kept."
    )
    report({"dry_run": dry_run, "pruned": [one.row() for one in done]}, line if done else nothing)


def _with_progress(idents: "Sequence[str]") -> "Iterator[str]":
    return output.each(idents, "Settling")


@cli.command("doctor")
@reports
@click.pass_obj
def see_doctor(workspace: Workspace) -> int:
    """Check Python, packages, plugin, hooks, git and folders; say what to do about what is wrong."""
    results = doctor.examine(workspace)
    report(
        {"findings": [finding.row() for finding in results]},
        *(_short(line) for finding in results for line in _doctor_lines(finding)),
    )
    return 0 if all(finding.ok for finding in results) else 1


def _doctor_lines(finding: "Finding") -> list[str]:
    """Return a result of doctor as lines: with a sign, and what to do."""
    return [f"{'✓' if finding.ok else '✗'} {finding.words}", *([f"    → {finding.remedy}"] if finding.remedy else [])]


def _short(line: str) -> str:
    """Return a line with ~ for the home directory in a terminal, where long paths break in the middle."""
    return line.replace(f" {os.path.expanduser('~')}/", " ~/") if screen.size() else line


@cli.command("deps")
@click.option("--mcp", is_flag=True, help="Those that `holdfast mcp` needs, too.")
@reports
def build_dependencies(*, mcp: bool) -> None:
    """Install the packages that holdfast needs, if they are not there yet."""
    click.echo(packages.build_and_report(packages.MCP if mcp else packages.SITE, json=is_json()))


@cli.command("install")
@click.option("--client", type=click.Choice(catalogue.NAMES), help="Which client; without it Claude Code.")
@click.option(
    "--scope", type=click.Choice(["user", "project", "local"]), default="user", help="Where the plugin is enabled."
)
@click.option("--uninstall", is_flag=True, help="Remove exactly what installing added.")
@click.option("--all", "everything", is_flag=True, help="With --uninstall: journals, trust and settings, too.")
@click.option("--statusline", is_flag=True, help="Also show the status line; one that is there runs first.")
@reports
def install_plugin(client: str | None, scope: str, *, uninstall: bool, everything: bool, statusline: bool) -> int:
    """Install the plugin in a coding client, with the packages that it needs."""
    from holdfast.project import install

    asked = {"--uninstall": uninstall, "--all": everything, "--statusline": statusline, "--json": is_json()}
    options = [option for option, wanted in asked.items() if wanted]
    chosen = ["--client", client] if client else []
    return install.main(["--scope", scope, *chosen, *options])


@cli.command("statusline")
def print_status_line() -> int:
    """Print the status line for the JSON that Claude Code gives on standard input.

    Claude Code runs it after each message, once `holdfast install --statusline` has added it to your settings.
    """
    from holdfast.overview import line

    return line.main()


@cli.command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def print_completion(shell: str) -> None:
    """Print the completion script of a shell: commands, options, and the ids of sessions with their titles."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found:
        click.echo(found(cli, {}, "holdfast", "_HOLDFAST_COMPLETE").source())


@cli.command("merge-file", hidden=True)
@click.argument("base")
@click.argument("ours")
@click.argument("theirs")
@click.argument("marker", type=click.IntRange(1, 1000), default=MARKER)
@click.argument("path", default="")
@click.option("--conflict", default=1, metavar="CODE", help="The exit code where parts are in conflict; 1 by default.")
@click.pass_obj
def merge_one(  # noqa: PLR0913, PLR0917 - git's own five and one more
    workspace: Workspace, base: str, ours: str, theirs: str, marker: int, path: str, conflict: int
) -> int:
    """Merge the files BASE, OURS and THEIRS into OURS, as git asks for it; `holdfast init` sets that up."""
    done = merge_file.merge_file(workspace, (base, ours, theirs), marker, path or ours)
    for note in done.notes:
        warn(note)
    return 0 if done.clean else conflict
