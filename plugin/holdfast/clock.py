"""Times as state files write them: read in any documented form, written back in the form that was there."""

import time

ISO = "%Y-%m-%dT%H:%M:%SZ"
MINUTE = "%Y-%m-%d %H:%M"
FILE_NAME = "%Y%m%d-%H%M%S"
# A date; perhaps the time of day, to the minute or finer; perhaps its zone.
_TIME = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:([T ])(?:[01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](?:\.([0-9]{1,6}))?)?"
    r"(Z| UTC|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])?)?"
)


def form(text: str) -> str:
    """Return the form a time is written in, "" for one that is not known to be an exact instant; a date alone has one.

    A form is what strftime takes, but for an offset from UTC, which stands as it is written, and `%3f` for three digits
    of a second.
    """
    import re

    found = re.fullmatch(_TIME, text)
    if not found:
        return ""
    between, seconds, digits, zone = found.groups("")
    if not zone:
        return "" if between else "%Y-%m-%d"
    fraction = f".%{len(digits)}f" if digits else ""
    return f"%Y-%m-%d{between}%H:%M{seconds and ':%S'}{fraction}{zone}"


def read(text: str) -> float:
    """Return seconds since 1970 for a date or time, 0.0 for any other text; where no zone is told, it is UTC."""
    import re
    from datetime import UTC, datetime

    if not re.fullmatch(_TIME, text):
        return 0.0
    try:
        told = datetime.fromisoformat(text.removesuffix(" UTC"))
    except ValueError:  # the 31st of February
        return 0.0
    return (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()


def find(text: str) -> float:
    """Return seconds since 1970 for the first date or time that stands in a text, 0.0 for none."""
    import re

    found = re.finditer(rf"(?<![0-9]){_TIME}(?![0-9])", text)
    return next((seconds for each in found if (seconds := read(each[0]))), 0.0)


def write(seconds: float, form: str = ISO) -> str:
    """Return a time in the given form, in UTC or at the offset that the form has."""
    if form[-6:-5] in {"+", "-"} and form[-3:-2] == ":":
        ahead = int(form[-5:-3]) * 3600 + int(form[-2:]) * 60
        seconds += ahead if form[-6] == "+" else -ahead
    before, fraction, after = form.partition(".%")
    if fraction:
        digits = int(after[0])
        seconds, parts = divmod(round(seconds * 10**digits), 10**digits)
        form = f"{before}.{parts:0{digits}}{after[2:]}"
    return time.strftime(form, time.gmtime(seconds))


def ago(seconds: float) -> str:
    """Return a length of time as a person says it: "just now", "5 min ago", "3 h ago", "2 d ago"."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit} ago"
    return "just now"
