"""State files by hand: begun, looked at, edited, audited, handed over, closed."""

import os
import time

import click

from holdfast import (
    brief,
    codec,
    files,
    journal,
    lifecycle,
    paths,
    payload,
    provenance,
    recovery,
    sessions,
    settings,
    settle,
    store,
    sync,
    table,
    text,
    views,
)
from holdfast.audits import audit
from holdfast.cache import Cache
from holdfast.cli.app import (
    FORMAT,
    IDENT,
    cli,
    dialects,
    followed,
    meant,
    one,
    own_session,
    prepared,
    rooted,
    told_unplaced,
)
from holdfast.dialects import catalog
from holdfast.errors import HoldfastError
from holdfast.memory import report
from holdfast.memory.view import View, seen
from holdfast.paths import Place
from holdfast.session import Session
from holdfast.states import template
from holdfast.states.statefile import StateFile


@cli.command()
@click.pass_obj
def init(place: Place) -> None:
    """Prepare this project: from here on its sessions have state files."""
    root = rooted(place)
    path = f"{root}/{paths.SETTINGS}"
    if os.path.exists(path):
        click.echo(f"{paths.SETTINGS} is there already; nothing changed.")
        _told_foreign(place)
        return
    if not paths.within(os.path.dirname(path), root):
        raise HoldfastError(f"{os.path.dirname(path)} leads out of {root} through a link. Make it a folder of its own.")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    files.write_atomic(path, settings.TEMPLATE.encode(), fresh=True)
    if not place.git:
        store = paths.store_outside_git(root)
        os.makedirs(store, exist_ok=True)
        files.write_atomic(f"{store}/.gitignore", b"*\n")
    click.echo(f"Made {paths.SETTINGS}; state files will stand in {paths.STATE_FOLDER}/.")
    click.echo("From the next session on Claude is told where the last one stopped. Commit the file to share this.")
    _told_foreign(place)


def _told_foreign(place: Place) -> None:
    """Say how many files came with the repository, of which Claude is told no more than title, status and path."""
    count = len(sessions.survey(place, time.time()).foreign)
    if count:
        click.echo(f"{brief.counted(count)} came with the repository and are not accepted yet: holdfast trust")


@cli.command()
@click.argument("title")
@click.option("--type", "kind", type=click.Choice(template.TYPES), default=None, help="The type of work.")
@click.option("--dialect", default="agents", show_default=True, help="The shape of the file: agents, n5 or gsd-lite.")
@click.option("--session", default="", help="The known session it belongs to; Claude's own when Claude runs this.")
@click.pass_obj
def start(place: Place, title: str, kind: str | None, dialect: str, session: str) -> None:
    """Begin a piece of work: create its state file, titled TITLE."""
    root = rooted(place)
    if not text.line(title):
        raise HoldfastError('The title is empty. Give one, such as: holdfast start "Parse the invoices"')
    prepared(place)
    memory = Cache(place.store)
    chosen, shape = settings.load(root, os.environ, memory), catalog.known(root, memory).named(dialect)
    ident = one(journal.sessions(place.store), session) if session else own_session()
    if ident and not payload.is_session(ident):
        raise HoldfastError(f"{ident!r} is not a session's id. `holdfast list --all` shows those that are known.")
    with store.writing(place):
        path = settle.begin(place, Session(ident), shape, template.Work(title, time.time(), kind or ""))
        if ident:
            journal.claim(place.store, ident, path, by="start")
        problem = settle.stage(place, ident, path, chosen)
    click.echo(os.path.relpath(path, root))
    if problem:
        click.echo(f"holdfast: {problem}", err=True)


@cli.command("list")
@click.option("--all", "everything", is_flag=True, help="Ended and finished sessions too.")
@FORMAT
@click.pass_obj
def list_sessions(place: Place, everything: bool, shape: str) -> None:  # noqa: FBT001 - click passes flags so
    """Show every session known here: what it is about, where it runs, whether it lives."""
    now = time.time()
    survey = sessions.survey(place, now)
    known = survey.sessions
    if survey.complaint:
        click.echo(f"holdfast: {survey.complaint}", err=True)
    shown = [session for session in known if everything or session.notable]
    if shape == "json":
        click.echo(codec.dumps([views.session_row(session) for session in shown]))
        return
    if not shown:
        hidden = f" {len(known)} ended: holdfast list --all" if known else ""
        click.echo(f"No active session is known here.{hidden}")
        return
    table.show(shown, now)


@cli.command("status")
@IDENT
@FORMAT
@click.pass_obj
def show_status(place: Place, ident: str, shape: str) -> None:
    """Show what a state file says: status, focus, progress, what is next, what is open, and its working memory."""
    now = time.time()
    hit, survey = meant(place, ident, now)
    told = lifecycle.hand_over(hit, survey.dialects).model
    state = StateFile(files.read(hit.path), hit.path, survey.dialects)
    view = None if hit.entry else View(seen(state, survey.dialects))
    alone = not (hit.entry or hit.session.shared or state.problem)
    behind = recovery.look(hit.session, survey, now, calls=False) if alone else None
    if shape == "json":
        kept: dict[str, object] = {"memory": report.row(view)} if view and view.there else {}
        kept |= {"drift": behind.severity} if behind else {}
        click.echo(codec.dumps({**views.model_row(told, hit.session), **kept}))
        return
    if state.problem:
        click.echo(f"holdfast: {hit.session.state_name} is not written: {state.problem}", err=True)
    click.echo(f"{text.line(str(told['title']), 200)}")
    head = f"State file: {hit.session.state_name} ({hit.session.digest.get('dialect') or told.get('dialect')})"
    lines = report.lines(view, told) if view and view.there else []
    if behind and behind.severity != "none":
        lines.append(f"Drift: {behind.severity} (holdfast drift)")
    click.echo("\n".join([head, *views.model_lines(told, now), *lines]))


@cli.command("show")
@IDENT
@click.option("--section", default="", help="Only the section of this name, whichever of its names the file uses.")
@FORMAT
@click.pass_obj
def show_file(place: Place, ident: str, section: str, shape: str) -> None:
    """Print a state file, or one section of it, as it stands."""
    hit, survey = meant(place, ident, time.time())
    state = StateFile(files.read(hit.path), hit.path, survey.dialects)
    if shape == "json":
        click.echo(codec.dumps({"path": hit.session.state_name, **state.outline(section, hit.entry)}))
        return
    click.echo(text.plain(state.part(section, hit.entry)).rstrip("\n"))


@cli.command("sync")
@click.option(
    "--convo-id", "ident", default="", metavar="ID", help="Which state file; needed where several are active."
)
@click.option(
    "--json", "source", required=True, metavar="JSON", help="What it is to say: an object, - for stdin, @FILE."
)
@click.option("--dry-run", is_flag=True, help="Print the change as a diff and write nothing.")
@FORMAT
@click.pass_obj
def sync_file(place: Place, ident: str, source: str, dry_run: bool, shape: str) -> int:  # noqa: FBT001 - click's way
    """Set fields and add list items of a state file; everything else in it stays as it is."""
    wishes = sync.wanted(source)
    if not dry_run:
        prepared(place)
    now = time.time()
    hit, survey = meant(place, ident, now)
    known, chosen = survey.dialects, survey.settings
    done = sync.preview(hit, wishes, known) if dry_run else sync.sync(place, hit, wishes, known, chosen)
    if not dry_run:
        followed(place, hit, now)
    name = hit.session.state_name
    if shape == "json":
        click.echo(codec.dumps(views.synced_row(done, name)))
    elif dry_run:
        click.echo(sync.diff(done.before, done.outcome.data, name), nl=False)
    else:
        click.echo("\n".join(views.synced_lines(done, name)))
    return told_unplaced(done)


@cli.command("audit")
@click.argument("given", metavar="[PATH]...", nargs=-1)
@click.option("--convo-id", "ident", default="", metavar="ID", help="The state file of this id instead of paths.")
@FORMAT
@click.pass_obj
def audit_files(place: Place, given: tuple[str, ...], ident: str, shape: str) -> int:
    """Say what is missing, unfilled, contradictory, stale or broken in state files, each with its line."""
    now, entry = time.time(), ""
    if given and ident:
        raise click.UsageError("Give paths, or --convo-id ID, not both.")
    if given:
        chosen, known = settings.usable(place.root, os.environ, Cache(place.store))[0], dialects(place)
        wanted = [(path, path) for path in given]
        provenance.refuse(place, map(os.path.abspath, given))
    else:
        hit, survey = meant(place, ident, now)
        chosen, known, entry = survey.settings, survey.dialects, hit.entry
        wanted = [(hit.path, hit.session.state_name)]
    reports = [(audit.audit(path, known, now, chosen.stale_hours, entry), name) for path, name in wanted]
    if shape == "json":
        click.echo(codec.dumps([views.audit_row(audited, name) for audited, name in reports]))
    else:
        click.echo("\n".join(line for audited, name in reports for line in views.audit_lines(audited, name)))
    return max(2 if audited.broken else 0 if audited.complete else 1 for audited, _ in reports)


@cli.command()
@IDENT
@FORMAT
@click.pass_obj
def handoff(place: Place, ident: str, shape: str) -> int:
    """Print the hand-over of a state file, after checking that it is ready for it; nothing is written."""
    now = time.time()
    hit, survey = meant(place, ident, now)
    over = lifecycle.hand_over(hit, survey.dialects)
    if shape == "json":
        click.echo(codec.dumps({"ready": not over.gaps, "gaps": over.gaps, **views.model_row(over.model, hit.session)}))
    else:
        click.echo("\n".join(views.hand_over_lines(over.model, hit.session, now)))
        for gap in over.gaps:
            click.echo(f"holdfast: not ready: {hit.session.state_name}: {gap}", err=True)
    return 1 if over.gaps else 0
