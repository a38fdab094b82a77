"""What the brief says of the session's own discussion, plan and tasks, which its state file may not have."""

import os

from holdfast.memory import ledger
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TALK = "Discussion that goes on"
_PLAN = "Plan that the user accepted for this session"
_LOST = "Open tasks that the client's own list has lost (TaskCreate adds them again)"
_MOST = 12  # tasks
_LIST = "CLAUDE_CODE_TASK_LIST_ID"  # the variable that names another list than the session's own


def sections(own: Session) -> "list[tuple[str, list[str], int]]":
    """Return the sections of a brief about the plan and the lost tasks of a session: title, entries, their number."""
    plan, lost = own.followed_plan(), lost_tasks(own, os.environ)
    plans = [f"- {safe.line(plan, 600)}"] if plan else []
    talk = [f"- {safe.line(line, 400)}" for line in (ledger.discussion(own.state) if own.state else [])]
    return [
        (_TALK, talk, len(talk)),
        (_PLAN, plans, len(plans)),
        (_LOST, [f"- {safe.line(task, 200)}" for task in lost[:_MOST]], len(lost)),
    ]


def lost_tasks(session: Session, environ: "Mapping[str, str]") -> list[str]:
    """Return the open tasks of a session if the list in which Claude Code keeps them is empty or gone.

    A resumed session can be without its list (anthropics/claude-code issue 76844). The list is a folder with a JSON
    file for each task, below the folder that has the transcripts too.
    """
    open_tasks = [task for task in session.unfinished() if task]
    projects = os.path.dirname(os.path.dirname(session.transcript))
    if not open_tasks or session.client or os.path.basename(projects) != "projects":
        return []
    folder = f"{os.path.dirname(projects)}/tasks/{environ.get(_LIST) or session.id}"
    try:
        kept = any(name.endswith(".json") for name in os.listdir(folder))
    except OSError:
        kept = False
    return [] if kept else open_tasks
