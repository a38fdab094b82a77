"""What was read from files that have not changed since; only ever a shortcut, the files decide."""

import os

from holdfast import codec, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SHAPE = 5  # raise it when what readers return changes
MOST = 300  # readings kept for those in a hurry; beyond that only what was asked for last


class Cache:
    """Readings by path, one of each, good for as long as the file's size, times and inode stay as they were.

    `whole` is one of every state file where there are more than `MOST`, which takes its time to load.
    """

    def __init__(self, store: str, *, whole: bool = False) -> None:
        self._path = store and store + ("/whole.json" if whole else "/cache.json")
        self._entries = _load(self._path) if store else {}
        self._asked: set[str] = set()
        self._most = 0 if whole else MOST
        self._changed = False

    def of(
        self, path: str, read: "Callable[[str], dict[str, object]]", variant: str = "", kind: str = ""
    ) -> "dict[str, object]":
        """Return `read(path)`, by memory where the file is unchanged; OSError when it is not there.

        `variant` stands for what else decides what is read: under another one the file is read anew. There may be
        several kinds of readings of one file.
        """
        signature = [*files.signature(os.stat(path)), variant]
        known = self._known(f"{path}\0{kind}", signature)
        if known is None:
            known = read(path)
            self._keep(f"{path}\0{kind}", signature, known)
        return known

    def get(self, path: str, variant: str, kind: str) -> "dict[str, object]":
        """Return what is remembered of a file, {} for nothing; OSError when it is not there."""
        return self._known(f"{path}\0{kind}", [*files.signature(os.stat(path)), variant]) or {}

    def put(self, path: str, value: "dict[str, object]", variant: str, kind: str) -> None:
        """Remember something of a file; OSError when it is not there."""
        self._keep(f"{path}\0{kind}", [*files.signature(os.stat(path)), variant], value)

    def _known(self, key: str, signature: list[object]) -> "dict[str, object] | None":
        self._asked.add(key)
        known = self._entries.get(key)
        if isinstance(known, list) and len(known) == 2 and known[0] == signature and isinstance(known[1], dict):
            return known[1]
        return None

    def _keep(self, key: str, signature: list[object], value: "dict[str, object]") -> None:
        self._entries[key] = [signature, value]
        self._changed = True

    def save(self) -> None:
        """Keep what was read for the next process; a folder that cannot be written keeps nothing."""
        if not self._changed or not self._path:
            return
        crowded = 0 < self._most < len(self._entries)
        kept = self._entries.keys() & self._asked if crowded else self._entries
        entries = {name: self._entries[name] for name in kept if os.path.exists(name.partition("\0")[0])}
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            files.write_atomic(self._path, codec.dumps({"shape": _SHAPE, "entries": entries}).encode())
        except (OSError, TypeError):  # TypeError: a settings file may hold dates, which JSON has no form for
            return


def _load(path: str) -> "dict[str, object]":
    """Return the entries kept at `path`, none when they are missing, broken or of another shape."""
    found = kept(path)
    entries = found.get("entries") if found.get("shape") == _SHAPE else None
    return entries if isinstance(entries, dict) else {}


def kept(path: str) -> "dict[str, object]":
    """Return the object that holdfast keeps at `path` for itself, an empty one when it is missing or broken."""
    try:
        found = codec.loads(files.read(path, files.OWN))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
