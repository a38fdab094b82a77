"""Which subagent runs a `holdfast update`: its shell has the session id of its parent, and only the hooks know better.

Before a shell command with an update runs, a hook appends the command to a small file of the session or of its
subagent. They go when the subagent stops, and when the session ends.
"""

import os
import time

from holdfast.core import fast_json, files
from holdfast.core.fast_json import number_of, text_of
from holdfast.journal.payload import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_FOLDER = "/updating/"
_NAMES = ("holdfast update", "session-state-updater")
_LONGEST = 8000  # characters of a command
_TAIL = 64_000  # bytes that are read of each file


def is_one(command: str) -> bool:
    """Whether a shell command may run an update."""
    return any(name in command for name in _NAMES)


def note(store: str, session: str, agent: str, command: str) -> None:
    """Note that a subagent, or "" for the session itself, is about to run a command; OSError if that is impossible."""
    line = {"at": time.time(), "agent": agent, "command": masked(command)[:_LONGEST]}
    files.append_line(f"{store}{_FOLDER}{session}/{agent or session}", fast_json.dumps(line).encode())


def runner(store: str, session: str, values: "Iterable[str]") -> str:
    """Return the subagent whose command has the most of these values, the latest of several; "" for the session."""
    wanted = [_plain(value) for value in values if value]
    found = [
        (sum(value in _plain(text_of(one, "command")) for value in wanted), number_of(one, "at"), text_of(one, "agent"))
        for path in _files(store, session)
        for one in map(fast_json.object_in, _tail(path).splitlines())
        if one
    ]
    return max(found)[2] if found else ""


def forget(store: str, session: str, agent: str = "") -> None:
    """Remove what was noted of a subagent, without one all that was noted of the session."""
    for path in _files(store, session):
        if agent in ("", os.path.basename(path)):
            files.unlink_quietly(path)


def _files(store: str, session: str) -> "list[str]":
    folder = f"{store}{_FOLDER}{session}"
    try:
        return [f"{folder}/{name}" for name in os.listdir(folder)]
    except OSError:
        return []


def _tail(path: str) -> bytes:
    try:
        return files.tail(path, _TAIL)
    except OSError:  # its subagent has just stopped
        return b""


def _plain(words: str) -> str:
    """Return a text without the signs by which a shell keeps words together."""
    return "".join(letter for letter in words if letter not in "\\\"' \n")
