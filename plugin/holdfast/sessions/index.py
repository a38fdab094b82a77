"""The index of the past: sessions that a survey need not read again.

A row is valid as long as journal and state file are unchanged. Sessions that are live, or that still need a settle,
are always read.
"""

import os

from holdfast.core import fast_json
from holdfast.core.cache import short_hash
from holdfast.core.database import Table
from holdfast.journal import woken
from holdfast.sessions import status
from holdfast.sessions.past_files import line_of, modified
from holdfast.sessions.selection import ENDED, LATELY, OPEN, PAUSED, select, selected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from holdfast.core.database import Database, Value
    from holdfast.sessions.selection import Ages, Row
    from holdfast.sessions.session import Session


class _Record:
    """What the index has of a session that is over.

    The line of its journal, its state file and the line of that, when it was last active, its kind, the ids of its
    children, the state files that were made for it and given up, and whether its work is done.
    """

    __slots__ = ("active", "children", "done", "given_up", "journal", "kind", "line", "state")

    def __init__(
        self, lines: "tuple[str, str, str]", row: "Row", children: list[str], given_up: list[str], *, done: bool
    ) -> None:
        self.journal, self.state, self.line = lines
        self.active, self.kind = row
        self.children, self.given_up, self.done = children, given_up, done

    def values(self) -> "tuple[Value, ...]":
        """Return it as the values of a row, as `_record` reads them."""
        lists = fast_json.dumps(self.children), fast_json.dumps(self.given_up)
        changed = modified(self.line) if self.line else None
        state, line = os.fsencode(self.state), os.fsencode(self.line)
        return self.journal, state, line, changed, self.active, self.kind, *lists, int(self.done)


class SessionIndex:
    """The sessions of one working tree that need not be read; `variant` identifies what else this depends on.

    - beyond: the ids of those that this survey passes over. more: how many of these are stale, unfinished, and so on.
      children: the ids of their children.
    - held, given_up: their state files, which no other session may take.
    """

    def __init__(self, database: "Database", root: str, variant: str) -> None:
        self._database = database
        self._tree = short_hash(os.fsencode(root))
        self._table = Table(database, "sessions", self._tree, variant)
        self._known: dict[str, _Record] = {}  # those that are loaded
        self._ids: set[str] = set()  # of all rows that count
        self._new: dict[str, _Record] = {}
        self._gone: set[str] = set()
        self.beyond: set[str] = set()
        self.children: set[str] = set()
        self.held: set[str] = set()
        self.given_up: set[str] = set()
        self.more: dict[str, int] = {}
        self.woken = woken.sessions(database.store)  # the ids of sessions that went on after a silence
        self.journals: dict[str, str] = {}  # the lines of the journals that were read

    def pass_over(
        self, journals: "dict[str, str]", lines: "dict[str, str]", asked: "Iterable[str]", now: float, stale_hours: int
    ) -> None:
        """Find the sessions to pass over, given the lines of all journals and of the state files.

        The last active ones of each group (`select`) and those `asked` for are not passed over.
        """
        self._load_current(journals, lines)
        found = select({ident: (one.active, one.kind) for ident, one in self._known.items()}, now, stale_hours)
        self.more = found.more
        self._pass_over({*self._known}.difference(found.keys, asked))

    def pass_over_done(
        self, journals: "dict[str, str]", lines: "dict[str, str]", asked: "Iterable[str]", before: float
    ) -> None:
        """Pass over the sessions whose work is done and that were last active before a time, except those `asked` for.

        The lines are those of `pass_over`.
        """
        self._load_current(journals, lines)
        done = {ident for ident, one in self._known.items() if one.done and one.active < before}
        self._pass_over(done.difference(asked))

    def _load_current(self, journals: "dict[str, str]", lines: "dict[str, str]") -> None:
        """Load the rows whose journal and state file are unchanged."""
        self._load()
        self._gone = {ident for ident in self._known if not self._is_current(ident, journals, lines)}
        for ident in self._gone:
            del self._known[ident]
        self._ids = {*self._known}

    def _pass_over(self, beyond: set[str]) -> None:
        self.beyond = beyond
        for one in map(self._known.__getitem__, self.beyond):
            self.children.update(one.children)
            self.given_up.update(one.given_up)
            self.held.update([one.state] if one.state else [])

    def _load(self) -> None:
        stored = self._table.rows(_SESSIONS)
        self._known = {ident: record for ident, *rest in stored if (record := _record(*rest))}

    def stored_journals(self) -> "dict[str, str]":
        """Return what the index has as the lines of journals."""
        self._load()
        return {ident: one.journal for ident, one in self._known.items()}

    def pass_over_quickly(self, names: "set[str]", own: str, ages: "Ages") -> bool:
        """Find the sessions to pass over without a look at their journals and state files; return whether that worked.

        `names` are the ids of all journals; those that begin with `own` are not passed over. The state files must be
        those that an earlier survey has seen.
        """
        ((ids,),) = self._table.rows("select group_concat(id, ' ') from sessions where tree = ?") or [(None,)]
        stored = {*ids.split(" ")} if isinstance(ids, str) else set()
        outdated = (stored - names) | stored.intersection(self.woken)
        if outdated and not self._database.change([(_FORGET, [(self._tree, ident) for ident in outdated])]):
            return False
        self._ids = stored - outdated
        shown, self.more = selected(self._table, "id, active", "sessions", ages)
        self.beyond = self._ids.difference(shown, beginning_with(own, names))
        for ident, children, given_up in self._table.rows(_RELATED):
            if ident in self.beyond:
                self.children.update(_texts(children))
                self.given_up.update(_texts(given_up))
        return True

    def holds(self, path: str) -> bool:
        """Whether a session that was passed over holds a state file."""
        if self._known or not path:
            return path in self.held
        rows = self._table.rows("select id from sessions where tree = ? and state = ?", os.fsencode(path))
        return any(ident in self.beyond for (ident,) in rows)

    def _is_current(self, ident: str, journals: "dict[str, str]", lines: "dict[str, str]") -> bool:
        """Whether journal and state file of a session are unchanged since its row was made."""
        one = self._known[ident]
        return one.journal == journals.get(ident) and one.line == line_of(one.state, lines)

    def forget_woken(self) -> None:
        """After `save`: forget which sessions went on, since the index has them as they are now."""
        elsewhere = [(ident, self._tree) for ident in self.woken]
        if elsewhere and self._database.change([("delete from sessions where id = ? and tree != ?", elsewhere)]):
            for ident in self.woken:
                read = self.journals.get(ident, "") or (self._known[ident].journal if ident in self._known else "")
                woken.forget(self._database.store, ident, read)

    def completed(self, before: float) -> list[str]:
        """Return the state files of completed sessions in `beyond` that were last modified before a time."""
        if not self._known:
            return [os.fsdecode(state) for (state,) in self._table.rows(_COMPLETED, before)]
        known = [self._known[ident] for ident in self.beyond if ident in self._known]
        open_ = {one.state for one in known if one.kind != ENDED}
        return [one.state for one in known if one.line and one.state not in open_ and modified(one.line) < before]

    def learn(self, session: "Session", lines: "tuple[str, str, str]", now: float, *, kept: bool) -> None:
        """Add the row of a session if it needs no further work; `kept` is whether the project has a hub.

        `lines` are the line of its journal, the path of its state file, and the line of that, taken before they were
        read.
        """
        if session.id not in self._ids and _over(session, now, kept=kept):
            row = (session.last_active, _kind_of_session(session))
            children, given_up = [*session.children], sorted(session.given_up)
            self._new[session.id] = _Record(lines, row, children, given_up, done=session.done)

    def save(self) -> bool:
        """Store the index for the next process; return whether that worked."""
        rows = [(self._tree, ident, *one.values()) for ident, one in self._new.items()]
        return self._table.save(
            [
                (_FORGET, [(self._tree, ident) for ident in self._gone]),
                ("insert or replace into sessions values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows),
            ]
        )


_SESSIONS = "select id, journal, state, line, active, kind, children, given_up, done from sessions where tree = ?"
_FORGET = "delete from sessions where tree = ? and id = ?"
# Without the name of the index, SQLite takes the primary key, and reads all rows of the tree.
_RELATED = """select id, children, given_up from sessions indexed by sessions_related
where tree = ? and (children != '[]' or given_up != '[]')"""
_COMPLETED = """select state from sessions as one where tree = ? and kind = 'ended' and changed < ?
and not exists (select 1 from sessions where tree = one.tree and state = one.state and kind != 'ended')"""
_SESSION_KINDS = {ENDED, OPEN, PAUSED}
_RECORD = [str, bytes, bytes, float, str, str, str, int]


def _record(*values: "Any") -> _Record | None:
    """Return a stored row, None for a damaged one."""
    if [*map(type, values)] != _RECORD or values[4] not in _SESSION_KINDS:
        return None
    journal, state, line, active, kind, children, given_up, done = values
    lines = journal, os.fsdecode(state), os.fsdecode(line)
    return _Record(lines, (active, kind), _texts(children), _texts(given_up), done=bool(done))


def _texts(data: str) -> list[str]:
    """Return a stored list of texts, [] for a damaged one."""
    if data == "[]":
        return []
    try:
        return fast_json.texts_of({"": fast_json.loads(data.encode())}, "")
    except ValueError:
        return []


def beginning_with(own: str, names: "Collection[str]") -> list[str]:
    """Return the ids that begin with `own`, [] if that is empty; a whole id costs no search."""
    if not own or own in names:
        return [own] if own else []
    return [ident for ident in names if ident.startswith(own)]


def _over(session: "Session", now: float, *, kept: bool) -> bool:
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


def _kind_of_session(session: "Session") -> str:
    """Return the kind of a session that is over."""
    if session.passed_on or not (session.open and session.worked):
        return ENDED
    return OPEN if session.active else PAUSED
