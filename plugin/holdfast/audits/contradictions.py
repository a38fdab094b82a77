"""What a state file says two things about, and what it says that time has passed by."""

from holdfast import clock, text
from holdfast.audits.finding import Finding
from holdfast.dialects import names
from holdfast.dialects.dialect import Field
from holdfast.markdown.document import Row, Section
from holdfast.states.record import Record, Spot

_OPEN = {" ", "~", "→"}  # what stands in the box of something that is not done
_AHEAD = ("next", "questions", "blockers")  # words of what may be open in a file that is done

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def contradictions(record: Record, register: list[Record]) -> "Iterator[Finding]":
    """Yield what does not agree within a file, or within and between the entries of a register."""
    for scope in [record, *register]:
        yield from _disagreeing(scope)
        yield from _finished(scope)
        yield from _before(scope)
    yield from _counted(record)
    yield from _twice(record)
    yield from _same_id(register)


def _statuses(record: Record) -> list[tuple[str, str, Spot]]:
    """Return the places whose status is understood, as (standing, text, place)."""
    told = [(record.text(spot), spot) for spot in record.spots("status")]
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
    for spot in record.spots("progress"):
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
    ahead = [_reach(spot) for word in _AHEAD for spot in record.spots(word)]
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
        ident, line = entry.ident(), entry.begins()
        known = ident and not entry.unfilled(ident) and names.plain(ident) not in {"n a", "none"}
        if known and first.setdefault(ident, line) != line:
            yield Finding("contradictory", line, ident, f"this id stands at the entry on line {first[ident]} already")


def _time(record: Record, word: str) -> tuple[float, str, Spot | None]:
    """Return the latest time at a word's places with its text and place; 0.0, "" and None for none."""
    told = [(record.text(spot), spot) for spot in record.spots(word)]
    return max(((clock.find(said), said, spot) for said, spot in told), key=lambda one: one[0], default=(0.0, "", None))


def _before(record: Record) -> "Iterator[Finding]":
    """Yield that a file or entry was changed before it began."""
    updated, said, spot = _time(record, "updated")
    created, since, _ = _time(record, "created")
    doubt = 0 if clock.form(said) == clock.form(since) else 86400  # a date alone, or two zones
    if updated and spot and created - updated > doubt:
        why = f"says {text.line(said, 40)!r}, which is before it was created, {text.line(since, 40)!r}"
        yield Finding("contradictory", record.line(spot), "updated", why)


def stale(record: Record, now: float, stale_hours: float) -> "Iterator[Finding]":
    """Yield that a file or entry says active and was last changed long ago."""
    updated, _, spot = _time(record, "updated")
    created, _, origin = _time(record, "created")
    last, at = (updated, spot) if updated else (created, origin)
    active = [one[0] for one in _statuses(record)[:1]] == ["active"]
    if at and last and active and now - last > stale_hours * 3600:
        why = f"it says active and was last changed {clock.ago(now - last)}"
        yield Finding("stale", record.line(at), "updated", why)
