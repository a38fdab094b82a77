"""Edits of one state file: what is wanted, found where the dialect says it stands, and spliced in there alone.

Every edit is made on its own and looked at again in the bytes it gave: it must read back as it was meant, leave the
structure around it as it was, and change nothing when it is made a second time. One that does not is not made.
"""

from holdfast.dialects.catalog import Dialects
from holdfast.edits import placing, splicing
from holdfast.edits.pieces import Edit
from holdfast.edits.placing import Want
from holdfast.errors import HoldfastError
from holdfast.markdown.document import Section, splices
from holdfast.states.record import Record
from holdfast.states.statefile import StateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    """The bytes after all edits, the changes in order, and (where, why) of what could not be placed."""

    __slots__ = ("changes", "data", "unplaced")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.changes: list[Change] = []
        self.unplaced: list[tuple[str, str]] = []


class Editor:
    """Edits the state file at `path`, or its one entry `ident`; `minute` is the time that a log's new entry gets."""

    def __init__(self, path: str, dialects: Dialects, minute: str, ident: str = "") -> None:
        self.path = path
        self.dialects = dialects
        self.minute = minute
        self.ident = ident

    def apply(self, data: bytes, wanted: "Wanted") -> Outcome:
        """Return the outcome of making every edit that is wanted; HoldfastError when the file must not be written."""
        state = StateFile(data, self.path, self.dialects)
        if state.problem:
            raise HoldfastError(f"{self.path} is not written: {state.problem}.")
        outcome = Outcome(data)
        for want in placing.flatten(wanted):
            state = self._make(outcome, state, want)
        return outcome

    def _make(self, outcome: Outcome, before: StateFile, want: Want) -> StateFile:
        """Make one edit, note what came of it, and return the file as it is then."""
        after = before
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
        outcome.data = after.document.data
        outcome.unplaced += [(want.where, problem) for problem in problems[:1]]
        for edit in edits:
            where = f"{want.where} (frontmatter {edit.key})" if edit.key and edit.key != want.where else want.where
            outcome.changes.append(Change(where, edit.old, edit.new, before.document.line(edit.start)))
        return after

    def _edits(self, state: StateFile, want: Want) -> tuple[list[Edit], list[str]]:
        """Return the splices that one wish comes to, none when all is as wanted, and why some place cannot have it."""
        record = self._record(state)
        edits, problems = [], []
        for target in placing.targets(record, want):
            try:
                edits.append(splicing.edit(record, target, want, self.minute))
            except HoldfastError as error:
                problems.append(str(error))
        return [edit for edit in edits if edit is not None], problems

    def _record(self, state: StateFile) -> Record:
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
        if self._edits(after, want)[0]:
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
