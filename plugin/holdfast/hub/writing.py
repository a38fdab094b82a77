"""Write the hub: log the write, read the hub again under the lock, write it, stage it, and log the end.

Nothing else writes the hub.
"""

import contextlib
import os
import time
from dataclasses import dataclass

from holdfast.core import files
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import list_of, number_of
from holdfast.editing import store
from holdfast.git import index
from holdfast.git.last_writer import is_from_git
from holdfast.hub import carry, history, old_copy, projection, update
from holdfast.hub.document import NEW, Hub
from holdfast.hub.request import Request
from holdfast.hub.transaction import Transaction
from holdfast.hub.write_log import WriteLog, field_marks, mark
from holdfast.journal import log
from holdfast.sessions import hub_location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.project.paths import Project
    from holdfast.sessions.workspace import Workspace

_STILL = 0.1  # seconds without a change after which no save is assumed to be going on
_PATIENCE = 1.0  # seconds to wait at most for a save to end
_TRIES = 3


@dataclass(slots=True)
class Written:
    """What became of the hub: its path, what changed, and why it was not staged ("" if it was)."""

    path: str
    changed: bool = False
    archived: int = 0  # entries that went to the archive
    unstaged: str = ""


def write(
    workspace: "Workspace",
    act: "Callable[[Transaction], None]",
    *,
    request: Request | None = None,
    beside: "Callable[[], None] | None" = None,
    after: "Callable[[], None] | None" = None,
) -> Written:
    """Let `act` change the hub, then shorten its history; the caller holds the lock.

    `request` is the update that `act` carries out. `beside` changes the documents that go with the hub, just before
    the hub is written; `after` is called at the end. A process that is killed on the way leaves a line in the log of
    writes, and the next process completes it. HoldfastError when the hub must not be written, or changes each time
    before it can be written.
    """
    written = Written(hub_location.path_of(workspace.project))
    writes = WriteLog(workspace.project.store)
    _take_from_git(workspace.project, written.path)
    _keep_facts(workspace, writes, written.path)
    unfinished = writes.begun is not None and os.path.isfile(written.path)
    done: list[Transaction] = []
    left = b""
    other = carry.left_in_store(workspace.project, written.path)
    beside_it = hub_location.companion(written.path, hub_location.ARCHIVE)
    sources: list[str] = []  # whose text the hub repeats

    def make(there: bytes) -> bytes:
        nonlocal left
        data = carry.united(there, other, workspace.hub_format)
        if not there and os.path.lexists(written.path):
            raise _SavingError(
                f"{written.path} is empty: another program may be saving it. Delete it to begin a new one."
            )
        hub = Hub(data or NEW.encode(), workspace.hub_format)
        transaction = Transaction(hub, workspace.now, written.path, new=not data)
        if data and writes.left and not writes.is_left(data):
            _redo(workspace, transaction, writes)
        act(transaction)
        left, done[:] = transaction.done(), [transaction]
        sources[:] = [*filter(None, [other]), *([beside_it] if transaction.takes_from_archive else [])]
        if left == hub.data and data == there:
            return there
        writes.begin(request.given if request else None, transaction)
        if beside:
            beside()
        return left

    written.changed = _upserted(written.path, writes, make, sources)
    replaced = time.time() if written.changed else 0.0
    carry.done(other)
    amended = done[0].amends and store.update(beside_it, done[0].archive)
    if written.changed or unfinished or amended:
        left = _bounded(workspace, written, left, archived=unfinished or amended)
    for session, fact in done[0].facts:
        log.append(workspace.project.store, session, fact)
    if after:
        after()
    if os.path.isfile(written.path):
        writes.finish(left, staged=not written.unstaged, replaced=replaced)
    return written


def archive(workspace: "Workspace", most: int) -> int:
    """Move the oldest entries of the history to the archive until `most` are left; return how many."""
    path = hub_location.path_of(workspace.project)
    writes = WriteLog(workspace.project.store)
    _keep_facts(workspace, writes, path)
    moved, data = history.trim(path, Hub(files.read(path), workspace.hub_format), most)
    unstaged = _staged(workspace, path, archived=True) if moved or writes.begun else ""
    writes.finish(data, staged=not unstaged)
    return len(moved)


def _take_from_git(project: "Project", path: str) -> None:
    """Write the hub that a sparse checkout leaves out as git has it, so that its entries stay."""
    if os.path.lexists(path) or hub_location.outside_cone(hub_location.tree(project)) != path:
        return
    home = hub_location.tree(project)
    data = index.text(home.root, home.relative(path))
    if data:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        store.copy(path, data)


class _SavingError(HoldfastError):
    """The hub is empty because another program is saving it."""


def _keep_facts(workspace: "Workspace", writes: WriteLog, path: str) -> None:
    """Append to journals the facts of a write whose process was killed, where the hub has what the facts say.

    Without them, the text that this process wrote would count as a person's, which holdfast does not change.
    """
    facts = writes.facts
    if not facts or not os.path.isfile(path):
        return
    hub = Hub(files.read(path), workspace.hub_format)
    for session, fact in facts:
        with contextlib.suppress(HoldfastError):  # two entries have this id
            wrote, found = fact.get("wrote"), hub.entry(str(fact.get("agent") or session))
            if found and isinstance(wrote, dict) and found.entry.text("Status") == wrote.get("Status"):
                log.append(workspace.project.store, session, fact)


def _redo(workspace: "Workspace", transaction: Transaction, writes: WriteLog) -> None:
    """Repeat writes that were lost because an editor saved a copy of the hub that was read before them.

    An older hub that git wrote, by a checkout or a reset, is meant, and nothing is repeated.
    """
    path = transaction.path

    def mark_now(ident: str) -> str | None:
        try:
            found = transaction.find(ident)
        except HoldfastError:  # two entries have this id
            return None
        return mark(found.entry.data) if found else None if transaction.get(ident) else ""

    def fields_now(ident: str) -> dict[str, str]:
        found = transaction.find(ident)
        return field_marks(found.entry) if found else {}

    recent = writes.recent(os.stat(path).st_mtime)
    undone = old_copy.undone(recent, mark(transaction.hub.text), mark_now, fields_now)
    if not undone or is_from_git(path):
        return
    for line in undone:
        given = line.get("request")
        if isinstance(given, dict):
            transaction.now = number_of(line, "at")
            with contextlib.suppress(HoldfastError):  # its parent may be gone
                update.apply(transaction, Request(given))
        transaction.now = workspace.now
        for ident in dict.fromkeys(str(fact[0]) for fact in list_of(line, "facts")):
            if session := workspace.session(ident):
                projection.put(transaction, session, anew=frozenset([ident, *session.children]))


def _upserted(path: str, writes: WriteLog, make: "Callable[[bytes], bytes]", sources: list[str]) -> bool:
    """Replace the hub by what `make` returns for it, once no save is going on; return whether anything changed.

    `sources` has the other files whose text that repeats, after `make` was called.
    """
    for _ in range(_TRIES - 1):
        with contextlib.suppress(_SavingError):
            return _upserted_now(path, writes, make, sources)
    return _upserted_now(path, writes, make, sources)


def _upserted_now(path: str, writes: WriteLog, make: "Callable[[bytes], bytes]", sources: list[str]) -> bool:
    _wait(path, writes)
    try:
        return store.upsert(path, make, sources)
    except _SavingError:
        raise
    except HoldfastError as error:
        message = str(error) if path in str(error) else f"{path}: {error}"
        raise type(error)(message) from None


def _bounded(workspace: "Workspace", written: Written, left: bytes, *, archived: bool) -> bytes:
    """Shorten the history of a hub that was written with the bytes `left`, and stage the hub; return its new bytes.

    If another program saves the hub meanwhile, the bytes differ, and the next write compares the two.
    """
    most = workspace.settings.history_entries
    moved, left = history.trim(written.path, Hub(left, workspace.hub_format), most, slack=most // 5)
    written.archived = len(moved)
    written.unstaged = _staged(workspace, written.path, archived=bool(moved) or archived)
    return left


def _staged(workspace: "Workspace", path: str, *, archived: bool) -> str:
    """Stage the hub, and the archive beside it where that may have changed; return "" or why the hub could not be."""
    if not workspace.settings.stage:
        return ""
    beside = hub_location.companion(path, hub_location.ARCHIVE)
    if archived and os.path.lexists(beside):
        workspace.stage(beside, at_once=False)
    workspace.stage(path)
    return workspace.not_staged.get(path, "")


def _wait(path: str, writes: WriteLog) -> None:
    """Wait while another program saves the hub in place, which leaves it empty or incomplete for a moment."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            data, changed = files.read(path), os.stat(path).st_mtime
        except OSError:
            return
        if data and (writes.is_left(data) or abs(time.time() - changed) > _STILL):
            return
        time.sleep(_STILL / 5)
