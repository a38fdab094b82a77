"""The sessions of one project, read once, and then only where a journal has changed."""

import os
import time
from typing import NamedTuple

from holdfast.core import files
from holdfast.hub import tree
from holdfast.journal import log
from holdfast.sessions import listed, survey
from holdfast.sessions.session import Session, judged
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import rows as shared
from holdfast.trust import clone, redaction, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

DONE = "done"
GROUPS = (listed.LIVE, listed.OPEN, listed.STALE, listed.PAUSED, shared.GROUP, DONE)
_NEWEST = 32  # journals, those written last, that are looked at each time
_LOOKS = 200  # looking at all journals takes at most one part in so many of the time
_SURVEYS = 50  # the same for a new survey while sessions are at work
_LEAST = 5.0  # seconds between two surveys
_TITLE, _PATH = 200, 400  # characters


class Row(NamedTuple):
    """One session as a list shows it. `key` is unique among all projects; `last_active` is in seconds since 1970.

    - ident: what a command takes as ID. root: the working tree of its project. project: the name of that folder.
    - process: live, stale or not running. tasks: such as 2/5, "" for none. files: how many it changed.
    """

    key: str
    ident: str
    root: str
    project: str
    title: str
    group: str
    status: str
    process: str
    last_active: float
    tasks: str
    files: int
    branch: str


class Watched:
    """A project whose sessions are watched. `sessions` has them by key, `rows` the row of each.

    `complaint` is what is wrong with its settings, `untrusted` are the paths of files that were not accepted here.
    """

    def __init__(self, project: "Project") -> None:
        self.project = project
        self.workspace = Workspace(project)
        self.sessions: dict[str, Session] = {}
        self.rows: dict[str, Row] = {}
        self.complaint = ""
        self.untrusted: list[str] = []
        self._journals: dict[str, str] = {}
        self._next_look = self._next_survey = 0.0
        self._behind = False  # whether something was written since the survey
        self._file: tuple[str, list[int]] = ("", [])  # the session whose state file was looked at, and its signature

    def read(self, reads: int = 0) -> None:
        """Read all sessions; with `reads` only those that are live, open or recent, as a session start does."""
        began = time.monotonic()
        self.workspace.now = time.time()
        if not reads:  # else the next reading takes them
            self._journals = log.signatures(self.project.store)
        found = survey.survey(self.workspace, reads=reads, guarded=True)
        self.complaint, self.untrusted = found.complaint, found.untrusted
        groups = listed.grouped(tree.listed(found), self.workspace.now, everything=True)
        self.sessions = {self._key(one): one for sessions in groups.values() for one in sessions}
        self.rows = {self._key(one): self._row(one, name) for name, sessions in groups.items() for one in sessions}
        self._behind = bool(reads)
        self._next_survey = time.monotonic() + max(_LEAST, _SURVEYS * (time.monotonic() - began))

    def look(self, shown: str = "") -> bool:
        """Read what was written since the last look, and return whether a row, or what `shown` shows, may have changed.

        `shown` is the key of the session whose state file is looked at too, "" for none.
        """
        self.workspace.now = time.time()
        changed = self._changed()
        edited = self._edited(shown)
        for ident in changed:
            self._refresh(ident)
        gone = self._gone()
        self._behind = self._behind or bool(changed) or edited
        if self._behind and time.monotonic() >= self._next_survey:
            self.read()
            return True
        return bool(changed) or gone or edited

    def _edited(self, shown: str) -> bool:
        """Return whether the state file of a session is another than at the last look at this session."""
        session = self.sessions.get(shown)
        before, self._file = self._file, (shown, files.signature_of(session.state) if session else [])
        return before != self._file and before[0] == shown

    def _changed(self) -> list[str]:
        """Return the ids of the sessions whose journals were written since the last look."""
        began = time.monotonic()
        known = self._journals
        if began >= self._next_look:
            self._journals = log.signatures(self.project.store)
            self._next_look = began + _LOOKS * (time.monotonic() - began)
            self._behind = self._behind or self._journals.keys() != known.keys()
            return [ident for ident, line in self._journals.items() if known.get(ident) != line]
        live = [one.id for one in self.sessions.values() if one.live]
        looked = {ident: log.signature(self.project.store, ident) for ident in {*live, *list(known)[:_NEWEST]}}
        changed = {ident: line for ident, line in looked.items() if line and known.get(ident) != line}
        if changed:  # what was written last comes first
            rest = {ident: line for ident, line in known.items() if ident not in changed}
            self._journals = {**changed, **rest}
        return [*changed]

    def _refresh(self, ident: str) -> None:
        """Read what was added to the journal of a session, and its state file if that has changed."""
        session = self.workspace.session(ident)
        if session is None:
            return
        name = self.project.relative(session.state) if session.state else ""
        session = session.replace(state_name=safe.line(name or session.state, _PATH))
        if clone.TrustCheck().untrusted([session.state] if session.state else []):
            session = session.replace(summary=redaction.redacted(session.summary))
        key = self._key(session)
        self.sessions[key], self.rows[key] = session, self._row(session, listed.group(session, self.workspace.now))

    def _gone(self) -> bool:
        """Judge the live sessions again, and return whether one of them is not live any more."""
        settings, now = self.workspace.settings, self.workspace.now
        live = {key: judged(one, settings, now) for key, one in self.sessions.items() if one.live}
        self.sessions |= live
        over = {key: one for key, one in live.items() if not one.live}
        self.rows |= {key: self._row(one, listed.group(one, now)) for key, one in over.items()}
        return bool(over)

    def _key(self, session: Session) -> str:
        return f"{self.project.root}\0{session.key}"

    def _row(self, session: Session, group: str) -> Row:
        return Row(
            self._key(session),
            session.id,
            self.project.root,
            safe.line(os.path.basename(self.project.root), 60),
            safe.line(session.title, _TITLE),
            group if group in GROUPS else DONE,
            session.status,
            session.presence,
            session.last_active,
            listed.tasks(session),
            len(session.files),
            safe.line(session.branch, 100),
        )
