"""State files that also have sections of another format: any file may have those of working memory."""

from holdfast.editing import layout
from holdfast.editing.requests import Request
from holdfast.formats import names
from holdfast.formats.format import Format, Part
from holdfast.formats.record import Record
from holdfast.markdown.document import Label, Section

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


def record(own: Record, guest: Format | None, request: Request) -> Record:
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
