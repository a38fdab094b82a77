"""Who changed which file recently: one small file per path, so that a hook needs one read to check it.

An actor is a session or one of its subagents. A line says that an actor changed the file, or that the actor was warned
about the changes above it. These files only serve warnings; the journals have the facts. So a lost line is not an
error, and a failed write is ignored.
"""

import os
import time

from holdfast.core import fast_json, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Line = dict[str, object]  # as `Touch` reads it

_FOLDER, _TRIED = "/touched/", "/tried/"
_TAIL = 4096  # bytes that are read of each file: some twenty lines
_NAMES = 2**127 - 1  # a prime; each line has its path, so two paths may share one file
_SHARED = (".agents/SESSION-STATE.md", ".genie/SESSION-STATE.md")  # the hub, which every session writes


class Touch:
    """One line: who changed a file, when, and in which working tree; or, with `warned`, who was warned and when.

    With `declared` no change was seen: an active entry of the hub names the file. `there` is when a session of another
    machine changed it, by that machine's clock, 0.0 for a session of this machine.
    """

    __slots__ = ("agent", "at", "declared", "path", "root", "session", "there", "warned")

    def __init__(self, fact: "Line") -> None:
        self.at, self.there = (max(0.0, fast_json.number_of(fact, key)) for key in ("at", "there"))
        self.session, self.agent, self.path, self.root = (
            str(fact.get(key, "")) for key in ("session", "agent", "path", "root")
        )
        self.warned = fact.get("told") is True  # the key that all versions write
        self.declared = fact.get("declared") is True

    @classmethod
    def of_hub(cls, path: str, session: str, at: float) -> "Touch":
        """Return the line for an active entry of the hub that was last changed at `at`."""
        return cls({"at": at, "session": session, "path": path, "declared": True})

    @property
    def actor(self) -> "tuple[str, str]":
        """The session and its subagent, "" for the session itself."""
        return self.session, self.agent


def record(store: str, path: str, root: str, actor: "tuple[str, str]", *, warned: bool = False) -> None:
    """Add a line: an actor has just changed the file, or with `warned`, was warned about the changes of others.

    `path` is relative to the working tree `root` in which the file was changed.
    """
    session, agent = actor
    fact: Line = {"at": round(time.time(), 3), "session": session, "agent": agent, "path": path, "root": root}
    _add(store, path, {**fact, "told": True} if warned else fact)


def declare(store: str, path: str, session: str) -> None:
    """Add a line: the active entry of a session in the hub names the file; nothing where a line says so already."""
    if not any(line.declared and line.session == session for line in lines(store, path)):
        _add(store, path, {"at": round(time.time(), 3), "session": session, "path": path, "declared": True})


def record_elsewhere(store: str, path: str, session: str, at: float, there: float) -> None:
    """Add a line: a session of another machine changed the file at `at`, or at `there` by the clock of its machine.

    Nothing where a line says so already.
    """
    if not any(line.session == session and line.there == there for line in lines(store, path)):
        _add(store, path, {"at": round(at, 3), "there": there, "session": session, "path": path})


def _add(store: str, path: str, fact: "Line") -> None:
    """Add a line about a file, except about the hub."""
    if path in _SHARED:
        return
    try:
        files.append_line(_file(store, path), fast_json.dumps(fact).encode())
    except OSError:
        return


def forget_elsewhere(store: str) -> None:
    """Remove the lines about sessions of other machines."""
    for path in _names(store, 0.0):
        try:
            data = files.read(path)
            kept = [line for line in data.splitlines(keepends=True) if not fast_json.object_in(line).get("there")]
            if b"".join(kept) != data:
                files.write_private(path, b"".join(kept), durable=False)
        except OSError:
            continue


def lines(store: str, path: str) -> "list[Touch]":
    """Return the last lines about a file, oldest first, [] when there are none."""
    return [line for line in _read(_file(store, path)) if line.path == path]


def changed_by_others(touches: "list[Touch]", actor: "tuple[str, str]") -> bool:
    """Whether others changed the file since the actor last did, or since it was last warned."""
    return bool(others(touches, actor, warned=False) or others(touches, actor, warned=True))


def others(touches: "list[Touch]", actor: "tuple[str, str]", *, warned: bool) -> "list[Touch]":
    """Return the changes of others since the actor was last warned (`warned`), or since it last changed the file.

    The order of the lines decides, and not their times: clocks may differ.
    """
    own = [number for number, line in enumerate(touches, 1) if line.actor == actor and line.warned == warned]
    return [line for line in touches[max(own, default=0) :] if line.actor != actor and not line.warned]


def since(store: str, earliest: float) -> "dict[str, list[Touch]]":
    """Return the last changes here of each file that was changed after `earliest`, by its path, oldest first."""
    touches: dict[str, list[Touch]] = {}
    for name in _names(store, earliest):
        for line in _read(name):
            if not (line.warned or line.declared or line.there):
                touches.setdefault(line.path, []).append(line)
    return touches


def prune(store: str, before: float) -> None:
    """Remove the lines about files that were not changed after `before`."""
    for path in set(_names(store, 0.0)) - set(_names(store, before)):
        try:
            os.unlink(path)
        except OSError:  # another process removed it, or it belongs to another user
            continue


def _file(store: str, path: str) -> str:
    """Return the path of the file with the lines about `path`."""
    return f"{store}{_FOLDER}{_number(path):x}"


def tried(store: str, path: str) -> str:
    """Return the path of the file that `journal.tried` keeps about `path`."""
    return f"{store}{_TRIED}{_number(path):x}"


def _number(path: str) -> int:
    return int.from_bytes(path.encode("utf-8", "surrogatepass"), "big") % _NAMES


def _names(store: str, earliest: float) -> "Iterator[str]":
    """Yield the paths of the files with lines that were written after `earliest`."""
    try:
        names = os.listdir(store + _FOLDER) if store else []
    except OSError:  # no file was changed yet
        return
    for path in (store + _FOLDER + name for name in names):
        try:
            written = os.lstat(path).st_mtime
        except OSError:  # another process has just removed it
            continue
        if written >= earliest:
            yield path


def _read(path: str) -> "list[Touch]":
    """Return the last lines of a file; [] when it cannot be read. An incomplete first one is skipped."""
    try:
        data = files.tail(path, _TAIL)
    except OSError:
        return []
    return [Touch(fact) for fact in map(fast_json.object_in, data.splitlines()) if fact]
