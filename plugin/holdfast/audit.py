"""What is wrong with a state file: what is missing, unfilled, contradictory, stale or broken, each with its line."""

import itertools
import os
import re
import stat

from holdfast import clock, files, names, placeholders, text
from holdfast.dialect import Field, Part
from holdfast.dialects import Dialects
from holdfast.markdown import Row, Section
from holdfast.record import Record, Spot
from holdfast.statefile import LARGEST, StateFile, model

KINDS = ("missing", "placeholder", "contradictory", "stale", "broken")
_SAYING = re.compile(r"[^\W_]|[^\x00-\x7f\u2010-\u2015\u2022\u2026]")  # a letter, a digit or a sign such as ✅
_BOX = re.compile(r"^\s*(?:[-*+]|\d+[.)])?\s*\[[ xX]?\]", re.MULTILINE)
_OPEN = {" ", "~", "→"}  # what stands in the box of something that is not done
_AHEAD = ("next", "questions", "blockers")  # words of what may be open in a file that is done

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Finding:
    """One thing that is wrong: its 1-based line (0 for none), what it is about, and what is wrong with it."""

    __slots__ = ("kind", "line", "what", "why")

    def __init__(self, kind: str, line: int, what: str, why: str) -> None:
        self.kind = kind
        self.line = line
        self.what = what
        self.why = why


class Report:
    """The audit of one file. `dialect` is "unknown" for an unknown shape and "" for a file that cannot be read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.dialect = ""
        self.reason = ""
        self.type = ""
        self.findings: list[Finding] = []
        self.recommended: list[str] = []

    def of(self, kind: str) -> list[Finding]:
        """Return the findings of one kind, by line."""
        return sorted((found for found in self.findings if found.kind == kind), key=lambda found: found.line)

    @property
    def complete(self) -> bool:
        """Whether nothing is missing, unfilled, contradictory or broken; whether it is stale is another question."""
        known = self.dialect not in {"", "unknown"}
        return known and all(found.kind == "stale" for found in self.findings)

    @property
    def broken(self) -> bool:
        """Whether it is broken, or cannot be read."""
        return not self.dialect or bool(self.of("broken"))


def audit(path: str, dialects: Dialects, now: float, stale_hours: float) -> Report:
    """Return the audit of the file at `path`; a file that cannot be read has one broken finding that says why."""
    report = Report(path)
    try:
        report.reason = _unreadable(path)
        data = b"" if report.reason else files.read(path)
    except OSError as error:
        report.reason = str(error.strerror or error)
    if report.reason:
        report.findings.append(Finding("broken", 0, "file", report.reason))
        return report
    state = StateFile(data, path, dialects)
    report.dialect = state.dialect.name if state.dialect else "unknown"
    report.reason = state.reason
    report.findings += _broken(state)
    if state.dialect:
        report.type = str(model(state)["type"])
        _look(state.record, report, now, stale_hours)
    return report


def _unreadable(path: str) -> str:
    """Return why a file is not read, "" when it can be; OSError when it is not there."""
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        return "it is no plain file"
    return f"it is larger than {LARGEST >> 20} MB" if found.st_size > LARGEST else ""


def _broken(state: StateFile) -> "Iterator[Finding]":
    """Yield what cannot be read as it was meant."""
    if state.metadata.problem:
        yield Finding("broken", state.metadata.line, "frontmatter", state.metadata.problem)
    for at, what in state.document.flaws:
        yield Finding("broken", state.document.line(at), "text", what)


def _look(record: Record, report: Report, now: float, stale_hours: float) -> None:
    """Add what the dialect misses in a file, and in each entry of a register, and what does not agree."""
    register = record.register()
    for scope in [record, *register]:
        for part in scope.dialect.parts:
            if part.wanted(report.type):
                _part(scope, part, report)
        report.findings += [*_disagreeing(scope), *_finished(scope), *_old(scope, now, stale_hours)]
    report.findings += [*_unfilled(record), *_counted(record), *_twice(record), *_same_id(register)]


def _part(record: Record, part: Part, report: Report) -> None:
    """Add what is missing of one section of a dialect."""
    if part.holds == "front" or not part.title:
        return _fields(record, part, None, report)
    found = record.sections(part.title)
    said = bool(found and _filled(record, found[0])) or _elsewhere(record, part)
    if said and found:
        return _fields(record, part, found[0], report)
    if not said and part.need == "required":
        at = found[0] if found else record.section
        why = "nothing stands in this section" if found else f"there is no section {part.title}"
        line = record.document.line(at.start) if at else 1
        report.findings.append(Finding("missing", line, part.title, why))
    elif not said and part.need == "recommended":
        report.recommended.append(part.title)
    return None


def _elsewhere(record: Record, part: Part) -> bool:
    """Whether what a section holds is said by a label of that name."""
    return any(_says(record.text(Spot("label", label=label))) for name in part.names for label in record.labels(name))


def _says(said: str) -> bool:
    """Whether a text says anything: more than bullets, dashes and empty boxes."""
    return bool(_SAYING.search(_BOX.sub("", said)))


def _filled(record: Record, section: Section) -> bool:
    """Whether anything stands under a heading; a place for what is measured counts before anything was."""
    document = record.document
    said = (
        document.text(start, end)
        for kind, start, end in document.blocks(section.body, section.end)
        if kind not in {"heading", "comment", "rule"}
    )
    return any(map(_says, said)) or b"<!-- holdfast:" in document.data[section.body : section.end]


def _fields(record: Record, part: Part, section: Section | None, report: Report) -> None:
    """Add the fields that are needed and not there, or empty."""
    front = part.holds == "front"
    for field in part.fields:
        if field.need == "optional":
            continue
        spots = record.find(f"front:{field.name}") if front else _field_spots(record, field, section)
        if any(_says(record.text(spot)) for spot in spots):
            continue
        name = f"{part.title}.{field.name}" if part.title and not front else field.name
        if field.need == "required":
            line = record.line(spots[0]) if spots else _first_line(record, section)
            report.findings.append(Finding("missing", line, name, "it is empty" if spots else "it is not there"))
        else:
            report.recommended.append(name)


def _field_spots(record: Record, field: Field, section: Section | None) -> list[Spot]:
    """Return where a field stands: as a label, else as a section of its own."""
    labels = [Spot("label", label=label) for label in record.labels(field.name, section)]
    start, end = (section.body, section.end) if section else (record.start, record.end)
    within = [found for name in field.names for found in record.sections(name) if start <= found.start < end]
    return labels or [Spot("section", section=found) for found in within]


def _first_line(record: Record, section: Section | None) -> int:
    """Return the line on which a section, or the record itself, begins."""
    at = section or record.section
    return record.document.line(at.start) if at else 1


def _unfilled(record: Record) -> "Iterator[Finding]":
    """Yield each placeholder, with the section, field or key that it stands in."""
    document = record.document
    for path, said in [] if record.dialect.derived else record.metadata.leaves():
        if record.unfilled(said):
            yield _open(path, said, _key_line(record, path, said))
    labelled = set()
    for label in document.labels(record.start, record.end):
        said = document.text(label.value_start, label.value_end)
        if label.style != "row":  # all cells of a row are looked at
            labelled.add(label.start)
            if record.unfilled(said):
                name = "" if label.style == "heading" else label.name
                yield _open(_path(record, label.start, name), said, document.line(label.start))
    for at, said in itertools.chain(_blanks(record), _unanswered(record)):
        if at not in labelled:
            yield _open(_path(record, at), said, document.line(at))


def _key_line(record: Record, path: str, said: str) -> int:
    """Return the line of a text in the frontmatter, also of one in a list, which has no path of its own."""
    document = record.document
    at = document.data.find(said.encode(), 0, document.body)
    alone = at if at >= 0 and not record.metadata.span(path) else 0
    return document.line(alone) if alone else record.line(Spot("front", path=path))


def _blanks(record: Record) -> "Iterator[tuple[int, str]]":
    """Yield the headings and cells that are to be filled in; words such as TODO are answers there."""
    document = record.document
    titles = [(section.start, section.title) for section in document.sections if section.level < 7]
    rows = [row for row in document.rows(record.start, record.end) if not row.header]
    cells = [(row.start, document.text(*cell)) for row in rows for cell in row.cells]
    yield from ((at, said) for at, said in titles + cells if placeholders.is_blank(said))


def _unanswered(record: Record) -> "Iterator[tuple[int, str]]":
    """Yield the items, and the paragraphs or lines of them, that are placeholders."""
    document = record.document
    for item in document.items(record.start, record.end):
        if record.unfilled(said := record.item(item)):
            yield item.start, said
    for kind, start, end in document.blocks(record.start, record.end):
        said = document.text(start, end)
        if kind not in {"paragraph", "html"} or said.lstrip().startswith("<!--"):
            continue
        lines = list(_lines(record, start, end)) if kind == "paragraph" else []
        whole = [(start, said)] if not lines and record.unfilled(said) else []
        yield from lines or whole


def _lines(record: Record, start: int, end: int) -> "Iterator[tuple[int, str]]":
    """Yield those lines of a paragraph that are placeholders."""
    for line in record.document.data[start:end].splitlines(keepends=True):
        said = line.decode("utf-8", "replace")
        if record.unfilled(said):
            yield start, said
        start += len(line)


def _open(what: str, said: str, line: int) -> Finding:
    """Return the finding of a placeholder."""
    return Finding("placeholder", line, what, text.line(said, 80))


def _path(record: Record, at: int, name: str = "") -> str:
    """Return the innermost section that holds an offset, and the name of a field in it."""
    section = record.around(at)
    title = "title" if record.title and record.title.start == at else ""
    return ".".join(part for part in (section.title if section else title, name) if part) or "text"


def _spots(record: Record, word: str) -> list[Spot]:
    """Return all places of a word of the model."""
    return [spot for place in record.dialect.model.get(word, []) for spot in record.find(place)]


def _statuses(record: Record) -> list[tuple[str, str, Spot]]:
    """Return the places whose status is understood, as (standing, text, place)."""
    told = [(record.text(spot), spot) for spot in _spots(record, "status")]
    known = [(record.dialect.standing(said), said, spot) for said, spot in told if not record.unfilled(said)]
    return [one for one in known if one[0]]


def _disagreeing(record: Record) -> "Iterator[Finding]":
    """Yield that frontmatter and body do not agree on whether the work is completed."""
    front = [one for one in _statuses(record) if one[2].kind == "front"]
    body = [one for one in _statuses(record) if one[2].kind != "front"]
    for (standing, said, spot), (other, meant, where) in zip(front[:1], body[:1], strict=False):
        if (standing == "completed") != (other == "completed"):
            why = f"the frontmatter says {text.line(said, 40)!r}, line {record.line(where)} {text.line(meant, 40)!r}"
            yield Finding("contradictory", record.line(spot), "status", why)


def _finished(record: Record) -> "Iterator[Finding]":
    """Yield what speaks against a status of completed."""
    if [one[0] for one in _statuses(record)[:1]] != ["completed"]:
        return
    for spot in _spots(record, "progress"):
        said = record.text(spot) if spot.kind != "section" else ""
        share = names.percent(said)
        if share is not None and share < 100:
            yield Finding("contradictory", record.line(spot), "progress", f"says {said!r}, and the status completed")
    left = _open_boxes(record)
    if left:
        line = record.document.line(left[0][0])
        yield Finding("contradictory", line, "progress", f"{len(left)} boxes are open, and the status says completed")


def _open_boxes(record: Record) -> list[tuple[int, int]]:
    """Return the boxes that are not ticked, without those of what is told to come next."""
    ahead = [_reach(spot) for word in _AHEAD for spot in _spots(record, word)]
    boxes = [item.box for item in record.document.items(record.start, record.end) if item.box]
    here = [box for box in boxes if not any(start <= box[0] < end for start, end in ahead)]
    return [box for box in here if record.document.text(*box) in _OPEN]


def _reach(spot: Spot) -> tuple[int, int]:
    """Return the span of the section or the list that stands at a place."""
    if spot.section and spot.kind == "section":
        return spot.section.start, spot.section.end
    items = spot.label.items if spot.label else []
    return (items[0].start, items[-1].end) if items else (0, 0)


def _counted(record: Record) -> "Iterator[Finding]":
    """Yield a total that is neither the number of rows above it, nor of those that are not closed."""
    for part in record.dialect.parts:
        for section in record.sections(part.title) if part.holds == "table" else []:
            rows = [row for row in record.document.rows(section.body, section.end) if not row.header]
            left = [row for row in rows if not _closed(record, row)]
            for field in part.fields:
                yield from _miscounted(record, field, section, (len(rows), len(left)))


def _closed(record: Record, row: Row) -> bool:
    """Whether a row says of itself, after its id and title, that it is done."""
    said = [record.document.text(*cell) for cell in row.cells[2:]]
    return any(record.dialect.standing(cell) == "completed" for cell in said)


def _miscounted(record: Record, field: Field, section: Section, counts: tuple[int, int]) -> "Iterator[Finding]":
    """Yield a field whose number is none of these."""
    for label in record.labels(field.name, section):
        count = names.number(record.text(Spot("label", label=label)))
        if count is not None and count not in counts:
            why = f"says {count}, the table has {counts[0]} rows"
            yield Finding("contradictory", record.document.line(label.start), field.name, why)


def _twice(record: Record) -> "Iterator[Finding]":
    """Yield each section that the dialect knows and that stands once more under the same heading."""
    first: dict[tuple[int, str], int] = {}
    around: list[Section] = []
    for section in record.within(record.start, record.end):
        while around and around[-1].end <= section.start:
            around.pop()
        at = (around[-1].start if around else -1, names.whole(section.title))
        around.append(section)
        line = record.document.line(section.start)
        if first.setdefault(at, line) != line and record.part(section):
            why = f"this section stands on line {first[at]} already"
            yield Finding("contradictory", line, section.title, why)


def _same_id(register: list[Record]) -> "Iterator[Finding]":
    """Yield each entry of a register whose id another one has already."""
    first: dict[str, int] = {}
    for entry in register:
        ident, line = entry.ident(), _first_line(entry, None)
        known = ident and not entry.unfilled(ident) and names.plain(ident) not in {"n a", "none"}
        if known and first.setdefault(ident, line) != line:
            yield Finding("contradictory", line, ident, f"this id stands at the entry on line {first[ident]} already")


def _time(record: Record, word: str) -> tuple[float, str, Spot | None]:
    """Return the latest time at a word's places with its text and place; 0.0, "" and None for none."""
    told = [(record.text(spot), spot) for spot in _spots(record, word)]
    return max(((clock.find(said), said, spot) for said, spot in told), key=lambda one: one[0], default=(0.0, "", None))


def _old(record: Record, now: float, stale_hours: float) -> "Iterator[Finding]":
    """Yield that a file or entry was changed before it began, or says active and was last changed long ago."""
    updated, said, spot = _time(record, "updated")
    created, since, origin = _time(record, "created")
    doubt = 0 if clock.form(said) == clock.form(since) else 86400  # a date alone, or two zones
    if updated and spot and created - updated > doubt:
        why = f"says {text.line(said, 40)!r}, which is before it was created, {text.line(since, 40)!r}"
        yield Finding("contradictory", record.line(spot), "updated", why)
    last, at = (updated, spot) if updated else (created, origin)
    active = [one[0] for one in _statuses(record)[:1]] == ["active"]
    if at and last and active and now - last > stale_hours * 3600:
        yield Finding(
            "stale", record.line(at), "updated", f"it says active and was last changed {clock.ago(now - last)}"
        )
