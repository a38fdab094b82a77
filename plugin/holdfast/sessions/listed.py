"""The columns and groups of a list of sessions, and the short ids in it, which commands accept. Cheap to import."""

import os
import time

from holdfast.sessions import paused_work, resume
from holdfast.sessions.session import Session
from holdfast.sessions.status import has_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.sessions.survey import Survey

LIVE, OPEN, PAUSED = "live", "open", "paused"
TODAY, EARLIER = "done today", "done earlier"
MOST = 50  # sessions of each kind of work that a list shows, without those that are live
FEW = 10  # that suffice to choose the latest
GROUPS = (LIVE, OPEN, PAUSED, TODAY, EARLIER)


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
    return PAUSED if session.status == "paused" else OPEN


def grouped(everyone: "Iterable[Session]", now: float, *, everything: bool) -> dict[str, list[Session]]:
    """Return the sessions that a list shows, by group, the nearest and last active first in each, then mere talk.

    Without `everything` it leaves out work completed before today, and sessions without a request or any work.
    """
    sessions: dict[str, list[Session]] = {name: [] for name in GROUPS}

    def order(one: Session) -> tuple[bool, int, float]:
        return one.journaled and not has_work(one), -one.near, -one.last_active

    for session in sorted(paused_work.without_handovers(everyone), key=order):
        name = group(session, now)
        if everything or (name != EARLIER and has_content(session) and not session.passed_on):
            sessions[name].append(session)
    return sessions


def has_content(session: Session) -> bool:
    """Whether a session is live, has a request or some work, or is a state file."""
    return session.live or session.worked or bool(session.talk.request) or not session.journaled


def without_session(survey: "Survey") -> list[Session]:
    """Return the state files that belong to no session, without the hub, as a list shows them."""
    return [one for one in paused_work.without_handovers(resume.without_hub(survey)) if one.state and not one.journaled]


LENGTH = 8  # characters
_ALIKE = ("STATE", "SESSION_STATE")  # names of state files in a folder of their own
_HEX = frozenset("0123456789abcdef")
_UUID_LENGTH, _UUID_DASHES = 36, (8, 13, 18, 23)  # characters; the places of the dashes (RFC 9562, section 4)
_DAY, _TIME = 8, 6  # digits of a day and of a time of day in the name of a state file


def shortened(idents: "Iterable[str]") -> dict[str, str]:
    """Return a short id for each id; all of them are different."""
    choices = {ident: _choices(ident) for ident in dict.fromkeys(idents)}
    counts: dict[str, int] = {}
    for known in choices.values():
        for choice in known:
            counts[choice] = counts.get(choice, 0) + 1
    return {ident: next((choice for choice in known if counts[choice] == 1), ident) for ident, known in choices.items()}


def undated(name: str) -> str:
    """Return the words in the name of a state file, without its day and time; "" if it begins with no day."""
    parts = _parts_of_name(name)
    return parts[1] if parts else ""


def telling(path: str) -> str:
    """Return the part of a path that tells a state file from others: its name, its folder where all have one name."""
    folder, name = os.path.split(path)
    return (os.path.basename(folder) if name in _ALIKE else "") or name


def _choices(ident: str) -> list[str]:
    """Return the possible short forms of an id, the best one first."""
    name = telling(ident)
    dated = None if _is_uuid(ident) else _parts_of_name(name)
    ident = ident if os.path.basename(ident) == name else name
    parts = [dated[0], *_beginnings(dated[1], LENGTH)] if dated else _beginnings(ident)
    return list(dict.fromkeys(filter(None, [*parts, ident])))


def _is_uuid(ident: str) -> bool:
    """Whether an id is a UUID in lower case."""
    if len(ident) != _UUID_LENGTH or any(ident[at] != "-" for at in _UUID_DASHES):
        return False
    digits = ident.replace("-", "")
    return len(digits) == _UUID_LENGTH - len(_UUID_DASHES) and _HEX.issuperset(digits)


def _parts_of_name(name: str) -> tuple[str, str] | None:
    """Return the time of day and the words in the name of a state file, None if it does not begin with a day.

    The day itself does not distinguish a file from those of the same day.
    """
    day = (name[:4] + name[5:7] + name[8:10]) if name[4:5] == "-" and name[7:8] == "-" else name[:_DAY]
    length = len(day) + (2 if name[4:5] == "-" else 0)
    if not (_are_digits(day, _DAY) and day[:2] in ("19", "20") and day[4] in "01" and day[6] in "0123"):
        return None
    rest = name[length:]
    rest = rest[1:] if rest[:1] in ("-", "_", "T") else rest
    time = rest[:_TIME] if _are_digits(rest[:_TIME], _TIME) else ""
    return time, rest[len(time) :].lstrip("-_Z")


def _are_digits(text: str, length: int) -> bool:
    """Whether a text consists of this many decimal digits."""
    return len(text) == length and text.isascii() and text.isdigit()


def _beginnings(text: str, least: int = 1) -> list[str]:
    """Return beginnings of a text, the shortest first; [] if it has fewer than `least` characters."""
    beginnings = [text[:length].rstrip("-_ ") for length in (LENGTH, LENGTH * 2, LENGTH * 4)]
    return beginnings if len(text) >= least else []
