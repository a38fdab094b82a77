"""Rows of JSON kept from one process to the next, each valid for the signature of what it was made from.

The one mechanism behind every cache of holdfast. A cache is a shortcut only: files and journals decide.
"""

import os

from holdfast.core import fast_json, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Signature = list[object] | str | None

_PRIME = (1 << 61) - 1


def short_hash(data: bytes) -> str:
    """Return a short text that almost never is the same for other bytes; zlib would have to be loaded for its own."""
    return f"{int.from_bytes(data, 'big') % _PRIME:x}"


class Rows:
    """The rows in the file at `path`, "" for none; they are dropped when `version` or `variant` is another one.

    `version` says what a row looks like; `variant` stands for what the rows depend on beside their signatures. `fits`
    tells whether a value is a row: if any in the file is not, all of them are dropped. `marks` are the signatures of
    what needs no row: they are read much faster than rows.
    """

    def __init__(
        self, path: str, version: int, variant: str = "", fits: "Callable[[object], bool] | None" = None
    ) -> None:
        self._path = path
        self._head: dict[str, object] = {"version": version, "variant": variant}
        self._rows: dict[str, list[object]] = {}  # key -> [signature, value]
        self.marks: frozenset[str] = frozenset()
        self.changed = False
        if path:
            self._load(fits)

    def _load(self, fits: "Callable[[object], bool] | None") -> None:
        """Read the file; one that is missing, broken, or of another version or variant has no rows."""
        try:
            head, _, marks = files.read(self._path, files.OWN_LIMIT).partition(b"\0")
            stored = fast_json.loads(head)
        except (OSError, ValueError):
            return
        rows = stored.pop("rows", None) if isinstance(stored, dict) else None
        if stored != self._head or not isinstance(rows, dict):
            return
        if any(type(row) is not list or len(row) != 2 or (fits and not fits(row[1])) for row in rows.values()):
            return
        self._rows, self.marks = rows, frozenset(os.fsdecode(marks).split("\0") if marks else ())

    @property
    def keys(self) -> "Collection[str]":
        """The keys of all rows."""
        return self._rows.keys()

    def signature(self, key: str) -> object:
        """Return the signature that a row was made from, None where there is no such row."""
        return self._rows[key][0] if key in self._rows else None

    def find(self, key: str, signature: "Signature") -> object:
        """Return a row, None where there is none that was made from this signature."""
        row = self._rows.get(key)
        return row[1] if row and row[0] == signature else None

    def put(self, key: str, signature: "Signature", value: object) -> None:
        """Set a row; what JSON has no form for is not kept."""
        self._rows[key] = [signature, value]
        self.changed = True

    def keep(self, keys: "Collection[str]") -> None:
        """Forget the other rows."""
        if not self._rows.keys() <= {*keys}:
            self._rows = {key: row for key, row in self._rows.items() if key in keys}
            self.changed = True

    def save(self) -> None:
        """Write the file if anything has changed; where that is not possible nothing is kept."""
        if not self.changed or not self._path:
            return
        try:
            head = fast_json.dumps({**self._head, "rows": self._rows})
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            files.write_atomic(self._path, os.fsencode("\0".join([head, *self.marks])))
        except (OSError, TypeError, ValueError):  # TypeError: a settings file may hold dates
            return
        self.changed = False
