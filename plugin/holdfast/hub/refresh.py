"""Bring the hub up to date with the journals."""

import os
from collections.abc import Collection, Iterable

from holdfast.core import files
from holdfast.core.patterns import pattern
from holdfast.core.statuses import ACTIVE, COMPLETED, DROPPED, OVER, PAUSED
from holdfast.editing import store
from holdfast.hub import changes, projection, writing
from holdfast.hub.changes import Record
from holdfast.hub.document import Hub
from holdfast.hub.entry import Entry
from holdfast.hub.entry_values import same_ident
from holdfast.hub.transaction import Transaction
from holdfast.journal import log, payload
from holdfast.project.paths import Project
from holdfast.sessions import hub_location, status
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace

_CHOSEN = {ACTIVE, PAUSED, COMPLETED, DROPPED}  # what a person makes of work
_COPIED = 1 << 18  # bytes of a transcript; its copied lines come first
_NAMED = pattern(rb'"forkedFrom":\s*\{\s*"sessionId":\s*"([\w-]{8,128})"|"requestSessionId":\s*"([\w-]{8,128})"')


def keep(workspace: "Workspace", idents: "Collection[str]", others: "Iterable[str]") -> list[Entry]:
    """Bring the entries of these sessions up to date, and those of `others` whose status is not in the hub yet.

    Return the entries whose status is of another category now, whoever changed it. Nothing happens in a project that is
    not prepared.
    HoldfastError when the hub must not be written, or when the lock was not free in time.
    """
    project = workspace.project
    if not project.store or not hub_location.is_kept(project):
        return []
    known = {ident: workspace.session(ident) for ident in dict.fromkeys([*idents, *others])}
    sessions = {ident: session for ident, session in known.items() if session}
    hub = files.read_or_none(hub_location.path_of(project)) or b""
    requested = [
        ident
        for ident, session in sessions.items()
        if ident in idents or status.due(session) or projection.names_lost(session, hub)
    ]
    named = [ident for ident in requested if sessions[ident].listed or ident.encode() in hub]
    if not (named or (hub and _is_changed(project, hub))):
        return []
    with store.writing(project):  # the journals are read again under the lock
        return _write(workspace, named)


def _is_changed(project: "Project", hub: bytes) -> bool:
    """Return whether the hub is not as holdfast left it, or was not staged when it was written."""
    record = Record(project.store)
    return record.is_open or not record.is_left(hub)


def _write(workspace: "Workspace", idents: list[str]) -> list[Entry]:
    """Write the entries that follow from the journals of these sessions; return those with another status now."""

    def act(transaction: Transaction) -> list[Entry]:
        changed = not Record(workspace.project.store).is_left(transaction.hub.data)
        by_hand = _turned_by_hand(workspace, transaction) if changed else []
        for session in _with_parents(workspace, transaction.hub, [*idents, *(entry.ident for entry in by_hand)]):
            projection.put(transaction, session)
        if changed:
            _complete_children(transaction)
        return [*transaction.turned, *by_hand]

    return writing.write(workspace, act).result


def _turned_by_hand(workspace: "Workspace", transaction: Transaction) -> list[Entry]:
    """Return the entries of sessions here whose status a person changed in the hub, and journal it.

    What is over goes to the history.
    """
    entries: list[tuple[Entry, Session]] = []
    for placed in transaction.hub.entries():
        if placed.entry.category not in _CHOSEN or (placed.history and placed.entry.category in OVER):
            continue
        session = workspace.session(placed.entry.ident)
        entry = transaction.get(session.id) if session else None
        wrote = status.wrote(session, "", "Status") if session else ""
        if session and entry and wrote not in {"", entry.text("Status")} and entry.category != session.status:
            entries.append((entry, session))
    if entries and transaction.removed_by == "git":
        return []
    for entry, session in entries:
        changes.put(transaction, entry.ident, entry, moving=True)
        log.choose(workspace.project.store, session.id, entry.category, "the hub says so", session.state)
    return [entry for entry, _ in entries]


def _complete_children(transaction: Transaction) -> None:
    """Complete with their children, in the history, the entries that somebody marked as completed in the hub."""
    for placed in transaction.hub.entries():
        if placed.history or placed.entry.category != COMPLETED or not placed.entry.ident:
            continue
        if any(child.category not in OVER for child in changes.children(transaction, placed.entry.ident)):
            changes.complete(transaction, placed.entry.ident)


def _with_parents(workspace: "Workspace", hub: Hub, idents: list[str]) -> "list[Session]":
    """Return those of the sessions that did something or have an entry, each after its parent."""
    sessions: dict[str, Session] = {}
    for ident in idents:
        session = workspace.session(ident)
        if session is None or not (session.listed or _has_entry(hub, ident)):
            continue
        session = session.replace(origin=session.origin or _traced(workspace.project, session))
        parent = workspace.session(session.parent) if session.parent else None
        for each in (parent, session):
            if each:
                sessions.setdefault(each.id, each)
    return list(sessions.values())


def _has_entry(hub: Hub, ident: str) -> bool:
    return any(same_ident(placed.entry.ident, ident) for placed in hub.naming(ident))


def _traced(project: "Project", session: "Session") -> str:
    """Return the session whose conversation a fork continues, and journal it."""
    origin = origin_of(session)
    if origin:
        log.append(project.store, session.id, {"kind": "origin", "session": origin})
    return origin


def origin_of(session: "Session") -> str:
    """Return the id of the session that a fork copied its beginning from, as its transcript says; "" if it does not."""
    if not session.process.forked or session.origin or not session.transcript:
        return ""
    try:
        handle = os.open(session.transcript, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        head = os.pread(handle, _COPIED, 0)
    except OSError:  # a folder, or a pipe
        return ""
    finally:
        os.close(handle)
    origins = (os.fsdecode(each[1] or each[2]) for each in _NAMED.finditer(head))
    return next((ident for ident in origins if ident != session.id and payload.is_session(ident)), "")
