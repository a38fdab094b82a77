"""One session: what the facts of its journal come to."""

import os

from holdfast import journal, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Fact = dict[str, object]

_MACHINE_MADE = ("<task-notification", "<command-", "<local-command-", "<system-reminder", "<bash-")
_LATEST = 1e11  # seconds since 1970 that still have a date; a broken journal may hold any number


class Child:
    """A subagent: its status is running, completed, or orphaned when its session's process went before it was done."""

    __slots__ = ("answer", "files", "heard", "id", "started", "status", "transcript", "type")

    def __init__(self, ident: str, started: float) -> None:
        self.id = ident
        self.started = self.heard = started
        self.type = self.answer = self.transcript = ""
        self.status = "running"
        self.files: dict[str, float] = {}  # path -> last changed


class Session:
    """What the facts of one journal come to; times are seconds since 1970, 0.0 for never."""

    def __init__(self, ident: str, root: str = "", places: "Iterable[str]" = paths.PLACES) -> None:
        self.id = ident
        self.places = places  # patterns of where its project has state files
        self.started = self.heard = self.ended = 0.0
        self.began = self.prompted = 0.0  # when it was started, and asked for something, last
        self.reason = self.host = self.branch = self.process = self.folder = self.transcript = ""
        self.root = self.worktree = root
        self.journaled = False
        self.pid = 0
        self.prompt = self.answer = self.note = ""
        self.asked: list[float] = []  # when somebody gave a prompt
        self.asked_last = ""  # and what the last one said
        self.files: dict[str, float] = {}  # path -> last changed
        self.tasks: dict[str, tuple[str, str, float]] = {}  # id -> subject, status, last changed
        self.children: dict[str, Child] = {}  # by agent id
        self.loops: dict[str, tuple[str, str, float]] = {}  # id -> title, status, last changed in its own shell
        self.branches: list[tuple[float, str]] = []  # since when it worked on which one
        self.zones: list[tuple[float, int]] = []  # since when its budget was in which one
        self.state = ""  # the state file's absolute path
        self.state_name = ""  # how a reader finds it: relative to where he stands, else absolute
        self.state_root = ""  # the working tree that it lies in
        self.held: set[str] = set()  # every state file it has ever had
        self.given_up: set[str] = set()  # those that holdfast made for it before it had another, in any working tree
        self.unclaimed = ""  # a state file that it edited, and that was not made its own
        self.state_edited = 0.0  # when the model last wrote it
        self.saved = 0.0  # when a person saved it last, as a settle found it
        self.completed = 0.0  # when its state file was first seen to say completed, as it still does
        self.blocks: set[str] = set()  # state files that were given a place for what is measured
        self.measured: Fact | None = None
        self.count = self.last = 0  # how many facts it has, and up to which of them somebody was heard
        self.settled = 0  # how many facts had been read by the last settle
        self.news: list[tuple[int, Fact]] = []  # those about tasks that were not, each with its number
        self.due = 0.0  # since when it wants a state file
        self.unsettled = self.shown = self.made = False  # made: its state file is holdfast's work
        self.live = self.stale = False
        self.passed_on = False  # ended by `/clear`, and another session goes on with its state file
        self.wrote: dict[str, Fact] = {}  # agent id, "" for its own -> the fact of what its entry in the hub was given
        self.parent = self.origin = ""  # the session that started it; the one whose conversation it goes on from
        self.forked = False
        self.revived = False  # it was started again after a sweep paused it, and its state file does not say so yet
        self.gone = False  # its state file went with the working tree that it lay in
        self.swept = ""  # the standing that a sweep gave it, since when it was not heard
        self.offered = 0.0  # when somebody was asked whether to pick it up
        self.guarded = False  # a compaction of it was stopped, and there was none since
        self.digest: Fact = {}

    @property
    def title(self) -> str:
        """What it is about: the state file's title, else the first prompt."""
        return text_of(self.digest, "title") or self.prompt or "untitled"

    @property
    def status(self) -> str:
        """The state file's own word, else what the journal tells; "" when neither says anything."""
        told = self.swept or ("ended" if self.ended else "active" if self.journaled else "")
        return text_of(self.digest, "status") or told

    @property
    def standing(self) -> str:
        """What its status comes to: active, waiting, paused or completed, "" when nobody can tell."""
        return text_of(self.digest, "standing") or self.swept

    @property
    def shared(self) -> bool:
        """Whether its state file is the project's or several sessions', or of a shape that nobody knows."""
        return bool(self.digest.get("shared")) or text_of(self.digest, "dialect") == "unknown"

    @property
    def open(self) -> bool:
        """Whether its work is unfinished: its state file is not done, or it has none and did not end."""
        told = text_of(self.digest, "status") or self.swept
        return self.standing != "completed" if told else not self.ended

    @property
    def active(self) -> bool:
        """Whether it says active: unfinished, and not paused."""
        return self.open and self.standing != "paused"

    @property
    def notable(self) -> bool:
        """Whether anyone would want to hear of it: it lives, or it is unfinished and something was said or done.

        A register of sessions is none itself.
        """
        if not self.journaled and self.digest.get("entries"):
            return False
        return self.live or (self.open and not self.passed_on and (self.worked or bool(self.prompt)))

    @property
    def unshown(self) -> bool:
        """Whether it left a checklist that nobody was shown; after `/clear` the work goes on elsewhere."""
        return bool(self.ended) and self.worked and not self.shown and self.reason != "clear"

    @property
    def presence(self) -> str:
        """Whether it is there: live, stale, ended, or not live."""
        return "live" if self.live else "stale" if self.stale else "ended" if self.ended else "not live"

    @property
    def listed(self) -> bool:
        """Whether it did anything that is worth an entry in the hub."""
        return self.journaled and (self.worked or bool(self.children))

    @property
    def worked(self) -> bool:
        """Whether there is anything to hand over."""
        return bool(self.inside() or self.tasks or self.state)

    def inside(self, since: float = 0.0) -> list[str]:
        """Return the files of the project that were changed after `since`, latest first."""
        return within(self.files, since)

    def unfinished(self) -> list[str]:
        """Return the subjects of the tasks that are not completed."""
        return [subject for subject, status, _ in self.tasks.values() if status not in {"completed", "deleted"}]

    def running(self) -> list[str]:
        """Return the types of the children that were not heard to stop."""
        return [child.type for child in self.children.values() if child.status != "completed"]


def fold(ident: str, facts: "list[Fact]", root: str = "", places: "Iterable[str]" = paths.PLACES) -> Session:
    """Return the session that these facts, oldest first, come to; `root` is its project unless a start names one.

    `places` are the patterns of where that project has state files.
    """
    session = Session(ident, root, places)
    go_on(session, facts)
    return session


def go_on(session: Session, facts: "list[Fact]") -> None:
    """Let a session go on by these facts, the next ones of its journal."""
    for fact in facts:
        session.count += 1
        _FOLDS.get(str(fact["kind"]), _ignored)(session, fact)
        if fact["kind"] not in journal.OWN:
            session.heard, session.last = number_of(fact, "at"), session.count
    session.journaled = session.count > 0
    session.unsettled = session.last > session.settled


def _started(session: Session, fact: "Fact") -> None:
    session.started, session.began = session.started or number_of(fact, "at"), number_of(fact, "at")
    session.revived, session.swept = session.revived or session.swept == "paused", ""
    session.ended, session.reason, session.shown, session.measured = 0.0, "", False, None
    if (session.pid, session.process) != (number_of(fact, "pid"), text_of(fact, "process")):
        orphan(session)  # subagents live in their session's process
    session.pid = int(number_of(fact, "pid"))
    session.process, session.host = text_of(fact, "process"), text_of(fact, "host")
    session.root = text_of(fact, "root") or session.root
    session.folder = session.folder or text_of(fact, "folder")
    session.transcript = session.transcript or text_of(fact, "transcript")
    session.forked = session.forked or fact.get("source") == "fork"
    session.parent = text_of(fact, "parent") or session.parent
    session.origin = text_of(fact, "origin") or session.origin
    session.worktree = session.root
    _moved(session, fact, "worktree")


def typed(prompt: str) -> bool:
    """Whether a prompt is one in somebody's own words: no slash command, and nothing that the client says itself."""
    first = prompt.partition(" ")[0]
    command = first.startswith("/") and "/" not in first[1:]
    return bool(prompt) and not command and not prompt.startswith(_MACHINE_MADE)


def _prompted(session: Session, fact: "Fact") -> None:
    said = text_of(fact, "text")
    if typed(said):
        session.prompt, session.prompted = session.prompt or said, number_of(fact, "at")
        session.asked.append(session.prompted)
        session.asked_last = said


def _edited(session: Session, fact: "Fact") -> None:
    path, root = text_of(fact, "path"), text_of(fact, "root") or session.root
    where = os.path.join(root, path)
    if where == session.state:
        session.state_edited = number_of(fact, "at")
        if fact.get("tool") == "Write":  # written anew, so whatever place it had is gone with the old text
            session.blocks.discard(session.state_name)
    elif path not in session.files and paths.is_state_path(path, session.places):
        session.unclaimed = session.unclaimed if text_of(fact, "agent") or where in session.held else where
    else:
        child = session.children.get(text_of(fact, "agent"))
        for files in (session.files, *([child.files] if child else [])):
            files.pop(path, None)
            files[path] = number_of(fact, "at")


def _moved(session: Session, fact: "Fact", key: str = "path") -> None:
    session.worktree = text_of(fact, key) or session.worktree
    branch = text_of(fact, "branch") or session.branch
    if branch != session.branch:
        session.branch = branch
        session.branches.append((number_of(fact, "at"), branch))


def orphan(session: Session) -> None:
    """Say of the children that were running when their session's process went that nobody waits for them now."""
    for child in session.children.values():
        child.status = "orphaned" if child.status == "running" else child.status


def _tasked(session: Session, fact: "Fact") -> None:
    ident = text_of(fact, "id")
    subject, status, _ = session.tasks.get(ident, ("", "pending", 0.0))
    subject, status = text_of(fact, "subject") or subject, text_of(fact, "status") or status
    session.news.append((session.count, fact))
    session.tasks[ident] = (subject, status, number_of(fact, "at"))


def _looped(session: Session, fact: "Fact") -> None:
    session.loops[text_of(fact, "id")] = (text_of(fact, "title"), text_of(fact, "status"), number_of(fact, "at"))


def _filled(session: Session, fact: "Fact") -> None:
    session.zones.append((number_of(fact, "at"), int(number_of(fact, "zone"))))


def _delegated(session: Session, fact: "Fact") -> None:
    ident = text_of(fact, "agent")
    child = session.children.setdefault(ident, Child(ident, number_of(fact, "at")))
    child.status, child.heard = text_of(fact, "status"), number_of(fact, "at")
    child.type = text_of(fact, "type") or child.type
    child.answer = text_of(fact, "text") or child.answer
    child.transcript = text_of(fact, "transcript") or child.transcript


def _answered(session: Session, fact: "Fact") -> None:
    session.answer = text_of(fact, "text") or session.answer
    _moved(session, fact, "worktree")


def _ended(session: Session, fact: "Fact") -> None:
    session.ended, session.reason = number_of(fact, "at"), text_of(fact, "reason")


def _wanted(session: Session, fact: "Fact") -> None:
    session.due = session.due or number_of(fact, "at")


def _held(session: Session, fact: "Fact") -> None:
    if not text_of(fact, "agent"):  # a child's state file is not its parent's
        if session.made:
            session.given_up.add(session.state_name)
        session.state_root, session.state_name = text_of(fact, "root") or session.root, text_of(fact, "path")
        session.state = os.path.join(session.state_root, session.state_name)
        session.made, session.due = text_of(fact, "by") == "settle", 0.0
        session.held.add(session.state)
        session.unclaimed = "" if session.unclaimed == session.state else session.unclaimed
        if text_of(fact, "by") in {"edit", "start", "sync"}:  # the others know no meaning
            session.state_edited = number_of(fact, "at")


def _settled(session: Session, fact: "Fact") -> None:
    session.settled = max(session.settled, int(number_of(fact, "facts")))
    told = next((at for at, (number, _) in enumerate(session.news) if number > session.settled), len(session.news))
    del session.news[:told]  # they are in order


def _measured(session: Session, fact: "Fact") -> None:
    session.measured = fact


def _shown(session: Session, _fact: "Fact") -> None:
    session.shown = True


def _completed(session: Session, fact: "Fact") -> None:
    session.completed = number_of(fact, "at") if text_of(fact, "standing") else 0.0


def _blocked(session: Session, fact: "Fact") -> None:
    session.blocks.add(text_of(fact, "path"))


def _noted(session: Session, fact: "Fact") -> None:
    session.note = text_of(fact, "text")


def _descended(session: Session, fact: "Fact") -> None:
    session.origin = session.origin or text_of(fact, "session")


def _swept(session: Session, fact: "Fact") -> None:
    session.swept, session.revived = text_of(fact, "standing"), False


def _offered(session: Session, fact: "Fact") -> None:
    session.offered = number_of(fact, "at")


def _guarded(session: Session, _fact: "Fact") -> None:
    session.guarded = True


def _summarised(session: Session, _fact: "Fact") -> None:
    session.guarded = False


def _restored(session: Session, fact: "Fact") -> None:
    session.state_edited, session.saved = number_of(fact, "since"), 0.0


def _saved(session: Session, fact: "Fact") -> None:
    session.saved = max(session.saved, number_of(fact, "saved"))


def _registered(session: Session, fact: "Fact") -> None:
    session.wrote[text_of(fact, "agent")] = fact


def _ignored(_session: Session, _fact: "Fact") -> None:
    return


_FOLDS = {
    "start": _started,
    "prompt": _prompted,
    "edit": _edited,
    "worktree": _moved,
    "task": _tasked,
    "loop": _looped,
    "zone": _filled,
    "child": _delegated,
    "answer": _answered,
    "end": _ended,
    "due": _wanted,
    "state": _held,
    "blocks": _blocked,
    "completed": _completed,
    "guarded": _guarded,
    "summary": _summarised,
    "restored": _restored,
    "saved": _saved,
    "hub": _registered,
    "offered": _offered,
    "origin": _descended,
    "swept": _swept,
    "settled": _settled,
    "measured": _measured,
    "shown": _shown,
    "note": _noted,
}


def within(files: dict[str, float], since: float = 0.0) -> list[str]:
    """Return those of these files that lie in the project and were changed after `since`, latest first."""
    changed = [(at, path) for path, at in files.items() if at > since and not path.startswith("/")]
    return [path for _, path in sorted(changed, reverse=True)]


def text_of(fact: "Fact", key: str) -> str:
    """Return the text under a key of a fact or digest, "" for anything else."""
    value = fact.get(key)
    return value if isinstance(value, str) else ""


def number_of(fact: "Fact", key: str) -> float:
    """Return the number under a key of a fact or digest, 0.0 for anything else."""
    value = fact.get(key)
    return float(value) if isinstance(value, (int, float)) and abs(value) < _LATEST else 0.0
