"""The commands `completion` and `man`: a shell's completion script, and the manual page."""

import click

from holdfast.cli import commands
from holdfast.cli.app import cli
from holdfast.cli.examples import EXAMPLES
from holdfast.project import client_registration

_SHELLS = ("bash", "zsh", "fish")


@cli.command("completion")
@click.argument("shell", type=click.Choice(_SHELLS))
def print_completion(shell: str) -> None:
    """Print the completion script of a shell: commands, options, and the ids of sessions with their titles."""
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    if completion:
        click.echo(completion(cli, {}, "holdfast", "_HOLDFAST_COMPLETE").source())


@cli.command("man")
def print_manual() -> None:
    """Print the manual page, from the table of commands and from their options."""
    lines = [
        f'.TH HOLDFAST 1 "" "holdfast {client_registration.version()}"',
        *(".SH NAME", "holdfast \\- keep the state of coding sessions in Markdown"),
        *(".SH SYNOPSIS", ".B holdfast", "[COMMAND] [ID] [OPTIONS]", ".SH DESCRIPTION", _plain(commands.ABOUT)),
        *(line for name, text in commands.OPTIONS.items() for line in (".TP", f".B {_plain(name)}", _plain(text))),
    ]
    for title, group in commands.GROUPS.items():
        if title != commands.HIDDEN:
            lines += [f'.SH "{_plain(title.upper())}"', *(line for name in group for line in _command(name))]
    click.echo("\n".join(lines))


def _command(name: str) -> list[str]:
    """Return the lines of the manual page about a command."""
    command = cli.get_command(click.Context(cli, info_name="holdfast"), name)
    if command is None:
        return []
    context = click.Context(command, info_name=f"holdfast {name}")
    lines = [".SS " + _plain(" ".join([f"holdfast {name}", *command.collect_usage_pieces(context)]))]
    lines += [_plain(part) for part in (command.help or "").replace("\b", "").splitlines() if part.strip()]
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record and parameter.name != "help":
            lines += [".TP", f".B {_plain(record[0])}", _plain(record[1])]
    return [*lines, ".PP", "Examples:", ".nf", *map(_plain, EXAMPLES.get(name, [])), ".fi"]


def _plain(text: str) -> str:
    """Return a text as roff prints it: no line of it is a request."""
    text = text.strip().replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
