"""What the board shows of one session. All values are plain texts that are safe to print."""

import re
from typing import NamedTuple

from holdfast.context.drift import measured
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.memory import budget, reading
from holdfast.memory.loops import loop
from holdfast.overview import timeline
from holdfast.overview.timeline import Filter
from holdfast.sessions import status
from holdfast.sessions.neurons import Neuron
from holdfast.trust import clone, redaction, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.journal.session import Child
    from holdfast.memory.budget import Budget
    from holdfast.overview.session_events import Event
    from holdfast.sessions.session import Session
    from holdfast.sessions.workspace import Workspace

_EVENTS = 100  # the newest
_FILES = 100  # changed last
_TEXT, _LINE = 2000, 300  # characters
_OWN_MARKS = re.compile(r"^<!-- /?holdfast:.*-->\n", re.MULTILINE)  # around what holdfast keeps in a state file
_OPEN_TASKS = ("pending", "in_progress")


class Details(NamedTuple):
    """One session. Times are seconds since 1970, 0.0 for unknown.

    - facts: labels with their values: status, branch, drift, state file and the like.
    - percent, zone: how full its context is, and the number of the zone; -1 for unknown.
    - notice: why there is no state file to show, "" if there is one. state: its Markdown, without frontmatter.
    - tasks: subject and status of those that are not completed. loops: title and status of those that are not closed.
    - files: path and time of each change, the latest first. children: name, status and last answer.
    """

    key: str
    title: str
    facts: tuple[tuple[str, str], ...]
    percent: int
    zone: int
    notice: str
    state: str
    tasks: tuple[tuple[str, str], ...]
    loops: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, float], ...]
    children: tuple[tuple[str, str, str], ...]
    answer: str
    events: "tuple[Event, ...]"


def of(workspace: "Workspace", session: "Session") -> Details:
    """Return the details of a session."""
    found = budget.of(session.transcript, workspace.settings)
    state, notice = _state(workspace, session)
    files = sorted(session.files.items(), key=lambda item: -item[1])[:_FILES]
    chosen = Filter(session=session.id)
    events = timeline.read(workspace.project, chosen, _EVENTS).events if session.journaled else []
    return Details(
        session.key,
        safe.line(session.title, _LINE),
        tuple((label, safe.line(text, _LINE)) for label, text in _facts(workspace, session, found, notice) if text),
        found.percent if found else -1,
        found.zone if found else -1,
        notice,
        state,
        tuple((safe.line(subject), status) for subject, status, _ in session.tasks.values() if status in _OPEN_TASKS),
        tuple(_loops(workspace, session, shown=not notice)),
        tuple((safe.line(path, 400), at) for path, at in files),
        tuple(_child(one) for one in session.children.values()),
        safe.line(session.talk.answer, _TEXT),
        tuple(events),
    )


def _child(child: "Child") -> tuple[str, str, str]:
    return safe.line(child.type, 60) or "subagent", child.status, safe.line(child.answer)


def _facts(workspace: "Workspace", session: "Session", found: "Budget | None", notice: str) -> "list[tuple[str, str]]":
    """Return labels with their values, "" for unknown ones."""
    now = workspace.now
    last_active = clock.ago(now - session.last_active) if session.last_active else ""
    return [
        ("Status", ", ".join(filter(None, (status.described(session), session.presence, last_active)))),
        ("Branch", session.branch),
        ("Context", budget.status(found) if found else ""),
        ("Drift", "" if notice else _drift(workspace, session)),
        ("State file", session.state_shown),
        ("ID", session.id),
    ]


def _drift(workspace: "Workspace", session: "Session") -> str:
    """Return how severe the drift of the state file is, "" if there is none that can be compared."""
    if isinstance(session, Neuron) or not session.state or session.shared or session.summary.get("problem"):
        return ""
    try:
        return measured.level(session, workspace)
    except OSError:  # removed meanwhile
        return ""


def _state(workspace: "Workspace", session: "Session") -> tuple[str, str]:
    """Return the Markdown of the state file or entry without its frontmatter, and why there is none to show."""
    if not session.state:
        return "", "There is no state file."
    if clone.TrustCheck().untrusted([session.state]):
        name = redaction.short_names([session.state])
        return "", f"The state file {name} may come from elsewhere and is not accepted here: holdfast trust"
    try:
        state_file = workspace.state_file(session.state)
        if isinstance(session, Neuron):
            return safe.plain(state_file.part("", session.id)), ""
        text = safe.plain(state_file.document.text(state_file.document.body, len(state_file.document.data)))
        return _OWN_MARKS.sub("", text).strip("\n"), ""
    except (OSError, HoldfastError) as error:
        return "", safe.line(f"The state file cannot be read: {error}", _LINE)


def _loops(workspace: "Workspace", session: "Session", *, shown: bool) -> "list[tuple[str, str]]":
    """Return the open loops that a session changed, and with `shown` those in its state file; title and status."""
    loops_by_id = {ident: (title, status) for ident, (title, status, _) in session.loops.items()}
    try:
        rows = reading.read(session.state, workspace)["loops"] if shown and session.state else []
    except OSError:  # removed meanwhile
        rows = []
    loops_by_id |= {str(row["id"]): (str(row["title"]), str(row["status"])) for row in rows}
    return [
        (safe.line(title), safe.line(status, 40)) for title, status in loops_by_id.values() if not loop.is_over(status)
    ]
