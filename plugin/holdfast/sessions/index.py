"""The index of the past: sessions that a survey need not read again.

A row is valid as long as journal and state file are unchanged. Sessions that are live, or that still need a settle,
are always read.
"""

import os
from itertools import count

from holdfast.core import fast_json, files
from holdfast.core.cache import Table, short_hash
from holdfast.core.fast_json import number_of
from holdfast.journal import live, log
from holdfast.sessions import status
from holdfast.sessions.file_index import ENDED, LATELY, LOOKS, OPEN, PAUSED, line_of, modified, select, selected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeAlias

    from holdfast.core.cache import Database, Value
    from holdfast.sessions.file_index import Ages, Row
    from holdfast.sessions.session import Session

    Ids: TypeAlias = "frozenset[str] | set[str] | Others"


class _Record:
    """What the index has of a session that is over.

    The line of its journal, its state file and the line of that, when it was last active, its kind, the ids of its
    children, the state files that were made for it and given up, and whether its work is done.
    """

    __slots__ = ("active", "children", "done", "given_up", "journal", "kind", "latest", "line", "state")

    def __init__(
        self, lines: "tuple[str, str, str]", row: "Row", children: list[str], given_up: list[str], done: int
    ) -> None:
        self.journal, self.state, self.line = lines
        self.active, self.kind = row
        self.children, self.given_up, self.done = children, given_up, done
        self.latest = 0.0  # the time of its last event, in seconds since 1970, for a row to store

    def values(self) -> "tuple[Value, ...]":
        """Return it as the values of a row, as `_record` reads them."""
        lists = fast_json.dumps(self.children), fast_json.dumps(self.given_up)
        changed = modified(self.line) if self.line else None
        state, line = os.fsencode(self.state), os.fsencode(self.line)
        return self.journal, state, line, changed, self.active, self.kind, *lists, self.done, self.latest


class Others:
    """The ids of the sessions in a table that are not wanted, and of their children; each is looked up.

    `added` are ids that are among them, too.
    """

    def __init__(self, table: Table, wanted: set[str], added: "frozenset[str]" = frozenset()) -> None:
        self._table, self._wanted, self._added = table, wanted, added
        self._children: set[str] | None = None

    def union(self, ids: "Iterable[str]") -> "Others":
        """Return the same with more ids."""
        return Others(self._table, self._wanted, self._added.union(ids))

    def __contains__(self, ident: object) -> bool:
        """Whether this id is among them."""
        if ident in self._added or ident in self._wanted:
            return ident in self._added
        if self._table.rows("select 1 from sessions where tree = ? and id = ?", str(ident)):
            return True
        if self._children is None:
            related = self._table.rows(_RELATED)
            self._children = {one for ident, kin, _ in related if ident not in self._wanted for one in _texts(kin)}
        return ident in self._children


class SessionIndex:
    """The sessions of one working tree that need not be read; `variant` identifies what else this depends on.

    - beyond: the ids of those that this survey passes over, and of their children. count: how many sessions these are.
      more: how many of them are stale, unfinished, and so on.
      left: how many of them were passed over although their work is not done, as `newest` leaves them out.
    - held, given_up: their state files, which no other session may take.
    """

    def __init__(self, database: "Database", root: str, variant: str) -> None:
        self._database = database
        self._tree = short_hash(os.fsencode(root))
        self._table = Table(database, "sessions", self._tree, variant)
        self._known: dict[str, _Record] = {}  # those that are loaded
        self._ids: set[str] = set()  # of all rows that count
        self._learns = True
        self._new: dict[str, _Record] = {}
        self._gone: set[str] = set()
        self.beyond: Ids = frozenset()
        self.count = self.left = 0
        self.held: set[str] = set()
        self.given_up: set[str] = set()
        self._beyond: Ids = frozenset()  # without children
        self.more: dict[str, int] = {}
        self.lacking = live.sessions(database.store)  # the ids of sessions that it lacks, or has an outdated row of

    def pass_over(
        self, journals: "dict[str, str]", lines: "dict[str, str]", asked: "Iterable[str]", now: float, stale_hours: int
    ) -> None:
        """Find the sessions to pass over, given the lines of all journals and of the state files.

        The last active ones of each group (`select`) and those `asked` for are not passed over.
        """
        self._load_current(journals, lines)
        selection = select({ident: (one.active, one.kind) for ident, one in self._known.items()}, now, stale_hours)
        self.more = selection.more
        self._pass_over({*self._known}.difference(selection.keys, asked))

    def pass_over_done(
        self, journals: "dict[str, str]", lines: "dict[str, str]", asked: "Iterable[str]", before: float, *, ended: bool
    ) -> None:
        """Pass over the sessions whose work is done and that were last active before a time, except those `asked` for.

        The lines are those of `pass_over`, `ended` is that of `choose_undone`.
        """
        self._load_current(journals, lines)
        least = _DONE if ended else _ENDED
        done = {ident for ident, one in self._known.items() if one.done >= least and one.active < before}
        self._pass_over(done.difference(asked))

    def _load_current(self, journals: "dict[str, str]", lines: "dict[str, str]") -> None:
        """Load the rows whose journal and state file are unchanged."""
        self._load()
        self._gone = {ident for ident in self._known if not self._is_current(ident, journals, lines)}
        for ident in self._gone:
            del self._known[ident]
        self._ids = {*self._known}

    def _pass_over(self, beyond: set[str]) -> None:
        self.count, children = len(beyond), set[str]()
        for one in map(self._known.__getitem__, beyond):
            children.update(one.children)
            self.given_up.update(one.given_up)
            self.held.update([one.state] if one.state else [])
        self._beyond, self.beyond = beyond, beyond | children

    def _load(self) -> None:
        stored = self._table.rows(_SESSIONS)
        self._known = {ident: record for ident, *rest in stored if (record := _record(*rest))}

    def stored_journals(self) -> "dict[str, str]":
        """Return what the index has as the lines of journals."""
        self._load()
        return {ident: one.journal for ident, one in self._known.items()}

    def choose_shown(self, ages: "Ages", own: str) -> "set[str] | None":
        """Return `own` and the ids of the sessions that a start shows, without a look at journals; None if it cannot.

        All others that the index has are passed over.
        """
        if not self._is_usable():
            return None
        shown, self.more = selected(self._table, "id, active", "sessions", ages)
        return self._pass_over_others({*shown, own} - {""})

    def choose_undone(
        self, before: float, asked: "Iterable[str]", *, ended: bool, most: int, folder: str
    ) -> "set[str] | None":
        """Return the ids of sessions as `choose_shown` does: those asked for, and whose work was not done by a time.

        Where `ended` is set, work that only ended counts as not done. Only the latest `most` of each kind of `done`
        are returned, and those whose state file is in `folder`.

        Of the state files of those that were done, the latest are looked at.
        """
        if not self._is_usable():
            return None
        least = _DONE if ended else _ENDED
        since = {done: 0.0 if done < least else before for done in (_OPEN, _ENDED, _DONE)}
        wanted = {ident for kind in since.items() for (ident,) in self._table.rows(_NEWEST, *kind, most)}
        begin = os.fsencode(folder.rstrip("/") + "/")
        wanted.update(ident for (ident,) in self._table.rows(_IN_FOLDER, begin, begin[:-1] + b"0", len(begin) + 1))
        undone = sum(count for kind in since.items() for (count,) in self._table.rows(_COUNT, *kind))
        self.left = max(0, undone - len(self._table.among("id", [*wanted.union(asked)])))
        for ident, state, line in self._table.rows(_DONE_LAST, before):
            if state and line_of(os.fsdecode(state), {}) != os.fsdecode(line):
                wanted.add(ident)
        chosen = self._pass_over_others(wanted.union(asked))
        self.count -= self.left
        return chosen

    def _is_usable(self) -> bool:
        """Whether the index has all sessions but those that it is known to lack; outdated rows are removed for that."""
        if not self._table.is_whole:
            return False
        outdated = self.among(self.lacking)
        return not outdated or self._database.change([(_FORGET, [(self._tree, ident) for ident in outdated])])

    def latest(self) -> "Iterator[tuple[str, float]]":
        """Yield all sessions and a time in seconds since 1970 after which each has no event, the latest first.

        Journals that the index has are not looked at.
        """
        from heapq import merge  # a start needs no order of all

        store, given = self._database.store, set[str]()
        if self._is_usable():
            lacking = ((log.written(line), ident) for ident, line in log.signatures(store, self.lacking).items())
            for written, ident in merge(lacking, self._by_event(), reverse=True):
                given.add(ident)
                yield ident, written
        if not self._table.is_whole:
            rest = log.signatures(store)
            yield from ((ident, log.written(line)) for ident, line in rest.items() if ident not in given)

    def _by_event(self) -> "Iterator[tuple[float, str]]":
        """Yield the time of the last event of each session in the index, and its id, the latest first."""
        page = self._table.rows(_LATEST, 0)
        for number in count(1):
            yield from page
            if len(page) < _PAGE:
                return
            page = self._table.rows(_LATEST, number * _PAGE)

    def done_among(self, idents: "Iterable[str]") -> "set[Value]":
        """Return those of the sessions that have a row as done."""
        return self._table.among("id", [*idents], "and done > 0")

    def among(self, idents: "Iterable[str]") -> "set[Value]":
        """Return those of the sessions that have a row."""
        return self._table.among("id", [*idents])

    def _pass_over_others(self, wanted: set[str]) -> set[str] | None:
        """Pass over the sessions that are in the index and not wanted; return those to read, None if that failed."""
        ((everything,),) = self._table.rows("select count(*) from sessions where tree = ?") or [(0,)]
        self.count = everything - len(self.among(wanted))
        self._learns = False  # the background, which looks at everything, does
        self.beyond = self._beyond = Others(self._table, wanted)
        for _, given_up in self._table.rows(_GIVEN_UP):
            self.given_up.update(_texts(given_up))
        return wanted.union(self.lacking) if self._table.is_whole else None

    def holds(self, path: str) -> bool:
        """Whether a session that was passed over holds a state file."""
        if self._known or not path:
            return path in self.held
        rows = self._table.rows("select id from sessions where tree = ? and state = ?", os.fsencode(path))
        return any(ident in self._beyond for (ident,) in rows)

    def _is_current(self, ident: str, journals: "dict[str, str]", lines: "dict[str, str]") -> bool:
        """Whether journal and state file of a session are unchanged since its row was made."""
        one = self._known[ident]
        return one.journal == journals.get(ident) and one.line == line_of(one.state, lines)

    def note_lacking(self, names: "Iterable[str]", *, whole: bool) -> None:
        """After `save` of what was read of all journals, which are `names`: note which of them the index lacks.

        `whole` is whether all of them were read that the index had lacked.
        """
        indexed = {ident: one.journal for ident, one in (self._known | self._new).items()}
        removed = live.keep(self._database.store, indexed, {*names}.difference(indexed))
        if (not removed or self._table.set_others_incomplete()) and whole:
            self._table.set_whole()

    def learn(self, session: "Session", lines: "tuple[str, str, str]", now: float, *, kept: bool) -> None:
        """Add the row of a session if it needs no further work; `kept` is whether the project has a hub.

        `lines` are the line of its journal, the path of its state file, and the line of that, taken before they were
        read.
        """
        if self._learns and session.id not in self._ids and _over(session, now, kept=kept):
            row = (session.last_active, _kind_of_session(session))
            children, given_up = [*session.children], sorted(session.file.given_up)
            one = self._new[session.id] = _Record(lines, row, children, given_up, _done(session))
            one.latest = max(session.last_active, _last_event(self._database.store, session.id))

    def save(self) -> bool:
        """Store the index for the next process; return whether that worked."""
        rows = [(self._tree, ident, *one.values()) for ident, one in self._new.items()]
        return self._table.save(
            [
                (_FORGET, [(self._tree, ident) for ident in self._gone]),
                ("insert or replace into sessions values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows),
            ]
        )


_SESSIONS = "select id, journal, state, line, active, kind, children, given_up, done from sessions where tree = ?"
_FORGET = "delete from sessions where tree = ? and id = ?"
# Without the name of the index, SQLite takes the primary key, and reads all rows of the tree.
_RELATED = """select id, children, given_up from sessions indexed by sessions_related
where tree = ? and (children != '[]' or given_up != '[]')"""
_GIVEN_UP = "select id, given_up from sessions where tree = ? and given_up != '[]'"
# Values of `done`: open; ended without a word on it, which can be resumed; completed, or went on.
_OPEN, _ENDED, _DONE = 0, 1, 2
_NEWEST = "select id from sessions where tree = ? and done = ? and active >= ? order by active desc limit ?"
_COUNT = "select count(*) from sessions where tree = ? and done = ? and active >= ?"
# The name of a file directly in the folder has no slash.
_IN_FOLDER = "select id from sessions where tree = ? and state > ? and state < ? and not instr(substr(state, ?), x'2f')"
_END = 4096  # bytes of a journal in which its last event is looked for
_NOT_SHOWN = ("", "named", "moved")  # what these facts say is no event of its own
_PAGE = 100  # rows that are read at once
_LATEST = f"select latest, id from sessions where tree = ? order by latest desc limit {_PAGE} offset ?"  # noqa: S608 - as there
_DONE_LAST = f"""select id, state, line from sessions where tree = ? and done > 0 and active < ?
order by active desc limit {LOOKS}"""  # noqa: S608 - a number of ours
_SESSION_KINDS = {ENDED, OPEN, PAUSED}
_RECORD = [str, bytes, bytes, float, str, str, str, int]


def _record(*values: "Any") -> _Record | None:
    """Return a stored row, None for a damaged one."""
    if [*map(type, values)] != _RECORD or values[4] not in _SESSION_KINDS:
        return None
    journal, state, line, active, kind, children, given_up, done = values
    lines = journal, os.fsdecode(state), os.fsdecode(line)
    return _Record(lines, (active, kind), _texts(children), _texts(given_up), done)


def _texts(data: str) -> list[str]:
    """Return a stored list of texts, [] for a damaged one."""
    if data == "[]":
        return []
    try:
        return fast_json.texts_of({"": fast_json.loads(data.encode())}, "")
    except ValueError:
        return []


def _over(session: "Session", now: float, *, kept: bool) -> bool:
    """Whether a session ended more than `LATELY` seconds ago and nothing of it remains to be settled or shown."""
    gone = (
        not session.live
        and bool(session.ended or session.stale or session.chosen)
        and now - session.last_active > LATELY
    )
    orphans = session.open and any(one.status != "completed" for one in session.children.values())
    unread = session.state and not session.summary  # before the packages for parsing are installed
    left = session.settling.unsettled or orphans or unread or (kept and status.due(session))
    return session.journaled and gone and not left


def _last_event(store: str, ident: str) -> float:
    """Return the time of the last event in a journal's end, 0.0 if it has none."""
    from holdfast.journal.kinds import KINDS  # a start learns nothing

    try:
        data = files.tail(log.path_of(store, ident), _END)
    except OSError:
        return 0.0
    events = [
        fact for fact in log.facts_in(data) if fact["kind"] in KINDS and KINDS[fact["kind"]].event not in _NOT_SHOWN
    ]
    return max((number_of(fact, "at") for fact in events), default=0.0)


def _done(session: "Session") -> int:
    """Return whether the work of a session is done, as in the column `done`."""
    if session.open:
        return _OPEN
    return _ENDED if session.status == "ended" and not session.passed_on else _DONE


def older(sessions: "list[Session]", most: int, before: float, *, ended: bool) -> "list[Session]":
    """Return which of these sessions, the latest first, `choose_undone` leaves out if the index has them."""
    counts: dict[tuple[bool, int], int] = {}
    cut = []
    for session in sessions:
        done = _done(session)
        is_done = done >= (_DONE if ended else _ENDED) and session.last_active < before
        if not (session.live or session.shared or is_done):
            counts[session.journaled, done] = counts.get((session.journaled, done), 0) + 1
            cut += [session] if counts[session.journaled, done] > most else []
    return cut


def _kind_of_session(session: "Session") -> str:
    """Return the kind of a session that is over."""
    if session.passed_on or not (session.open and session.worked):
        return ENDED
    return OPEN if session.active else PAUSED
