"""The sessions that match a person's words: as a numbered list, and in an error that has the candidates."""

import time
from collections.abc import Sequence

from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import rows_of
from holdfast.sessions.session import Session
from holdfast.trust import safe

_SHOWN = 8  # candidates
_TITLE = 50  # characters of a title in a list


class WholeId(str):
    """An id that means nothing but what has this id: it is no part of one, and no word of a title."""

    __slots__ = ()


class Hit:
    """A match: a session, the path of its state file ("" without one), and the id of an entry if it is a hub."""

    __slots__ = ("entry", "note", "path", "session")

    def __init__(self, session: Session, entry: str = "") -> None:
        self.session = session
        self.path = session.state
        self.entry = entry
        self.note = ""  # why it was chosen, if it is the most recent of several

    @property
    def place(self) -> str:
        """The path of its state file, also of one that git has elsewhere."""
        return self.path or self.session.claimed

    def read(self) -> bytes:
        """Return the bytes of its state file, as git has them if it is elsewhere; OSError if it cannot be read."""
        return self.session.elsewhere.text if self.session.elsewhere else files.read(self.path)

    @property
    def ident(self) -> str:
        """The id of the entry, else of the session."""
        return self.entry or self.session.id

    @property
    def name(self) -> str:
        """The name that identifies the match: the id of the entry or the session, else the name of the state file."""
        return self.entry or (self.session.id if self.session.journaled else self.session.state_name)


class UnclearError(HoldfastError):
    """Several sessions match, or none; `hits` are the candidates, and the message has the first of them."""

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
    ages = [clock.ago(time.time() - hit.session.last_active) if hit.session.last_active else "" for hit in hits]
    return [
        f"  {number}  {name:<{longest}}  {age:<{max(map(len, ages))}}  {safe.line(title(hit), _TITLE)}".rstrip()
        for number, (name, age, hit) in enumerate(zip(names, ages, hits, strict=True), 1)
    ]


def title(hit: "Hit") -> str:
    """Return the title of a candidate."""
    entries = rows_of(hit.session.summary, "entries") if hit.entry else []
    titles = {one.get("id"): str(one.get("title")) for one in entries}
    return titles.get(hit.entry, hit.session.title)


def short_name(hit: "Hit") -> str:
    """Return the short id of a match, quoted for a shell."""
    return safe.shell(idents([hit])[0])


def idents(hits: "Sequence[Hit]") -> list[str]:
    """Return the short id of each candidate; the beginning of a path says too little."""
    from holdfast.sessions import listed  # a settle shortens none

    known = listed.shortened(hit.ident for hit in hits)
    return [safe.line(hit.ident if "/" in hit.ident else known[hit.ident], 100) for hit in hits]
