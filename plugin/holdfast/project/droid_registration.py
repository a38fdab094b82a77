"""Registers holdfast with Droid, whose user and tools all keep their hooks in one file.

Of that file holdfast adds, changes and removes its own entries alone.
"""

from __future__ import annotations

import os

from holdfast.clients import catalogue
from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.project import user_json
from holdfast.project.client_registration import Program
from holdfast.project.file_registration import LIMITS, shell_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import ExitStack


class Droid(Program):
    """The command `droid` on PATH.

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
        self.table(user_json.read(self.file())[1])

    def add(self, _scope: str, undo: ExitStack) -> list[str]:
        """Add the entries unless they are there; return the lines for the user."""
        path = self.file()
        if self.is_ours():
            return [f"hooks: already in {path}"]
        before, whole = user_json.read(path)
        undo.callback(user_json.write, path, before) if before else undo.callback(files.unlink_quietly, path)
        self._take_out(whole)
        events = self.table(whole)
        for event in catalogue.of(self.NAME).EVENTS:
            kept = events.get(event)
            events[event] = [*(kept if isinstance(kept, list) else []), self.entry(event)]
        user_json.write(path, user_json.text(whole))
        if not self.is_ours():
            raise HoldfastError(f"{path} does not have the hooks; correct that.")
        return [f"hooks: added to {path}"]

    def remove(self) -> str:
        """Remove the entries; return the line for the user."""
        path = self.file()
        if not self.is_there():
            return f"hooks: {path} has none of holdfast"
        _, whole = user_json.read(path)
        self._take_out(whole)
        if any(whole.values()):
            user_json.write(path, user_json.text(whole))
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
            table = cls.table(user_json.read(cls.file())[1])
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
