"""What is left to do after a session: the lists of formats/agents-sessions.md, answered where that can be measured."""

import os
import stat

from holdfast import clock, codec, files, folded, journal, paths, text
from holdfast.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.paths import Place
    from holdfast.payload import Payload
    from holdfast.states.statefile import StateFile

    Fact = dict[str, object]

_GRACE = 10.0  # seconds after which it is shown as it is
_SHOWN = 4  # names of what speaks against an item
_LONGEST = 2500  # characters of what a terminal shows
_SEEN = "/stopped/"  # a file for each session: what its state file looked like at the last Stop
_READ = 4 << 20  # bytes; a larger file is not looked at
# Without any of these nothing says that work is over: most Stops end here, before anything dear is loaded.
_WORDS = "complete done closed finished archived cancel abandoned shipped merged resolved ended superseded ✅ ☑ ✔"
OVER = tuple(word.encode() for word in _WORDS.split())
_KEYS = {"uncommitted": ("examples", "uncommitted")}  # where names and count of a kind stand in what was measured
_LEFT = {"tasks": ("task", "tasks"), "loops": ("loop", "loops"), "todos": ("TODO", "TODO")}
_LOOKED = {"added": " in the lines added", "present": " in the files changed"}
_TASKS, _SAYS = "Tasks finished", "State file says what was done"
# Where each kind of knowledge belongs before a state file goes, and what is asked before that.
KNOWLEDGE = (
    ("tracking", "Work tracking", "external issue (Linear, GitHub)"),
    ("details", "Implementation details", "git commits, pull requests"),
    ("decisions", "Architectural decisions", "ADRs (docs/decisions/)"),
    ("contracts", "API contracts", "API documentation"),
    ("remaining", "Remaining work", "external issue backlog"),
)
_ASKED = (
    ("issue", "External issue updated with final status"),
    ("adrs", "Decisions captured as ADRs (if architectural)"),
    ("lessons", "Lessons learned added to relevant docs"),
    ("backlog", "Remaining work created as issues"),
)


class Item:
    """One box: its kind, whether it is ticked, its words, and what speaks against ticking it, by name.

    `count` is how many speak against it, of which `evidence` may name the first only.
    """

    __slots__ = ("count", "done", "evidence", "kind", "words")

    def __init__(
        self, kind: str, words: str, evidence: list[str] | None = None, *, done: bool = False, count: int | None = None
    ) -> None:
        self.kind = kind
        self.words = text.line(words, 500)
        self.evidence = [text.line(name, 140) for name in evidence or []]
        self.count = len(self.evidence) if count is None else count
        self.done = done

    @property
    def line(self) -> str:
        """The item with its box, and the first names of what speaks against it."""
        most = len(self.evidence) if self.kind == "todos" else _SHOWN
        longest = 120 if self.kind == "todos" or self.count == 1 else 60
        shown = ", ".join(text.line(name, longest) for name in self.evidence[:most])
        more = ", …" if self.count > most else ""
        against = f"; {self.count} open: {shown}{more}" if self.count else ""
        return f"- [{'x' if self.done else ' '}] {self.words}{against}"

    def row(self) -> "dict[str, object]":
        """Return the item as values."""
        return {"kind": self.kind, "done": self.done, "words": self.words, "evidence": self.evidence}


def due(session: Session, now: float) -> bool:
    """Whether an ended session has a checklist that nobody was shown.

    What git knows is measured in the background, and worth waiting for: the next start shows it then.
    """
    return session.unshown and (session.measured is not None or now - session.ended > _GRACE)


def lines(session: Session, active: int) -> list[str]:
    """Return the checklist of an ended session; `active` is the number of sessions still active."""
    ended = clock.write(session.ended, clock.MINUTE)
    head = f'Completion checklist of "{text.line(session.title, 80)}" (ended {ended} UTC, {session.id[:8]})'
    return [head, *(item.line for item in items(session)), f"Sessions still active: {active}"]


def items(session: Session) -> list[Item]:
    """Return what is to be done before a session's work counts as done, answered where that can be measured."""
    asked = [Item(kind, words) for kind, words in _ASKED] if session.state else []
    return [*_measured(session), *asked, *_file(session)]


def knowledge(session: Session, told: "Fact") -> list[Item]:
    """Return where the knowledge of a session belongs, with what is known to be there still.

    `told` is what its state file says, in the words of the model.
    """
    known = {item.kind: item for item in _measured(session)}
    left = [known[kind] for kind in _LEFT if kind in known and known[kind].count]
    decisions = told.get("decisions")
    against = {
        "details": known["uncommitted"].evidence if "uncommitted" in known else [],
        "decisions": [str(one) for one in decisions] if isinstance(decisions, list) else [],
        "remaining": [f"{item.count} {_LEFT[item.kind][item.count > 1]}" for item in left],
    }
    counts = {"remaining": sum(item.count for item in left)}
    counts |= {"details": known["uncommitted"].count} if "uncommitted" in known else {}
    found = [
        Item(kind, f"{what} → {where}", against.get(kind), count=counts.get(kind)) for kind, what, where in KNOWLEDGE
    ]
    for item in found:
        item.done = item.kind == "details" and counts.get("details") == 0
    return found


def completion(place: "Place", session: Session, state: "StateFile") -> tuple[list[Item], list[Item]]:
    """Return both lists for a session whose state file is about to go: its knowledge, and what is to be done."""
    from holdfast import settle
    from holdfast.states.statefile import model

    session.measured = settle.measure(place, session)
    return knowledge(session, model(state)), items(session)


def at_stop(body: "Payload", place: "Place", now: float) -> str:
    """Return the checklist for the user when the session's state file has come to say completed since the last Stop.

    "" otherwise, and mostly after one look at the file system: a file that was not written since, or in which the
    lines about a status are what they were, tells nothing new.
    """
    path = journal.held(place.store, body.session) if place.store and not body.agent else ""
    try:
        found = os.stat(path) if path else None
    except OSError:  # deleted, which the next settle sees to
        return ""
    if found is None or not stat.S_ISREG(found.st_mode) or found.st_size > _READ:
        return ""
    signature = [path, *files.signature(found)]
    seen = _seen(place.store, body.session)
    if seen[:1] == [signature]:
        return ""
    status, over = _status(path, place)
    shown = seen[2:] == [True]
    told: str | None = ""
    if seen[1:2] != [status] and (over or shown):
        told = _turned(body.session, place, path, now)
        shown = bool(told) or (shown and over)
    if told is not None:
        _remember(place.store, body.session, [signature, status, shown])
    return told or ""


def _seen(store: str, session: str) -> "list[object]":
    """Return what the state file looked like at the last Stop."""
    try:
        known = codec.loads(files.read(store + _SEEN + session))
    except (OSError, ValueError):
        return []
    return known if isinstance(known, list) else []


def _remember(store: str, session: str, look: "list[object]") -> None:
    """Keep what the state file looks like; a folder that cannot be written keeps nothing, and it is looked at anew."""
    try:
        os.makedirs(store + _SEEN, exist_ok=True)
        files.write_atomic(store + _SEEN + session, codec.dumps(look).encode())
    except OSError:
        return


def _status(path: str, place: "Place") -> "tuple[int, bool]":
    """Return a sum of the lines that say a status, and whether one of them may say that the work is over.

    Where a project's own shapes may hide the status, that is the whole file, and it always may.
    """
    import zlib

    lines = files.read(path).splitlines()
    own = place.root + "/" + paths.SETTINGS
    if os.path.isfile(own) and b"\n[dialects" in b"\n" + files.read(own):  # the template names them in a comment
        return zlib.crc32(b"\n".join(lines)), True
    near = {number + more for number, line in enumerate(lines) if b"status" in line.lower() for more in (0, 1, 2)}
    told = b"\n".join(line for number, line in enumerate(lines) if number in near)
    return zlib.crc32(told), any(word in told.lower() for word in OVER)


def _turned(ident: str, place: "Place", path: str, now: float) -> str | None:
    """Return the checklist where a state file says completed since this Stop, None where that cannot be told yet."""
    from holdfast import deps

    if not deps.activate():
        return None
    from holdfast.cache import Cache
    from holdfast.dialects import catalog
    from holdfast.states.statefile import StateFile, model

    known = catalog.known(place.root, Cache(place.store))
    state = StateFile(files.read(path), path, known)
    session = folded.session(place.store, ident, place.root, known.places)
    session.digest = model(state)
    over = session.standing == "completed" and not session.shared
    if over == bool(session.completed):
        return ""
    fact: Fact = {"at": round(now, 3), "kind": "completed", "standing": "completed" if over else ""}
    journal.append(place.store, ident, fact)
    if not over:
        return ""
    moved, left = completion(place, session, state)
    head = f'holdfast: "{text.line(session.title, 80)}" is {text.line(session.status, 40)}. Before its file goes:'
    return text.clip("\n".join([head, *(item.line for item in [*moved, *left])]), _LONGEST)


def _measured(session: Session) -> list[Item]:
    """Return the items that the journal, git and the files answer; the journal alone where nothing was measured."""
    told = session.measured or {}
    found = _of(told, "tasks", _TASKS) or [_answered("tasks", _TASKS, session.unfinished())]
    found += _of(told, "loops", "Loops closed")
    found += _of(told, "todos", f"No TODO or FIXME left{_LOOKED.get(str(told.get('todos_of')), '')}")
    found.append(_answered("children", "Children finished", session.running()))
    found += _of(told, "uncommitted", "Changes committed")
    if session.state:
        found += _of(told, "state", _SAYS) or [_answered("state", _SAYS, session.inside(session.state_edited))]
        found += _of(told, "unfilled", "State file filled in")
    return found


def _of(told: "Fact", kind: str, words: str) -> list[Item]:
    """Return the item about what was measured under this name, none where it was not."""
    names, count = (told.get(key) for key in _KEYS.get(kind, (kind, f"{kind}_count")))
    known = [str(name) for name in names] if isinstance(names, list) else []
    return [_answered(kind, words, known, count)] if isinstance(count, int) else []


def _answered(kind: str, words: str, against: list[str], count: int | None = None) -> Item:
    """Return an item that is ticked where nothing speaks against it."""
    item = Item(kind, words, against, count=count)
    item.done = not item.count
    return item


def _file(session: Session) -> list[Item]:
    """Return the items about the state file itself, the last steps."""
    if not session.state:
        return []
    mentions = (session.measured or {}).get("mentions")
    names = [str(name) for name in mentions] if isinstance(mentions, list) else []
    orphaned = Item(
        "references",
        "No orphaned references to session file",
        names,
        done=isinstance(mentions, list) and not names,
    )
    return [orphaned, Item("delete", f"Delete the session file {session.state_name} once all of this is done")]
