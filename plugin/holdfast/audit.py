"""What is wrong with a state file: what is missing, unfilled, contradictory, stale or broken, each with its line."""

import os
import stat

from holdfast import clock, files, names, text
from holdfast.dialects import TYPES, Dialects, Part
from holdfast.markdown import Section
from holdfast.record import Record, Spot
from holdfast.statefile import LARGEST, StateFile, model

KINDS = ("missing", "placeholder", "contradictory", "stale", "broken")

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
    why = _unreadable(path)
    if why:
        report.reason = why
        report.findings.append(Finding("broken", 0, "file", why))
        return report
    state = StateFile(files.read(path), path, dialects)
    report.dialect = state.dialect.name if state.dialect else "unknown"
    report.reason = state.reason
    report.findings += _broken(state)
    if state.dialect:
        report.type = str(model(state)["type"])
        _look(state.record, report)
        report.findings += _stale(state, now, stale_hours)
    return report


def _unreadable(path: str) -> str:
    """Return why a file cannot be read, "" when it can."""
    try:
        found = os.stat(path)
    except OSError as error:
        return str(error.strerror or error)
    if not stat.S_ISREG(found.st_mode):
        return "it is no plain file"
    if found.st_size > LARGEST:
        return f"it is larger than {LARGEST >> 20} MB"
    return "" if os.access(path, os.R_OK) else "it may not be read"


def _look(record: Record, report: Report) -> None:
    """Add what the dialect misses in a file, and in each entry of a register."""
    register = record.register()
    for scope in [record, *register]:
        for part in scope.dialect.parts:
            if part.wanted(report.type):
                _part(scope, part, report)
    report.findings += _unfilled(record)
    report.findings += _contradictions(record, register)


def _part(record: Record, part: Part, report: Report) -> None:
    """Add what is missing of one section of a dialect."""
    if part.holds == "front":
        return _fields(record, part, None, report)
    if not part.title:
        return _fields(record, part, None, report)
    found = record.sections(part.title)
    line = record.document.line(record.section.start) if record.section else 1
    if not found:
        if part.need == "required" and not _elsewhere(record, part):
            report.findings.append(Finding("missing", line, part.title, f"there is no section {part.title}"))
        elif part.need == "recommended":
            report.recommended.append(part.title)
        return None
    if len(found) > 1 and part.need == "required":
        lines = ", ".join(str(record.document.line(section.start)) for section in found)
        why = f"the section stands {len(found)} times, on lines {lines}"
        report.findings.append(Finding("contradictory", record.document.line(found[-1].start), part.title, why))
    if part.need == "required" and not _filled(record, found[0]):
        here = record.document.line(found[0].start)
        report.findings.append(Finding("missing", here, part.title, "nothing stands in this section"))
        return None
    return _fields(record, part, found[0], report)


def _elsewhere(record: Record, part: Part) -> bool:
    """Whether what a missing section holds is said by a label of that name."""
    return any(record.labels(name) for name in part.names)


def _filled(record: Record, section: Section) -> bool:
    """Whether anything stands in a section; a place for what is measured counts before anything was."""
    return bool(record.body(section)) or b"<!-- holdfast:" in record.document.data[section.body : section.end]


def _fields(record: Record, part: Part, section: Section | None, report: Report) -> None:
    """Add the fields that are needed and not there, or empty."""
    for field in part.fields:
        front = part.holds == "front"
        spots = _front_spots(record, field.name) if front else [
            Spot("label", label=label) for label in record.labels(field.name, section)
        ]
        said = [record.text(spot) for spot in spots]
        if any(said) or (field.need == "optional"):
            continue
        name = f"{part.title}.{field.name}" if part.title and not front else field.name
        at = spots[0].label.start if spots and spots[0].label else section.start if section else record.start
        line = 1 if front else record.document.line(at)
        if field.need == "required":
            why = "it is empty" if spots else "it is not there"
            report.findings.append(Finding("missing", line, name, why))
        else:
            report.recommended.append(name)


def _front_spots(record: Record, path: str) -> list[Spot]:
    return record.find(f"front:{path}")


def _unfilled(record: Record) -> "Iterator[Finding]":
    """Yield each placeholder, with the section, field or key that it stands in."""
    document, start, end = record.document, record.start, record.end
    for path, said in record.metadata.leaves():
        if record.unfilled(said):
            yield _open(record, path, said, record.line(Spot("front", path=path)))
    named = {}
    for label in document.labels(start, end):
        named[label.start] = label.name
        if record.unfilled(said := document.text(label.value_start, label.value_end)):
            yield _open(record, _path(record, label.start, label.name), said, document.line(label.start))
    for at, said in _texts(record):
        if at not in named and (record.unfilled(said) or _sampled(record, said)):
            yield _open(record, _path(record, at), said, document.line(at))


def _texts(record: Record) -> "Iterator[tuple[int, str]]":
    """Yield every text that may be a placeholder, with where it begins."""
    document, start, end = record.document, record.start, record.end
    yield from ((section.start, section.title) for section in document.sections if section.level < 7)
    yield from ((item.start, record.item(item)) for item in document.items(start, end))
    for kind, at, stop in document.blocks(start, end):
        if kind in {"paragraph", "html"}:
            yield at, document.text(at, stop)
    for row in document.rows(start, end):
        yield from ((row.start, document.text(*cell)) for cell in row.cells if not row.header)


def _open(record: Record, what: str, said: str, line: int) -> Finding:
    """Return the finding of a placeholder."""
    return Finding("placeholder", line, what or record.dialect.name, text.line(said, 80))


def _path(record: Record, at: int, name: str = "") -> str:
    """Return the innermost section that holds an offset, and the name of a field in it."""
    section = record.around(at)
    return ".".join(part for part in (section.title if section else "", name) if part)


def _sampled(record: Record, said: str) -> bool:
    """Whether any line of a text is a sentence of the empty template."""
    return bool(record.dialect.samples) and any(names.plain(line) in record.dialect.samples for line in said.splitlines() if line.strip())


def _contradictions(record: Record, register: list[Record]) -> "Iterator[Finding]":
    """Yield what says two things at once."""
    yield from _status_twice(record)
    yield from _finished(record)
    yield from _counted(record)
    for scope in register:
        yield from _status_twice(scope)
    idents = [scope.ident() for scope in register]
    for number, scope in enumerate(register):
        if idents[number] and idents[number] in idents[:number] and scope.section:
            line = record.document.line(scope.section.start)
            yield Finding("contradictory", line, idents[number], "this id stands at another entry already")


def _spots(record: Record, word: str) -> list[Spot]:
    """Return all places of a word of the model."""
    return [spot for place in record.dialect.model.get(word, []) for spot in record.find(place)]


def _status_twice(record: Record) -> "Iterator[Finding]":
    """Yield places that give different standings for the status."""
    told = [(record.text(spot), spot) for spot in _spots(record, "status")]
    known = [(record.dialect.standing(said), said, spot) for said, spot in told]
    known = [one for one in known if one[0]]
    for standing, said, spot in known[1:]:
        if (standing == "completed") != (known[0][0] == "completed"):
            why = f"says {text.line(said, 40)!r}, line {record.line(known[0][2])} says {text.line(known[0][1], 40)!r}"
            yield Finding("contradictory", record.line(spot), "status", why)


def _finished(record: Record) -> "Iterator[Finding]":
    """Yield what speaks against a status of completed, or for one."""
    spots = _spots(record, "status")
    if not spots or record.dialect.standing(record.text(spots[0])) != "completed":
        return
    for spot in _spots(record, "progress"):
        said = record.text(spot) if spot.kind != "section" else ""
        share = names.percent(said)
        if share is not None and share < 100:
            yield Finding("contradictory", record.line(spot), "progress", f"says {said!r}, and the status completed")
    left = [item for item in _boxes(record) if record.document.text(*item) == " "]
    if left:
        line = record.document.line(left[0][0])
        yield Finding("contradictory", line, "progress", f"{len(left)} boxes are open, and the status says completed")


def _boxes(record: Record) -> list[tuple[int, int]]:
    """Return the boxes of the sections that tell the progress."""
    sections = [spot.section for spot in _spots(record, "progress") if spot.kind == "section" and spot.section]
    items = [item for section in sections for item in record.document.items(section.body, section.end)]
    return [item.box for item in items if item.box]


def _counted(record: Record) -> "Iterator[Finding]":
    """Yield a total that is not the number of rows above it."""
    for part in record.dialect.parts:
        sections = record.sections(part.title) if part.holds == "table" else []
        for section in sections:
            rows = [row for row in record.document.rows(section.body, section.end) if not row.header]
            for field in part.fields:
                for label in record.labels(field.name, section):
                    said = record.text(Spot("label", label=label))
                    count = names.number(said)
                    if count is not None and count != len(rows):
                        why = f"says {count}, the table has {len(rows)} rows"
                        yield Finding("contradictory", record.document.line(label.start), field.name, why)


def _stale(state: StateFile, now: float, stale_hours: float) -> "Iterator[Finding]":
    """Yield that a file says active and was last changed long ago, or that its own text is younger than it says."""
    told = model(state)
    updated, created = told["updated"], told["created"]
    spots = _spots(state.record, "updated")
    line = state.record.line(spots[0]) if spots else 1
    if not isinstance(updated, float) or not isinstance(created, float):
        return
    if updated and created - updated > 86400:
        yield Finding("contradictory", line, "updated", "it was last changed before it was created")
    if updated and told["standing"] == "active" and now - updated > stale_hours * 3600:
        yield Finding("stale", line, "updated", f"it says active and was last changed {clock.ago(now - updated)}")


def _broken(state: StateFile) -> "Iterator[Finding]":
    """Yield what cannot be read as it was meant."""
    if state.metadata.problem:
        yield Finding("broken", state.metadata.line, "frontmatter", state.metadata.problem)
    for at, what in state.document.flaws:
        yield Finding("broken", state.document.line(at), "text", what)
