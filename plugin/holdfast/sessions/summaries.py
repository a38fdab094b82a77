"""Summaries of state files, through the cache: a file is parsed only if it has changed since the last process."""

import os
import stat

from holdfast.project import discovery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from holdfast.core.cache import Cache
    from holdfast.core.summary import Summary

    T = TypeVar("T")
    from holdfast.formats.catalogue import Formats
    from holdfast.formats.state_file import StateFile
    from holdfast.project.paths import Project


def summary_of(path: str, cache: "Cache", formats: "Formats") -> "Summary":
    """Return the summary of a state file, {} for no path and for a file that cannot be read now."""
    try:
        return read(path, cache, formats) if path else {}
    except (OSError, ImportError):  # ImportError: the packages are still being installed
        return {}


def trusted_summary(path: str, cache: "Cache", formats: "Formats") -> "Summary":
    """Return the summary of a state file as `summary_of` does, without its texts if the file is untrusted."""
    return _guarded(path, summary_of(path, cache, formats))


def of_text(path: str, data: bytes, project: "Project", formats: "Formats") -> "Summary":
    """Return the summary of a state file with these bytes that would be at `path`, without its texts if untrusted."""
    from holdfast.formats import state_file
    from holdfast.trust import clone, redaction

    try:
        summary = state_file.summary(state_file.parse(data, path, formats))
    except ImportError:  # the packages are still being installed
        return {}
    return summary if clone.is_trusted(project) else redaction.redacted(summary)


def remembered(path: str, cache: "Cache", formats: "Formats") -> "Summary":
    """Return what `trusted_summary` returns if the cache has it; {} if not, and if the file has changed since."""
    try:
        nothing: Summary = {}
        return _guarded(path, cache.read(path, lambda _: nothing, formats.fingerprint) if path else nothing)
    except OSError:
        return {}


def _guarded(path: str, summary: "Summary") -> "Summary":
    """Return a summary, without its texts if the file is untrusted."""
    from holdfast.trust import clone, redaction  # most starts of a process do not need it

    return redaction.redacted(summary) if summary and clone.TrustCheck().untrusted([path]) else summary


def read(path: str, cache: "Cache", formats: "Formats") -> "Summary":
    """Return the summary of a state file, {} when it is no plain file or too large; errors as in `read_as`."""

    def summarise(state: "StateFile") -> "Summary":
        from holdfast.formats import state_file

        return state_file.summary(state)

    return read_as(path, cache, formats, summarise, "") or {}


def read_as(path: str, cache: "Cache", formats: "Formats", reader: "Callable[[StateFile], T]", kind: str) -> "T | None":
    """Return what a reader returns for a state file, cached as `kind`; None when it is no plain file or too large.

    OSError when the file is gone; ImportError when it must be parsed and the packages are not installed yet.
    """
    file_stat = os.lstat(path)
    if not stat.S_ISREG(file_stat.st_mode) or file_stat.st_size > discovery.LARGEST:
        return None

    def parse(path: str) -> "T":
        from holdfast.core import files
        from holdfast.formats import state_file

        return reader(state_file.parse(files.read(path), path, formats))

    return cache.read(path, parse, formats.fingerprint, kind)


def of_entry(summary: "Summary", ident: str) -> "Summary":
    """Return the summary of a hub's entry with this id; that of the whole file for "" and if there is none."""
    entries = summary["entries"] if ident else []
    return next((one for one in entries if one["id"] == ident), summary) if isinstance(entries, list) else summary
