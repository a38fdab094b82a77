"""Which subagent runs a command: its shell has the session id of its parent, and only the hooks know better.

Before a shell command of a subagent runs, a hook appends it to a small file of that subagent. While a session has
subagents, and for commands that name holdfast, so it does for the session itself. They go when the session ends.
"""

import os
import time
import zlib

from holdfast.core import fast_json, files
from holdfast.core.fast_json import number_of, text_of
from holdfast.journal.payload import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

VARIABLE = "HOLDFAST_CALLER"  # the id of the session, or of the subagent, that runs a command
_FOLDER = "/shells/"  # in the store the commands; in the data folder an empty file for each session with subagents
_NAMES = ("holdfast", "session-state-updater")
_LONGEST = 8000  # characters of a command
_TAIL = 64_000  # bytes that are read of each file
_DEEPEST = 24  # generations of processes
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
    """Note that a subagent, or "" for the session itself, is about to run a command; OSError if that is impossible."""
    named = any(name in command for name in _NAMES)
    line = {"at": time.time(), "mark": _mark(command), "command": masked(command)[:_LONGEST] if named else ""}
    _append(store, session, agent, line)


def caller(store: str, session: str, running: "Iterable[str]", words: "Iterable[str]") -> str:
    """Return the subagent in whose shell this process runs, "" for the session itself; UnclearError.

    `running` are the subagents that run now, and `words` those that the command has, as the hook saw it. A noted
    command is one process: where two noted the same, and it is not known who runs it, either may be meant.
    """
    chosen, running = os.environ.get(VARIABLE, ""), set(running)
    if chosen:
        return "" if chosen == session else chosen
    notes = _notes(store, session)
    if not running and not any(one.agent for one in notes):
        return ""
    above = dict(_processes())
    if same := [one for one in notes if one.process in above]:
        return same[-1].agent
    meant, process = _meant(notes, above, words)
    able = {"", *running}
    meant = [one for one in meant if one.agent in able] or meant
    agents = {one.agent for one in meant}
    if len(agents) == 1 and agents <= able:
        _append(store, session, meant[-1].agent, {"at": meant[-1].at, "process": process})
        return meant[-1].agent
    if agents or running:
        raise UnclearError({*able, *agents})
    return ""


def forget(store: str, data: str, session: str) -> None:
    """Remove what was noted of a session that ended, and of its subagents."""
    folder = f"{store}{_FOLDER}{session}"
    for path in (f"{data}{_FOLDER}{session}", *(f"{folder}/{name}" for name in _names(folder))):
        files.unlink_quietly(path)


class _Note:
    """A command that was about to run: who runs it, when that was, and the process that ran it, "" for none yet.

    Of one that names holdfast there is its text, of each a mark.
    """

    __slots__ = ("agent", "at", "command", "mark", "process")

    def __init__(self, agent: str, at: float, row: "Mapping[str, object]") -> None:
        self.agent, self.at = agent, at
        self.mark, self.command, self.process = text_of(row, "mark"), _plain(text_of(row, "command")), ""


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


def _meant(notes: "list[_Note]", above: "Mapping[str, set[str]]", words: "Iterable[str]") -> "tuple[list[_Note], str]":
    """Return the notes of the command that runs and that no other process ran, and the process that runs it.

    Where the processes do not show the command, it is one that has all the words.
    """
    free = [one for one in notes if not one.process]
    for process, marks in above.items():
        if found := [one for one in free if one.mark in marks]:
            return found, process
    wanted = [_plain(masked(word)) for word in words if word]
    named = [one for one in free if wanted and one.command]
    return [one for one in named if all(word in one.command for word in wanted)], "over"


def _processes() -> "Iterator[tuple[str, set[str]]]":
    """Yield the identity of each process above this one, the nearest first, and marks of what it may run."""
    from holdfast.core import process

    pid = os.getppid()
    for _ in range(_DEEPEST):
        if pid <= 1:
            return
        words = [word for word in process.arguments(pid) if word]
        texts = [" ".join(words[at:]) for at in range(len(words))]
        texts += [text for word in words for text in _evaluated(word)]
        yield process.identity(pid), set(map(_mark, texts))
        pid = process.parent(pid)


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
