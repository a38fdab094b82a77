"""Which files are records: state files and the files that holdfast keeps beside them. They need no mention."""

import os

from holdfast.project import loops_location, paths
from holdfast.sessions import hub_location, paused_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_OWN = frozenset(
    [
        paths.SETTINGS,
        *loops_location.PATHS,
        *hub_location.PATHS,
        *(hub_location.companion(path, hub_location.ARCHIVE) for path in hub_location.PATHS),
    ]
)


def is_record(path: str, places: "Iterable[str]") -> bool:
    """Return whether `path` is a state file, by the patterns `places`, or another file that holdfast keeps."""
    name = os.path.basename(path)
    handed = name.startswith(paused_work.STEM) and name.endswith(".md")
    return handed or path in _OWN or paths.is_state_path(path, places)
