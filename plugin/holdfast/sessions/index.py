"""The index of the past: sessions and state files that a survey need not read again.

A row is valid as long as journal and state file are unchanged. Sessions that are live, or that still need a settle,
are always read. The kind of a file (open, paused, over and so on) is stored under its line (`discovery.line`), which
has the file's path, size, times and inode and so changes with the file.
"""

import os

from holdfast.core import fast_json
from holdfast.core.cache import short_hash
from holdfast.core.database import Table
from holdfast.core.fast_json import number_of, text_of
from holdfast.journal import log
from holdfast.project import discovery
from holdfast.sessions import paused_work, status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from holdfast.core.database import Database, Value
    from holdfast.core.summary import Summary
    from holdfast.sessions.session import Session

    Row = tuple[float, str]  # when it was active or written last; and its kind

# The kinds of sessions and files; ended: a session without open work; always: a hub or another file of the project.
ENDED, OVER, OPEN, PAUSED, HANDED, UNKNOWN, ALWAYS = "ended", "over", "open", "paused", "handed", "unknown", "always"
LATELY = 3600.0  # seconds for which completed work may still be mentioned
# As `_group` has them, for queries.
_GROUPS = {
    "stale": "kind = 'open' and {at} < {stale!r}",
    "unfinished": "(kind = 'paused' or kind = 'open' and {at} >= {stale!r})",
    "lately": "kind = 'over' and {at} >= {lately!r}",
    **{kind: f"kind = '{kind}'" for kind in (ENDED, HANDED, UNKNOWN)},
}
SHOWN = 12  # of a group: two groups fill a brief


class Selection:
    """The keys of the rows to show; `more` has how many others are stale, unfinished, and so on."""

    __slots__ = ("keys", "more")

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.more: dict[str, int] = {}


def select(rows: "dict[str, Row]", now: float, stale_hours: int) -> Selection:
    """Return the rows to show: all that belong to the whole project, and the latest ones of each group."""
    found = Selection()
    groups: dict[str, list[tuple[float, str]]] = {}
    for path, (at, kind) in rows.items():
        groups.setdefault(_group(at, kind, now, stale_hours), []).append((at, path))
    found.keys = [path for _, path in groups.pop(ALWAYS, [])]
    groups.pop(OVER, None)
    for group, members in groups.items():
        found.keys += [path for _, path in sorted(members, reverse=True)[:SHOWN]]
        found.more[group] = max(0, len(members) - SHOWN)
    return found


def _group(at: float, kind: str, now: float, stale_hours: int) -> str:
    """Return the group in which a row is shown or counted."""
    if kind == OVER:
        return "lately" if at >= now - LATELY else OVER
    if kind == OPEN and now - at > stale_hours * 3600:
        return "stale"
    return "unfinished" if kind in (OPEN, PAUSED) else kind


class _Record:
    """What the index has of a session that is over.

    The line of its journal, its state file and the line of that, when it was last active, its kind, the ids of its
    children, and the state files that were made for it and given up.
    """

    __slots__ = ("active", "children", "given_up", "journal", "kind", "line", "state")

    def __init__(self, lines: "tuple[str, str, str]", row: "Row", children: list[str], given_up: list[str]) -> None:
        self.journal, self.state, self.line = lines
        self.active, self.kind = row
        self.children, self.given_up = children, given_up

    def values(self) -> "tuple[Value, ...]":
        """Return it as the values of a row, as `_record` reads them."""
        lists = fast_json.dumps(self.children), fast_json.dumps(self.given_up)
        return self.journal, os.fsencode(self.state), os.fsencode(self.line), self.active, self.kind, *lists


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
        self.woken = log.woken(database.store)  # the ids of sessions that went on after a silence
        self.journals: dict[str, str] = {}  # the lines of the journals that were read

    def pass_over(
        self, journals: "dict[str, str]", lines: "dict[str, str]", asked: "Iterable[str]", now: float, stale_hours: int
    ) -> None:
        """Find the sessions to pass over, given the lines of all journals and of the state files.

        The last active ones of each group (`select`) and those `asked` for are not passed over.
        """
        self._load()
        self._gone = {ident for ident in self._known if not self._is_current(ident, journals, lines)}
        for ident in self._gone:
            del self._known[ident]
        found = select({ident: (one.active, one.kind) for ident, one in self._known.items()}, now, stale_hours)
        self.more = found.more
        self._ids = {*self._known}
        self.beyond = {*self._known}.difference(found.keys, asked)
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

    def pass_over_quickly(self, names: "set[str]", asked: "Iterable[str]", ages: "Ages") -> bool:
        """Find the sessions to pass over without a look at their journals and state files; return whether that worked.

        `names` are the ids of all journals. The state files must be those that an earlier survey has seen.
        """
        ((ids,),) = self._table.rows("select group_concat(id, ' ') from sessions where tree = ?") or [(None,)]
        stored = {*ids.split(" ")} if isinstance(ids, str) else set()
        outdated = (stored - names) | stored.intersection(self.woken)
        if outdated and not self._database.change([(_FORGET, [(self._tree, ident) for ident in outdated])]):
            return False
        self._ids = stored - outdated
        shown, self.more = selected(self._table, "id, active", "sessions", ages)
        self.beyond = self._ids.difference(shown, asked)
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
                log.forget_woken(self._database.store, ident, self.journals.get(ident, ""))

    def completed(self, before: float) -> list[str]:
        """Return the state files of completed sessions in `beyond` that were last modified before a time."""
        if not self._known:
            self._load()
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
            self._new[session.id] = _Record(lines, row, [*session.children], sorted(session.given_up))

    def save(self) -> bool:
        """Store the index for the next process; return whether that worked."""
        rows = [(self._tree, ident, *one.values()) for ident, one in self._new.items()]
        return self._table.save(
            [
                (_FORGET, [(self._tree, ident) for ident in self._gone]),
                ("insert or replace into sessions values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows),
            ]
        )


class Ages:
    """Since when a row is not yet `stale`, and since when it is from `lately`."""

    __slots__ = ("lately", "stale")

    def __init__(self, now: float, stale_hours: int) -> None:
        self.stale, self.lately = now - stale_hours * 3600, now - LATELY


def selected(table: Table, columns: str, name: str, ages: Ages) -> "tuple[list[Any], dict[str, int]]":
    """Return what `select` returns for the rows of a table, without loading them all.

    `columns` are that of the key and that of the time.
    """
    key, at = columns.split(", ")
    shown: list[Any] = []
    more: dict[str, int] = {}
    for group, condition in _GROUPS.items():
        where = f"{name} where tree = ? and " + condition.format(at=at, stale=ages.stale, lately=ages.lately)
        latest = table.rows(f"select {key} from {where} order by {at} desc limit {SHOWN}")  # noqa: S608 - names of ours
        shown += [key for (key,) in latest]
        if len(latest) == SHOWN:
            more[group] = table.rows(f"select count(*) from {where}")[0][0] - SHOWN  # noqa: S608 - names of ours
    return shown, more


class FileIndex:
    """The kinds of the state files of one working tree. `variant` identifies what they depend on beside the files."""

    def __init__(self, database: "Database", root: str, variant: str) -> None:
        self._tree = short_hash(os.fsencode(root))
        self._table = Table(database, "files", self._tree, variant)
        self._database = database
        self._learned = False
        self.shown: list[str] = []  # what `select_quickly` selects, and how many more each group has
        self.more: dict[str, int] = {}
        self._stored: dict[str, Row] = {}
        self._new: dict[str, Row] = {}
        self._lines: dict[str, str] = {}

    def _load(self) -> None:
        self._stored = {
            os.fsdecode(line): (written, kind)
            for line, written, kind in self._table.rows(_FILES)
            if isinstance(line, bytes) and isinstance(written, float) and kind in _FILE_KINDS
        }

    def learn(self, lines: "dict[str, str]", read: "Callable[[str], Summary]", most: int) -> int:
        """Parse up to `most` new or changed files, newest first; return how many remain.

        `lines` has the line of each file by its path; other files are forgotten. ImportError when the packages for
        parsing are not installed yet.
        """
        self._load()
        self._lines, self._learned = lines, True
        latest = sorted({*lines.values()}.difference(self._stored), key=modified, reverse=True)
        for line in latest[:most]:
            try:
                self._new[line] = _row(read(discovery.path_in(line)), line)
            except OSError:  # gone since
                continue
        return len(latest[most:])

    def select_quickly(self, ages: Ages) -> bool:
        """Find the files to show among those that an earlier survey has seen; return whether they are unchanged."""
        always = self._table.rows("select line from files where tree = ? and kind = 'always'")
        lines, self.more = selected(self._table, "line, written", "files", ages)
        self.shown = [discovery.path_in(os.fsdecode(line)) for line in (*lines, *(line for (line,) in always))]
        kept = {os.fsdecode(line) for line in (*lines, *(line for (line,) in always))}
        return kept == {line_of(path, {}) for path in self.shown}

    def forget(self, paths: "Iterable[str]") -> bool:
        """Remove the rows of files that a session holds now; return whether there were any."""
        lines = [(self._tree, os.fsencode(line)) for path in paths if (line := line_of(path, {}))]
        query = "select count(*) from files where tree = ? and line = ?"
        held = [row for row in lines if self._database.rows(query, *row) == [(1,)]]
        return self._database.change([(_FORGET_FILE, held)] if held else [])

    def _row(self, line: str) -> "Row | None":
        return self._new.get(line) or self._stored.get(line)

    def rows(self) -> "dict[str, Row]":
        """Return the row of each file, by its path."""
        return {path: row for path, line in self._lines.items() if (row := self._row(line))}

    def completed(self, before: float) -> list[str]:
        """Return the paths of completed files that were last modified before a time."""
        if not self._lines:
            self._load()
        lines = self._lines or {discovery.path_in(line): line for line in self._stored}
        over = {path: line for path, line in lines.items() if (row := self._row(line)) and row[1] == OVER}
        return [path for path, line in over.items() if modified(line) < before]

    def save(self) -> None:
        """Store the index for the next process."""
        gone = self._stored.keys() - self._lines.values() if self._learned else ()
        rows = [(self._tree, os.fsencode(line), *row) for line, row in self._new.items()]
        self._table.save(
            [
                ("delete from files where tree = ? and line = ?", [(self._tree, os.fsencode(line)) for line in gone]),
                ("insert or replace into files values (?, ?, ?, ?)", rows),
            ]
        )


_SESSIONS = "select id, journal, state, line, active, kind, children, given_up from sessions where tree = ?"
_FORGET_FILE = "delete from files where tree = ? and line = ?"
_FORGET = "delete from sessions where tree = ? and id = ?"
_RELATED = """select id, children, given_up from sessions
where tree = ? and (children != '[]' or given_up != '[]')"""
_FILES = "select line, written, kind from files where tree = ?"
_SESSION_KINDS = {ENDED, OPEN, PAUSED}
_FILE_KINDS = {OVER, OPEN, PAUSED, HANDED, UNKNOWN, ALWAYS}
_RECORD = [str, bytes, bytes, float, str, str, str]


def _record(*values: "Any") -> _Record | None:
    """Return a stored row, None for a damaged one."""
    if [*map(type, values)] != _RECORD or values[4] not in _SESSION_KINDS:
        return None
    journal, state, line, active, kind, children, given_up = values
    lines = journal, os.fsdecode(state), os.fsdecode(line)
    return _Record(lines, (active, kind), _texts(children), _texts(given_up))


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


def line_of(path: str, lines: "dict[str, str]") -> str:
    """Return the line of a state file, also of one outside the known places; "" for none."""
    if not path or path in lines:
        return lines.get(path, "")
    try:
        return discovery.line(path, os.lstat(path))
    except OSError:
        return ""


def modified(line: str) -> float:
    """Return when the file of a line (`discovery.line`) was last modified, in seconds since 1970."""
    return int(line.split(" ", 2)[1]) / 1e9


def _row(summary: "Summary", line: str) -> "Row":
    """Return the row of a state file."""
    changed = max(number_of(summary, "updated"), number_of(summary, "created"))
    return float(changed or modified(line)), _kind(summary)


def _kind(summary: "Summary") -> str:
    """Return the kind of a state file; a file that cannot be read is over."""
    category, file_format = text_of(summary, "category"), text_of(summary, "format")
    if file_format == "unknown":
        return UNKNOWN
    if summary.get("shared") or summary.get("entries"):
        return ALWAYS
    if not summary or (category == "completed" and text_of(summary, "status")):
        return OVER
    if file_format == paused_work.FORMAT:
        return HANDED
    return PAUSED if category == "paused" else OPEN
