"""The columns and groups of a list of sessions. Cheap to import."""

import time

from holdfast.sessions import neurons, paused_work
from holdfast.sessions.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.sessions.survey import Survey

LIVE, OPEN, STALE, PAUSED = "live", "open", "stale", "paused"
TODAY, EARLIER = "done today", "done earlier"
MOST = 50  # sessions of each kind of work that a list shows, without those that are live
FEW = 10  # that suffice to choose the latest
GROUPS = (LIVE, OPEN, STALE, PAUSED, TODAY, EARLIER)


def older(left: int) -> str:
    """Return the line that says how many sessions a list leaves out."""
    return f"these are the latest; {left} older ones are not shown. All: holdfast list --all"


def tasks(session: Session) -> str:
    """Return how many tasks of a session are done, such as 2/5, "" if it has none."""
    done, count = session.progress()
    return f"{done}/{count}" if count else ""


def today(now: float) -> float:
    """Return when the calendar day of the user's clock began."""
    return time.mktime((*time.localtime(now)[:3], 0, 0, 0, 0, 0, -1))


def group(session: Session, now: float) -> str:
    """Return the group of a list that a session belongs to; "today" is the calendar day of the user's clock."""
    if session.live:
        return LIVE
    if not session.open:
        return TODAY if time.localtime(session.last_active)[:3] == time.localtime(now)[:3] else EARLIER
    return STALE if session.stale else PAUSED if session.status == "paused" else OPEN


def grouped(everyone: "Iterable[Session]", now: float, *, everything: bool) -> dict[str, list[Session]]:
    """Return the sessions that a list shows, by group, the nearest and last active first in each.

    Without `everything` it leaves out work completed before today, and sessions without a prompt or any work.
    """
    sessions: dict[str, list[Session]] = {name: [] for name in GROUPS}
    for session in sorted(paused_work.without_handovers(everyone), key=lambda one: (-one.near, -one.last_active)):
        name = group(session, now)
        has_content = session.live or session.worked or bool(session.talk.prompt) or not session.journaled
        if everything or (name != EARLIER and has_content and not session.passed_on):
            sessions[name].append(session)
    return sessions


def without_session(survey: "Survey") -> list[Session]:
    """Return the state files that belong to no session, without the hub, as a list shows them."""
    return [
        one for one in paused_work.without_handovers(neurons.without_hub(survey)) if one.state and not one.journaled
    ]
