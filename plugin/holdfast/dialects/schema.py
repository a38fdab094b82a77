"""What a dialect that a project describes must look like, so that a slip is told and not guessed at."""

from holdfast.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    Shape = object  # a type, a tuple of words, [shape] for a list of it, {key: shape}, or a function that checks

_STANDINGS = ("active", "waiting", "paused", "completed")
_TYPES = ("build", "research", "discussion", "planning", "debug")
_NEEDS = ("required", "recommended", "optional")
_HOLDS = ("text", "list", "checks", "fields", "table", "log", "front")
_TEXTS = ("title", "status", "focus", "objective", "progress", "phase", "current", "type")
_MODEL = (*_TEXTS, "next", "questions", "decisions", "blockers", "artifacts", "ids", "created", "updated")
_NAMES: "dict[object, str]" = {str: "a text", int: "a whole number", bool: "true or false"}


def check(name: str, table: object, where: str) -> None:
    """Check that a dialect can be used; HoldfastError names the file, the key, and what fits."""
    at = f"{where}: [dialects.{name}]"
    _match(table, _DIALECT, at)
    assert isinstance(table, dict)  # noqa: S101 - for the reader and mypy: it has just been matched
    for key in ("places", "recognised"):
        if not table.get(key):
            raise HoldfastError(f"{at} needs {key}, a list. The README shows a dialect under Dialects.")
    if "entries" in table and not (table["entries"].get("sections") and table["entries"].get("id")):
        raise HoldfastError(f"{at} entries needs `sections`, a list, and `id`, the label that names an entry.")


def _match(value: object, shape: "Shape", at: str) -> None:
    """Check a value against a shape."""
    if isinstance(shape, dict):
        _match_table(value, shape, at)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise HoldfastError(f"{at} = {value!r} does not fit; give a list.")
        for item in value:
            _match(item, shape[0], at)
    elif isinstance(shape, tuple):
        if value not in shape:
            raise HoldfastError(f"{at} = {value!r} does not fit; give one of {', '.join(shape)}.")
    elif isinstance(shape, type):
        if type(value) is not shape:
            raise HoldfastError(f"{at} = {value!r} does not fit; give {_NAMES[shape]}.")
    elif callable(shape):
        shape(value, at)


def _match_table(value: object, shape: "dict[str, Shape]", at: str) -> None:
    """Check that a table has known keys only, each of them as it should be."""
    if not isinstance(value, dict):
        raise HoldfastError(f"{at} = {value!r} does not fit; write it as a table.")
    for key, inner in value.items():
        if key not in shape:
            raise HoldfastError(f"{at}: unknown key {key!r}. Known: {', '.join(shape)}.")
        _match(inner, shape[key], f"{at} {key}")


def _place(value: object, at: str) -> None:
    """Check a pattern of where files live."""
    _match(value, str, at)
    steps = str(value).split("/")
    inside = all(step not in {"", ".", "..", ".git"} and step.count("*") <= 1 for step in steps)
    if not inside or str(value).startswith("~") or "\n" in str(value) or not steps[-1].endswith(".md"):
        raise HoldfastError(
            f"{at}: {value!r} does not fit; give a path in the project to .md, one * at most in a name."
        )


def _marks(value: object, at: str) -> None:
    """Check a list of marks that tell a dialect; without one that must be there it would take every file."""
    _match(value, [str], at)
    marks = [str(mark) for mark in value] if isinstance(value, list) else []
    if not any(not mark.startswith("absent:") for mark in marks):
        raise HoldfastError(f"{at} = {value!r} does not fit; give marks that are to be there.")
    for mark in marks:
        _locator(mark.removeprefix("absent:"), at, ("front", "section", "label", "title", "name"))


def _spot(value: object, at: str) -> None:
    """Check where a word of the model stands."""
    _match(value, str, at)
    _locator(str(value), at, ("front", "section", "label", "title"))


def _locator(value: str, at: str, kinds: tuple[str, ...]) -> None:
    kind, colon, rest = value.partition(":")
    if kind not in kinds or not colon or not (rest or kind == "title"):
        raise HoldfastError(f"{at}: {value!r} does not fit; begin it with {', '.join(f'{kind}:' for kind in kinds)}")


def _level(value: object, at: str) -> None:
    if type(value) is not int or not 1 <= value <= 7:
        raise HoldfastError(f"{at} = {value!r} does not fit; give 1 to 6 for headings, 7 for tags.")


def _named(value: object, at: str) -> None:
    """Check a field, which must have a name."""
    _match(value, {"name": str, "names": [str], "need": _NEEDS}, at)
    if not (isinstance(value, dict) and value.get("name")):
        raise HoldfastError(f"{at} = {value!r} does not fit; give each field a name.")


def _part(value: object, at: str) -> None:
    """Check a section."""
    _match(value, _PART, at)
    table = value if isinstance(value, dict) else {}
    if "title" not in table:
        raise HoldfastError(f'{at} needs a title, "" for the lines above any section.')
    if table.get("holds") == "log" and "{text}" not in str(table.get("entry", "")):
        raise HoldfastError(
            f"{at} {table['title']!r} holds a log and needs `entry`, with {{text}} and {{minute}} in it."
        )


_PART: "dict[str, Shape]" = {
    "title": str,
    "names": [str],
    "level": _level,
    "under": str,
    "holds": _HOLDS,
    "need": _NEEDS,
    "types": [_TYPES],
    "fields": [_named],
    "entry": str,
    "newest": ("first", "last"),
}
_WORDS: "dict[str, Shape]" = {"model": {word: [_spot] for word in _MODEL}, "part": [_part]}
_DIALECT: "dict[str, Shape]" = {
    "about": str,
    "places": [_place],
    "recognised": [_marks],
    "writes": bool,
    "shared": bool,
    "derived": bool,
    "measured": bool,
    "stamp": [_spot],
    "status": {standing: [str] for standing in _STANDINGS},
    "samples": [str],
    "template": dict.fromkeys(("text", *_TYPES), str),
    "entries": {"sections": [str], "id": str, **_WORDS},
    **_WORDS,
}
