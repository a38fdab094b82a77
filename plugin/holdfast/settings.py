"""What a project or a person may choose: `.agents/holdfast.toml`, each key overridden by HOLDFAST_KEY."""

import os

from holdfast import files, paths
from holdfast.cache import Cache
from holdfast.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

TEMPLATE = """\
# holdfast keeps the state of working sessions in .agents/sessions; every key is optional, these are the defaults.
# brief_characters = 6000    # the most that a session start puts into Claude's context: 1000 to 9500
# live_minutes = 10          # a session of another host counts as live for this long after it was last heard from
# stale_hours = 24           # says active, is not live, silent for longer than this: stale
# stage = true               # git-stage a state file when it was updated
# Shapes of state files of the project's own stand below, each as [dialects.NAME]; the README says how.
"""
_DIALECTS = "dialects"  # the table beside the settings; dialects.py reads it
_RANGES = {"brief_characters": (1000, 9500)}  # Claude Code replaces what is longer than 10,000 characters by a preview


class Settings:
    """The values in force; each attribute's default is the setting's default."""

    brief_characters = 6000
    live_minutes = 10
    stale_hours = 24
    stage = True


NAMES = tuple(name for name in vars(Settings) if not name.startswith("_"))


def load(root: str, environ: "Mapping[str, str]", cache: Cache) -> Settings:
    """Return the settings of the project at `root`; HoldfastError names a key or value that cannot be used."""
    settings = Settings()
    path = root + "/" + paths.SETTINGS
    try:
        chosen = cache.of(path, table) if root else {}
    except OSError:
        chosen = {}
    for name, value in chosen.items():
        if name != _DIALECTS:
            _set(settings, name, value, path)
    for name in NAMES:
        variable = "HOLDFAST_" + name.upper()
        if variable in environ:
            _set(settings, name, _from_text(environ[variable], getattr(Settings, name)), variable)
    return settings


def usable(root: str, environ: "Mapping[str, str]", cache: Cache) -> "tuple[Settings, str]":
    """Return the settings and "", or the defaults and what is wrong with those that were chosen."""
    try:
        return load(root, environ, cache), ""
    except HoldfastError as error:
        return Settings(), str(error)


def _set(settings: Settings, name: str, value: object, where: str) -> None:
    """Set one value after checking that its name is known and its type fits."""
    if name not in NAMES:
        raise HoldfastError(f"{where}: unknown setting {name!r}. Known: {', '.join(NAMES)}.")
    default = getattr(Settings, name)
    least, most = _RANGES.get(name, (0, 10**9))
    if type(value) is not type(default) or (isinstance(value, int) and not least <= value <= most):
        wanted = "true or false" if isinstance(default, bool) else f"a whole number from {least} to {most}"
        raise HoldfastError(f"{where}: {name} = {value!r} does not fit; give {wanted}.")
    setattr(settings, name, value)


def _from_text(text: str, like: object) -> object:
    """Return the value that a variable's text stands for, of the type of `like` where it can be."""
    if isinstance(like, bool):
        return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)
    return int(text) if text.strip().isdecimal() else text


def table(path: str) -> "dict[str, object]":
    """Return the table in a settings file."""
    import tomllib

    try:
        return tomllib.loads(os.fsdecode(files.read(path)))
    except tomllib.TOMLDecodeError as error:
        raise HoldfastError(f"{path}: {error}. Mend that line, or delete the file to have the defaults.") from None
