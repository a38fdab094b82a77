"""The commands `pause` and `continue`: pause work with a hand-over, and continue it in any session."""

import os

import click

from holdfast.actions import hand_over, lifecycle, sync, update_hub
from holdfast.cli import render
from holdfast.cli.app import (
    IDENT,
    MASKED,
    cli,
    own_session,
    refresh_hub,
    report_unplaced,
    require_store,
    take_survey,
    warn,
)
from holdfast.cli.steps import run_step
from holdfast.context import session_lines
from holdfast.context.handover import choose
from holdfast.context.handover.content import Additions
from holdfast.context.handover.document import Handover
from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.formats.state_file import StateFile
from holdfast.journal import log, payload
from holdfast.memory import detours, report
from holdfast.memory.view import View, seen
from holdfast.sessions import lookup, paused_work, summaries
from holdfast.sessions import survey as sessions
from holdfast.sessions.candidates import Hit
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import ledger, safe


@cli.command()
@IDENT
@click.option("--note", type=MASKED, default="", help="What the next one should know beside the state file.")
@click.option("--next", "following", type=MASKED, default="", help="What is to be done next; else what the file says.")
@click.pass_obj
def pause(workspace: Workspace, ident: str, note: str, following: str) -> int:
    """Set a state file to paused and write the hand-over that `holdfast continue` takes up."""
    project = workspace.project
    require_store(project)
    survey = take_survey(workspace)
    hit = choose.to_pause(project, survey, ident, own_session())
    ledger.require_trusted(project, [hit.path] if hit.path else [])
    if not hit.path:
        raise HoldfastError(f"session {hit.session.id} has no state file. Make one: holdfast start TITLE")
    word = lifecycle.word(hit, "paused", survey.formats)
    preview = sync.preview(hit, {"Status": word}, survey.formats)
    written = hand_over.Written()
    if not preview.outcome.unplaced:  # before the state file changes, so that a failure later loses nothing
        written = hand_over.write(project, hit, survey, Additions(note, following), workspace.now)
    done = update_hub.turn(workspace, hit, "paused")
    refresh_hub(workspace, hit)
    click.echo("\n".join(render.synced_lines(done, hit.session.state_name)))
    if written.path:
        click.echo(f"Hand-over: {os.path.relpath(written.path, project.root)}; `holdfast continue` takes it up.")
    if written.lacking:
        click.echo(f"It does not say {' and '.join(written.lacking)}.")
    if written.unstaged:
        warn(written.unstaged)
    return report_unplaced(done)


@cli.command("continue")
@IDENT
@click.pass_obj
def continue_work(workspace: Workspace, ident: str) -> int:
    """Take up what was paused, from its hand-over; else come back from a discussion, or say where the work stands."""
    project = workspace.project
    require_store(project)
    survey = take_survey(workspace)
    waiting = hand_over.waiting(project, survey.formats)
    choice = choose.choose(project, waiting, survey, ident, own_session())
    shown = [one.path for one in choice.handed] + ([choice.hit.path] if choice.hit else [])
    ledger.require_trusted(project, shown)
    if choice.hit:
        return _take_up(survey, choice.hit, choice.handed)
    if not choice.handed:
        return _continue_present_work(survey)
    return _only_show(choice.handed, workspace.now)


def _only_show(handovers: list[Handover], now: float) -> int:
    """Print hand-overs of another tool, or whose state file is missing; return the exit code. They stay."""
    first = handovers[0]
    if first.own:
        state = f"{first.state}{f', its entry {first.entry}' if first.entry else ''}"
        warn(f"{state}, is not here: the hand-over stays. Remove {first.name} when it is not needed.")
    else:
        click.echo(f"{first.name} was not written by holdfast, and stays; remove it once it is used.")
    _show(handovers, now)
    return 1 if first.own else 0


def _show(handovers: list[Handover], now: float) -> None:
    """Print hand-overs in the same form as the brief."""
    for one in handovers:
        head = paused_work.line(one.title, one.name, clock.read(one.at), now)
        body = one.data[one.body :]
        click.echo("\n".join(["", paused_work.TITLE, head, paused_work.quoted(body, len(body))]))


def _continue_present_work(survey: Survey) -> int:
    """Return from a discussion, take up the paused state file, or print the status of the active one."""
    workspace = survey.workspace
    try:
        hit = lookup.find(workspace.project, survey.sessions, "", own_session(), recent=True)
    except HoldfastError:
        return _report_nothing(survey)
    if not hit.path or hit.session.category == "paused":
        return _take_up(survey, hit, []) if hit.path else _report_nothing(survey)
    view = View(seen(StateFile(files.read(hit.path), hit.path, survey.formats), survey.formats))
    if view.depth:
        return run_step(workspace, "", lambda _, memory: detours.back(memory, ""))
    model = lifecycle.hand_over(hit, survey.formats).model
    click.echo(f"The work at hand: {safe.line(hit.session.title, 200)} ({hit.session.state_name})")
    click.echo("\n".join([*render.summary_lines(model, workspace.now), *report.lines(view, model)]))
    return 0


def _report_nothing(survey: Survey) -> int:
    """Say that no hand-over is waiting, and list what is paused without one."""
    click.echo("Nothing was paused here with a hand-over.")
    paused = choose.paused(survey)
    if paused:
        lines = [session_lines.entry(session, survey.workspace.now) for session in paused]
        name = paused[0].id if paused[0].journaled else paused[0].state_name
        click.echo("\n".join(["Paused without one:", *lines, f"Take one up: holdfast continue {name}"]))
    return 0


def _take_up(survey: Survey, hit: Hit, handovers: list[Handover]) -> int:
    """Take up a paused state file and return the exit code. The result is printed before the texts, which are long."""
    code, problem = 1, ""
    try:
        code = _activate(survey, hit)
        for one in handovers if not code else []:
            click.echo("\n".join(hand_over.used(survey.workspace.project, one, survey.settings)))
    except HoldfastError as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}. Type: holdfast doctor"
    if problem:
        warn(problem)
    _show(handovers, survey.workspace.now)
    if not problem:
        _show_state(survey, hit)
    return 1 if problem else code


def _activate(survey: Survey, hit: Hit) -> int:
    """Set a paused state file to active and bind it to the own session; return the exit code."""
    if not hit.path:
        raise HoldfastError(f"session {hit.session.id} has no state file. Type: holdfast resume {hit.session.id}")
    code = 0
    if lifecycle.hand_over(hit, survey.formats).model["category"] == "paused":
        done = update_hub.turn(survey.workspace, hit, "active")
        code = report_unplaced(done)
        click.echo("\n".join(render.synced_lines(done, hit.session.state_name)))
    else:
        click.echo(f"{hit.session.state_name} is not paused.")
    if not code:
        _bind(survey, hit)
        refresh_hub(survey.workspace, hit)
    return code


def _show_state(survey: Survey, hit: Hit) -> None:
    """Print what a state file, or the entry of a hub, says now."""
    now = survey.workspace.now
    hit.session.summary = summaries.summary_of(hit.path, survey.cache, survey.formats)
    if hit.entry:
        model = lifecycle.hand_over(hit, survey.formats).model
        click.echo("\n".join(["", *render.hand_over_lines(model, hit.session, now)]))
    else:
        click.echo(f"\n{session_lines.state_file(hit.session, now, survey.settings.brief_characters)[0]}\n")


def _bind(survey: Survey, hit: Hit) -> None:
    """Make the state file that of the own session, unless that has one or several sessions share the file."""
    project, own = survey.workspace.project, own_session()
    session = sessions.find(survey.sessions, own)
    if not payload.is_session(own) or hit.entry or hit.session.shared or (session and session.state):
        return
    with store.writing(project):
        log.claim(project.store, own, hit.path, by="continue")
    click.echo("It is the state file of this session now.")
