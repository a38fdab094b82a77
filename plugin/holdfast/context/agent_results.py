"""What subagents reported: for one that starts beside them, and for a session that is one kind of agent."""

from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.sessions.session import Session

TITLE = "Earlier reports of this kind of agent here"
_MOST, _LONGEST = 6, 260  # reports, and characters of one


def of(sessions: "Iterable[Session]", without: str = "", kind: str = "") -> list[str]:
    """Return a line for each of the latest reports of subagents: its kind, its task and what it answered.

    The subagent `without` is left out; with a `kind`, only agents of that kind count.
    """
    from holdfast.journal import transcript  # most starts tell no reports

    pairs = [(child, one) for one in sessions for child in one.children.values() if child.id != without]
    known = [pair for pair in pairs if pair[0].answer and pair[0].type and kind in {"", pair[0].type}]
    latest = sorted(known, key=lambda pair: -pair[0].last_active)[:_MOST]
    return [_line(child.type, transcript.description(one, child), child.answer) for child, one in latest]


def _line(kind: str, task: str, answer: str) -> str:
    named = f"{safe.line(kind, 64)}, {safe.line(task, 120)}" if task else safe.line(kind, 64)
    return f"- {named}: {safe.line(answer, _LONGEST)}"
