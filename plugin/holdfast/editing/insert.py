"""Insert new fields and sections at the place that the format defines."""

from operator import attrgetter

from holdfast.core.errors import HoldfastError
from holdfast.editing import layout, lists, logs, tables, values
from holdfast.editing.layout import Edit, item, new_items
from holdfast.editing.locate import Target
from holdfast.editing.requests import Request
from holdfast.formats import names
from holdfast.formats.format import Format, Part
from holdfast.formats.record import Record
from holdfast.markdown.document import TAGGED, Document, Label, Section

KEEPERS = {"Active Loops": ", which `holdfast loop` keeps"}  # title of a table -> the command that writes it


def field(record: Record, target: Target, request: Request) -> Edit | None:
    """Return the edit that adds a field: a key of the frontmatter, or a label in a section, which may be new too."""
    value, name = request.line, target.field
    if name.startswith("front:"):
        return values.key(record, name[6:], value)
    section, part = target.section, target.part
    if section is None and part and part.title:
        return section_of(record, part, request, "", label=name)
    document = record.document
    start = section.body if section else record.title.body if record.title else record.start
    end = record.own_end(section) if section else record.edge
    known = record.part(section) if section else None
    tabled = known is not None and known.holds == "table"  # its rows are no labels
    labels = [label for label in document.labels(start, end) if not tabled or label.style != "row"]
    listed = [(label.items[0].start, label.items[-1].end) for label in labels if label.items]
    labels = [label for label in labels if not any(at <= label.start < to for at, to in listed)]
    labels = [label for label in labels if not label.items] or labels  # a line below a list would be its last item's
    line = _label(record, labels, name, value) if labels or section else f"**{name}:** {value}"
    if not labels:
        at = max([start, *(stop for kind, _, stop in document.blocks(start, end) if tabled and kind == "table")])
        return Edit(layout.spaced(document, at, [line]), "", value)
    earlier, later = _fields_beside(record, section, known, name)
    if later and not earlier:
        start = document.line_start(later[0].start)
        return Edit((start, start, line.encode() + document.newline), "", value)
    last = (earlier or labels)[-1]
    at = layout.last_line(document, last.start, _reach(document, last))
    return Edit(layout.after(document, at, [line]), "", value)


def _fields_beside(
    record: Record, section: Section | None, part: Part | None, name: str
) -> tuple[list[Label], list[Label]]:
    """Return the labels of a section whose fields are before and after one in the format, each as in the file."""
    fields = [one.name for one in part.fields] if part and section else []
    if name not in fields:
        return [], []
    at = fields.index(name)
    earlier, later = (
        sorted((label for one in some for label in record.labels(one, section)), key=attrgetter("start"))
        for some in (fields[:at], fields[at + 1 :])
    )
    return earlier, later


def section_of(record: Record, part: Part, request: Request, minute: str, *, label: str = "") -> Edit | None:
    """Return the edit that adds a section at its place in the order of the format."""
    lines = _lines(record, part, request, minute, label)
    if not lines:
        return None
    at, above, closed = place_of(record, part)
    gap = [""] if layout.roomy(record.document) else []
    head = [part.caption, ""] if part.caption else []
    headed = [*above, *_headed(part, level_of(record, part), [*gap, *head, *lines]), *(["", "---"] if closed else [])]
    headings = sum(line.startswith(("#", "<")) for line in headed)
    new = (
        request.text
        or "; ".join(request.items or [] if part.holds != "tags" else [])
        or "; ".join(line for line in lines if line)
    )
    return Edit(layout.spaced(record.document, at, headed), "", new, headings=headings)


def _lines(record: Record, part: Part, request: Request, minute: str, label: str) -> list[str]:
    """Return the lines of a new section without its heading."""
    if label:
        return [_label(record, [], label, request.line)]
    if request.rows is not None:
        return tables.lines(request)
    return request.managed_lines.lines if request.managed_lines else _texts(part, request, minute)


def _texts(part: Part, request: Request, minute: str) -> list[str]:
    """Return the text, the items or the entries that a new section begins with."""
    if part.holds == "table":
        raise tabular(part)
    if part.holds == values.HELD:
        return values.decision_lines(request.items if request.items is not None else [request.text])
    items = new_items(request.items if request.items is not None else [request.text], [])
    if part.holds == "tags" and request.items is not None:
        return [values.tag_line(request.items, [])]
    if part.holds == "log":
        return logs.lines(part, items, request.minute or minute)
    if request.items is not None or part.holds in {"list", "checks"}:
        return [item(text, checks=part.holds == "checks") for text in items]
    return request.text.splitlines()


def _label(record: Record, labels: list[Label], name: str, value: str) -> str:
    """Return a label's line in the style of these, else of any in the file."""
    document = record.document
    if isinstance(record, Overlay):
        return f"**{name}:** {value}"
    return layout.label_like(document, labels or document.labels(record.start, record.end), name, value)


def _reach(document: Document, label: Label) -> int:
    """Return where a label ends with its list."""
    return max([label.value_end, *(item.end for item in lists.below(document, label))])


def tabular(part: Part) -> HoldfastError:
    """Return the error for a text in a section that holds a table."""
    return HoldfastError(f"its rows are a table{KEEPERS.get(part.title, '; edit them by hand')}")


def _headed(part: Part, level: int, lines: list[str]) -> list[str]:
    """Return lines under the heading, or between the tags, of a section."""
    if level == TAGGED:
        return [f"<{part.title}>", "", *(line for line in lines if line), "", f"</{part.title}>"]
    return ["#" * level + f" {part.title}", *lines]


def place_of(record: Record, part: Part) -> tuple[int, list[str], bool]:
    """Return the offset for a new section, the headings to put above it, and whether a rule closes it."""
    parent = record.file_format.part(part.under) if part.under else None
    if parent and not record.sections(part.under):
        at, _, closed = place_of(record, parent)
        return at, ["#" * level_of(record, parent) + f" {parent.title}", ""], closed
    at, closed = _among_others(record, part)
    return at, [], closed


def _among_others(record: Record, part: Part) -> tuple[int, bool]:
    """Return the offset for a section among the existing ones, and whether a rule closes it as it closes others."""
    document = record.document
    earlier, later = _neighbours(record, part)
    if earlier is None and later is not None:
        return later.start, False
    if earlier and earlier.level == TAGGED:
        return document.line_end(earlier.end), False
    inner = record.within(record.start, record.end)
    last = earlier or next(reversed(inner), None)
    if last is None:
        return layout.last_line(document, record.start, record.end), False
    tagged = next((section for section in inner if section.level == TAGGED and section.end >= last.end), None)
    if tagged and not earlier:
        end = document.line_end(tagged.end)
        return layout.content_end(document, Section(TAGGED, "", tagged.end, end, record.end), record.end), False
    end = earlier.end if earlier else record.end
    if end < record.end and (not _ruled(record, end) or _ruled(record, last.start)):  # another section follows
        return end, _ruled(record, end)
    return layout.content_end(document, _deepest(record, last), end), False


def _neighbours(record: Record, part: Part) -> tuple[Section | None, Section | None]:
    """Return the nearest existing sections before and after it in the order, within the same parent."""
    siblings = [other for other in record.file_format.parts if other.under == part.under and other.holds != "front"]
    at = siblings.index(part) if part in siblings else len(siblings)
    before = [section for other in siblings[:at] for section in _there(record, other)]
    after = [section for other in siblings[at + 1 :] for section in _there(record, other)]
    parent = record.sections(part.under) if part.under else []
    if not before and not after and parent:
        return parent[0], None
    return (before[-1] if before else None), (after[0] if after else None)


def _there(record: Record, part: Part) -> list[Section]:
    """Return the sections of a part, none for the lines above any section."""
    elsewhere = isinstance(record, Overlay) and record.known(part)
    return record.sections(part.title) if part.title and not elsewhere else []


def _deepest(record: Record, section: Section) -> Section:
    """Return the last section within a section, itself when there is none."""
    return next(reversed(record.within(section.body, section.end)), section)


def _ruled(record: Record, at: int) -> bool:
    """Whether a rule is right before an offset."""
    document = record.document
    kinds = [kind for kind, start, _ in document.blocks(max(document.body, at - 200), at) if start < at]
    return bool(kinds) and kinds[-1] == "rule"


def level_of(record: Record, part: Part) -> int:
    """Return the level for a new section: that of its neighbours, one below its parent, else the format's own."""
    if part.level == TAGGED:
        return TAGGED
    parent = record.sections(part.under) if part.under else []
    if parent:
        return min(parent[0].level + 1, 6)
    same = [other for other in record.file_format.parts if other.under == part.under and names.plain(other.title)]
    levels = [section.level for other in same for section in _there(record, other) if section.level < TAGGED]
    return min(levels, default=part.level)


GUEST = "gsd-lite"  # the format whose sections may be in a file of any other


class Closed(Record):
    """A file whose closing rule and note are not part of its last section."""

    def __init__(self, own: Record, file_format: Format) -> None:
        super().__init__(own.outline, file_format, own.section)
        last = next(reversed(self.within(self.start, self.end)), None)
        self.closing = layout.content_end(self.document, last, self.end) if last else self.end

    def own_end(self, section: Section) -> int:
        """Return where a section's own text ends, without its subsections."""
        return max(min(super().own_end(section), self.closing), section.body)

    def labels(self, name: str, within: Section | None = None) -> list[Label]:
        """Return the labels of this name; within a section those that are its own."""
        found = super().labels(name, within)
        return [label for label in found if label.start < self.closing] if within else found


class Overlay(Closed):
    """A file read by another format than its `own` record has; sections of that format come after the file's own."""

    def __init__(self, own: Record, through: Format) -> None:
        super().__init__(own, through)
        self.own = own

    def known(self, part: Part) -> bool:
        """Whether the file's own format has such a section, too; then its place does not determine that of others."""
        return _has(self.own, part)


class Host(Record):
    """A file read by its own format, without the labels in the sections of a guest format."""

    def __init__(self, own: Record, guest: Format) -> None:
        super().__init__(own.outline, own.file_format, own.section)
        self._guest = {name for part in _parts(guest, own) for name in part.names}
        self._closing = Closed(own, guest).closing

    def labels(self, name: str, within: Section | None = None) -> list[Label]:
        """Return the labels of this name, without those that are in sections of the guest."""
        found = super().labels(name, within)
        return found if within else [label for label in found if not self._theirs(label)]

    def _theirs(self, label: Label) -> bool:
        """Whether a label is in a section of the guest."""
        section = self.around(label.start)
        guest = section is not None and not self._guest.isdisjoint(names.forms(section.title))
        return guest and label.start < self._closing


def overlaid(own: Record, guest: Format | None, request: Request) -> Record:
    """Return the record to locate a request in: by the guest format if the request names one of its sections."""
    if guest is None or guest.name == own.file_format.name:
        return own
    meant = any(names.plain(request.keys[0]) in part.names for part in _parts(guest, own))
    return Overlay(own, guest) if meant and own.sections(request.keys[0]) else Host(own, guest)


def _parts(guest: Format, own: Record) -> list[Part]:
    """Return the required sections of the guest format, without those that the file's own format has."""
    return [part for part in guest.parts if part.need == "required" and not _has(own, part)]


def _has(own: Record, part: Part) -> bool:
    """Whether a section of this name belongs to the file's own format, by its title or by another of its names."""
    known = own.file_format.part(part.title)
    if known is None or names.plain(known.title) in part.names:
        return known is not None
    return all(names.forms(section.title) & part.names for section in own.sections(known.title))
