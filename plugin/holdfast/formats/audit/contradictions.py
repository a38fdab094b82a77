"""Contradictions within a state file, and files that say active and have not changed for long."""

from collections.abc import Iterator

from holdfast.core import clock
from holdfast.core.finding import WARNING, Finding, contradictory
from holdfast.formats import names
from holdfast.formats.format import OTHER_TYPES, Field, Part
from holdfast.formats.listing import Table, box_items, tables
from holdfast.formats.record import Record, Spot
from holdfast.markdown.document import Row, Section
from holdfast.trust import safe


def contradictions(record: Record, entries: list[Record]) -> "Iterator[Finding]":
    """Yield the contradictions in a file; `entries` has its entries, which are compared with each other too."""
    for scope in [record, *entries]:
        yield from _disagreeing(scope)
        yield from _mirrored(scope)
        yield from _finished(scope)
        yield from _before(scope)
    yield from _tables(record)
    yield from _twice(record)
    yield from _fields_twice(record)
    yield from _same_id(entries)


def _statuses(record: Record) -> list[tuple[str, str, Spot]]:
    """Return the places with a status that the format understands, as (category, text, place)."""
    texts = [(record.text(spot), spot) for spot in record.spots("status")]
    known = [(record.file_format.category(text), text, spot) for text, spot in texts if not record.unfilled(text)]
    return [status for status in known if status[0]]


def _disagreeing(record: Record) -> "Iterator[Finding]":
    """Yield that frontmatter and body have different statuses.

    Where the format does not say that both are the same, only completed and not completed contradict each other.
    """
    statuses = _statuses(record)
    front = [status for status in statuses if status[2].kind == "front"]
    body = [status for status in statuses if status[2].kind != "front"]
    for (category, text, spot), (other, other_text, where) in zip(front[:1], body[:1], strict=False):
        same = record.file_format.mirror(spot.path) is not None
        if category != other and (same or "completed" in {category, other}):
            yield _differing(record, "status", (text, spot), (other_text, where))


def _mirrored(record: Record) -> "Iterator[Finding]":
    """Yield each key of the frontmatter whose value differs from its field in the body."""
    for part in record.file_format.parts:
        for field in (field for field in part.fields if field.front and field.kind != "status"):
            front, body = record.find(f"front:{field.front}"), record.find(f"label:{part.title}/{field.name}")
            texts = [(record.text(spot), spot) for spot in [*front[:1], *body[:1]]]
            known = [(text, spot) for text, spot in texts if text and not record.unfilled(text)]
            if len(known) == 2 and len({_meant(text) for text, _ in known}) == 2:
                yield _differing(record, field.front, *known)


def _meant(text: str) -> str:
    """Return a value without emphasis and case, and a type of work by its usual name."""
    plain = names.plain(text)
    return OTHER_TYPES.get(plain, plain)


def _differing(record: Record, what: str, front: tuple[str, Spot], body: tuple[str, Spot]) -> Finding:
    """Return the finding for a text of the frontmatter and one of the body that differ."""
    other = f"line {record.line(body[1])} {safe.line(body[0], 40)!r}"
    why = f"the frontmatter says {safe.line(front[0], 40)!r}, {other}"
    return contradictory(record.line(front[1]), what, why)


def _finished(record: Record) -> "Iterator[Finding]":
    """Yield what contradicts a status of completed: progress below 100 %, and open boxes."""
    if [category for category, _, _ in _statuses(record)[:1]] != ["completed"]:
        return
    for spot in record.spots("progress"):
        text = record.text(spot) if spot.kind != "section" else ""
        percent = names.percent(text)
        if percent is not None and percent < 100:
            yield contradictory(record.line(spot), "progress", f"says {text!r}, and the status completed")
    left = box_items(record)
    if left:
        line = record.document.line(left[0].start)
        yield contradictory(line, "progress", f"{len(left)} boxes are open, and the status says completed")


def _tables(record: Record) -> "Iterator[Finding]":
    """Yield what is wrong with the rows of the tables that the format knows, and with the totals below them."""
    for part in record.file_format.parts:
        for section in record.sections(part.title) if part.holds == "table" else []:
            found = tables(record.document, section.body, section.end)
            for table in found:
                yield from _rows(part, table)
            rows = sum(len(table.rows) for table in found)
            left = sum(not _closed(record, table, row) for table in found for row in table.rows)
            items = [item for item in record.items(section) if not item.box or not record.ticked(item)]
            for field in part.fields:
                yield from _miscounted(record, field, section, (rows + len(items), left + len(items)))


def _rows(part: Part, table: Table) -> "Iterator[Finding]":
    """Yield each row with too many cells, and each one whose key, the text in the first known column, appears twice."""
    key = table.column(part.columns[0]) if part.columns else -1
    first: dict[str, int] = {}
    for row in table.rows:
        line = table.document.line(row.start)
        if table.overfull(row):
            why = f"the row has more cells than the table, which has {len(table.header.cells)}"
            yield contradictory(line, part.title, why)
        text = table.text(row, key)
        if key >= 0 and not text:
            yield Finding("missing", line, part.title, f"the row has no {part.columns[0]}")
        for column, values in part.choices.items():
            content = table.text(row, table.column(column))
            if content and not any(names.plain(content).startswith(names.plain(value)) for value in values):
                why = f"{safe.line(content, 40)!r} is none of {', '.join(values)}"
                yield Finding("invalid", line, f"{part.title}.{column}", why)
        if text and first.setdefault(names.plain(text), line) != line:
            why = f"this {part.columns[0]} is on line {first[names.plain(text)]} already"
            yield contradictory(line, safe.line(text, 60), why)


def _closed(record: Record, table: Table, row: Row) -> bool:
    """Return whether a row says that it is done: in its column Status, else in any after the second."""
    status = table.column("Status")
    texts = [table.text(row, status)] if status >= 0 else [table.text(row, at) for at in range(2, len(row.cells))]
    return any(record.file_format.category(text) == "completed" for text in texts)


def _miscounted(record: Record, field: Field, section: Section, counts: tuple[int, int]) -> "Iterator[Finding]":
    """Yield a field whose number is none of the `counts`, the number of rows and of those that are not closed."""
    for label in record.labels(field.name, section):
        count = names.number(record.text(Spot("label", label=label)))
        if count is not None and count not in counts:
            why = f"says {count}, the table has {counts[0]} rows"
            yield contradictory(record.document.line(label.start), field.name, why)


def _twice(record: Record) -> "Iterator[Finding]":
    """Yield each section that the format knows and that appears once more under the same heading."""
    first: dict[tuple[int, str], int] = {}
    around: list[Section] = []
    for section in record.within(record.start, record.end):
        while around and around[-1].end <= section.start:
            around.pop()
        at = (around[-1].start if around else -1, names.whole(section.title))
        around.append(section)
        line = record.document.line(section.start)
        if first.setdefault(at, line) != line and record.part(section):
            why = f"this section is on line {first[at]} already"
            yield contradictory(line, section.title, why)


def _fields_twice(record: Record) -> "Iterator[Finding]":
    """Yield each known field that appears more than once in its section."""
    for part in record.file_format.parts:
        for section in record.sections(part.title) if part.title and part.holds == "fields" else []:
            for field in part.fields:
                labels = record.labels(field.name, section)
                lines = [record.document.line(at.start) for at in labels if at.start < record.own_end(section)]
                if len(lines) > 1:
                    why = f"it appears again on line {lines[1]}"
                    yield contradictory(lines[0], f"{part.title}.{field.name}", why)


def _same_id(entries: list[Record]) -> "Iterator[Finding]":
    """Yield each entry of a hub whose id another one has already."""
    first: dict[str, int] = {}
    for entry in entries:
        ident, line = entry.ident(), entry.begins()
        known = ident and not entry.unfilled(ident) and not names.is_none(ident)
        if known and first.setdefault(ident, line) != line:
            yield contradictory(line, ident, f"this id is at the entry on line {first[ident]} already")


def _time(record: Record, word: str) -> tuple[float, str, Spot | None]:
    """Return the latest time at a word's places with its text and place; 0.0, "" and None for none."""
    times = [(record.text(spot), spot) for spot in record.spots(word)]
    return max(
        ((clock.find(text), text, spot) for text, spot in times), key=lambda one: one[0], default=(0.0, "", None)
    )


def _before(record: Record) -> "Iterator[Finding]":
    """Yield that a file or entry was changed before it began."""
    updated, text, spot = _time(record, "updated")
    created, since, _ = _time(record, "created")
    doubt = 0 if clock.form(text) == clock.form(since) else 86400  # a date alone, or two zones
    if updated and spot and created - updated > doubt:
        why = f"says {safe.line(text, 40)!r}, which is before it was created, {safe.line(since, 40)!r}"
        yield contradictory(record.line(spot), "updated", why)


def stale(record: Record, now: float, stale_hours: float) -> "Iterator[Finding]":
    """Yield that a file or entry says active and was last changed long ago."""
    updated, _, spot = _time(record, "updated")
    created, _, origin = _time(record, "created")
    last, at = (updated, spot) if updated else (created, origin)
    active = [one[0] for one in _statuses(record)[:1]] == ["active"]
    if at and last and active and now - last > stale_hours * 3600:
        why = f"it says active and was last changed {clock.ago(now - last)}"
        yield Finding("stale", record.line(at), "updated", why, level=WARNING)
