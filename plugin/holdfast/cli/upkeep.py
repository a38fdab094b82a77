"""What keeps the rest going: the brief, the settle, the doctor, the packages."""

import os
import time

import click

from holdfast import (
    brief,
    checklist,
    codec,
    conflicts,
    deps,
    doctor,
    journal,
    nudge,
    sessions,
    settings,
    settle,
    store,
    touched,
)
from holdfast.cache import Cache
from holdfast.cli.app import FORMAT, cli, one, own_session
from holdfast.errors import HoldfastError
from holdfast.hub import settling
from holdfast.paths import Place


@cli.command("brief")
@click.option("--session", default="", help="As this session would see it; a beginning of its id is enough.")
@click.pass_obj
def show_brief(place: Place, session: str) -> None:
    """Print what a session that starts now would be told."""
    now = time.time()
    survey = sessions.survey(place, now, reads=sessions.LATER, guarded=True)
    known = [one.id for one in survey.sessions]
    own = one(known, session) if session else own_session()
    scene = brief.seen(survey, own)
    ended = [one for one in survey.sessions if checklist.due(one, now)]
    scene.checklists = [checklist.lines(one, len(scene.active)) for one in ended]
    scene.in_use = conflicts.in_use(place, own, survey, os.getcwd(), now)
    told = brief.compose(scene, now, survey.settings.brief_characters, initialised=place.initialised)
    click.echo(told or "Nothing is known here yet: no session has worked in this project.\nType: holdfast init")
    if survey.complaint:
        raise HoldfastError(survey.complaint)


@cli.command("settle")
@click.option("--session", default="", help="Only this session; a beginning of its id is enough.")
@click.option("--hub", "only_hub", is_flag=True, help="Only the hub; state files stay as they are.")
@click.pass_obj
def settle_now(place: Place, session: str, only_hub: bool) -> None:  # noqa: FBT001 - click's way
    """Bring state files and hub up to date with the journals."""
    if not place.store:
        raise HoldfastError("There are no journals here. Type: holdfast init")
    now = time.time()
    chosen, complaint = settings.usable(place.root, os.environ, Cache(place.store))
    known = journal.sessions(place.store)
    only = [one(known, session)] if session else known
    if only_hub:
        settling.keep(place, only if session else [], only, now)
    done = [] if only_hub else settle.settle_each(place, only, chosen)
    touched.prune(place.store, now - chosen.overlap_minutes * 60)
    store.sweep(place, now)
    sessions.survey(place, now, reads=sessions.LATER)  # leaves the next session start a warm cache
    if session and not only_hub:
        nudge.look(place, only[0], now)
    click.echo(f"Settled {len(done)}: {', '.join(done)}" if done else "Everything was settled already.")
    if complaint:
        raise HoldfastError(complaint)


@cli.command("doctor")
@FORMAT
@click.pass_obj
def see_doctor(place: Place, shape: str) -> int:
    """Check Python, packages, plugin, hooks, git and folders; say what to do about what is wrong."""
    findings = doctor.examine(place, time.time())
    if shape == "json":
        click.echo(
            codec.dumps([{"check": f.check, "ok": f.ok, "found": f.found, "remedy": f.remedy} for f in findings])
        )
    else:
        for finding in findings:
            click.echo(f"{'✓' if finding.ok else '✗'} {finding.check}: {finding.found}")
            if finding.remedy:
                click.echo(f"    → {finding.remedy}")
    return 0 if all(finding.ok for finding in findings) else 1


@cli.command("deps")
def build_dependencies() -> None:
    """Build the dependency folder, if it is not there yet."""
    click.echo(deps.build_told())
