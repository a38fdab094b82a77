"""Reads the user's own settings; `project.user_settings` says where they are and what they may have."""

import os

from holdfast.core.errors import HoldfastError
from holdfast.project import user_settings
from holdfast.project.settings import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def load(environ: "Mapping[str, str]") -> "dict[str, object]":
    """Return what the user's settings say, {} without any; HoldfastError for a file that cannot be used."""
    place = user_settings.path(environ)
    if not (place and os.path.lexists(place)):
        return {}
    try:
        table = settings.read_table(place)
    except OSError as error:
        raise HoldfastError(f"{place}: {error.strerror}. Correct that, or delete the file.") from None
    if odd := sorted(set(table).difference(user_settings.KEYS)):
        raise HoldfastError(f"{place}: unknown setting {odd[0][:60]!r}. Known: {', '.join(user_settings.KEYS)}.")
    return table
