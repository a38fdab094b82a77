"""Every session known here: journals folded into sessions, and joined with the state files."""

import os
import stat

from holdfast import cache, journal, paths, process, settings, text
from holdfast.session import Session, fold, number_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.cache import Cache
    from holdfast.paths import Place
    from holdfast.settings import Settings

    Fact = dict[str, object]

_LARGEST = 4 << 20  # a state file over this is listed and not read


class Survey:
    """The sessions of a project with the settings in force; `complaint` is what was wrong with the settings."""

    def __init__(self, sessions: list[Session], settings: "Settings", complaint: str) -> None:
        self.sessions = sessions
        self.settings = settings
        self.complaint = complaint


def find(everyone: list[Session], ident: str) -> Session | None:
    """Return the session with this id, None when there is none."""
    return next((session for session in everyone if session.id == ident), None)


def survey(place: "Place", now: float, cwd: str = "") -> Survey:
    """Return all there is to know of a project's sessions; settings that cannot be used give way to the defaults.

    `cwd` is where the reader stands, if that may be in another working tree than the place's own.
    """
    memory = cache.Cache(place.store)
    chosen, complaint = settings.usable(place.root, os.environ, memory)
    everyone = known(place, chosen, memory, now)
    memory.save()
    stands = (cwd and paths.locate(cwd).root) or place.root
    for session in everyone:
        session.state_name = _named(session.state, stands)
    return Survey(everyone, chosen, complaint)


def known(place: "Place", chosen: "Settings", memory: "Cache", now: float) -> list[Session]:
    """Return every session of the project, last heard first: those with a journal, and state files without one."""
    found = [fold(ident, journal.read(place.store, ident), place.root) for ident in journal.sessions(place.store)]
    for session in found:
        if not os.path.lexists(session.state):
            session.state = ""  # deleted: that is how work on one ends
    found += _unheld(place, found)
    for session in found:
        session.digest = _digest(session.state, memory)
        session.heard = session.heard or _written(session)
        session.passed_on = _passed_on(session, found)
        _judge(session, chosen, now)
    return sorted((session for session in found if session.heard), key=lambda session: -session.heard)


def _passed_on(session: Session, everyone: list[Session]) -> bool:
    """Whether `/clear` ended the session and another goes on with its state file."""
    return session.reason == "clear" and any(
        other is not session and other.state == session.state for other in everyone if session.state
    )


def _named(state: str, root: str) -> str:
    """Return how a reader who stands in the working tree `root` finds a state file, as it can be shown."""
    relative = f"{paths.STATE_FOLDER}/{os.path.basename(state)}"
    return text.line(relative if state == f"{root}/{relative}" else state, 400)


def state_files(root: str) -> list[str]:
    """Return the paths of the files in the known place that may be state files; never through a link."""
    folder = root + "/" + paths.STATE_FOLDER
    if not root or not paths.within(folder, root):
        return []
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names if paths.is_state_path(f"{paths.STATE_FOLDER}/{name}")]


def _unheld(place: "Place", found: list[Session]) -> list[Session]:
    """Return a session for each state file that no journal here knows; in all working trees one name is one file."""
    held = {os.path.basename(path) for session in found for path in (session.state, *session.given_up)}
    return [_of_file(path) for path in state_files(place.root) if os.path.basename(path) not in held]


def _of_file(path: str) -> Session:
    """Return the session of a state file."""
    session = Session(os.path.basename(path).removesuffix(".md"))
    session.state = path
    return session


def _digest(path: str, memory: "Cache") -> "Fact":
    """Return what a state file says, {} where there is none to read."""
    try:
        found = os.lstat(path) if path else None
        if found is None or not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            return {}
        return memory.of(path, _read)
    except (OSError, ImportError):  # ImportError: the dependency folder is still being built
        return {}


def _read(path: str) -> "Fact":
    from holdfast import deps, statefile

    deps.activate()
    return statefile.digest(path)


def _written(session: Session) -> float:
    """Return when a state file was written: as it says itself, else as the file system does; 0.0 for no state file."""
    if not session.digest.get("title"):
        return 0.0
    said = max(number_of(session.digest, "updated"), number_of(session.digest, "created"))
    return said or os.stat(session.state).st_mtime


def _judge(session: Session, chosen: "Settings", now: float) -> None:
    """Say whether a session is live and whether it is stale (design words)."""
    here = session.host == os.uname().nodename
    if session.ended or not session.journaled:
        session.live = False
    elif here and session.process:
        session.live = process.alive(session.pid, session.process)
    else:
        session.live = now - session.heard <= chosen.live_minutes * 60
    silent = now - session.heard > chosen.stale_hours * 3600
    session.stale = session.active and not session.live and silent
