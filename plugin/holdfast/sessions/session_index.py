"""The index of ended sessions: what is still shown or counted of them, without reading their journals again.

A row is valid as long as journal and state file are unchanged. Sessions that are live, or that still need a settle,
are always read.
"""

import os

from holdfast.core.rows import Rows, short_hash
from holdfast.project import discovery
from holdfast.sessions import file_index, status
from holdfast.sessions.file_index import LATELY
from holdfast.sessions.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    # When it was last active, its group, the ids of its children, and the state files that were made for it and given
    # up. The signature is the line of its journal, its state file, and the line of that or "".
    Row = tuple[float, str, list[str], list[str]]

ENDED = "ended"  # the group of a session without open work; the others have a kind of the file index
_VERSION = 2  # increase it when the same session gets another row than before
_FOLDER = "/sessions/"


class SessionIndex:
    """The sessions of one working tree that need not be read; `variant` identifies what else this depends on.

    - beyond: the ids of those that this survey passes over. more: how many of these are stale, unfinished, and so on.
      children: the ids of their children.
    - held, given_up: their state files, which no other session may take.
    """

    def __init__(self, store: str, root: str, variant: str) -> None:
        name = short_hash(os.fsencode(f"{root}\0{variant}"))
        self._known = Rows(store and f"{store}{_FOLDER}{name}", _VERSION, is_row=_is_row)
        self.beyond: set[str] = set()
        self.children: set[str] = set()
        self.held: set[str] = set()
        self.given_up: set[str] = set()
        self.more: dict[str, int] = {}

    def pass_over(
        self, journals: "dict[str, str]", lines: "dict[str, str]", asked: "Iterable[str]", now: float, stale_hours: int
    ) -> None:
        """Find the sessions to pass over, given the lines of all journals and of the state files.

        The last active ones of each group (`file_index.select`) and those `asked` for are not passed over.
        """
        self._known.keep([ident for ident in self._known.keys if self._is_current(ident, journals, lines)])
        rows = {ident: self._row(ident) for ident in self._known.keys}
        found = file_index.select({ident: (row[0], row[1]) for ident, row in rows.items()}, now, stale_hours)
        self.more = found.more
        self.beyond = {*rows}.difference(found.paths, asked)
        for ident in self.beyond:
            _, _, children, given_up = rows[ident]
            self.children.update(children)
            self.given_up.update(given_up)
            state = self._lines(ident)[1]
            self.held.update([state] if state else [])

    def _is_current(self, ident: str, journals: "dict[str, str]", lines: "dict[str, str]") -> bool:
        """Whether journal and state file of a session are unchanged since its row was made."""
        known = self._lines(ident)
        return known[0] == journals.get(ident) and known[2] == line_of(known[1], lines)

    def _lines(self, ident: str) -> list[str]:
        """Return the signature of a row: three texts, which are "" for a broken one."""
        known = self._known.signature(ident)
        return known if isinstance(known, list) and [*map(type, known)] == [str] * 3 else [""] * 3

    def _row(self, ident: str) -> "Row":
        return self._known.find(ident, self._known.signature(ident))  # type: ignore[arg-type,return-value] # see `_is_row`

    def completed(self, before: float) -> list[str]:
        """Return the state files of completed sessions in `beyond` that were last modified before a time."""
        known = [(self._row(ident)[1], *self._lines(ident)[1:]) for ident in self.beyond]
        open_ = {state for kind, state, _ in known if kind != ENDED}
        return [state for _, state, line in known if line and state not in open_ and file_index.modified(line) < before]

    def learn(self, session: Session, lines: "tuple[str, str, str]", now: float, *, kept: bool) -> None:
        """Add the row of a session if it needs no further work; `kept` is whether the project has a hub.

        `lines` are the line of its journal, the path of its state file, and the line of that, taken before they were
        read.
        """
        if session.id not in self._known.keys and _over(session, now, kept=kept):
            row: Row = (session.last_active, _group(session), [*session.children], sorted(session.given_up))
            self._known.put(session.id, [*lines], [*row])

    def save(self) -> None:
        """Store the index for the next process."""
        self._known.save()


def _over(session: Session, now: float, *, kept: bool) -> bool:
    """Whether a session ended more than `LATELY` seconds ago and nothing of it remains to be settled or shown."""
    gone = (
        not session.live
        and bool(session.ended or session.stale or session.swept)
        and now - session.last_active > LATELY
    )
    orphans = session.category != "completed" and any(one.status != "completed" for one in session.children.values())
    unread = session.state and not session.summary  # before the packages for parsing are installed
    left = session.unsettled or orphans or unread or (kept and status.due(session))
    return session.journaled and gone and not left


def _group(session: Session) -> str:
    """Return the group of a session that is over, as `file_index` names groups."""
    if session.passed_on or not (session.open and session.worked):
        return ENDED
    return file_index.OPEN if session.active else file_index.PAUSED


def _is_row(value: object) -> bool:
    return isinstance(value, list) and [*map(type, value)] == [float, str, list, list]


def line_of(path: str, lines: "dict[str, str]") -> str:
    """Return the line of a state file, also of one outside the known places; "" for none."""
    if not path or path in lines:
        return lines.get(path, "")
    try:
        return discovery.line(path, os.lstat(path))
    except OSError:
        return ""
