"""The settings files of Claude Code that decide whether hooks run: the user's, the project's, and a manager's."""

import os
import sys

from holdfast.core import fast_json
from holdfast.core.fast_json import table_of
from holdfast.project import client_registration, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Known = dict[str, object]

_MANAGED = {"darwin": "/Library/Application Support/ClaudeCode", "linux": "/etc/claude-code"}  # by sys.platform
_NAMES = ("settings.json", "settings.local.json")


def read(root: str) -> "Iterator[tuple[str, Known]]":
    """Yield the path and the content of each settings file for the project at `root`, what counts least first.

    A file that leads out of the project through a link is not read.
    """
    user = paths.claude_config(os.environ)
    own = [f"{user}/{name}" for name in _NAMES] if user else []
    here = [f"{root}/.claude/{name}" for name in _NAMES] if root else []
    managed = [f"{folder}/managed-settings.json" for folder in [_MANAGED.get(sys.platform)] if folder]
    for path in [*own, *(path for path in here if paths.within(path, root)), *managed]:
        yield path, fast_json.read_object(path)


def silenced(root: str) -> "tuple[str, str] | None":
    """Return why the hooks of holdfast do not run here and what to do about it, None where no settings say so."""
    switched: dict[str, object] = {}  # path -> what it says of the plugin, the one that counts last
    for path, known in read(root):
        if known.get("disableAllHooks") is True:
            return f"disableAllHooks in {path} switches all hooks off", f"Take disableAllHooks out of {path}."
        if known.get("allowManagedHooksOnly") is True:
            found = f"allowManagedHooksOnly in {path} keeps the hooks of plugins from running"
            return found, "Ask whoever manages Claude Code on this machine to allow the plugin."
        switch = table_of(known, "enabledPlugins").get(client_registration.PLUGIN)
        switched = {path: switch} if switch is not None else switched
    off = [path for path, switch in switched.items() if switch is False]
    return (f"switched off in {off[0]}", f"Type: claude plugin enable {client_registration.PLUGIN}") if off else None
