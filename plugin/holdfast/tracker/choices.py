"""What the user switched on: `[tracker]` in the user's own settings. A project cannot switch it on.

[tracker]
start = true         # title and acceptance criteria of a session's issue into its state file
comment = true       # at completion, a comment on the issue with the checklist's evidence
remaining = true     # at completion, an issue for each task and open question that is left
pull_request = true  # `holdfast pr --create`
tool = "gh"          # gh or glab; left out: by the remote's host
"""

from dataclasses import dataclass

from holdfast.core.errors import HoldfastError
from holdfast.project import user_settings
from holdfast.project.settings import settings
from holdfast.tracker import tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Choices:
    """The switches, each off by default, and the program, "" for the one that fits the remote."""

    start: bool = False
    comment: bool = False
    remaining: bool = False
    pull_request: bool = False
    tool: str = ""


def configured(environ: "Mapping[str, str]") -> Choices:
    """Return what the user's settings say; HoldfastError names a key or value that is wrong."""
    place = user_settings.path(environ)
    table = settings.load_personal(environ).get(user_settings.TRACKER, {})
    if not isinstance(table, dict):
        raise HoldfastError(f"{place}: write [tracker] above its keys.")
    known = Choices.__dataclass_fields__
    for key, value in table.items():
        if key not in known:
            raise HoldfastError(f"{place}: unknown key {key[:60]!r} below [tracker]. Known: {', '.join(known)}.")
        if key == "tool" and value not in tools.TOOLS:
            raise HoldfastError(f"{place}: tool has to be gh or glab.")
        if key != "tool" and not isinstance(value, bool):
            raise HoldfastError(f"{place}: {key} has to be true or false.")
    return Choices(**table)
