"""Work put down and taken up again: paused with a hand-over, and continued from it, in whichever session."""

import os
import time

import click

from holdfast import brief, clock, files, journal, lifecycle, lookup, payload, sessions, store, sync, text, views
from holdfast.cache import Cache
from holdfast.cli.app import IDENT, SAID, cli, followed, own_session, prepared, told_unplaced
from holdfast.cli.steps import taken
from holdfast.errors import HoldfastError
from holdfast.handover import choosing, handing, paused
from holdfast.handover.handed import Handed
from holdfast.handover.matter import Said
from holdfast.lookup import Hit
from holdfast.memory import detours, report
from holdfast.memory.view import View, seen
from holdfast.paths import Place
from holdfast.sessions import Survey
from holdfast.states.statefile import StateFile


@cli.command()
@IDENT
@click.option("--note", type=SAID, default="", help="What the next one should know beside the state file.")
@click.option("--next", "following", type=SAID, default="", help="What is to be done next; else what the file says.")
@click.pass_obj
def pause(place: Place, ident: str, note: str, following: str) -> int:
    """Set a state file to paused and write the hand-over that `holdfast continue` takes up."""
    prepared(place)
    now = time.time()
    survey = _surveyed(place, now)
    hit = choosing.to_pause(place, survey, ident, own_session())
    if not hit.path:
        raise HoldfastError(f"session {hit.session.id} has no state file. Make one: holdfast start TITLE")
    word = lifecycle.word(hit, "paused", survey.dialects)
    ahead = sync.preview(hit, {"Status": word}, survey.dialects)
    over = handing.Written()
    if not ahead.outcome.unplaced:  # first of all: whatever happens now, what is known is written down
        over = handing.write(place, hit, survey, Said(note, following), now)
    done = lifecycle.turn(place, hit, "paused", survey.dialects, survey.settings)
    followed(place, hit, now)
    click.echo("\n".join(views.synced_lines(done, hit.session.state_name)))
    if over.path:
        click.echo(f"Hand-over: {os.path.relpath(over.path, place.root)}; `holdfast continue` takes it up.")
    if over.lacking:
        click.echo(f"It does not say {' and '.join(over.lacking)}.")
    if over.unstaged:
        click.echo(f"holdfast: {over.unstaged}", err=True)
    return told_unplaced(done)


@cli.command("continue")
@IDENT
@click.pass_obj
def go_on(place: Place, ident: str) -> int:
    """Take up what was paused, from its hand-over; else come back from a discussion, or say where the work stands."""
    prepared(place)
    now = time.time()
    survey = _surveyed(place, now)
    there = handing.standing(place, survey.dialects)
    choice = choosing.choose(place, there, survey, ident, own_session())
    if choice.hit:
        return _taken_up(place, choice.hit, choice.handed, survey, now)
    if not choice.handed:
        return _at_hand(place, survey, now)
    return _only_shown(choice.handed, now)


def _surveyed(place: Place, now: float) -> Survey:
    """Return what is known of a project; what is wrong with its settings is said."""
    survey = sessions.survey(place, now)
    if survey.complaint:
        click.echo(f"holdfast: {survey.complaint}", err=True)
    return survey


def _only_shown(there: list[Handed], now: float) -> int:
    """Print hand-overs that nobody can take up: those of another tool, and those whose state file is not here."""
    one = there[0]
    whose = f"{one.state}{f', its entry {one.entry}' if one.entry else ''}"
    if one.own:
        why = f"{whose}, is not here: the hand-over stays. Remove {one.name} when it is not needed."
        click.echo(f"holdfast: {why}", err=True)
    else:
        click.echo(f"{one.name} was not written by holdfast, and stays; remove it once it is used.")
    _show(there, now)
    return 1 if one.own else 0


def _show(there: list[Handed], now: float) -> None:
    """Print hand-overs as the brief has them."""
    for one in there:
        head = paused.line(one.title, one.name, clock.read(one.at), now)
        body = one.data[one.body :]
        click.echo("\n".join(["", paused.TITLE, head, paused.quoted(body, len(body))]))


def _at_hand(place: Place, survey: Survey, now: float) -> int:
    """Go on with the work at hand: come back from a discussion, take up what is paused, else say where it stands."""
    try:
        hit = lookup.find(place, survey.sessions, "", own_session())
    except HoldfastError:
        return _nothing(survey, now)
    if not hit.path or hit.session.standing == "paused":
        return _taken_up(place, hit, [], survey, now) if hit.path else _nothing(survey, now)
    view = View(seen(StateFile(files.read(hit.path), hit.path, survey.dialects), survey.dialects))
    if view.depth:
        return taken(place, "", lambda _, there: detours.back(there, ""))
    told = lifecycle.hand_over(hit, survey.dialects).model
    click.echo(f"The work at hand: {text.line(hit.session.title, 200)} ({hit.session.state_name})")
    click.echo("\n".join([*views.model_lines(told, now), *report.lines(view, told)]))
    return 0


def _nothing(survey: Survey, now: float) -> int:
    """Say that nothing waits with a hand-over, and what is paused without."""
    click.echo("Nothing was paused here with a hand-over.")
    waiting = choosing.paused(survey)
    if waiting:
        lines = [brief.entry(session, now) for session in waiting]
        name = waiting[0].id if waiting[0].journaled else waiting[0].state_name
        click.echo("\n".join(["Paused without one:", *lines, f"Take one up: holdfast continue {name}"]))
    return 0


def _taken_up(place: Place, hit: Hit, there: list[Handed], survey: Survey, now: float) -> int:
    """Take up what is paused: first say what was done, or why it was not; the texts, which may be long, come last."""
    code, problem = 1, ""
    try:
        code = _active(place, hit, survey, now)
        for one in there if not code else []:
            click.echo("\n".join(handing.used(place, one, survey.settings)))
    except HoldfastError as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}. Type: holdfast doctor"
    if problem:
        click.echo(f"holdfast: {problem}", err=True)
    _show(there, now)
    if not problem:
        _tell(hit, place, survey, now)
    return 1 if problem else code


def _active(place: Place, hit: Hit, survey: Survey, now: float) -> int:
    """Set what is paused to active, and make it the own session's."""
    if not hit.path:
        raise HoldfastError(f"session {hit.session.id} has no state file. Type: holdfast resume {hit.session.id}")
    code = 0
    told = lifecycle.hand_over(hit, survey.dialects).model
    if told["standing"] == "paused":
        done = lifecycle.turn(place, hit, "active", survey.dialects, survey.settings)
        code = told_unplaced(done)
        click.echo("\n".join(views.synced_lines(done, hit.session.state_name)))
    else:
        click.echo(f"{hit.session.state_name} is not paused.")
    if not code:
        _bind(place, hit, survey)
        followed(place, hit, now)
    return code


def _tell(hit: Hit, place: Place, survey: Survey, now: float) -> None:
    """Print what a state file, or an entry of one, says now."""
    hit.session.digest = sessions.digest(hit.path, Cache(place.store), survey.dialects)
    if hit.entry:
        model = lifecycle.hand_over(hit, survey.dialects).model
        click.echo("\n".join(["", *views.hand_over_lines(model, hit.session, now)]))
    else:
        click.echo(f"\n{brief.state_file(hit.session, now, survey.settings.brief_characters)}\n")


def _bind(place: Place, hit: Hit, survey: Survey) -> None:
    """Make a state file that of the session that asks, when it has none and the file is one session's."""
    own = own_session()
    mine = sessions.find(survey.sessions, own)
    if not payload.is_session(own) or hit.entry or hit.session.shared or (mine and mine.state):
        return
    with store.writing(place):
        journal.claim(place.store, own, hit.path, by="continue")
    click.echo("It is the state file of this session now.")
