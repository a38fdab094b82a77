"""The values that a field may have by its kind, and the findings for those that do not fit or are not filled in."""

import itertools
import re
from collections.abc import Callable, Iterator

from holdfast.core import clock
from holdfast.core.finding import Finding
from holdfast.core.patterns import pattern
from holdfast.core.statuses import OVER
from holdfast.formats import listing, names
from holdfast.formats.format import Field, Format, Part
from holdfast.formats.record import Record, Spot
from holdfast.markdown.document import TAGGED
from holdfast.trust import safe

_PERCENT = pattern(r"(?<![\w.])(?P<minus>[-\u2212]?)(?P<number>\d+(?:\.\d+)?) ?%")
_USED = pattern(r"(?P<used>\d[\d,]*) ?/ ?(?P<window>\d[\d,]*) tokens \((?P<percent>\d+(?:\.\d+)?) ?%\)")
_EXAMPLE = "2026-02-11T08:00:00Z"
_AHEAD = 600.0  # seconds by which the clock of another machine may be ahead
_AHEAD_WITHOUT_ZONE = 86400.0  # the same for a date alone, and for a time of day in an unknown zone
_ROUNDED = 1.0  # percentage points by which a percentage may differ from its numbers


def problem(field: Field, text: str, file_format: Format, now: float) -> str:
    """Return why a text is not valid for this field, "" when it is; `now` is in seconds since 1970."""
    check = _CHECKS.get(field.kind)
    return check(field, text, file_format, now) if check else ""


def written(field: Field, text: str, file_format: Format) -> str:
    """Return a text as the field has it.

    A number alone, such as 80, is a percentage where the field has those; a general word for a status, such as "done",
    is the field's own one for it.
    """
    if field.kind == "status":
        meant = "" if names.says_more(text) else file_format.category(text)
        same = [word for word in field.values if names.whole(word) == names.whole(text)]
        alike = [word for word in field.values if meant and file_format.category(word) == meant]
        return next(iter(same + alike), text)
    number = field.kind == "percent" and re.fullmatch(r"0|[1-9]\d*(?:\.\d+)?", text)
    return f"{text}%" if number else text


def _percent(_field: Field, text: str, _format: Format, _now: float) -> str:
    match = _PERCENT.search(text)
    fits = match is not None and not match["minus"] and float(match["number"]) <= 100
    return "" if fits else f"{_shown(text)} is not a percentage from 0% to 100%"


def _time(_field: Field, text: str, _format: Format, now: float) -> str:
    seconds = clock.find(text)
    if not seconds:
        return f"{_shown(text)} is not a time; write one such as {_EXAMPLE}"
    form = clock.form(text)
    exact = form and form != "%Y-%m-%d"
    ahead = seconds - now > (_AHEAD if exact else _AHEAD_WITHOUT_ZONE)
    return f"{_shown(text)} is still to come" if ahead else ""


def _status(field: Field, text: str, file_format: Format, _now: float) -> str:
    fits = names.plain(text) in map(names.plain, field.values) if field.values else file_format.category(text)
    if fits or names.before_hold(text):  # paused work keeps the words of its author
        return ""
    known = ", ".join(field.values or [word for words in file_format.status.values() for word in words])
    return f"{_shown(text)} is not a status; write one of {known}"


def _choice(field: Field, text: str, _format: Format, _now: float) -> str:
    known = {names.plain(value) for value in field.values}
    return "" if names.plain(text) in known else f"{_shown(text)} is none of {', '.join(field.values)}"


def _share(_field: Field, text: str, _format: Format, _now: float) -> str:
    """Check that a percentage is that of the two numbers before it; any other text is a value too."""
    match = _USED.match(text)
    used, window = (int(match[name].replace(",", "")) for name in ("used", "window")) if match else (0, 0)
    share = 100 * used / window if window else 0.0
    if not match or not window or abs(share - float(match["percent"])) <= _ROUNDED:
        return ""
    return f"says {match['percent']}%, and {used} of {window} tokens are {share:.0f}%"


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


def left_unfilled(record: Record) -> "Iterator[Finding]":
    """Yield a finding for each placeholder, with its section, field or key."""
    document = record.document
    for path, text in [] if record.file_format.derived or record.section else record.metadata.leaves():
        if record.unfilled(text):
            yield _open(path, text, _key_line(record, path, text))
    labelled = set()
    for label in document.labels(record.start, record.end):
        text = document.text(label.value_start, label.value_end)
        if label.style != "row" and record.unfilled(text):  # all cells of a row are looked at
            labelled.add(label.start)
            name = "" if label.style == "heading" else label.name
            yield _open(_path(record, label.start, name), text, document.line(label.start))
    for at, text in itertools.chain(_blanks(record), _unanswered(record)):
        if at not in labelled:
            yield _open(_path(record, at), text, document.line(at))
    yield from _without_step(record)


def _without_step(record: Record) -> "Iterator[Finding]":
    """Yield that open work names no next step, as its hand-over needs one: "None", or what holdfast writes for it."""
    over = any(record.file_format.category(record.text(spot)) in OVER for spot in record.spots("status"))
    for spot in [] if over or record.section or record.file_format.shared else record.spots("next")[:1]:
        said = [text for text in listing.entries(record, spot) if text.strip("-* ") and not record.unfilled(text)]
        if said and all(map(names.is_none, said)):
            title = spot.section.title if spot.section else spot.label.name if spot.label else spot.path
            yield _open(title, said[0], record.line(spot))


def _key_line(record: Record, path: str, value: str) -> int:
    """Return the line of a text in the frontmatter, also of one in a list."""
    known = (at for text, at in record.metadata.texts(path) if text == value)
    at = next(known, None)
    return record.line(Spot("front", path=path)) if at is None else record.document.line(at)


def _blanks(record: Record) -> "Iterator[tuple[int, str]]":
    """Yield the headings and cells to fill in; words such as TODO are answers there."""
    document = record.document
    inside = document.sections if record.section is None else [record.section, *record.within(record.start, record.end)]
    titles = [(section.start, section.title) for section in inside if section.level < TAGGED]
    rows = [row for row in document.rows(record.start, record.end) if not row.header]
    cells = [(row.start, document.text(*cell)) for row in rows for cell in row.cells]
    yield from ((at, text) for at, text in titles + cells if names.is_blank(text))


def _unanswered(record: Record) -> "Iterator[tuple[int, str]]":
    """Yield the items, and the paragraphs or lines of them, that are placeholders."""
    document = record.document
    for item in document.items(record.start, record.end):
        if record.unfilled(text := record.item(item)):
            yield item.start, text
    for kind, start, end in document.blocks(record.start, record.end):
        text = document.text(start, end)
        if kind not in {"paragraph", "html"} or text.lstrip().startswith("<!--"):
            continue
        lines = list(_lines(record, start, end)) if kind == "paragraph" else []
        whole = [(start, text)] if not lines and record.unfilled(text) else []
        yield from lines or whole


def _lines(record: Record, start: int, end: int) -> "Iterator[tuple[int, str]]":
    """Yield those lines of a paragraph that are placeholders."""
    for line in record.document.data[start:end].splitlines(keepends=True):
        text = line.decode("utf-8", "replace")
        if record.unfilled(text):
            yield start, text
        start += len(line)


def _open(what: str, text: str, line: int) -> Finding:
    """Return the finding of a placeholder."""
    return Finding("placeholder", line, what, safe.line(text, 80))


def _path(record: Record, at: int, name: str = "") -> str:
    """Return the innermost section that holds an offset, and the name of a field in it."""
    section = record.around(at)
    title = "title" if record.title and record.title.start == at else ""
    return ".".join(part for part in (section.title if section else title, name) if part) or "text"
