"""Which files are records themselves: what stands in them nobody is to write of once more."""

import os

from holdfast import paths
from holdfast.hub import place as hub
from holdfast.loops import place as loops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_OWN = frozenset([paths.SETTINGS, *loops.PLACES, *hub.PLACES, *(hub.beside(path, hub.ARCHIVE) for path in hub.PLACES)])


def is_record(path: str, places: "Iterable[str]") -> bool:
    """Whether a file is a state file, by the patterns of where these lie, or another one that is kept beside them."""
    name = os.path.basename(path)
    handed = name.startswith(".continue-here") and name.endswith(".md")
    return handed or path in _OWN or paths.is_state_path(path, places)
