"""The index of state files: which of them a session should know about, without reading them again.

The kind of each file (open, paused, over and so on) is stored under its line (`discovery.line`), which has the file's
path, size, times and inode and so changes with the file. Of files that were completed long ago, which are most files
of a long-lived project, only the line is stored.
"""

import os

from holdfast.core.fast_json import number_of, text_of
from holdfast.core.rows import Rows, short_hash
from holdfast.project import discovery
from holdfast.sessions import paused_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.core.summary import Summary

    Row = tuple[float, str]  # when it was written, from its text or else from the file system; and its kind

# The kinds of files; always: a hub or another file of the whole project, independent of its status.
OVER, OPEN, PAUSED, HANDED, UNKNOWN, ALWAYS = "over", "open", "paused", "handed", "unknown", "always"
LATELY = 3600.0  # seconds for which completed work may still be mentioned
SHOWN = 12  # files of a group: two groups fill a brief
_VERSION = 2  # increase it when the same file gets another row than before
_FOLDER = "/files/"


class Selection:
    """The paths of the files to show; `more` has how many others are stale, unfinished, and so on."""

    __slots__ = ("more", "paths")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.more: dict[str, int] = {}


class FileIndex:
    """The kinds of the state files of one working tree. `variant` identifies what they depend on beside the files.

    The key of a row is the file's line. A file that was completed long ago has a mark instead of a row.
    """

    def __init__(self, store: str, root: str, variant: str) -> None:
        name = short_hash(os.fsencode(root))
        self._known = Rows(store and f"{store}{_FOLDER}{name}", _VERSION, variant, _is_row)
        self._lines: dict[str, str] = {}

    def learn(self, lines: "dict[str, str]", read: "Callable[[str], Summary]", most: int) -> int:
        """Parse up to `most` new or changed files, newest first; return how many remain.

        `lines` has the line of each file by its path; other files are forgotten. ImportError when the packages for
        parsing are not installed yet.
        """
        self._lines = lines
        unknown = set(lines.values()).difference(self._known.marks, self._known.keys)
        latest = sorted(unknown, key=modified, reverse=True)
        self._known.changed = bool(latest) or len(lines) < len(self._known.marks) + len(self._known.keys)
        for line in latest[:most]:
            try:
                self._known.put(line, None, _row(read(discovery.path_in(line)), line))
            except OSError:  # gone since
                continue
        return len(latest[most:])

    def _rows(self) -> "dict[str, Row]":
        """Return the row of each line."""
        return self._known.values()  # type: ignore[return-value] # `_is_row` has looked at each of them

    def rows(self) -> "dict[str, Row]":
        """Return the row of each file, by its path, except those completed long ago."""
        known = self._rows()
        return {path: row for path, line in self._lines.items() if (row := known.get(line))}

    def completed(self, before: float) -> list[str]:
        """Return the paths of completed files that were last modified before a time."""
        over = self._known.marks.union(line for line, (_, kind) in self._rows().items() if kind == OVER)
        return [path for path, line in self._lines.items() if line in over and modified(line) < before]

    def save(self, now: float) -> None:
        """Store the index for the next process."""
        if not self._known.changed:
            return
        known = self._rows()
        rows = {line: row for line in self._lines.values() if (row := known.get(line))}
        over = {line for line, (at, kind) in rows.items() if kind == OVER and at < now - LATELY}
        self._known.marks = self._known.marks.intersection(self._lines.values()) | over
        self._known.keep(rows.keys() - over)
        self._known.save()


def modified(line: str) -> float:
    """Return when the file of a line (`discovery.line`) was last modified, in seconds since 1970."""
    return int(line.split(" ", 2)[1]) / 1e9


def select(rows: "dict[str, Row]", now: float, stale_hours: int) -> Selection:
    """Return the files to show: all that belong to the whole project, and the last written ones of each group."""
    found = Selection()
    groups: dict[str, list[tuple[float, str]]] = {}
    for path, (at, kind) in rows.items():
        groups.setdefault(_group(at, kind, now, stale_hours), []).append((at, path))
    found.paths = [path for _, path in groups.pop(ALWAYS, [])]
    groups.pop(OVER, None)
    for group, members in groups.items():
        found.paths += [path for _, path in sorted(members, reverse=True)[:SHOWN]]
        found.more[group] = max(0, len(members) - SHOWN)
    return found


def _group(at: float, kind: str, now: float, stale_hours: int) -> str:
    """Return the group in which a file is shown or counted."""
    if kind == OVER:
        return "lately" if at >= now - LATELY else OVER
    if kind == OPEN and now - at > stale_hours * 3600:
        return "stale"
    return "unfinished" if kind in (OPEN, PAUSED) else kind


def _row(summary: "Summary", line: str) -> "Row":
    """Return the row of a state file."""
    changed = max(number_of(summary, "updated"), number_of(summary, "created"))
    return changed or modified(line), _kind(summary)


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


def _is_row(value: object) -> bool:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    return type(value[0]) in (float, int) and type(value[1]) is str
