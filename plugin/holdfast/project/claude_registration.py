"""Registers holdfast with Claude Code as a marketplace and a plugin, through commands of `claude`; and the status line.

The status line is added to the user's settings, and put back as it was. For that the data folder keeps what they had
before, as `statusline.json`: `earlier` is the command of the status line that was there, which ours runs first;
`settings` is that key's whole value; `before` and `after` are the bytes of the file, so that a file that no one else
changed is restored byte for byte.
"""

from __future__ import annotations

import json
import os
import shlex
import sys

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import table_of
from holdfast.project import client_registration, paths
from holdfast.project.client_registration import MARKET, PLUGIN, MarketClient, output, run, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import ExitStack
    from typing import Any

    Known = dict[str, object]


MCP = "holdfast"  # the name of the server that `holdfast mcp --register` adds


class Claude(MarketClient):
    """The command `claude` on PATH."""

    NAME, REMEDY = "claude", "bring Claude Code up to date: claude update"

    def running(self) -> dict[str, str] | None:
        """Return the sessions that run on this machine by the client's own account: id -> folder; None if unknown.

        Versions without `claude agents --json` say nothing, nor does one that takes too long.
        """
        try:
            rows = fast_json.loads(output(self.path, "agents", "--json").encode())
        except ValueError:
            return None
        if not isinstance(rows, list):
            return None
        known = [row for row in rows if isinstance(row, dict) and row.get("sessionId")]
        return {str(row["sessionId"]): str(row.get("cwd", "")) for row in known}

    def add(self, scope: str, undo: ExitStack) -> list[str]:
        """Register marketplace and plugin; return the lines for the user."""
        return [self.add_market(undo), self.add_plugin(scope, undo)]

    def _markets(self) -> Iterable[tuple[str, bool]]:
        for entry in self._rows("", "marketplace", "list", "--json"):
            if entry.get("name") == MARKET:
                source = str(entry.get("path") or entry.get("repo") or entry.get("url") or "another place")
                yield source, entry.get("source") == "directory" and not os.path.exists(source)

    def installed(self) -> list[dict[str, Any]]:
        """Return the client's entries for this plugin, one for each scope and project."""
        return [entry for entry in self._rows("", "list", "--json") if entry.get("id") == PLUGIN]

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

    def _uninstall(self) -> None:
        if paths.PLUGIN_ROOT in output(self.path, "mcp", "get", MCP):
            run(self.path, "mcp", "remove", "--scope", "user", MCP)
        for entry in self.installed():
            folder = str(entry.get("projectPath") or os.getcwd())
            if os.path.isdir(folder):
                self._change("uninstall", PLUGIN, "--scope", str(entry.get("scope")), "--keep-data", cwd=folder)


def running() -> dict[str, str] | None:
    """Return the sessions that Claude Code lists as running here: id -> folder; None without such a client."""
    client = Claude.find()
    return client.running() if client else None


def _is_here(entry: dict[str, Any], scope: str) -> bool:
    """Whether an entry is for this scope and for the current folder."""
    folder = entry.get("projectPath")
    return entry.get("scope") == scope and (not folder or os.path.realpath(str(folder)) == os.getcwd())


_MANAGED = {"darwin": "/Library/Application Support/ClaudeCode", "linux": "/etc/claude-code"}  # by sys.platform
_NAMES = ("settings.json", "settings.local.json")


def read_settings(root: str) -> Iterator[tuple[str, Known]]:
    """Yield the path and the content of each settings file for the project at `root`, what counts least first.

    A file that leads out of the project through a link is not read.
    """
    user = paths.claude_config(os.environ)
    own = [f"{user}/{name}" for name in _NAMES] if user else []
    here = [f"{root}/.claude/{name}" for name in _NAMES] if root else []
    managed = [f"{folder}/managed-settings.json" for folder in [_MANAGED.get(sys.platform)] if folder]
    for path in [*own, *(path for path in here if paths.within(path, root)), *managed]:
        yield path, fast_json.read_object(path)


def silenced(root: str) -> tuple[str, str] | None:
    """Return why the hooks of holdfast do not run here and what to do about it, None where no settings say so."""
    switched: dict[str, object] = {}  # path -> what it says of the plugin, the one that counts last
    for path, known in read_settings(root):
        if known.get("disableAllHooks") is True:
            return f"disableAllHooks in {path} switches all hooks off", f"Take disableAllHooks out of {path}."
        if known.get("allowManagedHooksOnly") is True:
            reason = f"allowManagedHooksOnly in {path} keeps the hooks of plugins from running"
            return reason, "Ask whoever manages Claude Code on this machine to allow the plugin."
        switch = table_of(known, "enabledPlugins").get(client_registration.PLUGIN)
        switched = {path: switch} if switch is not None else switched
    off = [path for path, switch in switched.items() if switch is False]
    return (f"switched off in {off[0]}", f"Type: claude plugin enable {client_registration.PLUGIN}") if off else None


_STATUS_LINE = "statusLine"
KEPT_STATUS_LINE = "/statusline.json"


def settings_path() -> str:
    """Return the path of the user's settings, with links followed: a link leads to where a person keeps them.

    HoldfastError without a home directory.
    """
    config = paths.claude_config(os.environ)
    if not config:
        raise HoldfastError("Without a home directory Claude Code has no settings. Set HOME.")
    return os.path.realpath(f"{config}/settings.json")


def status_line_command() -> str:
    """Return the command that prints the status line of this plugin."""
    words = (paths.PLUGIN_ROOT + "/hooks/launch", paths.PLUGIN_ROOT + "/plugin/holdfast/__main__.py", "statusline")
    return " ".join(map(shlex.quote, words))


def add_status_line() -> str:
    """Add the status line to the user's settings and return the line for the user; HoldfastError if that fails."""
    path, kept_path = settings_path(), paths.data_dir(os.environ) + KEPT_STATUS_LINE
    before, settings = client_registration.read_user_file(path)
    current = settings.get(_STATUS_LINE)
    earlier = fast_json.read_object(kept_path).get("settings") if _is_our_status_line(current) else current
    given = earlier.get("command") if isinstance(earlier, dict) else ""
    settings[_STATUS_LINE] = {
        **(earlier if isinstance(earlier, dict) else {}),
        "type": "command",
        "command": status_line_command(),
    }
    after = client_registration.user_text(settings)
    if not _is_our_status_line(current):
        kept = {"earlier": given, "settings": earlier, "before": before, "after": after}
        files.write_private(kept_path, json.dumps(kept).encode())
    client_registration.write_user_file(path, after)
    if not _is_our_status_line(client_registration.read_user_file(path)[1].get(_STATUS_LINE)):
        raise HoldfastError(f"{path} does not have the status line after it was written; try again.")
    return f"status line: added to {path}" + (", after the one that was there" if given else "")


def remove_status_line() -> str:
    """Put the user's settings back as they were; return the line for the user."""
    path, kept_path = settings_path(), paths.data_dir(os.environ) + KEPT_STATUS_LINE
    now, settings = client_registration.read_user_file(path)
    kept = fast_json.read_object(kept_path)
    if not _is_our_status_line(settings.get(_STATUS_LINE)):
        files.unlink_quietly(kept_path)
        return "status line: holdfast's is not in the settings"
    earlier = kept.get("settings")
    if now == kept.get("after") and "before" in kept:
        text = str(kept["before"])
    else:
        del settings[_STATUS_LINE]
        settings |= {_STATUS_LINE: earlier} if earlier else {}
        text = client_registration.user_text(settings)
    if text:
        client_registration.write_user_file(path, text)
    else:
        os.unlink(path)
    files.unlink_quietly(kept_path)
    return f"status line: {'the earlier one is back in' if earlier else 'removed from'} {path}"


def _is_our_status_line(value: object) -> bool:
    """Whether a value of the settings starts this or another copy of holdfast's status line."""
    words = value.get("command") if isinstance(value, dict) else ""
    return isinstance(words, str) and words.endswith("statusline") and "/holdfast/__main__.py" in words
