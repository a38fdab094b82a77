"""Bring state files up to date with the journals; a settle that is cut off loses nothing, the next one carries on."""

import os
import time

from holdfast import (
    clock,
    discovery,
    faults,
    files,
    folded,
    git,
    journal,
    leftovers,
    lock,
    paths,
    provenance,
    store,
    text,
)
from holdfast.cache import Cache
from holdfast.dialects import catalog
from holdfast.dialects.catalog import Dialects
from holdfast.dialects.dialect import Dialect
from holdfast.drifts.known import saved_by_hand
from holdfast.edits.edit import Editor
from holdfast.errors import HoldfastError
from holdfast.hub import place as hub
from holdfast.hub import settling
from holdfast.memory import keeping
from holdfast.paths import Place
from holdfast.session import Session
from holdfast.settings import Settings
from holdfast.states import measured, template
from holdfast.states.statefile import StateFile
from holdfast.states.template import Work

Fact = dict[str, object]
News = list[tuple[float, str]]
_MOST = 10  # names kept of what was measured
_HOOK_PATIENCE = 2.0  # seconds that Claude may be kept waiting; what is not done by then the next settle does


def settle(place: Place, ident: str, settings: Settings, patience: float = lock.PATIENCE) -> list[Fact] | None:
    """Bring one session's state file up to date, creating it where one is due.

    Return the facts that are to be journaled once the hub is up to date too; None when there was nothing to do.
    """
    if not _folded(place, ident).unsettled:
        return None
    known = catalog.known(place.root, Cache(place.store))
    try:
        with store.writing(place, patience):
            session, read, complete = _settle(place, ident, settings, known)
    except (HoldfastError, OSError) as error:
        _log(place, ident, error)
        raise
    facts: list[Fact] = []
    if session.ended and session.measured is None:  # without the lock: in a large repository git takes its time
        facts.append(measure(place, session))
    return [*facts, {"kind": "settled", "facts": read}] if complete else facts


def _folded(place: Place, ident: str, patterns: tuple[str, ...] = ()) -> Session:
    """Return a session as its journal has it now; `patterns` matter to who asks for its files."""
    return folded.session(place.store, ident, place.root, patterns or paths.places(place.store))


def settle_each(place: Place, idents: list[str], settings: Settings, patience: float = lock.PATIENCE) -> list[str]:
    """Settle those sessions that have unsettled facts and return their ids; one that cannot be stops no other.

    `patience` is how many seconds each may wait for the lock.

    The hub comes before the note that a session is settled: what is cut off in between is done by the next settle.
    """
    done: dict[str, list[Fact]] = {}
    problems: list[Exception] = []
    for ident in idents:
        try:
            facts = settle(place, ident, settings, patience)
        except (HoldfastError, OSError) as error:
            problems.append(error)
        else:
            done |= {} if facts is None else {ident: facts}
    try:
        settling.keep(place, done, idents, time.time(), patience)
    except (HoldfastError, OSError) as error:
        problems.append(error)
        for ident in idents[:1]:
            _log(place, ident, error)
    for ident, facts in done.items():
        for fact in facts:
            journal.append(place.store, ident, fact)
    if problems:
        raise problems[0]
    return list(done)


def _settle(place: Place, ident: str, settings: Settings, known: Dialects) -> tuple[Session, int, bool]:
    """Settle one session under the lock; return it, how many facts were read, and whether nothing is left to do."""
    session = _folded(place, ident, known.places)
    read = session.count
    if _adoptable(session.unclaimed, known):  # the hook that was about to do it was cut off, or did not know the place
        _adopted(place, ident, session.unclaimed, "")
        session = _folded(place, ident, known.places)
    if session.state and not os.path.lexists(session.state):
        session.state = _moved_to(place, session)
    if not session.state:
        _begin(place, session, known)
    if session.revived and session.state:
        _revive(place, session, known)
    news = keeping.news([fact for _, fact in session.news], session)
    return session, read, not session.state or _write_measured(place, session, settings, known, news)


def _revive(place: Place, session: Session, known: Dialects) -> None:
    """Set a state file to active again that a sweep had paused: its session was started again since."""
    editor = Editor(session.state, known, clock.write(time.time(), clock.MINUTE))

    def change(data: bytes) -> bytes:
        state = StateFile(data, session.state, known)
        words = state.dialect.status["active"] if state.dialect and not state.problem else []
        paused = [state.record.dialect.standing(state.record.text(spot)) for spot in state.record.spots("status")]
        return editor.apply(data, {"Status": words[0]}).data if words and set(paused) == {"paused"} else data

    store.update(session.state, change)
    journal.append(place.store, session.id, {"kind": "swept", "standing": "", "text": "it was started again"})


def _log(place: Place, ident: str, error: Exception) -> None:
    """Log why a session could not be settled, once for each reason: most settles run where nobody sees them fail."""
    if _folded(place, ident).note != str(error):
        faults.record(place.store, "settle", error)
        journal.append(place.store, ident, {"kind": "note", "text": str(error)})


def adopt(place: Place, ident: str, path: str, settings: Settings, *, child: str = "") -> bool:
    """Accept the state file that was just edited, make it the session's own (or its child's), stamp and stage it.

    A session that has one does not take another session's over by touching it. False for a file whose shape is not
    known: it is left alone.
    """
    known = catalog.known(place.root, Cache(place.store))
    if os.path.isfile(path):
        provenance.accept(path)
    if not _adoptable(path, known):
        return False
    with store.writing(place, _HOOK_PATIENCE):
        _adopted(place, ident, path, child)
        if place.initialised:  # else the file is another tool's, and what happens to it is that tool's business
            # Claude has just written it: with its own time kept, the client does not report our stamp to it as news.
            store.update(path, lambda data: measured.stamp(StateFile(data, path, known), time.time()), quiet=True)
            stage(place, ident, path, settings, known=_folded(place, ident).note)
    return True


def _adoptable(path: str, known: Dialects) -> bool:
    """Whether a plain file is there whose shape is known, and is that of one session's own."""
    if not os.path.isfile(path) or os.path.islink(path):
        return False
    dialect = StateFile(files.read(path), path, known).dialect
    return dialect is not None and dialect.writes and not dialect.shared


def _adopted(place: Place, ident: str, path: str, child: str) -> None:
    """Claim a state file for who edited it, unless it is theirs, or another's while they have one of their own."""
    holders = journal.holders(place.store, path)
    if child or not (ident in holders or (holders and journal.bound(place.store, ident))):
        journal.claim(place.store, ident, path, by="edit", child=child)


def begin(place: Place, session: Session, dialect: Dialect, work: Work) -> str:
    """Create a state file for a piece of work that a session begins and return its path; the caller holds the lock."""
    work.title, work.request, work.session = text.line(work.title, 100), session.prompt, session.id
    work.branch = session.branch or paths.branch(place)
    folder, name = f"{place.root}/{paths.STATE_FOLDER}", template.name(work.title, work.created)
    if session.id and _mentions(f"{folder}/{name}", session.id):  # made by a settle that was cut off right after
        return f"{folder}/{name}"
    shaped = "" if catalog.comes_along(dialect.name, Cache(place.store)) else f"{place.root}/{paths.SETTINGS}"
    return store.create(folder, name, template.compose(dialect, work), shaped)


def _begin(place: Place, session: Session, known: Dialects) -> None:
    """Create the state file of a session that has begun to work since its project wants them."""
    home = paths.locate(session.root) if session.root else place
    if session.due and home.initialised and (session.inside() or session.tasks):
        work = Work(session.prompt or f"Work on {session.branch or 'this project'}", session.due)
        session.state = begin(home, session, known.named("agents"), work)
        journal.claim(place.store, session.id, session.state, by="settle")


def _moved_to(place: Place, session: Session) -> str:
    """Return where a state file went, alone or with its project; "" when it was deleted, and a next one may come."""
    root = session.state_root if os.path.isdir(session.state_root) else place.root
    known = discovery.state_files(root, session.places).paths
    found = [path for path in known if _may_be(session, os.path.relpath(path, root)) and _mentions(path, session.id)]
    found = [path for path in found if not {*journal.holders(place.store, path)} - {session.id}]
    if len(found) == 1:
        journal.claim(place.store, session.id, found[0], by="rename")
        return found[0]
    journal.release(place.store, session.id)
    return ""


def _may_be(session: Session, relative: str) -> bool:
    """Whether a file can be what became of the session's: that name in another place, or another name in its place.

    Files of other places mention sessions too, such as a list of all.
    """
    was = session.state_name
    own = [place for place in session.places if paths.matches(was, place)]
    return paths.called(relative) == paths.called(was) or paths.is_state_path(relative, own)


def _mentions(path: str, ident: str) -> bool:
    """Whether a plain file is there that names the session."""
    return os.path.isfile(path) and not os.path.islink(path) and ident.encode() in files.read(path)


def _write_measured(place: Place, session: Session, settings: Settings, known: Dialects, news: News) -> bool:
    """Write what is measured into the state file, with its time, and stage it; whether nothing is left to do."""
    if not paths.locate(os.path.dirname(session.state)).initialised:
        return True  # another tool's file, in a project that wants none of ours
    _note_saved(place, session, known)
    own = paths.locate(os.path.dirname(session.state)).relative(session.state)
    listed = [text.line(path, 300) for path in reversed(session.inside())]
    tasks = _tasks(session)
    place_due = own not in session.blocks and bool(listed or tasks)
    beside = keeping.measured(paths.locate(os.path.dirname(session.state)).root, session, settings)
    beside.news = news
    there = b""

    def change(data: bytes) -> bytes:
        nonlocal there
        there, state = data, StateFile(data, session.state, known)
        if state.problem or state.dialect is None:
            return data
        placed = measured.with_blocks(data) if place_due and state.dialect.measured else data
        changed = measured.with_measured(placed, listed, tasks)
        changed = keeping.settled(changed, session.state, known, beside, time.time())
        return data if changed == data else measured.stamp(StateFile(changed, session.state, known), time.time())

    store.update(session.state, change)
    if not there:  # somebody is just saving it in place; what is measured has its place once it is saved
        return False
    if place_due:
        journal.append(place.store, session.id, {"kind": "blocks", "path": own})
    # Staged even if nothing was written: a settle that was cut off may have got no further than the file.
    unstaged = stage(place, session.id, session.state, settings, known=session.note)
    return not any(why in unstaged for why in git.LATER)


def _note_saved(place: Place, session: Session, known: Dialects) -> None:
    """Journal that a person saved the state file, before it is staged with our lines and nobody can tell any more."""
    state = StateFile(files.read(session.state), session.state, known)
    saved = 0.0 if state.problem else saved_by_hand(state)
    if saved > max(session.saved, session.state_edited):
        journal.append(place.store, session.id, {"kind": "saved", "saved": round(saved, 3)})


def _tasks(session: Session) -> list[tuple[str, str]]:
    """Return (subject, status) of the session's tasks; of several with one subject the unfinished one counts."""
    known = [(text.line(subject, 200), status) for subject, status, _ in session.tasks.values() if subject]
    unfinished = {subject for subject, status in known if status not in {"completed", "deleted"}}
    return [(subject, "pending" if subject in unfinished else status) for subject, status in known]


def stage(place: Place, ident: str, path: str, settings: Settings, known: str = "") -> str:
    """Stage a state file and return "", or why that could not be, which the session's journal is told once."""
    problem = store.stage(path) if settings.stage else ""
    if ident and problem and problem != known:
        journal.append(place.store, ident, {"kind": "note", "text": problem})
    return problem


def measure(place: Place, session: Session) -> Fact:
    """Return what git and the files know that the completion checklist asks for."""
    root = session.worktree if os.path.isdir(session.worktree) else session.root or place.root
    fact: Fact = {"kind": "measured", **leftovers.measured(place, session, root)}
    if not root or not paths.locate(root).git:
        return fact
    changed = git.uncommitted(root)
    if changed is not None:
        fact.update(uncommitted=len(changed), examples=[text.line(name, 100) for name in changed[:_MOST]])
    own = os.path.relpath(session.state, root) if session.state else ""
    mentioned = git.mentions(root, _spoken_of(session)) if session.state else None
    if mentioned is not None:
        register = {own, *hub.PLACES, *(hub.beside(name, hub.ARCHIVE) for name in hub.PLACES)}  # name it by design
        fact["mentions"] = [text.line(name, 100) for name in mentioned if name not in register][:_MOST]
    return fact


def _spoken_of(session: Session) -> str:
    """Return how others refer to a state file: by its name, or by its path where every file of that place has it."""
    path = paths.locate(os.path.dirname(session.state)).relative(session.state)
    names = [os.path.basename(place) for place in session.places if paths.matches(path, place)]
    return path if names and not any("*" in name for name in names) else os.path.basename(path)
