"""Whether the board can be shown, and whether `holdfast` alone shows it. Cheap to import."""

import os

from holdfast.cli import screen
from holdfast.journal import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

_FEWEST = 2  # sessions, for which `holdfast` alone opens the board


def opens(project: "Project") -> bool:
    """Whether `holdfast` alone opens the board: in a terminal, in a project with several sessions."""
    usable = screen.can_ask() and os.environ.get("TERM", "") not in {"", "dumb"}
    return usable and len(log.sessions(project.store)) >= _FEWEST
