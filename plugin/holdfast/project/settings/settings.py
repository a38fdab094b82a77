"""The settings of a project: `.agents/holdfast.toml`. The variable HOLDFAST_KEY overrides the setting `key`."""

import os

from holdfast.core import files
from holdfast.core.cache import Cache
from holdfast.core.errors import HoldfastError
from holdfast.project import paths, user_settings
from holdfast.project.settings.values import NAMES, Settings, from_text, set_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Trusted = Callable[[str], bool]  # whether the text of a file was written or accepted here


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
    if root and os.path.lexists(path) and not paths.within(path, root):
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
