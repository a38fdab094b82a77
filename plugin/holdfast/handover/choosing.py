"""Which paused work is meant: by an id, by the session that asks, or because there is no other."""

import os

from holdfast import lookup, sessions, text
from holdfast.errors import HoldfastError
from holdfast.handover.handed import Handed
from holdfast.handover.paused import DIALECT
from holdfast.lookup import Hit
from holdfast.paths import Place
from holdfast.session import Session
from holdfast.sessions import Survey

_SHOWN = 8


class Choice:
    """What is to be continued: its hand-overs, and its state file, None where nobody knows it."""

    __slots__ = ("handed", "hit")

    def __init__(self, handed: list[Handed], hit: Hit | None) -> None:
        self.handed = handed
        self.hit = hit


def choose(place: Place, there: list[Handed], survey: Survey, ident: str, own: str) -> Choice:
    """Return what is meant by an id, or without one what is the own session's, else the only one that waits.

    Empty where nothing waits; HoldfastError names the candidates where it could be several.
    """
    one = _called(there, ident) if ident else _obvious(there, survey, own)
    if one is None and ident:
        hit = lookup.find(place, survey.sessions, ident)
        one = next((other for other in there if other.path == hit.path or other.is_of(hit.path, hit.entry)), None)
        if one is None:
            return Choice([], hit)
    if one is None:
        return Choice([], None)
    return Choice([one, *_twins(there, one)], _hit(survey, one))


def to_pause(place: Place, survey: Survey, ident: str, own: str) -> Hit:
    """Return the state file that is to be paused; a hand-over, which is paused already, only by its own name.

    Where nothing is active any more it is the only one that is paused, to which something may be added.
    """
    if not ident:
        return _at_work(place, survey, own)
    hit = lookup.find(place, survey.sessions, ident)
    itself = os.path.basename(ident) == os.path.basename(hit.path)
    if _hands_over(hit.session) and not itself:
        raise HoldfastError(
            f"{ident!r} leads to the hand-over {hit.session.state_name}, which stays as it is. "
            f"If that is meant, name it: holdfast pause {hit.session.state_name}"
        )
    return hit


def _at_work(place: Place, survey: Survey, own: str) -> Hit:
    """Return the state file of the own session, else the only active one, else the only one that is paused."""
    able = [one for one in survey.sessions if not _hands_over(one)]
    waiting = paused(survey)
    mine = sessions.find(able, own) if own else None
    busy = any(one.active and one.state and not one.shared for one in able) or (mine and mine.state)
    return Hit(waiting[0]) if len(waiting) == 1 and not busy else lookup.find(place, able, "", own)


def _hands_over(session: Session) -> bool:
    """Whether a session's state file is a hand-over."""
    return session.digest.get("dialect") == DIALECT


def paused(survey: Survey) -> list[Session]:
    """Return the sessions whose own state file is paused."""
    able = [one for one in survey.sessions if one.state and not one.shared and not _hands_over(one)]
    return list({one.state: one for one in able if one.standing == "paused"}.values())


def _called(there: list[Handed], ident: str) -> Handed | None:
    """Return the hand-over that goes by this name, None where none or several do."""
    found = [one for one in there if ident in {one.name, one.session, one.entry}]
    return found[0] if len(found) == 1 or (found and all(_same(one, found[0]) for one in found)) else None


def _obvious(there: list[Handed], survey: Survey, own: str) -> Handed | None:
    """Return the hand-over that is meant when none is named."""
    mine = sessions.find(survey.sessions, own) if own else None
    state = mine.state if mine else ""
    groups = (
        [one for one in there if one.own and own and (one.session == own or one.is_of(state, ""))],
        [one for one in there if one.own],
        there,
    )
    found = next((group for group in groups if group), [])
    if not all(_same(one, found[0]) for one in found):
        known = ", ".join(f'{one.name} "{text.line(one.title, 60)}"' for one in found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise HoldfastError(f"several hand-overs wait here: {known}{more}. Name one: holdfast continue {found[0].name}")
    return found[0] if found else None


def _same(one: Handed, other: Handed) -> bool:
    """Whether two hand-overs are of the same state file and entry, or one and the same."""
    return one.path == other.path or (one.own and other.own and one.whose() == other.whose())


def _twins(there: list[Handed], one: Handed) -> list[Handed]:
    """Return the other hand-overs of the same state file: one that somebody edited, and what came after it."""
    return [other for other in there if other is not one and _same(one, other)]


def _hit(survey: Survey, one: Handed) -> Hit | None:
    """Return the state file that a hand-over belongs to, None when it is not known here."""
    able = [other for other in survey.sessions if other.state and not _hands_over(other)]
    found = [session for session in able if one.is_of(session.state, one.entry)]
    found.sort(key=lambda session: session.id != one.session)
    session = next((session for session in found if not one.entry or one.entry in _entries(session)), None)
    return Hit(session, one.entry) if session else None


def _entries(session: Session) -> list[object]:
    """Return the ids of the entries of a register."""
    entries = session.digest.get("entries")
    return [entry["id"] for entry in entries] if isinstance(entries, list) else []
