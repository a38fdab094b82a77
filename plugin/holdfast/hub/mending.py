"""What `holdfast validate --fix` puts right in a hub: all that needs nobody's meaning."""

import contextlib

from holdfast import clock
from holdfast.errors import HoldfastError
from holdfast.hub import changes, keeping, standing
from holdfast.hub.draft import Draft
from holdfast.hub.entry import TIME
from holdfast.hub.register import Found
from holdfast.hub.validation import TIMES, Validation, exact, same


def mend(hub: Validation, draft: Draft) -> None:
    """Put right in a draft what needs nobody's meaning.

    Those are times, places, missing halves of links, entries that stand there twice, what the journals tell. What
    touches an id that stands twice is left: where the two are the same, the next time mends it.
    """
    _mend_twice(hub, draft)
    alone = [found for ident, found in hub.by_id.items() if ident not in hub.twice]
    for found in alone:
        _mend_times(draft, found)
    for found in alone:
        _mend_place(hub, draft, found)
    for found in alone:
        _mend_links(hub, draft, found)
    for session in hub.sessions.values():
        idents = {session.id, session.parent, *session.children}
        if session.listed and (session.live or standing.due(session)) and not idents & hub.twice:
            keeping.put(draft, session)


def _mend_twice(hub: Validation, draft: Draft) -> None:
    """Drop the later ones of entries that are the same."""
    end = 0
    for found in hub.entries:
        first = hub.by_id.get(found.entry.ident, found)
        if first is not found and found.start >= end and same(first, found):
            draft.drop(found)
            end = found.end


def _mend_place(hub: Validation, draft: Draft, found: Found) -> None:
    """Move an entry out of the history that is not over."""
    for _ in hub.misplaced(found):
        changes.put(draft, found.entry.ident, draft.get(found.entry.ident) or found.entry, moving=True)


def _mend_times(draft: Draft, found: Found) -> None:
    """Write exact times in the documented form."""
    entry = found.entry
    for field in TIMES:
        said = entry.text(field)
        if exact(said):
            entry = entry.setting(field, clock.write(clock.read(said), TIME))
    if entry is not found.entry:
        draft.put(entry.ident, entry, history=found.history)


def _mend_links(hub: Validation, draft: Draft, found: Found) -> None:
    """Write the half of a link that is missing."""
    own = found.entry.ident
    for parent in found.entry.links("Parent"):
        if hub.named(parent.ident):
            _link(hub, draft, own, _known(hub, parent.ident))
    for child in found.entry.links("Children"):
        below = hub.named(child.ident)
        if below and not below.entry.links("Parent"):
            _link(hub, draft, below.entry.ident, own)


def _link(hub: Validation, draft: Draft, ident: str, parent: str) -> None:
    """Link two entries, each of which stands there once; not where that would close a circle."""
    if not {ident, parent} & hub.twice:
        with contextlib.suppress(HoldfastError):
            changes.link(draft, ident, parent)


def _known(hub: Validation, ident: str) -> str:
    """Return an id as the hub has it in full."""
    found = hub.named(ident)
    return found.entry.ident if found else ident
