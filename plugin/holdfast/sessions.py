"""Every session known here: journals folded into sessions, and joined with the state files."""

import os
import stat

from holdfast import cache, journal, paths, process, settings, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.cache import Cache
    from holdfast.paths import Place
    from holdfast.settings import Settings

    Fact = dict[str, object]

DONE = ("completed", "complete", "done", "closed", "cancelled", "abandoned", "archived")
_LATEST = 1e11  # seconds since 1970 that still have a date; a broken journal may hold any number
_LARGEST = 4 << 20  # a state file over this is listed and not read


class Session:
    """What the facts of one journal come to; times are seconds since 1970, 0.0 for never."""

    def __init__(self, ident: str) -> None:
        self.id = ident
        self.started = self.heard = self.ended = 0.0
        self.reason = self.host = self.branch = self.root = self.worktree = self.process = ""
        self.pid = 0
        self.prompt = self.answer = self.note = ""
        self.files: dict[str, float] = {}  # path -> last changed
        self.tasks: dict[str, tuple[str, str, float]] = {}  # id -> subject, status, last changed
        self.children: dict[str, tuple[str, str]] = {}  # agent id -> type, status
        self.state = ""  # the state file's absolute path
        self.state_edited = 0.0  # when the model last wrote it
        self.blocks: set[str] = set()  # state files that were given a place for what is measured
        self.measured: Fact | None = None
        self.settled = 0  # how many facts had been read by the last settle
        self.unsettled = self.shown = self.due = False
        self.live = self.stale = False
        self.digest: Fact = {}

    @property
    def title(self) -> str:
        """What it is about: the state file's title, else the first prompt."""
        return _text(self.digest, "title") or self.prompt or "untitled"

    @property
    def status(self) -> str:
        """The state file's own word, else what the journal tells."""
        return _text(self.digest, "status") or ("ended" if self.ended else "active")

    @property
    def open(self) -> bool:
        """Whether its work is unfinished: its state file is not done, or it has none and did not end."""
        word = _text(self.digest, "status").casefold()
        return not word.startswith(DONE) if word else not self.ended

    @property
    def active(self) -> bool:
        """Whether it says active: unfinished, and not paused."""
        return self.open and not _text(self.digest, "status").casefold().startswith("paused")

    @property
    def notable(self) -> bool:
        """Whether anyone would want to hear of it: it lives, or it is unfinished and something was said or done."""
        return self.live or (self.open and (self.worked or bool(self.prompt)))

    @property
    def state_name(self) -> str:
        """The state file's path inside its project, as it can be shown; "" without one."""
        return self.state and f"{paths.STATE_FOLDER}/{text.line(os.path.basename(self.state))}"

    @property
    def worked(self) -> bool:
        """Whether there is anything to hand over."""
        return bool(self.inside() or self.tasks or self.state)

    def inside(self, since: float = 0.0) -> list[str]:
        """Return the files of the project that were changed after `since`, latest first."""
        changed = [(at, path) for path, at in self.files.items() if at > since and not path.startswith("/")]
        return [path for _, path in sorted(changed, reverse=True)]

    def unfinished(self) -> list[str]:
        """Return the subjects of the tasks that are not completed."""
        return [subject for subject, status, _ in self.tasks.values() if status not in {"completed", "deleted"}]

    def running(self) -> list[str]:
        """Return the types of the children that were not heard to stop."""
        return [kind for kind, status in self.children.values() if status == "running"]


class Survey:
    """The sessions of a project with the settings in force; `complaint` is what was wrong with the settings."""

    def __init__(self, sessions: list[Session], settings: "Settings", complaint: str) -> None:
        self.sessions = sessions
        self.settings = settings
        self.complaint = complaint

    def own(self, ident: str) -> Session | None:
        """Return the session with this id."""
        return next((session for session in self.sessions if session.id == ident), None)


def survey(place: "Place", now: float) -> Survey:
    """Return all there is to know of a project's sessions; settings that cannot be used give way to the defaults."""
    memory = cache.Cache(place.store)
    chosen, complaint = settings.usable(place.root, os.environ, memory)
    everyone = known(place, chosen, memory, now)
    memory.save()
    return Survey(everyone, chosen, complaint)


def known(place: "Place", chosen: "Settings", memory: "Cache", now: float) -> list[Session]:
    """Return every session of the project, last heard first: those with a journal, and state files without one."""
    found = [fold(ident, journal.read(place.store, ident)) for ident in journal.sessions(place.store)]
    held = {os.path.realpath(session.state) for session in found if session.state}
    found += [_unheld(path) for path in state_files(place.root) if os.path.realpath(path) not in held]
    for session in found:
        session.digest = _digest(session.state, memory)
        session.heard = session.heard or _written(session)
        _judge(session, chosen, now)
    return sorted((session for session in found if session.heard), key=lambda session: -session.heard)


def fold(ident: str, facts: "list[Fact]") -> Session:
    """Return the session that these facts, oldest first, come to."""
    session = Session(ident)
    last = 0
    for number, fact in enumerate(facts, 1):
        _FOLDS.get(str(fact["kind"]), _ignored)(session, fact)
        if fact["kind"] not in journal.OWN:
            session.heard, last = _number(fact, "at"), number
    session.unsettled = last > session.settled
    return session


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


def _unheld(path: str) -> Session:
    """Return the session of a state file that no journal here knows."""
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
    said = max(_number(session.digest, "updated"), _number(session.digest, "created"))
    return said or os.stat(session.state).st_mtime


def _judge(session: Session, chosen: "Settings", now: float) -> None:
    """Say whether a session is live and whether it is stale (design words)."""
    here = session.host == os.uname().nodename
    if session.ended or not session.started:
        session.live = False
    elif here and session.process:
        session.live = process.alive(session.pid, session.process)
    else:
        session.live = now - session.heard <= chosen.live_minutes * 60
    silent = now - session.heard > chosen.stale_hours * 3600
    session.stale = session.active and not session.live and silent


def _started(session: Session, fact: "Fact") -> None:
    session.started = session.started or _number(fact, "at")
    session.ended, session.reason, session.shown, session.measured = 0.0, "", False, None
    session.pid = int(_number(fact, "pid"))
    session.process, session.host = _text(fact, "process"), _text(fact, "host")
    session.branch = _text(fact, "branch")
    session.root = session.worktree = _text(fact, "root")


def _prompted(session: Session, fact: "Fact") -> None:
    text = _text(fact, "text")
    if text and not session.prompt and not text.startswith(("<", "/")):  # machine-made, or a command
        session.prompt = text


def _edited(session: Session, fact: "Fact") -> None:
    path, root = _text(fact, "path"), _text(fact, "root") or session.root
    where = os.path.join(root, path)
    if where == session.state:
        session.state_edited = _number(fact, "at")
        if fact.get("tool") == "Write":  # written anew, so whatever place it had is gone with the old text
            session.blocks.discard(path)
    elif not paths.is_state_path(path):
        session.files.pop(path, None)
        session.files[path] = _number(fact, "at")


def _moved(session: Session, fact: "Fact") -> None:
    session.worktree, session.branch = _text(fact, "path") or session.worktree, _text(fact, "branch") or session.branch


def _tasked(session: Session, fact: "Fact") -> None:
    ident = _text(fact, "id")
    subject, status, _ = session.tasks.get(ident, ("", "pending", 0.0))
    session.tasks[ident] = (_text(fact, "subject") or subject, _text(fact, "status") or status, _number(fact, "at"))


def _delegated(session: Session, fact: "Fact") -> None:
    session.children[_text(fact, "agent")] = (_text(fact, "type"), _text(fact, "status"))


def _answered(session: Session, fact: "Fact") -> None:
    session.answer = _text(fact, "text") or session.answer


def _ended(session: Session, fact: "Fact") -> None:
    session.ended, session.reason = _number(fact, "at"), _text(fact, "reason")


def _wanted(session: Session, _fact: "Fact") -> None:
    session.due = True


def _held(session: Session, fact: "Fact") -> None:
    if not _text(fact, "agent"):  # a child's state file is not its parent's
        session.state = os.path.join(_text(fact, "root") or session.root, _text(fact, "path"))
        if _text(fact, "by") in {"edit", "start"}:  # the others know no meaning
            session.state_edited = _number(fact, "at")


def _settled(session: Session, fact: "Fact") -> None:
    session.settled = max(session.settled, int(_number(fact, "facts")))


def _measured(session: Session, fact: "Fact") -> None:
    session.measured = fact


def _shown(session: Session, _fact: "Fact") -> None:
    session.shown = True


def _blocked(session: Session, fact: "Fact") -> None:
    session.blocks.add(_text(fact, "path"))


def _noted(session: Session, fact: "Fact") -> None:
    session.note = _text(fact, "text")


def _ignored(_session: Session, _fact: "Fact") -> None:
    return


_FOLDS = {
    "start": _started,
    "prompt": _prompted,
    "edit": _edited,
    "worktree": _moved,
    "task": _tasked,
    "child": _delegated,
    "answer": _answered,
    "end": _ended,
    "due": _wanted,
    "state": _held,
    "blocks": _blocked,
    "settled": _settled,
    "measured": _measured,
    "shown": _shown,
    "note": _noted,
}


def _text(fact: "Fact", key: str) -> str:
    value = fact.get(key)
    return value if isinstance(value, str) else ""


def _number(fact: "Fact", key: str) -> float:
    value = fact.get(key)
    return float(value) if isinstance(value, (int, float)) and abs(value) < _LATEST else 0.0
