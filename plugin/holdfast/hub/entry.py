"""One entry of the hub, edited: a field is set or added, and every other byte stays as it is."""

import re
from collections.abc import Callable
from functools import cached_property

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.editing import layout
from holdfast.formats import names
from holdfast.formats.format import Field, Format
from holdfast.formats.record import bare
from holdfast.hub import entry_values
from holdfast.hub.entry_values import Link, Segment, links_in, same_ident
from holdfast.markdown.document import Document, Label, code_span, splice
from holdfast.trust import safe

Slot = tuple[int, int, str]

_NAME_ENDS = pattern(r"(?<!\s)\s+(?:[-\u2013\u2014]\s|\(child of\b)")
CHILD_OF = pattern(r"\s+\(child of (?P<name>[^()]+)\)\s*\Z", re.IGNORECASE)


def name_in(title: str) -> str:
    """Return the name in the heading of an entry: what is before its dash."""
    return safe.line(_NAME_ENDS.split(title, maxsplit=1)[0], 60).translate(str.maketrans("()", "[]"))


class EntryFields:
    """The fields of one entry of the hub; `data` are its bytes, from its heading to the next one."""

    def __init__(self, data: bytes, file_format: Format) -> None:
        self.data = data
        self.file_format = file_format
        self.document = Document(data)

    @property
    def title(self) -> str:
        """The heading."""
        return self.document.headings[0].title

    @property
    def called(self) -> str:
        """How an error names it: by its id, for errors are journaled, and the heading may be a stranger's."""
        from holdfast.trust import clone  # only an error names an entry

        return f"the entry {clone.short_names([self.ident])}" if self.ident else "an entry without an id"

    @property
    def name(self) -> str:
        """How other entries name it: the heading up to its dash."""
        return name_in(self.title)

    @property
    def parent_name(self) -> str:
        """The name of the parent that the heading names, as in `PR Workflow (child of Git Neuron)`; "" for none."""
        match = CHILD_OF.search(self.title)
        return match["name"].strip() if match else ""

    @property
    def has_title(self) -> bool:
        """Whether its heading is more than a template's, such as `[Workflow Name] (child of [Parent Neuron])`."""
        return not names.is_placeholder(CHILD_OF.sub("", self.title))

    @property
    def ident(self) -> str:
        """The session's id, "" for none."""
        return bare(self.text("Session ID"))

    @property
    def category(self) -> str:
        """The category of the status: active, waiting, paused or completed; "" when the status has none."""
        return self.file_format.category(self.text("Status"))

    @property
    def updated(self) -> float:
        """When it was last changed, according to its own times, in seconds since 1970; 0.0 for never."""
        times = (clock.find(self.text(field)) for field in ("Completed", "Last Updated", "Started"))
        return next((at for at in times if at), 0.0)

    @cached_property
    def labels(self) -> list[tuple[str, Label]]:
        """The fields in order, each with its name in the format or its own; labels in another field's list are none."""
        inner = self.document.sections[1:2]
        labels_read: list[tuple[str, Label]] = []
        after = 0
        for label in self.document.labels(0, inner[0].start if inner else len(self.data)):
            if label.start >= after and label.style != "heading":
                labels_read.append((self._called(label.name), label))
                after = max(label.end, label.items[-1].end if label.items else 0) if label.items else after
        return labels_read

    def _called(self, name: str) -> str:
        """Return the format's name for a field, its own when the format does not know it."""
        known = next((field.name for field in self._fields if names.plain(name) in field.names), None)
        return known or name

    @property
    def _fields(self) -> "list[Field]":
        return self.file_format.parts[0].fields if self.file_format.parts else []

    def label(self, field: str) -> Label | None:
        """Return the one label of a field, None when there is none; HoldfastError when it appears twice."""
        labels = [label for name, label in self.labels if name == field]
        if len(labels) > 1:
            raise HoldfastError(f"{self.called} has {len(labels)} fields {field}; keep one of them")
        return labels[0] if labels else None

    def text(self, field: str) -> str:
        """Return the value of the first label of a field, items joined; "" where there is none."""
        return next((value for name, value in self.pairs() if name == field), "")

    def pairs(self) -> list[tuple[str, str]]:
        """Return each field with its value, in order."""
        return [(name, "; ".join(piece for _, _, piece in self._slots(label))) for name, label in self.labels]

    def open(self, field: str) -> bool:
        """Whether a field has no value yet: it is missing, empty, or a placeholder."""
        value = self.text(field)
        return names.is_none(value) or names.is_placeholder(value)

    def links(self, field: str) -> list[Link]:
        """Return the sessions that Parent or Children name."""
        label = next((label for name, label in self.labels if name == field), None)
        return [link for _, _, piece in self._slots(label) for link in links_in(piece)] if label else []

    def _slots(self, label: Label) -> "list[Slot]":
        """Return the pieces of a value, as (start, end, text): its items, or the parts between semicolons."""
        text_at = self.document.text
        if label.items:
            return [
                (item.text_start, item.text_end, " ".join(text_at(item.text_start, item.text_end).split()))
                for item in label.items
            ]
        slots, at = [], label.value_start
        for part in self.data[label.value_start : label.value_end].split(b";"):
            start = at + len(part) - len(part.lstrip())
            slots.append(
                (start, max(start, at + len(part.rstrip())), " ".join(part.decode("utf-8", "replace").split()))
            )
            at += len(part) + 1
        return [slot for slot in slots if slot[2]]

    def tells(self, key: str) -> bool:
        """Whether the context has something under a key."""
        label = self.label("Context")
        return bool(label and entry_values.under([piece for _, _, piece in self._slots(label)], key))

    def _value(self, label: Label) -> str:
        return self.document.text(label.value_start, label.value_end)

    def whole(self) -> bool:
        """Whether the entry is complete: it leaves no tag, comment or fence open."""
        follows = Document(self.data.rstrip(b"\r\n") + b"\n\n# -\n").headings
        return bool(follows) and follows[-1].level == 1 and follows[-1].title == "-" and not self.document.flaws


TIME = "%Y-%m-%d %H:%M UTC"  # the documented form
TO_THE_SECOND = "%Y-%m-%d %H:%M:%S UTC"
_VALUE = 40_000  # characters; a context may be long
_TITLE = 120


class Entry(EntryFields):
    """An entry from its heading to the end of its text, read with the format of the hub's entries."""

    def child_of(self, name: str) -> "Entry":
        """Return the entry with its parent in its heading, if that names a parent or is as an update makes it."""
        old, purpose = self.parent_name, "" if self.open("Purpose") else self.text("Purpose")
        if old == name or not (old or self.title == made_heading(self.text("Agent"), purpose)):
            return self
        return self.titled(child_heading(CHILD_OF.sub("", self.title), name))

    def setting(self, field: str, value: str) -> "Entry":
        """Return the entry with a field set, added where it is missing; a field with a list stays as it is."""
        label = self.label(field)
        value = safe.line(value, _VALUE)
        if label and (label.items or " ".join(self._value(label).split()) == value):
            return self
        return self._fitting(field, value, lambda shown: self._set(label, field, shown), [value])

    def titled(self, heading: str) -> "Entry":
        """Return the entry under another heading; unchanged if that text cannot be a heading."""
        section = self.document.headings[0]
        at = self.data.find(section.title.encode(), 0, section.body)
        title = safe.line(heading, _TITLE).rstrip("# ")
        if at < 0 or not title:
            return self
        changed = Entry(splice(self.data, at, at + len(section.title.encode()), title.encode()), self.file_format)
        return changed if changed.whole() and changed.pairs() == self.pairs() else self

    def without(self, field: str, *, items: bool = False) -> "Entry":
        """Return the entry without the line of a field; one with `items` that may not go, or not alone, stays."""
        label = self.label(field)
        alone = label and not self.document.text(label.value_end, label.end).strip(" \\\r\n")
        if label is None or not alone or (label.items and not items):
            return self
        end = label.items[-1].end if label.items else label.end
        return Entry(splice(self.data, label.start, end, b""), self.file_format)

    def linking(self, field: str, link: Link) -> "Entry":
        """Return the entry with a link to a parent, which replaces any other, or to one more child."""
        known = self.links(field)
        same = [other for other in known if same_ident(link.ident, other.ident)]
        if any(field != "Parent" or other.name or not link.name for other in same):
            return self
        if field == "Parent" or (self.open(field) and not known):
            return self.setting(field, link.shown)
        label = self.label(field)
        if label and label.items:
            return self._replacing(field, len(self._slots(label)), link.shown)
        return self.setting(field, f"{self.text(field).rstrip(' ,;')}, {link.shown}")

    def without_child(self, ident: str) -> "Entry":
        """Return the entry without its link to a child."""
        label = self.label("Children")
        if label is None or not any(same_ident(ident, link.ident) for link in self.links("Children")):
            return self
        for item in label.items:
            value = self.document.text(item.text_start, item.text_end)
            if any(same_ident(ident, link.ident) for link in links_in(value)):
                return Entry(splice(self.data, item.start, item.end, b""), self.file_format)
        kept = [link.shown for link in self.links("Children") if not same_ident(ident, link.ident)]
        return self.setting("Children", ", ".join(kept) or "none")

    def telling(self, segments: list[Segment], *, whole: bool = False) -> "Entry":
        """Return the entry with the segments that its context lacks; with `whole` each key has one value."""
        label = self.label("Context")
        known = [piece for _, _, piece in self._slots(label)] if label else []
        blank = self.open("Context") and not any(segment.shown in known for segment in segments)
        pieces = [] if blank else list(known)
        for segment in segments:
            place = entry_values.merged(pieces, segment, whole=whole)
            if place is not None:
                pieces[place[0] : place[0] + 1] = [place[1]]
        if blank and pieces:  # the first replaces the placeholder
            return self._replacing("Context", 0, pieces[0]).extended(pieces[1:], 1)
        return self if pieces == known else self._rewritten(pieces, len(known))

    def _rewritten(self, pieces: list[str], there: int) -> "Entry":
        """Return the entry with a context of these pieces; the first `there` of them replace the present ones."""
        entry = self
        for number, piece in enumerate(pieces[:there]):
            label = entry.label("Context")
            if label and entry._slots(label)[number][2] != piece:
                entry = entry._replacing("Context", number, piece)
        return entry.extended(pieces[there:], there)

    def extended(self, pieces: list[str], there: int) -> "Entry":
        """Return the entry with more pieces in its context, added all at once where possible, else one by one."""
        entry = self
        for number, piece in enumerate(pieces):
            if number < 2 and (together := entry._together(pieces[number:])):
                return together
            entry = entry._replacing("Context", there + number, piece)
        return entry

    def _together(self, pieces: list[str]) -> "Entry | None":
        """Return the entry with more items in the list of its context, None when they do not read back the same."""
        label = self.label("Context")
        if label is None or not label.items or len(pieces) < 2:
            return None
        changed = Entry(self._appended(label, pieces), self.file_format)
        requested = [*(piece for _, _, piece in self._slots(label)), *pieces]
        return changed if changed.whole() and changed._differs(self, "Context", requested) else None

    def _replacing(self, field: str, number: int, value: str) -> "Entry":
        """Return the entry with one of the pieces of a field replaced, or one more after the last."""
        label = self.label(field)
        slots = self._slots(label) if label and (label.items or not self.open(field)) else []
        requested = [piece for _, _, piece in slots]
        requested[number:] = [value, *requested[number + 1 :]]
        return self._fitting(field, value, lambda shown: self._put(label, field, slots, number, shown), requested)

    def _put(self, label: Label | None, field: str, slots: "list[Slot]", number: int, shown: str) -> bytes:
        """Return the bytes with a piece of a field replaced or added."""
        if number < len(slots):
            return splice(self.data, slots[number][0], slots[number][1], shown.encode())
        if label and label.items:
            return self._appended(label, [shown])
        if label and slots:
            return splice(self.data, label.value_end, label.value_end, b"; " + shown.encode())
        return self.listing(field, shown)

    def _appended(self, label: Label, pieces: list[str]) -> bytes:
        """Return the bytes with more items after the last of a label's list."""
        at = layout.last_line(self.document, label.items[-1].start, label.items[-1].end)
        return splice(
            self.data, *layout.after(self.document, at, layout.items_like(self.document, label.items, pieces))
        )

    def listing(self, field: str, shown: str) -> bytes:
        """Return the bytes with a list of one item under a field that has no value yet."""
        label = self.label(field)
        if label is None:
            begun = Entry(self._set(None, field, ""), self.file_format)
            return begun.listing(field, shown) if begun.label(field) else begun.data
        if label.item or label.style != "bold":
            return self._set(label, field, shown)
        at = self.document.line_end(label.value_start - 1)
        rest = splice(self.data, *layout.spaced(self.document, at, [f"- {shown}"]))
        return splice(rest, len(self.data[: label.value_start].rstrip(b" \t")), label.value_end, b"")

    def _set(self, label: Label | None, field: str, shown: str) -> bytes:
        """Return the bytes with a field's value set, or with a new line at the field's place in the format."""
        if label:
            touching = self.data[label.value_start - 1 : label.value_start] in {b":", b"*", b"_"}
            gap = b" " if touching and shown else b""
            return splice(self.data, label.value_start, label.value_end, gap + shown.encode())
        at, alike = self._place(field)
        line = layout.label_like(self.document, alike, field, shown) if alike else f"**{field}:** {shown}"
        line = line if shown else line.rstrip()
        put = layout.spaced if self._ends_list(at) else layout.after
        return splice(self.data, *put(self.document, at, [line]))

    def _ends_list(self, at: int) -> bool:
        """Whether a list ends at an offset: a line right under it would belong to its last item."""
        return any(
            layout.last_line(self.document, item.start, item.end) == at
            for _, label in self.labels
            for item in label.items
        )

    def _place(self, field: str) -> tuple[int, list[Label]]:
        """Return where a new field goes, after those before it in the format, and the labels whose style it takes."""
        order = [known.name for known in self._fields]
        before = order[: order.index(field)] if field in order else order
        above = [label for name, label in self.labels if name in before]
        own = [label for _, label in self.labels]
        if not above and not own:
            body = self.document.headings[0].body
            return (body if self.data[body:].strip() else len(self.data)), []
        if not above:
            return own[0].start, own[:1]
        last = above[-1]
        alike = [label for label in own if (label.style, label.item) == (last.style, last.item)]
        end = last.items[-1].end if last.items else last.end
        return layout.last_line(self.document, last.start, end), [*alike[: alike.index(last)], last]

    def _fitting(self, field: str, value: str, make: Callable[[str], bytes], requested: list[str]) -> "Entry":
        """Return the entry that reads back as requested; the value is escaped where it would be read as Markdown."""
        for shown in (value, value.replace("*", r"\*").replace("_", r"\_").replace("`", r"\`"), code_span(value)):
            changed = Entry(make(shown), self.file_format)
            if changed.whole() and changed._differs(
                self, field, [shown if piece == value else piece for piece in requested]
            ):
                return changed
        raise HoldfastError(f"{value!r} cannot be in the field {field} of {self.called}; give it as plain words")

    def _differs(self, before: "Entry", field: str, requested: list[str]) -> bool:
        """Whether a change set one field to the requested value and left everything else alone."""
        rest = [[other for other in entry.pairs() if other[0] != field] for entry in (before, self)]
        titles = [[(each.level, each.title) for each in entry.document.headings] for entry in (before, self)]
        value = "; ".join(" ".join(piece.split()) for piece in requested)
        joined = [" ".join(each.split()) for each in (self.text(field), value.replace(";", "; "))]
        return rest[0] == rest[1] and titles[0] == titles[1] and _loose(joined[0]) == _loose(joined[1])


def made_heading(agent: str, purpose: str) -> str:
    """Return the heading of an entry as an update makes it."""
    return " - ".join(filter(None, [agent.replace("_", " ").capitalize(), purpose]))


def child_heading(heading: str, parent: str) -> str:
    """Return the heading of a child's entry, cut to the length of a heading."""
    end = f" (child of {parent})"
    return safe.line(heading, _TITLE - len(end)) + end


def _loose(value: str) -> str:
    """Return a text without blanks and semicolons, which joining its pieces may have added."""
    return "".join(value.split()).replace(";", "")


def begun(heading: str, fields: list[tuple[str, str]], file_format: Format, *, level: int, newline: str) -> Entry:
    """Return a new entry with these fields, in order; those without a value are left out."""
    title = safe.line(heading, _TITLE).rstrip("# ") or "Session"
    entry = Entry(f"{'#' * level} {title}{newline * 2}".encode(), file_format)
    if not (entry.whole() and len(entry.document.headings) == 1):
        raise HoldfastError(f"{heading!r} cannot be a heading; give it as plain words")
    for field, value in fields:
        if value:
            entry = entry.setting(field, value)
    return entry


def documented(time: str) -> bool:
    """Whether a time is written as documented, to the minute or to the second."""
    return clock.form(time) in {TIME, TO_THE_SECOND} and bool(clock.read(time))


def exact(time: str) -> bool:
    """Whether a time has a zone, in any notation."""
    form = "" if names.is_placeholder(time) else clock.form(time)
    return bool(clock.read(time)) and (form[-1:] in {"Z", "C"} or form[-3:-2] == ":" or form[-5:-4] in {"+", "-"})
