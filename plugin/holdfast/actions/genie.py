"""Prepare a project for Genie: a folder for the hub, and the program that its documents call to update the hub."""

import contextlib
import os
import stat

from holdfast.actions import adoption
from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.git import queries
from holdfast.project import paths
from holdfast.sessions import hub_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

_SHIM = "node_modules/.bin/automagik-genie"  # where npx looks for a program first
_MARK = "# Written by `holdfast init --genie`."
_USAGE = "automagik-genie run session-state-updater"
LINE = '!`holdfast update "action=..."`'
_PROGRAM = f"""\
#!/bin/sh
{_MARK}
# It carries out `npx automagik-genie run session-state-updater "..."`, foreground or not, with `holdfast update`.
if [ "$1" = run ] && [ "$2" = session-state-updater ]; then
    shift 2
    exec holdfast update "$@"
fi
echo "automagik-genie: only \\`run session-state-updater\\` is known here, which holdfast carries out" >&2
exit 2
"""


def restore(store: str, folder: str) -> None:
    """Write the program again where `npm ci` removed it or a new worktree lacks it, if it was made for this project."""
    root = paths.locate(folder).root if os.path.isfile(store + paths.GENIE) else ""
    shim = f"{root}/{_SHIM}"
    if root and not os.path.lexists(shim) and paths.within(os.path.dirname(shim), root):
        with contextlib.suppress(OSError):
            _write(shim)


def _write(shim: str) -> None:
    os.makedirs(os.path.dirname(shim), exist_ok=True)
    files.write_atomic(shim, _PROGRAM.encode())
    os.chmod(shim, stat.S_IMODE(os.stat(shim).st_mode) | 0o111)  # noqa: S103 - it is a program


def without_program(project: "Project") -> list[str]:
    """Return the project's documents whose usage line would not work, because npx has no such program there."""
    if not project.root or os.path.lexists(f"{project.root}/{_SHIM}"):
        return []
    found = queries.files_with(project.root, _USAGE) if project.git else None
    return [name for name in found or [] if name.endswith(".md")]


def remember(project: "Project") -> None:
    """Note in the store that the program was made for this project, so that `restore` makes it again."""
    if project.store:
        files.write_private(project.store + paths.GENIE, b"")


def prepare(root: str) -> list[str]:
    """Make the folder of the hub and the program, and return lines that say so.

    HoldfastError where one of them leads out of the project through a link, or where another program has that name.
    """
    folder, shim = os.path.dirname(f"{root}/{hub_location.PATHS[0]}"), f"{root}/{_SHIM}"
    for made in (folder, os.path.dirname(shim)):
        if not paths.within(made, root):
            raise HoldfastError(f"{made} leads out of {root} through a link. Make it a folder of its own.")
    if os.path.lexists(shim) and not adoption.mentions(shim, _MARK):
        raise HoldfastError(f"{shim} is another program already. Remove it to have holdfast answer its calls.")
    os.makedirs(folder, exist_ok=True)
    _write(shim)
    where = os.path.relpath(hub_location.known(root) or f"{root}/{hub_location.PATHS[0]}", root)
    return [
        f"The hub is {where}.",
        f"Made {_SHIM}: `npx automagik-genie run session-state-updater` is carried out by `holdfast update`.",
        "It is made again at each start, after `npm ci` and in a new worktree. The line that needs no program: " + LINE,
    ]
