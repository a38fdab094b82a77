"""Registers holdfast with Copilot CLI by a file of its own among those with the user's hooks."""

from __future__ import annotations

import os

from holdfast.clients import copilot
from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import ExitStack

# Seconds; the tools' events come for these tools alone.
_LIMITS = {"SessionStart": 15, "PostToolUse": 20, "PreCompact": 20, "SessionEnd": 5}
_DEFAULT = 10


class Copilot:
    """The command `copilot` on PATH."""

    @classmethod
    def find(cls) -> Copilot | None:
        """Return the client, None when `copilot` is not on PATH."""
        import shutil

        return cls() if shutil.which("copilot") else None

    def check(self) -> None:
        """Raise HoldfastError when the file is there and is not from holdfast."""
        if os.path.lexists(file()) and not _launcher():
            raise HoldfastError(f"{file()} already exists and is not from holdfast; move it away.")

    def add(self, _scope: str, undo: ExitStack) -> list[str]:
        """Write the file unless it is there; return the lines for the user."""
        if is_ours():
            return [f"hooks: already {file()}"]
        if not os.path.lexists(file()):
            undo.callback(files.unlink_quietly, file())
        os.makedirs(os.path.dirname(file()), exist_ok=True)
        files.write_private(file(), text().encode())
        if not is_ours():
            raise HoldfastError(f"{file()} does not have the hooks; correct that.")
        return [f"hooks: written to {file()}"]

    def remove(self) -> str:
        """Remove the file if it is from this clone; return the line for the user."""
        if not os.path.lexists(file()):
            return f"hooks: {file()} does not exist"
        if _launcher() != f"{paths.PLUGIN_ROOT}/hooks/launch":
            return f"hooks: {file()} left alone, because it is not from this clone"
        os.unlink(file())
        return f"hooks: removed {file()}"


def file() -> str:
    """Return the path of the file with the hooks."""
    return os.environ.get("HOME", "") + "/.copilot/hooks/holdfast.json"


def text() -> str:
    """Return what the file has to say for this clone.

    A hook that fails before a tool call forbids the call, so a clone that is gone is no failure.
    """
    quoted = "'" + paths.PLUGIN_ROOT.replace("'", "'\\''") + "/hooks"
    hooks: dict[str, list[dict[str, object]]] = {}
    for event in copilot.EVENTS:
        command = f"[ -x {quoted}/launch' ] || exit 0; exec {quoted}/launch' {quoted}/event.py' copilot {event}"
        hook: dict[str, object] = {"type": "command", "bash": command, "timeoutSec": _LIMITS.get(event, _DEFAULT)}
        tools = {"matcher": "|".join(copilot.TOOLS)} if event.endswith("ToolUse") else {}
        hooks[event] = [{**tools, **hook}]
    return fast_json.dumps({"version": 1, "hooks": hooks}) + "\n"


def is_ours() -> bool:
    """Whether the file says what it has to say for this clone."""
    try:
        return files.read(file()) == text().encode()
    except OSError:
        return False


def _launcher() -> str:
    """Return the launcher that the file names, "" if it names none."""
    known = fast_json.read_object(file())
    _, _, rest = fast_json.dumps(known.get("hooks")).partition("[ -x '")
    path = rest.partition("' ]")[0]
    return path if path.endswith("/hooks/launch") else ""
