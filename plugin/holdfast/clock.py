"""Times as state files write them: read in any documented form, written back in the form that was there."""

import time

ISO = "%Y-%m-%dT%H:%M:%SZ"
MINUTE = "%Y-%m-%d %H:%M"
FILE_NAME = "%Y%m%d-%H%M%S"
_FORMS = {
    "0000-00-00T00:00:00Z": ISO,
    "0000-00-00T00:00:00+00:00": "%Y-%m-%dT%H:%M:%S+00:00",
    "0000-00-00T00:00Z": "%Y-%m-%dT%H:%MZ",
    "0000-00-00 00:00:00 UTC": "%Y-%m-%d %H:%M:%S UTC",
    "0000-00-00 00:00 UTC": "%Y-%m-%d %H:%M UTC",
    "0000-00-00": "%Y-%m-%d",
}
_DIGITS = str.maketrans("123456789", "000000000")


def form(text: str) -> str:
    """Return the form a time is written in, "" for one that is not known to be UTC."""
    return _FORMS.get(text[:19].translate(_DIGITS) + text[19:], "")  # past the seconds only the zone, to the letter


def read(text: str) -> float:
    """Return seconds since 1970 for a time in a known form, 0.0 for any other text."""
    if not form(text):
        return 0.0
    from datetime import UTC, datetime

    try:
        return datetime.fromisoformat(text.removesuffix(" UTC")).replace(tzinfo=UTC).timestamp()
    except ValueError:  # the 31st of February
        return 0.0


def write(seconds: float, form: str = ISO) -> str:
    """Return a time, in UTC, in the given form."""
    return time.strftime(form, time.gmtime(seconds))


def ago(seconds: float) -> str:
    """Return a length of time as a person says it: "just now", "5 min ago", "3 h ago", "2 d ago"."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit} ago"
    return "just now"
