"""What state files say, read through the cache: a file is parsed only when it has changed since the last process."""

import os
import stat

from holdfast.project import discovery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.cache import Cache
    from holdfast.formats.catalogue import Formats

    Summary = dict[str, object]


def summary_of(path: str, cache: "Cache", formats: "Formats") -> "Summary":
    """Return the summary of a state file, {} for no path and for a file that cannot be read now."""
    try:
        return read(path, cache, formats) if path else {}
    except (OSError, ImportError):  # ImportError: the packages are still being installed
        return {}


def read(path: str, cache: "Cache", formats: "Formats") -> "Summary":
    """Return the summary of a state file, {} when it is no plain file or too large.

    OSError when the file is gone; ImportError when it must be parsed and the packages are not installed yet.
    """
    found = os.lstat(path)
    if not stat.S_ISREG(found.st_mode) or found.st_size > discovery.LARGEST:
        return {}

    def parse(path: str) -> "Summary":
        from holdfast.formats import state_file

        return state_file.read_summary(path, formats)

    return cache.read(path, parse, formats.fingerprint)
