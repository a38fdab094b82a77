"""The folders of state files, as the index has seen them: if none has changed, no file came, went or was replaced.

A file that was written in place changes no folder; the background, which looks at each file, notices that.
"""

import os
import time

from holdfast.core import fast_json
from holdfast.core.cache import short_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.database import Database
    from holdfast.project.discovery import FoundFiles

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


def now() -> int:
    """Return the time of the system, in nanoseconds, which the times of folders are compared with."""
    return time.time_ns()
