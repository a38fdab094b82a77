"""The command `finish`: the answer to "done, later or drop?", which a start asks about a silent session."""

import click

from holdfast.actions import hand_over, lifecycle, update_hub
from holdfast.cli.app import catch_up, cli, own_session, refresh_hub, report_unplaced, require_store, take_survey
from holdfast.cli.output import report, reports
from holdfast.context.handover.content import Additions
from holdfast.core.errors import HoldfastError
from holdfast.core.statuses import COMPLETED, DROPPED, OVER, PAUSED
from holdfast.sessions import candidates, lookup
from holdfast.sessions import survey as sessions
from holdfast.sessions.candidates import Hit
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

_ANSWERS = {"done": COMPLETED, "later": PAUSED, "drop": DROPPED}


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="[ID] done|later|drop", nargs=-1)
@reports
@click.pass_obj
def finish(workspace: Workspace, words: tuple[str, ...]) -> int:
    """Complete (done), pause (later) or give up (drop) a session.

    Its state file, if it has one, gets the status; a paused one also gets a hand-over. Without ID it is your own
    session.
    """
    require_store(workspace.project)
    *ident, answer = words or ("",)
    if answer not in _ANSWERS or len(ident) > 1:
        raise click.UsageError("Say what becomes of it: holdfast finish ID done, or later, or drop.")
    survey = take_survey(workspace)
    hit = _meant(survey, "".join(ident))
    status = _ANSWERS[answer]
    before = hit.session.status
    why = f"the user answered: {answer}"
    code = _write(survey, hit, status, why) if hit.path else 0
    if hit.session.journaled and not code:
        if not hit.path:
            lifecycle.journal(workspace.project, hit.session, status, why)
        refresh_hub(workspace, hit)
    known = workspace.session(hit.session.id) if hit.session.journaled else None
    title = f'"{safe.line(candidates.title(hit), 80)}"'
    if known and known.status != status:
        raise HoldfastError(f"{title} is not {status}: it is {known.status}. Type: holdfast status")
    if hit.path and not known:  # few formats have a word for what was dropped
        status = str(lifecycle.hand_over(hit, survey.formats).summary["category"])
    if not code:
        following = "To continue: holdfast continue" if status == PAUSED and hit.path else "To see it: holdfast resume"
        already = " already" if status in OVER and status == before and not hit.entry else ""
        again = f"{title} is {status}{already}. {following} {candidates.short_name(hit)}"
        report({"id": hit.ident, "path": hit.session.state_name, "status": status}, again)
    return code


def _meant(survey: Survey, ident: str) -> Hit:
    """Return the session that an id means, without one the own session; HoldfastError for a live one of others."""
    own = sessions.find(survey.sessions, own_session())
    if not ident and own is None:
        raise HoldfastError("which session is meant? Name it: holdfast finish ID done. To see them: holdfast list")
    hit = lookup.find(survey.workspace.project, survey.sessions, ident) if ident or own is None else Hit(own)
    if hit.session.live and hit.session is not own:
        raise HoldfastError(f"session {hit.session.id[:8]} is live. End it there first, or answer there.")
    return hit


def _write(survey: Survey, hit: Hit, status: str, why: str) -> int:
    """Give a state file its status, and a paused one a hand-over first; return the exit code."""
    catch_up(survey.workspace, hit)
    if status == PAUSED:
        hand_over.write(survey.workspace.project, hit, survey, Additions("", ""), survey.workspace.now)
    return report_unplaced(update_hub.turn(survey.workspace, hit, status, why=why))
