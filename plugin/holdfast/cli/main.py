"""The boundary to people: every command, and what their errors come to."""

import os
import sys

import click

from holdfast import faults, paths
from holdfast.cli import (
    budget,
    closing,
    conflicts,
    continuing,
    hub,
    loops,
    recovery,
    snapshots,
    steps,
    trusting,
    upkeep,
    work,
)
from holdfast.cli.app import cli
from holdfast.errors import HoldfastError

__all__ = [
    "budget",
    "closing",
    "conflicts",
    "continuing",
    "hub",
    "loops",
    "main",
    "recovery",
    "run",
    "snapshots",
    "steps",
    "trusting",
    "upkeep",
    "work",
]  # importing them is what registers commands


def main() -> int:
    """Run the command line as it was typed and return its exit code."""
    return run(sys.argv[1:])


def run(arguments: list[str]) -> int:
    """Run the command line with these arguments and return its exit code: 0 done, 1 not, 2 misused."""
    try:
        code = cli.main(arguments, prog_name="holdfast", standalone_mode=False)
    except HoldfastError as error:
        return _failed(str(error), 1)
    except click.Abort:
        return _failed("stopped", 130)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except OSError as error:
        return _failed(f"{error.filename or 'the system'}: {error.strerror or error}. Type: holdfast doctor", 1)
    except Exception as error:  # noqa: BLE001 - the other boundary: no traceback reaches a person
        faults.record(paths.data_dir(os.environ), "holdfast " + " ".join(arguments[:1]), error)
        return _failed(f"{type(error).__name__}: {error}. A fault of holdfast; `holdfast doctor` tells the place", 3)
    return code if isinstance(code, int) else 0


def _failed(message: str, code: int) -> int:
    """Say on standard error why nothing was done, and return the exit code."""
    click.echo(f"holdfast: {message}", err=True)
    return code
