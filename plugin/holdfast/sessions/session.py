"""A session: what its journal says (`Recorded`), its state file, and what is judged now."""

import os

from holdfast.core import files, process
from holdfast.core.fast_json import number_of, text_of
from holdfast.journal.session import Recorded, mark_orphans
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.core.summary import Summary
    from holdfast.project.settings.values import Settings

_MINUTE = 60.0  # state files keep their times in minutes


class Session(Recorded):
    """A session with the summary of its state file, and with what is judged at one moment; see `judge`.

    - summary: the summary of the state file, as `formats.state_file.summary` returns it, {} without one.
    - version: the signature of the state file from which the summary was read, [] if it is not known.
    - gone: whether the state file vanished together with the working tree that it lay in.
    - live: whether its process runs, or, if the process cannot be seen, whether it was active a short time ago.
    - stale: whether its work is active, it is not live, and it was silent for `stale_hours`.
    - passed_on: whether `/clear` ended it and another session goes on with its state file.

    `hub_in_tree` says whether the hub that has its entry is in the working tree.
    """

    def __init__(self, ident: str, root: str = "", patterns: "Iterable[str]" = paths.PATTERNS) -> None:
        super().__init__(ident, root, patterns)
        self.summary: Summary = {}
        self.version: list[int] = []
        self.gone = self.live = self.stale = self.passed_on = self.hub_in_tree = False

    @property
    def title(self) -> str:
        """The state file's title, else the user's request."""
        return text_of(self.summary, "title") or self._request or self.prompt or "untitled"

    def text(self) -> bytes:
        """Return the state file without its frontmatter; b"" if it is gone, or not what the summary was read from."""
        body = self.summary.get("body")
        data = files.read_or_none(self.state) or b""
        if self.version and files.signature_of(self.state) != self.version:
            return b""
        return data[body if isinstance(body, int) else 0 :]

    @property
    def _request(self) -> str:
        from holdfast.journal import asked  # most sessions that are shown have a state file with a title

        return asked.title(self.request)

    @property
    def status(self) -> str:
        """The state file's own word, else the status from the journal; "" when neither has one."""
        recorded = self.swept or ("ended" if self.ended else "active" if self.journaled else "")
        return self._finished or text_of(self.summary, "status") or recorded

    @property
    def category(self) -> str:
        """The category of its status: active, waiting, paused or completed, "" when it is unknown."""
        return self._finished or text_of(self.summary, "category") or self.swept

    @property
    def _finished(self) -> str:
        """The status set by a sweep after the last change of the state file: paused or completed, else ""."""
        return self.swept if self.swept_at - number_of(self.summary, "updated") > _MINUTE else ""

    @property
    def shared(self) -> bool:
        """Whether its state file is the project's or several sessions', or of an unknown format."""
        return bool(self.summary.get("shared")) or text_of(self.summary, "format") == "unknown"

    @property
    def open(self) -> bool:
        """Whether its work is unfinished: its state file does not say completed, or it has none and did not end."""
        status = self._finished or text_of(self.summary, "status") or self.swept
        # An entry in the history of a hub is completed even if it has no status.
        return self.category != "completed" if status or self.category else not self.ended

    @property
    def active(self) -> bool:
        """Whether its work is active: unfinished, and not paused."""
        return self.open and self.category != "paused"

    @property
    def worked(self) -> bool:
        """Whether there is anything to hand over: changed files, tasks, an accepted plan, or a state file."""
        return self.begun or bool(self.state)

    @property
    def listed(self) -> bool:
        """Whether it has an entry in the hub: it worked or had subagents."""
        return self.journaled and (self.worked or bool(self.children))

    @property
    def cleared(self) -> bool:
        """Whether `/clear` ended it: its work is over or continues in the session that followed."""
        return bool(self.ended) and self.reason == "clear"

    @property
    def done(self) -> bool:
        """Whether its work is completed, or went on in another session."""
        return self.cleared or self.category == "completed" or not (self.category or self.open)

    @property
    def notable(self) -> bool:
        """Whether it is worth mentioning: it is live, or it is unfinished and has a prompt or work.

        The hub, which is a state file too, is not notable itself.
        """
        if not self.journaled and self.summary.get("entries"):
            return False
        return self.live or (self.open and not self.passed_on and (self.worked or bool(self.prompt)))

    @property
    def key(self) -> str:
        """A name that is unique among all sessions and entries: its id, or the path of its file without a journal."""
        return self.id if self.journaled else self.state

    @property
    def presence(self) -> str:
        """The state of its process: live, stale or not running."""
        return "live" if self.live else "stale" if self.stale else "not running"


def look_for_state(session: Session) -> None:
    """Clear the state file of a session when it is no longer there; a deleted one ends the work on it."""
    session.state = session.claimed or session.state
    session.gone = bool(session.state) and not os.path.isdir(session.state_root)
    session.state = session.state if os.path.lexists(session.state) else ""


def judge(session: Session, settings: "Settings", now: float) -> None:
    """Set whether a session is live and whether it is stale at the time `now`.

    A time in the future counts like one as long ago: else a session recorded with a wrong clock would stay live. A
    session that was only fetched from another machine has not begun here.
    """
    begun = session.started or session.prompted or session.files or session.tasks
    silence = abs(now - session.last_active)
    here = session.host == os.uname().nodename
    if session.ended or not session.journaled or not begun:
        session.live = False
    elif here and session.process:
        session.live = process.alive(session.pid, session.process)
    else:
        session.live = silence <= settings.live_minutes * 60
    if not session.live:
        mark_orphans(session)
    session.stale = session.active and not session.live and silence > settings.stale_hours * 3600


def written_at(session: Session) -> float:
    """Return when a state file was written: as it says itself, else as the file system does; 0.0 for no state file."""
    if not session.summary.get("title"):
        return 0.0
    changed = max(number_of(session.summary, "updated"), number_of(session.summary, "created"))
    return changed or os.stat(session.state).st_mtime
