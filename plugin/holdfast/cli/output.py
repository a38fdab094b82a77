"""What commands print: what they did, as lines or with `--json`; that there is nothing to show; and progress.

Only this module and the board import rich.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import click

from holdfast.cli import screen
from holdfast.core import fast_json
from holdfast.project.paths import Project

Command = TypeVar("Command", bound=Callable[..., Any])
Item = TypeVar("Item")

_LINES = "holdfast.lines"  # what `tell` keeps for it


def _keep(context: click.Context, _parameter: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click passes flags so
    if value:
        context.meta[screen.JSON] = True


def _keep_format(context: click.Context, parameter: click.Parameter, value: str) -> None:
    _keep(context, parameter, value == "json")


def reports_apart(command: "Command") -> "Command":
    """Give a command whose `--json` is a request the option `--format json`, which asks for its report as JSON."""
    forms = click.Choice(["text", "json"])
    return click.option(
        "--format", type=forms, default="text", is_eager=True, expose_value=False, callback=_keep_format, hidden=True
    )(command)


def reports(command: "Command") -> "Command":
    """Give a command the flag `--json`, which `report` looks at."""
    return click.option(
        "--json", "as_json", is_flag=True, is_eager=True, expose_value=False, callback=_keep, help="Print JSON."
    )(command)


HEADER = click.option(
    "--header",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _, value: context.meta.update({screen.HEADINGS: value}),
    help="In a pipe, print the names of the columns first.",
)


def is_json() -> bool:
    """Return whether the command that runs was asked for JSON."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(screen.JSON))


def report(row: "Mapping[str, object] | Sequence[Mapping[str, object]]", *lines: str) -> None:
    """Print what a command did: the row where JSON was asked for, else the lines."""
    from holdfast.cli.app import say

    if is_json():
        click.echo(fast_json.dumps(row))
    else:
        say(*lines)


def tell(*lines: str) -> None:
    """Print lines at once; where JSON was asked for, keep them for `report_told`."""
    from holdfast.cli.app import say

    if is_json():
        click.get_current_context().meta.setdefault(_LINES, []).extend(lines)
    else:
        say(*lines)


def report_told(row: "dict[str, object]") -> None:
    """Print the row with the lines that were kept, where JSON was asked for; else nothing, as `tell` printed them."""
    if is_json():
        click.echo(fast_json.dumps({**row, "lines": click.get_current_context().meta.get(_LINES, [])}))


def note(line: str) -> None:
    """Print a line beside a report; on standard error where that is JSON."""
    from holdfast.cli.app import say, warn

    (warn if is_json() else say)(line)


def nothing_known(project: "Project") -> str:
    """Return the message for a project without sessions and state files."""
    what = "Begin one: holdfast start TITLE" if project.initialised else "Prepare this project: holdfast init"
    return f"No session is known here yet. {what}"


def refusal(project: "Project") -> str:
    """Return the same for a command that needs a session, as the message of an error."""
    return f"n{nothing_known(project)[1:]}"


_LONG = 20  # items: fewer are done before a bar is drawn


def each(items: "Sequence[Item]", label: str) -> "Iterator[Item]":
    """Yield items, and show how many are done while they are many; the bar is gone at the end."""
    if len(items) < _LONG or not (sys.stderr and sys.stderr.isatty()):
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, description=label, console=Console(stderr=True), transient=True)
