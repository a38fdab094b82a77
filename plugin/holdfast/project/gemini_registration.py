"""Registers holdfast with Gemini CLI as a linked extension, through the command `gemini extensions` only."""

from __future__ import annotations

import os

from holdfast.core import fast_json
from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.project.client_registration import last_line, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import ExitStack

SOURCE = "/extensions/gemini"  # in the plugin's folder
_NAME = "holdfast"


class Gemini:
    """The command `gemini` on PATH."""

    def __init__(self, path: str) -> None:
        self._path = path

    @classmethod
    def find(cls) -> Gemini | None:
        """Return the client, None when `gemini` is not on PATH."""
        import shutil

        path = shutil.which("gemini")
        return cls(path) if path else None

    def check(self) -> None:
        """Raise HoldfastError when another extension has the name."""
        other = source()
        if other and not _is_ours(other) and os.path.exists(other):
            command = f"gemini extensions uninstall {_NAME}"
            raise HoldfastError(f"the extension {_NAME} already exists and is from {other}; type: {command}.")

    def add(self, _scope: str, undo: ExitStack) -> list[str]:
        """Link the extension in this clone unless it is linked; return the lines for the user."""
        if _is_ours(source()):
            return [f"extension: already {_NAME} from {paths.PLUGIN_ROOT}{SOURCE}"]
        if source():  # of a clone that is gone
            self._change("uninstall", _NAME)
        undo.callback(run, self._path, "extensions", "uninstall", _NAME)
        self._change("link", paths.PLUGIN_ROOT + SOURCE, "--consent")
        if not _is_ours(source()):
            raise HoldfastError("`gemini extensions link` made no link; bring Gemini CLI up to date.")
        return [f"extension: linked {_NAME} from {paths.PLUGIN_ROOT}{SOURCE}"]

    def remove(self) -> str:
        """Remove the extension if it comes from this clone; return the line for the user."""
        if not source():
            return f"extension: {_NAME} is not installed"
        if not _is_ours(source()):
            return f"extension: left alone, because it is from {source()}"
        self._change("uninstall", _NAME)
        return f"extension: removed {_NAME}"

    def _change(self, *args: str) -> None:
        """Run `gemini extensions …`; HoldfastError with the client's last line when that fails."""
        done = run(self._path, "extensions", *args)
        if done.returncode:
            raise HoldfastError(f"`gemini extensions {' '.join(args)}` failed ({last_line(done)}); correct that.")


def source() -> str:
    """Return the folder from which the extension is linked or was installed, "" if there is none."""
    kept = fast_json.read_object(f"{_home()}/extensions/{_NAME}/.gemini-extension-install.json")
    return str(kept.get("source") or "")


def hooks_are_off() -> bool:
    """Whether the user's settings switch all hooks off."""
    chosen = fast_json.read_object(_home() + "/settings.json").get("hooksConfig")
    return isinstance(chosen, dict) and chosen.get("enabled") is False


def _home() -> str:
    """Return the folder with the client's settings and extensions."""
    return (os.environ.get("GEMINI_CLI_HOME") or os.environ.get("HOME", "")) + "/.gemini"


def _is_ours(folder: str) -> bool:
    return bool(folder) and os.path.realpath(folder) == paths.PLUGIN_ROOT + SOURCE
