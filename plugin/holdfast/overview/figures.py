"""Figures of all sessions: what they did, how long it took, and how many tokens the client says that it used."""

import statistics
import time
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field

from holdfast.context.compaction import snapshots
from holdfast.core import clock
from holdfast.core.fast_json import number_of, table_of, text_of
from holdfast.formats import names
from holdfast.journal import log, transcript
from holdfast.journal.session import Child
from holdfast.journal.transcript import Tokens
from holdfast.memory.budget import ZONES
from holdfast.overview.session_events import outcome
from holdfast.sessions.session import Session, judged, look_elsewhere, with_state
from holdfast.sessions.workspace import Workspace, trusted_summary
from holdfast.trust import safe

_RUNNING, _DONE, _ORPHANED = "running", "completed", "orphaned"


@dataclass(slots=True)
class SessionFigures:
    """The figures of one session. Times are seconds since 1970; `took` is seconds from start to completion, or 0.0.

    `compactions` are all of the journal. `kept` and `omitted` count the things that their summaries kept and left out,
    as far as snapshots are still there. `zone` is the worst zone of its token budget that was reported.
    """

    ident: str
    type: str
    title: str
    branch: str
    started: float
    took: float
    tasks_done: int
    tasks: int
    files: list[str]
    children: int
    compactions: int = 0
    kept: int = 0
    omitted: int = 0
    zone: str = ZONES[0].name
    tokens: Tokens = field(default_factory=Tokens)

    def row(self) -> dict[str, object]:
        """Return the JSON object."""
        return {
            "id": self.ident,
            "title": self.title,
            "branch": self.branch,
            "started": clock.write(self.started),
            "seconds": round(self.took, 3),
            "tasks_done": self.tasks_done,
            "tasks": self.tasks,
            "files": len(self.files),
            "children": self.children,
            "compactions": self.compactions,
            "kept": self.kept,
            "omitted": self.omitted,
            "zone": self.zone,
            "tokens": self.tokens.total,
            **self.tokens.row(),
        }


@dataclass(slots=True)
class TypeFigures:
    """The figures of the sessions or subagents of one type; `durations` are the seconds of those that completed."""

    name: str
    count: int = 0
    completed: int = 0
    orphaned: int = 0
    durations: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median duration in seconds, 0.0 if none completed."""
        return statistics.median(self.durations) if self.durations else 0.0

    def add(self, took: float, *, completed: bool, orphaned: bool = False) -> None:
        """Add a session or subagent, with its seconds if it completed."""
        self.count += 1
        self.completed += completed
        self.orphaned += orphaned
        self.durations += [took] * completed

    def row(self) -> dict[str, object]:
        """Return the JSON object."""
        return {
            "type": self.name,
            "count": self.count,
            "completed": self.completed,
            "orphaned": self.orphaned,
            "median_seconds": round(self.median, 3),
        }


@dataclass(slots=True)
class Sums:
    """The sums of some sessions, such as those that started on one day; `tokens` are input and output."""

    sessions: int = 0
    tasks_done: int = 0
    tasks: int = 0
    compactions: int = 0
    kept: int = 0
    omitted: int = 0
    tokens: int = 0
    cost: float = 0.0

    def add(self, one: SessionFigures) -> None:
        """Add a session."""
        self.sessions += 1
        self.tokens += one.tokens.total
        self.cost += one.tokens.cost
        for name in ("tasks_done", "tasks", "compactions", "kept", "omitted"):
            setattr(self, name, getattr(self, name) + getattr(one, name))

    def row(self) -> dict[str, object]:
        """Return the JSON object."""
        return {**asdict(self), "cost": round(self.cost, 6)}


@dataclass(slots=True)
class Figures:
    """The figures of a project: of sessions, latest start first, of days, agents and branches.

    `types` are the sessions by their agent, or by their client where none is named.
    `days` are by the user's clock, without gaps, oldest first.
    `sums` are of all sessions, of which so many are `completed`, after a `median` of seconds; `zones` counts them by
    their worst zone.
    """

    sessions: list[SessionFigures]
    days: dict[str, Sums]
    agents: list[TypeFigures]
    branches: dict[str, Tokens]
    tokens: Tokens
    sums: Sums = field(default_factory=Sums)
    completed: int = 0
    median: float = 0.0
    zones: dict[str, int] = field(default_factory=dict)
    types: list[TypeFigures] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Sum up the sessions."""
        took = [one.took for one in self.sessions if one.took]
        self.completed, self.median = len(took), statistics.median(took) if took else 0.0
        self.types = _types(self.sessions)
        self.zones = dict(Counter(one.zone for one in self.sessions))
        for one in self.sessions:
            self.sums.add(one)

    def row(self) -> dict[str, object]:
        """Return the JSON object."""
        return {
            "sessions": [one.row() for one in self.sessions],
            "days": [{"day": day, **sums.row()} for day, sums in self.days.items()],
            "types": [one.row() for one in self.types],
            "agents": [one.row() for one in self.agents],
            "branches": [{"branch": name, **tokens.row()} for name, tokens in self.branches.items()],
            "tokens": self.tokens.row(),
            "totals": {**self.sums.row(), "completed": self.completed, "median_seconds": round(self.median, 3)},
            "zones": [{"zone": name, "sessions": count} for name, count in self.zones.items()],
        }


def read(workspace: "Workspace", since: float = 0.0, idents: "Collection[str] | None" = None) -> Figures:
    """Return the figures of the sessions that started after a time, of all or of these.

    Each journal and transcript is read once.
    """
    everyone = log.sessions(workspace.project.store)
    sessions = [_with_file(workspace, ident) for ident in everyone if idents is None or ident in idents]
    sessions = look_elsewhere(sessions, workspace.project, workspace.formats, over=True)
    begun = sorted((one for one in sessions if one.started and one.started >= since), key=lambda one: one.started)
    chosen = [judged(session, workspace.settings, workspace.now) for session in begun]
    session_figures = {session.id: _figures(session) for session in chosen}
    others = [_of_updates(workspace.project.store, one.id) for one in sessions if not one.started]
    known_from = sorted((one for one in others if one and one.started >= since), key=lambda one: one.started)
    session_figures = dict(
        sorted({**session_figures, **{one.ident: one for one in known_from}}.items(), key=lambda pair: pair[1].started)
    )
    _add_outcomes(workspace.project.store, session_figures)
    total = Tokens()
    branches = _add_tokens(chosen, session_figures)
    for tokens in branches.values():
        for name in Tokens.__slots__:
            setattr(total, name, getattr(total, name) + getattr(tokens, name))
    agents = _agents(child for session in chosen for child in session.children.values())
    days = _days([*session_figures.values()])
    return Figures([*reversed(session_figures.values())], days, agents, branches, total)


def _with_file(workspace: Workspace, ident: str) -> Session:
    """Return a session with what its state file says, as lists show it."""
    session = with_state(workspace.recorded(ident), workspace.project)
    return session.replace(summary=trusted_summary(session.state, workspace.cache, workspace.formats))


def _figures(session: "Session") -> SessionFigures:
    """Return what the journal of a session, and its state file, say."""
    completed = session.file.completed or session.chosen_at or session.last_active
    worst = max((zone for _, zone in session.process.zones), default=0)
    return SessionFigures(
        session.id,
        session.client or "claude-code",
        safe.line(session.title, 200),
        safe.line(session.branch, 100),
        session.started,
        max(0.0, completed - session.started) if session.status == _DONE else 0.0,
        *session.progress(),
        [safe.line(path, 400) for path in session.inside()],
        len(session.children),
        session.process.compactions,
        zone=ZONES[min(worst, len(ZONES) - 1)].name,
    )


def _of_updates(store: str, name: str) -> SessionFigures | None:
    """Return what the updates in a journal say of a session that no client started, None where there are none."""
    made = [fact for fact in log.read(store, name) if fact["kind"] == "update"]
    if not made:
        return None
    requests_made = [table_of(fact, "request") for fact in made]
    told = {key: value for request in requests_made for key, value in request.items() if value}
    contexts = [text_of(request, "context") for request in requests_made]
    files = dict.fromkeys(safe.line(file, 400) for context in contexts for file in names.named(context))
    started, last = number_of(made[0], "at"), made[-1]
    took = number_of(last, "at") - started if last.get("status") == _DONE else 0.0
    title = safe.line(text_of(told, "purpose") or text_of(told, "agent"), 200)
    branch = safe.line(text_of(told, "branch"), 100)
    kind = safe.line(text_of(told, "agent"), 60) or "-"
    return SessionFigures(text_of(told, "session_id"), kind, title, branch, started, took, 0, 0, [*files], 0)


def _add_outcomes(store: str, session_figures: dict[str, SessionFigures]) -> None:
    """Add what the summaries of compactions kept and left out, where there is a snapshot."""
    for one in snapshots.everyone(store) if store else ():
        if one.session in session_figures and one.took_place:
            _, kept, omitted = outcome(one)
            figures = session_figures[one.session]
            figures.kept += kept
            figures.omitted += len(omitted)


def _add_tokens(sessions: "list[Session]", session_figures: dict[str, SessionFigures]) -> dict[str, Tokens]:
    """Add the tokens of each session, oldest first, and return those of each branch; each request counts once."""
    branches: dict[str, Tokens] = {}
    counted: set[str] = set()
    for session in sessions:
        for ident, (usage, branch) in transcript.requests_of(session.transcript).items():
            if ident not in counted:
                counted.add(ident)
                for tokens in (
                    session_figures[session.id].tokens,
                    branches.setdefault(safe.line(branch, 100) or "-", Tokens()),
                ):
                    tokens.add(usage)
    return dict(sorted(branches.items(), key=lambda item: -item[1].total))


def _agents(children: "Iterable[Child]") -> list[TypeFigures]:
    """Return the figures of subagents by type, the most frequent first."""
    type_figures: dict[str, TypeFigures] = {}
    for child in children:
        name, took = safe.line(child.type, 60) or "-", max(0.0, child.last_active - child.started)
        figures = type_figures.setdefault(name, TypeFigures(name))
        figures.add(took, completed=child.status == _DONE, orphaned=child.status == _ORPHANED)
    return _most_frequent(type_figures)


def _types(sessions: "Iterable[SessionFigures]") -> list[TypeFigures]:
    """Return the figures of sessions by what they are, the most frequent first."""
    type_figures: dict[str, TypeFigures] = {}
    for one in sessions:
        type_figures.setdefault(one.type, TypeFigures(one.type)).add(one.took, completed=bool(one.took))
    return _most_frequent(type_figures)


def _most_frequent(type_figures: dict[str, TypeFigures]) -> list[TypeFigures]:
    return sorted(type_figures.values(), key=lambda one: (-one.count, one.name))


def _days(sessions: list[SessionFigures]) -> dict[str, Sums]:
    """Return the sums of each day from the first to the last start of these sessions, the oldest of which is first."""
    if not sessions:
        return {}
    noon = time.mktime((*time.localtime(sessions[0].started)[:3], 12, 0, 0, 0, 0, -1))
    count = int((sessions[-1].started - noon) // 86400) + 3
    found = {_day(noon + 86400 * number): Sums() for number in range(count)}
    for one in sessions:
        found[_day(one.started)].add(one)
    last = _day(sessions[-1].started)
    return {day: sums for day, sums in found.items() if day <= last}


def _day(at: float) -> str:
    """Return the day of a time by the user's clock."""
    return time.strftime("%Y-%m-%d", time.localtime(at))
