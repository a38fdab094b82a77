"""The user's own settings, for all projects: `holdfast/settings.toml` in `$XDG_CONFIG_HOME`, else in `~/.config`.

What calls other machines, or makes a noise, is set here and never in a project: a repository must not make a machine
call anybody. It may have tables `webhook` (see `webhooks.endpoint`), `notice` (see `webhooks.events`), and the table
`tracker` (see `tracker.tools`); `project.settings.settings` reads them.
"""

from holdfast.core import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

WEBHOOK, NOTICE, TRACKER = "webhook", "notice", "tracker"
KEYS = (WEBHOOK, NOTICE, TRACKER)


def path(environ: "Mapping[str, str]") -> str:
    """Return the path of the file, existing or not; "" without a home directory, or for a relative one.

    One such as `/proc/self/cwd/x` is relative, too.
    """
    home = environ.get("HOME", "")
    folder = environ.get("XDG_CONFIG_HOME") or (home and f"{home}/.config")
    return f"{folder}/holdfast/settings.toml" if folder.startswith("/") and not folder.startswith("/proc/") else ""


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
