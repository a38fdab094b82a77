"""What the last look at a session's state file came to, and how much what was heard since can add at the most.

That is told from the tails of the journal and of git's log of HEAD alone, so that the settle behind a Stop can know
that there is nothing to tell without reading the state file.
"""

import os

from holdfast import codec, files, journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.paths import Place

    Fact = dict[str, object]

FOLDER = "/nudged/"  # a file for each session
APART = 10  # prompts from one nudge to the next
ENOUGH = 1 << 30  # points
# What no journal tells, such as parts that nobody filled in, or a status against another: so much may be there before
# the first look at a file, and after somebody wrote it.
UNSEEN = 4
_NEW = 2  # of them in a file that was just made: its placeholders
_MOST = 256 << 10  # bytes of a journal that are weighed; what is more is enough
_ASKED = 4  # prompts that make a point
_STATUS, _TASK = 4, 2  # points of a status, and of a task at hand, that do not fit any more
_LATELY = 16 << 10  # bytes of git's log
_SWITCHED = b"\tcheckout: "  # in a line of git's about another branch, which counts twice
_KNOWING = ("edit", "start", "sync")  # who writes a state file with meaning
OVER = ("completed", "deleted")
_TWICE = ("zone", "worktree")  # another worktree has another branch
# The facts that may add to what is found, and what tells two of a kind apart.
_WEIGHED = {"edit": "path", "task": "id", "child": "agent", "loop": "id", "zone": "kind", "worktree": "path"}


class Look:
    """What the last look at a session's state file came to, as it is kept from one Stop to the next."""

    __slots__ = (
        "asked",
        "limit",
        "line",
        "moves",
        "open",
        "over",
        "path",
        "points",
        "prompts",
        "read",
        "since",
        "told",
    )

    def __init__(self, path: str = "") -> None:
        self.path = path  # the state file
        self.read, self.moves = 0, -1  # bytes that there were of the journal, and of git's log of HEAD
        self.limit = 0  # points from which on drift is marked
        self.points = 0  # that were found
        self.since = 0.0  # when the file was last written with meaning
        self.asked = 0  # how many prompts there were since then
        self.over = False  # whether its work was said to be completed
        self.open: list[object] = []  # what was not done: tasks and subagents
        self.told = 0  # points that the user was told of since the file was written
        self.prompts = APART  # how many there were since he was told of any
        self.line = ""  # what he is to be told at the next Stop

    @property
    def wanted(self) -> int:
        """How many points are news.

        Half as many again as were told, so that a long session hears of it at ever longer intervals, and three more at
        the least, for another file or two are no news.
        """
        return max(self.limit, self.told + max(3, self.told // 2) if self.told else 0)


def read(store: str, session: str) -> "Look | None":
    """Return what is kept of the last look, None where there was none.

    What is broken was one at an unknown file, with a nudge just behind it: rather silent than twice.
    """
    try:
        data = files.read(store + FOLDER + session)
    except OSError:
        return None
    look = Look()
    try:
        kept = codec.loads(data)
    except ValueError:
        kept = None
    values = [kept.get(name) for name in Look.__slots__] if isinstance(kept, dict) else []
    if [type(value) for value in values] == [type(getattr(look, name)) for name in Look.__slots__]:
        for name, value in zip(Look.__slots__, values, strict=True):
            setattr(look, name, value)
        return look
    look.prompts, look.read = 0, size(journal.path_of(store, session))
    return look


class Heard:
    """What a journal and git's log have since a look, as far as it can add to what was found.

    `read` and `moves` are how many bytes of the two there are now, `prompts` how many prompts somebody gave, and
    `written` says whether the file was written with meaning.
    """

    def __init__(self, place: "Place", session: str, look: Look) -> None:
        self._look = look
        self._root = place.root
        self.written, self.prompts, self._asked = False, 0, look.asked
        self._new = False  # whether the file was made by a settle: nobody can have said anything wrong there
        self._over, self._done = look.over, False
        self._open = set(map(str, look.open))
        self._weighed: dict[str, int] = {}  # what happened -> the points that it may be worth
        data, self.read = _after(journal.path_of(place.store, session), look.read)
        if len(data) > _MOST:
            self._weighed["the length"] = ENOUGH
            data = b"\n".join(line for line in data.splitlines() if b'"kind": "prompt"' in line)
        facts = journal.facts_in(data)
        for fact in facts:
            self._hear(str(fact["kind"]), fact)
        began = float(str(facts[0]["at"])) if facts else 0.0
        self._moved, self.moves = _moved(place.git + "/logs/HEAD", look.moves, began)

    @property
    def most(self) -> int:
        """How many points there can be."""
        before = _NEW if self._new else self._look.points - self._look.asked // _ASKED
        base = UNSEEN if self.written else before
        status = _STATUS if self._done and not self._open else 0
        return base + self._asked // _ASKED + sum(self._weighed.values()) + status + self._moved

    def _hear(self, kind: str, fact: "Fact") -> None:
        """Weigh one fact; what was weighed before the file was written is over."""
        from holdfast.session import typed  # which a prompt need not load

        if kind == "prompt" and typed(str(fact.get("text", ""))):
            self.prompts, self._asked = self.prompts + 1, self._asked + 1
        elif kind == "completed":
            self._over = bool(fact.get("standing"))
        elif kind == "state" and fact.get("by") == "settle" and not fact.get("agent"):
            self._new = True
        elif kind == "restored":  # nobody knows what stands there now
            self._weighed[kind] = ENOUGH
        elif self._writes(kind, fact):
            self.written, self._asked = True, 0
            self._weighed.clear()
        elif kind in _WEIGHED:
            self._weigh(kind, str(fact.get(_WEIGHED[kind], "")), str(fact.get("status", "")))

    def _writes(self, kind: str, fact: "Fact") -> bool:
        """Whether a fact tells that the file was written by someone who knows meaning."""
        if kind == "state":
            return fact.get("by") in _KNOWING and not fact.get("agent")
        where = os.path.join(str(fact.get("root") or self._root), str(fact.get("path", "")))
        return kind == "edit" and where == self._look.path

    def _weigh(self, kind: str, name: str, status: str) -> None:
        """Count what may be told of a fact, once for each thing."""
        if kind == "edit" and name.startswith("/"):  # outside the project
            return
        what = f"{kind} {name}"
        self._weighed[what] = 2 if kind in _TWICE else 1
        if kind == "edit":
            self._done = False  # the work goes on
            if self._over:
                self._weighed["status"] = _STATUS
        elif status in OVER:
            self._done = True
            self._open.discard(what)
            if kind == "task":
                self._weighed["at hand"] = _TASK
        elif status and kind in ("task", "child"):
            self._open.add(what)


def size(path: str) -> int:
    """Return how many bytes a file has, 0 for none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _after(path: str, begin: int) -> "tuple[bytes, int]":
    """Return what a file has after so many bytes, all of it where it is shorter now, and how many it has."""
    end = size(path)
    try:
        return (files.tail(path, end - begin if end > begin else end) if end != begin else b""), end
    except OSError:
        return b"", end


def _moved(log: str, begin: int, began: float) -> "tuple[int, int]":
    """Return how many points moves of HEAD are worth after so many bytes of git's log of them, and how many it has.

    Where `begin` is -1 nobody has counted yet: then it is those since a time, of the last ones.
    """
    data, end = _after(log, begin if begin >= 0 else max(0, size(log) - _LATELY))
    lines = [line for line in data.splitlines() if begin >= 0 or _at(line) >= began]
    return len(lines) + sum(_SWITCHED in line for line in lines), end


def _at(line: bytes) -> float:
    """Return the time in a line of git's log of HEAD, 0.0 for none."""
    at = line.partition(b"> ")[2].partition(b" ")[0]
    return float(at) if at.isdigit() else 0.0
