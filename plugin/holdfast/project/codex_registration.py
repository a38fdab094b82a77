"""Registers holdfast with Codex CLI as a marketplace and a plugin, through the command `codex plugin` only.

Codex copies the plugin to a folder of its own, and skips its hooks until the user has reviewed them.
"""

from __future__ import annotations

import contextlib
import os
import re

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.project.client_registration import MARKET, PLUGIN, MarketClient, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import ExitStack
    from typing import Any

TRUST = "Codex skips hooks until you trust them: type codex, and choose `Trust all and continue`."
_REQUESTS: tuple[dict[str, object], ...] = (  # what `codex app-server` is asked
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"clientInfo": {"name": "holdfast", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "initialized"},
)
# A table of the settings on one hook of the plugin, with its keys; a comment behind it stays.
_TRUSTED = re.compile(
    rb"""^\[hooks\.state\.(["'])[^\n]*?(?:holdfast@holdfast-tools|/holdfast-tools/holdfast/)[^\n]*?\1\][ \t]*\r?\n"""
    rb"""(?:[ \t]*[\w-]+[ \t]*=[^\n]*(?:\n|\Z)|[ \t]*\r?\n)*""",
    re.MULTILINE,
)
_LIMIT = 10.0  # seconds for the answer


class Codex(MarketClient):
    """The command `codex` on PATH."""

    NAME, REMEDY = "codex", "bring Codex CLI up to date: codex update"

    def add(self, _scope: str, undo: ExitStack) -> list[str]:
        """Register marketplace and plugin; return the lines for the user."""
        return [self.add_market(undo), self.add_plugin(undo)]

    def _markets(self) -> Iterable[tuple[str, bool]]:
        for entry in self._rows("marketplaces", "marketplace", "list", "--json"):
            if entry.get("name") == MARKET:
                yield str(entry.get("root") or "another place"), False

    def add_plugin(self, undo: ExitStack) -> str:
        """Install the plugin, or update it to this clone's version; return the line for the user."""
        current, installed = version(), self.installed()
        if installed and installed.get("version") == current:
            return f"plugin: already {PLUGIN} {current}"
        if not installed:
            undo.callback(self._plugin, "remove", PLUGIN)
        self._change("add", PLUGIN)
        if self.installed().get("version") != current:
            raise HoldfastError(f"`codex plugin list` does not have {PLUGIN} {current}; try again.")
        return f"plugin: {'updated' if installed else 'installed'} {PLUGIN} {current}\n{TRUST}"

    def installed(self) -> dict[str, Any]:
        """Return the client's entry for this plugin, {} if it is not installed."""
        entries = self._rows("installed", "list", "--json")
        return next((entry for entry in entries if entry.get("pluginId") == PLUGIN), {})

    def _uninstall(self) -> None:
        if self.installed():
            self._change("remove", PLUGIN)
        forget_hooks()

    def hooks(self, folder: str) -> list[dict[str, Any]]:
        """Return the plugin's hooks in a folder as Codex lists them, with `trustStatus`; HoldfastError without one."""
        ask = {"jsonrpc": "2.0", "id": 2, "method": "hooks/list", "params": {"cwds": [folder]}}
        for message in _conversation([self.path, "app-server"], [*_REQUESTS, ask]):
            result = message.get("result")
            if message.get("id") == 2 and isinstance(result, dict):
                rows = [row for one in result.get("data") or [] for row in one.get("hooks") or []]
                return [row for row in rows if row.get("pluginId") == PLUGIN]
        raise HoldfastError("`codex app-server` does not tell which hooks there are")


def forget_hooks() -> None:
    """Remove what Codex leaves: which of the plugin's hooks the user trusted, and an empty folder; OSError."""
    home = os.environ.get("CODEX_HOME") or os.environ.get("HOME", "") + "/.codex"
    with contextlib.suppress(OSError):
        os.rmdir(f"{home}/plugins/cache/{MARKET}")
    path = home + "/config.toml"
    data = files.read_or_none(path)  # None for a link, too
    kept = _TRUSTED.sub(b"", data) if data else data
    if kept is not None and kept != data:
        files.write_atomic(path, kept)


def _conversation(command: list[str], requests: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return what a program answers, line by line, to these requests, up to the answer to the last of them."""
    import select
    import subprocess
    import time

    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    messages: list[dict[str, object]] = []
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null, bufsize=0) as process:
        to, back = process.stdin, process.stdout
        if to and back:
            to.write("".join(fast_json.dumps(one) + "\n" for one in requests).encode())
            end, data = time.monotonic() + _LIMIT, b""
            while time.monotonic() < end and not any(one.get("id") == requests[-1]["id"] for one in messages):
                if select.select([back], [], [], 0.1)[0]:
                    read = os.read(back.fileno(), 1 << 16)
                    if not read:
                        break
                    *lines, data = (data + read).split(b"\n")
                    messages += filter(None, map(fast_json.object_in, lines))
        process.kill()
    return messages
