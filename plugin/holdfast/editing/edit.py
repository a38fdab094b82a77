"""Edits of one state file: each request is located by the file's format and spliced in at that place alone.

Each edit is made and checked on its own. The new bytes are parsed: the text must read back as requested, the structure
around it must be unchanged, and the same edit must change nothing a second time. An edit that fails is not made.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.editing import insert, layout, lists, locate, logs, requests, tables, values
from holdfast.editing.insert import tabular
from holdfast.editing.layout import Edit, line, new_items
from holdfast.editing.locate import Target
from holdfast.editing.requests import Request, flatten
from holdfast.formats import names
from holdfast.formats.audit import kinds
from holdfast.formats.catalogue import Formats
from holdfast.formats.format import Field, Format, Part
from holdfast.formats.listing import Table
from holdfast.formats.listing import tables as tables_in
from holdfast.formats.record import Record, Spot
from holdfast.formats.state_file import StateFile, parse
from holdfast.markdown.document import Item, Row, Section, splices

Requested = dict[str, object]

_ONE = ("focus", "objective", "phase")  # words for what is one sentence
_OPEN = ("next", "questions", "blockers")  # words for lists of what is open, in which "None" says that all is done


def joined_text(record: Record, section: Section, requested: str) -> Edit | None:
    """Return the edit that replaces the paragraphs a section begins with; what comes after them stays.

    Of the section that says where the work is it replaces the lists too: what they say is over.
    A line such as "Half: done." is a paragraph too where the format says that the section holds text.
    """
    part = record.part(section)
    prose = part is not None and part.holds == "text"
    whole = section.start in _current(record)
    document, end = record.document, record.own_end(section)
    new = [line.rstrip() for line in requested.splitlines()]
    if record.body(section).split()[: len(requested.split())] == requested.split():
        return None
    run: list[tuple[int, int]] = []
    at = section.body
    for kind, start, stop in document.blocks(section.body, end):
        plain = kind == "paragraph" and (prose or not document.labels(start, stop))
        if plain or (whole and kind == "list") or (kind == "html" and record.unfilled(document.text(start, stop))):
            run.append((start, stop))
        elif kind != "comment" or run:
            break
        else:
            at = layout.last_line(document, start, stop)
    if run:
        old = " ".join(document.text(run[0][0], run[-1][1]).split())
        return Edit(layout.replaced(document, run[0][0], run[-1][1], new), old, requested)
    return Edit(layout.spaced(document, at, new), "", requested)


def _current(record: Record) -> set[int]:
    """Return where the sections begin that say where the work is."""
    return {spot.section.start for spot in record.spots("current") if spot.section}


# The plain names of the columns that say what a row is about, and of those that have its number or its day.
_TEXT = frozenset(
    (
        *("decision", "task", "item", "step", "action", "next", "blocker", "issue", "question", "what", "description"),
        *("summary", "title", "topic", "entry", "change", "work", "problem", "risk", "todo", "details"),
    )
)
_COUNTS = frozenset(("#", "no", "nr", "id", "number", "n"))
STAMPED = "last updated"  # where a change is that only says when the file was changed
_NUMBERED = re.compile(r"(?P<before>#|[A-Za-z]{1,20}-?)?(?P<digits>[0-9]{1,9})")  # 7, #7, D7, DECISION-007
_DAYS = frozenset(("date", "day", "when", "added", "since"))


def table_of(record: Record, section: Section) -> Table | None:
    """Return the one table in a section's own text, None when there is none, or a list too."""
    end = record.own_end(section)
    found = tables_in(record.document, section.body, end)
    listed = any(kind == "list" for kind, _, _ in record.document.blocks(section.body, end))
    return found[0] if len(found) == 1 and not listed else None


def edit_rows(record: Record, section: Section, table: Table, requested: list[str], minute: str) -> Edit | None:
    """Return the edit that adds a row for each text that the table does not have, None for none.

    HoldfastError when it is not clear which column is meant, or how a row is numbered.
    """
    document = record.document
    heads = [names.plain(table.text(table.header, at)) for at in range(len(table.header.cells))]
    place = _place(heads)
    rows = [row for row in table.rows if not _is_vacant(record, table, row)]
    new = new_items(requested, [table.text(row, place) for row in rows])
    if not new:
        return None
    counts = [table.text(row, at) for at, head in enumerate(heads) if head in _COUNTS for row in rows]
    numbers = _following(counts, len(new))
    if any(not number.isdecimal() for number in numbers) and len({*heads} - _COUNTS - _DAYS) > 1:
        numbers = []  # such as TASK-007 with a status beside it: who gave the id knows what belongs in the other cells
    if place < 0 or any(table.overfull(row) for row in table.rows) or not numbers:
        raise tabular(Part({"title": section.title}))
    lines = [_line(heads, {place: text}, number, minute[:10]) for text, number in zip(new, numbers, strict=True)]
    at = rows[-1].end if rows else document.line_end(table.header.end)
    put = layout.after(document, at, lines)
    if table.rows and not rows:
        put = layout.replaced(document, table.rows[0].start, table.rows[-1].end, lines)
    return tables.kept_alignment(document, table.header.start, Edit(put, "", "; ".join(new)))


def _following(counts: list[str], how_many: int) -> list[str]:
    """Return the numbers that follow those of a column, as they are written there; [] when that is not clear."""
    matches = [_NUMBERED.fullmatch(count) for count in counts]
    before = list({one["before"] or "" if one else None for one in matches} or {""})
    if None in before or len(before) > 1:
        return []
    digits = [one["digits"] for one in matches if one]
    width = max((len(one) for one in digits if one.startswith("0")), default=0)
    first = max(map(int, digits), default=0) + 1
    return [f"{before[0]}{number:0{width}}" for number in range(first, first + how_many)]


def _place(heads: list[str]) -> int:
    """Return the number of the column that a text belongs in, -1 when that is not clear."""
    named = [number for number, head in enumerate(heads) if head in _TEXT or head.split(" ")[0] in _TEXT]
    left = [number for number, head in enumerate(heads) if head not in _COUNTS | _DAYS]
    return named[0] if named else left[0] if len(left) == 1 else -1


def _line(heads: list[str], by_column: dict[int, str], number: str, day: str) -> str:
    """Return the line of a row with the texts `by_column` (column number -> text), its number, and its day."""
    known = {**dict.fromkeys(_COUNTS, number), **dict.fromkeys(_DAYS, day)}
    cells = [
        line(by_column[at]).replace("|", r"\|") if at in by_column else known.get(head, "")
        for at, head in enumerate(heads)
    ]
    return "| " + " | ".join(cells) + " |"


def _is_vacant(record: Record, table: Table, row: Row) -> bool:
    """Whether a row has placeholders and nothing else."""
    cells = [table.text(row, number) for number in range(len(table.header.cells))]
    filled = [cell for cell in cells if cell.strip("-\u2013\u2014 ")]
    return not filled or all(record.vacant(cell) for cell in filled)


def splice_of(record: Record, target: Target, request: Request, minute: str) -> Edit | None:
    """Return the edit that applies a request at a place, None when the place has it; HoldfastError if it is impossible.

    `minute` is the time now in UTC, which a new entry of a log gets.
    """
    field = locate.field(record, target)
    if request.items and field and _is_single(record, target, field):
        if len(request.items) > 1 and field.kind != "text":
            raise HoldfastError(f"it has one value, and {len(request.items)} are given; give one")
        request = Request(request.keys, text=request.line)
    there = record.text(target.spot) if target.spot and request.text else ""
    again = bool(request.text) and request.text in {there, names.before_hold(there)}  # it stays, or is what it was
    if field and not again:
        request.text = kinds.written(field, request.text, record.file_format)
        _refuse(record, field, request, minute)
        request = _cased(record, target, field, request)
    if target.part and not target.field:
        return insert.section_of(record, target.part, request, minute)
    if target.field:
        return insert.field(record, target, request)
    replace = field is not None and field.kind == "replaced"
    return _at(record, target.spot, request, minute, replace=replace) if target.spot else None


def _is_single(record: Record, target: Target, field: Field) -> bool:
    """Whether a field has one value or sentence, such as the objective, to which no items are added."""
    if field.kind not in {"text", "replaced"} or field.front or record.file_format.mirror(field.name):
        return True
    label = target.spot.label if target.spot else None
    spots = [spot.label for word in _ONE for spot in record.spots(word) if spot.label]
    return label is not None and not label.items and any(one.start == label.start for one in spots)


def _cased(record: Record, target: Target, field: Field, request: Request) -> Request:
    """Return a request for one word that frontmatter and body both have, with a capital where the old word has one."""
    twice = field.front or record.file_format.mirror(field.name)
    old = record.text(target.spot) if twice and target.spot else ""
    if not (old.isalpha() and request.text.isalpha()):
        return request
    text = request.text.capitalize() if old.istitle() else request.text.lower() if old.islower() else request.text
    return Request(request.keys, text=text)


def _refuse(record: Record, field: Field, request: Request, minute: str) -> None:
    """Raise a HoldfastError when a request's text is no value of the field."""
    why = kinds.problem(field, request.line, record.file_format, clock.read(minute) or float("inf"))
    if why:
        raise HoldfastError(why)


def _at(record: Record, spot: Spot, request: Request, minute: str, *, replace: bool) -> Edit | None:
    """Return the edit of an existing place; with `replace` a requested list replaces the present one."""
    if request.section and spot.kind != "section":
        raise HoldfastError("a field is there under this name, not a section")
    if spot.kind == "front":
        return values.key(record, spot.path, request.line)
    if spot.label and spot.label.items:
        return lists.of_label(record, spot.label, request.items, replace=replace)
    if spot.label:
        return values.value_of(record, spot.label, request, replace=replace)
    if spot.section and spot.kind == "title":
        return values.title(record, spot.section, spot.path, request)
    return _in_section(record, spot.section, request, minute, replace=replace) if spot.section else None


def _in_section(record: Record, section: Section, request: Request, minute: str, *, replace: bool) -> Edit | None:
    """Return the edit of a section: its managed lines, rows, log entries, tags, items or text."""
    if request.managed_lines:
        return requests.edit_managed(record, section, request.managed_lines)
    if request.rows is not None:
        return tables.edit(record, section, request)
    return _of_part(record, section, request, minute, replace=replace)


def _of_part(record: Record, section: Section, request: Request, minute: str, *, replace: bool) -> Edit | None:
    """Return the edit of a section that people keep, by what the format says it holds."""
    part = record.part(section)
    table = table_of(record, section)
    if part and part.holds == "table" and (part.title in insert.KEEPERS or table is None):
        raise insert.tabular(part)
    if table and (request.items is not None or (part and part.holds in {"table", "list", "checks"})):
        return edit_rows(record, section, table, request.items or [request.text], minute)
    if part and part.holds == "log":
        return logs.edit(record, section, part, request, minute)
    items = lists.first(record, section)
    if part and part.holds == values.HELD and not items:
        return values.edit_decision(record, section, request.items if request.items is not None else [request.text])
    if part and part.holds == "tags":
        tags = [request.text] if request.items is None else request.items
        bare = bool(items) and not record.item(items[0]).startswith("#")
        signed = [tag.removeprefix("#" * bare) for tag in values.tag_line(tags, []).split()]
        return lists.of_section(record, section, signed) if items else values.edit_tags(record, section, tags)
    holds = part.holds if part else ""
    requested = [request.text] if request.items is None else request.items
    listed = holds in {"list", "checks"} or (bool(items) and holds not in {"text", "tags"})
    if requested and (listed or request.items) and holds != "checks" and all(map(names.is_none, requested)):
        replace = replace or _may_be_empty(record, section, items)
    if (request.items is None and not listed) or (holds == "text" and section.start in _current(record)):
        return joined_text(record, section, request.text or "\n".join(f"- {item}" for item in request.items or []))
    return lists.of_section(record, section, requested, checks=holds == "checks", replace=replace)


def _may_be_empty(record: Record, section: Section, items: list[Item]) -> bool:
    """Return that "None" takes the place of a list of what is open; HoldfastError for items of any other list.

    A list such as that of decisions does not lose its items by a word.
    """
    is_open = any(spot.section == section for word in _OPEN for spot in record.spots(word))
    if not is_open and any(not names.is_none(record.item(one)) for one in items):
        raise HoldfastError("holdfast sets and adds, it does not delete; take items out in an editor")
    return True


@dataclass(slots=True, frozen=True)
class Change:
    """One edit that was made: the keys of its request, the old and the new text, and the 1-based line."""

    where: str
    old: str
    new: str
    line: int


@dataclass(slots=True)
class Outcome:
    """The file after all edits, the changes in order, and (where, why) of what could not be placed."""

    state: StateFile
    changes: list[Change] = field(default_factory=list)
    unplaced: list[tuple[str, str]] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        """The bytes after all edits."""
        return self.state.document.data


class Editor:
    """Edits the state file at `path`, or its one entry `ident`; `minute` is the time that a log's new entry gets.

    Requests are located by the file's own format, or by the format `through`. A request that names a section of working
    memory which the file has is located by the format of working memory, in a file of any format.
    """

    def __init__(
        self, path: str, formats: Formats, minute: str, ident: str = "", through: Format | None = None
    ) -> None:
        self.path = path
        self.formats = formats
        self.minute = minute
        self.ident = ident
        self.through = through

    def apply(self, data: bytes, requested: "Requested") -> Outcome:
        """Return the outcome of every edit in a nested object; HoldfastError when the file must not be written."""
        return self.make(data, flatten(requested))

    def make(self, data: bytes, requests: "Iterable[Request]") -> Outcome:
        """Return the outcome of these requests, made in order; HoldfastError when the file must not be written."""
        state = parse(data, self.path, self.formats)
        if state.problem:
            raise HoldfastError(f"{self.path} is not written: {state.problem}.")
        outcome = Outcome(state)
        for request in requests:
            self._one(outcome, request)
        return outcome

    def _one(self, outcome: Outcome, request: Request) -> None:
        """Make one edit and record its outcome."""
        before = after = outcome.state
        try:
            edits, problems = self._edits(before, request)
            if problems:  # all places with the same value are edited, or none: else they would contradict each other
                edits = []
            if edits:
                data = splices(outcome.data, [(edit.start, edit.end, edit.data) for edit in edits])
                after = parse(data, self.path, self.formats)
                self._verify(before, after, request, edits)
        except HoldfastError as error:
            edits, problems, after = [], [str(error)], before
        outcome.state = after
        outcome.unplaced += [(request.where, problem) for problem in problems[:1]]
        for edit in edits:
            where = (
                f"{request.where} (frontmatter {edit.key})" if edit.key and edit.key != request.where else request.where
            )
            outcome.changes.append(Change(where, edit.old, edit.new, before.document.line(edit.start)))

    def _edits(self, state: StateFile, request: Request) -> tuple[list[Edit], list[str]]:
        """Return the edits of one request, [] when the file has it already, and why some places cannot have it."""
        record = self._record(state, request)
        edits, problems = [], []
        for target in locate.targets(record, request):
            try:
                edits.append(splice_of(record, target, request, self.minute))
            except HoldfastError as error:
                problems.append(str(error))
        return [edit for edit in edits if edit is not None], problems

    def _record(self, state: StateFile, request: Request) -> Record:
        """Return the file, or its entry `ident`, by the format that has the requested place."""
        own = self._own(state)
        if self.through is None:
            return insert.overlaid(own, self.formats.get(insert.GUEST), request)
        kind = insert.Closed if self.through.name == own.file_format.name else insert.Overlay
        return kind(own, self.through)

    def _own(self, state: StateFile) -> Record:
        """Return the file, or its entry `ident`."""
        if not self.ident:
            return state.record
        records = [record for record in state.record.entries_of_hub() if record.ident() == self.ident]
        if len(records) != 1:
            word = "appears twice" if records else "is no longer there"
            raise HoldfastError(f"the entry {self.ident} {word}")
        return records[0]

    def _verify(self, before: StateFile, after: StateFile, request: Request, edits: list[Edit]) -> None:
        """Refuse an edit that does not read back, changes the structure, or would change something a second time."""
        if after.file_format is None or before.file_format is None or after.file_format.name != before.file_format.name:
            raise HoldfastError("the format of the file would no longer be recognised")
        if not _only_added(_outline(before, edits), _outline(after, []), sum(edit.headings for edit in edits)):
            raise HoldfastError("the text would change the headings of the file; give it without Markdown structure")
        if _flaws(after) > _flaws(before):
            raise HoldfastError("the text would open a code block or a comment that does not close")
        further, problems = self._edits(after, request)
        if further or problems:
            raise HoldfastError("the text cannot be there so that it reads back the same; give it as plain words")


def _outline(state: StateFile, edits: list[Edit]) -> "list[tuple[int, str]]":
    """Return level and title of the headings and tags of a file, without the titles that are edited."""
    edited = {section.start for section in state.document.sections for edit in edits if _heads(section, edit)}
    return [(section.level, "" if section.start in edited else section.title) for section in state.document.sections]


def _heads(section: Section, edit: Edit) -> bool:
    """Whether an edit changes a heading's own line."""
    return section.start <= edit.start < edit.end <= section.body


def _flaws(state: StateFile) -> int:
    return len(state.document.flaws)


def _only_added(before: "list[tuple[int, str]]", after: "list[tuple[int, str]]", most: int) -> bool:
    """Whether `after` is `before` with at most `most` headings added; a title of "" was edited."""
    rest = iter(after)
    kept = (any(level == other and title in {"", name} for other, name in rest) for level, title in before)
    return len(after) - len(before) <= most and all(kept)
