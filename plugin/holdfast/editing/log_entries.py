"""Holdfast's own entries in a log whose entries are headings: each is an event, and a line about it.

The latest are there one by one, older ones as one entry for their day. What somebody changed in an entry is theirs: of
each entry that was written the journal has the checksum.
"""

import time
from collections.abc import Iterable, Mapping

from holdfast.core import clock
from holdfast.core.patterns import pattern
from holdfast.editing import layout, logs
from holdfast.formats.format import Part
from holdfast.formats.managed_block import checksum
from holdfast.formats.record import Record
from holdfast.markdown.document import Section

Splice = tuple[int, int, bytes]
Sums = dict[str, str]  # key of an entry -> checksum of what was written, or `MERGED`

MERGED = "merged"
_MEASURED = "log"
_LATEST = 2  # entries that are there one by one
_GIST, _SHORT, _MOST = 220, 150, 6  # characters of an entry within that of its day, in a long file; entries there
_LONG = 3900  # characters of a long file
_SENTENCE = pattern(r"[.!?](?= )|[\u3002\uff01\uff1f]")
_ENDS = (".", "!", "?", "…", "\u3002", "\uff01", "\uff1f")
_SAYS = 25  # characters of sentences that say something
_STOPS = pattern(r"[\s.:;,!?…]+$")


class Entry:
    """An event at a time in seconds, with a line about it; `key` names it in the journal and has no blanks.

    `label` is what names it where it is one of several entries of a day, as a rule the heading; `renewed` says whether
    it follows what has changed since, such as a commit that was amended; `weight` is how much it counts among them.
    """

    __slots__ = ("at", "heading", "key", "label", "renewed", "text", "weight")

    def __init__(  # noqa: PLR0913 - three by name
        self,
        key: str,
        at: float,
        heading: str,
        text: str,
        *,
        label: str | None = None,
        renewed: bool = False,
        weight: int = 2,
    ) -> None:
        self.key, self.at, self.heading, self.text = key, at, heading, text
        self.label, self.renewed, self.weight = heading if label is None else label, renewed, weight

    def gist(self, room: int) -> str:
        """Return the event as sentences in about `room` characters: whole ones, else words with an ellipsis."""
        before = f"{self.label}: " if self.label else ""
        whole = before + self.text
        if len(whole) > room:
            ends = [match.end() for match in _SENTENCE.finditer(whole) if len(before) + _SAYS < match.end() <= room]
            short = whole[:room].rpartition(" ")[0]
            whole = whole[: ends[-1]] if ends else f"{_STOPS.sub('', short)}…"
        return whole if whole.endswith(_ENDS) else f"{_STOPS.sub('', whole)}."


class _Log:
    """The log of a file that the format gives to holdfast: its entries as spans, each with its checksum."""

    def __init__(self, record: Record, part: Part, section: Section) -> None:
        self.document, self.part, self.section = record.document, part, section
        self.ahead = logs.ahead(record, section, clock.write(time.time(), clock.MINUTE))
        self.end = layout.content_end(self.document, section, section.end)
        starts = [one.start for one in record.within(section.body, self.end) if one.level == section.level + 1]
        self.spans = [*zip(starts, [*starts[1:], self.end], strict=True)] if starts else []
        self.by_sum = {checksum(self.document.data[start:stop]): start for start, stop in self.spans}

    def lines(self, entry: Entry) -> list[str]:
        """Return an entry as lines, its time in the zone of the file."""
        minute = clock.write(entry.at + self.ahead, clock.MINUTE)
        return [
            self.part.entry.replace("{minute}", minute).replace("{text}", entry.heading),
            "",
            *entry.text.splitlines(),
        ]

    def splice(self, replaced: "Mapping[int, Entry | None]", new: "Iterable[Entry]") -> "list[Splice]":
        """Return the splice that replaces the entries at these offsets, or removes them for None, and adds others."""
        newline = self.document.newline
        blocks = [newline.join(line.encode() for line in self.lines(entry)) for entry in new]
        if not self.spans:
            texts = [line for block in blocks for line in ("", *block.decode().splitlines())][1:]
            return [layout.spaced(self.document, self.end, texts)] if texts else []
        kept = b""
        for start, stop in self.spans:
            text = self.document.data[start:stop]
            gap = text[len(text.rstrip()) :]
            entry = replaced.get(start)
            if start in replaced and entry is None:
                continue
            kept += newline.join(line.encode() for line in self.lines(entry)) + gap if entry else text
        first, last = self.spans[0][0], self.spans[-1][1]
        before = self.document.data[first:last]
        tail = before[len(before.rstrip()) :]
        after = (newline * 2).join([*([kept.rstrip()] if kept.strip() else []), *blocks]) + tail
        return [(first, last, after)] if after != before else []


def splices(record: Record, entries: "list[tuple[float, str, str]]") -> "list[Splice]":
    """Return the splice that adds (time in seconds, heading, text) to the log, but for what is there already."""
    log = _log(record)
    made = [Entry("", *entry) for entry in sorted(entries)]
    return log.splice({}, [one for one in made if _sum(log, one) not in log.by_sum]) if log else []


def projected(record: Record, entries: "list[Entry]", sums: "Mapping[str, str]") -> "tuple[list[Splice], Sums]":
    """Return the splice that brings holdfast's entries up to date, and the checksums to journal.

    `sums` is what the journal has: an entry that has none is new, and one that the log does not have as it was written
    belongs to somebody else now.
    """
    log = _log(record)
    if log is None:
        return [], {}
    there = [one for one in entries if one.key not in sums or sums[one.key] in log.by_sum]
    there.sort(key=lambda one: one.at)
    replaced: dict[int, Entry | None] = {}
    new: list[Entry] = []
    journaled: Sums = {}
    for day, older in _by_day(there[:-_LATEST]).items():
        key = f"day-{day}"
        before = [one for one in entries if sums.get(one.key) == MERGED and _day(one) == day]
        if (key in sums and sums[key] not in log.by_sum) or len(before) + len(older) < 2:
            new += [one for one in older if one.key not in sums]
            continue
        whole = _merged(key, sorted([*before, *older], key=lambda one: one.at), _SHORT if is_long(record) else _GIST)
        starts = sorted(log.by_sum[sums[one]] for one in [key, *(each.key for each in older)] if one in sums)
        replaced |= dict.fromkeys(starts)
        if starts:
            replaced[starts[0]] = whole
        else:
            new.append(whole)
        journaled |= {**dict.fromkeys((one.key for one in older), MERGED), key: _sum(log, whole)}
    latest = there[-_LATEST:]
    new += [one for one in latest if one.key not in sums]
    amended = [one for one in latest if one.renewed and one.key in sums and sums[one.key] != _sum(log, one)]
    replaced |= {log.by_sum[sums[one.key]]: one for one in amended}
    journaled |= {one.key: _sum(log, one) for one in amended}
    journaled |= {one.key: _sum(log, one) for one in new}
    # A settle that was killed before it wrote the journal left its entries in the file.
    return log.splice(replaced, [one for one in new if _sum(log, one) not in log.by_sum]), journaled


def own(record: Record, sums: "Iterable[str]") -> "list[tuple[int, int]]":
    """Return the spans of the entries with these checksums."""
    log, known = _log(record), {*sums}
    starts = [start for text, start in log.by_sum.items() if text in known] if log else []
    return [span for span in log.spans if span[0] in starts] if log else []


def _log(record: Record) -> _Log | None:
    """Return the one log of a file that the format gives to holdfast, None for none or several."""
    part = next((part for part in record.file_format.parts if part.measured == _MEASURED), None)
    sections = record.sections(part.title) if part else []
    return _Log(record, part, sections[0]) if part and len(sections) == 1 else None


def _by_day(entries: list[Entry]) -> dict[str, list[Entry]]:
    days: dict[str, list[Entry]] = {}
    for one in entries:
        days.setdefault(_day(one), []).append(one)
    return days


def _day(entry: Entry) -> str:
    return clock.write(entry.at, clock.MINUTE)[:10]


def is_long(record: Record) -> bool:
    """Whether a file is longer than one that is read with ease."""
    return len(record.document.data.decode("utf-8", "replace")) > _LONG


def _merged(key: str, entries: list[Entry], room: int) -> Entry:
    """Return one entry for several of a day: a list of those that count most, and the number of the others."""
    told = sorted(entries, key=lambda one: (one.weight, one.at))[-_MOST:]
    gists = [one.gist(room) for one in sorted(told, key=lambda one: one.at)]
    more = len(entries) - len(told)
    rest = [f"`holdfast log` has {more} more."] if more else []
    lines = "\n".join(f"- {line}" for line in [*gists, *rest])
    return Entry(key, entries[-1].at, "What was said and done until then", lines)


def _sum(log: _Log, entry: Entry) -> str:
    return checksum("\n".join(log.lines(entry)).encode())
