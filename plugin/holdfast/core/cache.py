"""Results of reading files, kept from one process to the next in the index. A shortcut only: the files decide."""

import os

from holdfast.core import fast_json, files
from holdfast.core.database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    T = TypeVar("T")  # what a reader returns: an object that JSON knows

_FIND = "select signature, value from kept where path = ? and kind = ?"
_FIND_ALL = "select path, kind, signature, value from kept where path in ({})"
_PUT = "insert or replace into kept values (?, ?, ?, ?)"
_MOST = 500  # entries that wait for `save`
_PRIME = (1 << 61) - 1


def short_hash(data: bytes) -> str:
    """Return a short text that differs for other bytes, almost always. zlib is slower because it must be loaded."""
    return f"{int.from_bytes(data, 'big') % _PRIME:x}"


class Cache:
    """JSON objects by path and kind; each is valid while the file's size, times and inode stay the same.

    `database` is the index that they are in, for other tables. Without a store nothing is kept for other processes.
    """

    def __init__(self, store: str) -> None:
        self.store = store
        self.database = Database(store)
        self._read: dict[tuple[str, str], tuple[str, object]] = {}  # path and kind: signature and value
        self._ahead: dict[bytes, dict[str, tuple[object, object]]] = {}  # by path and kind: what `fetch` returned
        self._changed: set[tuple[str, str]] = set()
        self._versions: dict[tuple[str, str], list[int]] = {}  # path and kind: the signature at the last read

    def read(self, path: str, parse: "Callable[[str], T]", variant: str = "", kind: str = "") -> "T":
        """Return `parse(path)`, from the cache when the file is unchanged; OSError when the file is gone.

        `variant` stands for everything besides the file that the result depends on; another variant replaces the
        entry. `kind` separates several results for one file. What is read of a file that changes meanwhile is not kept.
        """
        version = files.signature(os.stat(path))
        self._versions[path, kind] = version
        known = self.find(path, kind, [*version, variant])
        if known is not None:
            return known  # type: ignore[return-value] # what the same reader returned before
        value = parse(path)
        if files.signature_of(path) == version:
            self.set(path, kind, [*version, variant], value)
        else:
            self._versions[path, kind] = []
        return value

    def version(self, path: str, kind: str = "") -> list[int]:
        """Return the signature of a file at the last read of that kind, [] for none, and if it changed meanwhile."""
        return self._versions.get((path, kind), [])

    def get(self, path: str, variant: str, kind: str) -> "dict[str, object]":
        """Return the entry of a file, {} when there is none; OSError when the file is gone."""
        return self.find(path, kind, [*files.signature(os.stat(path)), variant]) or {}

    def put(self, path: str, value: "dict[str, object]", variant: str, kind: str) -> None:
        """Set the entry of a file as it is now; OSError when the file is gone."""
        self.set(path, kind, [*files.signature(os.stat(path)), variant], value)

    def find(self, path: str, kind: str, signature: "Sequence[object]") -> "dict[str, object] | None":
        """Return the entry of a path and a kind, None when there is none with this signature."""
        key, text = (path, kind), fast_json.dumps(signature)
        if key not in self._read:
            self._read[key] = self._stored(key)
        known, value = self._read[key]
        return value if known == text and isinstance(value, dict) else None

    def latest(self, path: str, kind: str) -> "tuple[object, object]":
        """Return the signature and the value of an entry whatever its file is now; None, None for none."""
        signature, value = self._stored((path, kind))
        try:
            return fast_json.loads(signature.encode()), value
        except ValueError:
            return None, None

    def set(self, path: str, kind: str, signature: "Sequence[object]", value: object) -> None:
        """Set the entry of a path and a kind, for this process and with `save` for others."""
        self._read[path, kind] = fast_json.dumps(signature), value
        self._changed.add((path, kind))
        if len(self._changed) >= _MOST:
            self.save()

    def fetch(self, paths: "Sequence[str]") -> None:
        """Fetch the entries of these paths in one query, instead of those that were fetched before."""
        names = [os.fsencode(path) for path in paths]
        self._ahead = {name: {} for name in names}
        query = _FIND_ALL.format(", ".join("?" * len(names)))
        for path, kind, signature, value in self.database.rows(query, *names) if names else ():
            self._ahead[path][kind] = signature, value

    def _stored(self, key: tuple[str, str]) -> "tuple[str, object]":
        """Return the signature and the value of an entry in the index; ("", None) for none and for a damaged one."""
        path, kind = os.fsencode(key[0]), key[1]
        fetched = self._ahead.get(path)
        rows = self.database.rows(_FIND, path, kind) if fetched is None else filter(None, [fetched.get(kind)])
        for signature, value in rows:
            if isinstance(signature, str) and isinstance(value, str):
                return signature, unsealed(value)
        return "", None

    def save(self) -> None:
        """Write the entries for the next process; a full or read-only disk is not an error."""
        rows = [
            (os.fsencode(path), kind, self._read[path, kind][0], sealed(self._read[path, kind][1]))
            for path, kind in sorted(self._changed)
        ]
        self._changed.clear()
        self.database.change([(_PUT, [row for row in rows if row[3]])] if rows else [])

    def tidy(self) -> None:
        """Remove the entries of files that are gone."""
        paths = [path for (path,) in self.database.rows("select distinct path from kept")]
        gone = [(path,) for path in paths if isinstance(path, bytes) and not os.path.exists(path)]
        self.database.change([("delete from kept where path = ?", gone)] if gone else [])


def sealed(value: object) -> str:
    """Return a value as JSON behind its hash, "" for one that JSON cannot express: settings may hold dates."""
    try:
        text = fast_json.dumps(value)
    except (TypeError, ValueError):
        return ""
    return f"{_checksum(text.encode())} {text}"


def unsealed(text: str) -> object:
    """Return what was sealed, None for a text that was damaged since."""
    mark, _, value = text.partition(" ")
    data = value.encode("utf-8", "surrogateescape")
    try:
        return fast_json.loads(data) if _checksum(data) == mark else None
    except ValueError:
        return None


def _checksum(data: bytes) -> str:
    """Return the checksum of a value: many are read at once, for which `short_hash` is too slow."""
    import zlib  # what reads no cache needs none

    return f"{zlib.crc32(data):x}"
