"""The known shapes of state files, as data: `dialects.toml` has those that come along and says how it is read.

A project adds its own in `.agents/holdfast.toml` as `[dialects.NAME]`, in the same words.
"""

import os
import zlib

from holdfast import codec, files, names, paths
from holdfast.cache import Cache
from holdfast.errors import HoldfastError

SHIPPED = os.path.dirname(os.path.abspath(__file__)) + "/dialects.toml"
TYPES = {"code": "build", "chat": "discussion", "strategy": "planning"}  # N5's other words for a type of work
# What people call the words of the model, in any dialect.
WORDS = {
    "title": "title",
    "status": "status",
    "focus": "focus",
    "current focus": "focus",
    "current task": "focus",
    "objective": "objective",
    "goal": "objective",
    "goals": "objective",
    "overall": "progress",
    "phase": "phase",
    "current phase": "phase",
    "current state": "current",
    "stopped at": "current",
    "next": "next",
    "next steps": "next",
    "next actions": "next",
    "next action": "next",
    "open questions": "questions",
    "questions": "questions",
    "decisions": "decisions",
    "decisions made": "decisions",
    "key decisions": "decisions",
    "blockers": "blockers",
    "blocked": "blockers",
    "artifacts": "artifacts",
    "files modified": "artifacts",
    "key files": "artifacts",
}
STANDINGS = ("active", "waiting", "paused", "completed")
_KEYS = {
    "dialect": (
        *("about", "places", "recognised", "writes", "shared", "derived", "measured", "stamp", "status", "samples"),
        *("template", "entries"),
    ),
    "entries": ("sections", "id"),
    "both": ("model", "part"),
    "part": ("title", "names", "level", "under", "holds", "need", "types", "fields", "entry", "newest"),
    "field": ("name", "names", "need"),
}
_HOLDS = ("", "text", "list", "checks", "fields", "table", "log", "front")
_NEEDS = ("required", "recommended", "optional")
_MARKS = ("front", "section", "label", "title", "name", "absent")
_PLACES = ("front", "section", "label", "title")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Table = dict[str, object]


class Field:
    """A field of a section: its name, its other names, and whether it is needed."""

    __slots__ = ("name", "names", "need")

    def __init__(self, name: str, others: list[str], need: str) -> None:
        self.name = name
        self.names = frozenset(map(names.plain, [name, *others]))
        self.need = need


class Part:
    """A section of a dialect, with what it holds; a `title` of "" stands for the lines that no section holds."""

    __slots__ = ("entry", "fields", "holds", "level", "names", "need", "newest", "title", "types", "under")

    def __init__(self, table: "Table") -> None:
        self.title = _text(table, "title")
        self.names = frozenset(map(names.plain, [self.title, *_texts(table, "names")]))
        level = table.get("level", 2)
        self.level = level if isinstance(level, int) else 2
        self.under = _text(table, "under")
        self.holds = _text(table, "holds")
        self.need = _text(table, "need") or "optional"
        self.types = _texts(table, "types")
        self.fields = [
            Field(_text(field, "name"), _texts(field, "names"), _text(field, "need") or "optional")
            for field in _tables(table, "fields")
        ]
        self.entry = _text(table, "entry")
        self.newest = _text(table, "newest") or "last"

    def wanted(self, kind: str) -> bool:
        """Whether work of this type has the section."""
        return not self.types or kind in self.types

    def field(self, name: str) -> "Field | None":
        """Return its field of this name, None when it has none."""
        wanted = names.plain(name)
        return next((field for field in self.fields if wanted in field.names), None)


class Dialect:
    """One known shape of state file; the attributes are the words of `dialects.toml`."""

    def __init__(self, name: str, table: "Table") -> None:
        self.name = name
        self.about = _text(table, "about") or name
        self.places = _texts(table, "places")
        self.recognised = _lists(table, "recognised")
        self.writes = table.get("writes", True) is True
        self.shared = table.get("shared") is True
        self.derived = table.get("derived") is True
        self.measured = table.get("measured") is True
        self.stamp = _texts(table, "stamp")
        self.status = {standing: _texts(_table(table, "status"), standing) for standing in STANDINGS}
        self.samples = frozenset(map(names.plain, _texts(table, "samples")))
        self.model = {word: _texts(_table(table, "model"), word) for word in _table(table, "model")}
        self.parts = [Part(part) for part in _tables(table, "part")]
        self.template = {kind: _text(_table(table, "template"), kind) for kind in _table(table, "template")}
        entries = _table(table, "entries")
        self.sections = _texts(entries, "sections")
        self.ident = _text(entries or table, "id")
        self.entry = Dialect(name, {**entries, "status": table.get("status", {})}) if entries else None

    def part(self, title: str) -> "Part | None":
        """Return its section of this title, whichever of its names is used; None when it has none."""
        wanted = names.plain(title)
        return next((part for part in self.parts if part.title and wanted in part.names), None)

    def titles(self, title: str) -> frozenset[str]:
        """Return all names of a section, plain; those of the dialect when it has that section."""
        part = self.part(title)
        return part.names if part else frozenset({names.plain(title)})

    def standing(self, status: str) -> str:
        """Return which of active, waiting, paused and completed a status in a person's words comes to, "" for none."""
        return names.standing(status, self.status)


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
        return tuple(dict.fromkeys(place for table in self._tables.values() for place in _texts(table, "places")))


def known(root: str, memory: Cache) -> Dialects:
    """Return the dialects of the project at `root`: its own, then those that come along.

    A project's own that cannot be used are left out, all of them, and `complaint` says what is wrong with which.
    """
    shipped = memory.of(SHIPPED, _read)
    path = f"{root}/{paths.SETTINGS}"
    try:
        own = memory.of(path, _read).get("dialects", {}) if root and os.path.isfile(path) else {}
        return Dialects({**_checked(own, path), **shipped} if own else shipped)
    except (OSError, ValueError):  # ValueError: settings says what is wrong with the file as a whole
        return Dialects(shipped)
    except HoldfastError as error:
        return Dialects(shipped, str(error))


def _read(path: str) -> "Table":
    """Return the table in a file."""
    import tomllib

    return tomllib.loads(os.fsdecode(files.read(path)))


def _checked(tables: object, where: str) -> "Table":
    """Return a project's own dialects when each of them can be used, else HoldfastError."""
    if not isinstance(tables, dict):
        raise HoldfastError(f"{where}: `dialects` is no table. Write each one as [dialects.NAME].")
    for name, table in tables.items():
        _check(table, f"{where}: [dialects.{name}]")
    return tables


def _check(table: object, where: str) -> None:
    """Check that a dialect can be used; HoldfastError names the key that cannot."""
    if not isinstance(table, dict):
        raise HoldfastError(f"{where} is no table.")
    _known_keys(table, {*_KEYS["dialect"], *_KEYS["both"]}, where)
    if not _texts(table, "places") or not _lists(table, "recognised"):
        raise HoldfastError(f"{where} needs `places` and `recognised`, as lists. See the README, Dialects.")
    for place in _texts(table, "places"):
        if place.startswith(("/", "~")) or ".." in place.split("/") or "**" in place or not place.endswith(".md"):
            raise HoldfastError(f"{where}: place {place!r} must be a path in the project, to .md, without ** and ..")
    entries = _table(table, "entries")
    _known_keys(entries, {*_KEYS["entries"], *_KEYS["both"]}, f"{where} entries")
    for scope in (table, entries):
        _check_words(scope, where)
    for standing in _table(table, "status"):
        _one_of(standing, STANDINGS, f"{where}: status")
    marks = [mark for group in _lists(table, "recognised") for mark in group]
    for mark in marks:
        _one_of(mark.partition(":")[0], _MARKS, f"{where}: recognised {mark!r}")


def _check_words(table: "Table", where: str) -> None:
    """Check the model and the sections of a dialect or of its entries."""
    for word, locators in _table(table, "model").items():
        for locator in locators if isinstance(locators, list) else [locators]:
            _one_of(str(locator).partition(":")[0], _PLACES, f"{where}: model {word} = {locator!r}")
    for part in _tables(table, "part"):
        _known_keys(part, {*_KEYS["part"]}, f"{where} part {_text(part, 'title')!r}")
        _one_of(_text(part, "holds"), _HOLDS, f"{where} part {_text(part, 'title')!r}: holds")
        _one_of(_text(part, "need") or "optional", _NEEDS, f"{where} part {_text(part, 'title')!r}: need")
        for field in _tables(part, "fields"):
            _known_keys(field, {*_KEYS["field"]}, f"{where} field {_text(field, 'name')!r}")


def _known_keys(table: "Table", known: set[str], where: str) -> None:
    """Refuse keys that mean nothing."""
    unknown = sorted(set(table) - known)
    if unknown:
        raise HoldfastError(f"{where}: unknown key {unknown[0]!r}. Known: {', '.join(sorted(known))}.")


def _one_of(word: str, known: tuple[str, ...], where: str) -> None:
    """Refuse a word that is none of the known ones."""
    if word not in known:
        raise HoldfastError(f"{where}: {word!r} is none of {', '.join(filter(None, known))}.")


def _text(table: object, key: str) -> str:
    """Return the text under a key, "" for anything else."""
    value = table.get(key) if isinstance(table, dict) else None
    return value if isinstance(value, str) else ""


def _texts(table: object, key: str) -> list[str]:
    """Return the texts in the list under a key, none for anything else."""
    value = table.get(key) if isinstance(table, dict) else None
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _lists(table: object, key: str) -> list[list[str]]:
    """Return the lists of texts in the list under a key."""
    value = table.get(key) if isinstance(table, dict) else None
    return [_texts({"": group}, "") for group in value] if isinstance(value, list) else []


def _table(table: object, key: str) -> "Table":
    """Return the table under a key, an empty one for anything else."""
    value = table.get(key) if isinstance(table, dict) else None
    return value if isinstance(value, dict) else {}


def _tables(table: object, key: str) -> "list[Table]":
    """Return the tables in the list under a key."""
    value = table.get(key) if isinstance(table, dict) else None
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
