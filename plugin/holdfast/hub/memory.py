"""What holdfast wrote into the hub in the last while: what somebody undoes by saving it from an old copy is put back.

Lies in the store as `hub.json`, and is only ever a shortcut: without it nothing is put back, and nothing else changes.
Beside it `hub.begun` stands for as long as the hub was written and not staged, with the facts that journals are owed.
"""

import os
import zlib

from holdfast import cache, codec, files, paths
from holdfast.errors import HoldfastError
from holdfast.hub.draft import Change, Draft
from holdfast.hub.entry import Entry

WHILE = 3600.0  # seconds for which what was undone is put back
_MOST = 100  # earlier versions of an entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Version = dict[str, object]
    Owed = tuple[str, dict[str, object]]  # a session, and a fact for its journal


class Memory:
    """The hub at a path as holdfast left it, with the last version of each entry and marks of those before.

    Where git has moved since, by a checkout, a merge or a reset, what the hub says now is what git was asked for.
    """

    def __init__(self, store: str, hub: str) -> None:
        self._path = store + "/hub.json"
        kept = cache.kept(self._path)
        self._left = kept.get("left")
        self._begun = store + "/hub.begun"
        self._where = [hub, *_moves(hub)]
        versions = kept.get("entries") if kept.get("where") == self._where else None
        self._versions = versions if isinstance(versions, dict) else {}

    @property
    def unfinished(self) -> bool:
        """Whether holdfast wrote the hub and did not come to stage it: it was killed, or git's index was locked."""
        return os.path.lexists(self._begun)

    def begin(self, owed: "Iterable[Owed]" = ()) -> None:
        """Note that the hub is about to be written, and which facts its entries come with."""
        os.makedirs(os.path.dirname(self._begun), exist_ok=True)
        files.write_atomic(self._begun, codec.dumps({"owed": [*owed]}).encode())

    @property
    def owed(self) -> "list[Owed]":
        """The facts of a hub that was begun to be written by a process that was killed: a session and a fact of its."""
        owed = cache.kept(self._begun).get("owed")
        found = owed if isinstance(owed, list) else []
        return [(one[0], one[1]) for one in found if isinstance(one, list) and [*map(type, one)] == [str, dict]]

    def finish(self) -> None:
        """Note that the hub was written and staged."""
        files.unlink_quietly(self._begun)

    def touched(self, data: bytes) -> bool:
        """Whether anybody else wrote the hub, which reads so now, since holdfast left it."""
        return self._left != _mark(data)

    def restore(self, draft: Draft, archive: bytes = b"") -> None:
        """Put back into a draft each entry that is gone, or is again what it was before holdfast wrote it last.

        An entry that somebody changed in any other way is theirs. One that stands in the archive is not gone: a process
        that was killed moved it there and had no time to say so.
        """
        for ident, version in self._versions.items():
            data, at = version.get("text"), version.get("at")
            if not isinstance(data, str) or not isinstance(at, (int, float)) or at < draft.now - WHILE:
                continue
            try:
                found = draft.find(ident)
            except HoldfastError:  # it stands twice
                continue
            moved = found is None and f"`{ident}`".encode() in archive
            if not moved and (found is None or _mark(found.entry.data) in _earlier(version)):
                text = data.encode("utf-8", "surrogateescape")
                draft.put(ident, Entry(text, draft.hub.form), history=version.get("history") is True)

    def remember(self, data: bytes, changes: "Iterable[Change]", now: float) -> None:
        """Note the hub as it was just written, and the entries that changed with it; the caller holds the lock."""
        versions = {ident: one for ident, one in self._versions.items() if _time(one) >= now - WHILE}
        for change in changes:
            mark, known = _mark(change.after), versions.get(change.ident, {})
            marks = [*_earlier(known), known.get("mark"), *([_mark(change.before)] if change.before else [])]
            text = change.after.decode("utf-8", "surrogateescape")
            earlier = [each for each in dict.fromkeys(marks) if each not in {None, mark}][-_MOST:]
            versions[change.ident] = {
                "at": now,
                "history": change.history,
                "mark": mark,
                "text": text,
                "earlier": earlier,
            }
        self._versions, self._left = versions, _mark(data)
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        kept = {"left": self._left, "where": self._where, "entries": versions}
        files.write_atomic(self._path, codec.dumps(kept).encode())

    def forget(self, archived: "Iterable[str]") -> None:
        """Forget entries that went to the archive, before the hub is noted anew."""
        for ident in archived:
            self._versions.pop(ident, None)


def _moves(hub: str) -> list[object]:
    """Return what changes whenever git gives the working tree of the hub another commit."""
    git = paths.locate(os.path.dirname(hub)).git
    try:
        return [os.fsdecode(files.read(git + "/HEAD")), os.stat(git + "/logs/HEAD").st_size] if git else []
    except OSError:  # no commit yet, or no log of them
        return []


def _mark(data: bytes) -> str:
    """Return what tells a text from others, whatever blank lines end it."""
    text = data.rstrip(b"\r\n")
    return f"{zlib.crc32(text):08x}-{len(text)}"


def _earlier(version: "Version") -> list[object]:
    found = version.get("earlier")
    return found if isinstance(found, list) else []


def _time(version: "Version") -> float:
    at = version.get("at")
    return float(at) if isinstance(at, (int, float)) else 0.0
