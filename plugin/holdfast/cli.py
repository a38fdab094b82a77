"""The command line: what hooks do by themselves, done by hand. The only importer of click."""

import os
import sys
import time

import click

from holdfast import (
    brief,
    checklist,
    codec,
    deps,
    doctor,
    faults,
    files,
    journal,
    lifecycle,
    lookup,
    paths,
    payload,
    sessions,
    settings,
    settle,
    sync,
    table,
    text,
    views,
)
from holdfast.audits import audit
from holdfast.cache import Cache
from holdfast.dialects import catalog
from holdfast.dialects.catalog import Dialects
from holdfast.errors import HoldfastError
from holdfast.paths import Place
from holdfast.session import Session
from holdfast.sessions import Survey
from holdfast.states import template
from holdfast.states.statefile import StateFile

_FORMAT = click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(doctor.version(), prog_name="holdfast")
@click.option("-C", "folder", default="", metavar="DIR", help="Work as if started in DIR.")
@click.pass_context
def cli(context: click.Context, folder: str) -> None:
    """Keep the state of Claude Code's working sessions in plain Markdown beside the code."""
    if folder and not os.path.isdir(folder):
        raise HoldfastError(f"{folder} is not a folder. Give -C one that is there.")
    if folder:
        os.chdir(folder)  # so that paths are meant from there, too
    context.obj = paths.locate(os.getcwd())


@cli.command()
@click.pass_obj
def init(place: Place) -> None:
    """Prepare this project: from here on its sessions have state files."""
    root = _root(place)
    path = f"{root}/{paths.SETTINGS}"
    if os.path.exists(path):
        click.echo(f"{paths.SETTINGS} is there already; nothing changed.")
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


@cli.command()
@click.argument("title")
@click.option("--type", "kind", type=click.Choice(template.TYPES), default=None, help="The type of work.")
@click.option("--dialect", default="agents", show_default=True, help="The shape of the file: agents, n5 or gsd-lite.")
@click.option("--session", default="", help="The known session it belongs to; Claude's own when Claude runs this.")
@click.pass_obj
def start(place: Place, title: str, kind: str | None, dialect: str, session: str) -> None:
    """Begin a piece of work: create its state file, titled TITLE."""
    root = _root(place)
    if not text.line(title):
        raise HoldfastError('The title is empty. Give one, such as: holdfast start "Parse the invoices"')
    _prepared(place)
    memory = Cache(place.store)
    chosen, shape = settings.load(root, os.environ, memory), catalog.known(root, memory).named(dialect)
    ident = _one(journal.sessions(place.store), session) if session else os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    if ident and not payload.is_session(ident):
        raise HoldfastError(f"{ident!r} is not a session's id. `holdfast list --all` shows those that are known.")
    with settle.writing(place):
        path = settle.begin(place, Session(ident), shape, template.Work(title, time.time(), kind or ""))
        if ident:
            journal.claim(place.store, ident, path, by="start")
        problem = settle.stage(place, ident, path, chosen)
    click.echo(os.path.relpath(path, root))
    if problem:
        click.echo(f"holdfast: {problem}", err=True)


@cli.command("list")
@click.option("--all", "everything", is_flag=True, help="Ended and finished sessions too.")
@_FORMAT
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
@click.argument("ident", metavar="[ID]", default="")
@_FORMAT
@click.pass_obj
def show_status(place: Place, ident: str, shape: str) -> None:
    """Show what a state file says: status, focus, progress, what is next, what is open."""
    now = time.time()
    hit, _, known = _meant(place, ident, now)
    told = _told(hit, known)
    if shape == "json":
        click.echo(codec.dumps(views.model_row(told, hit.session)))
        return
    click.echo(f"{text.line(str(told['title']), 200)}")
    dialect = hit.session.digest.get("dialect") or told.get("dialect")
    click.echo("\n".join([f"State file: {hit.session.state_name} ({dialect})", *views.model_lines(told, now)]))


@cli.command("show")
@click.argument("ident", metavar="[ID]", default="")
@click.option("--section", default="", help="Only the section of this name, whichever of its names the file uses.")
@_FORMAT
@click.pass_obj
def show_file(place: Place, ident: str, section: str, shape: str) -> None:
    """Print a state file, or one section of it, as it stands."""
    hit, _, known = _meant(place, ident, time.time())
    state = StateFile(files.read(hit.path), hit.path, known)
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
@_FORMAT
@click.pass_obj
def sync_file(place: Place, ident: str, source: str, dry_run: bool, shape: str) -> int:  # noqa: FBT001 - click's way
    """Set fields and add list items of a state file; everything else in it stays as it is."""
    wishes = sync.wanted(source)
    if not dry_run:
        _prepared(place)
    hit, survey, known = _meant(place, ident, time.time())
    done = sync.preview(hit, wishes, known) if dry_run else sync.sync(place, hit, wishes, known, survey.settings)
    name = hit.session.state_name
    if shape == "json":
        click.echo(codec.dumps(views.synced_row(done, name)))
    elif dry_run:
        click.echo(sync.diff(done, name), nl=False)
    else:
        click.echo("\n".join(views.synced_lines(done, name)))
    return _told_unplaced(done)


@cli.command("audit")
@click.argument("given", metavar="[PATH]...", nargs=-1)
@click.option("--convo-id", "ident", default="", metavar="ID", help="The state file of this id instead of paths.")
@_FORMAT
@click.pass_obj
def audit_files(place: Place, given: tuple[str, ...], ident: str, shape: str) -> int:
    """Say what is missing, unfilled, contradictory, stale or broken in state files, each with its line."""
    now, entry = time.time(), ""
    if given and ident:
        raise click.UsageError("Give paths, or --convo-id ID, not both.")
    if given:
        chosen, known = settings.usable(place.root, os.environ, Cache(place.store))[0], _dialects(place)
        wanted = [(path, path) for path in given]
    else:
        hit, survey, known = _meant(place, ident, now)
        chosen, wanted, entry = survey.settings, [(hit.path, hit.session.state_name)], hit.entry
    reports = [(audit.audit(path, known, now, chosen.stale_hours, entry), name) for path, name in wanted]
    if shape == "json":
        click.echo(codec.dumps([views.audit_row(report, name) for report, name in reports]))
    else:
        click.echo("\n".join(line for report, name in reports for line in views.audit_lines(report, name)))
    return max(2 if report.broken else 0 if report.complete else 1 for report, _ in reports)


@cli.command()
@click.argument("ident", metavar="[ID]", default="")
@click.pass_obj
def pause(place: Place, ident: str) -> int:
    """Set a state file to paused."""
    return _turned(place, ident, "paused")


@cli.command()
@click.argument("ident", metavar="[ID]", default="")
@click.pass_obj
def resume(place: Place, ident: str) -> int:
    """Set a paused state file to in progress again."""
    return _turned(place, ident, "active")


@cli.command()
@click.argument("ident", metavar="[ID]", default="")
@click.option("--delete", is_flag=True, help="Delete the file; only with nothing uncommitted.")
@click.option("--force", is_flag=True, help="With --delete: even so. What git does not have yet it is given first.")
@click.pass_obj
def close(place: Place, ident: str, delete: bool, force: bool) -> int:  # noqa: FBT001 - click's way
    """Set a state file to completed and print what is to be done before it goes; with --delete it goes."""
    _prepared(place)
    hit, survey, known = _meant(place, ident, time.time())
    if delete:
        click.echo("\n".join(lifecycle.delete(place, hit, survey.settings, force=force)))
        return 0
    done = lifecycle.turn(place, hit, "completed", known, survey.settings)
    click.echo("\n".join([*views.synced_lines(done, hit.session.state_name), *lifecycle.checklists(place, hit)]))
    return _told_unplaced(done)


@cli.command()
@click.argument("ident", metavar="[ID]", default="")
@_FORMAT
@click.pass_obj
def handoff(place: Place, ident: str, shape: str) -> int:
    """Print the hand-over of a state file, after checking that it is ready for it; nothing is written."""
    now = time.time()
    hit, _, known = _meant(place, ident, now)
    over = lifecycle.hand_over(hit, known)
    if shape == "json":
        click.echo(codec.dumps({"ready": not over.gaps, "gaps": over.gaps, **views.model_row(over.model, hit.session)}))
    else:
        click.echo("\n".join(views.hand_over_lines(over.model, hit.session, now)))
        for gap in over.gaps:
            click.echo(f"holdfast: not ready: {hit.session.state_name}: {gap}", err=True)
    return 1 if over.gaps else 0


@cli.command("brief")
@click.option("--session", default="", help="As this session would see it; a beginning of its id is enough.")
@click.pass_obj
def show_brief(place: Place, session: str) -> None:
    """Print what a session that starts now would be told."""
    now = time.time()
    survey = sessions.survey(place, now)
    known = [one.id for one in survey.sessions]
    own = _one(known, session) if session else os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    scene = brief.Scene(survey.sessions, own)
    lists = [checklist.lines(ended, len(scene.active)) for ended in survey.sessions if checklist.due(ended, now)]
    told = brief.compose(scene, lists, now, survey.settings.brief_characters, initialised=place.initialised)
    click.echo(told or "Nothing is known here yet: no session has worked in this project.\nType: holdfast init")
    if survey.complaint:
        raise HoldfastError(survey.complaint)


@cli.command("settle")
@click.option("--session", default="", help="Only this session; a beginning of its id is enough.")
@click.pass_obj
def settle_now(place: Place, session: str) -> None:
    """Bring state files up to date with the journals."""
    if not place.store:
        raise HoldfastError("There are no journals here. Type: holdfast init")
    chosen, complaint = settings.usable(place.root, os.environ, Cache(place.store))
    only = [_one(journal.sessions(place.store), session)] if session else journal.sessions(place.store)
    done = settle.settle_each(place, only, chosen)
    sessions.survey(place, time.time())  # leaves the next session start a warm cache
    click.echo(f"Settled {len(done)}: {', '.join(done)}" if done else "Everything was settled already.")
    if complaint:
        raise HoldfastError(complaint)


@cli.command("doctor")
@_FORMAT
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


def main() -> int:
    """Run the command line and return its exit code: 0 done, 1 not, 2 misused."""
    try:
        code = cli.main(prog_name="holdfast", standalone_mode=False)
    except HoldfastError as error:
        return _failed(str(error), 1)
    except click.Abort:
        return _failed("stopped", 130)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except OSError as error:
        return _failed(f"{error.filename or 'the system'}: {error.strerror or error}. Type: holdfast doctor", 1)
    except Exception as error:  # noqa: BLE001 - the other boundary: no traceback reaches a person
        faults.record(paths.data_dir(os.environ), "holdfast " + " ".join(sys.argv[1:2]), error)
        return _failed(f"{type(error).__name__}: {error}. A fault of holdfast; `holdfast doctor` tells the place", 3)
    return code if isinstance(code, int) else 0


def _failed(message: str, code: int) -> int:
    """Say on standard error why nothing was done, and return the exit code."""
    click.echo(f"holdfast: {message}", err=True)
    return code


def _root(place: Place) -> str:
    """Return the working tree; HoldfastError where there is none."""
    if not place.root:
        raise HoldfastError(f"{place.git} is a bare repository, which has no place for state files. Use a worktree.")
    return place.root


def _one(known: list[str], beginning: str) -> str:
    """Return the one id that begins so; HoldfastError names the candidates."""
    found = [beginning] if beginning in known else [ident for ident in known if ident.startswith(beginning)]
    if len(found) == 1:
        return found[0]
    candidates = ", ".join((found or known)[:8]) or "none"
    problem = "several sessions begin with" if found else "no session begins with"
    raise HoldfastError(f"{problem} {beginning!r}. Known: {candidates}. Type: holdfast list --all")


def _meant(place: Place, ident: str, now: float, standing: str = "active") -> tuple[lookup.Hit, Survey, Dialects]:
    """Return the state file that is meant, with the survey and the dialects it was found in."""
    survey = sessions.survey(place, now)
    if survey.complaint:
        click.echo(f"holdfast: {survey.complaint}", err=True)
    hit = lookup.find(place, survey.sessions, ident, os.environ.get("CLAUDE_CODE_SESSION_ID", ""), standing)
    if not hit.path:
        raise HoldfastError(f"session {hit.session.id} has no state file. Make one: holdfast start TITLE")
    return hit, survey, catalog.known(place.root, Cache(place.store))


def _prepared(place: Place) -> None:
    """Refuse to write where there is no place for a lock."""
    if not place.store:
        raise HoldfastError(f"{_root(place)} is not in git and not prepared. Type: holdfast init")


def _dialects(place: Place) -> Dialects:
    """Return the dialects in force; what is wrong with a project's own is said."""
    known = catalog.known(place.root, Cache(place.store))
    if known.complaint:
        click.echo(f"holdfast: {known.complaint}", err=True)
    return known


def _turned(place: Place, ident: str, standing: str) -> int:
    """Give a state file another standing and say so."""
    _prepared(place)
    hit, survey, known = _meant(place, ident, time.time(), "paused" if standing == "active" else "active")
    done = lifecycle.turn(place, hit, standing, known, survey.settings)
    click.echo("\n".join(views.synced_lines(done, hit.session.state_name)))
    return _told_unplaced(done)


def _told_unplaced(done: sync.Synced) -> int:
    """Say what could not be done, and return the exit code."""
    for line in [*views.unplaced_lines(done), *done.notes, *([done.unstaged] if done.unstaged else [])]:
        click.echo(f"holdfast: {line}", err=True)
    return 1 if done.outcome.unplaced else 0


def _told(hit: lookup.Hit, known: Dialects) -> dict[str, object]:
    """Return the model of what was meant: a file's, or that of an entry in it."""
    return lifecycle.hand_over(hit, known).model
