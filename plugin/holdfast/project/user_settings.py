"""The user's own settings, for all projects: `holdfast/settings.toml` in `$XDG_CONFIG_HOME`, else in `~/.config`.

What calls other machines, or makes a noise, is set here and never in a project: a repository must not make a machine
call anybody. It may have tables `webhook` (see `webhooks.endpoint`), `notice` (see `webhooks.events`), and the table
`tracker` (see `tracker.tools`); `project.settings` reads them.
"""

import os

from holdfast.core import files
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

WEBHOOK, NOTICE, TRACKER = "webhook", "notice", "tracker"
KEYS = (WEBHOOK, NOTICE, TRACKER)


def path(environ: "Mapping[str, str]") -> str:
    """Return the path of the file, existing or not; "" without a home directory, or for a relative one.

    A folder in the project, which its settings for a client may name, is none either, however it is spelled.
    """
    home, chosen = environ.get("HOME", ""), environ.get("XDG_CONFIG_HOME", "")
    folder = chosen or (home and f"{home}/.config")
    if not folder.startswith("/") or (chosen and _is_in_project(chosen)):
        return ""
    return f"{folder}/holdfast/settings.toml"


def _is_in_project(folder: str) -> bool:
    """Whether a folder is in the working tree, or the folder, in which this process runs."""
    here = os.getcwd()
    root = os.path.realpath(paths.locate(here).root or here)
    return f"{os.path.realpath(folder)}/".startswith(f"{root}/")


def tells(environ: "Mapping[str, str]") -> bool:
    """Whether the user may want to be told of events: the file is read, and not parsed, so that a hook stays quick."""
    return _mentions(environ, WEBHOOK, NOTICE)


def tracks(environ: "Mapping[str, str]") -> bool:
    """Whether the user may want issues to be read or written; the file is not parsed."""
    return _mentions(environ, TRACKER)


def _mentions(environ: "Mapping[str, str]", *keys: str) -> bool:
    place = path(environ)
    data = (files.read_or_none(place) or b"") if place else b""
    return any(key.encode() in data for key in keys)
