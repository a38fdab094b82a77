"""Answer PreCompact: store a snapshot, and tell the summariser what to keep; or stop the compaction once.

The compaction waits for this, so the state file is settled in the background.
"""

import os

from holdfast.context.compaction import must_keep, snapshots
from holdfast.context.drift import measured
from holdfast.context.drift.item import is_marked
from holdfast.context.short_lists import counted
from holdfast.core import files, process
from holdfast.core.client import Answer, Client
from holdfast.journal import said
from holdfast.journal.payload import Payload
from holdfast.memory import reading
from holdfast.project import background, error_log, paths
from holdfast.project.paths import Project
from holdfast.sessions import survey as sessions
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.context.compaction.must_keep import MustKeep
    from holdfast.context.drift.measured import Drift

_INDENT = 7  # columns of a terminal that the client keeps to itself
_EVENT = "PreCompact"
_LATELY = 3600.0  # seconds
# The client keeps the analysis out of the next context, so that the block costs its own length only.
_STATE_BLOCK = """\
At its end the analysis has a block of what the next session needs, one line for each thing, as far as
the conversation says it:
<state>
objective: what the work is for
decision: what was decided, and why
dead end: what was tried and given up, and why
next: what is still to be done
question: what is open
preference: how the user wants things done
</state>
"""


def reply(body: Payload, project: Project, client: "Client", now: float) -> Answer | None:
    """Return the text for the summariser, None for a subagent, which has no state file."""
    if body.agent:
        return None
    survey = sessions.survey(
        Workspace(project, now), body.cwd, own=body.session, reads=sessions.AT_ONCE, quickly=True, guarded=True
    )
    own = sessions.find(survey.sessions, body.session)
    if own is None:
        return None
    own = _where_it_is(own, body, project)
    report = None if own.summary.get("untrusted") else measured.latest(own, survey.workspace)
    items = report.items if report else None
    silent = survey.settings.compact_guard == "off"
    known = said.of_session(project.store, own.id)
    kept = [] if silent else must_keep.collect(own, items, reading.still_open(survey), known)
    snapshot = _keep(project, own, _facts(body, own, report, kept), now)
    if project.initialised:
        background.settle(project, body.session, snapshot)
    warning = _warning(own, survey.sessions, report, now)
    return None if silent else Answer(steering=_for_summariser(kept, warning, body, client, now))


def _warning(own: Session, everyone: list[Session], report: "Drift | None", now: float) -> str:
    """Return the line that says how far the state file is behind, and how many others changed files lately.

    "" unless its drift is marked.
    """
    if report is None or not is_marked(report.severity):
        return ""
    others = [one for one in everyone if one.id != own.id and max(one.files.values(), default=0.0) > now - _LATELY]
    lately = f"; {counted(len(others), 'other session')} changed files lately" if others else ""
    return f"The state file is behind: {report.severity} drift, {counted(report.points, 'point')}{lately}."


def _for_summariser(kept: "list[MustKeep]", warning: str, body: Payload, client: "Client", now: float) -> str:
    """Return the text for the summariser, in a fence and with its time: the summary may be used much later.

    Some clients print it in the terminal of a person who typed /compact. Then it is one line without tags, and what the
    summary omits returns at the start that follows.
    """
    if client.PRINTS_STEERING and body.text("trigger") == "manual" and client.is_attended(os.environ):
        room = process.columns(os.getppid()) - _INDENT
        head = "State file is behind. " if warning else ""
        return safe.without_tags(head + must_keep.one_line(kept, room - len(head)))
    block = _STATE_BLOCK if client.SUMMARISES else ""
    room = must_keep.LIMIT - safe.FENCE - len(block) - len(warning) - 1
    return safe.fenced("\n".join(filter(None, [must_keep.compose(kept, room, now), warning])), block)


def _where_it_is(own: Session, body: Payload, project: Project) -> Session:
    """Return a session with the working tree where Claude is now; one resumed in a worktree began in the main tree."""
    here = paths.locate(body.cwd or project.root)
    if not here.root or here.store != project.store:
        return own
    return own.replace(worktree=here.root, branch=safe.mask(paths.branch(here)))


def _keep(project: Project, own: Session, facts: dict[str, object], now: float) -> str:
    """Store the snapshot, which the settle in the background completes, and return its name.

    If that fails, it is logged, "" is returned, and the summariser gets its text all the same.
    """
    try:
        state = files.read(own.state) if own.state else None
        return snapshots.take(project.store, own.id, facts, state, now).name
    except OSError as error:
        error_log.record(project.store, _EVENT, error)
        return ""


def _facts(body: Payload, own: Session, report: "Drift | None", kept: "list[MustKeep]") -> dict[str, object]:
    """Return the facts of a session for its snapshot."""
    return {
        "trigger": safe.line(body.text("trigger"), 32),
        "instructions": safe.line(body.text("custom_instructions")),
        "path": own.state,
        "title": safe.line(own.title),
        "branch": own.branch,
        "since": report.since if report else 0.0,
        "severity": report.severity if report else "",
        "points": report.points if report else 0,
        "drift": [item.row() for item in report.items] if report else [],
        "files": own.inside(),
        "tasks": [[subject, status] for subject, status, _ in own.tasks.values()],
        "children": [[child.id, child.type, child.status] for child in own.children.values()],
        "given": [one.row() for one in kept],
    }
