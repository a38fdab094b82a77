"""Runs holdfast's own commands for the board, as a shell does, and hands the terminal to the client."""

import shutil
import signal
import subprocess
import sys

from holdfast.cli import screen
from holdfast.core import process
from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.overview.board import Resumption

_RETURN = "\nPress Enter to return to the board."


def report(root: str, words: "Sequence[str]", size: tuple[int, int], environment: "dict[str, str]") -> tuple[int, str]:
    """Run a command of holdfast in a working tree; return its exit code and what it reports.

    `size` is that of the terminal for which the command prints: columns and lines.
    """
    columns, lines = size
    done = subprocess.run(
        _command(root, words),
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**environment, screen.FORCED: f"{columns}x{lines}"},
    )
    return done.returncode, safe.plain(done.stdout.decode("utf-8", "replace")).strip("\n")


def client(resumption: "Resumption", environment: "dict[str, str]") -> str:
    """Return the path of the client's program; HoldfastError if it is not on PATH."""
    program = shutil.which(resumption.command[0], path=environment.get("PATH"))
    if not program:
        raise HoldfastError(f"{resumption.command[0]} is not on PATH. Install that client, then resume again.")
    return program


def resume(resumption: "Resumption", program: str, environment: "dict[str, str]") -> None:
    """Run the client in this terminal until it ends; after a failure the user reads what was printed."""
    before = signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for the client; this handler ends at its start
    try:
        failed = _failed([program, *resumption.command[1:]], resumption.folder, environment)
    finally:
        signal.signal(signal.SIGINT, before)
    if failed:
        sys.stdout.write(_RETURN)
        sys.stdout.flush()
        sys.stdin.readline()


def _failed(command: "Sequence[str]", folder: str, environment: "dict[str, str]") -> bool:
    """Run a command in this terminal, and return whether it failed; why it cannot be started is printed."""
    try:
        return bool(subprocess.run(command, check=False, cwd=folder, env=environment).returncode)
    except OSError as error:
        sys.stdout.write(f"holdfast: {error.filename}: {error.strerror}\n")
        return True


def _command(root: str, words: "Sequence[str]") -> list[str]:
    return [*process.interpreter(), paths.CLI, "-C", root, *words]
