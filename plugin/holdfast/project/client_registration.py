"""Registers holdfast with Claude Code as a marketplace and a plugin, through the command `claude plugin` only."""

from __future__ import annotations

import os

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from contextlib import ExitStack
    from typing import Any

MARKET = "holdfast-tools"
PLUGIN = f"holdfast@{MARKET}"


class Client:
    """The command `claude` on PATH."""

    def __init__(self, path: str) -> None:
        self._path = path

    @classmethod
    def find(cls) -> Client | None:
        """Return the client, None when `claude` is not on PATH."""
        import shutil

        path = shutil.which("claude")
        return cls(path) if path else None

    def check(self) -> None:
        """Raise HoldfastError when the marketplace's name is in use for another one."""
        self.has_market()

    def add(self, scope: str, undo: ExitStack) -> list[str]:
        """Register marketplace and plugin; return the lines for the user."""
        return [self.add_market(undo), self.add_plugin(scope, undo)]

    def has_market(self) -> bool:
        """Whether the marketplace is this clone; HoldfastError when its name is in use for another one that exists."""
        for entry in self._query("marketplace", "list", "--json"):
            if entry.get("name") == MARKET:
                source = str(entry.get("path") or entry.get("repo") or entry.get("url") or "another place")
                if os.path.realpath(source) == paths.PLUGIN_ROOT:
                    return True
                if entry.get("source") != "directory" or os.path.exists(source):
                    command = f"claude plugin marketplace remove {MARKET}"
                    raise HoldfastError(
                        f"the marketplace {MARKET} already exists and is from {source}; type: {command}."
                    )
        return False

    def installed(self) -> list[dict[str, Any]]:
        """Return the client's entries for this plugin, one for each scope and project."""
        return [entry for entry in self._query("list", "--json") if entry.get("id") == PLUGIN]

    def add_market(self, undo: ExitStack) -> str:
        """Register this clone as a marketplace unless it is one; return the line for the user."""
        if self.has_market():
            return f"marketplace: already {MARKET}"
        undo.callback(self._plugin, "marketplace", "remove", MARKET)
        self._change("marketplace", "add", paths.PLUGIN_ROOT)
        return f"marketplace: added {MARKET} from {paths.PLUGIN_ROOT}"

    def add_plugin(self, scope: str, undo: ExitStack) -> str:
        """Install the plugin for a scope, or update it to this clone's version; return the line for the user."""
        current = version()
        installed = [entry for entry in self.installed() if _is_here(entry, scope)]
        if not installed:
            undo.callback(self._plugin, "uninstall", PLUGIN, "--scope", scope, "--keep-data")
            self._change("install", PLUGIN, "--scope", scope)
            return f"plugin: installed {PLUGIN} {current}, scope {scope}"
        if installed[0].get("version") != current:
            self._change("marketplace", "update", MARKET)
            self._change("update", PLUGIN, "--scope", scope)
            return f"plugin: updated {PLUGIN} to {current}, scope {scope}"
        off = (
            ""
            if installed[0].get("enabled", True)
            else f", switched off; to change that: claude plugin enable {PLUGIN}"
        )
        return f"plugin: already {PLUGIN} {current}, scope {scope}{off}"

    def remove(self) -> str:
        """Remove plugin and marketplace if they come from this clone; return the line for the user."""
        try:
            if not self.has_market():
                return f"plugin: the marketplace {MARKET} is not registered"
        except HoldfastError as error:
            return f"plugin: left alone, because {error}"
        for entry in self.installed():
            folder = str(entry.get("projectPath") or os.getcwd())
            if os.path.isdir(folder):
                self._change("uninstall", PLUGIN, "--scope", str(entry.get("scope")), "--keep-data", cwd=folder)
        self._change("marketplace", "remove", MARKET)
        return f"plugin: removed, with the marketplace {MARKET}"

    def _change(self, *args: str, cwd: str | None = None) -> None:
        """Run `claude plugin …`; HoldfastError with the client's last line when that fails."""
        done = self._plugin(*args, cwd=cwd)
        if done.returncode:
            raise HoldfastError(f"`claude plugin {' '.join(args)}` failed ({last_line(done)}); correct that.")

    def _query(self, *args: str) -> list[dict[str, Any]]:
        """Return the JSON list that `claude plugin …` prints; HoldfastError when it prints none."""
        import contextlib

        answer = self._plugin(*args)
        with contextlib.suppress(ValueError):
            entries = fast_json.loads(answer.stdout.encode())
            if answer.returncode == 0 and isinstance(entries, list):
                return [entry for entry in entries if isinstance(entry, dict)]
        problem = f"`{self._path} plugin {' '.join(args)}` does not answer ({last_line(answer)})"
        raise HoldfastError(f"{problem}; bring Claude Code up to date: claude update.")

    def _plugin(self, *args: str, cwd: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run `claude plugin …` and wait for it."""
        return run(self._path, "plugin", *args, cwd=cwd)


def _is_here(entry: dict[str, Any], scope: str) -> bool:
    """Whether an entry is for this scope and for the current folder."""
    folder = entry.get("projectPath")
    return entry.get("scope") == scope and (not folder or os.path.realpath(str(folder)) == os.getcwd())


def version() -> str:
    """Return the version of holdfast, from plugin.json."""
    manifest = fast_json.loads(files.read(paths.PLUGIN_ROOT + "/.claude-plugin/plugin.json"))
    return str(manifest["version"]) if isinstance(manifest, dict) else ""


def run(*command: str, cwd: str | None = None, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command with what is `typed` as its input, and wait for it."""
    import subprocess

    return subprocess.run(command, check=False, capture_output=True, text=True, input=typed, cwd=cwd)


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line of a command's output, or its exit code."""
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[-1].strip() if lines else f"exit code {done.returncode}"
