"""Summaries of state files, through the cache: a file is parsed only if it has changed since the last process."""

import os
import stat

from holdfast.project import discovery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.core.cache import Cache
    from holdfast.formats.catalogue import Formats
    from holdfast.formats.state_file import StateFile

    Summary = dict[str, object]


def summary_of(path: str, cache: "Cache", formats: "Formats") -> "Summary":
    """Return the summary of a state file, {} for no path and for a file that cannot be read now."""
    try:
        return read(path, cache, formats) if path else {}
    except (OSError, ImportError):  # ImportError: the packages are still being installed
        return {}


def read(
    path: str,
    cache: "Cache",
    formats: "Formats",
    summarise: "Callable[[StateFile], Summary] | None" = None,
    kind: str = "",
) -> "Summary":
    """Return the summary of a state file, {} when it is no plain file or too large.

    With `summarise` the result is what that returns for the file, cached as `kind`. OSError when the file is gone;
    ImportError when it must be parsed and the packages are not installed yet.
    """
    found = os.lstat(path)
    if not stat.S_ISREG(found.st_mode) or found.st_size > discovery.LARGEST:
        return {}

    def parse(path: str) -> "Summary":
        from holdfast.core import files
        from holdfast.formats import state_file

        return (summarise or state_file.summary)(state_file.parse(files.read(path), path, formats))

    return cache.read(path, parse, formats.fingerprint, kind)


def of_entry(summary: "Summary", ident: str) -> "Summary":
    """Return the summary of a hub's entry with this id; that of the whole file for "" and if there is none."""
    entries = summary["entries"] if ident else []
    return next((one for one in entries if one["id"] == ident), summary) if isinstance(entries, list) else summary
