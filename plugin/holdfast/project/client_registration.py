"""What registrations with clients share: commands that run, the version, marketplaces, and JSON files of users."""

from __future__ import annotations

import os

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable
    from contextlib import ExitStack
    from typing import Any, Self

MARKET = "holdfast-tools"
PLUGIN = f"holdfast@{MARKET}"
_PATIENCE = 10.0  # seconds that a client may take to answer a question


class Program:
    """The command of a client, on PATH; NAME is its name."""

    NAME = ""

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def find(cls) -> Self | None:
        """Return the client, None when its command is not on PATH."""
        import shutil

        path = shutil.which(cls.NAME)
        return cls(path) if path else None


class MarketClient(Program):
    """A client with marketplaces of plugins, which its command `plugin` manages; REMEDY is for one that is too old."""

    REMEDY = ""

    def check(self) -> None:
        """Raise HoldfastError when the marketplace's name is in use for another one."""
        self.has_market()

    def has_market(self) -> bool:
        """Whether the marketplace is this clone; HoldfastError when its name is in use for another one that exists."""
        for source, is_gone in self._markets():
            if os.path.realpath(source) == paths.PLUGIN_ROOT:
                return True
            if not is_gone:
                command = f"{self.NAME} plugin marketplace remove {MARKET}"
                raise HoldfastError(f"the marketplace {MARKET} already exists and is from {source}; type: {command}.")
        return False

    def is_ours(self) -> bool:
        """Whether the plugin comes from this clone."""
        try:
            return self.has_market()
        except HoldfastError:
            return False

    def _markets(self) -> Iterable[tuple[str, bool]]:
        """Return where each marketplace of holdfast's name is from, and whether that is gone."""
        raise NotImplementedError

    def add_market(self, undo: ExitStack) -> str:
        """Register this clone as a marketplace unless it is one; return the line for the user."""
        if self.has_market():
            return f"marketplace: already {MARKET}"
        undo.callback(self._plugin, "marketplace", "remove", MARKET)
        self._change("marketplace", "add", paths.PLUGIN_ROOT)
        return f"marketplace: added {MARKET} from {paths.PLUGIN_ROOT}"

    def remove(self) -> str:
        """Remove plugin and marketplace if they come from this clone; return the line for the user."""
        try:
            if not self.has_market():
                return f"plugin: the marketplace {MARKET} is not registered"
        except HoldfastError as error:
            return f"plugin: left alone, because {error}"
        self._uninstall()
        self._change("marketplace", "remove", MARKET)
        return f"plugin: removed, with the marketplace {MARKET}"

    def _uninstall(self) -> None:
        """Remove the plugin wherever it is installed."""
        raise NotImplementedError

    def _change(self, *args: str, cwd: str | None = None) -> None:
        """Run the client's command `plugin`; HoldfastError with its last line when that fails."""
        done = self._plugin(*args, cwd=cwd)
        if done.returncode:
            raise HoldfastError(f"`{self.NAME} plugin {' '.join(args)}` failed ({last_line(done)}); correct that.")

    def _rows(self, key: str, *args: str) -> list[dict[str, Any]]:
        """Return the list that the client's command `plugin` prints as JSON, or the one under a key of an object.

        HoldfastError when it prints none.
        """
        answer = self._plugin(*args)
        try:
            answered: object = fast_json.loads(answer.stdout.encode())
        except ValueError:
            answered = None
        entries = answered.get(key) if isinstance(answered, dict) else answered
        if answer.returncode or not isinstance(entries, list):
            problem = f"`{self.path} plugin {' '.join(args)}` does not answer ({last_line(answer)})"
            raise HoldfastError(f"{problem}; {self.REMEDY}.")
        return [entry for entry in entries if isinstance(entry, dict)]

    def _plugin(self, *args: str, cwd: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run the client's command `plugin` and wait for it."""
        return run(self.path, "plugin", *args, cwd=cwd)


def version() -> str:
    """Return the version of holdfast, from plugin.json."""
    manifest = fast_json.loads(files.read(paths.PLUGIN_ROOT + "/.claude-plugin/plugin.json"))
    return str(manifest["version"]) if isinstance(manifest, dict) else ""


def run(*command: str, cwd: str | None = None, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command with what is `typed` as its input, and wait for it."""
    import subprocess

    return subprocess.run(command, check=False, capture_output=True, text=True, input=typed, cwd=cwd)


def output(*command: str) -> str:
    """Return what a command prints, "" when it fails or takes longer than `_PATIENCE`."""
    import subprocess

    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, input="", timeout=_PATIENCE)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line of a command's output, or its exit code."""
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[-1].strip() if lines else f"exit code {done.returncode}"


def read_user_file(path: str) -> tuple[str, dict[str, object]]:
    """Return the text of a file and the object in it, "" and {} without a file; HoldfastError for anything else."""
    import json  # as below: `--version` needs none

    try:
        found = files.read(path).decode()
    except FileNotFoundError:
        return "", {}
    except ValueError:
        raise HoldfastError(f"{path} is not UTF-8; correct that.") from None
    try:
        value = json.loads(found) if found.strip() else {}
    except ValueError as error:
        raise HoldfastError(f"{path} is not JSON ({error}); correct that.") from None
    if not isinstance(value, dict):
        raise HoldfastError(f"{path} is not a JSON object; correct that.")
    return found, value


def user_text(value: dict[str, object]) -> str:
    """Return an object in the form in which clients write their settings."""
    import json

    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write_user_file(path: str, content: str) -> None:
    """Replace a file, whose folder is made."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    files.write_atomic(path, content.encode())
