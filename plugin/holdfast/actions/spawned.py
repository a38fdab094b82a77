"""A workflow that an update is about, as its parent's state file lists it (formats/agents-sessions.md)."""

from holdfast.actions.sync import made
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.editing import agent_rows
from holdfast.editing.edit import Editor
from holdfast.formats import agents
from holdfast.sessions.candidates import Hit
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hub.entry import Entry
    from holdfast.hub.request import Request
    from holdfast.sessions.workspace import Workspace

_STATUS = {"active": agents.RUNNING, "completed": agents.COMPLETED}
_LONGEST = 200  # characters of a task or a summary


def listed(workspace: "Workspace", request: "Request", entry: "Entry | None", changed: list[str]) -> list[str]:
    """List a workflow in the state file of its parent; add that file's name to `changed`, and return what hinders.

    Subagents are not listed here: a settle lists what was measured of them.
    """
    above = next(iter(entry.links("Parent")), None) if entry else None
    session = workspace.session(above.ident) if above else None
    if not entry or not session or not session.state or session.shared or request.session in session.children:
        return []
    summary = safe.line(request.context, _LONGEST) if request.status == "completed" else ""
    row = {
        "agent": entry.text("Agent"),
        "task": safe.line(entry.text("Purpose"), _LONGEST),
        "status": _STATUS.get(request.status, agents.PENDING),
        "summary": summary.removeprefix("outcome:").strip(),
    }
    editor = Editor(session.state, workspace.formats, clock.write(workspace.now, clock.MINUTE))
    try:
        done = made(
            workspace.project,
            Hit(session),
            lambda data: agent_rows.listed(editor, editor.make(data, []), [row]),
            workspace.formats,
            workspace.settings,
        )
    except (HoldfastError, OSError) as error:
        return [f"{session.state_name} was left as it is: {error}"]
    changed += [session.state_name] if done.written else []
    return [done.unstaged] if done.unstaged else []
