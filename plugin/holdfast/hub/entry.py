"""One entry of the hub, as bytes of its own: its fields are read, set and begun, and all else stays as it is."""

import re
from collections.abc import Callable
from functools import cached_property

from holdfast import clock, text
from holdfast.dialects import names, placeholders
from holdfast.dialects.dialect import Dialect
from holdfast.edits import layout
from holdfast.errors import HoldfastError
from holdfast.hub import context, links
from holdfast.hub.context import Segment
from holdfast.hub.links import Link
from holdfast.markdown.document import Document, Label, splice
from holdfast.states.measured import code
from holdfast.states.record import bare

TIME = "%Y-%m-%d %H:%M UTC"  # the documented form
_NONE = frozenset({"", "none", "n a", "no", "nothing"})
_NAME_ENDS = re.compile(r"(?<!\s)\s+(?:[-\u2013\u2014]\s|\(child of\b)")
_VALUE = 40_000  # characters; a context may be long
_TITLE = 120

TYPE_CHECKING = False
if TYPE_CHECKING:
    Slot = tuple[int, int, str]


class Entry:
    """An entry from its heading to the end of its text, seen through the dialect of the hub's entries."""

    def __init__(self, data: bytes, dialect: Dialect) -> None:
        self.data = data
        self.dialect = dialect
        self.document = Document(data)

    @property
    def title(self) -> str:
        """The heading."""
        return self.document.headings[0].title

    @property
    def name(self) -> str:
        """How other entries name it: the heading up to its dash."""
        return text.line(_NAME_ENDS.split(self.title, maxsplit=1)[0], 60).translate(str.maketrans("()", "[]"))

    @property
    def ident(self) -> str:
        """The session's id, "" for none."""
        return bare(self.text("Session ID"))

    @property
    def standing(self) -> str:
        """What the status comes to: active, waiting, paused, completed, "" when nobody can tell."""
        return self.dialect.standing(self.text("Status"))

    @property
    def updated(self) -> float:
        """When it was last changed, as it says itself, 0.0 for never."""
        times = (clock.find(self.text(field)) for field in ("Completed", "Last Updated", "Started"))
        return next((at for at in times if at), 0.0)

    @cached_property
    def labels(self) -> list[tuple[str, Label]]:
        """The fields in order, each with the dialect's name for it or its own; those within another's list are none."""
        inner = self.document.sections[1:2]
        found: list[tuple[str, Label]] = []
        after = 0
        for label in self.document.labels(0, inner[0].start if inner else len(self.data)):
            if label.start >= after and label.style != "heading":
                found.append((self._called(label.name), label))
                after = max(label.end, label.items[-1].end if label.items else 0) if label.items else after
        return found

    def _called(self, name: str) -> str:
        """Return the dialect's name for a field, its own when the dialect does not know it."""
        known = next((field.name for field in self._fields if names.plain(name) in field.names), None)
        return known or name

    @property
    def _fields(self) -> "list[Field]":
        return self.dialect.parts[0].fields if self.dialect.parts else []

    def label(self, field: str) -> Label | None:
        """Return the one label of a field, None when there is none; HoldfastError when it stands twice."""
        found = [label for name, label in self.labels if name == field]
        if len(found) > 1:
            raise HoldfastError(f"the entry {self.title!r} has {len(found)} fields {field}; make it one first")
        return found[0] if found else None

    def text(self, field: str) -> str:
        """Return what the first label of a field says, items joined; "" where there is none."""
        return next((said for name, said in self.told() if name == field), "")

    def told(self) -> list[tuple[str, str]]:
        """Return each field with what it says, in order."""
        return [(name, "; ".join(said for _, _, said in self._slots(label))) for name, label in self.labels]

    def open(self, field: str) -> bool:
        """Whether a field says nothing yet: it is not there, empty, or a placeholder."""
        said = self.text(field)
        return names.plain(said) in _NONE or placeholders.is_placeholder(said)

    def links(self, field: str) -> list[Link]:
        """Return the sessions that Parent or Children name."""
        label = next((label for name, label in self.labels if name == field), None)
        return [link for _, _, said in self._slots(label) for link in links.read(said)] if label else []

    def _slots(self, label: Label) -> "list[Slot]":
        """Return the pieces of a value, as (start, end, text): its items, or what stands between semicolons."""
        told = self.document.text
        if label.items:
            return [
                (item.text_start, item.text_end, " ".join(told(item.text_start, item.text_end).split()))
                for item in label.items
            ]
        found, at = [], label.value_start
        for part in self.data[label.value_start : label.value_end].split(b";"):
            start = at + len(part) - len(part.lstrip())
            found.append(
                (start, max(start, at + len(part.rstrip())), " ".join(part.decode("utf-8", "replace").split()))
            )
            at += len(part) + 1
        return [slot for slot in found if slot[2]]

    def setting(self, field: str, value: str) -> "Entry":
        """Return the entry with a field set, begun where there is none; a list that stands there stays."""
        label = self.label(field)
        value = text.line(value, _VALUE)
        if label and (label.items or " ".join(self._value(label).split()) == value):
            return self
        return self._fitting(field, value, lambda shown: self._set(label, field, shown), [value])

    def titled(self, heading: str) -> "Entry":
        """Return the entry under another heading; one that cannot stand there changes nothing."""
        section = self.document.headings[0]
        at = self.data.find(section.title.encode(), 0, section.body)
        wanted = text.line(heading, _TITLE).rstrip("# ")
        if at < 0 or not wanted:
            return self
        changed = Entry(splice(self.data, at, at + len(section.title.encode()), wanted.encode()), self.dialect)
        return changed if changed.whole() and changed.told() == self.told() else self

    def without(self, field: str) -> "Entry":
        """Return the entry without the line of a field; one that shares its line with another stays."""
        label = self.label(field)
        alone = label and not label.items and not self.document.text(label.value_end, label.end).strip(" \\\r\n")
        if label is None or not alone:
            return self
        return Entry(splice(self.data, label.start, label.end, b""), self.dialect)

    def linking(self, field: str, link: Link) -> "Entry":
        """Return the entry with a link to a parent, in the place of any other, or to one more child."""
        known = self.links(field)
        if any(links.same(link.ident, other.ident) for other in known):
            return self
        if field == "Parent" or self.open(field):
            return self.setting(field, link.shown)
        label = self.label(field)
        if label and label.items:
            return self._replacing(field, len(self._slots(label)), link.shown)
        return self.setting(field, f"{self.text(field).rstrip(' ,;')}, {link.shown}")

    def parting(self, field: str, ident: str) -> "Entry":
        """Return the entry without its link to a session."""
        label = self.label(field)
        if label is None or not any(links.same(ident, link.ident) for link in self.links(field)):
            return self
        for item in label.items:
            told = self.document.text(item.text_start, item.text_end)
            if any(links.same(ident, link.ident) for link in links.read(told)):
                return Entry(splice(self.data, item.start, item.end, b""), self.dialect)
        kept = [link.shown for link in self.links(field) if not links.same(ident, link.ident)]
        return self.setting(field, ", ".join(kept) or "none")

    def telling(self, told: list[Segment], *, whole: bool = False) -> "Entry":
        """Return the entry with what its context does not say yet; with `whole` each key has one value."""
        label = self.label("Context")
        known = [said for _, _, said in self._slots(label)] if label else []
        blank = self.open("Context") and not any(segment.shown in known for segment in told)
        pieces = [] if blank else list(known)
        for segment in told:
            place = context.merged(pieces, segment, whole=whole)
            if place is not None:
                pieces[place[0] : place[0] + 1] = [place[1]]
        if blank and pieces:  # the first takes the place of what says that nothing is told yet
            return self._replacing("Context", 0, pieces[0]).extended(pieces[1:], 1)
        return self if pieces == known else self._rewritten(pieces, len(known))

    def tells(self, key: str) -> bool:
        """Whether the context has something under a key."""
        label = self.label("Context")
        return bool(label and context.under([said for _, _, said in self._slots(label)], key))

    def _rewritten(self, pieces: list[str], there: int) -> "Entry":
        """Return the entry with a context of these pieces, the first so many in the place of those that stand there."""
        entry = self
        for number, piece in enumerate(pieces[:there]):
            label = entry.label("Context")
            if label and entry._slots(label)[number][2] != piece:
                entry = entry._replacing("Context", number, piece)
        return entry.extended(pieces[there:], there)

    def extended(self, pieces: list[str], there: int) -> "Entry":
        """Return the entry with more pieces in its context: many at once, as they are, or each on its own."""
        entry = self
        for number, piece in enumerate(pieces):
            if number < 2 and (together := entry._together(pieces[number:])):
                return together
            entry = entry._replacing("Context", there + number, piece)
        return entry

    def _together(self, pieces: list[str]) -> "Entry | None":
        """Return the entry with more items in the list that its context is, None where that does not read back."""
        label = self.label("Context")
        if label is None or not label.items or len(pieces) < 2:
            return None
        changed = Entry(self._appended(label, pieces), self.dialect)
        wanted = [*(said for _, _, said in self._slots(label)), *pieces]
        return changed if changed.whole() and changed._differs(self, "Context", wanted) else None

    def _replacing(self, field: str, number: int, value: str) -> "Entry":
        """Return the entry with one of the pieces of a field replaced, or one more after the last."""
        label = self.label(field)
        slots = self._slots(label) if label and (label.items or not self.open(field)) else []
        wanted = [said for _, _, said in slots]
        wanted[number:] = [value, *wanted[number + 1 :]]
        return self._fitting(field, value, lambda shown: self._put(label, field, slots, number, shown), wanted)

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
        """Return the bytes with a first item in a list under a field that says nothing yet."""
        label = self.label(field)
        if label is None:
            begun = Entry(self._set(None, field, ""), self.dialect)
            return begun.listing(field, shown) if begun.label(field) else begun.data
        if label.item or label.style != "bold":
            return self._set(label, field, shown)
        at = self.document.line_end(label.value_start - 1)
        rest = splice(self.data, at, at, f"- {shown}{self.document.newline.decode()}".encode())
        return splice(rest, len(self.data[: label.value_start].rstrip(b" \t")), label.value_end, b"")

    def _set(self, label: Label | None, field: str, shown: str) -> bytes:
        """Return the bytes with a field's value set, or its line begun where the dialect has it."""
        if label:
            touching = self.data[label.value_start - 1 : label.value_start] in {b":", b"*", b"_"}
            gap = b" " if touching and shown else b""
            return splice(self.data, label.value_start, label.value_end, gap + shown.encode())
        at, alike = self._place(field)
        line = layout.label_like(self.document, alike, field, shown) if alike else f"**{field}:** {shown}"
        line = line if shown else line.rstrip()
        return splice(self.data, *layout.after(self.document, at, [line]))

    def _place(self, field: str) -> tuple[int, list[Label]]:
        """Return where a new field goes, after those that the dialect has before it, and the labels to be like."""
        order = [known.name for known in self._fields]
        before = order[: order.index(field)] if field in order else order
        above = [label for name, label in self.labels if name in before]
        own = [label for _, label in self.labels]
        if not above:
            return (own[0].start, own[:1]) if own else (self.document.headings[0].body, [])
        last = above[-1]
        alike = [label for label in own if (label.style, label.item) == (last.style, last.item)]
        end = last.items[-1].end if last.items else last.end
        return layout.last_line(self.document, last.start, end), [*alike[: alike.index(last)], last]

    def _value(self, label: Label) -> str:
        return self.document.text(label.value_start, label.value_end)

    def _fitting(self, field: str, value: str, make: Callable[[str], bytes], wanted: list[str]) -> "Entry":
        """Return the entry that reads back as meant, the value escaped where it would be taken for structure."""
        for shown in (value, value.replace("*", r"\*").replace("_", r"\_").replace("`", r"\`"), code(value)):
            changed = Entry(make(shown), self.dialect)
            if changed.whole() and changed._differs(self, field, [shown if said == value else said for said in wanted]):
                return changed
        raise HoldfastError(f"{value!r} cannot stand in the field {field} of {self.title!r}; give it as plain words")

    def whole(self) -> bool:
        """Whether the entry stands for itself: it ends no other way than it began, whatever follows."""
        follows = Document(self.data.rstrip(b"\r\n") + b"\n\n# -\n").headings
        return bool(follows) and follows[-1].level == 1 and follows[-1].title == "-" and not self.document.flaws

    def _differs(self, before: "Entry", field: str, wanted: list[str]) -> bool:
        """Whether a change left everything but one field alone, which says what was wanted."""
        rest = [[told for told in entry.told() if told[0] != field] for entry in (before, self)]
        titles = [[(each.level, each.title) for each in entry.document.headings] for entry in (before, self)]
        said = "; ".join(" ".join(piece.split()) for piece in wanted)
        joined = [" ".join(each.split()) for each in (self.text(field), said.replace(";", "; "))]
        return rest[0] == rest[1] and titles[0] == titles[1] and _loose(joined[0]) == _loose(joined[1])


def _loose(said: str) -> str:
    """Return a text without what a join of its pieces may have added."""
    return "".join(said.split()).replace(";", "")


def begun(heading: str, fields: list[tuple[str, str]], dialect: Dialect, *, level: int, newline: str) -> Entry:
    """Return a new entry with these fields, in order; those without a value are left out."""
    title = text.line(heading, _TITLE).rstrip("# ") or "Session"
    entry = Entry(f"{'#' * level} {title}{newline}".encode(), dialect)
    if not (entry.whole() and len(entry.document.headings) == 1):
        raise HoldfastError(f"{heading!r} cannot stand as a heading; give it as plain words")
    for field, value in fields:
        if value:
            entry = entry.setting(field, value)
    return entry


if TYPE_CHECKING:
    from holdfast.dialects.dialect import Field
