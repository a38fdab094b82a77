"""Makes messages of what the journals say, and posts them: at least once, in order for each session and webhook.

    journals -- events --> outbox -- POST, one at a time --> receiver
                             '-- failed: again after 5 s, 10 s, 20 s ... an hour, each a little later by chance --'

A message that did not arrive within a day is given up, and doctor names it. One process at a time does this for a
project. It waits for tries that are due within some minutes; later ones are left to the next process, which the next
event or command starts.
"""

import contextlib
import os
import random
import re
import time
from collections.abc import Sequence

from holdfast.core import files, lock
from holdfast.core.errors import HoldfastError
from holdfast.journal import log
from holdfast.project import user_settings
from holdfast.project.paths import Project
from holdfast.sessions import survey
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.webhooks import endpoint, events, outbox
from holdfast.webhooks.endpoint import Endpoint
from holdfast.webhooks.outbox import Draft, Message, Outbox

Told = tuple[str, str, events.Event]  # the session, a mark of the event that is unique in it, and the event

_OLDEST = 86_400.0  # seconds: of what is older no message is made
_TRIES = 86_400.0  # seconds from the first try to the last one
_LOCK = "outbox.lock"
_FIRST_WAIT, _LONGEST_WAIT = 5.0, 3600.0  # seconds between tries
_DOUBLED = 10  # times that a wait is doubled at most: then it is the longest
_JITTER = 0.5  # of a wait is added at most, by chance, so that many senders do not come back together
_STAYS = 300.0  # seconds that a process waits for tries which are due


def run(project: "Project") -> None:
    """Collect and post until nothing is due soon; HoldfastError for settings or an outbox that cannot be used."""
    if not user_settings.tells(os.environ):
        return
    stops = endpoint.now() + _STAYS
    while True:
        with lock.sole(f"{project.store}/{_LOCK}") as alone:
            if not alone:  # the process that has it looks again after it has let go
                return
            due = _round(project, stops)
        if not _has_news(project) and (due is None or max(due, endpoint.now()) > stops):
            return
        time.sleep(max(0.0, min((due or 0.0) - endpoint.now(), stops - endpoint.now(), 5.0)))


def once(project: "Project") -> bool:
    """Collect and post what is due now, and wait for nothing; False if another process does this now."""
    with lock.sole(f"{project.store}/{_LOCK}") as alone:
        if alone:
            _round(project, endpoint.now() + _STAYS)
    return alone


def _round(project: "Project", stops: float) -> float | None:
    """Collect, and post what is due; return when the next try is due, None when nothing waits."""
    endpoints, kind = endpoint.configured(os.environ), events.is_notice_configured(os.environ)
    intact = outbox.intact(project.store)
    with contextlib.closing(outbox.Outbox(project.store)) as box:
        _show(project, kind, collect(project, box, endpoints, again=not intact))
        return deliver(box, {one.name: one for one in endpoints}, stops)


def collect(project: "Project", box: "Outbox", endpoints: "Sequence[Endpoint]", *, again: bool = False) -> "list[Told]":
    """Make messages of what happened since the last time, and return that; of what is older than a day none is made.

    `again` says that the outbox before was lost.
    """
    now, seen = endpoint.now(), box.seen()
    configured = 0.0 if seen or again else _configured_at()  # an outbox that is new tells nothing of what was before
    oldest = max(now - _OLDEST, configured)
    news: list[Told] = []
    read: list[tuple[str, str, int]] = []
    for session, signature in log.signatures(project.store).items():
        before, count = seen.get(session, ("", 0))
        if signature == before:
            continue
        facts = log.read(project.store, session) if _changed_at(project, session) >= oldest else []
        fresh = events.of_facts(facts, min(count, len(facts)))  # a journal that shrank has nothing new
        news += [(session, str(number), event) for number, event in fresh if event.at >= oldest]
        read.append((session, signature, len(facts)))
    if not read:
        return []
    workspace = Workspace(project, now)
    noticed = _noticed(workspace, box.noticed())
    told = [*news, *((session, mark, event) for session, mark, event in noticed if event.at >= configured)]
    drafts = [draft for session, mark, event in told for draft in _drafts(workspace, session, mark, event, endpoints)]
    box.add(drafts, now, seen=read, noticed=[f"{session} {mark}" for session, mark, _ in noticed])
    return told


def _show(project: "Project", kind: str, told: "list[Told]") -> None:
    """Show the user, in the terminal of each session, what is new and wanted."""
    if kind == events.OFF:
        return
    workspace = Workspace(project, endpoint.now())
    for ident, _, event in told:
        if session := workspace.session(ident):
            events.show_notice(kind, session, event, workspace.now)


def deliver(box: "Outbox", endpoints: "dict[str, Endpoint]", stops: float) -> float | None:
    """Post what is due until `stops`; return when the next try is due, None when nothing waits."""
    while True:
        heads = box.heads()
        due = [message for message in heads if message.due <= endpoint.now()]
        if not due or endpoint.now() > stops:
            return min((message.due for message in heads), default=None)
        down: dict[str, endpoint.Answer] = {}  # one try tells about all sessions of a webhook that does not answer
        for message in due:
            target = endpoints.get(message.endpoint)
            if target is None:  # it was removed from the settings by hand
                box.drop(message.endpoint)
                continue
            answer = down.get(message.endpoint) or send(message.id, message.body, target)
            if not answer.status:
                down[message.endpoint] = answer
            _note(box, message, answer)


def send(message_id: str, body: str, target: "Endpoint") -> endpoint.Answer:
    """Post a body to a webhook now; return what became of it."""
    try:
        url, secret = endpoint.resolved(target, os.environ)
        at = endpoint.now()
        headers = endpoint.signature(secret, message_id, at, body) if secret else endpoint.stamps(message_id, at)
    except HoldfastError as error:
        return endpoint.Answer(0, str(error).removesuffix("."))
    return endpoint.post(url, body, {"Content-Type": events.content_type(target.template), **headers}, target.allow)


def data_of(project: "Project", session: "Session | None", ident: str) -> dict[str, str]:
    """Return what each event tells of its session."""
    about = {"project": os.path.basename(project.target.root), "session": ident}
    if session is None:
        return about
    return {
        **about,
        "title": session.title,
        "client": session.client or "claude-code",
        "branch": session.branch,
        "state_file": session.state_name if session.state else "",
    }


def _note(box: "Outbox", message: "Message", answer: endpoint.Answer) -> None:
    """Note what became of a message."""
    if not answer.problem:
        box.arrived(message)
        return
    wait = max(answer.wait, min(_FIRST_WAIT * 2 ** min(message.tries, _DOUBLED), _LONGEST_WAIT))
    due = endpoint.now() + wait * (1 + _JITTER * random.random())  # noqa: S311 - no secret
    # Standard Webhooks: a receiver that answers 410 wants nothing more.
    box.failed(message, answer.problem, due, final=answer.status == endpoint.GONE or due > message.made + _TRIES)


def _drafts(
    workspace: Workspace, session: str, mark: str, event: events.Event, endpoints: "Sequence[Endpoint]"
) -> "list[Draft]":
    """Return an event as a message to each webhook that wants it."""
    wanted = [one for one in endpoints if event.name in one.events]
    if not wanted:
        return []
    about = data_of(workspace.project, workspace.session(session), session)
    whole = events.Event(event.name, event.at, {**about, **event.data})
    return [
        outbox.Draft(
            re.sub(r"[^\w-]", "_", f"msg_{session}_{mark}_{one.name}"),
            one.name,
            session,
            event.name,
            events.compose(whole, one.template),
            event.at,
        )
        for one in wanted
    ]


def _noticed(workspace: Workspace, before: "set[str]") -> "list[Told]":
    """Return the sessions that crashed or are stale and were not so before, each with a mark until it goes on."""
    stale_after = workspace.settings.stale_hours * 3600
    noticed: list[Told] = []
    for session in survey.survey(workspace).sessions:
        if not session.journaled:
            continue
        if session.crashed:
            crash = events.Event(events.CRASHED, session.last_active)
            noticed.append((session.id, f"crashed-{session.process.identity}", crash))
        if session.stale:
            at = session.last_active + stale_after
            noticed.append((session.id, f"stale-{session.settling.last}", events.Event(events.STALE, at)))
    return [told for told in noticed if f"{told[0]} {told[1]}" not in before]


def _has_news(project: "Project") -> bool:
    """Whether a journal changed since the last look at it."""
    with contextlib.closing(outbox.Outbox(project.store)) as box:
        seen = box.seen()
    return any(
        seen.get(session, ("", 0))[0] != signature for session, signature in log.signatures(project.store).items()
    )


def _changed_at(project: "Project", session: str) -> float:
    return files.modified_at(log.path_of(project.store, session))


def _configured_at() -> float:
    """Return when the user's settings were changed last: nothing older is posted."""
    return files.modified_at(user_settings.path(os.environ))
