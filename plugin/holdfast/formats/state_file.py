"""One state file read: which format it is, and what it says in the words of listing and briefing."""

import os
from fnmatch import fnmatch

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.formats import agents, listing, names
from holdfast.formats.catalogue import Formats
from holdfast.formats.format import AHEAD, OTHER_TYPES, Format
from holdfast.formats.record import Outline, Record, Spot, bare
from holdfast.markdown.document import Document, Section
from holdfast.project import packages
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.summary import Summary


_WORDS = {
    "front": "`{}` in its frontmatter",
    "section": "section {}",
    "label": "label {}",
    "title": "title {}",
    "name": "name like {}",
}


def recognise(outline: Outline, path: str, formats: Formats) -> tuple[Format | None, str]:
    """Return the first format with all its marks in the file, and those marks; or None and the missing marks."""
    nearest, problem = 99, ""
    for file_format in formats:
        record = Record(outline, file_format)
        for marks in file_format.recognised:
            lacking = [mark for mark in marks if not _there(record, path, mark)]
            if not lacking:
                return file_format, f"it has {_listed(marks)}"
            if len(lacking) < min(nearest, len(_positive(marks))) and _positive(lacking):
                nearest, problem = len(lacking), f"{file_format.name} comes nearest, but it lacks {_listed(lacking)}"
    front = outline.metadata
    broken = f"its frontmatter cannot be read, line {front.line}: {front.problem}" if front.problem else ""
    return None, "; ".join(filter(None, ["its shape is none of the known ones", broken or problem]))


def _there(record: Record, path: str, mark: str) -> bool:
    """Whether the file has a mark of a format."""
    kind, _, rest = mark.partition(":")
    if kind == "absent":
        return not _there(record, path, rest)
    if kind == "name":
        return fnmatch(os.path.basename(path).casefold(), rest.casefold())
    if kind == "label" and "/" not in rest:
        return record.labelled(rest)
    return bool(record.find(mark))


def _positive(marks: list[str]) -> list[str]:
    """Return the marks that a file must have."""
    return [mark for mark in marks if not mark.startswith("absent:")]


def _listed(marks: list[str]) -> str:
    """Return the marks that a file must have as text for a person."""
    parts = (mark.partition(":") for mark in _positive(marks))
    return " and ".join(_WORDS[kind].format(rest).strip() for kind, _, rest in parts)


_KEPT = 1200  # characters of a text that are remembered for listing
_ENTRY = 300  # characters of a list's entry
_MOST = 40  # entries of a list
_REMEMBERED = 32  # parsed files that one process keeps
_MARKS = "*_-. \u2026"  # a text of nothing else says nothing
_OWN = ("title", "status", "type")  # whose words mean what they say, even when it is "none"
_DONE = pattern(r"[✅☑✔✓]|~~.*~~(?: ?\([^()]*\))?$")


class StateFile:
    """A state file's bytes with what is known of them; `format` is None for an unknown shape, `reason` says why."""

    def __init__(self, data: bytes, path: str, formats: Formats) -> None:
        self.path = path
        self.document = Document(data)
        outline = Outline(self.document)
        self.metadata = outline.metadata
        self.file_format, self.reason = recognise(outline, path, formats)
        self.record = Record(outline, self.file_format or Format("unknown", {}))

    @property
    def problem(self) -> str:
        """Why holdfast must not write the file, "" when it may."""
        if self.file_format is None:
            return self.reason
        if not self.file_format.writes:
            return f"its format {self.file_format.name} is only read"
        if self.document.conflicted():
            line = next((self.document.line(at) for at, what in self.document.flaws if "conflict" in what), 1)
            return f"line {line}: a merge left conflict markers; resolve them first"
        return ""

    def broken(self) -> list[tuple[int, str, str]]:
        """Return what cannot be read as it was meant, as (1-based line, "frontmatter" or "text", why), by line."""
        flaws = [(self.document.line(at), "text", what) for at, what in self.document.flaws]
        if self.metadata.problem:
            flaws.append((self.metadata.line, "frontmatter", self.metadata.problem))
        return sorted(flaws)

    def scope(self, entry: str) -> Record:
        """Return the entry of a hub with this id, the whole for "" and for an id that is not there."""
        entries = self.record.entries_of_hub() if entry else []
        return next((record for record in entries if record.ident() == entry), self.record)

    def part(self, title: str, entry: str = "") -> str:
        """Return the whole text, that of an entry, or that of one section; HoldfastError when it is not there."""
        record = self.scope(entry)
        if not title:
            start = record.section.start if record.section else 0
            return self.document.text(start, record.end)
        section = self._section(record, title)
        return self.document.text(section.start, section.end)

    def outline(self, title: str, entry: str = "") -> dict[str, object]:
        """Return format, reason, and the sections with level, line and text, as values that JSON knows."""
        record = self.scope(entry)
        found = [self._section(record, title)] if title else record.within(record.start, record.end)
        sections = [
            {
                "title": section.title,
                "level": section.level,
                "line": self.document.line(section.start),
                "text": self.document.text(section.body, record.own_end(section)).strip("\r\n"),
            }
            for section in found
        ]
        return {
            "format": self.file_format.name if self.file_format else "unknown",
            "reason": self.reason,
            "frontmatter": self.metadata.values,
            "sections": sections,
        }

    def _section(self, record: Record, title: str) -> Section:
        """Return the one section of this name; HoldfastError names those there are."""
        sections = record.sections(title)
        if len(sections) == 1:
            return sections[0]
        lines = ", ".join(str(self.document.line(section.start)) for section in sections)
        known = ", ".join(dict.fromkeys(section.title for section in record.within(record.start, record.end))) or "none"
        problem = f"appears {len(sections)} times, on lines {lines}" if sections else "is not there"
        raise HoldfastError(f"{self.path}: the section {title!r} {problem}. Sections: {safe.line(known, 500)}")


def parse(data: bytes, path: str, formats: Formats) -> StateFile:
    """Return the state file that these bytes are at `path`; the same bytes are parsed once for these formats.

    ImportError when the packages are not installed yet.
    """
    known = formats.parsed.get((path, data))
    if not isinstance(known, StateFile):
        packages.activate()
        if len(formats.parsed) >= _REMEMBERED:
            formats.parsed.clear()
        known = formats.parsed[path, data] = StateFile(data, path, formats)
    return known


def summary(state: StateFile) -> "Summary":
    """Return a state file in the words of listing and briefing, as values that JSON knows.

    Texts are "" and lists empty where nothing is filled in; times are seconds since 1970, 0.0 for none.
    """
    file_format = state.file_format
    fields: Summary = {
        "format": file_format.name if file_format else "unknown",
        "reason": state.reason,
        "problem": state.problem,
        "shared": bool(file_format and file_format.shared),
        "body": state.document.body,
        "ids": _idents(state.record),
        **_words(state.record),
        "agents": agents.rows(state.metadata),
        "entries": _entries(state.record),
    }
    fields["created"] = fields["created"] or clock.in_name(os.path.basename(state.path))
    fields["title"] = fields["title"] or _heading(state.document) or os.path.basename(state.path)
    return fields


def _words(record: Record) -> "Summary":
    """Return the words of the model for a file or an entry."""
    status = _text_of(record, "status")
    return {
        "title": _text_of(record, "title"),
        "status": status,
        "category": record.file_format.category(status),
        "own_words": status if names.says_more(status) else "",
        "type": type_of(record),
        "focus": _text_of(record, "focus"),
        "objective": _text_of(record, "objective").removeprefix(names.IN_TITLE).strip(),
        "progress": _text_of(record, "progress"),
        "phase": _text_of(record, "phase"),
        "current": _text_of(record, "current"),
        "next": _list_of(record, "next"),
        "questions": _list_of(record, "questions"),
        "decisions": _list_of(record, "decisions"),
        "blockers": _list_of(record, "blockers"),
        "artifacts": _list_of(record, "artifacts"),
        "created": _time_of(record, "created"),
        "updated": _time_of(record, "updated"),
    }


def type_of(record: Record) -> str:
    """Return the type of work, such as "build", by its usual name; "" without one."""
    text = _text_of(record, "type").casefold()
    return OTHER_TYPES.get(text, text)


def _entries(record: Record) -> "list[Summary]":
    """Return the words of each entry of a hub; one in the history that has no status is completed."""
    rows = [_entry(entry) for entry in record.entries_of_hub()]
    past = [one for title in record.file_format.sections[1:] for one in record.sections(title, every=True)]
    spans = [(one.start, one.end) for one in past]
    lines = [
        (record.document.line(start), record.document.line(end) + (end == len(record.document.data)))
        for start, end in spans
    ]
    for entry in rows:
        line = entry["line"]
        if not entry["status"] and isinstance(line, int) and any(start < line < end for start, end in lines):
            entry["category"] = "completed"
    return rows


def _entry(record: Record) -> "Summary":
    """Return the words of one entry of a hub, with its id, where it begins, and the files that it names."""
    section = record.section
    context = next((record.text(spot) for spot in record.spots("current")), "")
    return {
        **_words(record),
        "files": names.named(context, measured=False),
        "title": section.title if section else "",
        "id": record.ident(),
        "line": record.document.line(record.start if section is None else section.start),
    }


def _idents(record: Record) -> list[str]:
    """Return the ids that a state file names as its own."""
    texts = [bare(record.text(spot)) for spot in record.spots("ids")]
    return list(dict.fromkeys(ident for ident in texts if ident and not record.unfilled(ident)))[:_MOST]


def _text_of(record: Record, word: str) -> str:
    """Return the first answer that is at a word's places."""
    for spot in (spot for place in record.file_format.model.get(word, []) for spot in record.newest(place)):
        text = (_ticked(record, spot) if word == "progress" else "") or _latest(record, spot) or record.text(spot)
        nothing = not (text.strip(_MARKS) if word == "status" else text) or (word == "status" and names.is_of_git(text))
        nothing = nothing or (word not in _OWN and (names.is_none(text) or names.is_hint(text)))
        if not nothing and not record.unfilled(text):
            return _short(text, _KEPT)
    return ""


def _latest(record: Record, spot: Spot) -> str:
    """Return the newest entry of a section that is a log of dated entries, "" for any other place.

    An entry is a subsection, or a list item where the whole list is too long to be kept.
    """
    if spot.section is None or spot.kind == "title":
        return ""
    inner = [one for one in record.within(spot.section.body, spot.section.end) if clock.find(one.title)]
    if len(inner) > 1:
        last = max(inner, key=lambda one: clock.find(one.title))
        return f"{last.title}: {record.body(last)}"
    items = [record.item(item) for item in record.items(spot.section)]
    dated = len(items) > 1 and all(clock.find(item[:60]) for item in items)
    return max(items, key=clock.find) if dated and sum(map(len, items)) > _KEPT else ""


def _ticked(record: Record, spot: Spot) -> str:
    """Return how many of a section's boxes are ticked, "" where there are none."""
    if spot.section is None or spot.kind == "title":
        return ""
    boxes = [item for item in record.document.items(spot.section.body, spot.section.end) if item.box]
    return f"{sum(map(record.ticked, boxes))} of {len(boxes)} done" if boxes else ""


def _list_of(record: Record, word: str) -> list[str]:
    """Return the entries at the first of a word's places that has any."""
    for place in record.file_format.model.get(word, []):
        spots, ahead = record.newest(place), word in AHEAD
        if word == "blockers":  # a table of issues tells of their history, too
            spots = [spot for spot in spots if not (spot.section and listing.tabled_issues(record, spot.section))]
        texts = [entry for spot in spots for entry in listing.entries(record, spot, ahead=ahead)]
        texts = [record.item(one) for one in listing.box_items(record)] if place == "boxes:" else texts
        texts = [entry for entry in texts if not (word in AHEAD and _DONE.match(entry))]
        texts = [entry for entry in texts if not (names.is_none(entry) or names.is_hint(entry))]
        texts = [entry for entry in texts if not record.unfilled(entry)]
        if texts:
            return [_short(entry, _ENTRY) for entry in clock.newest(texts, _MOST)]
    return []


def _short(text: str, limit: int) -> str:
    """Return at most `limit` characters of a text, masked before it is cut; emphasis that was cut is closed."""
    short = safe.shortened(text, limit)
    mark = next((mark for mark in ("**", "__", "`") if len(text) > limit and short.count(mark) % 2), "")
    return safe.clip(short[:-1], limit - len(mark)) + mark if mark else short


def _time_of(record: Record, word: str) -> float:
    """Return the latest time at a word's places, 0.0 for none."""
    return max((clock.find(record.text(spot)) for spot in record.spots(word)), default=0.0)


def _heading(document: Document) -> str:
    """Return the first heading, "" when there is none."""
    return document.headings[0].title if document.headings else ""
