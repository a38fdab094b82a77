"""The status of a session's work, computed here and nowhere else. Cheap to import.

Only a person, the model, the state file's own text or a command pauses, completes or drops work. Of what they said, the
latest counts. Where nobody said anything, work is active until somebody does: silence makes it stale at most, and
only a session that left nothing to do is ended. Whether a session is live or stale is another question (`judged`).
"""

import os

from holdfast.core.fast_json import number_of, table_of, text_of
from holdfast.core.statuses import ACTIVE, COMPLETED, DROPPED, ENDED, OVER, PAUSED, WAITING
from holdfast.journal import checkouts
from holdfast.journal.log import NOWHERE
from holdfast.journal.session import Recorded
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.summary import Summary
    from holdfast.journal.session import Child

_MINUTE = 60.0  # state files keep their times in minutes
_INSTEAD = {WAITING: ACTIVE, DROPPED: COMPLETED}  # what files of most formats say instead of a status


class WithStatus(Recorded):
    """What the status of a session is computed from; `sessions.session.Session` has the meaning of each."""

    summary: "Summary"
    live: bool
    silent: bool
    passed_on: bool
    in_hub: str
    state: str
    state_name: str
    orphaned: bool
    reworded: bool

    @property
    def status(self) -> str:
        """The status of its work."""
        return status(self)

    @property
    def open(self) -> bool:
        """Whether its work is unfinished."""
        return self.status not in OVER

    @property
    def active(self) -> bool:
        """Whether its work is active: unfinished, and not paused."""
        return self.open and self.status != PAUSED

    @property
    def stale(self) -> bool:
        """Whether its work is active, it is not live, and it was silent for `stale_hours`."""
        return self.silent and self.active and not self.live

    @property
    def shared(self) -> bool:
        """Whether its state file is the project's or several sessions', or of an unknown format."""
        return bool(self.summary.get("shared")) or text_of(self.summary, "format") == "unknown"

    @property
    def worked(self) -> bool:
        """Whether there is anything to hand over: changed files, tasks, an accepted plan, or a state file."""
        return self.begun or bool(self.state)

    @property
    def listed(self) -> bool:
        """Whether it has an entry in the hub: it worked or had subagents."""
        return self.journaled and (self.worked or bool(self.children))

    @property
    def crashed(self) -> bool:
        """Whether its process is gone without having ended: it is known to have run on this machine."""
        here = bool(self.process.identity) and self.process.host == os.uname().nodename
        return here and self.journaled and not (self.live or self.ended)


def status(session: WithStatus) -> str:
    """Return the status of a session's work: a word of `core.statuses`."""
    said = _said(session)
    if said and said != ACTIVE:
        return said
    if session.passed_on:
        return ENDED
    return ACTIVE if session.live or not session.journaled or has_work(session) else ENDED


def _said(session: WithStatus) -> str:
    """Return the status that a person, the model, the state file or a command gave the work last, "" for none."""
    if session.in_hub:
        return session.in_hub
    written = text_of(session.summary, "category")
    chosen = session.chosen or (ACTIVE if session.chosen_at and written else "")  # it has gone on since
    if chosen and (says_chosen(session) or session.shared or not (written and _written_later(session))):
        return chosen
    deleted = session.file.completed and not (session.state or session.inside(session.file.completed))
    return written or (COMPLETED if deleted else "")


def says_chosen(session: WithStatus) -> bool:
    """Return whether the state file says the status that was chosen, or what its format says instead, or none."""
    written = text_of(session.summary, "category")
    return written in {"", session.chosen or ACTIVE, _INSTEAD.get(session.chosen, "")}


def _written_later(session: WithStatus) -> bool:
    """Whether the state file was written by somebody after the status was chosen."""
    updated = number_of(session.summary, "updated") - _MINUTE
    return session.reworded or max(updated, session.file.edited, session.file.saved) > session.chosen_at


def has_work(session: WithStatus) -> bool:
    """Whether a session left anything to complete: an edit, a task, a commit, a question, a plan, or a text of its own.

    The state file that holdfast made for it is none, unless somebody wrote into it.
    """
    own_file = session.claimed and (not session.file.made or session.file.edited or session.file.saved)
    asking = session.talk.asking and session.talk.request
    return bool(session.begun or session.commits or session.loops or asking or session.talk.ahead or own_file)


def unsaid(session: WithStatus) -> str:
    """Return the status that was given to work and that its state file here lacks, "" for none.

    It was given while git had the file elsewhere, or git brought an older text to the branch whose file had it.
    """
    written, word = text_of(session.summary, "category"), status(session)
    same = word in {written, ENDED} or _INSTEAD.get(word) == written
    if same or not (written and session.state and session.chosen_on) or session.shared or session.in_hub:
        return ""
    branch = paths.branch(paths.locate(os.path.dirname(session.state)))
    return word if session.chosen_on in {NOWHERE, branch} and not checkouts.is_commit(branch) else ""


def described(session: WithStatus) -> str:
    """Return the status of a session, with the file's own words in brackets where they say more."""
    return _with_words(status(session), session.summary)


def of_summary(summary: "Summary") -> str:
    """Return the status that a state file or an entry of the hub states, with its own words where they say more."""
    if not text_of(summary, "status"):
        return ""
    return _with_words(text_of(summary, "category") or ACTIVE, summary) + ", orphaned" * bool(summary.get("orphaned"))


def with_status(summary: "Summary", session: WithStatus) -> "Summary":
    """Return the summary of a session's state file with the status of the session."""
    word = status(session)
    same = text_of(summary, "category") in {"", word}
    return {**summary, "category": word, "own_words": text_of(summary, "own_words") if same else ""}


def _with_words(word: str, summary: "Summary") -> str:
    own = text_of(summary, "own_words")
    return f"{word} ({own})" if own and text_of(summary, "category") in {"", word} else word


def shown(session: WithStatus) -> str:
    """Return the status of a session for a list: "active", or "active, crashed, stale"."""
    return ", ".join([with_crash(session), *(["stale"] if session.stale else [])])


def with_crash(session: WithStatus) -> str:
    """Return the status of a session, and that it crashed or is orphaned."""
    return f"{status(session)}{', crashed' if session.crashed else ''}{', orphaned' if session.orphaned else ''}"


def child_status(session: WithStatus, child: "Child") -> str:
    """Return the status of a child in the hub.

    One that stopped is ended, and completed only if it reported a result. Work that somebody completed or dropped is
    so with its children.
    """
    word = status(session)
    if child.status == COMPLETED and child.answer:
        return COMPLETED
    if word in {COMPLETED, DROPPED}:
        return word
    return ENDED if child.status == COMPLETED else ACTIVE


def due(session: WithStatus) -> bool:
    """Return whether the hub does not yet have the status of a session or of one of its children."""
    if not session.listed:
        return False
    known = {"": status(session), **{child.id: child_status(session, child) for child in session.children.values()}}
    return any(wrote(session, agent, "Status") != text for agent, text in known.items())


def wrote(session: Recorded, agent: str, field: str) -> str:
    """Return the text that holdfast wrote last into a field of the entry of a session or child; "" for none."""
    return text_of(table_of(session.settling.wrote.get(agent, {}), "wrote"), field)
