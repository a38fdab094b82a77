"""Results of reading files, kept from one process to the next. A shortcut only: the files decide."""

import os

from holdfast.core import files
from holdfast.core.rows import Rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")  # what a reader returns: an object that JSON knows

_VERSION = 11  # increase it when a reader returns something else for the same file
SMALL_LIMIT = 300  # entries of the small cache; a larger one loads too slowly for a hook


class Cache:
    """JSON objects by path and kind; each is valid while the file's size, times and inode stay the same.

    A small cache (the default) that has grown beyond `SMALL_LIMIT` entries keeps only those that this process used.
    A `large` one, a file of its own, keeps an entry for every state file of a big project; it takes time to load.
    Without a store nothing is kept.
    """

    def __init__(self, store: str, *, large: bool = False) -> None:
        self.store = store
        self._rows = Rows(store and store + ("/whole.json" if large else "/cache.json"), _VERSION, is_row=_is_object)
        self._used: set[str] = set()
        self._versions: dict[tuple[str, str], list[int]] = {}  # path and kind: the signature at the last read
        self._large = large

    def read(self, path: str, parse: "Callable[[str], T]", variant: str = "", kind: str = "") -> "T":
        """Return `parse(path)`, from the cache when the file is unchanged; OSError when the file is gone.

        `variant` stands for everything besides the file that the result depends on; another variant replaces the
        entry. `kind` separates several results for one file. What is read of a file that changes meanwhile is not kept.
        """
        version = files.signature(os.stat(path))
        self._versions[path, kind] = version
        known = self._find(f"{path}\0{kind}", [*version, variant])
        if known is not None:
            return known  # type: ignore[return-value] # what the same reader returned before
        value = parse(path)
        if files.signature_of(path) == version:
            self._set(f"{path}\0{kind}", [*version, variant], value)
        else:
            self._versions[path, kind] = []
        return value

    def version(self, path: str, kind: str = "") -> list[int]:
        """Return the signature of a file at the last read of that kind, [] for none, and if it changed meanwhile."""
        return self._versions.get((path, kind), [])

    def is_one_version(self, path: str, *kinds: str) -> bool:
        """Whether the last reads of a file, one for each kind, had the same version of it; true for fewer than two."""
        read = [self._versions[path, kind] for kind in kinds if (path, kind) in self._versions]
        return len(read) < 2 or (bool(read[0]) and read.count(read[0]) == len(read))

    def get(self, path: str, variant: str, kind: str) -> "dict[str, object]":
        """Return the entry of a file, {} when there is none; OSError when the file is gone."""
        return self._find(f"{path}\0{kind}", [*files.signature(os.stat(path)), variant]) or {}

    def put(self, path: str, value: "dict[str, object]", variant: str, kind: str) -> None:
        """Set the entry of a file as it is now; OSError when the file is gone."""
        self._set(f"{path}\0{kind}", [*files.signature(os.stat(path)), variant], value)

    def _find(self, key: str, signature: list[object]) -> "dict[str, object] | None":
        self._used.add(key)
        value = self._rows.find(key, signature)
        return value if isinstance(value, dict) else None

    def _set(self, key: str, signature: list[object], value: object) -> None:
        self._rows.put(key, signature, value)

    def save(self) -> None:
        """Write the entries of existing files for the next process; an unwritable folder is not an error."""
        if not self._rows.changed:
            return
        crowded = not self._large and len(self._rows.keys) > SMALL_LIMIT
        kept = self._used.intersection(self._rows.keys) if crowded else self._rows.keys
        self._rows.keep([key for key in kept if os.path.exists(key.partition("\0")[0])])
        self._rows.save()


def _is_object(value: object) -> bool:
    return isinstance(value, dict)
