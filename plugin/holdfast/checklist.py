"""What is left to do after a session: the lists of formats/agents-sessions.md, answered where that can be measured."""

from holdfast import clock, text
from holdfast.session import Session

_GRACE = 10.0  # seconds after which it is shown as it is
_ASKED = (
    "External issue updated with final status",
    "Decisions captured as ADRs (if architectural)",
    "Lessons learned added to relevant docs",
    "Remaining work created as issues",
)


def due(session: Session, now: float) -> bool:
    """Whether an ended session has a checklist that nobody was shown; after `/clear` the work goes on elsewhere.

    What git knows is measured in the background, and worth waiting for: the next start shows it then.
    """
    measured = session.measured is not None or now - session.ended > _GRACE
    return bool(session.ended) and session.worked and not session.shown and session.reason != "clear" and measured


def lines(session: Session, active: int) -> list[str]:
    """Return the checklist of an ended session; `active` is the number of sessions still active."""
    ended = clock.write(session.ended, clock.MINUTE)
    head = f'Completion checklist of "{text.line(session.title, 80)}" (ended {ended} UTC, {session.id[:8]})'
    return [head, *items(session), f"Sessions still active: {active}"]


def items(session: Session) -> list[str]:
    """Return what is to be done before a session's work counts as done, answered where that can be measured."""
    asked = [_item(False, item) for item in _ASKED] if session.state else []
    return [*_measured(session), *asked, *_file(session)]


def _measured(session: Session) -> list[str]:
    """Return the items that the journal and git answer."""
    unfinished, running = session.unfinished(), session.running()
    items = [
        _item(not unfinished, _counted("Tasks finished", unfinished)),
        _item(not running, _counted("Children finished", running)),
    ]
    measured = session.measured or {}
    count = measured.get("uncommitted")
    if isinstance(count, int):
        examples = measured.get("examples")
        names = [str(name) for name in examples] if isinstance(examples, list) else []
        items.append(_item(not count, _counted("Changes committed", names, count)))
    if session.state:
        later = session.inside(session.state_edited)
        items.append(_item(not later, _counted("State file says what was done", later)))
    return items


def _file(session: Session) -> list[str]:
    """Return the items about the state file itself, the last steps."""
    if not session.state:
        return []
    mentions = (session.measured or {}).get("mentions")
    names = [str(name) for name in mentions] if isinstance(mentions, list) else []
    orphaned = _item(
        isinstance(mentions, list) and not names, _counted("No orphaned references to session file", names)
    )
    return [orphaned, _item(False, f"Delete the session file {session.state_name} once all of this is done")]


def _item(done: bool, words: str) -> str:  # noqa: FBT001 - a checkbox is on or off
    return f"- [{'x' if done else ' '}] {words}"


def _counted(words: str, names: list[str], count: int | None = None) -> str:
    """Return an item with what speaks against it: how many, and the first names."""
    total = len(names) if count is None else count
    if not total:
        return words
    shown = ", ".join(text.line(name, 60) for name in names[:4])
    return f"{words}; {total} open: {shown}{', …' if total > 4 else ''}"
