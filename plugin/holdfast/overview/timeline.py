"""What happened in all sessions of a project, newest first. Each journal is read once, git's log of HEAD as a file."""

import heapq
from dataclasses import dataclass, field
from typing import NamedTuple

from holdfast.git import own_commits
from holdfast.journal import log
from holdfast.memory import ledger
from holdfast.overview.session_events import COMMIT, FILE, UPDATE, Event, SessionEvents
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holdfast.journal.log import Fact
    from holdfast.project.paths import Project


class Filter(NamedTuple):
    """Which events to return; an empty field excludes none.

    - session: the id of the only session. path: the file, or the folder, whose changes count; relative to the tree.
    - word: a word in lower case. kinds: see `session_events.KINDS`. since, until: seconds since 1970.
    """

    session: str = ""
    path: str = ""
    word: str = ""
    kinds: tuple[str, ...] = ()
    since: float = 0.0
    until: float = float("inf")

    def chosen(self, events: "Iterable[Event]") -> list[Event]:
        """Return the events that are asked for."""
        return [*events] if self == _EVERYTHING else [event for event in events if self.fits(event)]

    def fits(self, event: Event) -> bool:
        """Whether an event is one of those asked for."""
        return (
            self.since <= event.at <= self.until
            and (not self.kinds or event.kind in self.kinds)
            and (not self.session or event.session == self.session)
            and (not self.path or (event.kind == FILE and (event.path + "/").startswith(self.path + "/")))
            and (not self.word or event.has(self.word))
        )


_EVERYTHING = Filter()


@dataclass(slots=True)
class Timeline:
    """The events of a project, newest first, and the titles of their sessions by id.

    `spans` are the times at which each session was at work, see `SessionEvents`. `more` says that older events were
    left out for the limit.
    """

    events: "list[Event]" = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    spans: dict[str, list[list[float]]] = field(default_factory=dict)
    more: bool = False


def read(
    project: "Project",
    chosen: Filter,
    limit: int = 0,
    facts: "Callable[[str], list[Fact]] | None" = None,
    journals: "Iterable[tuple[str, float]] | None" = None,
) -> Timeline:
    """Return the events that `chosen` asks for, at most `limit` of them, the newest; 0 for all.

    With a limit, journals without an event after the oldest of these are not read. `facts` returns the
    facts of a journal, by default by reading it. `journals` are all sessions, each with a time in seconds
    since 1970 after which it has no event, the latest first; by default each journal is looked at.
    """
    timeline = Timeline()
    session_events: list[SessionEvents] = []
    events: list[Event] = []
    latest: list[float] = []  # a heap with the times of the newest events
    for ident, written in _chosen(_written(project.store) if journals is None else journals, chosen):
        if limit and len(latest) > limit and latest[0] >= written:
            timeline.more = True
            break
        session = SessionEvents(project.store, ident)
        session.add(facts(ident) if facts else log.read(project.store, ident))
        session_events.append(session)
        fitting = chosen.chosen(session.events)
        events += reversed(fitting)  # newest first, at equal times too
        for event in fitting if limit else ():
            (heapq.heappushpop if len(latest) > limit else heapq.heappush)(latest, event.at)
    events += chosen.chosen([*_commits(project, session_events, chosen), *_updates(project, chosen)])
    events.sort(
        key=lambda event: (event.at, event.session), reverse=True
    )  # at equal times in one order for every index
    timeline.more = timeline.more or bool(limit and len(events) > limit)
    timeline.events = _guarded(events[:limit] if limit else events)
    timeline.titles = {session.ident: session.title for session in session_events}
    timeline.spans = {session.ident: session.spans for session in session_events}
    return timeline


def _written(store: str) -> "Iterator[tuple[str, float]]":
    """Yield all sessions and when the journal of each was written last, the latest first."""
    for ident, signature in log.signatures(store).items():
        yield ident, log.written(signature)


def _chosen(journals: "Iterable[tuple[str, float]]", chosen: Filter) -> "Iterator[tuple[str, float]]":
    """Yield the sessions whose journals may have such events.

    Whose a commit is depends on all sessions that were at work at that time.
    """
    all_count = not chosen.session or _has_commits(chosen)
    for ident, written in journals:
        if written < chosen.since:
            return
        if all_count or ident == chosen.session:
            yield ident, written


def _has_commits(chosen: Filter) -> bool:
    """Whether commits may be among the events that are asked for."""
    return not chosen.path and (not chosen.kinds or COMMIT in chosen.kinds)


def _commits(project: "Project", sessions: "list[SessionEvents]", chosen: Filter) -> "Iterator[Event]":
    """Yield the commits; one belongs to a session if no other was at work in its working tree at that time."""
    if not _has_commits(chosen):
        return
    for one in own_commits.commits(project.common) if project.common else ():
        here = [session.ident for session in sessions if session.was_at_work(one.at, one.tree)]
        text = safe.line(f"{one.name[:7]} {one.subject}")
        yield Event(one.at, COMMIT, here[0] if len(here) == 1 else "", text)


def _updates(project: "Project", chosen: Filter) -> "Iterator[Event]":
    """Yield the entries that left the Recent Updates of state files."""
    if not chosen.session and (not chosen.kinds or UPDATE in chosen.kinds):
        for at, text, path in ledger.left(project.store):
            yield Event(at, UPDATE, "", text, project.relative(path) or path)


def _guarded(events: list[Event]) -> list[Event]:
    """Return events without names that are from a state file, where Claude reads the output."""
    if not clone.output_reaches_claude():
        return events
    return [event._replace(omitted=()) if event.omitted else event for event in events]
