"""The token budget of a session, as its own transcript tells it."""

import os
import time

import click

from holdfast import budget, codec, lookup, sessions, text
from holdfast.budget import Budget
from holdfast.cli.app import FORMAT, IDENT, cli, own_session
from holdfast.errors import HoldfastError
from holdfast.paths import Place
from holdfast.session import Session
from holdfast.sessions import Survey


@cli.command("budget")
@IDENT
@FORMAT
@click.pass_obj
def show_budget(place: Place, ident: str, shape: str) -> None:
    """Show how full the context of a session is: its zone, what that asks for, and what the tokens are."""
    survey = sessions.survey(place, time.time())
    if survey.complaint:
        click.echo(f"holdfast: {survey.complaint}", err=True)
    session = _meant(place, survey, ident)
    found = budget.of(session.transcript, survey.settings)
    if not found:
        raise HoldfastError(f"session {text.line(session.id, 100)}: {_missing(session)}")
    if shape == "json":
        click.echo(codec.dumps(_row(session, found)))
    else:
        click.echo("\n".join(_lines(session, found)))


def _meant(place: Place, survey: Survey, ident: str) -> Session:
    """Return the session that is meant: by its id, else the one that asks, else the only one that is live."""
    if ident:
        return lookup.named(place, survey.sessions, ident).session
    own = sessions.find(survey.sessions, own_session())
    live = [session for session in survey.sessions if session.live]
    if own or len(live) == 1:
        return own or live[0]
    problem = f"{len(live)} sessions are live" if live else "no session is live"
    raise HoldfastError(f"{problem}; name one by its id: holdfast budget ID. To see them type: holdfast list")


def _missing(session: Session) -> str:
    """Return why nothing is known of a session's tokens, and what helps."""
    if not session.transcript:
        return "where its transcript is was never told; it is known of sessions that start with holdfast's hooks on."
    path = text.line(session.transcript, 400)
    if not os.path.isfile(session.transcript):
        return f"there is no transcript at {path}: it was deleted, or no answer was written yet. Ask again later."
    return f"no answer of the model, or none since the last compaction, stands in {path}. Ask again after the next one."


def _lines(session: Session, found: Budget) -> list[str]:
    """Return a budget for people."""
    usage = found.usage
    parts = [
        ("Fresh input", usage.fresh),
        ("Cache read", usage.cached),
        ("Cache write", usage.written),
        ("Output of the last answer", usage.output),
    ]
    unknown = ["Compacted since the last request: this is what the compaction left, without the system prompt."]
    return [
        budget.status(found),
        budget.phase(found),
        budget.strategy(found),
        "",
        *(f"- {item}" for item in budget.scale(found, found.zones)),
        "",
        *(unknown if usage.compacted else [f"{label}: {count}" for label, count in parts]),
        f"Model: {text.line(usage.model, 100) or 'not known'}",
        f"Window: {found.window} tokens, known by {found.origin}",
        f"Session: {text.line(session.title, 200)} ({text.line(session.id, 100)})",
    ]


def _row(session: Session, found: Budget) -> dict[str, object]:
    """Return a budget as JSON gives it."""
    usage = found.usage
    return {
        "id": session.id,
        "title": text.line(session.title, 200),
        "used": found.used,
        "window": found.window,
        "window_known_by": found.origin,
        "percent": found.percent,
        "zone": budget.ZONES[found.zone].name,
        "strategy": budget.strategy(found),
        "zones": list(found.zones),
        "fresh": usage.fresh,
        "cache_read": usage.cached,
        "cache_write": usage.written,
        "output": usage.output,
        "compacted": usage.compacted,
        "model": usage.model,
        "at": usage.at,
        "transcript": session.transcript,
    }
