"""The formats that come with holdfast, read from their files; `data/README.md` explains their keys.

This module imports tomllib, so it is only loaded when the cache does not have what it returns.
"""

import os
import tomllib
import zlib

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import texts_of
from holdfast.formats.schema import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.formats.format import Table

    Tables = Mapping[str, object]


def read(folder: str) -> "Table":
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
