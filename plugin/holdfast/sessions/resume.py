"""Sessions that can be resumed, neurons among them: which ones, with which command, and in which folder.

Neurons are the entries of the hub whose sessions have no journal here; they are sessions for lists.
"""

import os

from holdfast.core import clock
from holdfast.core.fast_json import rows_of, text_of
from holdfast.core.statuses import ACTIVE, OVER
from holdfast.journal import checkouts
from holdfast.project import paths
from holdfast.sessions import hub_entries, status
from holdfast.sessions.hub_entries import dated
from holdfast.sessions.session import Session
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.core.summary import Summary
    from holdfast.journal.said import Said
    from holdfast.project.settings import Settings
    from holdfast.sessions.index import Ids
    from holdfast.sessions.survey import Survey

    Row = dict[str, object]

ELSEWHERE = "This work is "  # begins the line that the user of a slash command reads, too
WEEK, _BEFORE_MOST = 7 * 86_400, 2
_CURRENT = 390  # characters of the last answer
_TO_COME = frozenset(
    {"tbd", "pending", "starting", "unknown", "new", "null", "undefined"}
)  # words for an id that is not known yet


def resumable(sessions: "Iterable[Session]") -> list[Session]:
    """Return the sessions with unfinished work that are not live, the nearest first; they may have ended or crashed."""
    return sorted(
        (one for one in sessions if _waits(one) and (one.worked or one.talk.prompt)), key=lambda one: -one.near
    )


def _waits(session: Session) -> bool:
    return session.journaled and not session.live and session.open and not session.passed_on


def before(after: Session, others: "Iterable[Session]") -> list[Session]:
    """Return the open work of others that began on a session's branch up to a week before it, the latest first."""
    alike = (one for one in others if one is not after and one.branch == after.branch and one.state != after.state)
    sessions = [one for one in alike if one.journaled and one.talk.prompt and one.open and not one.live]
    recent = [one for one in sessions if after.branch and 0 <= after.process.began - one.process.began < WEEK]
    return sorted(recent, key=lambda one: -one.last_active)[:_BEFORE_MOST]


def recorded_ids(everyone: "Iterable[Session]") -> set[str]:
    """Return the ids of all sessions that have a journal here, and of their children."""
    return {ident for session in everyone if session.journaled for ident in (session.id, *session.children)}


def elsewhere(hub: Session, known: "Ids") -> "list[Summary]":
    """Return the open entries of a hub that do not belong to these sessions, the newest first.

    An untrusted hub has none.
    """
    rows = [] if hub.summary.get("untrusted") else rows_of(hub.summary, "entries")
    open_entries = [one for one in rows if one["category"] not in OVER]
    return sorted((one for one in open_entries if one["id"] not in known), key=lambda one: -dated(one))


def nameless(ident: str) -> bool:
    """Whether the text in the place of a session's id is none, a placeholder, or a word such as "pending"."""
    from holdfast.formats import names

    return names.is_none(ident) or names.plain(ident) in {"", *_TO_COME} or names.is_placeholder(ident)


def command(session: Session, root: str = "") -> str:
    """Return the command that resumes a session in the folder where its conversation began, "" for none.

    If that folder is gone, it changes to the repository's `root`. It switches to the branch of the work. A state file
    without a session needs no folder.
    """
    if not session.journaled:
        verb = "resume" if session.is_neuron else "continue"
        return f"holdfast {verb} {safe.shell(session.id)}" if session.state else ""
    from holdfast.clients import catalogue

    there = folder(session, root)
    steps = [f"cd {safe.shell(there)}"] if there else []
    linked = any(os.path.isfile(f"{one}/.git") for one in (session.worktree, there))  # there the branch stays
    branch = session.holder if linked or session.away else to_switch_to(session, there)[0]
    steps += [f"git switch {safe.shell(branch)}"] if there and branch else []
    return " && ".join([*steps, catalogue.of(session.client).RESUME.format(id=session.id)])


def to_switch_to(session: Session, there: str) -> tuple[str, str]:
    """Return the branch of a session's work, and the one that is checked out in a folder; twice "" where they agree."""
    home = paths.locate(there)
    here, branch = paths.branch(home) if home.git else "", session.holder or session.branch
    is_other = here and branch not in {"", here} and (session.holder or checkouts.exists(home, branch))
    return (branch, here) if is_other else ("", "")


def folder(session: Session, root: str = "") -> str:
    """Return the folder in which a client finds the conversation of a session, "" if none of them exists any more.

    Clients find it from the folder where it began, and from any working tree of that repository.
    """
    known = (session.process.folder, session.root, root)
    return next((one for one in known if one and os.path.isdir(one)), "")


def folder_is_gone(session: Session) -> bool:
    """Whether the folder or the working tree of a session no longer exists."""
    return any(folder and not os.path.isdir(folder) for folder in (session.process.folder, session.worktree))


def about(entry: "Summary", now: float) -> str:
    """Return status and age of an entry of the hub."""
    at = dated(entry)
    word = safe.line(status.of_summary(entry), 60) or ACTIVE
    return f"{word}, {clock.ago(now - at) if at else 'no known time'}"


def row(session: Session, root: str = "") -> "Row":
    """Return a session for JSON."""
    return {
        "id": session.id,
        "title": safe.line(session.title, 200),
        "status": session.status,
        "live": session.live,
        "stale": session.stale,
        "branch": session.branch,
        "state_file": session.state_name,
        "where": session.away,
        "last_heard": clock.write(session.last_active) if session.last_active else "",
        "command": command(session, root),
    }


def summary(session: Session, said: "Said") -> "Summary":
    """Return what the journal alone records, with the keys of a state file's summary."""
    from holdfast.journal import telling

    answer = next((turn.answer for turn in reversed(said.turns) if turn.answer), session.talk.answer)
    return {
        "title": session.title,
        "category": session.status,
        "current": telling.of_answer(answer, _CURRENT),
        "next": said.following,
        "questions": said.open_questions,
        "decisions": [one.told for one in said.decisions],
        "updated": session.last_active,
    }


class Neuron(Session):
    """An entry of the hub whose session has no journal here, as a session with the entry as its summary."""

    is_neuron = True

    @property
    def key(self) -> str:
        """Its id, which is unique among all sessions and entries."""
        return self.id


def neuron(row: "Summary", hub: Session, settings: "Settings", now: float) -> Neuron:
    """Return an entry of a hub as a session."""
    at = dated(row)
    return Neuron(text_of(row, "id")).replace(
        summary={**row, "format": text_of(hub.summary, "format")},
        state=hub.state,
        state_name=hub.state_name,
        last_active=at,
        near=2,
        silent=bool(at) and now - at > settings.stale_hours * 3600,
    )


def neurons(survey: "Survey", *, everything: bool = False) -> list[Neuron]:
    """Return the open entries of the hub whose sessions have no journal here, the newest first.

    With `everything` the completed ones too. These are the neurons that a start asks about.
    """
    hub = survey.hub_session
    if hub is None:
        return []
    here = survey.beyond.union(recorded_ids(survey.sessions))
    found = [
        neuron(row, hub, survey.settings, survey.workspace.now)
        for row in hub_entries.rows(hub)
        if row["id"] not in here
    ]
    shown = [one for one in found if (everything or one.open) and not nameless(one.id)]
    return sorted(shown, key=lambda one: -one.last_active)


def listed(survey: "Survey") -> list[Session]:
    """Return the sessions that a list shows: those with a journal or a state file, and the neurons; not the hub."""
    sessions = [*without_hub(survey), *neurons(survey, everything=True)]
    return sorted(sessions, key=lambda one: (-one.near, -one.last_active))


def without_hub(survey: "Survey") -> list[Session]:
    """Return the sessions with a journal or a state file, without the hub."""
    return [one for one in survey.listed if one.journaled or not survey.hub or one.state != survey.hub]
