"""Edits of a log: insert new entries by their time, and remove holdfast's own entries that are too old."""

import math
from collections.abc import Iterator
from os.path import commonprefix

from holdfast.core import clock
from holdfast.core.patterns import pattern
from holdfast.editing import layout, lists
from holdfast.editing.layout import MINUTE, Edit, bare, entry, has_action, new_items
from holdfast.editing.requests import Request
from holdfast.formats.format import Part
from holdfast.formats.record import Record
from holdfast.markdown.blocks import gap
from holdfast.markdown.document import Document, Item, Section

Span = tuple[int, int]

_LISTED = "\n- {text}"  # the end of an entry that may have several texts under one time
_BEFORE = {"paragraph", "comment", "html", "quote"}  # what may introduce a log


class _Group:
    """The blocks under one time up to `end`; the items of their lists are the entries."""

    __slots__ = ("end", "items", "kinds", "minute", "start", "timed")

    def __init__(self, minute: str, start: int, *, timed: bool) -> None:
        self.minute = minute
        self.start = self.end = start
        self.timed = timed  # whether its line has only the time
        self.kinds: list[str] = []  # of the blocks under it
        self.items: list[Item] = []

    @property
    def listed(self) -> bool:
        """Whether a list is right under the time."""
        return self.kinds[:1] == ["list"]

    @property
    def bare(self) -> bool:
        """Whether there are entries and no other text."""
        return self.timed and {*self.kinds} == {"list"}


class _Log:
    """The spans of a section's blocks, with each outermost item of a list as one span, and its groups; in order."""

    def __init__(self, record: Record, section: Section) -> None:
        self.document = record.document
        self.start = section.body
        self.spans: list[Span] = []
        self.groups: list[_Group] = []
        parted = True  # whether a rule separates the block from the last time
        end = layout.content_end(self.document, section, record.own_end(section))
        for kind, start, stop in self.document.blocks(section.body, end):
            items = lists.outermost(self.document, start, stop) if kind == "list" else []
            parts = [(item.start, item.end) for item in items] or [(start, stop)]
            self.spans += [(at, layout.last_line(self.document, at, to)) for at, to in parts]
            text = self.document.text(start, stop) if kind == "paragraph" else ""
            minute = minute_of(text)
            parted = not minute and (parted or kind == "rule")
            if minute:
                self.groups.append(_Group(minute, start, timed=bool(MINUTE.fullmatch(text))))
            elif not parted:
                self.groups[-1].kinds.append(kind)
                self.groups[-1].items += items
            if not parted:
                self.groups[-1].end = self.spans[-1][1]

    @property
    def tight(self) -> bool:
        """Whether no blank line is between a time and its list."""
        listed = [group for group in self.groups if group.minute and group.listed]
        return any(gap(self.document.data[group.start : group.items[0].start], b"\n") for group in listed)

    def listed(self, minute: str) -> Item | None:
        """Return the first item of the list that is right under a minute, None without one."""
        return next((group.items[0] for group in self.groups if group.minute == minute and group.listed), None)

    def at(self, minute: str) -> int:
        """Return the offset for a new time: before the first one that is not newer."""
        return next((group.start for group in self.groups if not minute or group.minute <= minute), self.groups[-1].end)

    def written(self, cut: "set[int]", at: int, put: list[str], *, joins: bool) -> bytes:
        """Return the section's text without the spans that begin at the offsets `cut`, and with lines put at `at`.

        The lines are a blank line apart from the rest, unless they join a list. Of the two gaps around a removed span
        the wider one stays.
        """
        data, newline = self.document.data, self.document.newline
        more = b"".join(line.encode() + newline for line in put)
        apart = b"" if joins else newline
        written = between = b""
        end = self.start
        for start, stop in self.spans:
            between = max(between, data[end:start], key=len)
            end = stop
            if more and start >= at:
                written += (between or (apart if written else b"")) + more
                between, more = apart, b""
            if start not in cut:
                written += between + data[start:stop]
                between = b""
        if not more:
            return written
        return written + (b"" if written.endswith((b"\n", b"\r")) else newline) + (between or apart) + more


def edit(record: Record, section: Section, part: Part, request: Request, minute: str) -> Edit | None:
    """Insert entries into a log by their time, and remove those that are too old.

    `minute` is the time of the edit in UTC; entries get the time in the zone of the file.
    """
    log = _Log(record, section)
    minute = shifted(request.minute or minute, ahead(record, section, minute))
    if part.newest != "first":
        return _last(record, section, part, request, minute)
    when = minute_of(minute)
    present = [record.item(item) for group in log.groups if group.minute == when for item in group.items]
    new = _new(record, section, part, request, present)
    if not log.groups:
        return _first(record, section, lines(part, new, minute), new) if new else None
    joined = log.listed(when) if part.entry.endswith(_LISTED) else None
    at = joined.start if joined else log.at(when)
    items = [(group.minute, item) for group in log.groups for item in group.items]
    new, going = _pruned(record, items, request, at, when, new)
    emptied = [group for group in log.groups if group.bare and all(item in going for item in group.items)]
    cut = {item.start for item in going} | {group.start for group in emptied if not new or joined not in group.items}
    put = layout.items_like(record.document, [joined], new, first=True) if joined else lines(part, new, minute)
    put = put if joined or not log.tight else [line for line in put if line]
    before = record.document.data[section.body : log.spans[-1][1]]
    after = log.written(cut, at, put, joins=joined is not None)
    if before == after:
        return None
    same = len(commonprefix([before, after]))  # noqa: RUF071 - of bytes, not of paths
    splice = (section.body + same, section.body + len(before), after[same:])
    return Edit(splice, "; ".join(map(record.item, going)), "; ".join(new), headings=_headings(put))


def lines(part: Part, new: list[str], minute: str) -> list[str]:
    """Return the lines of new entries, under one time where the log has lists."""
    if not new:
        return []
    if not part.entry.endswith(_LISTED):
        return "\n\n".join(entry(part, text, minute) for text in new).split("\n")
    return [*entry(part, new[0], minute).split("\n"), *(f"- {text}" for text in new[1:])]


def _headings(texts: list[str]) -> int:
    """Return how many of these lines are headings."""
    return sum(text.startswith("#") for text in texts)


def _new(record: Record, section: Section, part: Part, request: Request, present: list[str]) -> list[str]:
    """Return the texts that the log does not have: under the requested minute, or under any when none is requested."""
    items = request.items if request.items is not None else [request.text]
    if request.minute and part.entry.endswith(_LISTED):
        return new_items(items, present)
    present_text = record.body(section)
    headed = has_action(part)
    new = [*dict.fromkeys(text.strip() for text in items if bare(text))] if headed else new_items(items, [])
    if not request.minute:
        before = part.entry.partition("{text}")[0].replace("{minute}", "")
        forms = {text: (text, entry(part, text, "").removeprefix(before)) for text in new}
        return [text for text in new if not any(layout.says(present_text, form) for form in forms[text])]
    return [text for text in new if not layout.says(present_text, entry(part, text, request.minute))]


def _pruned(  # noqa: PLR0913, PLR0917 - all that determines the place of new entries among the others
    record: Record, items: "list[tuple[str, Item]]", request: Request, at: int, minute: str, new: list[str]
) -> tuple[list[str], list[Item]]:
    """Return the new entries, to be inserted at `at`, without those that are too old, and the items to remove.

    `items` are all present entries, each with its minute; `minute` is that of the new ones.
    """
    gone, most = request.gone, max(request.most, 1)
    if gone is None:
        return new, []
    above = sum(item.start < at for _, item in items)
    over = items[most:above] + items[max(above, most - len(new)) :]
    coming = [text for number, text in enumerate(new, above) if number < most or not gone(minute, text)]
    going = [item for its, item in over if _plain(record.document, item) and gone(its, record.item(item))]
    return coming, going


def _plain(document: Document, item: Item) -> bool:
    """Whether an item is one line of text as holdfast writes it, without a box and with nothing below it."""
    line = document.line_end(item.text_start)
    return item.text_start < item.text_end <= line and not item.box and not document.data[line : item.end].strip()


def _first(record: Record, section: Section, put: list[str], new: list[str]) -> Edit:
    """Put the first entry in the place of a placeholder, or under the log's introduction."""
    document = record.document
    at, splice = section.body, None
    for kind, start, stop in document.blocks(at, layout.content_end(document, section, record.own_end(section))):
        if kind not in _BEFORE:
            break
        if kind == "paragraph" and record.vacant(document.text(start, stop)):
            splice = layout.instead(document, start, stop, put)
            break
        at = layout.last_line(document, start, stop)
    return Edit(splice or layout.spaced(document, at, put), "", "; ".join(new), headings=_headings(put))


def _last(record: Record, section: Section, part: Part, request: Request, minute: str) -> Edit | None:
    """Add entries at the end of a log."""
    document = record.document
    new = _new(record, section, part, request, [])
    if not new:
        return None
    put = lines(part, new, minute)
    items = lists.first(record, section)
    text = "; ".join(new)
    if items and len(put) == len(new):
        at = layout.last_line(document, items[-1].start, items[-1].end)
        return Edit(layout.after(document, at, layout.items_like(document, items, put)), "", text)
    at = layout.content_end(document, section, section.end)
    return Edit(layout.spaced(document, at, put), "", text, headings=_headings(put))


IN_UTC = pattern(r"\d(?:Z| UTC)\b")
_SLACK, _HALF_HOUR, _FARTHEST = 120, 1800, 14 * 3600  # seconds; no zone is farther east of UTC


def minute_of(text: str) -> str:
    """Return the minute that a text begins with, "" for none."""
    match = MINUTE.match(text)
    return f"{match[1]} {match[2]}" if match else ""


def ahead(record: Record, section: Section, now: str) -> int:
    """Return how many seconds the times of a log are ahead of UTC.

    The time of the file's last change has the zone. If the newest time of the log is ahead of `now` (a minute in UTC),
    it is a local time of a zone further east, and the zone is derived from it.
    """
    stamps = [record.text(spot) for place in record.file_format.stamp for spot in record.find(place)]
    stamped = next((clock.offset_of(form) for text in stamps if (form := clock.form(text))), 0)
    newest, text = max(((minute_of(text), text) for text in _timed(record, section)), default=("", ""))
    return 0 if IN_UTC.search(text) else stamped + _early(newest, now, stamped)


def shifted(minute: str, seconds: int) -> str:
    """Return a minute shifted by some seconds; any other text unchanged."""
    at = clock.read(minute) if seconds else 0.0
    return clock.write(at + seconds, clock.MINUTE) if at else minute


def _timed(record: Record, section: Section) -> "Iterator[str]":
    """Yield the paragraphs and list items of a section, and its headings from their time on."""
    document = record.document
    for kind, start, stop in document.blocks(section.body, section.end):
        if kind == "paragraph":
            yield document.text(start, stop)
    for item in document.items(section.body, section.end):
        yield record.item(item)
    for inner in record.within(section.body, section.end):
        match = MINUTE.search(inner.title)
        yield inner.title[match.start() :] if match else ""


def _early(newest: str, now: str, offset: int) -> int:
    """Return how many seconds, in half hours, the newest time of a log is ahead of `now` plus `offset`."""
    early = clock.read(newest) - clock.read(now) - offset
    return math.ceil(early / _HALF_HOUR) * _HALF_HOUR if _SLACK < early <= _FARTHEST - offset else 0
