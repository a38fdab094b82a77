"""Times in state files: parse every documented form, and write a time in the form that the file uses."""

import time

ISO = "%Y-%m-%dT%H:%M:%SZ"
MINUTE = "%Y-%m-%d %H:%M"
FILE_NAME = "%Y%m%d-%H%M%S"
# A date; optionally the time of day, to the minute or finer; optionally its time zone.
_TIME = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:([T ])(?:[01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](?:\.([0-9]{1,6}))?)?"
    r"(Z| UTC| ?[+-](?:0[0-9]|1[0-4]):?[0-5][0-9])?)?"
)


def form(text: str) -> str:
    """Return the form of a time in `text`, for `write`; "" when it is no time, or has a time of day without a zone.

    A form is a format for strftime with two differences: an offset from UTC is literal, such as `+02:00`, and `%3f`
    stands for three digits of a second.
    """
    import re

    match = re.fullmatch(_TIME, text)
    if not match:
        return ""
    between, seconds, digits, zone = match.groups("")
    if not zone:
        return "" if between else "%Y-%m-%d"
    fraction = f".%{len(digits)}f" if digits else ""
    return f"%Y-%m-%d{between}%H:%M{seconds and ':%S'}{fraction}{zone}"


def read(text: str) -> float:
    """Return seconds since 1970 for a date or time, 0.0 for any other text; without a time zone it is UTC."""
    import re
    from datetime import UTC, datetime

    if not re.fullmatch(_TIME, text):
        return 0.0
    try:
        parsed = datetime.fromisoformat(re.sub(" (?=[+-])", "", text.removesuffix(" UTC")))
    except ValueError:  # such as the 31st of February
        return 0.0
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def local(at: float, form: str = MINUTE) -> str:
    """Return a time for a screen: in the time zone of the user, which it names."""
    return time.strftime(f"{form} %Z", time.localtime(at))


def read_local(text: str) -> float:
    """Return what `read` does, but without a time zone it is that of the user."""
    at = read(text)
    named = text.endswith(("Z", "UTC")) or "+" in text or "-" in text[11:]
    return at if named or not at else time.mktime((*time.gmtime(at)[:8], -1))


_PUT_OFF = " (not before "  # and a day, at the end of what was put off


def coming(words: str, now: float) -> str:
    """Return the day after today that a date, "tomorrow" or a weekday means, such as 2026-12-01; "" for none."""
    ahead = [time.localtime(now + 86_400 * days) for days in range(1, 8)]
    named = {time.strftime("%A", day).casefold(): time.strftime("%Y-%m-%d", day) for day in ahead}
    named["tomorrow"] = time.strftime("%Y-%m-%d", ahead[0])
    day = named.get(words.casefold(), words)
    return day if form(day) == "%Y-%m-%d" and read(day) and is_ahead(day, now) else ""


def put_off(text: str, day: str = "") -> str:
    """Return a text with the day that it is put off to; without one, the text as it was before."""
    bare = text.rpartition(_PUT_OFF)[0] if not_before(text) else text
    return f"{bare}{_PUT_OFF}{day})" if day else bare


def not_before(text: str) -> str:
    """Return the day that a text was put off to, such as 2026-12-01; "" for none."""
    _, mark, day = text.removesuffix(")").rpartition(_PUT_OFF)
    return day if mark and form(day) == "%Y-%m-%d" else ""


def is_ahead(day: str, now: float) -> bool:
    """Return whether a day is after today, by the user's clock."""
    return day > time.strftime("%Y-%m-%d", time.localtime(now))


def find(text: str) -> float:
    """Return seconds since 1970 for the first date or time in a text, 0.0 when it has none.

    Of a time in a zone that only has a name, such as CET, the date counts.
    """
    import re

    for match in re.finditer(rf"(?<![0-9]){_TIME}(?![0-9])", text):
        unknown = (
            match[1] and not match[4] and re.match(r" ?\(?(?:(?!UTC|GMT)[A-Z]{2,5}|local)\b", text[match.end() :][:8])
        )
        if seconds := read(match[0][:10] if unknown else match[0]):
            return seconds
    return 0.0


def in_name(name: str) -> float:
    """Return seconds since 1970 for the date, or date and time in UTC, that a file's name has; 0.0 when it has none."""
    import re

    match = re.search(
        r"(?<![0-9])(20[0-9]{2})-?([0-9]{2})-?([0-9]{2})(?:[-_T]?([0-9]{2})-?([0-9]{2})([0-9]{2})?)?(?![0-9])", name
    )
    if not match:
        return 0.0
    year, month, day, hour, minute, second = match.groups("")
    clock = f"T{hour}:{minute}:{second or '00'}Z" if hour and hour < "24" and minute < "60" else ""
    return read(f"{year}-{month}-{day}{clock}")


def newest(entries: "list[str]", most: int) -> "list[str]":
    """Return at most `most` entries: the last ones where the dates that they begin with grow, else the first ones."""
    dates = [at for entry in entries if (at := find(entry[:60]))] if len(entries) > most else []
    return entries[-most:] if dates and dates[-1] > dates[0] else entries[:most]


def write(seconds: float, form: str = ISO) -> str:
    """Return a time, in seconds since 1970, in the given form: in UTC, or at the offset in the form."""
    seconds += offset_of(form)
    before, fraction, after = form.partition(".%")
    if fraction:
        digits = int(after[0])
        seconds, parts = divmod(round(seconds * 10**digits), 10**digits)
        form = f"{before}.{parts:0{digits}}{after[2:]}"
    return time.strftime(form, time.gmtime(seconds))


def offset_of(form: str) -> int:
    """Return how many seconds ahead of UTC a form is that ends in an offset such as +09:00 or +0900, else 0."""
    colon = form[-3:-2] == ":"
    sign, hours = (form[-6:-5], form[-5:-3]) if colon else (form[-5:-4], form[-4:-2])
    if sign not in {"+", "-"} or not (hours + form[-2:]).isdecimal():
        return 0
    offset = int(hours) * 3600 + int(form[-2:]) * 60
    return offset if sign == "+" else -offset


def ago(seconds: float) -> str:
    """Return an age in words: "just now", "5 min ago", "3 h ago", "2 d ago"."""
    return f"{duration(seconds)} ago" if seconds >= 60 else "just now"


def duration(seconds: float) -> str:
    """Return a length of time in words: "less than a minute", "5 min", "3 h", "2 d"."""
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{int(seconds // length)} {unit}"
    return "less than a minute"
