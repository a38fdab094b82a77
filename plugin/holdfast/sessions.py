"""Every session known here: journals folded into sessions, and joined with the state files."""

import os
import stat

from holdfast import (
    cache,
    discovery,
    files,
    folded,
    glance,
    journal,
    past,
    paths,
    process,
    provenance,
    settings,
    text,
    withheld,
)
from holdfast.dialects import catalog
from holdfast.errors import HoldfastError
from holdfast.hub import place as hub
from holdfast.loops import place as loops
from holdfast.session import Session, number_of, orphan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.cache import Cache
    from holdfast.dialects.catalog import Dialects
    from holdfast.past import Past
    from holdfast.paths import Place
    from holdfast.settings import Settings

    Fact = dict[str, object]
    Lines = tuple[str, str, str]


AT_ONCE, LATER = 200, 1000  # state files read at most where somebody waits, and where nobody does


class Survey:
    """The sessions of a project with the settings and the dialects in force.

    `complaint` is what was wrong with these; `left_out` is how many files or folders in the known places were
    too many to look at; `loops` are the open questions, each as its id, status and title. `foreign` are the paths of
    the files whose text came from elsewhere and was not accepted here. `has_hub` is whether one is kept here.

    Of a survey in a hurry, `beyond` are the ids of sessions and children that it passed over, `more` has how many of
    these, and of state files without a journal, are "stale", "unfinished" and so on, and `unread` is how many state
    files and journals nobody has read yet.
    """

    def __init__(self, sessions: list[Session], settings: "Settings", dialects: "Dialects") -> None:
        self.sessions = sessions
        self.settings = settings
        self.dialects = dialects
        self.complaint = ""
        self.left_out = self.unread = 0
        self.more: dict[str, int] = {}
        self.loops: list[list[str]] = []
        self.foreign: list[str] = []
        self.beyond: set[str] = set()
        self.has_hub = False


def find(everyone: list[Session], ident: str) -> Session | None:
    """Return the session with this id, None when there is none."""
    return next((session for session in everyone if session.id == ident), None)


def survey(place: "Place", now: float, cwd: str = "", *, reads: int = 0, guarded: bool | None = None) -> Survey:
    """Return all there is to know of a project's sessions; settings that cannot be used give way to the defaults.

    `cwd` is where the reader stands, if that may be in another working tree than the place's own. With `reads` it is
    one in a hurry: no more state files and journals than that are read, and what is over for long, or too many to be
    told of, is passed over. A `guarded` survey has no more than title and status of texts that were not accepted here;
    any is where Claude is told of it.
    """
    memory = cache.Cache(place.store)
    chosen, complaint = settings.usable(place.root, os.environ, memory)
    known = catalog.known(place.root, memory)
    told = Survey([], chosen, known)
    home = hub.home(place)
    told.has_hub = home.initialised
    there = discovery.state_files(place.root, known.places)
    lines = _with_hub(place, home, there.lines)
    readings = cache.Cache(place.store, whole=True) if not reads and len(lines) > cache.MOST else memory
    over, read = _journaled(place, told, lines, (now, reads))
    _look(place, told, lines, readings, (now, reads, over))
    for session in told.sessions:
        session.digest = digest(session.state, readings, known)
    shut = _shut(place.root, told, readings, guarded=guarded)
    told.sessions, told.loops = _judged(told.sessions, chosen, now, over.held), _loops(place.root, memory, shut)
    for session in told.sessions:
        if session.id in read:
            over.learn(session, read[session.id], now, kept=told.has_hub)
    over.save()
    for kept in {memory, readings}:
        kept.save()
    _remember(place.store, known.places)
    stands = (cwd and paths.locate(cwd).root) or place.root
    for session in told.sessions:
        session.state_name = text.line(_seen_from(stands, session.state), 400)
    told.complaint, told.left_out = complaint or known.complaint, there.left_out
    return told


def _shut(root: str, told: Survey, memory: "Cache", *, guarded: bool | None) -> set[str]:
    """Find the files whose text came from elsewhere; return those that are kept shut, where that is `guarded`."""
    book = loops.path_of(root) if root else ""
    wanted = [session.state for session in told.sessions if session.digest] + [book] * os.path.isfile(book)
    found = provenance.Judge(memory).foreign(sorted({*wanted}))
    told.foreign = sorted(found)
    if not (provenance.told_to_claude() if guarded is None else guarded):
        return set()
    for session in told.sessions:
        if session.state in found:
            session.digest = withheld.named_only(session.digest)
    return found


def _look(
    place: "Place", told: Survey, lines: "dict[str, str]", memory: "Cache", hurry: "tuple[float, int, Past]"
) -> None:
    """Add a session for each state file that no journal here knows; in a hurry, for each that matters.

    `hurry` is what time it is, how many state files may be read at most, 0 for all, and what was passed over.
    """
    now, reads, over = hurry
    known = glance.Glance(place.store, place.root, told.dialects.fingerprint)
    held = {session.state for session in told.sessions if session.state} | over.held
    try:
        others = {path: line for path, line in lines.items() if path not in held}
        told.unread += known.learn(others, lambda path: _digest(path, memory, told.dialects), reads or len(lines))
    except ImportError:  # the dependency folder is still being built
        told.unread = len(lines)
    known.save(now)
    rows = known.rows() if reads else {}
    given_up = {path for session in told.sessions for path in session.given_up} | over.given_up
    new = _unheld(place, held, given_up, list(rows) if reads else sorted(lines))
    if reads:
        found = glance.matters({path: rows[path] for path in new}, now, told.settings.stale_hours)
        new, words = found.paths, found.more.keys() | over.more.keys()
        told.more = {word: found.more.get(word, 0) + over.more.get(word, 0) for word in words}
    told.sessions += [_of_file(place, path) for path in new]


def _loops(root: str, memory: "Cache", shut: set[str]) -> list[list[str]]:
    """Return the open questions of a working tree, none where nobody can, or may, read them."""
    path = loops.path_of(root) if root else ""
    if not path or path in shut:
        return []
    try:
        found = memory.of(path, _open_loops)["open"] if stat.S_ISREG(os.lstat(path).st_mode) else []
    except (OSError, ImportError):  # ImportError: the dependency folder is still being built
        return []
    return found if isinstance(found, list) else []


def _open_loops(path: str) -> "Fact":
    from holdfast import deps
    from holdfast.loops import book

    deps.activate()
    return book.digest(path)


def _with_hub(place: "Place", home: "Place", found: "dict[str, str]") -> "dict[str, str]":
    """Return the state files with the project's one hub, not the copy that another working tree has of it."""
    if home.root == place.root:
        return found
    copies = {f"{place.root}/{name}" for name in hub.PLACES}
    there = hub.known(home.root)
    kept = {path: line for path, line in found.items() if path not in copies}
    try:
        return {**kept, there: discovery.line(there, os.lstat(there))} if there else kept
    except OSError:  # gone since
        return kept


def _journaled(
    place: "Place", told: Survey, lines: "dict[str, str]", hurry: "tuple[float, int]"
) -> "tuple[Past, dict[str, Lines]]":
    """Add the sessions that have a journal here; in a hurry, those that matter.

    Return what was passed over, and for each session that was read the lines that `Past.learn` asks for.
    """
    now, reads = hurry
    chosen, journals = told.settings, journal.lines(place.store)
    variant = f"{told.dialects.fingerprint} {chosen.stale_hours} {told.has_hub}"
    over = past.Past(place.store if reads else "", place.root, variant)
    over.pass_over(journals, lines, now, chosen.stale_hours)
    wanted = [ident for ident in journals if ident not in over.beyond]
    told.beyond, told.unread = over.beyond | over.children, len(wanted[reads or len(wanted) :])
    read: dict[str, Lines] = {}
    for ident in wanted[: reads or len(wanted)]:
        session = folded.session(place.store, ident, place.root, told.dialects.places)
        read[ident] = (journals[ident], session.state, past.line_of(session.state, lines))
        look_for_state(session)
        told.sessions.append(session)
    return over, read


def look_for_state(session: Session) -> None:
    """Say whether a session still has the state file that it had; one that was deleted is none: so ends work on it."""
    session.gone = bool(session.state) and not os.path.isdir(session.state_root)
    session.state = session.state if os.path.lexists(session.state) else ""


def _judged(found: list[Session], chosen: "Settings", now: float, held: set[str]) -> list[Session]:
    """Return the sessions with what is live and stale, last heard first; what nobody heard of is none.

    `held` are the state files of others that were passed over.
    """
    for session in found:
        session.heard = session.heard or _written(session)
        session.passed_on = _passed_on(session, found, held)
        judge(session, chosen, now)
    return sorted((session for session in found if session.heard), key=lambda session: -session.heard)


def _passed_on(session: Session, everyone: list[Session], held: set[str]) -> bool:
    """Whether `/clear` ended the session and another goes on with its state file."""
    return session.reason == "clear" and (
        session.state in held
        or any(other is not session and other.state == session.state for other in everyone if session.state)
    )


def _seen_from(root: str, path: str) -> str:
    """Return a path relative to the working tree `root`, as it is when it lies elsewhere."""
    inside = root and path.startswith(root.rstrip("/") + "/")
    return path[len(root.rstrip("/")) + 1 :] if inside else path


def _remember(store: str, known: tuple[str, ...]) -> None:
    """Leave the patterns to the hooks that run on every tool call, which read no dialects."""
    written = tuple(place for place in known if place and "\n" not in place)
    if not store or paths.places(store) == written:
        return
    try:
        os.makedirs(store, exist_ok=True)
        files.write_atomic(paths.places_file(store), os.fsencode("\n".join(written) + "\n"))
    except (OSError, HoldfastError):  # a shortcut only
        return


def _unheld(place: "Place", held: set[str], given_up: set[str], there: list[str]) -> list[str]:
    """Return the state files that no journal here knows, be it from another working tree."""
    left = [path for path in there if path not in held]
    # Few are called like one that is held, and only those are worth a closer look.
    names = {paths.called(path) for path in held | given_up} if left else set[str]()
    alike = {path: paths.marks(path) for path in left if path.rpartition("/")[2].casefold() in names}
    wanted = set(map(paths.called, alike))
    known: set[tuple[object, object]] = {(paths.repository(place), path) for path in given_up}
    known |= {mark for path in held if paths.called(path) in wanted for mark in paths.marks(path)}
    return [path for path in left if known.isdisjoint(alike.get(path, ()))]


def _of_file(place: "Place", path: str) -> Session:
    """Return the session of a state file, named like the file, with its folder where others have files of that name."""
    name = _seen_from(place.root, path).removeprefix(paths.STATE_FOLDER + "/")
    session = Session(text.line(name.removesuffix(".md"), 400))
    session.state = path
    return session


def digest(path: str, memory: "Cache", known: "Dialects") -> "Fact":
    """Return what a state file says, {} where there is none to read."""
    try:
        return _digest(path, memory, known) if path else {}
    except (OSError, ImportError):  # ImportError: the dependency folder is still being built
        return {}


def _digest(path: str, memory: "Cache", known: "Dialects") -> "Fact":
    """Return what a state file says, {} for what is no plain file or too large to be read."""
    found = os.lstat(path)
    if not stat.S_ISREG(found.st_mode) or found.st_size > discovery.LARGEST:
        return {}
    return memory.of(path, lambda path: _read(path, known), known.fingerprint)


def _read(path: str, known: "Dialects") -> "Fact":
    from holdfast import deps
    from holdfast.states import statefile

    deps.activate()
    return statefile.digest(path, known)


def _written(session: Session) -> float:
    """Return when a state file was written: as it says itself, else as the file system does; 0.0 for no state file."""
    if not session.digest.get("title"):
        return 0.0
    said = max(number_of(session.digest, "updated"), number_of(session.digest, "created"))
    return said or os.stat(session.state).st_mtime


def judge(session: Session, chosen: "Settings", now: float) -> None:
    """Say whether a session is live and whether it is stale (design words).

    A time ahead of the clock is as far away as one behind it: else whoever was heard by a wrong clock lives for ever.
    """
    silence = abs(now - session.heard)
    here = session.host == os.uname().nodename
    if session.ended or not session.journaled:
        session.live = False
    elif here and session.process:
        session.live = process.alive(session.pid, session.process)
    else:
        session.live = silence <= chosen.live_minutes * 60
    if not session.live:
        orphan(session)
    session.stale = session.active and not session.live and silence > chosen.stale_hours * 3600
