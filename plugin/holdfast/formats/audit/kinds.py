"""The values that a field may have by its kind, and the findings for those that do not fit."""

import re

from holdfast.core import clock
from holdfast.core.finding import Finding
from holdfast.formats import names
from holdfast.formats.format import Field, Format, Part
from holdfast.formats.record import Record, Spot
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PERCENT = re.compile(r"(?<![\w.])(?P<minus>[-\u2212]?)(?P<number>\d+(?:\.\d+)?) ?%")
_USED = re.compile(r"(?P<used>\d[\d,]*) ?/ ?(?P<window>\d[\d,]*) tokens \((?P<percent>\d+(?:\.\d+)?) ?%\)")
_EXAMPLE = "2026-02-11T08:00:00Z"
_AHEAD = 600.0  # seconds by which the clock of another machine may be ahead
_AHEAD_WITHOUT_ZONE = 86400.0  # the same for a date alone, and for a time of day in an unknown zone
_ROUNDED = 1.0  # percentage points by which a percentage may differ from its numbers


def problem(field: Field, text: str, file_format: Format, now: float) -> str:
    """Return why a text is not valid for this field, "" when it is; `now` is in seconds since 1970."""
    check = _CHECKS.get(field.kind)
    return check(field, text, file_format, now) if check else ""


def written(field: Field, text: str) -> str:
    """Return a text as the field has it: a number alone, such as 80, is a percentage where the field has those."""
    number = field.kind == "percent" and re.fullmatch(r"0|[1-9]\d*(?:\.\d+)?", text)
    return f"{text}%" if number else text


def _percent(_field: Field, text: str, _format: Format, _now: float) -> str:
    found = _PERCENT.search(text)
    fits = found is not None and not found["minus"] and float(found["number"]) <= 100
    return "" if fits else f"{_shown(text)} is not a percentage from 0% to 100%"


def _time(_field: Field, text: str, _format: Format, now: float) -> str:
    seconds = clock.find(text)
    if not seconds:
        return f"{_shown(text)} is not a time; write one such as {_EXAMPLE}"
    form = clock.form(text)
    exact = form and form != "%Y-%m-%d"
    ahead = seconds - now > (_AHEAD if exact else _AHEAD_WITHOUT_ZONE)
    return f"{_shown(text)} is still to come" if ahead else ""


def _status(_field: Field, text: str, file_format: Format, _now: float) -> str:
    if file_format.category(text):
        return ""
    known = ", ".join(word for words in file_format.status.values() for word in words)
    return f"{_shown(text)} is not a status; write one of {known}"


def _choice(field: Field, text: str, _format: Format, _now: float) -> str:
    known = {names.plain(value) for value in field.values}
    return "" if names.plain(text) in known else f"{_shown(text)} is none of {', '.join(field.values)}"


def _share(_field: Field, text: str, _format: Format, _now: float) -> str:
    """Check that a percentage is that of the two numbers before it; any other text is a value too."""
    found = _USED.match(text)
    used, window = (int(found[name].replace(",", "")) for name in ("used", "window")) if found else (0, 0)
    share = 100 * used / window if window else 0.0
    if not found or not window or abs(share - float(found["percent"])) <= _ROUNDED:
        return ""
    return f"says {found['percent']}%, and {used} of {window} tokens are {share:.0f}%"


_CHECKS: "dict[str, Callable[[Field, str, Format, float], str]]" = {
    "percent": _percent,
    "time": _time,
    "status": _status,
    "choice": _choice,
    "share": _share,
}


def _shown(text: str) -> str:
    return repr(safe.line(text, 40))


def invalid(record: Record, now: float) -> "Iterator[Finding]":
    """Yield a finding for each value in a file that is none of its field's kind; what is not filled in is skipped."""
    for part in record.file_format.parts:
        for field in part.fields:
            for text, line in _values(record, part, field) if field.kind in _CHECKS else []:
                why = "" if not text or record.unfilled(text) else problem(field, text, record.file_format, now)
                if why:
                    named = part.title and part.holds != "front"
                    yield Finding("invalid", line, f"{part.title}.{field.name}" if named else field.name, why)


def _values(record: Record, part: Part, field: Field) -> "Iterator[tuple[str, int]]":
    """Yield each text of a field with its 1-based line."""
    if part.holds == "front":
        if record.section is None and not record.file_format.derived:
            yield from ((text, record.document.line(at)) for text, at in record.metadata.texts(field.name))
        return
    for section in record.sections(part.title) if part.title else [None]:
        for label in record.labels(field.name, section):
            yield record.text(Spot("label", label=label)), record.document.line(label.start)
