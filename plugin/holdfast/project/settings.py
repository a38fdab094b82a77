"""What can be set, with defaults and valid values, and the settings of a project: `.agents/holdfast.toml`.

The variable HOLDFAST_KEY overrides the setting `key`.
"""

import os

from holdfast.core import files
from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.project import paths, user_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Trusted = Callable[[str], bool]  # whether the text of a file was written or accepted here
    Shape = object  # a type, a tuple of words, [shape] for a list of such, {key: shape}, or a function that checks

TEMPLATE = """\
# holdfast keeps the state of working sessions in .agents/sessions; every key is optional, these are the defaults.
# brief_characters = 4000    # the most that a session start puts into Claude's context: 1000 to 9500
# live_minutes = 10          # a session on another host counts as live for this long after its last event
# stale_hours = 24           # a session that says active, is not live and silent for longer is stale
# hub = "auto"               # tracked: the hub is in the tree; auto: only with .genie/ or an existing hub
# format = "auto"            # of new state files: agents, n5, gsd-lite or an own one; auto: that of the files here
# stage = true               # stage a state file in git after an update
# conflicts = "warn"         # before an edit of a file that another live session changed: warn, ask, deny or off
# compact_guard = "steer"    # steer: guide the summary of a compaction; or off
# overlap_minutes = 60       # a change of a file counts as recent for this long: 1 to 10080
# quotes = "answers"         # what committed state files quote: answers (of Claude), all (also the user) or none
# librarian = "prompt"       # ask Claude to write down what it knows: with a prompt, by a turn of its own, or off
# share = "off"              # state: a start asks everybody who works here to type: holdfast share on
# agents = []                # more names of agents for `holdfast update`, such as ["reviewer"]
# keep_days = 90             # journals shrink to a summary so many days after the session ended: 1 to 36500; 0: never
# history_entries = 50       # how many entries the hub's history keeps: 1 to 10000
# window_tokens = 0          # size of Claude's context in tokens: 1000 to 10000000; 0: from the name of the model
# zones = [20,40,50]         # where the deliberate, warning and stop zones begin, in percent of the context
# drift_limits = [1,8,20]    # from how many points the drift of a state file is slight, marked and severe
# nudge = true               # remind of drift at the end of a turn, once it is marked
# statusline = ["title","tasks","context","drift","sessions","branch"]  # what the status line shows, in this order
# Formats of the project's own state files follow, each as [formats.NAME]; docs/reference/formats.md explains them.
"""
_TYPES: "dict[object, str]" = {str: "a text", int: "a whole number", bool: "true or false"}
_SHOWN = 60  # characters of a key or value in a message
_MAX_DIGITS = 20  # of a number; Python refuses to convert a text with thousands of digits
_RANGES = {
    "brief_characters": (1000, 9500),  # Claude Code replaces what is longer than 10,000 characters by a preview
    "overlap_minutes": (1, 10080),
    "keep_days": (1, 36_500),
    "history_entries": (1, 10000),
    "window_tokens": (1000, 10_000_000),
}
_OR_ZERO = ("window_tokens", "keep_days")  # 0, which is outside the range, means "not set"
# Lists of as many numbers as the default has, in rising order; the range of each number.
_RISING = {"zones": (1, 99), "drift_limits": (1, 1000)}
_CHOICES = {
    "hub": ("auto", "tracked"),
    "conflicts": ("warn", "ask", "deny", "off"),
    "compact_guard": ("steer", "off"),
    "librarian": ("prompt", "turn", "off"),
    "share": ("off", "state"),
    "quotes": ("answers", "all", "none"),
}
_LISTS = {"statusline": ("title", "tasks", "context", "drift", "sessions", "branch")}  # the words of a list, each once


class Settings:
    """The settings in force. The class attributes are the defaults."""

    brief_characters = 4000
    live_minutes = 10
    stale_hours = 24
    hub = "auto"
    format = "auto"
    stage = True
    conflicts = "warn"
    compact_guard = "steer"
    overlap_minutes = 60
    quotes = "answers"
    librarian = "prompt"
    share = "off"
    agents: tuple[str, ...] = ()
    keep_days = 90
    history_entries = 50
    window_tokens = 0
    zones: tuple[int, ...] = (20, 40, 50)
    drift_limits: tuple[int, ...] = (1, 8, 20)
    nudge = True
    statusline: tuple[str, ...] = ("title", "tasks", "context", "drift", "sessions", "branch")


NAMES = tuple(name for name in vars(Settings) if not name.startswith("_"))


def set_value(settings: Settings, name: str, value: object, where: str) -> None:
    """Set one value; HoldfastError when the name is unknown or the value unusable. `where` is the file or variable."""
    if name not in NAMES:
        raise HoldfastError(f"{where}: unknown setting {name[:_SHOWN]!r}. Known: {', '.join(NAMES)}.")
    if not _is_valid(name, value):
        raise HoldfastError(f"{where}: {name} = {repr(value)[:_SHOWN]} does not fit; give {_description(name)}.")
    setattr(settings, name, tuple(value) if isinstance(value, list) else value)


def _is_valid(name: str, value: object) -> bool:
    """Whether a value has the type of the setting and is in its range or among its choices."""
    default = getattr(Settings, name)
    if name in _CHOICES:
        return value in _CHOICES[name]
    if name in _RISING:
        return isinstance(value, list) and len(value) == len(default) and _rises(value, *_RISING[name])
    if name in _LISTS:
        return isinstance(value, list) and all(word in _LISTS[name] for word in value) and len(value) == len({*value})
    if isinstance(default, tuple):
        return isinstance(value, list) and all(isinstance(word, str) and _is_word(word) for word in value)
    if name in _OR_ZERO and type(value) is int and value == 0:
        return True
    least, most = _range(name)
    return type(value) is type(default) and (not isinstance(value, int) or least <= value <= most)


def _rises(values: "list[object]", least: int, most: int) -> bool:
    """Whether the values are whole numbers within the range, in rising order."""
    numbers = [value for value in values if type(value) is int and least <= value <= most]
    return len(numbers) == len(values) and sorted(set(numbers)) == numbers


def _description(name: str) -> str:
    """Return a description of the valid values of a setting."""
    default = getattr(Settings, name)
    if name in _CHOICES:
        return f"one of {', '.join(_CHOICES[name])}"
    if name in _RISING:
        least, most = _RISING[name]
        example = ",".join(map(str, default))
        many = f"{len(default)} whole numbers from {least} to {most}, each larger than the one before"
        return f"{many}: [{example}] in the file, {example} in the variable"
    if name in _LISTS:
        return f"some of {', '.join(_LISTS[name])}, each once: a list in the file, with commas between in the variable"
    if isinstance(default, tuple):
        return "words of letters, digits, - and _: a list in the file, with commas between them in the variable"
    least, most = _range(name)
    number = f"a whole number from {least} to {most}" + (", or 0" if name in _OR_ZERO else "")
    return "true or false" if isinstance(default, bool) else number


def _range(name: str) -> "tuple[int, int]":
    """Return the smallest and the largest valid number."""
    return _RANGES.get(name, (0, 10**9))


def _is_word(word: str) -> bool:
    """Whether a word has only letters, digits, - and _."""
    plain = word.replace("-", "").replace("_", "")
    return bool(word) and (not plain or (plain.isascii() and plain.isalnum()))


def match(value: object, shape: "Shape", at: str) -> None:
    """Check a value against a shape; HoldfastError begins with `at`, which says where it is."""
    if isinstance(shape, dict):
        _match_table(value, shape, at)
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise HoldfastError(f"{at} = {value!r} does not fit; give a list.")
        for item in value:
            match(item, shape[0], at)
    elif isinstance(shape, tuple):
        if value not in shape:
            raise HoldfastError(f"{at} = {value!r} does not fit; give one of {', '.join(shape)}.")
    elif isinstance(shape, type):
        if type(value) is not shape:
            raise HoldfastError(f"{at} = {value!r} does not fit; give {_TYPES[shape]}.")
    elif callable(shape):
        shape(value, at)


def _match_table(value: object, shape: "dict[str, Shape]", at: str) -> None:
    """Check that a value is a table, and each key and value in it."""
    if not isinstance(value, dict):
        raise HoldfastError(f"{at} = {value!r} does not fit; write it as a table.")
    for key, inner in value.items():
        if key not in shape:
            raise HoldfastError(f"{at}: unknown key {key!r}. Known: {', '.join(shape)}.")
        match(inner, shape[key], f"{at} {key}")


def from_text(text: str, like: object) -> object:
    """Return the value of a variable's text, with the type of `like` if possible, else the text."""
    if isinstance(like, bool):
        return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)
    if isinstance(like, tuple):
        words = [word.strip() for word in text.split(",") if word.strip()]
        return [_number(word) for word in words] if like and isinstance(like[0], int) else words
    if isinstance(like, str):
        return text.strip().lower()
    return _number(text)


def _number(text: str) -> "int | str":
    """Return the whole number in a text, or the text itself when it is none."""
    bare = text.strip()  # removes more kinds of white space than int does
    return int(bare) if bare.isdecimal() and len(bare) < _MAX_DIGITS else text


LARGEST = 1 << 18  # bytes of a settings file
_FORMATS = "formats"  # the table that formats.catalogue reads


def load(root: str, environ: "Mapping[str, str]", cache: Cache, trusted: "Trusted | None" = None) -> Settings:
    """Return the settings of the project at `root`; HoldfastError names an unknown key or an unusable value.

    With `trusted`, a file that is not trusted is such an error too. In a CI job nothing is staged, unless
    `HOLDFAST_STAGE` says so.
    """
    settings = Settings()
    path = root + "/" + paths.SETTINGS
    for name, value in own(root, cache, trusted).items():
        if name != _FORMATS:
            set_value(settings, name, value, path)
    if environ.get("CI", "").lower() in ("true", "1"):
        settings.stage = False
    for name in NAMES:
        variable = "HOLDFAST_" + name.upper()
        if variable in environ:
            set_value(settings, name, from_text(environ[variable], getattr(Settings, name)), variable)
    return settings


def own(root: str, cache: Cache, trusted: "Trusted | None" = None) -> "dict[str, object]":
    """Return what the settings file of the project at `root` says, {} without one; HoldfastError as in `load`."""
    path = root + "/" + paths.SETTINGS
    if not root or not os.path.lexists(path):
        return {}
    try:
        table = cache.read(path, read_table)
        refuse_outside(root, path)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise HoldfastError(
            f"{path}: {error.strerror}. Correct that, or delete the file to use the defaults."
        ) from None
    if table and trusted is not None and not trusted(path):
        name = path if root.endswith(paths.PRIVATE) else paths.SETTINGS
        raise HoldfastError(f"settings not accepted here, not used: holdfast trust {name}")
    return table


def usable(
    root: str, environ: "Mapping[str, str]", cache: Cache, trusted: "Trusted | None" = None
) -> "tuple[Settings, str]":
    """Return the settings and "", or the defaults and what is wrong with the project's settings.

    Then the variables still count, as far as they are usable.
    """
    try:
        return load(root, environ, cache, trusted), ""
    except HoldfastError as error:
        try:
            return load("", environ, cache), str(error)
        except HoldfastError:
            return Settings(), str(error)


def refuse_outside(root: str, path: str) -> None:
    """Raise HoldfastError when the settings file is a link to a file outside the project."""
    linked = os.path.islink(os.path.dirname(path)) or os.path.islink(path)
    if root and linked and not paths.within(path, root):
        raise HoldfastError(f"{path} leads out of {root} through a link. Replace the link by a copy of the file.")


def read_table(path: str) -> "dict[str, object]":
    """Return the contents of a settings file; HoldfastError when it is not TOML or larger than `LARGEST`."""
    import tomllib

    if os.path.getsize(path) > LARGEST:
        raise HoldfastError(f"{path} is larger than {LARGEST >> 10} KB. Remove what is not a setting.")
    try:
        table = tomllib.loads(os.fsdecode(files.read(path)))
        str(table)  # raises ValueError for a number with too many digits to print in a message
    except ValueError as error:  # not TOML, or such a number
        raise HoldfastError(f"{path}: {error}. Correct that line, or delete the file to use the defaults.") from None
    except RecursionError:
        raise HoldfastError(f"{path}: the values are nested too deeply. Delete the file to use the defaults.") from None
    return table


def load_personal(environ: "Mapping[str, str]") -> "dict[str, object]":
    """Return what the user's settings say, {} without any; HoldfastError for a file that cannot be used."""
    place = user_settings.path(environ)
    if not (place and os.path.lexists(place)):
        return {}
    try:
        table = read_table(place)
    except OSError as error:
        raise HoldfastError(f"{place}: {error.strerror}. Correct that, or delete the file.") from None
    if odd := sorted(set(table).difference(user_settings.KEYS)):
        raise HoldfastError(f"{place}: unknown setting {odd[0][:60]!r}. Known: {', '.join(user_settings.KEYS)}.")
    return table
