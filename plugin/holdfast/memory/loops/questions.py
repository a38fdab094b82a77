"""The open questions of a project for a survey, read through the cache."""

import os
import stat

from holdfast.core.fast_json import list_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sessions.survey import Survey


def still_open(survey: "Survey") -> list[list[str]]:
    """Return id, status and title of each open question of the surveyed project.

    The list is empty where the file is missing or unreadable, where its text is untrusted and the survey is guarded,
    and while the dependency folder is still being built.
    """
    from holdfast.trust import clone  # most starts of a process do not need it

    path = survey.loops
    if not path or path in survey.redacted:
        return []
    try:
        digest = survey.cache.read(path, _digest) if stat.S_ISREG(os.lstat(path).st_mode) else {}
    except (OSError, ImportError):
        return []
    survey.cache.save()
    return [] if clone.TrustCheck().untrusted([path]) else list_of(digest, "open")


def _digest(path: str) -> dict[str, object]:
    from holdfast.memory.loops import book
    from holdfast.project import packages

    packages.activate()
    return book.digest(path)
