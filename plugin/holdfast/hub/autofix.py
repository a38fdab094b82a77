"""What `holdfast validate --fix` fixes in a hub: all that can be fixed mechanically."""

import contextlib

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.hub import changes, projection
from holdfast.hub.document import Found, same
from holdfast.hub.entry import TIME, TO_THE_SECOND, exact
from holdfast.hub.transaction import Transaction
from holdfast.hub.validation import TIMES, Validation
from holdfast.sessions import status


def fix(hub: Validation, transaction: Transaction) -> None:
    """Fix times, places, missing halves of links and repeated entries, and follow the journals.

    Entries whose id appears twice are left alone; if the two are the same, the next round fixes them. `Last Updated` is
    the time of the last work, so a fix does not change it.
    """
    transaction.stamps = False
    _fix_twice(hub, transaction)
    alone = [found for ident, found in hub.by_id.items() if ident not in hub.twice]
    for found in alone:
        _fix_times(transaction, found)
    for found in alone:
        _fix_place(hub, transaction, found)
    for found in alone:
        _fix_links(hub, transaction, found)
    for session in hub.sessions.values():
        idents = {session.id, session.parent, *session.children}
        transaction.stamps = True
        if session.listed and (session.live or status.due(session)) and not idents & hub.twice:
            projection.put(transaction, session)


def _fix_twice(hub: Validation, transaction: Transaction) -> None:
    """Remove repeated entries; the first one stays."""
    end = 0
    for found in hub.entries:
        first = hub.by_id.get(found.entry.ident, found)
        if first is not found and found.start >= end and same(first, found):
            transaction.drop(found)
            end = found.end


def _fix_place(hub: Validation, transaction: Transaction, found: Found) -> None:
    """Move an entry into the history if it is completed, else out of it."""
    for _ in hub.misplaced(found):
        changes.put(transaction, found.entry.ident, transaction.get(found.entry.ident) or found.entry, moving=True)


def _fix_times(transaction: Transaction, found: Found) -> None:
    """Write exact times in the documented form."""
    entry = found.entry
    for field in TIMES:
        time = entry.text(field)
        if exact(time):
            seconds = clock.read(time)
            entry = entry.setting(field, clock.write(seconds, TO_THE_SECOND if seconds % 60 else TIME))
    if entry is not found.entry:
        transaction.put(entry.ident, entry, history=found.history)


def _fix_links(hub: Validation, transaction: Transaction, found: Found) -> None:
    """Write the missing half of a link."""
    own = found.entry.ident
    for parent in hub.hub.parents(found.entry):
        if hub.named(parent.ident):
            _link(hub, transaction, own, _known(hub, parent.ident))
    for child in found.entry.links("Children"):
        below = hub.named(child.ident)
        if below and not below.entry.links("Parent"):
            _link(hub, transaction, below.entry.ident, own)


def _link(hub: Validation, transaction: Transaction, ident: str, parent: str) -> None:
    """Link two entries whose ids occur once, unless that closes a cycle."""
    if not {ident, parent} & hub.twice:
        with contextlib.suppress(HoldfastError):
            changes.link(transaction, ident, parent)


def _known(hub: Validation, ident: str) -> str:
    """Return an id as the hub has it in full."""
    found = hub.named(ident)
    return found.entry.ident if found else ident
