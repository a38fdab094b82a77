"""Several sessions that a person may have meant: as a numbered list, in an error that keeps them to choose from."""

import time

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


_SHOWN = 8  # candidates
_IDENT = 8  # characters of an id


class Hit:
    """What was meant: a session, its state file's path ("" without one), and of a register the id of one entry."""

    __slots__ = ("entry", "note", "path", "session")

    def __init__(self, session: Session, entry: str = "") -> None:
        self.session = session
        self.path = session.state
        self.entry = entry
        self.note = ""  # why it was chosen, if it is the most recent of several

    @property
    def name(self) -> str:
        """How the one that was meant is told from others."""
        return self.entry or (self.session.id if self.session.journaled else self.session.state_name)


class UnclearError(HoldfastError):
    """It is not clear which session is meant; `hits` are the candidates, the first of which are in the message."""

    def __init__(self, problem: str, hits: "Sequence[Hit]") -> None:
        self.problem = problem
        self.hits = list(hits)[:_SHOWN]
        more = len(hits) - len(self.hits)
        rest = [f"  and {more} more: holdfast list --all"] if more else []
        ask = "Name one by its id or by words of its title." if hits else "To see all of them type: holdfast list --all"
        super().__init__("\n".join([problem, *lines(self.hits), *rest, ask]) if hits else f"{problem} {ask}")


def lines(hits: "Sequence[Hit]") -> list[str]:
    """Return candidates as a numbered list with ids, ages and titles."""
    names = idents(hits)
    longest = max(map(len, names), default=0)
    ages = [clock.ago(time.time() - hit.session.heard) if hit.session.heard else "" for hit in hits]
    return [
        f"  {number}  {name:<{longest}}  {age:<{max(map(len, ages))}}  {safe.line(title(hit), 60)}".rstrip()
        for number, (name, age, hit) in enumerate(zip(names, ages, hits, strict=True), 1)
    ]


def title(hit: "Hit") -> str:
    """Return the title of a candidate."""
    entries = hit.session.summary.get("entries") if hit.entry else None
    titles = {one.get("id"): str(one.get("title")) for one in entries} if isinstance(entries, list) else {}
    return titles.get(hit.entry, hit.session.title)


def idents(hits: "Sequence[Hit]") -> list[str]:
    """Return for each candidate the beginning of its id, or the whole of it if several begin so."""
    short = [safe.line(hit.name, 100) if not hit.session.journaled else hit.name[:_IDENT] for hit in hits]
    return [one if short.count(one) == 1 else hit.name for one, hit in zip(short, hits, strict=True)]
