"""The journal: facts that hooks measured, append-only, one JSON line each, one file per session, never committed.

`journal.kinds` lists the kinds of facts and their keys.
"""

import os
import time

from holdfast.core import fast_json, files
from holdfast.journal.payload import is_session
from holdfast.project import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypedDict

    from holdfast.core.files import Look

    class Fact(TypedDict, total=False):
        """One line of a journal. `at` and `kind` are always there; a damaged journal may have any type under a key.

        So read a fact's values with `fast_json.text_of` and `fast_json.number_of`. `journal.kinds` says which kinds
        there are, and which keys each has.
        """

        at: float  # seconds since 1970, UTC
        kind: str
        agent: str  # the id of the subagent it happened in
        source: str
        client: str
        pid: int
        process: str
        host: str
        branch: str
        root: str
        worktree: str
        transcript: str
        folder: str
        parent: str
        origin: str
        text: str
        background: list[str]
        trigger: str
        reason: str
        tool: str
        path: str
        id: str
        subject: str
        status: str
        type: str
        by: str
        facts: int
        looked: dict[str, list[int]]
        prompts: int
        size: int
        saved: float
        since: float
        wrote: dict[str, object]
        session: str
        title: str
        ids: str
        logged: str
        zone: int
        uncommitted: int
        examples: list[str]
        mentions: list[str]
        paths: list[str]
        made: float
        note: str


# Bytes. One write appends a line; on a local disk no other append comes between its bytes, however long it is.
LINE_LIMIT = 1 << 15
_HEAD = 64  # bytes in which a journal has the kind of its first fact
_FOLDER = "/journal/"
LIVE = "/live/"  # a file for each session that the index lacks, or whose row there is outdated (`journal.live`)
_SILENCE = 1800.0  # seconds; a session counts as over only after a longer one (`sessions.index`)
_BOUND = "/bound/"  # a file for each session that has a state file, so that the hot path needs no journal
_ASKED = ".asked"  # of a file beside it: a state file was requested


def path_of(store: str, session: str) -> str:
    """Return the path of a session's journal."""
    return store + _FOLDER + session + ".jsonl"


NOWHERE = "nowhere"  # instead of a branch: no state file says yet what was chosen


def choose(store: str, session: str, status: str, why: str, state: str) -> None:
    """Append the status that a person or a command gave work; `state` is the file that says so, "" for none yet."""
    word, branch = "" if status == "active" else status, NOWHERE
    if state:
        branch = paths.branch(paths.locate(os.path.dirname(state)))
    append(store, session, {"kind": "status", "status": word, "text": why, "branch": branch})


def append(store: str, session: str, fact: "Mapping[str, object]") -> None:
    """Add one fact with the present time, in one write of less than 32 KB; OSError when it could not be written."""
    now = time.time()
    before = append_to(path_of(store, session), fact, now)
    if not 0 <= now - before < _SILENCE:
        try:
            files.append_line(store + LIVE + session, b"")
        except OSError:  # a shortcut only: the background looks at all journals
            return


def append_to(path: str, fact: "Mapping[str, object]", now: float = 0.0) -> float:
    """Add one fact to a file, in one write; return when it was changed before, 0.0 for a new file."""
    return files.append_line(path, line({"at": round(now or time.time(), 3), **fact}))


def line(fact: "Mapping[str, object]") -> bytes:
    """Return a fact as a line within the limit; its longest texts are cut first."""
    line = fast_json.dumps(fact).encode()
    while len(line) >= LINE_LIMIT:
        key = max(fact, key=lambda key: len(fast_json.dumps(fact[key])))
        value = fact[key]
        fact = {**fact, key: value[: len(value) // 2] + "…" if isinstance(value, str) and len(value) > 64 else None}
        line = fast_json.dumps(fact).encode()
    return line


def read(store: str, session: str) -> "list[Fact]":
    """Return a session's facts in the order they were written; other lines and incomplete ones are skipped."""
    try:
        data = files.read(path_of(store, session), files.OWN_LIMIT)
    except OSError:
        return []
    return facts_in(data)


def latest(store: str, session: str, limit: int) -> "tuple[list[Fact], bool]":
    """Return the facts in at most the last `limit` bytes of a journal, and whether these are all."""
    try:
        data = files.tail(path_of(store, session), limit)
    except OSError:
        return [], True
    is_whole = len(data) < limit
    return facts_in(data if is_whole else data.partition(b"\n")[2]), is_whole


def after(store: str, session: str, size: int) -> "list[Fact]":
    """Return the facts that were added to a journal since it had so many bytes."""
    path = path_of(store, session)
    more = files.size_of(path) - size
    return facts_in(files.tail(path, more)) if more > 0 else []


def said(store: str, session: str) -> "list[Fact]":
    """Return the facts of a session with what was said, and when work was done between it, in their order."""
    from holdfast.journal.kinds import KINDS  # what only appends needs none

    return of_kinds(store, session, [name for name, kind in KINDS.items() if kind.quoted], between=("edit", "task"))


def of_kinds(store: str, session: str, kinds: "Iterable[str]", between: "Iterable[str]" = ()) -> "list[Fact]":
    """Return the facts of a session of these kinds, in the order they were written; other lines are not parsed.

    Of several that follow each other and are `between` them it is the last one.
    """
    try:
        data = files.read(path_of(store, session), files.OWN_LIMIT)
    except OSError:
        return []
    marks, others = [_mark(kind) for kind in kinds], [_mark(kind) for kind in between]
    lines: list[bytes] = []
    for line in data.splitlines():
        is_other = any(mark in line for mark in others)
        if is_other and lines and any(mark in lines[-1] for mark in others):
            lines[-1] = line
        elif is_other or any(mark in line for mark in marks):
            lines.append(line)
    return [fact for fact in facts_in(b"\n".join(lines)) if fact["kind"] in {*kinds, *between}]


def _mark(kind: str) -> bytes:
    return f'"kind": "{kind}"'.encode()


def last(store: str, session: str, kind: str) -> "Fact | None":
    """Return the newest fact of a session of this kind, None where there is none."""
    return next(reversed(of_kinds(store, session, (kind,))), None) if store else None


def facts_in(data: bytes) -> "list[Fact]":
    """Return the facts in these lines of a journal, as `read` does."""
    return [
        fact  # type: ignore[misc] # see `Fact`: other keys are checked when they are used
        for fact in _values(data.splitlines())
        if isinstance(fact, dict) and isinstance(fact.get("at"), (int, float)) and isinstance(fact.get("kind"), str)
    ]


def _values(lines: "list[bytes]") -> "list[object]":
    """Return the values of the lines. All are parsed at once; one by one only when a line is incomplete.

    A random mark between the lines shows whether a value spans two lines or a line has two values.
    """
    written, mark = [line for line in lines if line], os.urandom(8).hex()
    try:
        whole = fast_json.loads(b"[" + f',"{mark}",'.encode().join(written) + b"]")
    except ValueError:
        whole = None
    between = len(written) - 1
    if isinstance(whole, list) and len(whole) == 2 * between + 1 and whole[1::2].count(mark) == between:
        return whole[::2]
    return [value for line in lines for value in _value(line)]


def _value(line: bytes) -> "list[object]":
    """Return a list with the value of one line, [] for an incomplete line."""
    try:
        return [fast_json.loads(line)]
    except ValueError:
        return []


def exists(store: str, session: str) -> bool:
    """Whether a session has a journal; costs one system call."""
    return os.path.exists(path_of(store, session))


def has_begun(store: str, session: str) -> bool:
    """Whether a session has other facts than updates, which any agent may make for a session of no client."""
    try:
        with open(path_of(store, session), "rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return b'"update"' not in head or any(fact["kind"] != "update" for fact in read(store, session))


def sessions(store: str) -> "list[str]":
    """Return the ids of all sessions that have a journal here."""
    return sorted(filter(is_session, names(store)))


def names(store: str) -> "set[str]":
    """Return the names of all journals, without their ending; not each need be the id of a session."""
    try:
        idents = os.listdir(store + _FOLDER) if store else []
    except OSError:
        return set()
    return {name[:-6] for name in idents if name.endswith(".jsonl")}


def signatures(store: str, chosen: "Iterable[str] | None" = None, look: "Look" = os.lstat) -> "dict[str, str]":
    """Return for each session, or each of the `chosen`, a text that changes with its journal, the latest first."""
    signatures_read = []
    for session in sessions(store) if chosen is None else chosen:
        try:
            here = look(f"{store}{_FOLDER}{session}.jsonl")
        except OSError:  # removed meanwhile
            continue
        signatures_read.append((here.st_mtime_ns, session, _signature(here)))
    return {session: line for _, session, line in sorted(signatures_read, reverse=True)}


def signature(store: str, session: str) -> str:
    """Return the text of a session's journal as `signatures` does, "" if there is no journal."""
    try:
        return _signature(os.lstat(path_of(store, session)))
    except OSError:
        return ""


def written(signature: str) -> float:
    """Return when a journal with this signature was written last, in seconds since 1970."""
    return int(signature.split(" ", 2)[1]) / 1e9


def _signature(here: os.stat_result) -> str:
    return f"{here.st_size} {here.st_mtime_ns} {here.st_ctime_ns} {here.st_ino}"


def latest_times(store: str) -> "dict[str, float]":
    """Return the time of the latest fact of each kind in any session, in seconds since 1970."""
    times: dict[str, float] = {}
    for session in sessions(store):
        for fact in read(store, session):
            times[str(fact["kind"])] = max(float(str(fact["at"])), times.get(str(fact["kind"]), 0.0))
    return times


def latest_by_client(store: str) -> "dict[str, float]":
    """Return the time of the latest fact from any session of each client, by the client's name; "" is Claude Code."""
    from holdfast.journal.kinds import OWN  # what only appends needs none

    times: dict[str, float] = {}
    for session in sessions(store):
        facts = [fact for fact in read(store, session) if fact["kind"] in OWN]
        if not facts:
            continue  # no client started it
        client = next((fact.get("client", "") for fact in facts if fact["kind"] == "start"), "")
        times[str(client)] = max(times.get(str(client), 0.0), *(float(fact["at"]) for fact in facts), 0.0)
    return times


def claim(store: str, session: str, path: str, *, by: str, child: str = "") -> None:
    """Journal that the state file at `path` belongs to the session, or to its child; `by` names the action."""
    home = paths.locate(os.path.dirname(path))
    fact: dict[str, object] = {"kind": "state", "path": home.relative(path), "root": home.root, "by": by}
    fact |= {"agent": child} if child else {}
    append(store, session, fact)
    if not child:
        files.write_private(store + _BOUND + session, os.fsencode(path))


def has_state_file(store: str, session: str) -> bool:
    """Whether the session has a state file; costs one system call."""
    return os.path.exists(store + _BOUND + session)


def state_file_of(store: str, session: str) -> str:
    """Return the path of the session's state file, "" when it has none, without reading the journal."""
    return _bound_path(store + _BOUND + session)


def release(store: str, session: str) -> None:
    """Remove the record that the session has, or requested, a state file."""
    for path in (store + _BOUND + session, store + _BOUND + session + _ASKED):
        if os.path.exists(path):
            os.unlink(path)


def request_state_file(store: str, session: str) -> bool:
    """Journal that a state file is due; return whether this is the first request, whose caller has to make it."""
    append(store, session, {"kind": "due"})
    try:
        files.private_folder(store + _BOUND)
        os.close(os.open(store + _BOUND + session + _ASKED, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def awaits_state_file(store: str) -> bool:
    """Whether a state file was requested for some session, and is not there yet."""
    names = _bound(store)
    return any(name.endswith(_ASKED) and name.removesuffix(_ASKED) not in names for name in names)


def _bound(store: str) -> "set[str]":
    try:
        return set(os.listdir(store + _BOUND))
    except OSError:
        return set()


def sessions_of_file(store: str, path: str) -> "list[str]":
    """Return the ids of the sessions whose state file this is, here or in another worktree."""
    names = _bound(store)
    ids = [name for name in names if not name.startswith(".") and not name.endswith(_ASKED)]
    bound = [(ident, _bound_path(store + _BOUND + ident)) for ident in ids]
    alike = [(ident, other) for ident, other in bound if paths.folded_name(other) == paths.folded_name(path)]
    own = paths.identities(path) if alike else set()
    return [ident for ident, other in alike if not own.isdisjoint(paths.identities(other))]


def _bound_path(path: str) -> str:
    """Return the path in a file that `claim` wrote, "" when there is no such file."""
    try:
        return os.fsdecode(files.read(path))
    except OSError:
        return ""


class Growth:
    """Yields the facts that were added to the journals of a project since the last look."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._signatures = signatures(store)
        self._read = {ident: files.size_of(path_of(store, ident)) for ident in self._signatures}

    def new(self) -> "Iterator[tuple[str, list[Fact]]]":
        """Yield each session whose journal grew, with the facts in its new whole lines.

        A journal that shrank was rewritten without some of its facts: what it has then is not new.
        """
        known, self._signatures = self._signatures, signatures(self._store)
        for ident in (ident for ident, line in self._signatures.items() if known.get(ident) != line):
            begin = self._read.get(ident, 0)
            try:
                data = files.read(path_of(self._store, ident), files.OWN_LIMIT)
            except OSError:  # removed meanwhile
                continue
            end = data.rfind(b"\n") + 1
            self._read[ident] = end
            if end > begin:
                yield ident, facts_in(data[begin:end])
