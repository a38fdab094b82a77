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
    paths,
    payload,
    sessions,
    settings,
    settle,
    table,
    text,
)
from holdfast.cache import Cache
from holdfast.clock import write
from holdfast.errors import HoldfastError
from holdfast.paths import Place
from holdfast.session import Session

_FORMAT = click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(doctor.version(), prog_name="holdfast")
@click.option("-C", "folder", default="", metavar="DIR", help="Work as if started in DIR.")
@click.pass_context
def cli(context: click.Context, folder: str) -> None:
    """Keep the state of Claude Code's working sessions in plain Markdown beside the code."""
    if folder and not os.path.isdir(folder):
        raise HoldfastError(f"{folder} is not a folder. Give -C one that is there.")
    context.obj = paths.locate(folder or os.getcwd())


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
@click.option("--session", default="", help="The known session it belongs to; Claude's own when Claude runs this.")
@click.pass_obj
def start(place: Place, title: str, session: str) -> None:
    """Begin a piece of work: create its state file, titled TITLE."""
    root = _root(place)
    if not text.line(title):
        raise HoldfastError('The title is empty. Give one, such as: holdfast start "Parse the invoices"')
    if not place.store:
        raise HoldfastError(f"{root} is not in git and not prepared. Type: holdfast init")
    chosen = settings.load(root, os.environ, Cache(place.store))
    ident = _one(journal.sessions(place.store), session) if session else os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    if ident and not payload.is_session(ident):
        raise HoldfastError(f"{ident!r} is not a session's id. `holdfast list --all` shows those that are known.")
    with settle.writing(place):
        path = settle.begin(place, title, time.time(), Session(ident))
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
    known = sessions.survey(place, now).sessions if place.store else []
    shown = [session for session in known if everything or session.notable]
    if shape == "json":
        click.echo(codec.dumps([_row(session) for session in shown]))
        return
    if not shown:
        hidden = f" {len(known)} ended: holdfast list --all" if known else ""
        click.echo(f"No active session is known here.{hidden}")
        return
    table.show(shown, now)


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


def _row(session: Session) -> dict[str, object]:
    """Return a session as `list --format json` gives it; times in UTC, "" for none."""
    return {
        "id": session.id,
        "title": text.line(session.title, 200),
        "status": session.status,
        "branch": session.branch,
        "worktree": session.worktree,
        "live": session.live,
        "stale": session.stale,
        "last_heard": write(session.heard),
        "ended": write(session.ended) if session.ended else "",
        "files_touched": sorted(session.files),
        "children": [
            {"id": ident, "type": kind, "status": status} for ident, (kind, status) in session.children.items()
        ],
        "state_file": session.state_name,
    }
