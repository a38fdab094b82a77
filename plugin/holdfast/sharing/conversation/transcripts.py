"""Writes a conversation where Claude Code finds it: `projects/FOLDER/SESSION.jsonl` in its configuration folder.

FOLDER is the path in which the client was started, with a `-` for each character but letters and digits; after 200
characters the client adds a number of its own. Measured with 2.1.330.
"""

import json
import os
import re
from dataclasses import dataclass

from holdfast.core import fast_json, files
from holdfast.core.errors import HoldfastError
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sharing.conversation.incoming import Conversation

_ODD = re.compile(r"[^a-zA-Z0-9]")
_LONGEST = 200  # characters of a folder's name
_SIGNED = ("thinking", "redacted_thinking")
_MOST = 256 << 20  # bytes of a transcript here


@dataclass(slots=True, frozen=True)
class Placed:
    """Where a conversation is now: the folder to start the client in, and how many lines were added."""

    folder: str
    added: int


def place(root: str, ident: str, found: "Conversation") -> Placed:
    """Write a conversation for the checkout `root`, or add to the one that is here; HoldfastError, OSError.

    Lines that are here stay as they are. If both machines went on with it, nothing is written.
    """
    there, tree = found.places.get("folder"), found.places.get("tree")
    inner = os.path.relpath(there, tree) if there and tree else "."
    folder = os.path.realpath(f"{root}/{inner}")
    folder = folder if f"{folder}/".startswith(f"{os.path.realpath(root)}/") and os.path.isdir(folder) else root
    target = _folder(folder)
    if not target:
        raise HoldfastError(f"the path {folder} is too long to know where Claude Code looks: start it there once")
    path = f"{target}/{ident}.jsonl"
    moves = _moves(found.places, folder, root, target)
    known = "|".join(re.escape(there) for there in sorted(moves, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w./-])(?:{known})(?![\w-]|\.\w)")
    try:
        lines = [_here(line, pattern, moves) for line in found.lines] if moves else found.lines
    except RecursionError:
        raise HoldfastError("a line of it is nested too deeply") from None
    before = files.read(path, _MOST) if os.path.lexists(path) else b""
    new = _new(before.splitlines(), lines)
    if new:
        files.write_private(path, before + b"".join(line + b"\n" for line in new))
    return Placed(folder, len(new))


def _new(ours: list[bytes], theirs: list[bytes]) -> list[bytes]:
    """Return their lines that come after ours; HoldfastError when both sides added some."""
    here, there = [_uuid(line) for line in ours], [_uuid(line) for line in theirs]
    mine, known_there = {*here} - {""}, {*there} - {""}
    if mine <= known_there:
        common = max((at for at, uuid in enumerate(there) if uuid in mine), default=-1)
        return theirs[common + 1 :]
    if known_there <= mine:
        return []
    raise HoldfastError("it went on here and there; the one that is here stays as it is")


def _uuid(line: bytes) -> str:
    return str(fast_json.object_in(line).get("uuid") or "")


def _folder(cwd: str) -> str:
    """Return the folder of the client for a folder in which it is started, "" when that cannot be known.

    HoldfastError without a home directory.
    """
    config = paths.claude_config(os.environ)
    if not config:
        raise HoldfastError("without a home directory Claude Code keeps no conversations: set HOME")
    projects = _projects(config)
    name = _escaped(cwd)
    if len(name) <= _LONGEST:
        return f"{projects}/{name}"
    try:
        longer = [one for one in os.listdir(projects) if one.startswith(f"{name[:_LONGEST]}-")]
    except OSError:
        return ""
    return f"{projects}/{longer[0]}" if len(longer) == 1 else ""


def _projects(config: str) -> str:
    return f"{config}/projects"


def _escaped(cwd: str) -> str:
    return _ODD.sub("-", os.path.realpath(cwd))


def _moves(places: dict[str, str], folder: str, root: str, target: str) -> dict[str, str]:
    """Return which paths there are which here; a path that is the same is not among them."""
    config = places.get("config", "")
    moved = {
        places.get("home", ""): os.path.expanduser("~"),
        config: paths.claude_config(os.environ),
        places.get("root", ""): root,
        places.get("tree", ""): root,
        config and f"{_projects(config)}/{_ODD.sub('-', places.get('folder', ''))}": target,
        places.get("folder", ""): folder,
    }
    return {there: here for there, here in moved.items() if there and there != here}


def _here(line: bytes, pattern: "re.Pattern[str]", moves: dict[str, str]) -> bytes:
    """Return a line with the paths of another machine replaced by those of this one; signed thoughts stay."""
    value = json.loads(line)
    made = _replaced(value, pattern, moves)
    return line if made == value else json.dumps(made).encode()


def _replaced(value: object, pattern: "re.Pattern[str]", moves: dict[str, str]) -> object:
    if isinstance(value, str):
        return pattern.sub(lambda match: moves[match[0]], value)
    if isinstance(value, list):
        return [_replaced(one, pattern, moves) for one in value]
    if isinstance(value, dict):
        if value.get("type") in _SIGNED:
            return value
        return {key: _replaced(one, pattern, moves) for key, one in value.items()}
    return value
