"""Keeps sessions exchanged while some are live here: one process for a clone, which ends with the last of them.

Hooks only ask for an exchange (`status.ask`). What was asked for a moment after the last one is done when it is due,
and an edit in the middle of a long turn is seen in the journal, so that nothing waits for the next Stop.
"""

import os
import time

from holdfast.core.errors import HoldfastError
from holdfast.journal import live, log
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import status
from holdfast.sharing.exchange import exchange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.project.paths import Project

_TICK = 1.0  # seconds between two looks at the journals


def keep(project: "Project") -> None:
    """Exchange what is due until no session is live and nothing was asked for; at once where another process does."""
    while _is_needed(project.store):
        held = status.keeping(project.store)
        if held is None:
            return
        try:
            _go_on(project)
        finally:
            os.close(held)


def _is_needed(store: str) -> bool:
    return status.load(store) is not None and bool(live.running(store, os.getpid()) or status.requested(store))


def _go_on(project: "Project") -> None:
    store, seen, is_news = project.store, dict[str, str](), True
    active = fetched = 0.0  # when a session last did something here, and when a fetch was last tried
    while _is_needed(store):
        now, sharing = time.time(), status.load(store)
        if sharing is None:
            return
        journals, request = log.signatures(store, live.running(store)), status.requested(store)
        if journals != seen:
            seen, active, is_news = journals, now, True
        idle = not 0 <= now - active < status.IDLE
        sends, fetches = status.due(sharing, now, at_once=request == status.AT_ONCE, idle=idle)
        sends = sends and bool(is_news or request or now - sharing.sent >= status.SIGN_EVERY)
        fetches = fetches and not 0 <= now - fetched < status.FETCH_EVERY
        fetched = now if fetches else fetched
        if sends:
            status.take_request(store)
        if sends or fetches:
            is_news = not _exchanged(project, send=sends, fetch=fetches) or (is_news and not sends)
        pause(_TICK)


def _exchanged(project: "Project", *, send: bool, fetch: bool) -> bool:
    """Exchange; return whether no other process was at it."""
    try:
        exchange.run(Workspace(project), send=send, fetch=fetch, timeout=_TICK)
    except HoldfastError:
        return False
    return True


pause = time.sleep
