"""Sessions folded from their journals, with a cache: only the lines added since the last folding are folded.

A cached session is valid as long as the journal is unchanged or still begins with the bytes that were folded.
"""

import os

from holdfast.core import files
from holdfast.core.cache import Cache, short_hash
from holdfast.journal import folding, log
from holdfast.journal.session import Child, File, Group, Process, Recorded, Settling, Talk
from holdfast.project import paths
from holdfast.sessions.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from holdfast.core.files import Look
    from holdfast.journal.log import Fact
    from holdfast.project.paths import Project

    Entry = tuple[object, object]  # the signature and the value of an entry of the cache

_RECORDED = vars(Recorded("")).keys() - {"patterns"}  # the cached attributes of a session; its kind has the patterns
_GROUPS = {one.__name__: one for one in (Child, Process, Talk, File, Settling)}
_KINDS: dict[tuple[str, tuple[str, ...]], str] = {}  # by root and patterns: hashing them takes long
_NESTED = {dict, list}  # the types that may contain what JSON lacks
_VERSION = 18  # increase it when facts come to something else than before
WORTH = 1 << 12  # bytes of a journal; folding fewer takes no longer than reading the cache
_SHARE, _MOST = 8, 1 << 16  # the cache is renewed after an eighth of its bytes, or this many, were added


def session(store: str, ident: str, root: str = "", patterns: "Iterable[str]" = paths.PATTERNS) -> Session:
    """Return the session that all facts of its journal describe.

    Outside git a journal may have come with the project: folders of another project in it are left out.
    """
    cache = Cache(store)
    found, _ = _read(cache, ident, root, patterns)
    cache.save()
    return _without_others(store, root, Session.of(found))


def _without_others(store: str, root: str, session: Session) -> Session:
    """Return a session without those of its folders that lie in another project, the same object if none does."""
    folder = session.root if _ours(store, root, session.root) else root
    tree = session.worktree if _ours(store, root, session.worktree) else folder
    if session.claimed and not _ours(store, root, os.path.dirname(session.claimed)):
        names = ["state", "state_name", "claimed", "claimed_name", "state_root"]
        session = session.replace(**dict.fromkeys(names, ""))
    same = (folder, tree) == (session.root, session.worktree)
    return session if same else session.replace(root=folder, worktree=tree)


class Journals:
    """The sessions that one process asked for: each journal is folded once, then only its new lines."""

    def __init__(self, project: "Project", cache: Cache) -> None:
        self._project = project
        self._cache = cache
        self._known: dict[str, tuple[Recorded, int]] = {}  # by id, with the bytes of its journal that it has

    def session(self, ident: str, patterns: "tuple[str, ...]", look: "Look" = os.stat) -> Session:
        """Return the current session of a journal.

        `patterns` are the path patterns of the project's state files.
        """
        store, root = self._project.store, self._project.root
        found, begin = self._known.pop(ident, (None, 0))
        new = _after(log.path_of(store, ident), begin) if found else None
        if found is None or new is None:
            found, begin = _read(self._cache, ident, root, patterns, look)
            whole = begin >= 0
        else:
            whole = not new or new.endswith(b"\n")
            if not whole:  # a line that is being written may yet become another fact
                return session(store, ident, root, patterns)
            found = folding.fold(found, log.facts_in(new)) if new else found
            begin += len(new)
        if whole:
            self._known[ident] = found, begin
        return _without_others(store, root, Session.of(found))

    def facts(self, ident: str, patterns: "tuple[str, ...]") -> "list[Fact]":
        """Return the facts of a journal; `session` then returns what they make without another reading."""
        try:
            data = files.read(log.path_of(self._project.store, ident), files.OWN_LIMIT)
        except OSError:
            return []
        known = log.facts_in(data)
        if data.endswith(b"\n"):
            self._known[ident] = folding.fold(Recorded(ident, self._project.root, patterns), known), len(data)
        return known


def _after(path: str, begin: int) -> bytes | None:
    """Return the bytes of a journal from `begin` on, None if it is gone or shorter."""
    try:
        size = os.stat(path).st_size
        return (files.tail(path, size - begin) if size > begin else b"") if size >= begin else None
    except OSError:
        return None


def _ours(store: str, root: str, folder: str) -> bool:
    """Whether a folder lies in one of the working trees that share this store, or is not there at all."""
    plain = folder == root or (
        root and folder.startswith(root.rstrip("/") + "/") and os.path.normpath(folder) == folder
    )
    if plain or not os.path.isdir(folder) or (root and paths.within(folder, root)):
        return True
    return os.path.realpath(paths.locate(folder).store or "/") == os.path.realpath(store)


def _read(
    cache: Cache, ident: str, root: str, patterns: "Iterable[str]", look: "Look" = os.stat
) -> tuple[Recorded, int]:
    """Return the session of a journal and the journal's size in bytes, -1 if its last line is incomplete."""
    found, path = Recorded(ident, root, tuple(patterns)), log.path_of(cache.store, ident)
    kind = _kind(found)  # before any fact: a start may name another root than the reader's
    try:
        status = look(path)
        entry = cache.latest(path, kind) if status.st_size >= WORTH else (None, None)
        if known := _unchanged(entry, found, status):
            return known, status.st_size
        data = files.read(path, files.OWN_LIMIT)
    except OSError:
        return found, -1
    end = data.rfind(b"\n") + 1
    size = len(data) if len(data) == end else -1
    known, at = _known(entry, found, data)
    known = folding.fold(known, log.facts_in(data[at:]))
    least = 1 if known.ended else min(max(WORTH, at // _SHARE), _MOST)  # what ended hardly grows
    # A line that is being written may yet become a fact.
    if size >= WORTH and end - at >= least:
        _keep(cache, kind, known, data, status)
    return known, size


def _kind(new: Recorded) -> str:
    """Return the kind of a cached session; the version, and the reader's root and patterns, are part of it."""
    beside = new.root, tuple(new.patterns)
    if beside not in _KINDS:
        text = "\0".join([new.root, *new.patterns])
        _KINDS[beside] = f"session {_VERSION} {short_hash(text.encode('utf-8', 'surrogateescape'))}"
    return _KINDS[beside]


def _unchanged(entry: "Entry", new: Recorded, status: os.stat_result) -> Recorded | None:
    """Return the cached session of a journal that has not changed since, None for any other."""
    signature, value = entry
    if not isinstance(signature, list) or signature[2:] != files.signature(status) or signature[0] != status.st_size:
        return None
    return _as_kept(value, new)


def _known(entry: "Entry", new: Recorded, data: bytes) -> tuple[Recorded, int]:
    """Return the session cached for the beginning of a journal and its length in bytes; `new` and 0 for none."""
    signature, value = entry
    end, checksum, *_ = signature if isinstance(signature, list) and signature[1:] else (None, None)
    if not isinstance(end, int) or end < 0:
        return new, 0
    import zlib  # most journals have not changed since they were kept, or are short

    own = _as_kept(value, new) if zlib.crc32(memoryview(data)[:end]) == checksum else None
    return (own, end) if own else (new, 0)


def _as_kept(value: object, new: Recorded) -> Recorded | None:
    """Return the session `new` with what an entry has, None and `new` unchanged if the entry is damaged."""
    try:
        values = _values_decoded(value)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    if not {"root"} <= values.keys() <= _RECORDED:
        return None
    vars(new).update(values)
    return new


def _keep(cache: Cache, kind: str, found: Recorded, data: bytes, status: os.stat_result) -> None:
    """Cache the session that a whole journal makes; `status` is the journal's, taken before it was read."""
    import zlib

    signature = [len(data), zlib.crc32(data), *files.signature(status)]
    attributes = {**_changed(found, Recorded(found.id, patterns=found.patterns)), "root": _encoded(found.root)}
    cache.set(log.path_of(cache.store, found.id), kind, signature, attributes)


def _changed(one: Group, new: Group) -> dict[str, object]:
    """Return the encoded attributes that are not as in a new object, as most are."""
    return {name: _encoded(value) for name, value in vars(one).items() if value != vars(new)[name]}


def _encoded(value: object) -> object:
    """Return a value as JSON; a value of a type that JSON lacks is marked with its type."""
    if isinstance(value, Group):
        return {type(value).__name__: _changed(value, type(value)())}
    if isinstance(value, dict):
        return {"dict": {key: _encoded(each) for key, each in value.items()}}
    if isinstance(value, (tuple, set)):
        return {type(value).__name__: [_encoded(each) for each in value]}
    return [_encoded(each) for each in value] if isinstance(value, list) else value


def _decoded(value: object) -> object:
    """Return what was encoded; TypeError or ValueError for what was not."""
    if isinstance(value, list):
        return _all_decoded(value)
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    if kind == "dict":
        return _values_decoded(inner)
    if kind in _GROUPS:
        made, values = _GROUPS[kind](), _values_decoded(inner)
        if not values.keys() <= vars(made).keys():
            raise ValueError(kind)
        vars(made).update(values)
        return made
    return {"tuple": tuple, "set": set}[kind](_all_decoded(inner))


def _values_decoded(values: "Any") -> dict[str, object]:
    """Return what the encoded values of an object stand for. Most are plain; a call for each is the main cost."""
    return {name: _decoded(each) if type(each) in _NESTED else each for name, each in values.items()}


def _all_decoded(values: list[object]) -> list[object]:
    """Return what a list of encoded values stands for."""
    return [_decoded(each) if type(each) in _NESTED else each for each in values]
