"""The audit of a state file: what is missing, unfilled, invalid, contradictory, stale or broken, with lines."""

import os
import re
import stat
from dataclasses import dataclass, field

from holdfast.core import clock, files
from holdfast.core.finding import Finding
from holdfast.core.statuses import OVER
from holdfast.formats import issue, names
from holdfast.formats.audit import kinds
from holdfast.formats.audit.contradictions import contradictions, stale
from holdfast.formats.audit.kinds import left_unfilled
from holdfast.formats.catalogue import Formats
from holdfast.formats.format import Field, Part
from holdfast.formats.record import Record, Spot
from holdfast.formats.state_file import parse, type_of
from holdfast.markdown.document import Section
from holdfast.project.discovery import LARGEST
from holdfast.trust import safe

KINDS = ("missing", "placeholder", "invalid", "contradictory", "stale", "broken")
_SAYING = re.compile(r"[^\W_]|[^\x00-\x7f\u2010-\u2015\u2022\u2026]")  # a letter, a digit or a sign such as ✅
_MINUTE = f"{clock.MINUTE} UTC"  # the form of a time in a log
_BOX = re.compile(r"^\s*(?:[-*+]|\d+[.)])?\s*\[[ xX]?\]", re.MULTILINE)


@dataclass(slots=True)
class Report:
    """The audit of one file.

    `file_format` is "unknown" for an unknown shape and "" for a file that cannot be read; `reason` says why. `type` is
    the type of work, and `recommended` names what the format recommends and the file does not have.
    """

    path: str
    file_format: str = ""
    reason: str = ""
    type: str = ""
    findings: list[Finding] = field(default_factory=list)
    recommended: list[str] = field(default_factory=list)

    def of(self, kind: str) -> list[Finding]:
        """Return the findings of one kind, by line."""
        return sorted((finding for finding in self.findings if finding.kind == kind), key=lambda finding: finding.line)

    @property
    def complete(self) -> bool:
        """Whether the file is of a known format and has no finding; being stale does not count."""
        known = self.file_format not in {"", "unknown"}
        return known and all(finding.kind == "stale" for finding in self.findings)

    @property
    def broken(self) -> bool:
        """Whether it is broken, or cannot be read."""
        return not self.file_format or bool(self.of("broken"))


def audit(path: str, formats: Formats, now: float, stale_hours: float, entry: str = "") -> Report:
    """Return the audit of the file at `path`, or of the one entry in it that has this id.

    A file that cannot be read has one broken finding that says why.
    """
    report = Report(path)
    try:
        report.reason = _unreadable(path)
        data = b"" if report.reason else files.read(path)
    except OSError as error:
        report.reason = f"{error.strerror or error} (an id goes with --session)"
    if report.reason:
        report.findings.append(Finding("broken", 0, "file", report.reason))
        return report
    state = parse(data, path, formats)
    report.file_format = state.file_format.name if state.file_format else "unknown"
    report.reason = state.reason
    report.findings += [Finding("broken", *flaw) for flaw in state.broken()]
    if state.file_format:
        report.type = type_of(state.record)
        entries = [] if entry else state.record.entries_of_hub()
        report.findings += check(path) if state.file_format.timestamped else []
        _look(state.scope(entry), entries, report, (now, stale_hours))
    return report


def _unreadable(path: str) -> str:
    """Return why a file is not read, "" when it can be; OSError when it is not there."""
    file_stat = os.stat(path)
    if not stat.S_ISREG(file_stat.st_mode):
        return "it is not a plain file"
    return f"it is larger than {LARGEST >> 20} MB" if file_stat.st_size > LARGEST else ""


def _look(record: Record, entries: list[Record], report: Report, age: tuple[float, float]) -> None:
    """Add the findings for a file and each entry of a hub; `age` is the time now and the hours until stale."""
    for scope in [record, *entries]:
        for part in scope.file_format.parts:
            if part.applies_to(report.type):
                _part(scope, part, report)
        report.findings += [*kinds.invalid(scope, age[0]), *stale(scope, *age)]
    report.findings += [*left_unfilled(record), *contradictions(record, entries)]


def _part(record: Record, part: Part, report: Report) -> None:
    """Add what is missing of one section of a format."""
    if part.holds == "front" or not part.title:
        return _fields(record, part, None, report)
    sections = record.sections(part.title)
    needed = part.need == "required" and part.holds == "list" and not _is_over(record)
    answered = bool(sections and _filled(record, sections[0], needed=needed)) or _elsewhere(record, part)
    if sections and part.entry.startswith("### ") and "{text}" in part.entry.partition("\n")[0]:
        report.findings += _log_headings(record, part, sections[0])
    if answered and sections:
        _columns(record, part, sections[0], report)
        return _fields(record, part, sections[0], report)
    if not answered and part.need == "required":
        at = sections[0] if sections else record.section
        why = "nothing is in this section" if sections else f"there is no section {part.title}"
        line = record.document.line(at.start) if at else 1
        report.findings.append(Finding("missing", line, part.title, why))
    elif not answered and part.need == "recommended":
        report.recommended.append(part.title)
    return None


def _log_headings(record: Record, part: Part, section: Section) -> list[Finding]:
    """Return a finding for each heading in a log that has not the form of the format: a time, a dash, what happened."""
    form = part.entry.removeprefix("### ")
    before, _, after = form.partition("{minute}")
    between = after.partition("{text}")[0]
    spans = [*record.document.paragraphs(section.body, record.own_end(section))]
    spans += [(item.start, item.end) for item in record.document.items(section.body, record.own_end(section))]
    made = [
        Finding("invalid", record.document.line(at), part.title, "an entry without a heading that has its time")
        for at, end in spans
        if not record.unfilled(record.document.text(at, end).strip())
    ]
    for one in record.within(section.body, section.end):
        minute, dash, what = one.title.removeprefix(before).partition(between)
        fits = dash and what.strip() and clock.read(f"{minute} UTC") and clock.form(f"{minute} UTC") == _MINUTE
        if one.level == section.level + 1 and not fits:
            shown = form.format(minute="YYYY-MM-DD HH:MM", text="what happened")
            why = f'"{safe.line(one.title, 80)}" is not of the form {shown}'
            made.append(Finding("invalid", record.document.line(one.start), part.title, why))
    return made


def _columns(record: Record, part: Part, section: Section, report: Report) -> None:
    """Add the columns that the first table of a section does not have."""
    header = next((row for row in record.document.rows(section.body, section.end) if row.header), None)
    known = {name for cell in header.cells for name in names.forms(record.document.text(*cell))} if header else set()
    for column in part.columns if header else []:
        if names.plain(column) not in known:
            line = record.document.line(header.start) if header else 0
            report.findings.append(Finding("missing", line, f"{part.title}.{column}", f"there is no column {column}"))


def _elsewhere(record: Record, part: Part) -> bool:
    """Whether a label with the name of a section has its content."""
    return any(_says(record.text(Spot("label", label=label))) for name in part.names for label in record.labels(name))


def _is_over(record: Record) -> bool:
    """Whether the work is over, so that nothing may be left to say."""
    return any(record.file_format.category(record.text(spot)) in OVER for spot in record.spots("status"))


def _says(text: str, *, needed: bool = False) -> bool:
    """Whether a text has more than bullets, dashes and empty boxes; where content is `needed`, more than "None"."""
    lines = [_BOX.sub("", line) for line in text.splitlines()]
    return any(_SAYING.search(line) and not (needed and names.says_nothing(line)) for line in lines)


def _filled(record: Record, section: Section, *, needed: bool) -> bool:
    """Whether a section has content; holdfast's own block counts even while it is empty."""
    document = record.document
    texts = (
        document.text(start, end)
        for kind, start, end in document.blocks(section.body, section.end)
        if kind not in {"heading", "comment", "rule"}
    )
    return (
        any(_says(text, needed=needed) for text in texts)
        or b"<!-- holdfast:" in document.data[section.body : section.end]
    )


def _fields(record: Record, part: Part, section: Section | None, report: Report) -> None:
    """Add the fields that are needed and not there, or empty."""
    front = part.holds == "front"
    for known in part.fields:
        if known.need == "optional":
            continue
        spots = record.find(f"front:{known.name}") if front else _field_spots(record, known, section)
        if any(_says(record.text(spot), needed=known.need == "required") for spot in spots):
            continue
        name = f"{part.title}.{known.name}" if part.title and not front else known.name
        if known.need == "required":
            line = record.line(spots[0]) if spots else record.begins(section)
            report.findings.append(Finding("missing", line, name, "it is empty" if spots else "it is not there"))
        else:
            report.recommended.append(name)


def _field_spots(record: Record, field: Field, section: Section | None) -> list[Spot]:
    """Return the places of a field: labels, else sections of its own."""
    labels = [Spot("label", label=label) for label in record.labels(field.name, section)]
    start, end = (section.body, section.end) if section else (record.start, record.end)
    within = [found for name in field.names for found in record.sections(name) if start <= found.start < end]
    return labels or [Spot("section", section=found) for found in within]


FOLDER = "sessions"  # only the names in such a folder follow this form
_NAME = re.compile(
    r"(?P<day>\d{4})(?P<month>\d\d)(?P<date>\d\d)-(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)-(?P<slug>.+)"
)


def check(path: str) -> list[Finding]:
    """Return what is wrong with the name of a state file in a folder `sessions`, [] for nothing and for other files."""
    folder, name = os.path.split(os.path.abspath(path))
    if os.path.basename(folder).casefold() != FOLDER:
        return []
    why = _problem(os.path.splitext(name)[0])
    return (
        [Finding("invalid", 0, "file name", f"{why}; call it such as 20251204-143000-weather-fallback.md")]
        if why
        else []
    )


def _problem(stem: str) -> str:
    match = _NAME.fullmatch(stem)
    if key := issue.key(stem):
        return f"it has the key of an issue in it, {key}"
    if not match:
        return "it does not begin with a timestamp"
    time = "{day}-{month}-{date}T{hour}:{minute}:{second}Z".format(**match.groupdict())
    return "" if clock.read(time) else "its timestamp is not a time"
