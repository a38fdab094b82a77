"""What `init` explains and asks before it prepares an unusual place."""

import os
import sys

import click

from holdfast.cli.app import warn
from holdfast.cli.output import is_json, tell
from holdfast.core.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

_HOME = "{} is your home directory: every session below it that is in no other project would count as one of this one."
_NO_GIT = (
    "{} is not in git: nothing is staged or merged, what is committed is not known, and journals are kept in "
    ".agents/.holdfast."
)


def confirm(project: "Project", root: str, *, agreed: bool) -> None:
    """Explain what preparing `root` means, and ask if it is a home directory or not in git, unless the user `agreed`.

    Without a terminal, or with --json, a home directory is refused with a HoldfastError, and of a missing git only a
    warning is printed.
    """
    at_home = _same(root, os.path.expanduser("~"))
    reason = _HOME if at_home else "" if project.git else _NO_GIT
    if not reason:
        if not _same(root, os.getcwd()):
            tell(f"Prepares {root}, the root of the repository that this folder is in.")
        return
    explained = reason.format(root)
    if agreed or is_json() or not sys.stdin.isatty():
        if at_home and not agreed:
            raise HoldfastError(f"{explained} If that is meant: holdfast init --yes")
        warn(explained)
    elif not click.confirm(f"{explained}\nPrepare it all the same?"):
        raise click.Abort


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
