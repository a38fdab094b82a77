"""The command `budget`: the tokens in a session's context, read from its transcript."""

import os

import click

from holdfast.cli import empty
from holdfast.cli.app import cli, own_session, pick, print_json, say, take_survey, with_session_argument
from holdfast.cli.output import is_json, reports
from holdfast.core.errors import HoldfastError
from holdfast.memory import budget, measured
from holdfast.memory.budget import Budget
from holdfast.sessions import candidates, lookup
from holdfast.sessions import survey as sessions
from holdfast.sessions.session import Session
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe


@cli.command("budget")
@with_session_argument
@reports
@click.pass_obj
def show_budget(workspace: Workspace, ident: str) -> None:
    """Show how full the context of a session is: its zone, the zone's strategy, and what the tokens are."""
    survey = take_survey(workspace)
    session = _find_session(survey, ident)
    root = survey.workspace.project.root
    own = measured.context_budget(root, session.state, survey.settings)
    found = own or budget.of(session.transcript, survey.settings)
    if not found:
        raise HoldfastError(f"session {safe.line(session.id, 100)}: {_missing(session)}")
    if is_json():
        print_json(_row(session, found))
    else:
        say(*_lines(session, found, os.path.relpath(own.origin, root) if own else ""))


def _find_session(survey: Survey, ident: str) -> Session:
    """Return the session with an id, by default the own, only live or most recent one."""
    if ident:
        return pick(lambda: lookup.named(survey.workspace.project, survey.sessions, ident)).session
    own = sessions.find(survey.sessions, own_session())
    live = [session for session in survey.sessions if session.live]
    if own or len(live) == 1:
        return own or live[0]
    hits = [candidates.Hit(session) for session in survey.sessions if session.journaled]
    if not hits:
        raise HoldfastError(empty.refusal(survey.workspace.project))
    return pick(lambda: lookup.most_recent(hits)).session


def _missing(session: Session) -> str:
    """Return why the tokens of a session are unknown, and what to do."""
    if not session.transcript:
        return "the path of its transcript is not known; only sessions started with holdfast's hooks have one."
    path = safe.line(session.transcript, 400)
    if not os.path.isfile(session.transcript):
        return f"there is no transcript at {path}: it was deleted, or no answer was written yet. Ask again later."
    return f"no answer of the model, or none since the last compaction, is in {path}. Ask again after the next one."


def _lines(session: Session, found: Budget, kept_in: str) -> list[str]:
    """Return a budget as lines of text; `kept_in` is the CONTEXT.md that the project keeps it in, "" without one."""
    usage = found.usage
    zones = [f"- {item}" for item in budget.scale(found, found.zones)]
    if kept_in:
        return [budget.status(found), budget.phase(found), budget.strategy(found), "", *zones, "", f"From: {kept_in}"]
    parts = [
        ("Fresh input", usage.fresh),
        ("Cache read", usage.cached),
        ("Cache write", usage.written),
        ("Output of the last answer", usage.output),
    ]
    compacted = ["Compacted since the last request: this is what the compaction left, without the system prompt."]
    return [
        budget.status(found),
        budget.phase(found),
        budget.strategy(found),
        "",
        *zones,
        "",
        *(compacted if usage.compacted else [f"{label}: {count}" for label, count in parts]),
        f"Model: {safe.line(usage.model, 100) or 'not known'}",
        f"Window: {found.window} tokens, known by {found.origin}",
        f"Session: {safe.line(session.title, 200)} ({safe.line(session.id, 100)})",
    ]


def _row(session: Session, found: Budget) -> dict[str, object]:
    """Return the JSON object for a budget."""
    usage = found.usage
    return {
        "id": session.id,
        "title": safe.line(session.title, 200),
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
