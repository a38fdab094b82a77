"""How Claude Code knows of holdfast: its marketplace and its plugin, asked and told through `claude plugin` alone."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from holdfast import paths
from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from contextlib import ExitStack
    from typing import Any

MARKET = "holdfast-tools"
PLUGIN = f"holdfast@{MARKET}"


class Client:
    """The `claude` on PATH."""

    def __init__(self, path: str) -> None:
        self._path = path

    @classmethod
    def find(cls) -> Client | None:
        """Return the client, None where there is none."""
        path = shutil.which("claude")
        return cls(path) if path else None

    def has_market(self) -> bool:
        """Whether the marketplace is this clone; HoldfastError when its name leads to something else that exists."""
        for entry in self._ask("marketplace", "list", "--json"):
            if entry.get("name") == MARKET:
                place = str(entry.get("path") or entry.get("repo") or entry.get("url") or "somewhere else")
                if os.path.realpath(place) == paths.PLUGIN_ROOT:
                    return True
                if entry.get("source") != "directory" or os.path.exists(place):
                    free = f"claude plugin marketplace remove {MARKET}"
                    raise HoldfastError(f"the marketplace {MARKET} is there already, from {place}; type: {free}.")
        return False

    def installed(self) -> list[dict[str, Any]]:
        """Return what the client says of our plugin, one entry for each scope and project."""
        return [entry for entry in self._ask("list", "--json") if entry.get("id") == PLUGIN]

    def add_market(self, undo: ExitStack) -> str:
        """Register this clone as a marketplace, and say what was done."""
        if self.has_market():
            return f"marketplace: already {MARKET}"
        undo.callback(self._plugin, "marketplace", "remove", MARKET)
        self._tell("marketplace", "add", paths.PLUGIN_ROOT)
        return f"marketplace: added {MARKET} from {paths.PLUGIN_ROOT}"

    def add_plugin(self, scope: str, undo: ExitStack) -> str:
        """Install the plugin for a scope, or bring it up to this clone's version, and say what was done."""
        current = version()
        there = [entry for entry in self.installed() if _is_here(entry, scope)]
        if not there:
            undo.callback(self._plugin, "uninstall", PLUGIN, "--scope", scope, "--keep-data")
            self._tell("install", PLUGIN, "--scope", scope)
            return f"plugin: installed {PLUGIN} {current}, scope {scope}"
        if there[0].get("version") != current:
            self._tell("marketplace", "update", MARKET)
            self._tell("update", PLUGIN, "--scope", scope)
            return f"plugin: updated {PLUGIN} to {current}, scope {scope}"
        off = "" if there[0].get("enabled", True) else f", switched off; to change that: claude plugin enable {PLUGIN}"
        return f"plugin: already {PLUGIN} {current}, scope {scope}{off}"

    def remove(self) -> str:
        """Take plugin and marketplace away if they come from this clone, and say what was done."""
        try:
            if not self.has_market():
                return f"plugin: no marketplace {MARKET} any more"
        except HoldfastError as error:
            return f"plugin: left alone, because {error}"
        for entry in self.installed():
            place = str(entry.get("projectPath") or os.getcwd())
            if os.path.isdir(place):
                self._tell("uninstall", PLUGIN, "--scope", str(entry.get("scope")), "--keep-data", cwd=place)
        self._tell("marketplace", "remove", MARKET)
        return f"plugin: taken away, with the marketplace {MARKET}"

    def _tell(self, *args: str, cwd: str | None = None) -> None:
        """Run `claude plugin …`; HoldfastError with the client's own words when that fails."""
        done = self._plugin(*args, cwd=cwd)
        if done.returncode:
            raise HoldfastError(f"`claude plugin {' '.join(args)}` failed ({last_line(done)}); put that right.")

    def _ask(self, *args: str) -> list[dict[str, Any]]:
        """Return the JSON list that answers `claude plugin …`."""
        answer = self._plugin(*args)
        with contextlib.suppress(ValueError):
            found = json.loads(answer.stdout)
            if answer.returncode == 0 and isinstance(found, list):
                return [entry for entry in found if isinstance(entry, dict)]
        why = f"`{self._path} plugin {' '.join(args)}` does not answer ({last_line(answer)})"
        raise HoldfastError(f"{why}; bring Claude Code up to date: claude update.")

    def _plugin(self, *args: str, cwd: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run `claude plugin …` to its end."""
        return run(self._path, "plugin", *args, cwd=cwd)


def _is_here(entry: dict[str, Any], scope: str) -> bool:
    """Whether an entry is for a scope as seen from the current folder."""
    place = entry.get("projectPath")
    return entry.get("scope") == scope and (not place or os.path.realpath(str(place)) == os.getcwd())


def version() -> str:
    """Return the version that plugin.json names."""
    with open(paths.PLUGIN_ROOT + "/.claude-plugin/plugin.json", encoding="utf-8") as file:
        return str(json.load(file)["version"])


def run(*command: str, cwd: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with nothing on its stdin."""
    return subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=cwd)


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last thing that a command said."""
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[-1].strip() if lines else f"exit code {done.returncode}"
