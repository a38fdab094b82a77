"""Registers holdfast with Gemini CLI and Qwen Code (`extensions`) and Codex CLI (`plugin`), by their commands only.

Codex copies the plugin to a folder of its own, and skips its hooks until the user has reviewed them.
"""

from __future__ import annotations

import contextlib
import os
import re

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.project.client_registration import MARKET, PLUGIN, MarketClient, Program, last_line, run, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import ExitStack
    from typing import Any

_NAME = "holdfast"


class Extension(Program):
    """The command of a client with extensions, on PATH.

    NAME is its name, which the folder of the extension and the client's files have, too. LINK are the words after the
    path that `extensions link` gets, and AGREED is what is typed when it asks.
    """

    AGREED = ""
    HOME = ""  # the variable with the folder that stands for the home directory
    LINK: tuple[str, ...] = ()
    DISABLES_BY_NAME = False  # whether settings can name hooks that do not run

    def check(self) -> None:
        """Raise HoldfastError when another extension has the name."""
        other = self.source()
        if other and not self.is_ours() and os.path.exists(other):
            command = f"{self.NAME} extensions uninstall {_NAME}"
            raise HoldfastError(f"the extension {_NAME} already exists and is from {other}; type: {command}.")

    def add(self, _scope: str, undo: ExitStack) -> list[str]:
        """Link the extension in this clone unless it is linked; return the lines for the user."""
        if self.is_ours():
            return [f"extension: already {_NAME} from {self.folder()}"]
        if self.source():  # of a clone that is gone
            self._change("uninstall", _NAME)
        undo.callback(run, self.path, "extensions", "uninstall", _NAME)
        self._change("link", self.folder(), *self.LINK)
        if not self.is_ours():
            raise HoldfastError(f"`{self.NAME} extensions link` made no link; bring the client up to date.")
        return [f"extension: linked {_NAME} from {self.folder()}"]

    def remove(self) -> str:
        """Remove the extension if it comes from this clone; return the line for the user."""
        if not self.source():
            return f"extension: {_NAME} is not installed"
        if not self.is_ours():
            return f"extension: left alone, because it is from {self.source()}"
        self._change("uninstall", _NAME)
        return f"extension: removed {_NAME}"

    def _change(self, *args: str) -> None:
        """Run the command `extensions`; HoldfastError with the client's last line when that fails."""
        done = run(self.path, "extensions", *args, typed=self.AGREED)
        if done.returncode:
            raise HoldfastError(f"`{self.NAME} extensions {' '.join(args)}` failed ({last_line(done)}); correct that.")

    @classmethod
    def source(cls) -> str:
        """Return the folder from which the extension is linked or was installed, "" if there is none."""
        kept = fast_json.read_object(f"{cls._home()}/extensions/{_NAME}/.{cls.NAME}-extension-install.json")
        return str(kept.get("source") or "")

    @classmethod
    def is_ours(cls) -> bool:
        """Whether the extension is that of this clone."""
        source = cls.source()
        return bool(source) and os.path.realpath(source) == cls.folder()

    @classmethod
    def silenced(cls, root: str) -> tuple[str, str]:
        """Return why the hooks do not run in a project, and what to do about it; "", "" if nothing is known."""
        if not cls._is_enabled(root):
            return "the extension is disabled here", f"Type: {cls.NAME} extensions enable {_NAME}"
        for folder in (cls._home(), f"{root}/.{cls.NAME}"):
            path = f"{folder}/settings.json"
            chosen = fast_json.read_object(path)
            config = chosen.get("hooksConfig")
            of_hooks = config if isinstance(config, dict) else {}
            if chosen.get("disableAllHooks") is True or of_hooks.get("enabled") is False:
                return "hooks are switched off", f"Switch them on in {path}."
            named = of_hooks.get("disabled")
            if cls.DISABLES_BY_NAME and isinstance(named, list) and _NAME in named:
                return "the hook holdfast is disabled", f"Type in {cls.NAME}: /hooks enable {_NAME}"
        return "", ""

    @classmethod
    def _is_enabled(cls, root: str) -> bool:
        """Whether the extension is enabled in a folder: the last rule that matches it counts.

        A rule is a folder, with "*" at its end for those below it, too; with "!" before it, it is disabled there.
        """
        kept = fast_json.read_object(f"{cls._home()}/extensions/extension-enablement.json").get(_NAME)
        rules = kept.get("overrides") if isinstance(kept, dict) else None
        enabled, here = True, f"{root}/"
        for rule in rules if isinstance(rules, list) else ():
            folder = str(rule).removeprefix("!")
            below = folder.endswith("*")
            if here.startswith(folder.rstrip("*")) if below else here.rstrip("/") == folder.rstrip("/"):
                enabled = not str(rule).startswith("!")
        return enabled

    @classmethod
    def folder(cls) -> str:
        """Return the folder of the extension in this clone."""
        return f"{paths.PLUGIN_ROOT}/extensions/{cls.NAME}"

    @classmethod
    def _home(cls) -> str:
        """Return the folder with the client's settings and extensions."""
        return (os.environ.get(cls.HOME) or os.environ.get("HOME", "")) + f"/.{cls.NAME}"


class Gemini(Extension):
    """The command `gemini` on PATH."""

    NAME, HOME, LINK = "gemini", "GEMINI_CLI_HOME", ("--consent",)
    DISABLES_BY_NAME = True

    @classmethod
    def silenced(cls, root: str) -> tuple[str, str]:
        """Return the same, and that Gemini CLI does not work in a folder that the user does not trust."""
        found = super().silenced(root)
        security = fast_json.read_object(cls._home() + "/settings.json").get("security")
        of_folders = security.get("folderTrust") if isinstance(security, dict) else None
        if found[0] or not isinstance(of_folders, dict) or of_folders.get("enabled") is not True:
            return found
        rules = fast_json.read_object(cls._home() + "/trustedFolders.json")
        longest = max((rule for rule in rules if f"{root}/".startswith(rule.rstrip("/") + "/")), key=len, default="")
        if rules.get(longest) != "DO_NOT_TRUST":
            return found
        return f"Gemini CLI does not trust {longest}", "Type in gemini: /permissions"


class Qwen(Extension):
    """The command `qwen` on PATH."""

    NAME, HOME, AGREED = "qwen", "HOME", "y\n"


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
