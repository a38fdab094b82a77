"""State files at a glance: which of them can matter to a session that begins or goes on, without reading them again.

What a file came to is kept beside its line (`discovery.line`), which no other file has, and no other state of the same
one: what has another line is read anew. Of most files of a long-lived project, which are done, only the line is kept.
"""

import os
import zlib

from holdfast import codec, discovery, files
from holdfast.handover import paused
from holdfast.session import number_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Fact = dict[str, object]
    Row = tuple[float, str]  # when it was written, by its own word, else by the file system's; and what it comes to

# What a file may come to; always: a register, or what else is the project's own, whatever it says.
OVER, OPEN, PAUSED, HANDED, UNKNOWN, ALWAYS = "over", "open", "paused", "handed", "unknown", "always"
LATELY = 3600.0  # seconds for which what is over may still be told of
SHOWN = 12  # of a group: two of these fill a brief
_SHAPE = 1  # raise it when the same file comes to something else than before
_FOLDER = "/glance/"


class Matters:
    """The paths of the files that matter; `more` has how many beyond these are stale, unfinished, and so on."""

    __slots__ = ("more", "paths")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.more: dict[str, int] = {}


class Glance:
    """What the state files of one working tree came to, under a variant of what else decides that (`cache.Cache`)."""

    def __init__(self, store: str, root: str, variant: str) -> None:
        beside = f"{zlib.crc32(os.fsencode(root)):08x}"
        self._path = store and f"{store}{_FOLDER}{beside}"
        self._variant = variant
        self._rows, self._over = _load(self._path, variant) if store else ({}, frozenset[str]())
        self._lines: dict[str, str] = {}
        self._changed = False

    def learn(self, lines: "dict[str, str]", read: "Callable[[str], Fact]", most: int) -> int:
        """Read those of these files that are not known as they are, `most` of them, the latest first; return the rest.

        Each stands under its path. What is not among them is forgotten. ImportError when nothing can be read yet.
        """
        self._lines = lines
        unknown = set(lines.values()).difference(self._over, self._rows)
        latest = sorted(unknown, key=lambda line: -int(line.split(" ", 2)[1]))
        self._changed = bool(latest) or len(self._lines) < len(self._over) + len(self._rows)
        for line in latest[:most]:
            try:
                self._rows[line] = _row(read(discovery.path_in(line)), line)
            except OSError:  # gone since
                continue
        return len(latest[most:])

    def rows(self) -> "dict[str, Row]":
        """Return what each of the files that are not over for long came to, by its path."""
        return {path: row for path, line in self._lines.items() if (row := self._rows.get(line))}

    def save(self, now: float) -> None:
        """Keep what is known for the next process, unless nothing of it is new; where that fails nothing is kept."""
        if not self._changed or not self._path:
            return
        lines = {*self._lines.values()}
        rows = {line: row for line, row in self._rows.items() if line in lines}
        over = {line for line, (at, kind) in rows.items() if kind == OVER and at < now - LATELY}
        known = (self._over & lines) | over
        rows = {line: row for line, row in rows.items() if line not in over}
        head = codec.dumps({"shape": _SHAPE, "variant": self._variant, "rows": rows})
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            files.write_atomic(self._path, os.fsencode("\0".join([head, *known])))
        except OSError:
            return


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


def _row(digest: "Fact", line: str) -> "Row":
    """Return what is kept of what a state file says."""
    said = max(number_of(digest, "updated"), number_of(digest, "created"))
    return said or int(line.split(" ", 2)[1]) / 1e9, _kind(digest)


def _kind(digest: "Fact") -> str:
    """Return what a state file comes to; what cannot be read matters to nobody."""
    standing, dialect = text_of(digest, "standing"), text_of(digest, "dialect")
    if dialect == "unknown":
        return UNKNOWN
    if digest.get("shared") or digest.get("entries"):
        return ALWAYS
    if not digest or (standing == "completed" and text_of(digest, "status")):
        return OVER
    if dialect == paused.DIALECT:
        return HANDED
    return PAUSED if standing == "paused" else OPEN


def _load(path: str, variant: str) -> "tuple[dict[str, Row], set[str] | frozenset[str]]":
    """Return rows and lines kept at `path`, none where they are missing, broken, or of another shape or variant."""
    try:
        head, *over = os.fsdecode(files.read(path)).split("\0")
        kept = codec.loads(head.encode())
    except (OSError, ValueError):
        return {}, frozenset()
    ours = isinstance(kept, dict) and (kept.get("shape"), kept.get("variant")) == (_SHAPE, variant)
    rows = kept.get("rows") if isinstance(kept, dict) and ours else None
    if not isinstance(rows, dict):
        return {}, frozenset()
    found = rows.values()
    good = {*map(type, found)} <= {list} and {*map(len, found)} <= {2} and {type(at) for at, _ in found} <= {int, float}
    return (rows, frozenset(over)) if good else ({}, frozenset())
