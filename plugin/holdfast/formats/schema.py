"""The keys and values of a format, so that a mistake in a project's own format is reported."""

from holdfast.core.errors import HoldfastError
from holdfast.core.statuses import STATUSES
from holdfast.project.settings.values import match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.settings.values import Shape

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
