"""Facts that hooks measured: append-only, one JSON line each, one file a session, never committed.

A fact is an object with `at` (seconds since 1970, UTC) and `kind`; `agent` names the subagent it happened in. Kinds,
first what was heard from the session:

- start: source, pid, process, host, branch, root, worktree, transcript, folder, parent, origin. The session has a
  process, again or anew; `parent` is the session whose shell started it, `origin` the one that it was forked from.
- prompt: text. answer: text, background, branch, worktree. summary: text.
- attempt: tool, path, root. edit: tool, path, root. worktree: path, branch.
- task: id, subject, status. child: status, type, text, transcript.
- compact: trigger. end: reason.

then what holdfast notes for itself:

- due: work has begun that wants a state file. state: path, root, by. This state file is the session's.
- settled: facts, how many of them were brought into the state file. blocks: path, given a place for what is measured.
- origin: session, that a fork goes on from. hub: wrote, the fields of its entry, or its child's.
- measured: uncommitted, examples, mentions.
- loop: id, title, status: captured, explored or closed in its own shell. zone: zone, that its budget is in now.
- swept: standing, text: nobody was heard for long, and why it is paused or completed now.
- completed: standing, its state file says completed, and its checklist was shown; "": it does so no more.
- saved: saved, when a person saved the state file, which a settle is about to write.
- guarded: a compaction was stopped. restored: since, when the text was written that its state file was set back to.
- offered: it was offered to be picked up. shown: its checklist was shown. note: text, what could not be done and why.

Paths are relative to `root`, which is left out where it is the session's own; files outside are absolute.
"""

import os
import time

from holdfast import codec, files, paths
from holdfast.payload import is_session

LINE_LIMIT = 4096
# Kinds that nobody was heard by.
_NOTED = (
    "due state settled blocks hub measured loop zone completed guarded saved offered origin restored shown swept note"
)
OWN = frozenset(_NOTED.split())
_FOLDER = "/journal/"
_BOUND = "/bound/"  # a file for each session that has a state file: what the hot path can see at a glance
_ASKED = ".asked"


def path_of(store: str, session: str) -> str:
    """Return where the journal of a session lies."""
    return store + _FOLDER + session + ".jsonl"


def append(store: str, session: str, fact: "dict[str, object]") -> None:
    """Add one fact, stamped with the time, in one write of at most 4 KB; OSError when it could not be kept."""
    files.append_line(path_of(store, session), _line({"at": round(time.time(), 3), **fact}))


def _line(fact: "dict[str, object]") -> bytes:
    """Return a fact as a line within the limit; its longest texts give way."""
    line = codec.dumps(fact).encode()
    while len(line) >= LINE_LIMIT:
        key = max(fact, key=lambda key: len(codec.dumps(fact[key])))
        value = fact[key]
        fact = {**fact, key: value[: len(value) // 2] + "…" if isinstance(value, str) and len(value) > 64 else None}
        line = codec.dumps(fact).encode()
    return line


def read(store: str, session: str) -> "list[dict[str, object]]":
    """Return a session's facts in the order they were written; a line that is torn or not a fact is passed over."""
    try:
        data = files.read(path_of(store, session), files.OWN)
    except OSError:
        return []
    return facts_in(data)


def facts_in(data: bytes) -> "list[dict[str, object]]":
    """Return the facts in these lines of a journal, as `read` does."""
    return [
        fact
        for fact in _values(data.splitlines())
        if isinstance(fact, dict) and isinstance(fact.get("at"), (int, float)) and isinstance(fact.get("kind"), str)
    ]


def _values(lines: "list[bytes]") -> "list[object]":
    """Return the values of the lines; all at once, and one by one only where some line is torn.

    Between any two of them stands what no line can have: so none goes on in the next one, and none has two values.
    """
    written, mark = [line for line in lines if line], os.urandom(8).hex()
    try:
        whole = codec.loads(b"[" + f',"{mark}",'.encode().join(written) + b"]")
    except ValueError:
        whole = None
    between = len(written) - 1
    if isinstance(whole, list) and len(whole) == 2 * between + 1 and whole[1::2].count(mark) == between:
        return whole[::2]
    return [value for line in lines for value in _value(line)]


def _value(line: bytes) -> "list[object]":
    """Return the value of one line in a list, an empty one for a torn line."""
    try:
        return [codec.loads(line)]
    except ValueError:
        return []


def known(store: str, session: str) -> bool:
    """Whether a session has a journal; one look at the file system."""
    return os.path.exists(path_of(store, session))


def sessions(store: str) -> "list[str]":
    """Return the ids of all sessions that have a journal here."""
    try:
        names = os.listdir(store + _FOLDER) if store else []
    except OSError:
        return []
    return sorted(name[:-6] for name in names if name.endswith(".jsonl") and is_session(name[:-6]))


def lines(store: str) -> "dict[str, str]":
    """Return for each session that has a journal here what changes whenever it is written; the latest comes first."""
    found = []
    for session in sessions(store):
        try:
            here = os.lstat(f"{store}{_FOLDER}{session}.jsonl")
        except OSError:  # gone since
            continue
        line = f"{here.st_size} {here.st_mtime_ns} {here.st_ctime_ns} {here.st_ino}"
        found.append((here.st_mtime_ns, session, line))
    return {session: line for _, session, line in sorted(found, reverse=True)}


def latest(store: str) -> "dict[str, float]":
    """Return when each kind of fact was last journaled in any session."""
    found: dict[str, float] = {}
    for session in sessions(store):
        for fact in read(store, session):
            found[str(fact["kind"])] = max(float(str(fact["at"])), found.get(str(fact["kind"]), 0.0))
    return found


def claim(store: str, session: str, path: str, *, by: str, child: str = "") -> None:
    """Journal that the state file at `path` belongs to the session, or to its child; `by` says how it came to that."""
    home = paths.locate(os.path.dirname(path))
    fact: dict[str, object] = {"kind": "state", "path": home.relative(path), "root": home.root, "by": by}
    append(store, session, {**fact, "agent": child} if child else fact)
    if not child:
        os.makedirs(store + _BOUND, exist_ok=True)
        files.write_atomic(store + _BOUND + session, os.fsencode(path))


def bound(store: str, session: str) -> bool:
    """Whether the session has a state file; one look at the file system."""
    return os.path.exists(store + _BOUND + session)


def held(store: str, session: str) -> str:
    """Return the path of the session's state file, "" when it has none; the journal need not be read for it."""
    return _held(store + _BOUND + session)


def release(store: str, session: str) -> None:
    """Forget that the session has, or is about to have, a state file."""
    for path in (store + _BOUND + session, store + _BOUND + session + _ASKED):
        if os.path.exists(path):
            os.unlink(path)


def ask(store: str, session: str) -> bool:
    """Journal that a state file is wanted; whether this was the first to ask, who then has it made."""
    append(store, session, {"kind": "due"})
    try:
        os.makedirs(store + _BOUND, exist_ok=True)
        os.close(os.open(store + _BOUND + session + _ASKED, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def holders(store: str, path: str) -> "list[str]":
    """Return the ids of the sessions that have this state file, or its copy in another working tree."""
    try:
        names = os.listdir(store + _BOUND)
    except OSError:
        return []
    ids = [name for name in names if not name.startswith(".") and not name.endswith(_ASKED)]
    held = [(ident, _held(store + _BOUND + ident)) for ident in ids]
    alike = [(ident, other) for ident, other in held if paths.called(other) == paths.called(path)]
    own = paths.marks(path) if alike else set()
    return [ident for ident, other in alike if not own.isdisjoint(paths.marks(other))]


def _held(path: str) -> str:
    """Return the path kept in a file of `bound`, "" when it has just gone."""
    try:
        return os.fsdecode(files.read(path))
    except OSError:
        return ""
