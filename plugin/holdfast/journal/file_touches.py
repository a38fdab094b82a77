"""Who changed which file lately: one small file for each path, so that a hook sees at a glance that nobody else did.

An actor is a session, or one of its subagents. A line says that an actor changed the file, or was told who else had; it
stands here and in no journal. All of this is a shortcut beside the journals, for warnings: a line that gets lost is no
fault, and what cannot be written is passed over.
"""

import os
import time

from holdfast.core import fast_json, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Fact = dict[str, object]

_FOLDER = "/touched/"
_TAIL = 4096  # bytes that are read of each file: some twenty lines
_LATEST = 1e11  # seconds since 1970 that still have a date
_NAMES = 2**127 - 1  # a prime; paths that come to one name are told apart by what stands in the lines
_SHARED = (".agents/SESSION-STATE.md", ".genie/SESSION-STATE.md")  # the hub: every session writes it, by design


class Touch:
    """One line: who changed a file, when and in which working tree; with `told`, who was told of the lines above."""

    __slots__ = ("agent", "at", "path", "root", "session", "told")

    def __init__(self, fact: "Fact") -> None:
        at = fact.get("at")
        self.at = float(at) if isinstance(at, (int, float)) and 0 <= at < _LATEST else 0.0
        self.session, self.agent, self.path, self.root = (
            str(fact.get(key, "")) for key in ("session", "agent", "path", "root")
        )
        self.told = fact.get("told") is True

    @property
    def actor(self) -> "tuple[str, str]":
        """The session and its subagent, "" for the session itself."""
        return self.session, self.agent


def note(store: str, path: str, root: str, actor: "tuple[str, str]", *, told: bool = False) -> None:
    """Add a line: an actor has just changed the file, or was told who had.

    `path` is what it is called in every working tree, and `root` the tree that it was changed in.
    """
    session, agent = actor
    fact: Fact = {"at": round(time.time(), 3), "session": session, "agent": agent, "path": path, "root": root}
    line = fast_json.dumps({**fact, "told": True} if told else fact).encode()
    if path in _SHARED:
        return
    try:
        files.append_line(_file(store, path), line)
    except OSError:  # a shortcut only
        return


def lines(store: str, path: str) -> "list[Touch]":
    """Return the last lines about a file, oldest first, [] when nobody touched it."""
    return [line for line in _read(_file(store, path)) if line.path == path]


def news(known: "list[Touch]", actor: "tuple[str, str]") -> bool:
    """Whether anyone else changed the file since the actor last did, or since it was last told."""
    return bool(others(known, actor, told=False) or others(known, actor, told=True))


def others(known: "list[Touch]", actor: "tuple[str, str]", *, told: bool) -> "list[Touch]":
    """Return what others changed since the actor was last told, or else since it last changed the file itself.

    By the order of the lines: what one process wrote after another stands below it, whatever their clocks say.
    """
    own = [number for number, line in enumerate(known, 1) if line.actor == actor and line.told == told]
    return [line for line in known[max(own, default=0) :] if line.actor != actor and not line.told]


def since(store: str, earliest: float) -> "dict[str, list[Touch]]":
    """Return the last changes of each file that was touched after `earliest`, by its path, oldest first."""
    found: dict[str, list[Touch]] = {}
    for name in _names(store, earliest):
        for line in _read(name):
            if not line.told:
                found.setdefault(line.path, []).append(line)
    return found


def prune(store: str, before: float) -> None:
    """Forget the files that nobody touched after `before`."""
    for path in set(_names(store, 0.0)) - set(_names(store, before)):
        try:
            os.unlink(path)
        except OSError:  # pruned by another, or not ours to prune
            continue


def _file(store: str, path: str) -> str:
    """Return where the lines about a file lie."""
    number = int.from_bytes(path.encode("utf-8", "surrogatepass"), "big") % _NAMES
    return f"{store}{_FOLDER}{number:x}"


def _names(store: str, earliest: float) -> "Iterator[str]":
    """Yield the files of lines that were written after `earliest`."""
    try:
        names = os.listdir(store + _FOLDER) if store else []
    except OSError:  # nobody touched anything yet
        return
    for path in (store + _FOLDER + name for name in names):
        try:
            written = os.lstat(path).st_mtime
        except OSError:  # it is pruned right now
            continue
        if written >= earliest:
            yield path


def _read(path: str) -> "list[Touch]":
    """Return the last lines of a file that can be read; the first one of these is mostly torn."""
    try:
        data = files.tail(path, _TAIL)
    except OSError:
        return []
    return [Touch(fact) for line in data.splitlines() for fact in _value(line)]


def _value(line: bytes) -> "list[Fact]":
    """Return the object in a line as a list, an empty one for a torn line."""
    try:
        value = fast_json.loads(line)
    except ValueError:
        return []
    return [value] if isinstance(value, dict) else []
