"""Registers holdfast with clients that read a file of its own: hooks for Copilot CLI, a plugin for opencode."""

from __future__ import annotations

import os

from holdfast.clients import catalogue
from holdfast.clients.copilot import copilot
from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.project.client_registration import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import ExitStack

# Seconds for hooks; "" is all other events.
LIMITS = {"SessionStart": 15, "PostToolUse": 20, "PreCompact": 20, "SessionEnd": 5, "": 10}


def shell_command(client: str, event: str) -> str:
    """Return what a client's shell runs for an event.

    A hook that fails before a tool call may forbid the call, so a clone that is gone is no failure. Neither is a
    process that may open ten files only: some shells cannot read a script then.
    """
    quoted = "'" + paths.PLUGIN_ROOT.replace("'", "'\\''") + "/hooks"
    launch = f"exec {quoted}/launch' {quoted}/event.py' {client} {event}"
    return f"true 2>/dev/null 10</dev/null && [ -x {quoted}/launch' ] || exit 0; {launch}"


class OwnFile(Program):
    """A client that reads each file in a folder of the user's home; WHAT the file has."""

    WHAT = ""

    @classmethod
    def file(cls) -> str:
        """Return the path of the file."""
        raise NotImplementedError

    @classmethod
    def text(cls) -> str:
        """Return what the file has to say for this clone."""
        raise NotImplementedError

    @classmethod
    def named(cls) -> str:
        """Return the file of a clone of holdfast that the file names, "" if it names none."""
        raise NotImplementedError

    @classmethod
    def is_there(cls) -> bool:
        """Whether there is the file."""
        return os.path.lexists(cls.file())

    @classmethod
    def is_ours(cls) -> bool:
        """Whether the file says what it has to say for this clone."""
        try:
            return files.read(cls.file()) == cls.text().encode()
        except OSError:
            return False

    def check(self) -> None:
        """Raise HoldfastError when the file is there and is not from holdfast."""
        if self.is_there() and not self.named():
            raise HoldfastError(f"{self.file()} already exists and is not from holdfast; move it away.")

    def add(self, _scope: str, undo: ExitStack) -> list[str]:
        """Write the file unless it is there; return the lines for the user."""
        path = self.file()
        if self.is_ours():
            return [f"{self.WHAT}: already {path}"]
        if not self.is_there():
            undo.callback(files.unlink_quietly, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        files.write_private(path, self.text().encode())
        if not self.is_ours():
            raise HoldfastError(f"{path} does not have the {self.WHAT}; correct that.")
        return [f"{self.WHAT}: written to {path}"]

    def remove(self) -> str:
        """Remove the file if it is from this clone; return the line for the user."""
        path = self.file()
        if not self.is_there():
            return f"{self.WHAT}: {path} does not exist"
        if not self.named().startswith(f"{paths.PLUGIN_ROOT}/"):
            return f"{self.WHAT}: {path} left alone, because it is not from this clone"
        os.unlink(path)
        return f"{self.WHAT}: removed {path}"


class Copilot(OwnFile):
    """The command `copilot` on PATH."""

    NAME, WHAT = "copilot", "hooks"

    @classmethod
    def file(cls) -> str:
        """Return the path of the file with the hooks."""
        return os.environ.get("HOME", "") + "/.copilot/hooks/holdfast.json"

    @classmethod
    def text(cls) -> str:
        """Return the hooks; those of tools come for the tools of the table alone."""
        hooks: dict[str, list[dict[str, object]]] = {}
        for event in copilot.EVENTS:
            limit = LIMITS.get(event, LIMITS[""])
            hook: dict[str, object] = {"type": "command", "bash": shell_command(cls.NAME, event), "timeoutSec": limit}
            tools = {"matcher": "|".join(copilot.TOOLS)} if event.endswith("ToolUse") else {}
            hooks[event] = [{**tools, **hook}]
        return fast_json.dumps({"version": 1, "hooks": hooks}) + "\n"

    @classmethod
    def named(cls) -> str:
        """Return the launcher that the file names, "" if it names none."""
        known = fast_json.read_object(cls.file())
        path = fast_json.dumps(known.get("hooks")).partition("[ -x '")[2].partition("' ]")[0].replace("'\\\\''", "'")
        return path if path.endswith("/hooks/launch") else ""


class Opencode(OwnFile):
    """The command `opencode` on PATH. The file loads the plugin of this clone, and does nothing once that is gone."""

    NAME, WHAT = "opencode", "plugin"
    _BEGINNING = "  const plugin = await import("

    @classmethod
    def file(cls) -> str:
        """Return the path of the file with the plugin."""
        config = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("HOME", "") + "/.config"
        return f"{config}/opencode/plugin/holdfast.js"

    @classmethod
    def text(cls) -> str:
        """Return a module that loads the plugin."""
        source = fast_json.dumps(f"{paths.PLUGIN_ROOT}/{catalogue.of(cls.NAME).HOOKS}")
        return (
            "// `holdfast install --client opencode` writes this file, and `--uninstall` removes it.\n"
            f"export const holdfast = async (input) => {{\n{cls._BEGINNING}{source}).catch(() => null)\n"
            "  return plugin ? plugin.holdfast(input) : {}\n}\n"
        )

    @classmethod
    def named(cls) -> str:
        """Return the plugin that the file loads, "" if it loads none of holdfast."""
        try:
            text = files.read(cls.file()).decode(errors="replace")
        except OSError:
            return ""
        try:
            path = fast_json.loads(text.partition(cls._BEGINNING)[2].partition(").catch")[0].encode())
        except ValueError:
            return ""
        return path if isinstance(path, str) and path.endswith("/extensions/opencode/holdfast.js") else ""
