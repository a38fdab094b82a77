"""The Python API: what a program reads and writes of the sessions of a project.

    from holdfast import api

    for session in api.Project().sessions():
        print(session.status, session.title)

It follows Semantic Versioning with the version of holdfast: within a major version the names, parameters and fields
here keep their meaning, and a minor version may add some. Secrets in recorded texts are masked. Everything raises
HoldfastError, whose text says what to do, or OSError.
"""

import os
import time
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime

from holdfast.actions import settle_due
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import number_of, text_of, texts_of
from holdfast.journal import log
from holdfast.project import packages, paths
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any, Literal

    from holdfast.core.summary import Summary
    from holdfast.journal.log import Fact as Recorded
    from holdfast.sessions import candidates, session, survey

    Action = Literal["started", "in_progress", "completed", "waiting", "paused"]

__all__ = ["Change", "Child", "Fact", "HoldfastError", "Match", "Project", "Session", "State", "Synced", "row"]
_PAUSE = 0.5  # seconds between two looks at the journals


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A subagent of a session."""

    id: str
    type: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """What a state file says of the work; "" and () where it says nothing."""

    focus: str
    objective: str
    progress: str
    phase: str
    current: str
    next: tuple[str, ...]
    questions: tuple[str, ...]
    decisions: tuple[str, ...]
    blockers: tuple[str, ...]
    artifacts: tuple[str, ...]
    updated: datetime | None


_WORK = {field.name: field.type for field in fields(_Work)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(_Work):
    """A session of a coding client, or a state file that belongs to none; the keys of `holdfast list --json`.

    status is active, waiting, paused, completed, dropped or ended; how is how its process ended: ended, crashed or "".
    where says where its state file is if it is not in its working tree, such as "on branch feat". put_off has the tasks
    and steps that are put off, each with its day, and the title where the whole work is.
    """

    id: str
    title: str
    status: str
    format: str
    branch: str
    worktree: str
    live: bool
    stale: bool
    orphaned: bool
    last_heard: datetime | None
    ended: datetime | None
    how: str
    files_touched: tuple[str, ...]
    children: tuple[Child, ...]
    state_file: str
    where: str
    put_off: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class State(_Work):
    """A state file: its path in the project, its format, its own text, and what that says."""

    session: str
    path: str
    format: str
    title: str
    status: str
    own_status: str
    type: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line of a journal: `data` has the keys that `holdfast.journal.kinds` lists for its kind."""

    at: datetime
    kind: str
    session: str
    data: "Mapping[str, object]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A text that a search found: a prompt, answer, decision, ...; `line` is the line in which the words are."""

    at: datetime
    kind: str
    session: str
    line: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of a state file, with the 1-based number of its line."""

    where: str
    line: int
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Synced:
    """What a sync did; `unplaced` has each key that could not be written, with the reason."""

    path: str
    written: bool
    changes: tuple[Change, ...]
    unplaced: "Mapping[str, str]"


class Project:
    """A project, by any folder in it. Nothing is kept between calls: each sees what files say at that moment."""

    def __init__(self, folder: str | os.PathLike[str] = ".") -> None:
        start = os.path.abspath(folder) if isinstance(folder, str | os.PathLike) else ""
        if not os.path.isdir(start):
            raise HoldfastError(f"{start or type(folder).__name__!r} is not a folder. Give one that exists.")
        self._project = paths.locate(start)
        self.root = self._project.root
        """The path of the working tree."""

    def sessions(self) -> list[Session]:
        """Return all sessions, the last active first."""
        from holdfast.hub import tree
        from holdfast.sessions import paused_work

        listed = paused_work.without_handovers(tree.listed(self._survey()))
        return [session_of(one) for one in sorted(listed, key=lambda one: -one.last_active)]

    def session(self, ident: str) -> Session:
        """Return the session that a part of an id, a file's name or words of a title mean."""
        return session_of(self._hit(self._survey(), ident).session)

    def state(self, ident: str = "") -> State:
        """Return what a state file says: the one of a session, or the only active one of the project."""
        from holdfast.sessions import lookup, status
        from holdfast.sessions.workspace import read_summary

        found = self._survey()
        hit = self._hit(found, ident)
        lookup.require_file(hit)
        summary = status.with_status(read_summary(hit.path, found.cache, found.formats), hit.session)
        return State(
            session=hit.session.id,
            path=hit.session.state_name,
            format=text_of(summary, "format"),
            title=text_of(summary, "title"),
            status=text_of(summary, "category"),
            own_status=text_of(summary, "status"),
            type=text_of(summary, "type"),
            text=found.workspace.state_file(hit.path).part(""),
            **_work(summary),
        )

    def facts(
        self, ident: str = "", *, kinds: "Iterable[str]" = (), since: float = 0.0, follow: bool = False
    ) -> "Iterator[Fact]":
        """Return the facts that journals keep, oldest first: of all sessions, or of the one that `ident` means.

        With `since`, in seconds since 1970, only from that time on. With `follow` those that come from now on, without
        an end.
        HoldfastError where a model reads the output and its user does not trust the clone.
        """
        from holdfast.journal import kinds as journal_kinds

        _require_type("since", since, int, float)
        _require_type("ident", ident, str)
        clone.require_trusted_project(self._project, self.root)
        chosen = _chosen(kinds, journal_kinds.KINDS)
        meant = self.session(ident).id if ident and ident not in log.sessions(self._project.store) else ident
        found = self._following() if follow else self._kept(meant, since)
        return (
            _fact(one, fact)
            for one, fact in found
            if meant in ("", one) and fact["at"] >= since and (not chosen or fact["kind"] in chosen)
        )

    def search(self, words: str, *, kinds: "Iterable[str]" = ()) -> list[Match]:
        """Return the texts of all sessions in which the words occur, the best first."""
        from holdfast.sessions import full_text

        _require_type("words", words, str)
        if not full_text.query(words):
            raise HoldfastError(f"{words[:80]!r} has no word to search for.")
        chosen = _chosen(kinds, full_text.KINDS)
        texts = full_text.search(self._survey(), words, kinds=[*chosen])
        return [
            Match(
                at=_time(one.at),
                kind=one.kind,
                session=one.session,
                line=safe.line(full_text.line_with(safe.safe(one.text), words)),
                text=safe.safe(one.text),
            )
            for one in texts
        ]

    def sync(self, changes: "Mapping[str, object]", ident: str = "") -> Synced:
        """Set fields and add items of a state file, as `holdfast sync` does, and return what was read back."""
        packages.require()
        from holdfast.actions import sync, update_hub
        from holdfast.core import fast_json
        from holdfast.sessions import lookup

        found = self._survey()
        hit = self._hit(found, ident)
        lookup.require_file(hit)
        try:
            requested = sync.read_requests(fast_json.dumps(dict(changes)))
        except (TypeError, ValueError, RecursionError) as error:
            raise HoldfastError(f"the changes have to be what JSON can say, by name: {error}.") from None
        done = update_hub.sync_file(found, hit, requested)
        if hit.session.journaled and not hit.entry:
            update_hub.keep(found.workspace, [hit.session.id], [])
        outcome = done.outcome
        return Synced(
            path=hit.session.state_name,
            written=done.written,
            changes=tuple(Change(where=one.where, line=one.line, old=one.old, new=one.new) for one in outcome.changes),
            unplaced=dict(outcome.unplaced),
        )

    def update(  # noqa: PLR0913 - one argument for each value
        self,
        *,
        action: "Action",
        session_id: str = "",
        agent: str = "",
        purpose: str = "",
        context: str = "",
        parent_session: str = "",
        branch: str = "",
    ) -> dict[str, object]:
        """Record in the hub what a session does, as `holdfast update` does; return its answer."""
        packages.require()
        from holdfast.actions import update_hub
        from holdfast.hub.update import KEYS, read_request

        values = (action, agent, session_id, purpose, context, parent_session, branch)
        given = [*zip(KEYS, values, strict=True)]
        for key, value in given:
            _require_type(key, value, str)
        asked = read_request(tuple(f"--{key}={value}" for key, value in given if value), _own())
        return update_hub.run(Workspace(self._project), asked, _own())

    def _survey(self) -> "survey.Survey":
        from holdfast.sessions import survey

        if problem := paths.store_problem(self._project):
            raise HoldfastError(problem)
        settle_due.wait_for_file(self._project)
        return survey.survey(Workspace(self._project))

    def _hit(self, found: "survey.Survey", ident: str) -> "candidates.Hit":
        from holdfast.sessions import lookup

        _require_type("ident", ident, str)
        return lookup.find(self._project, found.sessions, ident, _own())

    def _kept(self, ident: str, since: float) -> "Iterator[tuple[str, Recorded]]":
        journals = {one: line for one, line in log.signatures(self._project.store).items() if ident in ("", one)}
        recent = [one for one, line in journals.items() if log.written(line) >= since]
        found = [(one, fact) for one in recent for fact in log.read(self._project.store, one)]
        yield from sorted(found, key=lambda pair: pair[1]["at"])

    def _following(self) -> "Iterator[tuple[str, Recorded]]":
        growth = log.Growth(self._project.store)
        while True:
            for session, facts in growth.new():
                yield from ((session, fact) for fact in facts)
            time.sleep(_PAUSE)


def _require_type(name: str, value: object, *types: type) -> None:
    """Raise HoldfastError unless a value is of one of the types."""
    if not isinstance(value, types):
        wanted = " or ".join(one.__name__ for one in types)
        raise HoldfastError(f"{name} is of the type {type(value).__name__}. Give {wanted}.")


def _chosen(kinds: "Iterable[str]", collection: "Collection[str]") -> frozenset[str]:
    """Return kinds as a set; HoldfastError for one that is not known."""
    for kind in (chosen := [kinds] if isinstance(kinds, str) or not hasattr(kinds, "__iter__") else [*kinds]):
        _require_type("kinds", kind, str)
    if odd := sorted({*chosen} - {*collection}):
        raise HoldfastError(f"no kind is called {odd[0][:60]!r}; give some of {', '.join(collection)}.")
    return frozenset(map(str, chosen))


def session_of(found: "session.Session") -> Session:
    """Return a session for programs."""
    from holdfast.sessions import ledger

    until, texts = ledger.put_off(found)
    return Session(
        id=found.id,
        title=safe.line(found.title, 200),
        status=found.status,
        format=text_of(found.summary, "format"),
        branch=found.branch,
        worktree=found.worktree,
        live=found.live,
        stale=found.stale,
        orphaned=found.orphaned,
        last_heard=_time(found.last_active) if found.last_active else None,
        ended=_time(found.ended) if found.ended else None,
        how="crashed" if found.crashed else "ended" if found.ended else "",
        files_touched=tuple(sorted(found.files)),
        children=tuple(Child(id=one.id, type=one.type, status=one.status) for one in found.children.values()),
        state_file=found.state_name,
        where=found.away,
        put_off=(*([clock.put_off(safe.line(found.title, 200), until)] if until else []), *texts),
        **_work(found.summary),
    )


def row(record: "Child | Session | State | Fact | Match | Change | Synced") -> "dict[str, object]":
    """Return a record as JSON has it: times as `2026-11-22T18:48:05Z`, "" for none."""
    _require_type("record", record, Child, Session, State, Fact, Match, Change, Synced)
    plain: dict[str, object] = _plain(asdict(record))
    own = {name: value for name, value in plain.items() if name not in _WORK}
    return {**own, **{name: plain[name] for name in _WORK if name in plain}}


def _plain(value: object) -> "Any":
    """Return a value in the types that JSON knows."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return clock.write(value.timestamp())
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value


def _work(summary: "Summary") -> "dict[str, Any]":
    """Return the fields of `_Work`."""
    words = {
        name: text_of(summary, name) if kind is str else (*texts_of(summary, name),) for name, kind in _WORK.items()
    }
    at = number_of(summary, "updated")
    return {**words, "updated": _time(at) if at else None}


def _fact(session: str, fact: "Recorded") -> Fact:
    data = {key: safe.every(value) for key, value in fact.items() if key not in {"at", "kind"}}
    return Fact(at=_time(fact["at"]), kind=fact["kind"], session=session, data=data)


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)


def _own() -> str:
    from holdfast.clients import catalogue

    return catalogue.own_session(os.environ)
