"""The state files of a project: which there are, and the index of their kinds, so that few are read again.

The kind of each file (open, paused, over and so on) is stored under its line (`discovery.line`), which has the file's
path, size, times and inode and so changes with the file. If no folder has changed, no file came, went or was replaced;
a file that was written in place changes no folder, which the background notices. Sessions are chosen by kinds, too.
"""

import os

from holdfast.core import fast_json, statuses
from holdfast.core.cache import Table, short_hash
from holdfast.core.fast_json import number_of, text_of
from holdfast.project import discovery, paths
from holdfast.sessions import hub_location, paused_work
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from holdfast.core.cache import Database
    from holdfast.core.files import Look
    from holdfast.core.summary import Summary
    from holdfast.formats.catalogue import Formats
    from holdfast.project.discovery import FoundFiles
    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace

    Row = tuple[float, str]  # when it was active or written last; and its kind

# The kinds of sessions and files; ended: a session without open work; always: a hub or another file of the project;
# nothing: a file that cannot be read.
ENDED, OVER, OPEN, PAUSED, HANDED, UNKNOWN, ALWAYS = "ended", "over", "open", "paused", "handed", "unknown", "always"
NOTHING = "nothing"
LOOKS = 2000  # state files of work that was done, the last ones, which a list looks at: they may change in place
LATELY = 3600.0  # seconds for which completed work may still be mentioned
# As `_group` has them, for queries: each condition is a range of the index by time.
_GROUPS = {
    "stale": ["kind = 'open' and {at} < {stale!r}"],
    "unfinished": ["kind = 'paused'", "kind = 'open' and {at} >= {stale!r}"],
    "lately": ["kind = 'over' and {at} >= {lately!r}"],
    **{kind: [f"kind = '{kind}'"] for kind in (ENDED, HANDED, UNKNOWN)},
}
SHOWN = 12  # of a group: two groups fill a brief


class Selection:
    """The keys of the rows to show; `more` has how many others are stale, unfinished, and so on."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.more: dict[str, int] = {}


def select(rows: "dict[str, Row]", now: float, stale_hours: int) -> Selection:
    """Return the rows to show: all that belong to the whole project, and the latest ones of each group."""
    selection = Selection()
    groups: dict[str, list[tuple[float, str]]] = {}
    for path, (at, kind) in rows.items():
        groups.setdefault(_group(at, kind, now, stale_hours), []).append((at, path))
    selection.keys = [path for _, path in groups.pop(ALWAYS, [])]
    groups.pop(OVER, None)
    groups.pop(NOTHING, None)
    for group, members in groups.items():
        selection.keys += [path for _, path in sorted(members, reverse=True)[:SHOWN]]
        selection.more[group] = max(0, len(members) - SHOWN)
    return selection


def _group(at: float, kind: str, now: float, stale_hours: int) -> str:
    """Return the group in which a row is shown or counted."""
    if kind == OVER:
        return "lately" if at >= now - LATELY else OVER
    if kind == OPEN and now - at > stale_hours * 3600:
        return "stale"
    return "unfinished" if kind in (OPEN, PAUSED) else kind


class Ages:
    """Since when a row is not yet `stale`, and since when it is from `lately`."""

    def __init__(self, now: float, stale_hours: int) -> None:
        self.stale, self.lately = now - stale_hours * 3600, now - LATELY


def selected(table: "Table", columns: str, name: str, ages: Ages) -> "tuple[list[Any], dict[str, int]]":
    """Return what `select` returns for the rows of a table, without loading them all.

    `columns` are that of the key and that of the time.
    """
    key, at = columns.split(", ")
    shown: list[Any] = []
    more: dict[str, int] = {}
    for group, conditions in _GROUPS.items():
        latest, count = [], 0
        for condition in conditions:
            where = f"{name} where tree = ? and " + condition.format(at=at, stale=ages.stale, lately=ages.lately)
            found = table.rows(f"select {at}, {key} from {where} order by {at} desc limit {SHOWN}")  # noqa: S608 - names of ours
            latest += found
            counted = table.rows(f"select count(*) from {where}") if len(found) == SHOWN else []  # noqa: S608 - names of ours
            count += counted[0][0] if counted else len(found)  # a database that is locked meanwhile counts nothing
        shown += [key for _, key in sorted(latest, reverse=True)[:SHOWN]]
        if count > SHOWN:
            more[group] = count - SHOWN
    return shown, more


_FILE_KINDS = {OVER, OPEN, PAUSED, HANDED, UNKNOWN, ALWAYS, NOTHING}
_FORGET_FILE = "delete from files where tree = ? and line = ?"
_NEWEST = "select line from files where tree = ? and kind = ? and written >= ? order by written desc limit ?"
_COUNT = "select count(*) from files where tree = ? and kind = ? and written >= ?"
# The name of a file directly in the folder has no slash.
_IN_FOLDER = """select line from files where tree = ?1 and kind != 'over' and kind != 'nothing' and instr(line, ?2)
and not instr(substr(line, instr(line, ?2) + length(?2)), x'2f')"""
_DONE_LAST = f"""select line from files where tree = ? and kind = 'over' and written < ?
order by written desc limit {LOOKS}"""  # noqa: S608 - a number of ours
_DONE = "select count(*) from files where tree = ? and kind = 'over' and written < ?"
_FILES = "select line, written, kind from files where tree = ?"


class FileIndex:
    """The kinds of the state files of one working tree. `variant` identifies what they depend on beside the files."""

    def __init__(self, database: "Database", root: str, variant: str) -> None:
        self._tree = short_hash(os.fsencode(root))
        self._table = Table(database, "files", self._tree, variant)
        self._database = database
        self._learned = False
        self.shown: list[str] = []  # what `choose_shown` or `choose_undone` chooses
        self.more: dict[str, int] = {}  # how many more each group has
        self.count = self.left = 0  # how many files of work that was done, or was not, are passed over
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

    def choose_undone(self, before: float, most: int, folder: str) -> bool:
        """Choose the files whose work was not done by a time; False if a hand-over may be among those passed over.

        Of those of one piece of work, the latest `most` are chosen, and those in `folder`. Of the others the last ones
        are looked at.
        """
        if self._table.rows(_COUNT, HANDED, 0.0) not in ([], [(0,)]):
            return False
        since = {OPEN: 0.0, PAUSED: 0.0, UNKNOWN: 0.0, OVER: before}
        rows = [line for kind in since.items() for (line,) in self._table.rows(_NEWEST, *kind, most)]
        rows += [line for (line,) in self._table.rows(_NEWEST, ALWAYS, 0.0, -1)]
        rows += [line for (line,) in self._table.rows(_IN_FOLDER, b" " + os.fsencode(folder.rstrip("/") + "/"))]
        chosen = [os.fsdecode(line) for line in dict.fromkeys(rows)]
        undone = sum(count for kind in since.items() for (count,) in self._table.rows(_COUNT, *kind))
        self.left = max(0, undone - len(chosen))
        ((self.count,),) = self._table.rows(_DONE, before) or [(0,)]
        done = [os.fsdecode(line) for (line,) in self._table.rows(_DONE_LAST, before)]
        changed = [line for line in done if line != line_of(discovery.path_in(line), {})]
        self.count -= len(changed)
        self.shown = [discovery.path_in(line) for line in [*chosen, *changed]]
        return True

    def choose_shown(self, ages: "Ages") -> bool:
        """Choose the files to show among those that an earlier survey has seen; return whether they are unchanged."""
        always = self._table.rows("select line from files where tree = ? and kind = 'always'")
        lines, self.more = selected(self._table, "line, written", "files", ages)
        self.shown = [discovery.path_in(os.fsdecode(line)) for line in (*lines, *(line for (line,) in always))]
        kept = {os.fsdecode(line) for line in (*lines, *(line for (line,) in always))}
        return kept == {line_of(path, {}) for path in self.shown}

    def forget(self, paths: "Iterable[str]", lines: "dict[str, str]") -> bool:
        """Remove the rows of files that a session holds now, some with their lines; return whether there were any."""
        names = [os.fsencode(line) for path in paths if (line := line_of(path, lines))]
        held = [(self._tree, line) for line in self._table.among("line", names)]
        return self._database.change([(_FORGET_FILE, held)] if held else [])

    def _row(self, line: str) -> "Row | None":
        return self._new.get(line) or self._stored.get(line)

    def rows(self) -> "dict[str, Row]":
        """Return the row of each file, by its path."""
        return {path: row for path, line in self._lines.items() if (row := self._row(line))}

    def save(self) -> None:
        """Store the index for the next process."""
        gone = self._stored.keys() - self._lines.values() if self._learned else ()
        rows = [(self._tree, os.fsencode(line), modified(line), *row) for line, row in self._new.items()]
        self._table.save(
            [
                ("delete from files where tree = ? and line = ?", [(self._tree, os.fsencode(line)) for line in gone]),
                ("insert or replace into files values (?, ?, ?, ?, ?)", rows),
            ]
        )


def line_of(path: str, lines: "dict[str, str]", look: "Look" = os.lstat) -> str:
    """Return the line of a state file, also of one outside the known places; "" for none."""
    if not path or path in lines:
        return lines.get(path, "")
    try:
        return discovery.line(path, look(path))
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
    if not summary:
        return NOTHING
    if category in statuses.OVER:
        return OVER
    if file_format == paused_work.FORMAT:
        return HANDED
    return PAUSED if category == "paused" else OPEN


_GRAIN = 50_000_000  # nanoseconds; a folder that changed so shortly before may change again and keep its time
_COARSE = 1_000_000_000  # some file systems keep whole seconds only
_FIND = "select value from marks where name = ?"
_PUT = "insert or replace into marks values (?, ?)"


class Folders:
    """The folders of one working tree; `variant` identifies what else a search in them depends on."""

    def __init__(self, database: "Database", root: str, variant: str) -> None:
        self._database = database
        self._name = "folders " + short_hash(os.fsencode(root))
        self._variant = variant
        self.left_out = 0

    def are_unchanged(self) -> bool:
        """Return whether all folders are as `save` knew them; `left_out` is then what that search left out."""
        for (text,) in self._database.rows(_FIND, self._name):
            try:
                seen = fast_json.loads(str(text).encode())
                if not isinstance(seen, dict) or seen.get("variant") != self._variant:
                    return False
                self.left_out = int(fast_json.number_of(seen, "left_out"))
                known = fast_json.table_of(seen, "folders")
                return bool(known) and all(os.stat(path).st_mtime_ns == at for path, at in known.items())
            except (OSError, ValueError, TypeError):
                return False
        return False

    def save(self, state_files: "FoundFiles", now: int) -> None:
        """Keep what a search has seen that began at `now`, in nanoseconds. What changed just then is searched again."""
        fresh = any(at > now - (_GRAIN if at % _COARSE else 3 * _COARSE) for at in state_files.folders.values())
        known = {} if fresh else state_files.folders
        text = fast_json.dumps({"variant": self._variant, "left_out": state_files.left_out, "folders": known})
        if self._database.rows(_FIND, self._name) != [(text,)]:
            self._database.change([(_PUT, [(self._name, text)])])


def variant(workspace: "Workspace", hub: str) -> str:
    """Return what the files in the known places depend on besides the folders."""
    home = workspace.hub_home
    line = line_of(hub, {}) if home.root != workspace.project.root else ""
    place = f"{workspace.project.is_private} {os.path.isdir(workspace.project.aside)}"
    return f"{workspace.formats.fingerprint} {place} {line}"


def in_tree(project: "Project", formats: "Formats") -> discovery.FoundFiles:
    """Return the state files of a working tree, those in no commit included."""
    state_files = discovery.state_files(project.root, formats.patterns)
    aside = discovery.state_files(project.aside, formats.patterns if project.is_private else paused_work.PATTERNS)
    state_files.lines.update(aside.lines)
    state_files.folders.update(aside.folders)
    state_files.left_out += aside.left_out
    return state_files


def with_hub(project: "Project", home: "Project", hub: str, there: "dict[str, str]") -> "dict[str, str]":
    """Return the state files with the hub of the main working tree instead of this working tree's copy of it."""
    if home.root == project.root:
        return there
    copies = {f"{project.root}/{name}" for name in hub_location.PATHS}
    kept = {path: line for path, line in there.items() if path not in copies}
    try:
        return {**kept, hub: discovery.line(hub, os.lstat(hub))} if hub else kept
    except OSError:  # gone since
        return kept


def relative_to(root: str, path: str) -> str:
    """Return a path relative to the working tree `root`, unchanged if it lies outside."""
    inside = root and path.startswith(root.rstrip("/") + "/")
    return path[len(root.rstrip("/")) + 1 :] if inside else path


def unheld(project: "Project", held: set[str], given_up: set[str], there: list[str]) -> list[str]:
    """Return the state files that belong to no journal here, not even through another working tree."""
    left = [path for path in there if path not in held]
    # Only files with the name of a held one can be the same file, and they are few.
    names = {paths.folded_name(path) for path in held | given_up} if left else set[str]()
    alike = {path: paths.identities(path) for path in left if path.rpartition("/")[2].casefold() in names}
    requested = set(map(paths.folded_name, alike))
    known: set[tuple[object, object]] = {(paths.repository(project), path) for path in given_up}
    known |= {mark for path in held if paths.folded_name(path) in requested for mark in paths.identities(path)}
    return [path for path in left if known.isdisjoint(alike.get(path, ()))]


def of_file(project: "Project", path: str) -> Session:
    """Return a session for a state file without one; its id is the file's name."""
    root = project.private if project.private and path.startswith(project.private + "/") else project.root
    name = relative_to(root, path).removeprefix(paths.STATE_FOLDER + "/")
    return Session(safe.line(name.removesuffix(".md"), 400)).replace(state=path)
