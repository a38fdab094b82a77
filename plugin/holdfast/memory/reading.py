"""What the six sections of a state file say, read through the cache: a file is parsed only when it has changed."""

from holdfast.sessions.workspace import read_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from holdfast.formats.catalogue import Formats
    from holdfast.formats.state_file import StateFile
    from holdfast.sessions.workspace import Workspace

    class Reading(TypedDict):
        """The six sections of one state file."""

        row: dict[str, object]  # as `report.row` returns it, {} without any of the sections
        lines: list[str]  # as `report.lines` returns them
        loops: list[dict[str, object]]  # those in the table of a file that holdfast writes, as `Loop.row` returns them


KIND = "memory"  # under which the cache has them
NOTHING: "Reading" = {"row": {}, "lines": [], "loops": []}


def read(path: str, workspace: "Workspace") -> "Reading":
    """Return what the six sections of a state file say; nothing where it is no plain file or too large.

    OSError when the file is gone; ImportError when it must be parsed and the packages are not installed yet.
    """
    formats = workspace.formats
    return read_as(path, workspace.cache, formats, lambda state: _sections(state, formats), KIND) or NOTHING


def _sections(state: "StateFile", formats: "Formats") -> "Reading":
    from holdfast.memory.view import View, listed_loops, seen

    view = View(seen(state, formats))
    kept = not state.problem and not (state.file_format and state.file_format.shared)
    loops = [loop.row() for loop in listed_loops(view.record)] if kept else []
    if not view.there:
        return {"row": {}, "lines": [], "loops": loops}
    from holdfast.formats import state_file
    from holdfast.memory import available_actions  # few state files have the six sections

    lines = available_actions.report_lines(view, state_file.summary(state))
    return {"row": available_actions.report_row(view), "lines": lines, "loops": loops}
