"""Rows of JSON that are kept from one process to the next, each with the signature of its source.

Every cache of holdfast uses this module. A cache is a shortcut only: files and journals decide.
"""

import os

from holdfast.core import fast_json, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Signature = list[object] | str | None

_PRIME = (1 << 61) - 1


def short_hash(data: bytes) -> str:
    """Return a short text that differs for other bytes, almost always. zlib is slower because it must be loaded."""
    return f"{int.from_bytes(data, 'big') % _PRIME:x}"


class Rows:
    """The rows in the file at `path`, "" for none. Rows of another `version` or `variant` are dropped.

    `version` is the version of the rows' layout; `variant` is anything else that all rows depend on. `is_row` checks a
    value: if one in the file fails, all rows are dropped. `marks` are signatures of sources that need no row; they
    load much faster than rows.
    """

    def __init__(
        self, path: str, version: int, variant: str = "", is_row: "Callable[[object], bool] | None" = None
    ) -> None:
        self._path = path
        self._head: dict[str, object] = {"version": version, "variant": variant}
        self._rows: dict[str, list[object]] = {}  # key -> [signature, value]
        self.marks: frozenset[str] = frozenset()
        self.changed = False
        if path:
            self._load(is_row)

    def _load(self, is_row: "Callable[[object], bool] | None") -> None:
        """Read the file. One that is missing, damaged, or of another version or variant gives no rows."""
        try:
            head, _, marks = files.read(self._path, files.OWN_LIMIT).partition(b"\0")
            stored = fast_json.loads(head)
        except (OSError, ValueError):
            return
        rows = stored.pop("rows", None) if isinstance(stored, dict) else None
        if stored != self._head or not isinstance(rows, dict):
            return
        if any(type(row) is not list or len(row) != 2 or (is_row and not is_row(row[1])) for row in rows.values()):
            return
        self._rows, self.marks = rows, frozenset(os.fsdecode(marks).split("\0") if marks else ())

    @property
    def keys(self) -> "Collection[str]":
        """The keys of all rows."""
        return self._rows.keys()

    def values(self) -> "dict[str, object]":
        """Return the values of all rows by their keys, whatever their signatures."""
        return {key: row[1] for key, row in self._rows.items()}

    def signature(self, key: str) -> object:
        """Return the signature of a row, None when there is no such row."""
        return self._rows[key][0] if key in self._rows else None

    def find(self, key: str, signature: "Signature") -> object:
        """Return a row's value, None when there is no row with this signature."""
        row = self._rows.get(key)
        return row[1] if row and row[0] == signature else None

    def put(self, key: str, signature: "Signature", value: object) -> None:
        """Set a row. With a value that JSON cannot express, `save` writes nothing."""
        self._rows[key] = [signature, value]
        self.changed = True

    def keep(self, keys: "Collection[str]") -> None:
        """Remove all other rows."""
        if not self._rows.keys() <= {*keys}:
            self._rows = {key: row for key, row in self._rows.items() if key in keys}
            self.changed = True

    def save(self) -> None:
        """Write the file if anything has changed; errors are ignored."""
        if not self.changed or not self._path:
            return
        try:
            head = fast_json.dumps({**self._head, "rows": self._rows})
            files.write_private(self._path, os.fsencode("\0".join([head, *self.marks])), durable=False)
        except (OSError, TypeError, ValueError):  # TypeError: a settings file may hold dates
            return
        self.changed = False
