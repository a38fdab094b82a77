"""The keys and values of a format: mistakes in a project's own are reported, the shipped ones are read.

`data/README.md` explains the keys. As it imports tomllib, it is only loaded when the cache does not have the result.
"""

import os
import tomllib
import zlib

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import texts_of
from holdfast.core.statuses import STATUSES
from holdfast.project.settings import match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.formats.format import Table
    from holdfast.project.settings import Shape

    Tables = Mapping[str, object]

TYPES = ("build", "research", "discussion", "planning", "debug")
_NEEDS = ("required", "recommended", "optional")
_HOLDS = ("text", "list", "checks", "tags", "fields", "table", "log", "front", "decisions")
# What a field may have: any text; 0 to 100 %; a time; a word for a status, one of its `values` if it has any; one of
# its `values`; how much of a number of tokens is used, with the percentage; a list that another one replaces.
KINDS = ("text", "percent", "time", "status", "choice", "share", "replaced")
_TEXTS = ("title", "status", "focus", "objective", "progress", "phase", "current", "type")
_MODEL = (
    *_TEXTS,
    "next",
    "tasks",
    "done",
    "topics",
    "insights",
    "questions",
    "decisions",
    "blockers",
    "artifacts",
    "ids",
    "created",
    "updated",
)


def check(name: str, table: object, where: str) -> None:
    """Check a complete format; HoldfastError names the file, the key, and the values that it may have."""
    at = f"{where}: [formats.{name}]"
    match(table, _FORMAT, at)
    assert isinstance(table, dict)  # noqa: S101 - for mypy: _match has checked it
    for key in ("places", "recognised"):
        if not table.get(key):
            raise HoldfastError(f"{at} needs `{key}`, a list. The README shows an example.")
    if "entries" in table and not (table["entries"].get("sections") and table["entries"].get("id")):
        raise HoldfastError(f"{at} entries needs `sections`, a list, and `id`, the label that names an entry.")


def _place(value: object, at: str) -> None:
    """Check a pattern of places: a path to .md files inside the project."""
    match(value, str, at)
    steps = str(value).split("/")
    inside = all(step not in {"", ".", "..", ".git"} and step.count("*") <= 1 for step in steps)
    if not inside or str(value).startswith("~") or "\n" in str(value) or not steps[-1].endswith(".md"):
        raise HoldfastError(
            f"{at}: {value!r} does not fit; give a path in the project that ends in .md, at most one * in a name."
        )


def _marks(value: object, at: str) -> None:
    """Check a list of marks; without one that must be there the format would fit every file."""
    match(value, [str], at)
    marks = [str(mark) for mark in value] if isinstance(value, list) else []
    if not any(not mark.startswith("absent:") for mark in marks):
        raise HoldfastError(f"{at} = {value!r} does not fit; give at least one mark without absent:.")
    for mark in marks:
        _locator(mark.removeprefix("absent:"), at, ("front", "section", "label", "title", "name"))


def _spot(value: object, at: str) -> None:
    """Check the place of a word of the model."""
    match(value, str, at)
    _locator(str(value), at, ("front", "section", "heading", "label", "title", "boxes"))


def _locator(value: str, at: str, kinds: tuple[str, ...]) -> None:
    kind, colon, rest = value.partition(":")
    if kind not in kinds or not colon or not (rest or kind in {"title", "boxes"}):
        raise HoldfastError(f"{at}: {value!r} does not fit; begin it with {', '.join(f'{kind}:' for kind in kinds)}")


def _level(value: object, at: str) -> None:
    if type(value) is not int or not 1 <= value <= 7:
        raise HoldfastError(f"{at} = {value!r} does not fit; give 1 to 6 for headings, 7 for tags.")


def _named(value: object, at: str) -> None:
    """Check a field of a section."""
    match(value, _FIELD, at)
    table = value if isinstance(value, dict) else {}
    if not table.get("name"):
        raise HoldfastError(f"{at} = {value!r} does not fit; give each field a name.")
    kind, values = table.get("kind"), bool(table.get("values"))
    if (kind == "choice" and not values) or (values and kind not in {"choice", "status"}):
        raise HoldfastError(
            f"{at} {table['name']!r} needs `values`, a list, with kind = 'choice', and only with it or 'status'."
        )


def _part(value: object, at: str) -> None:
    """Check a section, which needs a title; a log needs the form of its entries."""
    match(value, _PART, at)
    table = value if isinstance(value, dict) else {}
    if "title" not in table:
        raise HoldfastError(f'{at} needs a title, "" for the lines above any section.')
    if table.get("holds") == "log" and "{text}" not in str(table.get("entry", "")):
        raise HoldfastError(
            f"{at} {table['title']!r} holds a log and needs `entry`, with {{text}} and {{minute}} in it."
        )


def _choices(value: object, at: str) -> None:
    """Check what the columns of a table may say."""
    for name, texts in (value if isinstance(value, dict) else {"": value}).items():
        match(texts, [str], f"{at} {name}")


def _inside(value: object, at: str) -> None:
    """Report sections inside another one that inheritance could not read; it removes the key of the others."""
    match(value, [_part], at)


_FIELD: "dict[str, Shape]" = {
    "name": str,
    "names": [str],
    "need": _NEEDS,
    "kind": KINDS,
    "values": [str],
    "front": str,
}
_PART: "dict[str, Shape]" = {
    "title": str,
    "names": [str],
    "level": _level,
    "under": str,
    "inside": _inside,
    "holds": _HOLDS,
    "need": _NEEDS,
    "types": [TYPES],
    "fields": [_named],
    "entry": str,
    "newest": ("first", "last"),
    "columns": [str],
    "choices": _choices,
    "caption": str,
    "measured": ("created", "files", "log"),
}
_WORDS: "dict[str, Shape]" = {"model": {word: [_spot] for word in _MODEL}, "part": [_part]}
_FORMAT: "dict[str, Shape]" = {
    "about": str,
    "extends": str,  # inheritance has removed it; errors list it among the known keys
    "places": [_place],
    "recognised": [_marks],
    "writes": bool,
    "shared": bool,
    "derived": bool,
    "measured": bool,
    "handed": bool,
    "timestamped": bool,
    "stamp": [_spot],
    "status": {category: [str] for category in STATUSES},
    "samples": [str],
    "template": dict.fromkeys(("text", *TYPES), str),
    "entries": {"sections": [str], "id": str, **_WORDS},
    **_WORDS,
}


def read_shipped(folder: str) -> "Table":
    """Return `formats`, complete tables in the order in which they are tried, `shared` ones, and a `fingerprint`.

    HoldfastError names the file that cannot be used.
    """
    shared = _toml(f"{folder}/shared.toml")
    names = texts_of(shared, "order")
    folders = texts_of(shared, "folders")
    shared = {key: value for key, value in shared.items() if key not in {"order", "folders"}}
    own = {name: _format(folder, name, folders) for name in names}
    inheritance = Inheritance({**shared, **own}, {}, lambda name: f"{folder}: {name}")
    formats = {name: inheritance.complete(name) for name in names}
    return {
        "formats": formats,
        "shared": {name: inheritance.complete(name) for name in shared},
        "fingerprint": f"{zlib.crc32(fast_json.dumps(formats).encode()):08x}",
    }


def _format(folder: str, name: str, folders: list[str]) -> "Table":
    """Return what the files of one format say; a place that begins with `{}` is one in each of the `folders`."""
    table, template = _toml(f"{folder}/{name}.toml"), f"{folder}/{name}.md"
    if "places" in table:
        places = texts_of(table, "places")
        spelled = [place.replace("{}", where) for place in places for where in (folders if "{}" in place else [""])]
        table["places"] = [*dict.fromkeys(spelled)]
    return {**table, "template": _template(template)} if os.path.exists(template) else table


def _toml(path: str) -> "Table":
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise HoldfastError(f"{path}: {error}. Install holdfast again.") from None


def _text(path: str) -> str:
    try:
        return files.read(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise HoldfastError(f"{path} cannot be read: {error}. Install holdfast again.") from None


def _template(path: str) -> "Table":
    """Return the template in a Markdown file: its `text`, with {sections} for the lines of each type of work."""
    text, parts, kind = "", dict.fromkeys(TYPES, ""), ""
    for line in _text(path).splitlines(keepends=True):
        mark = line.strip().removeprefix("{").removesuffix("}")
        if mark in TYPES and line.startswith("{"):
            text += "" if any(parts.values()) else "{sections}"
            kind = mark
        elif line == "{end}\n":
            kind = ""
        elif kind:
            parts[kind] += line
        else:
            text += line
    if kind:
        raise HoldfastError(f"{path}: there is no line {{end}} after {{{kind}}}. Install holdfast again.")
    return {"text": text, **{name: part for name, part in parts.items() if part}}


class Inheritance:
    """Completes formats of one source, which extend each other or one of the complete formats in `bases`.

    `where` takes a format's name and returns how an error names it, such as "file: [formats.NAME]".
    """

    def __init__(self, tables: "Tables", bases: "Tables", where: "Callable[[str], str]") -> None:
        self._tables = tables
        self._bases = bases
        self._where = where

    def complete(self, name: str, extending: tuple[str, ...] = ()) -> object:
        """Return a format with all that it inherits; HoldfastError names an `extends` or section that does not exist.

        Values of a wrong type are returned as they are: the schema reports them. `extending` are the formats that
        are being completed with this one, so that none inherits from itself.
        """
        table = self._tables[name]
        if not isinstance(table, dict):
            return table
        own = {key: value for key, value in table.items() if key != "extends"}
        base = self._base(table["extends"], (*extending, name)) if "extends" in table else {}
        return _merged(base, own, self._where(name))

    def _base(self, base_name: object, extending: tuple[str, ...]) -> "Table":
        """Return the complete format that the last of `extending` extends."""
        base: object = None
        if isinstance(base_name, str):
            near = base_name in self._tables and base_name not in extending
            base = self.complete(base_name, extending) if near else self._bases.get(base_name)
        if isinstance(base, dict):
            return base
        able = ", ".join(dict.fromkeys([*(name for name in self._tables if name not in extending), *self._bases]))
        raise HoldfastError(f"{self._where(extending[-1])} extends = {base_name!r} does not fit; give one of {able}.")


def _merged(base: "Table", own: "Table", at: str) -> "Table":
    """Return `own`, and the entries in it, with what only `base` has."""
    merged = _scope(base, own, at)
    entries, inherited = own.get("entries"), base.get("entries")
    if isinstance(entries, dict):
        merged["entries"] = _scope(inherited if isinstance(inherited, dict) else {}, entries, f"{at} entries")
    return merged


def _scope(base: "Table", own: "Table", at: str) -> "Table":
    """Return `own` with the keys that only `base` has, also in its tables, and with complete sections."""
    merged = {**base, **own}
    for key, value in own.items():
        inherited = base.get(key)
        if key == "part" and isinstance(value, list):
            known = inherited if isinstance(inherited, list) else []
            merged[key] = _sections(value, [part for part in known if isinstance(part, dict)], {}, f"{at} part")
        elif isinstance(value, dict) and isinstance(inherited, dict):
            merged[key] = {**inherited, **value}
    return merged


def _sections(listed: "list[object]", inherited: "list[Table]", common: "Table", at: str) -> "list[object]":
    """Return the complete sections of a list, each before those inside it; `common` is what they take from outside."""
    parts: list[object] = []
    for section in listed:
        if isinstance(section, dict):
            base = _titled(section.get("title"), inherited)
            parts += _unfolded({**base, **common, **section}, inherited, at)
        elif isinstance(section, str):
            base = _titled(section, inherited)
            if not base:
                able = ", ".join(repr(part.get("title")) for part in inherited) or "none"
                raise HoldfastError(f"{at}: {section!r} is not an inherited section; those are: {able}.")
            parts += [{**base, **common}, *(part for part in inherited if part.get("under") == section)]
        else:
            parts.append(section)
    return parts


def _titled(title: object, sections: "list[Table]") -> "Table":
    """Return the section with this title, an empty table when there is none."""
    return next((section for section in sections if section.get("title") == title), {})


def _unfolded(section: "Table", inherited: "list[Table]", at: str) -> "list[object]":
    """Return a section and those inside it, which take their level and types of work from it."""
    inside, level = section.get("inside"), section.get("level", 2)
    if not isinstance(inside, list) or not isinstance(level, int):
        return [section]
    own = {key: value for key, value in section.items() if key != "inside"}
    common = {"level": level + 1, "under": own.get("title")}
    if "types" in own:
        common["types"] = own["types"]
    return [own, *_sections(inside, inherited, common, at)]
