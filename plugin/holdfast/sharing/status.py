"""What a project has recorded about sharing: whether it is on, with which remote, and how the last exchange went.

Everything is in the folder `sharing` of the store. This module is cheap: each start of a session asks it.
"""

import os

from holdfast.core import fast_json, files
from holdfast.core.fast_json import number_of, table_of, text_of, texts_of
from holdfast.journal import log
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

_FOLDER = "/sharing"
_SENT = "/sharing-sent"  # in the store: every ref that was sent; it stays when sharing ends
SEND_EVERY, FETCH_EVERY = 30.0, 20.0  # seconds, while somebody works
IDLE, FETCH_IDLE = 1800.0, 300.0  # seconds: without an event here for so long, it is fetched so often
SIGN_EVERY = 240.0  # seconds between two signs of life of a machine on which nothing happens
OWN, OTHERS = "refs/holdfast/", "refs/holdfast-remote/"
AT_ONCE = b"at once"
SUMMARY = "summary.json"  # of a shared session
_TIMES = ("sent", "tried", "split", "begun")


class Sharing:
    """How a project shares its sessions, as its user switched it on. Times are in seconds since 1970, 0.0 for never.

    - remote: the name of the remote. machine: the id under which this clone is known there.
    - agreed: the SHA-256 of the repository's own settings about the remote that the user agreed to.
    - roots: the first commits of the project. pushed: the commit that the remote has of us.
    - sent, fetched: when that was last done; tried: when sending last began.
    - problem: why the last exchange failed, "" if it did not. away: nothing answered then, so it is no refusal.
    - seen: the SHA-256 of the refs that were at the remote, when all of them were read.
    - notes: what was left out of the refs of others, and why.
    - split: when this clone took a new id because another machine used the old one. begun: when the history began.
    - taken: the sessions of others that continue here: id -> when. states: id -> the path of its state file here.
      bases: id -> the blob with which that file began here.
    """

    def __init__(self, store: str, remote: str, machine: str, agreed: str) -> None:
        self.store, self.remote, self.machine, self.agreed = store, remote, machine, agreed
        self.sent = self.fetched = self.tried = self.split = self.begun = 0.0
        self.pushed = self.problem = self.seen = ""
        self.away = False
        self.notes: list[str] = []
        self.roots: list[str] = []
        self.taken: dict[str, float] = {}
        self.states: dict[str, str] = {}
        self.bases: dict[str, str] = {}

    @property
    def ref(self) -> str:
        """The ref that only this clone writes."""
        return OWN + self.machine

    @property
    def tracking(self) -> str:
        """The folder of the refs that were fetched."""
        return f"{OTHERS}{self.remote}/"

    def save(self) -> None:
        """Record what sending changes; OSError."""
        names = ("remote", "machine", "agreed", "pushed", "problem", "away", "roots", *_TIMES)
        _write(self.store, "on", {name: getattr(self, name) for name in names})

    def save_received(self, problem: str, *, away: bool) -> None:
        """Record what fetching changes; OSError."""
        row = {"fetched": self.fetched, "notes": self.notes, "seen": self.seen, "problem": problem, "away": away}
        _write(self.store, "received", row)

    def take(self, ident: str, at: float, state: str, base: str) -> None:
        """Record that a session continues here, with its state file at this path, which began with a blob; OSError."""
        self.taken, self.states = {**self.taken, ident: at}, {**self.states, ident: state}
        self.bases = {**self.bases, ident: base}
        _write(self.store, "taken", {"taken": self.taken, "states": self.states, "bases": self.bases})


def folder(store: str) -> str:
    """Return the folder in which everything about sharing is kept."""
    return store + _FOLDER


def load(store: str) -> Sharing | None:
    """Return how a project shares its sessions, None where it does not, or where the record is damaged."""
    row = fast_json.read_object(_path(store, "on")) if store else {}
    remote, machine = text_of(row, "remote"), text_of(row, "machine")
    if not remote or not machine:
        return None
    sharing = Sharing(store, remote, machine, text_of(row, "agreed"))
    for key in _TIMES:
        setattr(sharing, key, number_of(row, key))
    received, claims = (fast_json.read_object(_path(store, name)) for name in ("received", "taken"))
    failed = row if text_of(row, "problem") else received
    sharing.pushed, sharing.roots = text_of(row, "pushed"), texts_of(row, "roots")
    sharing.problem, sharing.away = text_of(failed, "problem"), failed.get("away") is True
    sharing.fetched, sharing.notes = number_of(received, "fetched"), texts_of(received, "notes")
    sharing.seen = text_of(received, "seen")
    taken, states, bases = (table_of(claims, key) for key in ("taken", "states", "bases"))
    sharing.taken = {ident: number_of(taken, ident) for ident in taken}
    sharing.states = {ident: text_of(states, ident) for ident in states}
    sharing.bases = {ident: text_of(bases, ident) for ident in bases}
    return sharing


def due(sharing: Sharing, now: float, *, at_once: bool = False, idle: bool = False) -> tuple[bool, bool]:
    """Return whether it is time to send, and to fetch. A clock that was set back counts as if the time had come."""
    sends = at_once or not 0 <= now - max(sharing.sent, sharing.tried) < SEND_EVERY
    return sends, not 0 <= now - sharing.fetched < (FETCH_IDLE if idle else FETCH_EVERY)


def ask(project: "Project", *, at_once: bool = False) -> None:
    """Ask for an exchange once it is due, or at once, and start the process that sees to it where none runs."""
    from holdfast.project import background

    store = project.store
    if at_once or not requested(store):
        files.write_quietly(_path(store, "requested"), AT_ONCE if at_once else b"due")
    held = keeping(store)
    if held is not None:
        os.close(held)
        background.keep_sharing(project)


def send_news(project: "Project") -> None:
    """Ask for an exchange if a journal is newer than what was sent: a command may change work that is not live."""
    sharing = load(project.store) if paths.is_shared(project.store) else None
    latest = next(iter(log.signatures(project.store).values()), "") if sharing else ""
    if sharing and latest and log.written(latest) > sharing.sent:
        ask(project, at_once=True)


def requested(store: str) -> bytes:
    """Return what was asked for since `take_request`, b"" for nothing."""
    return files.read_or_none(_path(store, "requested")) or b""


def take_request(store: str) -> None:
    """Note that what was asked for is being done."""
    files.unlink_quietly(_path(store, "requested"))


def keeping(store: str) -> int | None:
    """Return a descriptor with the lock of the process that keeps exchanging; None where another one has it."""
    import fcntl

    opened = -1
    try:
        opened = os.open(_path(store, "keeping"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # also where the file system has no locks: then nothing can be exchanged either
        if opened >= 0:
            os.close(opened)
        return None
    return opened


def sent_refs(store: str) -> "tuple[str, list[str]]":
    """Return the remote to which this clone has ever sent anything, "" for none, and each ref that it had there."""
    row = fast_json.read_object(store + _SENT)
    return text_of(row, "remote"), texts_of(row, "refs")


def note_sent(sharing: Sharing) -> None:
    """Record the own ref as one that the remote has; OSError."""
    remote, refs = sent_refs(sharing.store)
    refs = refs if remote == sharing.remote else []
    if sharing.ref not in refs:
        text = fast_json.dumps({"remote": sharing.remote, "refs": [*refs, sharing.ref]})
        files.write_private(sharing.store + _SENT, text.encode() + b"\n")


def forget_sent(store: str) -> None:
    """Remove that record."""
    files.unlink_quietly(store + _SENT)


def _path(store: str, name: str) -> str:
    return f"{store}{_FOLDER}/{name}"


def _write(store: str, name: str, row: "dict[str, object]") -> None:
    files.write_private(_path(store, name), fast_json.dumps(row).encode() + b"\n")
