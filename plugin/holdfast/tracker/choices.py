"""What the user switched on: `[tracker]` in the user's own settings. A project cannot switch it on.

[tracker]
start = true         # title and acceptance criteria of a session's issue into its state file
comment = true       # at completion, a comment on the issue with the checklist's evidence
remaining = true     # at completion, an issue for each task and open question that is left
pull_request = true  # `holdfast pr --create`
tool = "gh"          # gh or glab; left out: by the remote's host
"""

from dataclasses import dataclass

from holdfast.project import user_settings
from holdfast.project.settings import settings
from holdfast.project.settings.values import match
from holdfast.tracker import tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_SHAPE = {**dict.fromkeys(("start", "comment", "remaining", "pull_request"), bool), "tool": tools.TOOLS}


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
    table: Any = settings.load_personal(environ).get(user_settings.TRACKER, {})
    match(table, _SHAPE, f"{place}: [tracker]")
    return Choices(**table)
