"""What happened in one session, and in all of a project, as events. Journals mask texts when they record them."""

import heapq
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from holdfast.clients import catalogue
from holdfast.context.compaction import snapshots
from holdfast.core.fast_json import number_of, text_of
from holdfast.git import own_commits
from holdfast.journal import folding, log
from holdfast.journal.kinds import KINDS as _FACTS
from holdfast.journal.kinds import OWN
from holdfast.journal.session import Recorded, typed_by_user
from holdfast.sessions import ledger
from holdfast.sessions.session import Session
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holdfast.context.compaction.snapshots import Snapshot
    from holdfast.journal.log import Fact
    from holdfast.project.paths import Project

START, PROMPT, PLAN, FILE, TASK, LOOP, DECISION = "start", "prompt", "plan", "file", "task", "loop", "decision"
COMPACTION, COMMIT, END, UPDATE = "compaction", "commit", "end", "update"
KINDS = (START, PROMPT, PLAN, FILE, TASK, LOOP, DECISION, COMPACTION, COMMIT, END, UPDATE)
_LONGEST = 300  # characters of a text; a recorded text has no more
_TAKING = 60.0  # seconds that a hook may need to take a snapshot
_SLACK = 2.0  # seconds; git counts whole ones
# Why a session ended: the client's word, and ours.
_ENDS = {
    "prompt_input_exit": "the user left",
    "clear": "/clear",
    "logout": "logged out",
    "resume": "another session was resumed",
    "other": "",
}


class Event(NamedTuple):
    """One thing that happened, at a time in seconds since 1970 (UTC). All texts are safe lines, "" for unknown.

    - session: the id of the session, "" for a commit that no single session was at work for. agent: the subagent's id.
    - text: the prompt, the title of a task or loop, the subject of a commit, why a session started or ended, or an
      entry that left the Recent Updates of a state file.
    - path: the file, relative to its working tree, the file of a plan, or that state file. why: the prompt that the
      change of a file followed.
    - status: of a task or loop; of a compaction: completed or unknown.
    - times: how often the file was edited after that prompt. `at` is the latest of these times.
    - kept, omitted: of a compaction: how many things its summary kept, and the names of those that it left out.
    """

    at: float
    kind: str
    session: str
    text: str = ""
    path: str = ""
    agent: str = ""
    why: str = ""
    status: str = ""
    times: int = 1
    kept: int = 0
    omitted: tuple[str, ...] = ()

    def has(self, word: str) -> bool:
        """Whether a word occurs in any of its texts; case does not count."""
        texts = (self.text, self.path, self.why, self.status, *self.omitted)
        return any(word in text.casefold() for text in texts)


class SessionEvents:
    """The events of one session, oldest first, from its facts as they come.

    `title` is what holdfast called its state file last, else what was asked for. `spans` are the times, first and last,
    between its starts and what was recorded last after each.
    """

    def __init__(self, store: str, ident: str) -> None:
        self.ident = ident
        self.events: list[Event] = []
        self.spans: list[list[float]] = []
        self.trees: set[str] = set()
        self.commits: set[str] = set()  # that a settle noted as its own
        self._store = store
        self._titled = Recorded(ident)
        self._named = self._prompt = ""
        self._begun = False  # whether it has edited a file of the project; later edits do not change the title
        # By file and subagent: the edits since the last prompt, and the number of their event.
        self._edited: dict[tuple[str, str], tuple[list[Fact], int]] = {}
        self._names: dict[str, str] = {}  # of tasks and loops
        self._restarts = True  # whether its client starts the session again after a compaction
        self._prepared: Fact | None = None  # a compaction for which a summary was asked, and which has not taken place

    @property
    def title(self) -> str:
        """What the session is about."""
        return self._named or safe.line(Session.of(self._titled).title)

    def add(self, facts: "Iterable[Fact]") -> None:
        """Add the events of facts, which follow in the journal on those that were added before."""
        titling: list[Fact] = []
        last: Fact | None = None
        for fact in facts:
            kind = fact["kind"]
            if kind == "start":
                self._extend_span(last)
            if kind in _READERS:
                _READERS[kind](self, fact)
            if kind in _TITLING or (kind == "edit" and not self._begun):
                titling.append(fact)
                self._begun = self._begun or (kind == "edit" and not text_of(fact, "path").startswith("/"))
            last = fact if kind in OWN else last
        self._extend_span(last)
        self._count()
        self._titled = folding.fold(self._titled, titling)

    def _extend_span(self, last: "Fact | None") -> None:
        """Let the present span last until a fact."""
        if last and self.spans:
            self.spans[-1][1] = number_of(last, "at")

    def _count(self) -> None:
        """Let the events of files have the time of the latest edit, and the number of edits."""
        for facts, number in self._edited.values():
            if len(facts) > self.events[number].times:
                _, kind, session, text, path, agent, why, status, *_ = self.events[number]
                at = number_of(facts[-1], "at")  # written out, because `_replace` takes three times as long
                self.events[number] = Event(at, kind, session, text, path, agent, why, status, len(facts))

    def was_at_work(self, at: float, tree: str) -> bool:
        """Whether the session was at work at a time in a working tree."""
        return tree in self.trees and any(first <= at <= last + _SLACK for first, last in self.spans)

    def started(self, fact: "Fact") -> None:
        """Add a start; one after a compaction is part of that."""
        self.spans.append([number_of(fact, "at")] * 2)
        self.trees |= {text_of(fact, "root"), text_of(fact, "worktree")}
        self._restarts = catalogue.of(text_of(fact, "client")).RESTARTS
        if text_of(fact, "source") == "compact":
            self._compacted_at(number_of(fact, "at"))
        else:
            branch = text_of(fact, "branch")
            self._event(fact, START, text_of(fact, "source") + f" on {branch}" * bool(branch))

    def committed(self, fact: "Fact") -> None:
        """Note a commit of its own, which git's log has with its time."""
        self.commits.add(text_of(fact, "id"))

    def moved(self, fact: "Fact") -> None:
        """Note the working tree in which the session goes on."""
        self.trees.add(text_of(fact, "worktree" if fact["kind"] == "answer" else "path"))

    def prompted(self, fact: "Fact") -> None:
        """Add a prompt that a person typed."""
        text = text_of(fact, "text")
        if typed_by_user(text):
            self._prompt = _shown(text)
            self._count()
            self._edited = {}
            self._event(fact, PROMPT, text)

    def edited(self, fact: "Fact") -> None:
        """Add the change of a file, or count it to the earlier one after the same prompt."""
        key = (text_of(fact, "path"), text_of(fact, "agent"))
        known = self._edited.get(key)
        if known is None:
            self._edited[key] = [fact], len(self.events)
            path, agent = key
            self.events.append(Event(number_of(fact, "at"), FILE, self.ident, "", _path(path), agent, self._prompt))
        else:
            known[0].append(fact)

    def planned(self, fact: "Fact") -> None:
        """Add a plan that the user accepted."""
        title, path = text_of(fact, "text"), text_of(fact, "path")
        self.events.append(Event(number_of(fact, "at"), PLAN, self.ident, _shown(title), _path(path)))

    def task(self, fact: "Fact") -> None:
        """Add the change of a task."""
        self._followed(fact, TASK, "subject")

    def loop(self, fact: "Fact") -> None:
        """Add the change of an open question."""
        self._followed(fact, LOOP, "title")

    def _followed(self, fact: "Fact", kind: str, key: str) -> None:
        ident = f"{kind} {text_of(fact, 'id')}"
        self._names[ident] = text_of(fact, key) or self._names.get(ident, ident)
        self._event(fact, kind, self._names[ident], text_of(fact, "status"))

    def decided(self, fact: "Fact") -> None:
        """Add a decision, at the time of the settle that found it."""
        self._event(fact, DECISION, text_of(fact, "text"))

    def compacted(self, fact: "Fact") -> None:
        """Note a compaction; the client may ask for its summary long before it takes place, or in vain.

        It is added when the session starts again, or now if its client does not start it again.
        """
        self._prepared = fact
        if not self._restarts:
            self._compacted_at(number_of(fact, "at"))

    def _compacted_at(self, at: float) -> None:
        """Add the compaction that was prepared last, at the time when it took place."""
        fact, self._prepared = self._prepared, None
        if fact is None:
            return
        begun = number_of(fact, "at")
        taken = [one for one in snapshots.of(self._store, self.ident) if begun - _SLACK <= one.at <= begun + _TAKING]
        status, kept, omitted = outcome(taken[-1] if taken else None)
        event = Event(at, COMPACTION, self.ident, _shown(text_of(fact, "trigger")), status=status, kept=kept)
        self.events.append(event._replace(omitted=omitted))

    def ended(self, fact: "Fact") -> None:
        """Add the end."""
        reason = text_of(fact, "reason")
        self._event(fact, END, _ENDS.get(reason, reason))

    def named(self, fact: "Fact") -> None:
        """Take the title that holdfast gave the state file."""
        self._named = _shown(text_of(fact, "title"))

    def _event(self, fact: "Fact", kind: str, text: str, status: str = "") -> None:
        at, agent = number_of(fact, "at"), text_of(fact, "agent")
        self.events.append(Event(at, kind, self.ident, _shown(text), "", agent, "", _shown(status)))


def outcome(taken: "Snapshot | None") -> tuple[str, int, tuple[str, ...]]:
    """Return what became of a compaction, how many things its summary kept, and the names that it left out."""
    if taken is None or not taken.took_place:
        return "unknown", 0, ()
    omitted = tuple(name for one in taken.omissions for name in one.names)
    given = sum(len(one.names) for one in taken.must_keep)
    shown = omitted if taken.made_here or not clone.output_reaches_claude() else ()
    return "completed", max(0, given - len(omitted)), shown


def _shown(text: str) -> str:
    """Return a recorded text as one line that is safe to print."""
    return text if text.isprintable() and len(text) <= _LONGEST else safe.line(text, _LONGEST)


@cache
def _path(path: str) -> str:
    """Return a path as one safe line; the same few paths come again and again."""
    return safe.line(path, 400)


_TITLING = ("start", "prompt", "task")  # facts that a title depends on, beside the first edit
_READERS: "dict[str, Callable[[SessionEvents, Fact], None]]" = {
    name: getattr(SessionEvents, kind.event) for name, kind in _FACTS.items() if kind.event
}


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


def read_timeline(
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
    """Yield the commits.

    One belongs to the session of which a settle noted it, else to the only one that was at work in its working tree.
    """
    if not _has_commits(chosen):
        return
    for one in own_commits.commits(project.common) if project.common else ():
        here = [session.ident for session in sessions if one.name in session.commits]
        here = here or [session.ident for session in sessions if session.was_at_work(one.at, one.tree)]
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
