"""Decide which paused work is meant: by id, by the asking session, or because there is only one."""

import os

from holdfast.context.handover.document import Handover
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import rows_of, text_of
from holdfast.project.paths import Project
from holdfast.sessions import lookup
from holdfast.sessions import survey as sessions
from holdfast.sessions.candidates import Hit
from holdfast.sessions.paused_work import FORMAT
from holdfast.sessions.session import Session
from holdfast.sessions.survey import Survey
from holdfast.trust import safe

_SHOWN = 8


class Choice:
    """What is to be continued: its hand-overs, and its state file, None if it is not known here."""

    def __init__(self, handed: list[Handover], hit: Hit | None) -> None:
        self.handed = handed
        self.hit = hit


def choose(project: Project, handovers: list[Handover], survey: Survey, ident: str, own: str) -> Choice:
    """Return what an id means; without an id the own session's work, else the only one that waits.

    The choice is empty if nothing waits. HoldfastError names the candidates if several are possible.
    """
    one = _called(handovers, ident) if ident else _obvious(handovers, survey, own)
    if one is None and ident:
        hit = lookup.find(project, survey.sessions, ident, own)
        one = next((other for other in handovers if other.path == hit.path or other.is_of(hit.place, hit.entry)), None)
        if one is None:
            return Choice([], hit)
    if one is None:
        return Choice([], None)
    return Choice([one, *_twins(handovers, one)], _hit(survey, one))


def to_pause(project: Project, survey: Survey, ident: str, own: str) -> Hit:
    """Return the state file that is to be paused; a hand-over only if it is named itself.

    If no work is active, the only paused one is meant, to which something may be added.
    """
    if not ident:
        return _at_work(project, survey, own)
    hit = lookup.find(project, survey.sessions, ident, own)
    itself = os.path.basename(ident) == os.path.basename(hit.path)
    if _hands_over(hit.session) and not itself:
        raise HoldfastError(
            f"{ident!r} leads to the hand-over {hit.session.state_name}, which stays as it is. "
            f"If that is meant, name it: holdfast pause {hit.session.state_name}"
        )
    return hit


def _at_work(project: Project, survey: Survey, own: str) -> Hit:
    """Return the state file of the own session, else the only active one, else the only paused one."""
    able = [one for one in survey.sessions if not _hands_over(one)]
    waiting = paused(survey)
    mine = sessions.find(able, own) if own else None
    busy = any(one.active and one.state and not one.shared for one in able) or (mine and mine.state)
    return Hit(waiting[0]) if len(waiting) == 1 and not busy else lookup.find(project, able, "", own, recent=True)


def _hands_over(session: Session) -> bool:
    """Return whether a session's state file is a hand-over."""
    return text_of(session.summary, "format") == FORMAT


def paused(survey: Survey) -> list[Session]:
    """Return the sessions with a paused state file of their own."""
    able = [one for one in survey.sessions if (one.state or one.away) and not one.shared and not _hands_over(one)]
    return list({one.claimed or one.state: one for one in able if one.status == "paused"}.values())


def _called(there: list[Handover], ident: str) -> Handover | None:
    """Return the hand-over with this name, None if there is none or several."""
    handovers = [one for one in there if ident in {one.name, one.session, one.entry}]
    return (
        handovers[0]
        if len(handovers) == 1 or (handovers and all(_same(one, handovers[0]) for one in handovers))
        else None
    )


def _obvious(there: list[Handover], survey: Survey, own: str) -> Handover | None:
    """Return the hand-over that is meant if none is named."""
    mine = sessions.find(survey.sessions, own) if own else None
    state = mine.state if mine else ""
    groups = (
        [one for one in there if one.own and own and (one.session == own or one.is_of(state, ""))],
        [one for one in there if one.own],
        there,
    )
    handovers = next((group for group in groups if group), [])
    handovers = [one for one in handovers if not _is_over(survey, one)] or handovers
    if not all(_same(one, handovers[0]) for one in handovers):
        known = safe.listed([f'{one.name} "{safe.line(one.title, 60)}"' for one in handovers], _SHOWN)
        raise HoldfastError(f"several hand-overs wait here: {known}. Name one: holdfast continue {handovers[0].name}")
    return handovers[0] if handovers else None


def _is_over(survey: Survey, one: Handover) -> bool:
    """Return whether the state file of a hand-over says that its work is completed."""
    hit = _hit(survey, one)
    return hit is not None and not hit.entry and not hit.session.open


def _same(one: Handover, other: Handover) -> bool:
    """Return whether two hand-overs are about the same state file and entry, or are the same file."""
    return one.path == other.path or (one.own and other.own and one.work() == other.work())


def _twins(handovers: list[Handover], one: Handover) -> list[Handover]:
    """Return the other hand-overs of the same state file, such as one that was edited and its successor."""
    return [other for other in handovers if other is not one and _same(one, other)]


def _hit(survey: Survey, one: Handover) -> Hit | None:
    """Return the state file that a hand-over belongs to, None if it is not known here."""
    able = [other for other in survey.sessions if (other.state or other.away) and not _hands_over(other)]
    found = [session for session in able if one.is_of(session.state or session.claimed, one.entry)]
    found.sort(key=lambda session: session.id != one.session)
    session = next((session for session in found if not one.entry or one.entry in _entries(session)), None)
    return Hit(session, one.entry) if session else None


def _entries(session: Session) -> list[object]:
    """Return the ids of the entries of a hub."""
    return [entry["id"] for entry in rows_of(session.summary, "entries")]
