"""The known formats of state files: those that come with holdfast, and a project's own.

A project describes its own in `.agents/holdfast.toml` as `[formats.NAME]`; `data/README.md` explains the keys.
"""

import os

from holdfast.core import fast_json, files
from holdfast.core.cache import Cache, short_hash
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import table_of, text_of, texts_of
from holdfast.project import paths, settings

FOLDER = os.path.dirname(os.path.abspath(__file__)) + "/data"
_WHOLE = "whole"  # kind of the entry with the complete formats
_VERSION = 1  # increase it when `schema.read_shipped` returns something else for the same files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holdfast.formats.format import Format, Table
    from holdfast.project.settings import Trusted


class Formats:
    """The formats in use, a project's own first; `tables` returns them, once they are needed.

    `fingerprint` is a text that changes whenever one of the formats changes. `patterns` are the path patterns of all,
    without duplicates. `complaint` says why the project's own formats are not used, "" when nothing is wrong with them.
    """

    def __init__(
        self, tables: "Callable[[], Table]", patterns: "Iterable[str]", fingerprint: str, complaint: str = ""
    ) -> None:
        self._tables = tables
        self.patterns = tuple(dict.fromkeys(patterns))
        self.fingerprint = fingerprint
        self.complaint = complaint
        self.parsed: dict[tuple[str, bytes], object] = {}  # by path and bytes, for `state_file.parse`
        self._made: dict[str, Format] = {}

    def __iter__(self) -> "Iterator[Format]":
        """Yield each format, in the order in which they are tried."""
        return filter(None, map(self.get, self._tables()))

    def get(self, name: str) -> "Format | None":
        """Return the format of this name, None when there is none; it is made when it is first asked for."""
        table = None if name in self._made else self._tables().get(name)
        if isinstance(table, dict):
            from holdfast.formats.format import Format  # callers that need only `patterns` do not pay for this import

            self._made[name] = Format(name, table)
        return self._made.get(name)

    def named(self, name: str) -> "Format":
        """Return the format of this name; HoldfastError when there is none, or when it has no template."""
        found = self.get(name)
        if found is None or not found.template.get("text"):
            able = ", ".join(file_format.name for file_format in self if file_format.template.get("text"))
            raise HoldfastError(f"there is no template for a format {name!r}. Give --format one of: {able}")
        return found


def known(root: str, cache: Cache, trusted: "Trusted | None" = None) -> Formats:
    """Return the formats of the project at `root`: its own, then those that come with holdfast.

    When one of its own cannot be used, or `trusted` says that the settings file is not trusted, none of them is used,
    and `complaint` says why.
    """
    shipped = _Shipped(cache)
    patterns, fingerprint = texts_of(shipped.outline, "patterns"), text_of(shipped.outline, "fingerprint")
    path = f"{root}/{paths.SETTINGS}"
    try:
        chosen = settings.own(root, cache, trusted)
        own = _own(chosen, path, shipped)
    except HoldfastError as error:
        return Formats(shipped.formats, patterns, fingerprint, str(error))
    if own:
        fingerprint = short_hash((fingerprint + fast_json.dumps(own)).encode())
    return Formats(lambda: {**own, **shipped.formats()}, [*_places(own), *patterns], fingerprint)


class _Shipped:
    """The formats that come with holdfast, through two caches, each valid until the data folder changes.

    A new version, git and most editors replace a file, and with it the folder's time; who writes into one touches it.

    Most processes need their outline only: `names`, `patterns` and `fingerprint`. The whole has a file of its own, so
    that those do not load it.
    """

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._whole: Table = {}
        self.outline: Table = cache.read(FOLDER, self._outline, str(_VERSION), "outline")

    def formats(self) -> "Table":
        """Return the complete formats by their names."""
        return table_of(self.whole(), "formats")

    def whole(self) -> "Table":
        """Return what `schema.read_shipped` returns."""
        if not self._whole:
            signature: list[object] = [_VERSION, *files.signature(os.stat(FOLDER))]
            known = self._cache.find(FOLDER, _WHOLE, signature)
            self._whole = _read() if known is None else known
            if known is None:
                self._cache.set(FOLDER, _WHOLE, signature, self._whole)
                self._cache.save()
        return self._whole

    def _outline(self, _folder: str) -> "Table":
        formats = self.formats()
        fingerprint = text_of(self.whole(), "fingerprint")
        return {"names": [*formats], "patterns": _places(formats), "fingerprint": fingerprint}


def _read() -> "Table":
    from holdfast.formats import schema  # tomllib takes too long to import for a start that has a cache

    return schema.read_shipped(FOLDER)


def _places(tables: "Table") -> list[str]:
    """Return the path patterns of formats."""
    return [place for name in tables for place in texts_of(table_of(tables, name), "places")]


def _own(chosen: "Table", path: str, shipped: _Shipped) -> "Table":
    """Return the complete formats in a settings file at `path`; HoldfastError says what is wrong with one of them."""
    tables = chosen.get("formats", {})
    if not isinstance(tables, dict):
        raise HoldfastError(f"{path}: `formats` is not a table. Write each format as [formats.NAME].")
    return _checked(tables, path, table_of(shipped.whole(), "shared"), shipped.formats()) if tables else {}


def _checked(tables: "Table", path: str, shared: "Table", shipped: "Table") -> "Table":
    """Return formats with all that they inherit; HoldfastError names the first one that cannot be used."""
    from holdfast.formats import schema
    from holdfast.formats.schema import Inheritance

    for name in tables:
        if name in shipped:
            raise HoldfastError(
                f"{path}: [formats.{name}] has the name of a format that comes with holdfast. Give it another name; "
                f"with extends = {name!r} it inherits from that format, and it is tried first."
            )
    inheritance = Inheritance(tables, {**shared, **shipped}, lambda name: f"{path}: [formats.{name}]")
    own = {name: inheritance.complete(name) for name in tables}
    for name, table in own.items():
        schema.check(name, table, path)
    return own
