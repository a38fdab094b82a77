"""The status line in the user's settings of Claude Code: added, and put back as it was.

The data folder keeps what the settings had before, as `statusline.json`: `earlier` is the command of the status line
that was there, which ours runs first; `settings` is that key's whole value; `before` and `after` are the bytes of the
file, so that a file that no one else changed is restored byte for byte.
"""

import json
import os
import shlex

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.project import client_registration, paths

_KEY = "statusLine"
KEPT = "/statusline.json"


def settings_path() -> str:
    """Return the path of the user's settings, with links followed: a link leads to where a person keeps them.

    HoldfastError without a home directory.
    """
    config = paths.claude_config(os.environ)
    if not config:
        raise HoldfastError("Without a home directory Claude Code has no settings. Set HOME.")
    return os.path.realpath(f"{config}/settings.json")


def command() -> str:
    """Return the command that prints the status line of this plugin."""
    words = (paths.PLUGIN_ROOT + "/hooks/launch", paths.PLUGIN_ROOT + "/plugin/holdfast/__main__.py", "statusline")
    return " ".join(map(shlex.quote, words))


def add() -> str:
    """Add the status line to the user's settings and return the line for the user; HoldfastError if that fails."""
    path, kept_path = settings_path(), paths.data_dir(os.environ) + KEPT
    before, settings = client_registration.read_user_file(path)
    current = settings.get(_KEY)
    earlier = fast_json.read_object(kept_path).get("settings") if _is_ours(current) else current
    given = earlier.get("command") if isinstance(earlier, dict) else ""
    settings[_KEY] = {**(earlier if isinstance(earlier, dict) else {}), "type": "command", "command": command()}
    after = client_registration.user_text(settings)
    if not _is_ours(current):
        kept = {"earlier": given, "settings": earlier, "before": before, "after": after}
        files.write_private(kept_path, json.dumps(kept).encode())
    client_registration.write_user_file(path, after)
    if not _is_ours(client_registration.read_user_file(path)[1].get(_KEY)):
        raise HoldfastError(f"{path} does not have the status line after it was written; try again.")
    return f"status line: added to {path}" + (", after the one that was there" if given else "")


def remove() -> str:
    """Put the user's settings back as they were; return the line for the user."""
    path, kept_path = settings_path(), paths.data_dir(os.environ) + KEPT
    now, settings = client_registration.read_user_file(path)
    kept = fast_json.read_object(kept_path)
    if not _is_ours(settings.get(_KEY)):
        files.unlink_quietly(kept_path)
        return "status line: holdfast's is not in the settings"
    earlier = kept.get("settings")
    if now == kept.get("after") and "before" in kept:
        text = str(kept["before"])
    else:
        del settings[_KEY]
        settings |= {_KEY: earlier} if earlier else {}
        text = client_registration.user_text(settings)
    if text:
        client_registration.write_user_file(path, text)
    else:
        os.unlink(path)
    files.unlink_quietly(kept_path)
    return f"status line: {'the earlier one is back in' if earlier else 'removed from'} {path}"


def _is_ours(value: object) -> bool:
    """Whether a value of the settings starts this or another copy of holdfast's status line."""
    words = value.get("command") if isinstance(value, dict) else ""
    return isinstance(words, str) and words.endswith("statusline") and "/holdfast/__main__.py" in words
