"""Runs the command line and turns errors into messages and exit codes."""

import os
import sys

from holdfast.cli import commands
from holdfast.core.errors import HoldfastError
from holdfast.project import error_log, paths
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    import click


def main() -> int:
    """Run the command line as it was typed and return its exit code."""
    return run(sys.argv[1:])


def run(arguments: list[str]) -> int:
    """Run the command line with these arguments and return its exit code.

    0: done, 1: failed, 2: wrong arguments, 3: a fault in holdfast, 130: stopped by the user.
    """
    text = text_without_command(arguments)
    if text:
        return print_text(text)
    return _run_command([*arguments[1:], "--help"] if arguments[:1] == ["help"] else arguments)


def _run_command(arguments: list[str]) -> int:
    """Run a command and return its exit code."""
    import click

    from holdfast.cli.app import cli

    try:
        code = cli.main(arguments, prog_name="holdfast", standalone_mode=False)
    except HoldfastError as error:
        return _failed(_relative(str(error)), 1)
    except click.Abort:
        return _failed("stopped", 130)
    except click.ClickException as error:
        return _misused(error)
    except OSError as error:
        message = f"{error.filename or 'the system'}: {error.strerror or error}. Type: holdfast doctor"
        return _closed() if isinstance(error, BrokenPipeError) else _failed(_relative(message), 1)
    except Exception as error:  # noqa: BLE001 - the boundary: no traceback reaches the user
        error_log.record(paths.data_dir(os.environ), "holdfast " + " ".join(arguments[:1]), error)
        return _failed(f"{type(error).__name__}: {error}. An error of holdfast; `holdfast doctor` tells where", 3)
    return code if isinstance(code, int) else 0


def text_without_command(arguments: list[str]) -> str:
    """Return the text for `--help` and `--version`, which need no click; "" for all other arguments."""
    if arguments in (["-h"], ["--help"], ["help"]):
        return commands.help_text()
    if arguments in (["help", "--all"], ["--help", "--all"], ["--all", "--help"]):
        return commands.whole_help_text()
    if arguments not in (["-V"], ["--version"]):
        return ""
    from holdfast.project import client_registration

    return f"holdfast {client_registration.version()}\n"


def print_text(text: str) -> int:
    """Print a text and return the exit code; a closed pipe is no error message, but an exit code of 1."""
    if not sys.stdout:  # the descriptor was closed
        return 0
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        return _closed()
    except OSError as error:
        return _failed(f"the system: {error.strerror}. Type: holdfast doctor", 1)
    return 0


def _relative(message: str) -> str:
    """Return a message with the paths in the current folder as they are seen from there."""
    import re

    try:
        here = os.getcwd().rstrip("/")
    except OSError:  # the folder was deleted
        return message
    start = r"""(?:^|(?<=[\s"'`(:=]))"""  # no character of a longer path
    return re.sub(f"{start}{re.escape(here)}/(?=[^-/\\s])", "", message) if here else message


def _closed() -> int:
    """Return the exit code after the reader of a pipe has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or the interpreter fails when it flushes at its end
    return 1


def _misused(error: "click.ClickException") -> int:
    """Report what was typed wrongly, or the help where a command of a group is missing; return the exit code."""
    from click.exceptions import NoArgsIsHelpError

    if isinstance(error, NoArgsIsHelpError):
        sys.stderr.write(f"{error.format_message()}\n")
        return error.exit_code
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "holdfast"
    message = " ".join(error.format_message().split())
    message += "" if message.endswith((".", "?", "!")) else "."
    return _failed(f"{message} Type: {path} --help", error.exit_code)


def _failed(message: str, code: int) -> int:
    """Print a message, which may quote what was typed, secrets too, or a file's name, and return the exit code."""
    import click

    from holdfast.cli import screen

    click.echo("\n".join(screen.folded_error(f"holdfast: {safe.safe(message)}")), err=True)
    return code
