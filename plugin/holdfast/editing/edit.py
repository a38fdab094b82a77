"""Edits of one state file: each request is located by the file's format and spliced in at that place alone.

Each edit is made and checked on its own. The new bytes are parsed: the text must read back as requested, the structure
around it must be unchanged, and the same edit must change nothing a second time. An edit that fails is not made.
"""

from dataclasses import dataclass, field

from holdfast.core.errors import HoldfastError
from holdfast.editing import insert, locate, splicing
from holdfast.editing.pieces import Edit
from holdfast.editing.requests import Request, flatten
from holdfast.formats.catalogue import Formats
from holdfast.formats.format import Format
from holdfast.formats.record import Record
from holdfast.formats.state_file import StateFile, parse
from holdfast.markdown.document import Section, splices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Requested = dict[str, object]


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
                edits.append(splicing.edit(record, target, request, self.minute))
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
        found = [record for record in state.record.entries_of_hub() if record.ident() == self.ident]
        if len(found) != 1:
            word = "appears twice" if found else "is no longer there"
            raise HoldfastError(f"the entry {self.ident} {word}")
        return found[0]

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
