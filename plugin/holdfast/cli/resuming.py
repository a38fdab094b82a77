"""The command `resume`: lists what can be resumed, and resumes one session."""

import os

import click

from holdfast.cli import elsewhere, output, render, screen, tables
from holdfast.cli.app import (
    cli,
    own_session,
    pick,
    print_json,
    refresh_hub,
    report_unplaced,
    require_readable,
    require_store,
    say,
    say_nothing,
    survey_for,
    warn,
    with_session_argument,
)
from holdfast.cli.output import HEADER, is_json, reports
from holdfast.context.short_lists import counted
from holdfast.core.errors import HoldfastError
from holdfast.core.statuses import OVER, PAUSED
from holdfast.project import paths
from holdfast.sessions import candidates, hub_location, listed, lookup, paused_work
from holdfast.sessions import resume as resuming
from holdfast.sessions import survey as sessions
from holdfast.sessions.status import with_status
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone

_RESUME_ONE = "Resume one: holdfast resume ID"


@cli.command()
@with_session_argument
@HEADER
@reports
@click.pass_obj
def resume(workspace: Workspace, *, ident: str) -> int:
    """List the sessions that can be resumed, or show one: its hand-over, and the line that resumes it.

    That changes no state file. In Claude's shell the work is taken up in its session: it is in progress then, also if
    it was paused or completed. An entry of the hub that was paused is active again.
    """
    if not ident:
        found = sessions.survey(workspace, os.getcwd(), done_before=float("inf"), ended=True, most=listed.MOST)
        if found.left:
            warn(listed.older(found.left))
        _list_resumable(found)
        return 0
    from holdfast.actions import hand_over, lifecycle, sync  # a list needs none

    survey = survey_for(workspace, ident)
    hit, survey, notes = _meant(survey, ident)
    if _is_taken_up(hit):
        sync.require_own_shell(workspace.project)
    if not is_json():
        say(*notes)
    clone.require_trusted([hit.path] if hit.path else [])
    if hit.session.away:
        hit, survey = _restored(hit, survey)
    root = hub_location.tree(workspace.project).root
    summary = (
        lifecycle.hand_over(hit, survey.formats).summary
        if hit.path
        else hit.session.summary or resuming.summary(hit.session, survey.workspace.said(hit.session.id))
    )
    code = 0
    starting = bool(hit.entry) and str(summary["status"]).casefold().strip() == "starting"
    own = _is_taken_up(hit) or hit.ident == own_session()
    turned = {"paused", "completed"} if own else {"paused"} if hit.entry else set[str]()
    handed = hand_over.of_state(workspace, hit.path, hit.entry) if hit.path else []
    if hit.path and (summary["category"] in turned or starting):
        code = _activate(survey, hit)
        summary = lifecycle.hand_over(hit, survey.formats).summary
        refresh_hub(workspace, hit)
        hit.session = hit.session.replace(summary=summary, chosen="", in_hub="")  # as the file says now
    taken_up = not code and _is_taken_up(hit)
    if is_json():
        print_json({**resuming.row(hit.session, root), **render.summary_row(summary, hit.session, hit.entry)})
    else:
        known = summary if hit.entry else with_status(summary, hit.session)
        lines = render.hand_over_lines(known, hit.session, workspace.now)
        notes = [line for one in handed for line in paused_work.note(one.data)]
        from holdfast.cli import continuing

        say(*lines, *notes, "", *continuing.on_branch(workspace, hit), *_resume_lines(hit, root))
        if taken_up:
            continuing.bind(survey, hit)
    return code


def _restored(hit: candidates.Hit, survey: Survey) -> tuple[candidates.Hit, Survey]:
    """Restore the state file of a session if nothing else has it, or say where it is; return what is there now."""
    from holdfast.actions import adoption
    from holdfast.editing import store

    workspace, ident = survey.workspace, hit.session.id
    try:
        with store.writing(workspace.project):
            path = adoption.restored(workspace, workspace.recorded(ident), goes_on=True)
    except HoldfastError:  # it is on another branch, in a stash or in another working tree
        path = ""
    if not path:
        return hit, survey
    adoption.stage(workspace.project, ident, path, workspace.settings)
    if not is_json():
        say(f"{hit.session.state_name} is here again, as it was last.", "")
    survey = sessions.survey(Workspace(workspace.project, workspace.now))
    return lookup.named(workspace.project, survey.sessions, ident), survey


def _meant(survey: Survey, ident: str) -> tuple[candidates.Hit, Survey, list[str]]:
    """Return the session that is meant, the survey it is in, and what was done to have one of another machine here."""
    workspace = survey.workspace
    try:
        hit = pick(lambda: lookup.named(workspace.project, survey.sessions, ident, own_session()))
        require_readable(workspace, hit)
        return _taken_back(survey, hit)
    except candidates.UnclearError as error:
        if error.hits or not paths.is_shared(workspace.project.store):
            raise
        from holdfast.actions import take_over

        take_over.fetch(workspace)
        row = take_over.find(workspace, ident)
        if row is None:
            raise
        local = take_over.begun_here(survey, row)
        if local:
            return _taken_back(survey, candidates.Hit(local))
        taken = take_over.take_over(workspace, row)
        survey = sessions.survey(Workspace(workspace.project, workspace.now))
        return lookup.named(workspace.project, survey.sessions, taken.path), survey, [*taken.lines, ""]


def _taken_back(survey: Survey, hit: candidates.Hit) -> tuple[candidates.Hit, Survey, list[str]]:
    """Take a session that is not live back from other machines, if it went on there; return the same as `_meant`."""
    workspace = survey.workspace
    if hit.entry or hit.session.live or not paths.is_shared(workspace.project.store):
        return hit, survey, []
    from holdfast.actions import take_over

    lines = take_over.take_back(workspace, hit)
    if not lines:
        return hit, survey, []
    survey = sessions.survey(Workspace(workspace.project, workspace.now))
    return lookup.named(workspace.project, survey.sessions, hit.path or hit.session.id), survey, [*lines, ""]


def _list_resumable(survey: Survey) -> None:
    """Print what can be resumed: the sessions of this machine, then the entries that only the hub has."""
    project, now = survey.workspace.project, survey.workspace.now
    root = hub_location.tree(project).root
    states = listed.without_session(survey)
    open_states = [one for one in states if listed.group(one, now) in {listed.OPEN, listed.PAUSED}]
    others = elsewhere.found(survey, everything=False)
    open_states = elsewhere.at_hand(survey, open_states)
    waiting = [*resuming.resumable(elsewhere.at_hand(survey, survey.listed)), *open_states]
    waiting = [*sorted(waiting, key=lambda one: one.status == PAUSED), *resuming.neurons(survey)]
    if is_json():
        known = [resuming.row(one, root) for one in waiting]
        print_json([*known, *(elsewhere.resumable(one, survey.workspace) for one in others)])
        return
    if not waiting and not others:
        say_nothing(_nothing(survey))
        return
    lines = tables.resumable(waiting, now, root) if waiting else []
    lines = screen.page(lines, "{} more: holdfast list --all", 3)
    lines += elsewhere.to_resume(others, survey.workspace) if others else []
    say(*lines, *([_RESUME_ONE] if screen.size() else []))


def _nothing(survey: Survey) -> str:
    """Return the message for an empty list: a session that is live is not resumed, nor is completed work."""
    if not survey.sessions and not survey.passed_over:
        return output.nothing_known(survey.workspace.project)
    live = sum(one.live for one in survey.sessions)
    why = f": {counted(live, 'session')} {'is' if live == 1 else 'are'} live" if live else ""
    return f"No session can be resumed here{why}. All sessions: holdfast list --all"


def _activate(survey: Survey, hit: candidates.Hit) -> int:
    """Set a paused state file to active and return the exit code; a problem is only printed."""
    from holdfast.actions import update_hub

    project = survey.workspace.project
    try:
        require_store(project)
        done = update_hub.turn(survey.workspace, hit, "active")
    except HoldfastError as error:
        warn(str(error))
        return 1
    except OSError as error:
        warn(f"{error.filename or hit.path}: {error.strerror}")
        return 1
    if done.written and not is_json():
        say(*render.synced_lines(done, hit.session.state_name), "")
    return report_unplaced(done)


def _is_taken_up(hit: candidates.Hit) -> bool:
    """Whether the session in whose shell the command runs takes the work up: it is another's that is not live."""
    return bool(own_session() and hit.path and hit.ident != own_session() and (hit.entry or not hit.session.live))


def _resume_lines(hit: candidates.Hit, root: str) -> list[str]:
    """Return the command that resumes the conversation, or a line that says there is none."""
    line = "" if hit.entry else resuming.command(hit.session, root)
    if _is_taken_up(hit):
        apart = f" Its own conversation: {line}" if hit.session.journaled and line else ""
        return [f"Taken up in this session.{apart}"]
    if hit.session.status in OVER and not hit.session.live:
        return [f"Its conversation: {line}"] if line and hit.session.journaled else []
    if not line:
        return ["There is no conversation of it here. Start a new session to continue it."]
    if not hit.session.journaled:
        return [f"There is no conversation of it here. Start a new session to continue it: {line}"]
    return [f"Resume it: {line}", *(["It is live: this opens it a second time."] if hit.session.live else [])]
