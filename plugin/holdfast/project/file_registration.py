"""Registers holdfast with clients that read files: hooks for Copilot CLI and Droid, a plugin for opencode."""

from __future__ import annotations

import os

from holdfast.clients import catalogue
from holdfast.clients.copilot import copilot
from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.project import client_registration, paths
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


class Droid(Program):
    """The command `droid` on PATH. Of its file holdfast adds, changes and removes its own entries alone.

    Droid reads hooks from the first of these that there is: hooks.json, hooks/hooks.json, and the key `hooks` of its
    settings. A new file would hide those after it.
    """

    NAME, WHAT = "droid", "hooks"

    @classmethod
    def file(cls) -> str:
        """Return the file from which Droid reads hooks."""
        folder = _home(".factory")
        for name in ("hooks.json", "hooks/hooks.json"):
            if os.path.lexists(f"{folder}/{name}"):
                return f"{folder}/{name}"
        has_hooks = "hooks" in fast_json.read_object(f"{folder}/settings.json")
        return f"{folder}/{'settings' if has_hooks else 'hooks'}.json"

    @classmethod
    def table(cls, whole: dict[str, object]) -> dict[str, object]:
        """Return the part of the file with the events, which is made if it is missing; HoldfastError for odd ones.

        The events are at the top of hooks.json if they are not under a key of their own.
        """
        if "hooks" not in whole and not cls.file().endswith("settings.json"):
            return whole
        table = whole.setdefault("hooks", {})
        if not isinstance(table, dict):
            raise HoldfastError(f"`hooks` in {cls.file()} is not a JSON object; correct that.")
        return table

    @classmethod
    def entry(cls, event: str) -> dict[str, object]:
        """Return a group with one hook; those of tools come for the tools of the table alone."""
        client = catalogue.of(cls.NAME)
        command = shell_command(cls.NAME, event)
        hook = {"type": "command", "command": command, "timeout": LIMITS.get(event, LIMITS[""])}
        matcher = {"matcher": "|".join(client.TOOLS)} if client.EVENTS[event] in ("before_tool", "after_tool") else {}
        return {**matcher, "hooks": [hook]}

    @classmethod
    def is_there(cls) -> bool:
        """Whether the file has an entry of any clone of holdfast."""
        return any(cls._ours(entry) for entries in cls._events().values() for entry in entries)

    @classmethod
    def is_ours(cls) -> bool:
        """Whether the file has what it has to have for this clone, and nothing of another one."""
        events = cls._events()
        ours = {event: [entry for entry in entries if cls._ours(entry)] for event, entries in events.items()}
        requested = {event: [cls.entry(event)] for event in catalogue.of(cls.NAME).EVENTS}
        return {event: entries for event, entries in ours.items() if entries} == requested

    def check(self) -> None:
        """Raise HoldfastError when the file cannot be changed."""
        self.table(client_registration.read_user_file(self.file())[1])

    def add(self, _scope: str, undo: ExitStack) -> list[str]:
        """Add the entries unless they are there; return the lines for the user."""
        path = self.file()
        if self.is_ours():
            return [f"hooks: already in {path}"]
        before, whole = client_registration.read_user_file(path)
        undo.callback(client_registration.write_user_file, path, before) if before else undo.callback(
            files.unlink_quietly, path
        )
        self._take_out(whole)
        events = self.table(whole)
        for event in catalogue.of(self.NAME).EVENTS:
            kept = events.get(event)
            events[event] = [*(kept if isinstance(kept, list) else []), self.entry(event)]
        client_registration.write_user_file(path, client_registration.user_text(whole))
        if not self.is_ours():
            raise HoldfastError(f"{path} does not have the hooks; correct that.")
        return [f"hooks: added to {path}"]

    def remove(self) -> str:
        """Remove the entries; return the line for the user."""
        path = self.file()
        if not self.is_there():
            return f"hooks: {path} has none of holdfast"
        _, whole = client_registration.read_user_file(path)
        self._take_out(whole)
        if any(whole.values()):
            client_registration.write_user_file(path, client_registration.user_text(whole))
        else:
            os.unlink(path)
        return f"hooks: removed from {path}"

    def _take_out(self, whole: dict[str, object]) -> None:
        """Remove the entries of every clone of holdfast, and the events that have no other."""
        events = self.table(whole)
        for event, entries in list(events.items()):
            if isinstance(entries, list) and any(map(self._ours, entries)):
                events[event] = [entry for entry in entries if not self._ours(entry)]
                if not events[event]:
                    del events[event]

    @classmethod
    def _events(cls) -> dict[str, list[object]]:
        """Return the entries of each event, {} for a file that is missing or cannot be read."""
        try:
            table = cls.table(client_registration.read_user_file(cls.file())[1])
        except (HoldfastError, OSError):
            return {}
        return {event: entries for event, entries in table.items() if isinstance(entries, list)}

    @classmethod
    def _ours(cls, entry: object) -> bool:
        """Whether an entry starts holdfast for this client."""
        return f"/hooks/event.py' {cls.NAME} " in fast_json.dumps(entry)


def _home(path: str) -> str:
    """Return a path below the home directory."""
    return f"{os.environ.get('HOME', '')}/{path}"
