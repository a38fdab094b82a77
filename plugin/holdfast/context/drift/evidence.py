"""What was measured outside a session's journal: updates, commits, loops, the budget; and what a text mentions."""

import os
import re
import unicodedata
from functools import cached_property

from holdfast.context.drift.item import is_record
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.core.patterns import pattern
from holdfast.formats import managed_block
from holdfast.formats.catalogue import Formats
from holdfast.formats.state_file import StateFile
from holdfast.git import commits, queries
from holdfast.memory import measured as memory_measured
from holdfast.memory.loops import book
from holdfast.project import paths
from holdfast.project.paths import Project
from holdfast.sessions.candidates import Hit
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace

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
    known = evidence.root and evidence.began and not session.elsewhere  # another branch has other commits
    evidence.tracked = bool(known and paths.locate(evidence.root).git)
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
    if not home.git or not home.root or not os.path.isfile(state.path):
        return 0.0
    stamp = managed_block.stamped(state)[1]
    at, saved = clock.read(stamp), os.stat(state.path).st_mtime
    slack = _SECONDS if re.search(r":\d\d:\d\d", stamp) else _MINUTES
    younger = saved > at + slack
    return saved if younger and commits.has_unstaged_words(home.root, home.relative(state.path)) else 0.0


_HASH = pattern(r"(?<![0-9A-Za-z])[0-9a-f]{7,40}(?![0-9A-Za-z])")
_SUBJECT = 10  # least characters of a commit's subject; a shorter one may be a common word
_UP = ("./", "../")


class Prose:
    """A text that can be searched for mentions."""

    def __init__(self, words: str) -> None:
        plain = unicodedata.normalize("NFC", words.replace("\\_", "_").replace("%20", " "))
        self.words = plain
        self.collapsed = " ".join(plain.split()).casefold()
        self.hashes = set(_HASH.findall(plain))

    def has(self, word: str) -> bool:
        """Return whether a word or phrase occurs as a whole, with the same case."""
        return bool(word.strip() and self._found(word))

    def says(self, phrase: str) -> bool:
        """Return whether a phrase occurs, ignoring case and line breaks."""
        words = " ".join(unicodedata.normalize("NFC", phrase).split()).casefold()
        return bool(words) and words in self.collapsed

    def has_commit(self, name: str, subject: str) -> bool:
        """Return whether a commit is mentioned by an abbreviation of its name or by its subject."""
        by_name = any(name.startswith(known) for known in self.hashes)
        return by_name or (len(subject) >= _SUBJECT and self.says(subject))

    def has_path(self, path: str, *, unique: bool = False) -> bool:
        """Return whether a file is mentioned by its path, by a relative path, or, with `unique`, by its base name."""
        path = unicodedata.normalize("NFC", path)
        return any(self._leads(path, at, unique=unique) for at in self._found(path.rpartition("/")[2]))

    def _found(self, word: str) -> "list[int]":
        """Return the end offsets of all occurrences of a word that are not part of a longer word."""
        found, at = [], self.words.find(word)
        while at >= 0:
            end = at + len(word)
            if not _joins(self.words[:at][-1:], word[:1]) and not self._goes_on(end):
                found.append(end)
            at = self.words.find(word, at + 1)
        return found

    def _goes_on(self, end: int) -> bool:
        """Return whether a name continues at an offset, as in `a.pyc` and `a.py.orig`; a full stop ends it."""
        after, next_one = self.words[end : end + 1], self.words[end + 1 : end + 2]
        return _joins(after, self.words[end - 1 : end]) or (after in {".", "/"} and next_one.isalnum())

    def _leads(self, path: str, end: int, *, unique: bool) -> bool:
        """Return whether the text before an offset is this path, or its end as written from another folder."""
        size = 0
        while size < min(len(path), end) and self.words[end - size - 1] == path[-size - 1]:
            size += 1
        if size == len(path):
            return self.words[: end - size][-1:] != "." and not _joins(self.words[: end - size][-1:], "a")
        known = path[len(path) - size :]
        tail = known if path[len(path) - size - 1] == "/" else known.partition("/")[2]
        before = self.words[: end - len(tail)][-200:]
        while before.endswith(_UP):
            before = before[: before.rindex(".")].rstrip(".")
        alone = not before or not (_joins(before[-1], "a") or before[-1] in "/\\.")
        return bool(tail) and alone and (unique or "/" in tail)


def _joins(one: str, other: str) -> bool:
    """Return whether two adjacent characters belong to one word."""
    return all(char.isalnum() or char in {"_", "-"} for char in (one, other)) if one and other else False
