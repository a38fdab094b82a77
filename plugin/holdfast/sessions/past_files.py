"""The index of state files: which of them a session should know about, without reading them again.

The kind of each file (open, paused, over and so on) is stored under its line (`discovery.line`), which has the file's
path, size, times and inode and so changes with the file.
"""

import os

from holdfast.core import statuses
from holdfast.core.cache import short_hash
from holdfast.core.database import Table
from holdfast.core.fast_json import number_of, text_of
from holdfast.project import discovery
from holdfast.sessions import paused_work
from holdfast.sessions.selection import ALWAYS, HANDED, LOOKS, NOTHING, OPEN, OVER, PAUSED, UNKNOWN, selected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.core.database import Database
    from holdfast.core.summary import Summary
    from holdfast.sessions.selection import Ages, Row

_FILE_KINDS = {OVER, OPEN, PAUSED, HANDED, UNKNOWN, ALWAYS, NOTHING}
_FORGET_FILE = "delete from files where tree = ? and line = ?"
_COMPLETED = "select line from files where tree = ? and kind = 'over' and changed < ?"
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

    def forget(self, paths: "Iterable[str]") -> bool:
        """Remove the rows of files that a session holds now; return whether there were any."""
        lines = [os.fsencode(line) for path in paths if (line := line_of(path, {}))]
        held = [(self._tree, line) for line in self._table.among("line", lines)]
        return self._database.change([(_FORGET_FILE, held)] if held else [])

    def _row(self, line: str) -> "Row | None":
        return self._new.get(line) or self._stored.get(line)

    def rows(self) -> "dict[str, Row]":
        """Return the row of each file, by its path."""
        return {path: row for path, line in self._lines.items() if (row := self._row(line))}

    def completed(self, before: float) -> list[str]:
        """Return the paths of completed files that were last modified before a time."""
        if not self._learned:
            return [discovery.path_in(os.fsdecode(line)) for (line,) in self._table.rows(_COMPLETED, before)]
        over = {path: line for path, line in self._lines.items() if (row := self._row(line)) and row[1] == OVER}
        return [path for path, line in over.items() if modified(line) < before]

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
    if not summary:
        return NOTHING
    if category in statuses.OVER:
        return OVER
    if file_format == paused_work.FORMAT:
        return HANDED
    return PAUSED if category == "paused" else OPEN
