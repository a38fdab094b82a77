"""Edits of one state file: what is wanted, found where the dialect says it stands, and spliced in there alone.

Every edit is made on its own and looked at again in the bytes it gave: it must read back as it was meant, leave the
structure around it as it was, and change nothing when it is made a second time. One that does not is not made.
"""

from holdfast.dialects.catalog import Dialects
from holdfast.dialects.dialect import Dialect
from holdfast.edits import placing, seen, splicing
from holdfast.edits.pieces import Edit
from holdfast.edits.wishes import Want, flatten
from holdfast.errors import HoldfastError
from holdfast.markdown.document import Section, splices
from holdfast.states.record import Record
from holdfast.states.statefile import StateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Wanted = dict[str, object]


class Change:
    """One edit that was made: `where` as it was asked for, the old and the new text, and the 1-based line."""

    __slots__ = ("line", "new", "old", "where")

    def __init__(self, where: str, old: str, new: str, line: int) -> None:
        self.where = where
        self.old = old
        self.new = new
        self.line = line


class Outcome:
    """The file after all edits, the changes in order, and (where, why) of what could not be placed."""

    __slots__ = ("changes", "state", "unplaced")

    def __init__(self, state: StateFile) -> None:
        self.state = state
        self.changes: list[Change] = []
        self.unplaced: list[tuple[str, str]] = []

    @property
    def data(self) -> bytes:
        """The bytes after all edits."""
        return self.state.document.data


class Editor:
    """Edits the state file at `path`, or its one entry `ident`; `minute` is the time that a log's new entry gets.

    Wishes are placed as the file's own dialect has it, or as another one does, `through` which the file is seen. What
    names a section of working memory that stands there is placed as that dialect has it in any file.
    """

    def __init__(
        self, path: str, dialects: Dialects, minute: str, ident: str = "", through: Dialect | None = None
    ) -> None:
        self.path = path
        self.dialects = dialects
        self.minute = minute
        self.ident = ident
        self.through = through

    def apply(self, data: bytes, wanted: "Wanted") -> Outcome:
        """Return the outcome of every edit in a nested object; HoldfastError when the file must not be written."""
        return self.make(data, flatten(wanted))

    def make(self, data: bytes, wants: "Iterable[Want]") -> Outcome:
        """Return the outcome of making these wishes true in order; HoldfastError when the file must not be written."""
        state = StateFile(data, self.path, self.dialects)
        if state.problem:
            raise HoldfastError(f"{self.path} is not written: {state.problem}.")
        outcome = Outcome(state)
        for want in wants:
            self._one(outcome, want)
        return outcome

    def _one(self, outcome: Outcome, want: Want) -> None:
        """Make one edit and note what came of it."""
        before = after = outcome.state
        try:
            edits, problems = self._edits(before, want)
            if problems:  # all places that say the same, or none: half of it would be a contradiction
                edits = []
            if edits:
                data = splices(outcome.data, [(edit.start, edit.end, edit.data) for edit in edits])
                after = StateFile(data, self.path, self.dialects)
                self._look_again(before, after, want, edits)
        except HoldfastError as error:
            edits, problems, after = [], [str(error)], before
        outcome.state = after
        outcome.unplaced += [(want.where, problem) for problem in problems[:1]]
        for edit in edits:
            where = f"{want.where} (frontmatter {edit.key})" if edit.key and edit.key != want.where else want.where
            outcome.changes.append(Change(where, edit.old, edit.new, before.document.line(edit.start)))

    def _edits(self, state: StateFile, want: Want) -> tuple[list[Edit], list[str]]:
        """Return the splices that one wish comes to, none when all is as wanted, and why some place cannot have it."""
        record = self._record(state, want)
        edits, problems = [], []
        for target in placing.targets(record, want):
            try:
                edits.append(splicing.edit(record, target, want, self.minute))
            except HoldfastError as error:
                problems.append(str(error))
        return [edit for edit in edits if edit is not None], problems

    def _record(self, state: StateFile, want: Want) -> Record:
        """Return the file, or the entry that is meant, through the dialect that has what is wanted."""
        own = self._own(state)
        if self.through is None:
            return seen.record(own, self.dialects.get(seen.GUEST), want)
        kind = seen.Closed if self.through.name == own.dialect.name else seen.Seen
        return kind(own, self.through)

    def _own(self, state: StateFile) -> Record:
        """Return the file, or the entry that is meant."""
        if not self.ident:
            return state.record
        found = [record for record in state.record.register() if record.ident() == self.ident]
        if len(found) != 1:
            word = "stands twice" if found else "is no longer there"
            raise HoldfastError(f"the entry {self.ident} {word}")
        return found[0]

    def _look_again(self, before: StateFile, after: StateFile, want: Want, edits: list[Edit]) -> None:
        """Refuse an edit that does not read back, moves the structure, or would change something a second time."""
        if after.dialect is None or before.dialect is None or after.dialect.name != before.dialect.name:
            raise HoldfastError("the file would no longer be known for what it is")
        if not _only_added(_outline(before, edits), _outline(after, []), sum(edit.headings for edit in edits)):
            raise HoldfastError("the text would change the headings of the file; give it without Markdown structure")
        if _flaws(after) > _flaws(before):
            raise HoldfastError("the text would open a code block or a comment that does not close")
        further, problems = self._edits(after, want)
        if further or problems:
            raise HoldfastError("the text cannot stand there so that it reads back the same; give it as plain words")


def _outline(state: StateFile, edits: list[Edit]) -> "list[tuple[int, str]]":
    """Return level and title of the headings and tags of a file, without the titles that are edited."""
    edited = {section.start for section in state.document.sections for edit in edits if _heads(section, edit)}
    return [(section.level, "" if section.start in edited else section.title) for section in state.document.sections]


def _heads(section: Section, edit: Edit) -> bool:
    """Whether an edit changes a heading's own line."""
    return section.start < edit.start < section.body and edit.end <= section.body and edit.start < edit.end


def _flaws(state: StateFile) -> int:
    return len(state.document.flaws)


def _only_added(before: "list[tuple[int, str]]", after: "list[tuple[int, str]]", most: int) -> bool:
    """Whether `after` is `before` with at most so many headings added; a title of "" was edited."""
    rest = iter(after)
    kept = (any(level == other and title in {"", name} for other, name in rest) for level, title in before)
    return len(after) - len(before) <= most and all(kept)
