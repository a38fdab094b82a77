"""The names of state files: a timestamp in UTC and a description, such as 20251204-143000-weather-fallback.md."""

import os
import re

from holdfast.core import clock
from holdfast.core.finding import Finding
from holdfast.formats import issue

FOLDER = "sessions"  # only the names in such a folder follow this form
_NAME = re.compile(
    r"(?P<day>\d{4})(?P<month>\d\d)(?P<date>\d\d)-(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)-(?P<slug>.+)"
)


def check(path: str) -> list[Finding]:
    """Return what is wrong with the name of a state file in a folder `sessions`, [] for nothing and for other files."""
    folder, name = os.path.split(os.path.abspath(path))
    if os.path.basename(folder).casefold() != FOLDER:
        return []
    why = _problem(os.path.splitext(name)[0])
    return (
        [Finding("invalid", 0, "file name", f"{why}; call it such as 20251204-143000-weather-fallback.md")]
        if why
        else []
    )


def _problem(stem: str) -> str:
    found = _NAME.fullmatch(stem)
    if key := issue.key(stem):
        return f"it has the key of an issue in it, {key}"
    if not found:
        return "it does not begin with a timestamp"
    time = "{day}-{month}-{date}T{hour}:{minute}:{second}Z".format(**found.groupdict())
    return "" if clock.read(time) else "its timestamp is not a time"
