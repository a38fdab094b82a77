"""Bring the hub up to date with the journals."""

import os
import time

from holdfast import files, journal, lock, store
from holdfast.hub import keeping, lineage, standing, writing
from holdfast.hub import place as places
from holdfast.hub.draft import Draft
from holdfast.hub.memory import Memory
from holdfast.hub.project import Project
from holdfast.paths import Place
from holdfast.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from holdfast.hub.keeping import Kept

    News = list[tuple[Kept, dict[str, object]]]


def keep(
    place: Place,
    idents: "Collection[str]",
    others: "Iterable[str]",
    now: float,
    patience: float = lock.PATIENCE,
) -> None:
    """Bring the entries of these sessions up to date, and those of others that the hub was not told of.

    Nothing is kept in a project that was not prepared. HoldfastError when the hub must not be written, or the lock was
    not to be had for `patience` seconds.
    """
    if not place.store or not places.home(place).initialised:
        return
    project = Project(place, now)
    known = {ident: project.session(ident) for ident in dict.fromkeys([*idents, *others])}
    found = {ident: session for ident, session in known.items() if session}
    wanted = [ident for ident, session in found.items() if ident in idents or standing.due(session)]
    if not (any(found[ident].listed for ident in wanted) or _overwritten(place)):
        return
    with store.writing(place, patience):  # and what has happened by then counts
        writing.recover(project)
        _write(project, _families(project, wanted))


def _overwritten(place: Place) -> bool:
    """Whether somebody else wrote the hub, perhaps from an old copy, or it could not be staged when it was written."""
    path = places.path_of(place)
    memory = Memory(place.store, path)
    return os.path.isfile(path) and (memory.unfinished or memory.touched(files.read(path)))


def _traced(place: Place, session: Session) -> str:
    """Return the session that a fork goes on from, and journal it."""
    origin = lineage.origin(session)
    if origin:
        journal.append(place.store, session.id, {"kind": "origin", "session": origin})
    return origin


def _families(project: Project, idents: list[str]) -> list[Session]:
    """Return the sessions that did something, each after the one that started it."""
    found: dict[str, Session] = {}
    for ident in idents:
        session = project.session(ident)
        if session is None or not session.listed:
            continue
        session.origin = session.origin or _traced(project.place, session)
        parent = project.session(session.parent) if session.parent else None
        for each in (parent, session):
            if each:
                found.setdefault(each.id, each)
    return list(found.values())


def _write(project: Project, sessions: list[Session]) -> None:
    """Write what the sessions come to, with what their entries were given as facts for their journals."""
    news: News = []

    def act(draft: Draft) -> None:
        news[:] = [told for session in sessions for told in keeping.put(draft, session)]

    writing.write(project, act, owed=lambda: keeping.facts(news, time.time()))
