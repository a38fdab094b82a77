"""Sessions as their journals have them. What a long journal came to up to some line is kept, and only the rest is read.

What is kept counts only as long as the journal still begins with the very bytes that it was made of.
"""

import os

from holdfast import codec, files, journal, paths
from holdfast.session import Child, Session, go_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SHAPE = 1  # raise it when facts come to something else than before
_FOLDER = "/folded/"
WORTH = 1 << 16  # bytes of a journal that are worth to be kept: to read fewer takes no time


def session(store: str, ident: str, root: str = "", places: "Iterable[str]" = paths.PLACES) -> Session:
    """Return what a session's journal comes to: `session.fold` of all that stands there.

    Outside git a journal may have come with the project: a folder of somebody else's project in it is left out.
    """
    found = _read(store, ident, root, places)
    if found.state and not _ours(store, root, os.path.dirname(found.state)):
        found.state = found.state_name = found.state_root = ""
    found.root = found.root if _ours(store, root, found.root) else root
    found.worktree = found.worktree if _ours(store, root, found.worktree) else found.root
    return found


def _ours(store: str, root: str, folder: str) -> bool:
    """Whether a folder lies in one of the working trees that share this store, or is not there at all."""
    plain = folder == root or (
        root and folder.startswith(root.rstrip("/") + "/") and os.path.normpath(folder) == folder
    )
    if plain or not os.path.isdir(folder) or (root and paths.within(folder, root)):
        return True
    return os.path.realpath(paths.locate(folder).store or "/") == os.path.realpath(store)


def _read(store: str, ident: str, root: str, places: "Iterable[str]") -> Session:
    """Return what all facts of a journal come to."""
    found = Session(ident, root, tuple(places))
    try:
        data = files.read(journal.path_of(store, ident), files.OWN)
    except OSError:
        return found
    if len(data) < WORTH:
        go_on(found, journal.facts_in(data))
        return found
    path = _path(store, found)  # before any fact: a start may name another root than the reader's
    known, at = _known(path, found, data)
    go_on(known, journal.facts_in(data[at:]))
    end = data.rfind(b"\n") + 1
    if len(data) == end and end - at >= WORTH:  # a line that is being written may yet become a fact
        _keep(path, known, data)
    return known


def _path(store: str, new: Session) -> str:
    """Return where it is kept what a journal comes to for a reader, whose root and places are part of it."""
    import zlib

    beside = zlib.crc32("\0".join([new.root, *new.places]).encode("utf-8", "surrogateescape"))
    return f"{store}{_FOLDER}{new.id}.{beside:08x}"


def _known(path: str, new: Session, data: bytes) -> tuple[Session, int]:
    """Return what the beginning of a journal came to and how long that is; the new session and 0 for nothing."""
    import zlib

    try:
        kept = codec.loads(files.read(path, files.OWN))
        shape, end, checksum, values = kept if isinstance(kept, list) and len(kept) == 4 else [None] * 4
        if shape != _SHAPE or not isinstance(end, int) or zlib.crc32(memoryview(data)[:end]) != checksum:
            return new, 0
        told = _decoded(values)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return new, 0
    own = Session(new.id, new.root, new.places)
    if not isinstance(told, dict) or told.keys() != vars(own).keys():
        return new, 0
    vars(own).update(told)
    return own, end


def _keep(path: str, found: Session, data: bytes) -> None:
    """Keep what a whole journal came to; a folder that cannot be written keeps nothing."""
    import zlib

    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        kept = [_SHAPE, len(data), zlib.crc32(data), _encoded(vars(found))]
        files.write_atomic(path, codec.dumps(kept).encode())
    except (OSError, TypeError, ValueError):
        return


def _encoded(value: object) -> object:
    """Return a value in forms that JSON has; one that JSON would change is marked with what it is."""
    if isinstance(value, Child):
        return {"child": [_encoded(getattr(value, name)) for name in Child.__slots__]}
    if isinstance(value, dict):
        return {"dict": [[key, _encoded(each)] for key, each in value.items()]}
    if isinstance(value, (tuple, set)):
        return {type(value).__name__: [_encoded(each) for each in value]}
    return [_encoded(each) for each in value] if isinstance(value, list) else value


def _decoded(value: object) -> object:
    """Return what was encoded; TypeError or ValueError for what was not."""
    if isinstance(value, list):
        return [_decoded(each) for each in value]
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    if kind == "dict":
        return {key: _decoded(each) for key, each in inner}
    if kind == "child":
        child = Child("", 0.0)
        for name, each in zip(Child.__slots__, inner, strict=True):
            setattr(child, name, _decoded(each))
        return child
    return {"tuple": tuple, "set": set}[kind](map(_decoded, inner))
