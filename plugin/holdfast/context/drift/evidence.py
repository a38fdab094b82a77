"""What was measured outside a session's journal: the last update of its file, commits, loops, the token budget."""

import os
import re
from functools import cached_property

from holdfast.context.drift.item import is_record
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.formats import managed_block
from holdfast.formats.catalogue import Formats
from holdfast.formats.state_file import StateFile
from holdfast.git import commits, queries
from holdfast.memory import measured as memory_measured
from holdfast.memory.loops import book
from holdfast.project import paths
from holdfast.sessions.candidates import Hit
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

MODEL, PERSON = "the model", "a person"
_SECONDS, _MINUTES = 5.0, 60.0  # a file that holdfast wrote may be this much newer than the time stamp in it


class Evidence:
    """What was measured; `since` and `writer` tell who last updated the file, 0.0 and "" if only holdfast did.

    `began` is the time from which changes count. `ident` names the file in commands, "" if no name is needed. `changed`
    are the files changed since then that are not records themselves. `moved` maps those that are gone to their new
    name, "" for a deleted file. `memory` is the content of the six sections. `notes` say what could not be measured,
    and why.
    """

    def __init__(self, now: float, formats: Formats) -> None:
        self.now = now
        self.formats = formats
        self.zones: tuple[int, ...] = ()
        self.root = self.ident = self.writer = ""
        self.since = self.began = 0.0
        self.tracked = False  # whether git can be asked
        self.changed: list[str] = []
        self.memory = memory_measured.Measured()
        self.commits: list[tuple[str, str]] = []
        self.moved: dict[str, str] = {}
        self.notes: list[str] = []

    @cached_property
    def _base(self) -> str:
        """The commit that was checked out at `began`, "" if unknown."""
        # Git stores whole seconds. One second earlier, a commit made right after `began` is not taken for the base.
        return queries.head_at(self.root, self.began - 1) if self.tracked else ""

    @cached_property
    def same(self) -> set[str]:
        """The changed files whose content is the same as at `began`, apart from white space."""
        there = [path for path in self.changed if os.path.isfile(f"{self.root}/{path}")]
        return commits.unchanged(self.root, self._base, there) if there and self._base else set()

    @cached_property
    def passing(self) -> set[str]:
        """The changed files that do not exist now and did not exist at `began`."""
        gone = [path for path in self.changed if not os.path.lexists(f"{self.root}/{path}")]
        return set(gone) - commits.present_at(self.root, self._base, gone) if gone and self._base else set()


def measure(session: Session, state: StateFile, workspace: Workspace) -> Evidence:
    """Return all evidence for a session and its state file."""
    evidence = measure_files(session, state, workspace)
    home = paths.locate(os.path.dirname(state.path))
    evidence.zones = tuple(workspace.settings.zones)
    evidence.ident = Hit(session).name
    evidence.memory = memory_measured.measure(home.root, session, workspace.settings, workspace.formats)
    evidence.notes += [] if evidence.memory.book else _unread(home.root, session.state)
    if evidence.tracked:
        evidence.commits = _commits(evidence, state, home)
    return evidence


def measure_files(session: Session, state: StateFile, workspace: Workspace) -> Evidence:
    """Return only the evidence about changed files, which is all that the completion checklist needs."""
    evidence = Evidence(workspace.now, workspace.formats)
    home = paths.locate(os.path.dirname(state.path))
    evidence.root = session.worktree if os.path.isdir(session.worktree) else home.root
    evidence.since, evidence.writer = written(session, state)
    evidence.began = evidence.since or session.started
    evidence.tracked = bool(evidence.root and evidence.began and paths.locate(evidence.root).git)
    evidence.changed = [
        path for path in session.inside(evidence.since) if not is_record(path, workspace.formats.patterns)
    ]
    gone = any(not os.path.lexists(f"{evidence.root}/{path}") for path in evidence.changed)
    if gone and evidence.tracked:
        evidence.moved = queries.renamed(evidence.root, min(evidence.began, session.started or evidence.began))
    return evidence


def _unread(root: str, state: str) -> list[str]:
    """Return why the loops of a working tree cannot be read, as a list; [] if they can or if there are none."""
    try:
        book.read(root or "/", state)
    except (HoldfastError, OSError) as error:
        return [str(error)]
    return []


def _commits(evidence: Evidence, state: StateFile, home: "Project") -> list[tuple[str, str]]:
    """Return (name, subject) of the commits in the current history that change more than records and the state file."""
    own = home.relative(state.path) if home.root == evidence.root else ""
    places = evidence.formats.patterns
    return [
        (commit.name, commit.subject)
        for commit in commits.not_reverted(commits.commits(evidence.root, evidence.began))
        if not commit.files or not all(path == own or is_record(path, places) for path in commit.files)
    ]


def written(session: Session, state: StateFile) -> tuple[float, str]:
    """Return when the model or a person last updated a state file, and which of them; (0.0, "") if neither did.

    The journal records the model's edits. It does not record a save in an editor. Such a save is detected if the file
    differs from git's index by more than white space (holdfast stages its own writes, and a checkout leaves the index
    equal) and if the file is younger than its own time stamp (holdfast sets the stamp with each write, an editor does
    not). A settle journals a detected save before it stages the file. Without a journal the stamp tells when, and
    nothing tells who wrote it.
    """
    saved = max(saved_by_hand(state), session.file.saved)
    if not session.journaled:
        stamp = clock.find(managed_block.stamped(state)[1])
        return max((stamp, ""), (saved, PERSON if saved else ""))
    model = (session.file.edited, MODEL if session.file.edited else "")
    return max(model, (saved, PERSON if saved else ""))


def saved_by_hand(state: StateFile) -> float:
    """Return when a person saved the file without holdfast, 0.0 if no one did or it cannot be determined."""
    home = paths.locate(os.path.dirname(state.path))
    if not home.git or not home.root:
        return 0.0
    stamp = managed_block.stamped(state)[1]
    at, saved = clock.read(stamp), os.stat(state.path).st_mtime
    slack = _SECONDS if re.search(r":\d\d:\d\d", stamp) else _MINUTES
    younger = saved > at + slack
    return saved if younger and commits.has_unstaged_words(home.root, home.relative(state.path)) else 0.0
