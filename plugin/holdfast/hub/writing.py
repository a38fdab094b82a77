"""Write the hub: compute its text from the present one, record the write, replace the file, stage it.

Nothing else writes the hub. An update is kept in three steps, each of which may be the last one of a killed process:

1. `Record.begin` names the update as waiting, and the update is appended to the journal of its session.
2. The documents beside the hub change, and the hub is replaced.
3. `Record.finish` names it as done, once the hub is staged.

A process that is killed before step 3 leaves an update that waits: the next one carries it out again, which changes
nothing where the hub has it.
"""

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import texts_of
from holdfast.core.statuses import OVER
from holdfast.editing import store
from holdfast.formats import names
from holdfast.git import objects
from holdfast.hub import projection
from holdfast.hub.changes import Record, Update, times, updates_of
from holdfast.hub.document import HISTORY, NEW, Hub, PlacedEntry, gone
from holdfast.hub.transaction import Transaction
from holdfast.journal import log
from holdfast.markdown.document import splices
from holdfast.project.paths import Project
from holdfast.sessions import hub_location
from holdfast.sessions.workspace import Workspace

_STILL = 0.1  # seconds without a change after which no save is assumed to be going on
_PATIENCE = 1.0  # seconds to wait at most for a save to end
_TRIES = 5
_SAVES = 3  # that are waited for at most
T = TypeVar("T")


class Projection(Generic[T]):
    """The text that a hub gets: the present text, the new one, the changes, and what their author says of them."""

    def __init__(self, there: bytes, text: bytes, transaction: Transaction, result: T) -> None:
        self.there, self.text, self.transaction, self.result = there, text, transaction, result

    @property
    def changes(self) -> bool:
        """Whether the new text differs from the present one."""
        return not (self.text == self.transaction.hub.data == self.there)


class Written(Generic[T]):
    """What became of the hub: its path, what changed, why it was not staged ("" if it was), and `act`'s result.

    `archived` is how many entries went to the archive.
    """

    def __init__(self, path: str, result: T, *, changed: bool) -> None:
        self.path, self.result, self.changed = path, result, changed
        self.archived, self.unstaged = 0, ""


def write(
    workspace: "Workspace",
    act: "Callable[[Transaction], T]",
    *,
    beside: "Callable[[T], None] | None" = None,
    after: "Callable[[T], None] | None" = None,
) -> Written[T]:
    """Let `act` change the hub, then shorten its history; the caller holds the lock.

    `beside` changes the documents that go with the hub, just before the hub is written; `after` is called at the end.
    Both take the result of `act`. HoldfastError when the hub must not be written, or changes each time before it can be
    written.
    """
    path = hub_location.path_of(workspace.project)
    record = Record(workspace.project.store)
    _take_from_git(workspace.project, path)
    _keep_facts(workspace, record, path)
    unfinished = record.is_open and os.path.isfile(path)
    projected, replaced = _replaced(workspace, path, record, act, beside)
    transaction, left = projected.transaction, projected.text
    written = Written(path, projected.result, changed=replaced)
    amended = transaction.amends and store.update(_archive(path), transaction.archive)
    if written.changed or unfinished or amended:
        left = _bounded(workspace, written, left, archived=unfinished or amended)
    _journal(workspace, record, transaction)
    if after:
        after(projected.result)
    if os.path.isfile(path):
        record.finish(left, times(transaction), staged=not written.unstaged, replaced=replaced)
    return written


def archive(workspace: "Workspace", most: int) -> int:
    """Move the oldest entries of the history to the archive until `most` are left; return how many."""
    path = hub_location.path_of(workspace.project)
    record = Record(workspace.project.store)
    _keep_facts(workspace, record, path)
    moved, data = trim(path, Hub(files.read(path), workspace.hub_format), most)
    unstaged = _staged(workspace, path, archived=True) if moved or record.is_open else ""
    record.finish(data, [], staged=not unstaged)
    return len(moved)


def project(
    workspace: "Workspace", path: str, there: bytes, act: "Callable[[Transaction], T]", record: Record | None = None
) -> Projection[T]:
    """Return the text that the hub at `path`, with these bytes now, gets by `act`; nothing is written.

    With a record, the writes that a copy of the hub that was read before them lacks come first.
    """
    data, other = there, hub_location.left_in_store(workspace.project, path)
    if other:
        from holdfast.hub import merge  # most projects have one hub

        data = merge.united(there, other, workspace.hub_format)
    transaction = Transaction(Hub(data or NEW.encode(), workspace.hub_format), workspace.now, path, new=not data)
    if record and data and record.text and not record.is_left(data):
        _redo(workspace, transaction, record)
    result = act(transaction)
    return Projection(there, transaction.done(), transaction, result)


def _replaced(
    workspace: "Workspace",
    path: str,
    record: Record,
    act: "Callable[[Transaction], T]",
    beside: "Callable[[T], None] | None",
) -> tuple[Projection[T], bool]:
    """Replace the hub by its new text; return that, and whether it was replaced."""
    other = hub_location.left_in_store(workspace.project, path)
    for _ in range(_TRIES):
        projected = _named(path, lambda: project(workspace, path, _read(path, record), act, record))
        if not projected.changes:
            return projected, False
        _append(workspace, projected.transaction, record.begin(projected.transaction))
        if beside:
            beside(projected.result)
        if _named(path, lambda shown=projected: _put(path, shown)):  # type: ignore[misc] # mypy infers no default
            if other:
                store.remove(other)
            return projected, True
    raise HoldfastError(f"{path} kept changing while holdfast tried to update it; nothing was written. Try again.")


def _put(path: str, projected: Projection[T]) -> bool:
    """Replace a hub that is still what its new text was computed from; return whether it was replaced."""
    return store.upsert(path, lambda now: projected.text if now == projected.there else now)


def _named(path: str, work: "Callable[[], T]") -> T:
    """Return the result of `work`; its error names the hub."""
    try:
        return work()
    except HoldfastError as error:
        message = str(error) if path in str(error) else f"{path}: {error}"
        raise type(error)(message) from None


def _read(path: str, record: Record) -> bytes:
    """Return the bytes of the hub, b"" where there is none, once no save is going on."""
    for _ in range(_SAVES):
        _wait(path, record)
        data = store.text_to_change(path)
        if data or not os.path.lexists(path):
            return data
    raise HoldfastError(f"{path} is empty: another program may be saving it. Delete it to begin a new one.")


def _wait(path: str, record: Record) -> None:
    """Wait while another program saves the hub in place, which leaves it empty or incomplete for a moment."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            data, changed = files.read(path), os.stat(path).st_mtime
        except OSError:
            return
        if data and (record.is_left(data) or abs(time.time() - changed) > _STILL):
            return
        time.sleep(_STILL / 5)


def _append(workspace: "Workspace", transaction: Transaction, chosen: "list[Update]") -> None:
    """Append the chosen updates of a transaction to the journals of their sessions."""
    for session, fact in transaction.updates:
        if (session, fact["at"]) in chosen:
            from holdfast.hub import update  # most writes have none

            update.journal(workspace.project.store, session, fact)


def _journal(workspace: "Workspace", record: Record, transaction: Transaction) -> None:
    """Append to the journals what happened in a transaction, after the write."""
    _append(workspace, transaction, [one for one in times(transaction) if one not in record.waiting])
    for session, fact in transaction.facts:
        log.append(workspace.project.store, session, fact)


def _archive(path: str) -> str:
    return hub_location.companion(path, hub_location.ARCHIVE)


def _take_from_git(project: "Project", path: str) -> None:
    """Write the hub that a sparse checkout leaves out as git has it, so that its entries stay."""
    if os.path.lexists(path) or hub_location.outside_cone(hub_location.tree(project)) != path:
        return
    home = hub_location.tree(project)
    data = objects.index_text(home.root, home.relative(path))
    if data:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        store.copy(path, data)


def _keep_facts(workspace: "Workspace", record: Record, path: str) -> None:
    """Append to journals the facts of a write whose process was killed, where the hub has what the facts say.

    Without them, the text that this process wrote would count as a person's, which holdfast does not change.
    """
    if not record.facts or not os.path.isfile(path):
        return
    hub = Hub(files.read(path), workspace.hub_format)
    for session, fact in record.facts:
        with contextlib.suppress(HoldfastError):  # two entries have this id
            wrote, placed = fact.get("wrote"), hub.entry(str(fact.get("agent") or session))
            if placed and isinstance(wrote, dict) and placed.entry.text("Status") == wrote.get("Status"):
                log.append(workspace.project.store, session, fact)


def _redo(workspace: "Workspace", transaction: Transaction, record: Record) -> None:
    """Project what was lost once more, because somebody saved a copy of the hub that was read before it.

    An older hub that git wrote, by a checkout or a reset, is meant, and nothing is projected.
    """
    path = transaction.path
    try:
        lost = record.overtaken(transaction.hub, os.stat(path).st_mtime)
    except HoldfastError:  # two entries have one id
        return
    if not lost:
        return
    from holdfast.git.refs import is_from_git  # few writes are overtaken

    if is_from_git(path):
        return
    for write in lost:
        for one in updates_of(write):
            from holdfast.hub import update

            with contextlib.suppress(HoldfastError):  # its parent may be gone
                update.repeat(transaction, workspace.project.store, one)
        for ident in texts_of(write, "sessions"):
            if session := workspace.session(ident):
                projection.put(transaction, session, anew=frozenset([ident, *session.children]))


def _bounded(workspace: "Workspace", written: Written[T], left: bytes, *, archived: bool) -> bytes:
    """Shorten the history of a hub that was written with the bytes `left`, and stage the hub; return its new bytes.

    If another program saves the hub meanwhile, the bytes differ, and the next write compares the two.
    """
    most = workspace.settings.history_entries
    moved, left = trim(written.path, Hub(left, workspace.hub_format), most, slack=most // 5)
    written.archived = len(moved)
    written.unstaged = _staged(workspace, written.path, archived=bool(moved) or archived)
    return left


def _staged(workspace: "Workspace", path: str, *, archived: bool) -> str:
    """Stage the hub, and the archive beside it where that may have changed; return "" or why the hub could not be."""
    if not workspace.settings.stage:
        return ""
    if archived and os.path.lexists(_archive(path)):
        workspace.stage(_archive(path), at_once=False)
    workspace.stage(path)
    return workspace.not_staged.get(path, "")


_HEAD = b"""\
# Session History

Entries that left the history of SESSION-STATE.md, the latest last.
"""
_PASSING = (b"**Status:**", b"**Last Updated:**", b"**Completed:**")


def trim(path: str, hub: Hub, most: int, *, slack: int = 0) -> tuple[list[str], bytes]:
    """Move the oldest entries of the history until `most` are left; the caller holds the lock and has read the hub.

    Return the ids of those that moved, and the hub as holdfast left it.

    Nothing moves while at most `slack` entries are too many. The archive is written first: after a crash in between, an
    entry is in both files, and the next call removes it from the hub. A hub that was saved meanwhile is left as it is.
    """
    if _roughly(hub) <= most + slack or hub.problem:
        return [], hub.data
    moving = _oldest(hub, most)
    if not moving:
        return [], hub.data
    archive = hub_location.companion(path, hub_location.ARCHIVE)
    if os.path.lexists(archive) and not os.path.getsize(archive):
        return [], hub.data  # another program is saving it
    store.upsert(archive, lambda data: _grown(data, moving, hub))
    shorter = _shortened(hub, most, files.read(archive))
    written = store.upsert(path, lambda data: shorter if data == hub.data else data)
    return [placed.entry.ident for placed in moving], shorter if written else hub.data


def _roughly(hub: Hub) -> int:
    """Return how many entries the history has at most: how often an id is named after its possible beginning.

    This searches the bytes, because parsing a large file takes as long as the rest of an update.
    """
    part = hub.file_format.part(HISTORY)
    lowered = hub.data.lower()
    begun = re.search(_any(part.names if part else {names.plain(HISTORY)}), lowered)
    return len(re.findall(_any(hub.idents), lowered[begun.start() :])) if begun else 0


def _any(known: "Iterable[str]") -> bytes:
    """Return a pattern for plain names in lower case, with any punctuation between their words."""
    return b"|".join(rb"[\W_]+".join(re.escape(word.encode()) for word in name.split()) for name in known)


def _oldest(hub: Hub, most: int) -> list[PlacedEntry]:
    """Return the entries of the history that are too many, the oldest first; unfinished ones always stay."""
    done = [placed for placed in hub.entries() if placed.history and placed.entry.category in {*OVER, ""}]
    latest = sorted(done, key=lambda placed: (-placed.entry.updated, placed.start))
    return latest[most:][::-1]


def _grown(data: bytes, moving: list[PlacedEntry], hub: Hub) -> bytes:
    """Return the archive with the entries that it does not have yet.

    An entry that is in the archive in an older version replaces that version.
    """
    data = data or _HEAD
    for placed in moving:
        block = placed.entry.data.rstrip(b"\r\n")
        if block not in data:
            data = _without_older(Hub(data, hub.file_format), placed)
            data = data.rstrip(b"\r\n") + b"\n\n" + block + b"\n"
    return data


def _without_older(archive: Hub, placed: PlacedEntry) -> bytes:
    """Return the archive without older versions of an entry: all their lines but status and times are in it."""
    ident = placed.entry.ident
    placed_entries = [one for one in archive.naming(ident) if one.entry.ident == ident] if ident else []
    older = [one for one in placed_entries if _lasting(one.entry.data) <= _lasting(placed.entry.data)]
    return splices(archive.data, [gone(archive, one) for one in older])


def _lasting(block: bytes) -> set[bytes]:
    """Return the lines of an entry, except for its status and its times."""
    lines = {line.strip() for line in block.splitlines()}
    return {line for line in lines if not line.startswith(_PASSING)}


def _shortened(hub: Hub, most: int, kept: bytes) -> bytes:
    """Return the hub without the entries that are too many and that the archive has."""
    moved = [placed for placed in _oldest(hub, most) if placed.entry.data.rstrip(b"\r\n") in kept]
    shorter = splices(hub.data, [gone(hub, placed) for placed in moved])
    if all(hub.data[placed.end :].strip() for placed in moved):
        return shorter
    # The last entry of the file leaves the blank line before it, which would add up.
    return shorter.rstrip(b"\r\n") + (hub.document.newline if hub.data.endswith((b"\r", b"\n")) else b"")
