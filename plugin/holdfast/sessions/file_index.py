"""The index of state files: which of them matter to a session that begins or goes on, without reading them again.

What a file comes to is kept by its line (`discovery.line`), which changes with the file: its path, size, times and
inode. Of most files of a long-lived project, which were completed long ago, only the line is kept.
"""

import os

from holdfast.core.rows import Rows, short_hash
from holdfast.journal.session import number_of, text_of
from holdfast.project import discovery
from holdfast.sessions import paused_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.sessions.summaries import Summary

    Row = tuple[float, str]  # when it was written, by its own word, else by the file system's; and what it comes to

# What a file may come to; always: a register, or what else is the project's own, whatever it says.
OVER, OPEN, PAUSED, HANDED, UNKNOWN, ALWAYS = "over", "open", "paused", "handed", "unknown", "always"
LATELY = 3600.0  # seconds for which what is over may still be told of
SHOWN = 12  # of a group: two of these fill a brief
_VERSION = 2  # increase it when the same file comes to something else than before
_FOLDER = "/files/"


class Matters:
    """The paths of the files that matter; `more` has how many beyond these are stale, unfinished, and so on."""

    __slots__ = ("more", "paths")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.more: dict[str, int] = {}


class FileIndex:
    """What the state files of one working tree come to. `variant` stands for what that depends on beside the files.

    The key of a row is the file's line. A file that was completed long ago has a mark instead of a row.
    """

    def __init__(self, store: str, root: str, variant: str) -> None:
        name = short_hash(os.fsencode(root))
        self._known = Rows(store and f"{store}{_FOLDER}{name}", _VERSION, variant, _is_row)
        self._lines: dict[str, str] = {}

    def learn(self, lines: "dict[str, str]", read: "Callable[[str], Summary]", most: int) -> int:
        """Read at most `most` of the files that are new or have changed, the latest first; return how many are left.

        `lines` has the line of each file by its path; other files are forgotten. ImportError when nothing can be read
        yet.
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

    def _row(self, line: str) -> "Row | None":
        return self._known.find(line, None)  # type: ignore[return-value] # `_is_row` has looked at it

    def rows(self) -> "dict[str, Row]":
        """Return by its path what each of the files comes to that were not completed long ago."""
        return {path: row for path, line in self._lines.items() if (row := self._row(line))}

    def completed(self, before: float) -> list[str]:
        """Return the paths of completed files that were last modified before a time."""
        over = {line for line in self._known.keys if (row := self._row(line)) and row[1] == OVER} | self._known.marks
        return [path for path, line in self._lines.items() if line in over and modified(line) < before]

    def save(self, now: float) -> None:
        """Keep what is known for the next process."""
        if not self._known.changed:
            return
        rows = {line: row for line in self._lines.values() if (row := self._row(line))}
        over = {line for line, (at, kind) in rows.items() if kind == OVER and at < now - LATELY}
        self._known.marks = self._known.marks.intersection(self._lines.values()) | over
        self._known.keep(rows.keys() - over)
        self._known.save()


def modified(line: str) -> float:
    """Return when the file of a line (`discovery.line`) was last modified, in seconds since 1970."""
    return int(line.split(" ", 2)[1]) / 1e9


def matters(rows: "dict[str, Row]", now: float, stale_hours: int) -> Matters:
    """Return which of these files matter: all of the project's own, and the last written of each group of others."""
    found = Matters()
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
    """Return the group of those that a file is told with."""
    if kind == OVER:
        return "lately" if at >= now - LATELY else OVER
    if kind == OPEN and now - at > stale_hours * 3600:
        return "stale"
    return "unfinished" if kind in (OPEN, PAUSED) else kind


def _row(summary: "Summary", line: str) -> "Row":
    """Return what is kept of what a state file says."""
    changed = max(number_of(summary, "updated"), number_of(summary, "created"))
    return changed or modified(line), _kind(summary)


def _kind(summary: "Summary") -> str:
    """Return what a state file comes to; what cannot be read matters to nobody."""
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
    return type(value) in (list, tuple) and [*map(type, value)] in ([float, str], [int, str])  # type: ignore[call-overload]
