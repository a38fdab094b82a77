"""Sessions of the past at a glance: what is left to tell of those that are over, without reading their journals again.

What a session came to is kept beside the lines of its journal and of its state file (`discovery.line`); it counts only
as long as both are what they were. Sessions that are at work, or that something is to be done about, are always read.
"""

import os
import zlib

from holdfast import cache, codec, discovery, files, glance
from holdfast.glance import LATELY
from holdfast.hub import standing
from holdfast.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    # The line of its journal, its state file, the line of that or "" where it is gone, when it was heard last, what
    # there is to tell of it, the ids of its children, and the state files that were made for it and given up.
    Row = tuple[str, str, str, float, str, list[str], list[str]]

ENDED = "ended"  # and nothing is open; else what glance has for a state file
_SHAPE = 1  # raise it when the same session comes to something else than before
_FOLDER = "/past/"
_TYPES = [str, str, str, float, str, list, list]


class Past:
    """What is known of the sessions of one working tree that need no look, under a variant of what else decides that.

    `beyond` are the ids of those that are passed over in this look, `more` how many of these are stale, unfinished, and
    so on; `held` and `given_up` are state files of theirs, which are nobody else's.
    """

    def __init__(self, store: str, root: str, variant: str) -> None:
        beside = zlib.crc32(os.fsencode(f"{root}\0{variant}"))
        self._path = store and f"{store}{_FOLDER}{beside:08x}"
        self._rows = _load(self._path) if store else {}
        self._changed = False
        self.beyond: set[str] = set()
        self.children: set[str] = set()
        self.held: set[str] = set()
        self.given_up: set[str] = set()
        self.more: dict[str, int] = {}

    def pass_over(self, journals: "dict[str, str]", lines: "dict[str, str]", now: float, stale_hours: int) -> None:
        """Find those that matter to nobody now, given the lines of all journals and of the state files in their places.

        Of each group the last heard do matter, as those state files do that `glance` tells of.
        """
        rows = {ident: row for ident, row in self._rows.items() if journals.get(ident) == row[0]}
        rows = {ident: row for ident, row in rows.items() if row[2] == line_of(row[1], lines)}
        self._changed, self._rows = len(rows) < len(self._rows), rows
        found = glance.matters({ident: (row[3], row[4]) for ident, row in rows.items()}, now, stale_hours)
        self.more = found.more
        self.beyond = {*rows}.difference(found.paths)
        for ident in self.beyond:
            _, state, _, _, _, children, given_up = rows[ident]
            self.children.update(children)
            self.given_up.update(given_up)
            self.held.update([state] if state else [])

    def learn(self, session: Session, lines: "tuple[str, str, str]", now: float, *, kept: bool) -> None:
        """Keep what a session comes to, if nothing is left to do about it; `kept` is whether the project keeps a hub.

        The lines are those that its journal and its state file, named between them, had before they were read.
        """
        if session.id in self._rows or not _over(session, now, kept=kept):
            return
        row: Row = (*lines, session.heard, _told(session), [*session.children], sorted(session.given_up))
        self._changed, self._rows[session.id] = True, row

    def save(self) -> None:
        """Keep what is known for the next process; where that fails nothing is kept."""
        if not self._changed or not self._path:
            return
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            files.write_atomic(self._path, codec.dumps({"shape": _SHAPE, "rows": self._rows}).encode())
        except OSError:
            return


def _over(session: Session, now: float, *, kept: bool) -> bool:
    """Whether a session is gone, for a while, and nothing of it is still to be written down, shown, or closed."""
    gone = not session.live and bool(session.ended or session.stale) and now - session.heard > LATELY
    orphans = session.standing != "completed" and any(one.status != "completed" for one in session.children.values())
    left = session.unsettled or session.unshown or orphans or (kept and standing.due(session))
    return session.journaled and gone and not left


def _told(session: Session) -> str:
    """Return what there is to tell of a session that is over."""
    if session.passed_on or not (session.open and session.worked):
        return ENDED
    return glance.OPEN if session.active else glance.PAUSED


def _load(path: str) -> "dict[str, Row]":
    """Return the rows kept at `path`, none where they are missing, broken, or of another shape."""
    found = cache.kept(path)
    rows = found.get("rows") if found.get("shape") == _SHAPE else None
    if not isinstance(rows, dict):
        return {}
    return rows if all(type(row) is list and [*map(type, row)] == _TYPES for row in rows.values()) else {}


def line_of(path: str, lines: "dict[str, str]") -> str:
    """Return the line of a state file, be it one that lies elsewhere; "" for none."""
    if not path or path in lines:
        return lines.get(path, "")
    try:
        return discovery.line(path, os.lstat(path))
    except OSError:
        return ""
