"""Which subagent runs a command: its shell has the session id of its parent, and only the hooks know better.

Before a shell command of a subagent runs, a hook appends a mark of it to a small file of that subagent. While a session
has subagents, and for commands that name holdfast, so it does for the session itself, and for the skills and slash
commands of both, whose lines with `!` no hook sees. They go when the session ends.
"""

import os
import time
import zlib

from holdfast.core import fast_json, files
from holdfast.core.fast_json import number_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

VARIABLE = "HOLDFAST_CALLER"  # the id of the session, or of the subagent, that runs a command
_FOLDER = "/shells/"  # in the store the commands; in the data folder an empty file for each session with subagents
_NAMES = ("holdfast", "session-state-updater")
_TAIL = 64_000  # bytes that are read of each file
_DEEPEST = 24  # generations of processes
_NAMED = 6  # subagents in an error, the latest
_KEPT = 30 * 86_400.0  # seconds that the file of a session is kept that never ended


class UnclearError(Exception):
    """Several may run a command; it has their ids, "" for the session itself."""

    def __init__(self, agents: "Iterable[str]") -> None:
        super().__init__()
        self.agents = sorted(agents)


def is_update(command: str) -> bool:
    """Whether a shell command may run an update."""
    return "holdfast update" in command or _NAMES[1] in command


def begin(data: str, session: str) -> None:
    """Let the hook of shell commands note all those of a session from now on, as it has a subagent."""
    folder = data + _FOLDER
    if not data or os.path.exists(folder + session):
        return
    files.append_line(folder + session, b"")
    for name in _names(folder):
        if files.modified_at(folder + name) < time.time() - _KEPT:
            files.unlink_quietly(folder + name)


def note(store: str, session: str, agent: str, command: str) -> None:
    """Note that a subagent, or "" for the session itself, is about to run a command; OSError if that is impossible.

    The command is "" for a skill or a slash command, whose own lines run next.
    """
    from holdfast.core import process

    line = {"at": time.time(), "mark": _mark(command), "began": process.began(process.identity(os.getpid()))}
    _append(store, session, agent, line)


def expand(store: str, data: str, session: str) -> None:
    """Note that a session is about to run the lines of a slash command, if it has subagents."""
    if store and os.path.exists(f"{data}{_FOLDER}{session}"):
        note(store, session, "", "")


def is_below(client: str) -> bool:
    """Whether this process was started by the client with this `core.process.identity`, through others or not."""
    return bool(client) and _processes(client)[1]


def is_persons(session: str) -> bool:
    """Whether a person runs this process in a terminal: below an interactive shell, or so that the terminal shows it.

    A shell of the session's client has no terminal, and what left it has the id that a start exports there.
    """
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    is_job = os.getpgrp() != os.getsid(0)
    return os.environ.get("SESSION_ID") != session and (is_job or os.isatty(1))


def caller(store: str, session: str, client: str, children: "Mapping[str, bool]") -> str:
    """Return the subagent in whose shell this process runs, "" for the session itself; UnclearError.

    `client` is the `core.process.identity` of the session's client, and `children` has its subagents, and whether each
    runs now. The process that the client started shows the command that was noted before it began. A noted command
    is one process: where two noted the same, and it is not known who runs it, either may be meant.
    """
    chosen, running = os.environ.get(VARIABLE, ""), {ident for ident, runs in children.items() if runs}
    if chosen and chosen not in {session, *children}:
        raise UnclearError({"", *running})
    if chosen:
        return "" if chosen == session else chosen
    if not children:
        return ""
    notes = _notes(store, session)
    above, is_whole = _processes(client)
    if same := [one for one in notes if one.process in above]:
        return same[-1].agent
    meant, process = _meant(notes, above)
    if is_whole and not meant and notes and notes[-1].mark == _mark(""):
        return notes[-1].agent
    able = {"", *running}
    agents = {one.agent for one in meant}
    if len(agents) == 1 and agents <= able:
        _append(store, session, meant[-1].agent, {"at": meant[-1].at, "process": process})
        return meant[-1].agent
    if agents or running or not is_whole:
        raise UnclearError({*able, *(agents or [*children][-_NAMED:])})
    return ""


def forget(store: str, data: str, session: str) -> None:
    """Remove what was noted of a session that ended, and of its subagents."""
    folder = f"{store}{_FOLDER}{session}"
    for path in (f"{data}{_FOLDER}{session}", *(f"{folder}/{name}" for name in _names(folder))):
        files.unlink_quietly(path)


class _Note:
    """A command that was about to run: who runs it, when that was, and the process that ran it, "" for none yet.

    That began after `began`, as in `core.process.began`.
    """

    __slots__ = ("agent", "at", "began", "mark", "process")

    def __init__(self, agent: str, at: float, row: "Mapping[str, object]") -> None:
        self.agent, self.at, self.mark, self.process = agent, at, text_of(row, "mark"), ""
        self.began = number_of(row, "began")


def _notes(store: str, session: str) -> list[_Note]:
    """Return what was noted of a session and of its subagents, the latest last."""
    found: list[_Note] = []
    folder = f"{store}{_FOLDER}{session}"
    for name in _names(folder):
        own: dict[float, _Note] = {}
        for row in map(fast_json.object_in, _tail(f"{folder}/{name}").splitlines()):
            at = number_of(row, "at")
            if text_of(row, "mark"):
                own[at] = _Note("" if name == session else name, at, row)
            elif at in own:
                own[at].process = text_of(row, "process")
        found += own.values()
    return sorted(found, key=lambda one: one.at)


def _meant(notes: "list[_Note]", above: "Mapping[str, set[str]]") -> "tuple[list[_Note], str]":
    """Return the notes of the command that runs and that no other process ran, and the process that runs it."""
    from holdfast.core.process import began

    free = [one for one in notes if not one.process]
    for process, marks in above.items():
        if meant := [one for one in free if one.mark in marks and one.began <= began(process)]:
            return meant, process
    return [], ""


def _processes(client: str) -> "tuple[dict[str, set[str]], bool]":
    """Return the processes above this one, and whether they lead to the client.

    They are identities, the farthest from this process first, each with marks of what it may run. Where they do not
    lead to the client, which may run its commands where no other process is seen, only what a shell evaluates counts.
    """
    from holdfast.core import process

    above: dict[str, set[str]] = {}
    evaluated: dict[str, set[str]] = {}
    pid, own = os.getppid(), ""
    for _ in range(_DEEPEST):
        own = process.identity(pid) if pid > 1 else ""
        if own in ("", client):
            break
        words = [word for word in process.arguments(pid) if word]
        evaluated[own] = {_mark(text) for text in _evaluated(" ".join(words)) if text}
        above[own] = {*evaluated[own], *(_mark(" ".join(words[at:])) for at in range(len(words)))}
        pid = process.parent(pid)
    is_whole = own == client != ""
    marks = above if is_whole or not client else evaluated
    return dict(reversed(marks.items())), is_whole


def _evaluated(script: str) -> "Iterator[str]":
    """Yield the text after each `eval` of a script: so a client runs the command of its model."""
    import shlex

    for part in script.split("eval ")[1:]:
        reader = shlex.shlex(part, posix=True)
        reader.whitespace_split, reader.commenters = True, ""
        try:
            yield reader.get_token() or ""
        except ValueError:  # no eval, but the middle of a quoted text
            continue


def _append(store: str, session: str, agent: str, line: "dict[str, object]") -> None:
    files.append_line(f"{store}{_FOLDER}{session}/{agent or session}", fast_json.dumps(line).encode())


def _names(folder: str) -> "list[str]":
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _tail(path: str) -> bytes:
    try:
        return files.tail(path, _TAIL)
    except OSError:
        return b""


def _mark(command: str) -> str:
    """Return a checksum and the length of a command, however a shell quotes it."""
    text = _plain(command).encode("utf-8", "surrogatepass")
    return f"{zlib.crc32(text):08x}-{len(text)}"


def _plain(words: str) -> str:
    """Return a text without the signs by which a shell keeps words together."""
    return "".join(letter for letter in words if letter not in "\\\"' \n")
