"""The known shapes of state files, as data: `dialects.toml` has those that come along and says how it is read.

A project adds its own in `.agents/holdfast.toml` as `[dialects.NAME]`, in the same words.
"""

import os
import zlib

from holdfast import codec, paths, settings
from holdfast.cache import Cache
from holdfast.dialects import schema
from holdfast.errors import HoldfastError

SHIPPED = os.path.dirname(os.path.abspath(__file__)) + "/dialects.toml"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.dialects.dialect import Dialect

    Table = dict[str, object]


class Dialects:
    """The dialects in force, a project's own first; `fingerprint` changes when any of them does."""

    def __init__(self, tables: "Table", complaint: str = "") -> None:
        self._tables = tables
        self.complaint = complaint
        self.fingerprint = f"{zlib.crc32(codec.dumps(tables).encode()):08x}"
        self._all: list[Dialect] = []

    def __iter__(self) -> "Iterator[Dialect]":
        """Yield each dialect, in the order in which they count."""
        if not self._all:
            from holdfast.dialects.dialect import Dialect  # what only looks for places has no use for it

            self._all = [Dialect(name, table) for name, table in self._tables.items() if isinstance(table, dict)]
        return iter(self._all)

    def get(self, name: str) -> "Dialect | None":
        """Return the dialect of this name, None when there is none."""
        return next((dialect for dialect in self if dialect.name == name), None)

    def named(self, name: str) -> "Dialect":
        """Return the dialect of this name that new files can be made in; HoldfastError names those there are."""
        found = self.get(name)
        if found is None or not found.template.get("text"):
            able = ", ".join(dialect.name for dialect in self if dialect.template.get("text"))
            raise HoldfastError(f"there is no template of a dialect {name!r}. Give --dialect one of: {able}")
        return found

    @property
    def places(self) -> tuple[str, ...]:
        """The patterns of all places where state files live, each once."""
        return tuple(dict.fromkeys(place for table in self._tables.values() for place in _places(table)))


def known(root: str, memory: Cache) -> Dialects:
    """Return the dialects of the project at `root`: its own, then those that come along.

    A project's own that cannot be used are left out, all of them, and `complaint` says what is wrong with which.
    """
    shipped = memory.of(SHIPPED, settings.table)
    path = f"{root}/{paths.SETTINGS}"
    try:
        settings.refuse_outside(root, path)
        own = memory.of(path, settings.table).get("dialects", {}) if root and os.path.isfile(path) else {}
        return Dialects({**_checked(own, path), **shipped} if own else shipped)
    except OSError:
        return Dialects(shipped)
    except HoldfastError as error:
        return Dialects(shipped, str(error))


def _checked(tables: object, where: str) -> "Table":
    """Return a project's own dialects when each of them can be used, else HoldfastError."""
    if not isinstance(tables, dict):
        raise HoldfastError(f"{where}: `dialects` is no table. Write each one as [dialects.NAME].")
    for name, table in tables.items():
        schema.check(name, table, where)
    return tables


def _places(table: object) -> list[str]:
    """Return the patterns of one dialect."""
    value = table.get("places") if isinstance(table, dict) else None
    return [place for place in value if isinstance(place, str)] if isinstance(value, list) else []
