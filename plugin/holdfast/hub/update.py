"""The updater workflow (formats/genie-session-state-updater.md): one request, made true in the hub and beside it."""

from holdfast import clock
from holdfast.errors import HoldfastError
from holdfast.hub import changes, context
from holdfast.hub.draft import Draft
from holdfast.hub.entry import TIME, Entry
from holdfast.hub.register import ACTIVE
from holdfast.hub.request import Request
from holdfast.hub.siblings import Activity


def apply(draft: Draft, request: Request) -> None:
    """Make a request true in a draft of the hub; HoldfastError when it cannot be."""
    draft.hub.holder(ACTIVE)  # refuses a hub in which it stands twice
    ident = _known(draft, request.session)
    known = draft.get(ident)
    entry = _going_on(known, request) if known else _new(draft, request)
    changes.put(draft, ident, entry, always=bool(known) and request.action == "in_progress")
    if request.parent:
        changes.link(draft, ident, _known(draft, request.parent))
    if request.action == "completed":
        changes.complete(draft, ident)


def _known(draft: Draft, ident: str) -> str:
    """Return an id as its entry has it, where it may have been cut to its beginning."""
    entry = draft.get(ident)
    return entry.ident if entry else ident


def _new(draft: Draft, request: Request) -> Entry:
    """Return the entry of a session that the hub does not know yet."""
    if not request.agent:
        raise HoldfastError(f"no entry has the session id {request.session!r}, and agent is missing. Give agent=NAME")
    name = _name(request.agent)
    fields = [
        ("Started", clock.write(draft.now, TIME)),
        ("Status", request.status),
        ("Agent", request.agent),
        ("Branch", request.branch),
        ("Purpose", request.purpose or changes.OPEN),
        ("Next", changes.OPEN),
    ]
    heading = f"{name} - {request.purpose}" if request.purpose else name
    return changes.begin(draft, request.session, heading, fields).telling(context.parse(request.context))


def _name(agent: str) -> str:
    """Return how an agent is called in a heading."""
    return agent.replace("_", " ").capitalize()


def _going_on(known: Entry, request: Request) -> Entry:
    """Return the entry of a known session with what the request says of it; what it does not say stays."""
    if known.dialect.standing(known.text("Status")) != known.dialect.standing(request.status):
        known = changes.turned(known, request.status)
    name = _name(known.text("Agent"))
    if request.purpose and known.open("Purpose") and known.title == name:
        known = known.titled(f"{name} - {request.purpose}")
    for field, value in (("Agent", request.agent), ("Branch", request.branch), ("Purpose", request.purpose)):
        known = known.setting(field, value) if value else known
    return known.telling(context.parse(request.context))


def done(draft: Draft, request: Request) -> tuple[list[Activity], str]:
    """Return what the documents beside the hub are told of a request that was made true, and the session's agent.

    First of the session itself, then of the children that were completed with it.
    """
    ident = _known(draft, request.session)
    entry = draft.get(ident)
    title, agent = (entry.title, entry.text("Agent")) if entry else (request.session, request.agent)
    time = clock.write(draft.now, TIME)
    told = [Activity(request.session, title, request.status, time)]
    for change in draft.changes() if request.action == "completed" else ():
        after = Entry(change.after, draft.hub.form)
        if change.ident != ident and after.standing == "completed":
            told.append(Activity(after.ident, after.title, "completed", time))
    return told, agent
