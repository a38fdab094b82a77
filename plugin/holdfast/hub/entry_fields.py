"""One entry of the hub, read: its heading, its fields and their links."""

import re
from functools import cached_property

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.formats import names, placeholders
from holdfast.formats.format import Format
from holdfast.formats.record import bare
from holdfast.hub import links, update_context
from holdfast.hub.links import Link
from holdfast.markdown.document import Document, Label
from holdfast.trust import redaction, safe

_NAME_ENDS = re.compile(r"(?<!\s)\s+(?:[-\u2013\u2014]\s|\(child of\b)")
CHILD_OF = re.compile(r"\s+\(child of (?P<name>[^()]+)\)\s*\Z", re.IGNORECASE)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.format import Field

    Slot = tuple[int, int, str]


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
        return f"the entry {redaction.short_names([self.ident])}" if self.ident else "an entry without an id"

    @property
    def name(self) -> str:
        """How other entries name it: the heading up to its dash."""
        return name_in(self.title)

    @property
    def parent_name(self) -> str:
        """The name of the parent that the heading names, as in `PR Workflow (child of Git Neuron)`; "" for none."""
        found = CHILD_OF.search(self.title)
        return found["name"].strip() if found else ""

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
        found: list[tuple[str, Label]] = []
        after = 0
        for label in self.document.labels(0, inner[0].start if inner else len(self.data)):
            if label.start >= after and label.style != "heading":
                found.append((self._called(label.name), label))
                after = max(label.end, label.items[-1].end if label.items else 0) if label.items else after
        return found

    def _called(self, name: str) -> str:
        """Return the format's name for a field, its own when the format does not know it."""
        known = next((field.name for field in self._fields if names.plain(name) in field.names), None)
        return known or name

    @property
    def _fields(self) -> "list[Field]":
        return self.file_format.parts[0].fields if self.file_format.parts else []

    def label(self, field: str) -> Label | None:
        """Return the one label of a field, None when there is none; HoldfastError when it appears twice."""
        found = [label for name, label in self.labels if name == field]
        if len(found) > 1:
            raise HoldfastError(f"{self.called} has {len(found)} fields {field}; keep one of them")
        return found[0] if found else None

    def text(self, field: str) -> str:
        """Return the value of the first label of a field, items joined; "" where there is none."""
        return next((value for name, value in self.pairs() if name == field), "")

    def pairs(self) -> list[tuple[str, str]]:
        """Return each field with its value, in order."""
        return [(name, "; ".join(piece for _, _, piece in self._slots(label))) for name, label in self.labels]

    def open(self, field: str) -> bool:
        """Whether a field has no value yet: it is missing, empty, or a placeholder."""
        value = self.text(field)
        return names.is_none(value) or placeholders.is_placeholder(value)

    def links(self, field: str) -> list[Link]:
        """Return the sessions that Parent or Children name."""
        label = next((label for name, label in self.labels if name == field), None)
        return [link for _, _, piece in self._slots(label) for link in links.read(piece)] if label else []

    def _slots(self, label: Label) -> "list[Slot]":
        """Return the pieces of a value, as (start, end, text): its items, or the parts between semicolons."""
        text_at = self.document.text
        if label.items:
            return [
                (item.text_start, item.text_end, " ".join(text_at(item.text_start, item.text_end).split()))
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

    def tells(self, key: str) -> bool:
        """Whether the context has something under a key."""
        label = self.label("Context")
        return bool(label and update_context.under([piece for _, _, piece in self._slots(label)], key))

    def _value(self, label: Label) -> str:
        return self.document.text(label.value_start, label.value_end)

    def whole(self) -> bool:
        """Whether the entry is complete: it leaves no tag, comment or fence open."""
        follows = Document(self.data.rstrip(b"\r\n") + b"\n\n# -\n").headings
        return bool(follows) and follows[-1].level == 1 and follows[-1].title == "-" and not self.document.flaws
