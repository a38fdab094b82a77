"""What is measured beside a session's journal: when its file was last written, commits, loops, the context's size."""

import os
import re
from functools import cached_property

from holdfast import clock, git, history, paths
from holdfast.dialects.catalog import Dialects
from holdfast.drifts.records import is_record
from holdfast.errors import HoldfastError
from holdfast.loops import book
from holdfast.memory import keeping, wanted
from holdfast.session import Session
from holdfast.settings import Settings
from holdfast.states import measured
from holdfast.states.statefile import StateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.paths import Place

MODEL, PERSON = "the model", "a person"
_SECONDS, _MINUTES = 5.0, 60.0  # how much later than its stamp a file that holdfast writes is on disk


class Known:
    """What was measured; `writer` wrote the file at `since`, both empty where nobody but holdfast ever did.

    `began` is since when things count then. `ident` is how a command names the file, "" where that goes without saying.
    `changed` are the files that were changed since and are no records themselves; `moved` says of those that are gone
    what they are called now, "" for a deleted one. `memory` is what goes into the six sections. `notes` are what could
    not be measured, and why.
    """

    def __init__(self, now: float, dialects: Dialects) -> None:
        self.now = now
        self.dialects = dialects
        self.zones: tuple[int, ...] = ()
        self.root = self.ident = self.writer = ""
        self.since = self.began = 0.0
        self.tracked = False  # whether git can be asked
        self.changed: list[str] = []
        self.memory = wanted.Known(None, None)
        self.commits: list[tuple[str, str]] = []
        self.moved: dict[str, str] = {}
        self.notes: list[str] = []

    @cached_property
    def _base(self) -> str:
        """The commit that was checked out at that time, "" where nobody can tell."""
        # Git knows no parts of a second: one earlier, no commit that came after is taken for what was there.
        return git.head_at(self.root, self.began - 1) if self.tracked else ""

    @cached_property
    def same(self) -> set[str]:
        """Those of the changed files that say what they did at that time, but for a formatter's touch, or set back."""
        there = [path for path in self.changed if os.path.isfile(f"{self.root}/{path}")]
        return history.unchanged(self.root, self._base, there) if there and self._base else set()

    @cached_property
    def passing(self) -> set[str]:
        """Those of the changed files that are gone, and were not there at that time either."""
        gone = [path for path in self.changed if not os.path.lexists(f"{self.root}/{path}")]
        return set(gone) - history.had(self.root, self._base, gone) if gone and self._base else set()


def known(session: Session, state: StateFile, dialects: Dialects, settings: Settings, now: float) -> Known:
    """Return what there is to know of a session and its state file."""
    found = files(session, state, dialects, now)
    home = paths.locate(os.path.dirname(state.path))
    found.zones = tuple(settings.zones)
    found.ident = named(session)
    found.memory = keeping.measured(home.root, session, settings)
    found.notes += [] if found.memory.book else _unread(home.root)
    if found.tracked:
        found.commits = _commits(found, state, home)
    return found


def files(session: Session, state: StateFile, dialects: Dialects, now: float) -> Known:
    """Return what tells whether a state file says which files were changed, which is asked for more often."""
    found = Known(now, dialects)
    home = paths.locate(os.path.dirname(state.path))
    found.root = session.worktree if os.path.isdir(session.worktree) else home.root
    found.since, found.writer = written(session, state)
    found.began = found.since or session.started
    found.tracked = bool(found.root and found.began and paths.locate(found.root).git)
    found.changed = [path for path in session.inside(found.since) if not is_record(path, dialects.places)]
    gone = any(not os.path.lexists(f"{found.root}/{path}") for path in found.changed)
    if gone and found.tracked:
        found.moved = git.moved(found.root, min(found.began, session.started or found.began))
    return found


def _unread(root: str) -> list[str]:
    """Return why the loops of a working tree cannot be read, nothing where they can, or where there are none."""
    try:
        book.read(root or "/")
    except (HoldfastError, OSError) as error:
        return [str(error)]
    return []


def _commits(found: Known, state: StateFile, home: "Place") -> list[tuple[str, str]]:
    """Return name and subject of the commits that stand and hold more than records, such as the staged state file."""
    own = home.relative(state.path) if home.root == found.root else ""
    places = found.dialects.places
    return [
        (commit.name, commit.subject)
        for commit in history.standing(history.commits(found.root, found.began))
        if not commit.files or not all(path == own or is_record(path, places) for path in commit.files)
    ]


def named(session: Session) -> str:
    """Return how a command names a session's state file."""
    return session.id if session.journaled else session.state_name


def written(session: Session, state: StateFile) -> tuple[float, str]:
    """Return when a state file was last written with meaning, and by whom; (0.0, "") where only holdfast wrote it.

    The journal tells when the model did. A person's save with an editor is journaled by nobody: it is believed where
    git's index has other words, for holdfast stages what it writes, a checkout is staged by its nature, and a formatter
    changes white space alone; and where the file is younger than the time that it says itself, for holdfast sets that
    with each of its changes and an editor does not. A settle journals it before it stages the file with its own lines.
    Without a journal the file's own word is all there is.
    """
    saved = max(saved_by_hand(state), session.saved)
    if not session.journaled:
        said = clock.find(measured.stamped(state)[1])
        return max((said, PERSON if said else ""), (saved, PERSON))
    model = (session.state_edited, MODEL if session.state_edited else "")
    return max(model, (saved, PERSON if saved else ""))


def saved_by_hand(state: StateFile) -> float:
    """Return when somebody else than holdfast saved the file last, 0.0 where nobody did, or nobody can tell."""
    home = paths.locate(os.path.dirname(state.path))
    if not home.git or not home.root:
        return 0.0
    said = measured.stamped(state)[1]
    at, saved = clock.read(said), os.stat(state.path).st_mtime
    slack = _SECONDS if re.search(r":\d\d:\d\d", said) else _MINUTES
    younger = saved > at + slack
    return saved if younger and history.reworded(home.root, home.relative(state.path)) else 0.0
