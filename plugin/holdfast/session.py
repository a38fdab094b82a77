"""One session: what the facts of its journal come to."""

import os

from holdfast import journal, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Fact = dict[str, object]

_MACHINE_MADE = ("<task-notification", "<command-", "<local-command-", "<system-reminder", "<bash-")
_LATEST = 1e11  # seconds since 1970 that still have a date; a broken journal may hold any number


class Session:
    """What the facts of one journal come to; times are seconds since 1970, 0.0 for never."""

    def __init__(self, ident: str, root: str = "", places: "Iterable[str]" = paths.PLACES) -> None:
        self.id = ident
        self.places = places  # patterns of where its project has state files
        self.started = self.heard = self.ended = 0.0
        self.reason = self.host = self.branch = self.process = ""
        self.root = self.worktree = root
        self.journaled = False
        self.pid = 0
        self.prompt = self.answer = self.note = ""
        self.files: dict[str, float] = {}  # path -> last changed
        self.tasks: dict[str, tuple[str, str, float]] = {}  # id -> subject, status, last changed
        self.children: dict[str, tuple[str, str]] = {}  # agent id -> type, status
        self.state = ""  # the state file's absolute path
        self.state_name = ""  # how a reader finds it: relative to where he stands, else absolute
        self.state_root = ""  # the working tree that it lies in
        self.held: set[str] = set()  # every state file it has ever had
        self.given_up: set[str] = set()  # those that holdfast made for it before it had another, in any working tree
        self.unclaimed = ""  # a state file that it edited, and that was not made its own
        self.state_edited = 0.0  # when the model last wrote it
        self.blocks: set[str] = set()  # state files that were given a place for what is measured
        self.measured: Fact | None = None
        self.settled = 0  # how many facts had been read by the last settle
        self.due = 0.0  # since when it wants a state file
        self.unsettled = self.shown = self.made = False  # made: its state file is holdfast's work
        self.live = self.stale = False
        self.passed_on = False  # ended by `/clear`, and another session goes on with its state file
        self.digest: Fact = {}

    @property
    def title(self) -> str:
        """What it is about: the state file's title, else the first prompt."""
        return text_of(self.digest, "title") or self.prompt or "untitled"

    @property
    def status(self) -> str:
        """The state file's own word, else what the journal tells; "" when neither says anything."""
        return text_of(self.digest, "status") or ("ended" if self.ended else "active" if self.journaled else "")

    @property
    def standing(self) -> str:
        """What its status comes to: active, waiting, paused or completed, "" when nobody can tell."""
        return text_of(self.digest, "standing")

    @property
    def shared(self) -> bool:
        """Whether its state file is the project's or several sessions', or of a shape that nobody knows."""
        return bool(self.digest.get("shared")) or text_of(self.digest, "dialect") == "unknown"

    @property
    def open(self) -> bool:
        """Whether its work is unfinished: its state file is not done, or it has none and did not end."""
        return self.standing != "completed" if text_of(self.digest, "status") else not self.ended

    @property
    def active(self) -> bool:
        """Whether it says active: unfinished, and not paused."""
        return self.open and self.standing != "paused"

    @property
    def notable(self) -> bool:
        """Whether anyone would want to hear of it: it lives, or it is unfinished and something was said or done."""
        return self.live or (self.open and not self.passed_on and (self.worked or bool(self.prompt)))

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


def fold(ident: str, facts: "list[Fact]", root: str = "", places: "Iterable[str]" = paths.PLACES) -> Session:
    """Return the session that these facts, oldest first, come to; `root` is its project unless a start names one.

    `places` are the patterns of where that project has state files.
    """
    session = Session(ident, root, places)
    session.journaled = bool(facts)
    last = 0
    for number, fact in enumerate(facts, 1):
        _FOLDS.get(str(fact["kind"]), _ignored)(session, fact)
        if fact["kind"] not in journal.OWN:
            session.heard, last = number_of(fact, "at"), number
    session.unsettled = last > session.settled
    return session


def _started(session: Session, fact: "Fact") -> None:
    session.started = session.started or number_of(fact, "at")
    session.ended, session.reason, session.shown, session.measured = 0.0, "", False, None
    session.pid = int(number_of(fact, "pid"))
    session.process, session.host = text_of(fact, "process"), text_of(fact, "host")
    session.root = text_of(fact, "root") or session.root
    session.worktree = session.root
    _moved(session, fact, "worktree")


def _prompted(session: Session, fact: "Fact") -> None:
    said = text_of(fact, "text")
    first = said.partition(" ")[0]
    command = first.startswith("/") and "/" not in first[1:]
    if said and not session.prompt and not command and not said.startswith(_MACHINE_MADE):
        session.prompt = said


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
        session.files.pop(path, None)
        session.files[path] = number_of(fact, "at")


def _moved(session: Session, fact: "Fact", key: str = "path") -> None:
    session.worktree = text_of(fact, key) or session.worktree
    session.branch = text_of(fact, "branch") or session.branch


def _tasked(session: Session, fact: "Fact") -> None:
    ident = text_of(fact, "id")
    subject, status, _ = session.tasks.get(ident, ("", "pending", 0.0))
    subject, status = text_of(fact, "subject") or subject, text_of(fact, "status") or status
    session.tasks[ident] = (subject, status, number_of(fact, "at"))


def _delegated(session: Session, fact: "Fact") -> None:
    session.children[text_of(fact, "agent")] = (text_of(fact, "type"), text_of(fact, "status"))


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


def _measured(session: Session, fact: "Fact") -> None:
    session.measured = fact


def _shown(session: Session, _fact: "Fact") -> None:
    session.shown = True


def _blocked(session: Session, fact: "Fact") -> None:
    session.blocks.add(text_of(fact, "path"))


def _noted(session: Session, fact: "Fact") -> None:
    session.note = text_of(fact, "text")


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


def text_of(fact: "Fact", key: str) -> str:
    """Return the text under a key of a fact or digest, "" for anything else."""
    value = fact.get(key)
    return value if isinstance(value, str) else ""


def number_of(fact: "Fact", key: str) -> float:
    """Return the number under a key of a fact or digest, 0.0 for anything else."""
    value = fact.get(key)
    return float(value) if isinstance(value, (int, float)) and abs(value) < _LATEST else 0.0
