"""The user's own settings, for all projects: `holdfast/settings.toml` in `$XDG_CONFIG_HOME`, else in `~/.config`.

What calls other machines, or makes a noise, is set here and never in a project: a repository must not make a machine
call anybody. It may have tables `webhook` (see `webhooks.endpoint`), and `notice` (see `webhooks.notice`);
`project.settings.personal` reads them.
"""

from holdfast.core import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

WEBHOOK, NOTICE = "webhook", "notice"
KEYS = (WEBHOOK, NOTICE)


def path(environ: "Mapping[str, str]") -> str:
    """Return the path of the file, existing or not; "" without a home directory."""
    home = environ.get("HOME", "")
    folder = environ.get("XDG_CONFIG_HOME") or (home and f"{home}/.config")
    return folder and f"{folder}/holdfast/settings.toml"


def tells(environ: "Mapping[str, str]") -> bool:
    """Whether the user may want to be told of events: the file is read, and not parsed, so that a hook stays quick."""
    place = path(environ)
    data = (files.read_or_none(place) or b"") if place else b""
    return any(key.encode() in data for key in KEYS)
