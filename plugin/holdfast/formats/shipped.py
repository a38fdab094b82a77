"""The formats that come with holdfast, read from their files; `data/README.md` explains their keys.

This module imports tomllib, so it is only loaded when the cache does not have what it returns.
"""

import os
import tomllib
import zlib

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import texts_of
from holdfast.formats.inheritance import Inheritance
from holdfast.formats.schema import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.format import Table


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
