"""A session: what its journal says (`Recorded`), its state file, and what is judged now."""

import os

from holdfast.core import files, process
from holdfast.core.fast_json import number_of, text_of
from holdfast.core.statuses import OVER
from holdfast.journal.log import NOWHERE
from holdfast.journal.session import Recorded, orphaned
from holdfast.project import paths
from holdfast.sessions.status import WithStatus, says_chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from holdfast.core.summary import Summary
    from holdfast.formats.catalogue import Formats
    from holdfast.project.paths import Project
    from holdfast.project.settings import Settings
    from holdfast.sessions.absent import Copy

_UNSEEN: dict[str, object] = {  # what a session has before anybody looked at its state file and its process
    **dict.fromkeys(["state", "state_name", "in_hub"], ""),
    **dict.fromkeys(["live", "silent", "passed_on", "merged", "orphaned", "reworded"], False),
    "near": 0,
    "summary": {},
    "version": [],
    "elsewhere": None,
}


class Session(WithStatus):
    """A session with the summary of its state file, and with what is judged at one moment; see `judged`.

    It never changes: `replace` makes another one.

    - state: absolute path of the state file, "" for none, or once a reader found it gone.
    - state_name: its path relative to the reader's working tree, else absolute.
    - summary: the summary of the state file, as `formats.state_file.summary` returns it, {} without one.
    - version: the signature of the state file from which the summary was read, [] if it is not known.
    - live: whether its process runs, or, if the process cannot be seen, whether it was active a short time ago.
    - silent: whether nothing happened in it for `stale_hours`.
    - passed_on: whether it is not live and another session goes on with its state file.

    - elsewhere: the copy of its state file, if that is not in its working tree.
    - near: 2 for work on the branch that the reader has checked out, and 1 more for work in the reader's folder.
    - merged: whether a start saw that its branch was merged.
    - reworded: whether somebody, and not git, changed the status in the state file after a command chose it.
    - in_hub: the status that a person, or an update, set in its entry of the hub; "" for none.
    - is_neuron: whether it is an entry of the hub without a journal here.
    """

    version: list[int]
    near: int
    merged: bool
    elsewhere: "Copy | None"
    is_neuron = False

    def __init__(self, ident: str, root: str = "", patterns: "Iterable[str]" = paths.PATTERNS) -> None:
        vars(self).update(vars(Recorded(ident, root, patterns)), **_UNSEEN)

    @classmethod
    def of(cls, recorded: Recorded) -> "Self":
        """Return a session as its journal has it."""
        made = object.__new__(cls)
        names = {"state": recorded.claimed, "state_name": recorded.claimed_name}
        vars(made).update(vars(recorded), **{**_UNSEEN, **names})
        return made

    def replace(self, **values: object) -> "Self":
        """Return a copy with other values of some attributes; one that it lacks is an AttributeError."""
        if unknown := values.keys() - vars(self).keys():
            raise AttributeError(*unknown)
        made = object.__new__(type(self))
        vars(made).update(vars(self), **values)
        return made

    def __setattr__(self, name: str, _value: object) -> None:
        """Raise AttributeError."""
        raise AttributeError(f"a session does not change, use replace({name}=...)")

    @property
    def title(self) -> str:
        """The state file's title, else the one that it was given last, else the user's request.

        A copy that is elsewhere does not have the title that a person gave since.
        """
        titles = [text_of(self.summary, "title"), self.file.given]
        first, second = reversed(titles) if self.elsewhere else titles
        return first or second or self.file.title or self._request or self.talk.prompt or "untitled"

    @property
    def away(self) -> str:
        """Where its state file is, if it is not in its working tree, such as "on branch feat"."""
        return self.elsewhere.place if self.elsewhere else ""

    @property
    def holder(self) -> str:
        """The branch to switch to for its state file, if that is not the one that is checked out, else ""."""
        kind, _, name = self.away.rpartition("branch ")
        return {"on ": name, "on remote ": name.partition("/")[2]}.get(kind, "")

    @property
    def lost(self) -> bool:
        """Whether nothing brings its state file back, since it was deleted or its working tree is gone."""
        return self.elsewhere is not None and not self.elsewhere.waits

    @property
    def state_shown(self) -> str:
        """The name of its state file, and where it is if it is not in its working tree."""
        return f"{self.state_name} ({self.away})" if self.away else self.state_name

    def text(self) -> bytes:
        """Return the state file without its frontmatter; b"" if it is gone, or not what the summary was read from."""
        body = self.summary.get("body")
        if self.elsewhere:
            return self.elsewhere.text[body if isinstance(body, int) else 0 :]
        data = files.read_or_none(self.state) or b""
        if self.version and files.signature_of(self.state) != self.version:
            return b""
        return data[body if isinstance(body, int) else 0 :]

    @property
    def _request(self) -> str:
        from holdfast.journal import asked  # most sessions that are shown have a state file with a title

        return asked.title(self.talk.request)

    @property
    def folder(self) -> str:
        """The folder below the root of its project where it began, such as a package; "" for the root itself."""
        root = f"{self.root}/"
        return self.process.folder.removeprefix(root) if self.process.folder.startswith(root) else ""

    @property
    def key(self) -> str:
        """A name that is unique among all sessions and entries: its id, or the path of its file without a journal."""
        return self.id if self.journaled else self.state

    @property
    def presence(self) -> str:
        """The state of its process: live, crashed or not running; and whether its work is stale."""
        word = "live" if self.live else "crashed" if self.crashed else "not running"
        return f"{word}, stale" if self.stale else word


def with_state(session: Session, project: "Project") -> Session:
    """Return a session without its state file when that is gone; the reader's tree, or a moved folder, may have it."""
    if os.path.lexists(session.claimed):
        return session.replace(state=session.claimed, elsewhere=None)
    if session.claimed_name:
        moved = project.private_project if session.state_root.endswith(paths.PRIVATE) else project
        there = os.path.join(moved.root, session.claimed_name)
        if os.path.lexists(there):
            return session.replace(state_root=moved.root, claimed=there, state=there)
    return session.replace(state="")


def look_elsewhere(
    sessions: "list[Session]", project: "Project", formats: "Formats", *, over: bool = False
) -> "list[Session]":
    """Return sessions, those without their state file with the place and the text it has elsewhere.

    Only with `over` this is looked for when the work is over.
    """
    gone = [one for one in sessions if one.claimed_name and not one.state]
    gone = [one for one in gone if over or not (one.file.completed or one.chosen in OVER)]
    if not gone:
        return sessions
    from holdfast.sessions import absent  # most processes miss no file

    copies = absent.copies(project, gone)

    def found(one: Session) -> Session:
        if one not in gone or one.id not in copies:
            return one
        copy = copies[one.id]
        text = _summary_of(one.claimed, copy.text, project, formats) if copy.text else {}
        return one.replace(elsewhere=copy, summary=text)

    return [found(one) for one in sessions]


def _summary_of(path: str, data: bytes, project: "Project", formats: "Formats") -> "Summary":
    """Return the summary of a state file with these bytes that would be at `path`, without its texts if untrusted."""
    from holdfast.formats import state_file
    from holdfast.trust import clone

    try:
        summary = state_file.summary(state_file.parse(data, path, formats))
    except ImportError:  # the packages are still being installed
        return {}
    return summary if clone.is_trusted(project) else clone.redacted(summary)


def judged(session: Session, settings: "Settings", now: float) -> Session:
    """Return a session with whether it is live and whether it was silent for long, at the time `now`.

    A time in the future counts like one as long ago: else a session recorded with a wrong clock would stay live. A
    session that was only fetched from another machine has not begun here.
    """
    begun = session.started or session.talk.prompted or session.files or session.tasks
    silence = abs(now - session.last_active)
    here = session.process.host == os.uname().nodename
    if session.ended or not session.journaled or not begun:
        live = False
    elif here and session.process.identity:
        live = process.alive(session.process.pid, session.process.identity)
    else:
        live = silence <= settings.live_minutes * 60
    children = session.children if live else orphaned(session.children)
    silent, reworded = silence > settings.stale_hours * 3600, _is_reworded(session)
    return session.replace(live=live, children=children, silent=silent, reworded=reworded)


def _is_reworded(session: Session) -> bool:
    if not (session.state and session.chosen_at) or session.chosen_on == NOWHERE or says_chosen(session):
        return False
    try:
        if os.stat(session.state).st_mtime <= session.chosen_at:
            return False
    except OSError:
        return False
    from holdfast.git.refs import is_from_git  # few state files say another status than was chosen

    return not is_from_git(session.state)


def with_nearness(sessions: list[Session], home: "Project", cwd: str) -> list[Session]:
    """Return sessions with how near their work is to a reader in the folder `cwd` of the working tree `home`.

    Work whose branch is gone, as after a merge, is where its state file is.
    """
    from holdfast.journal import checkouts
    from holdfast.trust import safe

    branch, folder = safe.mask(paths.branch(home)), home.relative(cwd) if cwd else ""
    branches = {one.branch for one in sessions if one.state} - {""}
    gone = {one for one in branches if not checkouts.exists(home, one)}

    def near(one: Session) -> int:
        here = one.branch in {"", branch} and not one.away
        return 2 * bool(here or (one.state and one.branch in gone)) + (bool(folder) and _is_in(one, folder))

    return [one.replace(near=near(one)) for one in sessions]


def _is_in(session: Session, folder: str) -> bool:
    """Whether a session began in a folder or in one around or below it, or changed files in it."""
    around = bool(session.folder) and f"{folder}/".startswith(f"{session.folder}/")
    inside = any(f"{name}/".startswith(f"{folder}/") for name in (session.folder, *session.files))
    return around or inside


def written_at(session: Session) -> float:
    """Return when a state file was written: as it says itself, else as the file system does; 0.0 for no state file."""
    if not session.summary.get("title"):
        return 0.0
    changed = max(number_of(session.summary, "updated"), number_of(session.summary, "created"))
    return changed or os.stat(session.state).st_mtime
