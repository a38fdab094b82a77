"""Bring state files up to date with the journals; a settle that is cut off loses nothing, the next one carries on."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from holdfast import faults, git, journal, lock, paths, statefile, store, text
from holdfast.errors import HoldfastError
from holdfast.paths import Place
from holdfast.session import Session, fold
from holdfast.settings import Settings

_MOST = 10  # names kept of what was measured


@contextmanager
def writing(place: Place) -> Iterator[None]:
    """Hold the project's lock, once all that is slow to import is there: others wait for as long as it is held."""
    git.load()
    with lock.hold(place.store):
        yield


def settle(place: Place, ident: str, settings: Settings) -> bool:
    """Bring one session's state file up to date, creating it where one is due; whether there was anything to do."""
    if not fold(ident, journal.read(place.store, ident)).unsettled:
        return False
    try:
        with writing(place):
            return _settle(place, ident, settings)
    except (HoldfastError, OSError) as error:
        _log(place, ident, error)
        raise


def settle_all(place: Place, settings: Settings) -> list[str]:
    """Settle every session that has unsettled facts and return their ids; the first that cannot be stops no other."""
    done, problems = [], []
    for ident in journal.sessions(place.store):
        try:
            if settle(place, ident, settings):
                done.append(ident)
        except (HoldfastError, OSError) as error:
            problems.append(error)
    if problems:
        raise problems[0]
    return done


def _settle(place: Place, ident: str, settings: Settings) -> bool:
    """Settle one session; the caller holds the lock. Whether there was still anything to do."""
    facts = journal.read(place.store, ident)
    session = fold(ident, facts)
    if not session.unsettled:
        return False
    if _adoptable(session.unclaimed):  # the hook that was about to do it was cut off
        _adopted(place, ident, session.unclaimed, "")
        session = fold(ident, journal.read(place.store, ident))
    if not session.state:
        _begin(place, session)
    if session.state and os.path.exists(session.state):
        _write_measured(place, session, settings)
    if session.ended and session.measured is None:
        journal.append(place.store, ident, _measure(place, session))
    journal.append(place.store, ident, {"kind": "settled", "facts": len(facts)})
    return True


def _log(place: Place, ident: str, error: Exception) -> None:
    """Log why a session could not be settled, once for each reason: most settles run where nobody sees them fail."""
    if fold(ident, journal.read(place.store, ident)).note != str(error):
        faults.record(place.store, "settle", error)
        journal.append(place.store, ident, {"kind": "note", "text": str(error)})


def adopt(place: Place, ident: str, path: str, settings: Settings, *, child: str = "") -> bool:
    """Make the state file that was just edited the session's own (or its child's), stamp and stage it.

    A session that has one does not take another session's over by touching it. False for a file whose shape is not
    known: it is left alone.
    """
    if not _adoptable(path):
        return False
    with writing(place):
        _adopted(place, ident, path, child)
        # Claude has just written the file: with its own time kept, the client does not report our stamp to it as news.
        store.update(path, lambda data: statefile.stamp(data, time.time()), quiet=True)
        stage(place, ident, path, settings)
    return True


def _adoptable(path: str) -> bool:
    """Whether a plain file of a known shape is there."""
    return os.path.isfile(path) and not os.path.islink(path) and "problem" not in statefile.digest(path)


def _adopted(place: Place, ident: str, path: str, child: str) -> None:
    """Claim a state file for who edited it, unless it is theirs, or another's while they have one of their own."""
    holders = journal.holders(place.store, path)
    if child or not (ident in holders or (holders and journal.bound(place.store, ident))):
        claim(place, ident, path, by="edit", child=child)


def claim(place: Place, ident: str, path: str, *, by: str, child: str = "") -> None:
    """Journal that the state file at `path` belongs to the session, or to its child."""
    home = paths.locate(os.path.dirname(path))
    fact: dict[str, object] = {"kind": "state", "path": home.relative(path), "root": home.root, "by": by}
    journal.append(place.store, ident, {**fact, "agent": child} if child else fact)
    if not child:
        journal.bind(place.store, ident, path)


def begin(place: Place, title: str, *, ident: str = "", branch: str = "", request: str = "") -> str:
    """Create a state file for a new piece of work and return its path; the caller holds the lock."""
    now = time.time()
    title = text.line(title, 100)
    data = statefile.compose(title, now, branch=branch or paths.branch(place), request=request, session=ident)
    return store.create(f"{place.root}/{paths.STATE_FOLDER}", statefile.name(title, now), data)


def _begin(place: Place, session: Session) -> None:
    """Create the state file of a session that has begun to work since its project wants them."""
    home = paths.locate(session.root) if session.root else place
    if session.due and home.initialised and (session.inside() or session.tasks):
        title = session.prompt or f"Work on {session.branch or 'this project'}"
        session.state = begin(home, title, ident=session.id, branch=session.branch, request=session.prompt)
        claim(place, session.id, session.state, by="settle")


def _write_measured(place: Place, session: Session, settings: Settings) -> None:
    """Write files, tasks and time into the state file, and stage it."""
    store.sweep(os.path.dirname(session.state))
    home = paths.locate(os.path.dirname(session.state))
    own = home.relative(session.state)
    listed = [text.line(path, 300) for path in reversed(session.inside())]
    tasks = [(text.line(subject, 200), status) for subject, status, _ in session.tasks.values() if subject]
    place_due = own not in session.blocks

    def change(data: bytes) -> bytes:
        if "problem" in statefile.digest(session.state):
            return data
        changed = statefile.with_blocks(data) if place_due and (listed or tasks) else data
        changed = statefile.with_tasks(statefile.with_files(changed, listed), tasks)
        return data if changed == data else statefile.stamp(changed, time.time())

    store.update(session.state, change)
    if place_due and (listed or tasks):
        journal.append(place.store, session.id, {"kind": "blocks", "path": own})
    # Staged even if nothing was written: a settle that was cut off may have got no further than the file.
    stage(place, session.id, session.state, settings, known=session.note)


def stage(place: Place, ident: str, path: str, settings: Settings, known: str = "") -> str:
    """Stage a state file and return "", or why that could not be, which the session's journal is told once."""
    problem = store.stage(path) if settings.stage else ""
    if ident and problem and problem != known:
        journal.append(place.store, ident, {"kind": "note", "text": problem})
    return problem


def _measure(place: Place, session: Session) -> dict[str, object]:
    """Return what git knows that the completion checklist asks for."""
    root = session.worktree if os.path.isdir(session.worktree) else session.root or place.root
    fact: dict[str, object] = {"kind": "measured"}
    if not root or not paths.locate(root).git:
        return fact
    changed = git.uncommitted(root)
    if changed is not None:
        fact.update(uncommitted=len(changed), examples=[text.line(name, 100) for name in changed[:_MOST]])
    own = os.path.relpath(session.state, root) if session.state else ""
    mentioned = git.mentions(root, os.path.basename(session.state)) if session.state else None
    if mentioned is not None:
        fact["mentions"] = [text.line(name, 100) for name in mentioned if name != own][:_MOST]
    return fact
