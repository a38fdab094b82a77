"""What a state file says, and what the next session needs of it, as labelled texts and lists. Cheap to import."""

from holdfast.core.fast_json import number_of, rows_of, text_of, texts_of
from holdfast.core.statuses import ACTIVE
from holdfast.formats import agents
from holdfast.sessions import status
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.summary import Summary
    from holdfast.sessions.session import Session

    Part = tuple[str, str | list[str]]  # a label, and a text or the entries of a list; all are safe lines

_TEXTS = (
    ("Phase", "phase"),
    ("Focus", "focus"),
    ("Objective", "objective"),
    ("Progress", "progress"),
    ("Current state", "current"),
)
_SAME = 60  # characters by which an answer is known
_LISTS = (
    ("Completed", "done"),
    ("Next steps", "next"),
    ("Still to do", "open"),
    ("Open questions", "questions"),
    ("Decisions", "decisions"),
    ("Blockers", "blockers"),
    ("Artifacts", "artifacts"),
)


def summarised(summary: "Summary", session: "Session | None" = None) -> "list[Part]":
    """Return the summary of a state file without its empty fields, and without texts that only repeat its title.

    Of a session that crashed it says more than the file, and says it once.
    """
    title = safe.line(text_of(summary, "title"), 400)
    crashed: list[Part] = []
    if session and session.crashed:
        from holdfast.context.checklist import unfinished  # few sessions did

        crashed = [("Crashed", unfinished.crash(session, unfinished.request(session), local=True))]
        summary = {**summary, "current": unfinished.without_crash(text_of(summary, "current"), session)}
    texts = [(label, safe.line(text_of(summary, word), 400)) for label, word in _TEXTS]
    parts: list[Part] = [*crashed, ("Status", safe.line(status.of_summary(summary), 400))]
    parts += [(label, text) for label, text in texts if text != title]
    parts += [("Said since the file was written", _newer(summary, session))] if session else []
    parts += [(label, [safe.line(entry, 300) for entry in texts_of(summary, word)]) for label, word in _LISTS]
    parts.append(("Agents", [_agent(row) for row in rows_of(summary, "agents")]))
    parts.append(("Entries", [_entry(row) for row in rows_of(summary, "entries")]))
    return [part for part in parts if part[1]]


def _newer(summary: "Summary", session: "Session") -> str:
    """Return the last answer, "" where the file has it, or was written after it: a clean tree is not made dirty."""
    since = max(session.file.edited, session.file.saved, number_of(summary, "updated") + 1)
    answer = safe.line(session.talk.answer, 400) if session.talk.answered > since else ""
    return "" if answer[:_SAME] in safe.line(text_of(summary, "current"), 4000) else answer


def _agent(row: "Summary") -> str:
    """Return one listed agent as a line: its type, task, status and result."""
    agent, task, status, summary = (safe.line(text_of(row, key), 200) for key in agents.KEYS)
    head = " - ".join(filter(None, (agent or "a subagent", task)))
    return f"{head} ({status.replace('_', ' ') or 'no status'}){f': {summary}' if summary else ''}"


def _entry(entry: "Summary") -> str:
    """Return one entry of a hub as a line."""
    title, ident = (safe.line(text_of(entry, key), 100) for key in ("title", "id"))
    return f"{title} ({ident}, {safe.line(status.of_summary(entry), 100) or ACTIVE})"


def before(session: "Session") -> "list[Part]":
    """Return where the work of a session is: its state file and its branch."""
    parts: list[Part] = [("State file", session.state_shown), ("Branch", safe.line(session.branch, 100))]
    return [part for part in parts if part[1]]


def after(session: "Session") -> "list[Part]":
    """Return what the journal adds to the state file of a session: its plan, files changed, and unfinished tasks."""
    parts: list[Part] = [
        ("Accepted plan", safe.line(session.followed_plan(), 600)),
        ("Files changed", [safe.line(path, 200) for path in session.inside()]),
        ("Unfinished tasks", [safe.line(task, 200) for task in session.unfinished()]),
    ]
    return [part for part in parts if part[1]]
