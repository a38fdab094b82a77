"""The updater workflow (formats/genie-session-state-updater.md): carry out one request in the hub, and journal it."""

import hashlib

from holdfast.core import clock, fast_json, files
from holdfast.core.fast_json import number_of, table_of
from holdfast.hub import changes, links, update_context
from holdfast.hub.companions import Activity
from holdfast.hub.document import ACTIVE
from holdfast.hub.entry import TIME, Entry, child_heading
from holdfast.hub.record import Record
from holdfast.hub.request import RefusedError, Request
from holdfast.hub.transaction import Transaction
from holdfast.journal import log
from holdfast.journal.payload import is_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.hub.record import Update


def apply(transaction: Transaction, request: Request) -> None:
    """Carry out a request in the hub; HoldfastError when that is not possible."""
    transaction.hub.holder(ACTIVE)  # raises an error if the hub has two of these sections
    known = transaction.get(request.session)
    ident = request.session if known is None or changes.is_starting(known) else known.ident
    new = known is None
    if known:
        known = changes.whole(known, ident)
    else:
        known = changes.placeholder(transaction, ident, request.agent, request.purpose)
    entry = _going_on(known, request) if known else _new(transaction, request)
    changes.put(transaction, ident, entry, always=bool(known) and request.action == "in_progress")
    if new:
        changes.adopt(transaction, ident)
    if request.parent:
        changes.link(transaction, ident, _known(transaction, request.parent))
    if request.action == "completed":
        changes.complete(transaction, ident)
    elif request.status == "active" and known and known.category in {"paused", "waiting"}:
        changes.resume(transaction, ident)


def fact(request: Request, at: float, text: str) -> "dict[str, object]":
    """Return the fact that a request was made at a time; `text` is the status that the entry has by it."""
    return {"at": at, "kind": "update", "status": request.status, "text": text, "request": request.given}


def journal(store: str, ident: str, made: "Mapping[str, object]") -> None:
    """Append an update to the journal of its session, whole, as its context may be longer than other facts are."""
    files.append_line(log.path_of(store, _journal_of(ident)), fast_json.dumps(made).encode())


def recorded(store: str, update: "Update") -> Request | None:
    """Return the request of an update in the journal of its session, None where that is gone."""
    ident, at = update
    for made in reversed(log.read(store, _journal_of(ident))):
        if made["kind"] == "update" and number_of(made, "at") == at:
            return Request({key: str(value) for key, value in table_of(made, "request").items()})
    return None


def defer(store: str, request: Request, at: float) -> None:
    """Journal a request that the hub cannot take now, once if it is made again; the next write carries it out."""
    record = Record(store)
    waiting = [recorded(store, one) for one in record.waiting]
    if all(one is None or one.given != request.given for one in waiting):
        record.wait((request.session, at))
        journal(store, request.session, fact(request, at, request.status))


def repeat(transaction: Transaction, store: str, update: "Update") -> None:
    """Carry out an update once more, at its own time, after an older copy of the hub took it back."""
    request, now = recorded(store, update), transaction.now
    if request is None:
        return
    transaction.now = update[1]
    try:
        apply(transaction, request)
    finally:
        transaction.now = now
    transaction.repeated.append(update)


def _journal_of(ident: str) -> str:
    """Return the name of a session's journal; an id that no client gives, such as one with dots, has one of its own."""
    return ident if is_session(ident) else f"id-{hashlib.sha256(ident.encode()).hexdigest()[:32]}"


def _known(transaction: Transaction, ident: str) -> str:
    """Return an id as its entry has it, which may be shortened."""
    entry = transaction.get(ident)
    return entry.ident if entry else ident


def _new(transaction: Transaction, request: Request) -> Entry:
    """Return the entry of a session that the hub does not know yet."""
    if request.session.endswith(links.CUTS):
        raise RefusedError(f"session_id {request.session!r} is shortened, and no entry has it. Give the whole id.")
    if not request.agent:
        raise RefusedError(
            f"no entry has the session id {request.session!r}, and agent is missing. Add agent=NAME, such as claude"
        )
    name = _name(request.agent)
    fields = [
        ("Started", clock.write(transaction.now, TIME)),
        ("Status", request.status),
        ("Agent", request.agent),
        ("Branch", request.branch),
        ("Purpose", request.purpose or changes.OPEN),
        ("Next", changes.OPEN),
    ]
    heading = f"{name} - {request.purpose}" if request.purpose else name
    above = transaction.get(request.parent) if request.parent else None
    heading = child_heading(heading, above.name) if above else heading
    return changes.begin(transaction, request.session, heading, fields).telling(update_context.parse(request.context))


def _name(agent: str) -> str:
    """Return the name of an agent in a heading."""
    return agent.replace("_", " ").capitalize()


def _going_on(entry: Entry, request: Request) -> Entry:
    """Return the entry of a known session with the values of the request; other fields stay."""
    other = entry.category != entry.file_format.category(request.status)
    if other or changes.is_starting(entry):
        entry = changes.turned(entry, request.status)
    name = _name(entry.text("Agent"))
    if request.purpose and entry.open("Purpose") and entry.title == name:
        entry = entry.titled(f"{name} - {request.purpose}")
    for field, value in (("Agent", request.agent), ("Branch", request.branch), ("Purpose", request.purpose)):
        entry = entry.setting(field, value) if value else entry
    return entry.telling(update_context.parse(request.context))


def done(transaction: Transaction, request: Request) -> tuple[list[Activity], str]:
    """Return the activities for the documents beside the hub after a request was carried out, and the session's agent.

    The session itself comes first, then the children that were completed with it.
    """
    ident = _known(transaction, request.session)
    entry = transaction.get(ident)
    title, agent = (entry.title, entry.text("Agent")) if entry else (request.session, request.agent)
    time = clock.write(transaction.now, TIME)
    activities = [Activity(request.session, title, request.status, time)]
    for change in transaction.changes() if request.action == "completed" else ():
        after = Entry(change.after, transaction.hub.form)
        if change.ident != ident and after.category == "completed":
            activities.append(Activity(after.ident, after.title, "completed", time))
    return activities, agent
