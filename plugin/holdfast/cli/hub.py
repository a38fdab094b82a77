"""The hub by hand: updated, checked, looked at, swept, archived; and sessions picked up again."""

import os
import time

import click

from holdfast import codec, files, lifecycle, lookup, pickup, provenance, sessions, store, sync, views
from holdfast.cli.app import FORMAT, IDENT, cli, followed, own_session, prepared, told_unplaced
from holdfast.errors import HoldfastError
from holdfast.hub import family, mending, place, request, sweeping, updater, validation, writing
from holdfast.hub.draft import Draft
from holdfast.hub.project import Project
from holdfast.hub.register import Hub
from holdfast.paths import Place
from holdfast.session import Session

_ROUNDS = 3  # of a mend, at most


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", metavar="KEY=VALUE...", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def update(here: Place, arguments: tuple[str, ...]) -> int:
    """Tell the hub what a session does, as KEY=VALUE each, or all in one string; answers one JSON object.

    \b
    action          started, in_progress, completed, waiting or paused
    agent           implementor, tests, git, genie, learn, release, roadmap, or one of the settings
    session_id      the session's id; Claude's own when Claude runs this
    purpose         what it is for
    context         data such as files_modified:[a,b] tests_pass:true, a JSON object, or words
    parent_session  the id of the session that started it
    branch          the branch it works on
    """  # noqa: D301 - click knows a block that keeps its lines by the sign itself
    try:
        prepared(here)
        project = Project(here, time.time())
        answer = updater.run(project, request.read(arguments, own_session()))
    except HoldfastError as error:
        answer = updater.failure(str(error))
    except OSError as error:
        answer = updater.failure(f"{error.filename or 'the system'}: {error.strerror}. Type: holdfast doctor")
    click.echo(codec.dumps(answer))
    return 0 if answer["status"] == "success" else 1


@cli.command()
@click.option("--fix", is_flag=True, help="Mend what needs nobody's meaning, and show the change as a diff.")
@click.option("--dry-run", is_flag=True, help="With --fix: only show the change.")
@FORMAT
@click.pass_obj
def validate(here: Place, fix: bool, dry_run: bool, shape: str) -> int:  # noqa: FBT001 - click's way
    """Check the hub: Markdown, ids, links, orphans, times, and whether it says what the journals tell."""
    path, now = _hub(here), time.time()
    project, known = Project(here, now), sessions.survey(here, now).sessions
    name = os.path.relpath(path, place.home(here).root)
    before = after = files.read(path)
    if fix:
        try:
            after = _mended(project, path, known, write=not dry_run)
        except HoldfastError as error:
            why = Hub(before, project.dialect).problem or str(error).removeprefix(f"{path}: ")
            click.echo(f"holdfast: {name}: {why}", err=True)
            after = files.read(path)
        click.echo(sync.diff(before, after, name), nl=False)
    found = validation.look(Hub(after, project.dialect), path, known)
    if shape == "json":
        click.echo(codec.dumps(validation.row(found, name)))
    else:
        click.echo("\n".join(validation.lines(found, name)))
    return 1 if found.flaws else 0


def _mended(project: Project, path: str, known: list[Session], *, write: bool) -> bytes:
    """Return the hub as `--fix` leaves it, written or not; what mends only once something else did takes its turn."""

    def mend(draft: Draft) -> None:
        mending.mend(validation.look(draft.hub, path, known), draft)

    if write:
        with store.writing(project.place):
            for _ in range(_ROUNDS):
                if not writing.write(project, mend).changed:
                    break
        return files.read(path)
    data = files.read(path)
    for _ in range(_ROUNDS):
        draft = Draft(Hub(data, project.dialect), project.now)
        mend(draft)
        before, data = data, draft.done()
        if data == before:
            break
    return data


@cli.command()
@click.option("--all", "everything", is_flag=True, help="Those that are completed too.")
@FORMAT
@click.pass_obj
def tree(here: Place, everything: bool, shape: str) -> None:  # noqa: FBT001 - click's way
    """Show who started whom: sessions, subagents and entries of the hub, with status, age and last line."""
    now = time.time()
    hub, _ = _read(here, now)
    found = family.tree(family.members(sessions.survey(here, now).sessions, hub), everything=everything)
    if shape == "json":
        click.echo(codec.dumps(family.rows(found)))
        return
    click.echo(
        "\n".join(family.lines(found, now)) or "Nobody is at work here. Those that are completed: holdfast tree --all"
    )


@cli.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.pass_obj
def sweep(here: Place, dry_run: bool) -> None:  # noqa: FBT001 - click's way
    """Close or pause what says active, is gone, and was silent for longer than `stale_hours`; close orphans."""
    prepared(here)
    now = time.time()
    survey = sessions.survey(here, now)
    hub, problem = _read(here, now)
    found = sweeping.find(survey.sessions, family.members(survey.sessions, hub), survey.settings.stale_hours, now)
    told = [one.told(done=False) for one in found]
    if found and not dry_run:
        told = sweeping.carry_out(here, found, now, problem)
    click.echo("\n".join(told) or "Nothing is stale, and nothing is orphaned.")


@cli.command()
@click.option("--keep", type=click.IntRange(0), default=None, help="How many entries stay; else `history_entries`.")
@click.pass_obj
def archive(here: Place, keep: int | None) -> int:
    """Move the oldest entries of the hub's history to SESSION-HISTORY.md beside it."""
    path = _hub(here)
    project = Project(here, time.time())
    _, problem = _read(here, project.now)
    if problem:
        click.echo("Nothing moved.")
        return 1
    with store.writing(here):
        moved = writing.archive(project, project.settings.history_entries if keep is None else keep)
    name = os.path.relpath(place.beside(path, place.ARCHIVE), place.home(here).root)
    click.echo(f"Moved {moved} to {name}." if moved else "The history holds no more than it should; nothing moved.")
    return 0


@cli.command()
@IDENT
@FORMAT
@click.pass_obj
def resume(here: Place, ident: str, shape: str) -> int:
    """List the sessions that can be picked up again, or pick one up: its hand-over, and the line that resumes it.

    A state file that was paused is set to in progress again.
    """
    now = time.time()
    survey = sessions.survey(here, now)
    if not ident:
        _list_waiting(here, survey, now, shape)
        return 0
    hit, root = lookup.find(here, survey.sessions, ident), place.home(here).root
    model = lifecycle.hand_over(hit, survey.dialects).model if hit.path else pickup.model(hit.session)
    code = 0
    if hit.path and model["standing"] == "paused":
        code = _turned(here, hit, survey, shape)
        model = lifecycle.hand_over(hit, survey.dialects).model
        followed(here, hit, now)
    if shape == "json":
        click.echo(codec.dumps({**pickup.row(hit.session, root), **views.model_row(model, hit.session)}))
    else:
        click.echo("\n".join([*views.hand_over_lines(model, hit.session, now), "", *_way(hit, root)]))
    return code


def _list_waiting(here: Place, survey: sessions.Survey, now: float, shape: str) -> None:
    """Print what can be picked up: the sessions of this machine, then what only the hub knows of."""
    root = place.home(here).root
    path = place.known(root)
    waiting, entries = pickup.resumable(survey.sessions), pickup.entries(survey, path)
    if shape == "json":
        known = [pickup.row(one, root) for one in waiting]
        click.echo(codec.dumps([*known, *(pickup.entry_row(one, os.path.relpath(path, root)) for one in entries)]))
        return
    lines = [*pickup.lines(waiting, now, root), *pickup.entry_lines(entries, now)]
    click.echo("\n".join(lines) or "There is nothing to pick up here. What is done: holdfast list --all")


def _turned(here: Place, hit: lookup.Hit, survey: sessions.Survey, shape: str) -> int:
    """Set a paused state file to active again and say so; one that cannot be is still handed over."""
    try:
        prepared(here)
        done = lifecycle.turn(here, hit, "active", survey.dialects, survey.settings)
    except HoldfastError as error:
        click.echo(f"holdfast: {error}", err=True)
        return 1
    except OSError as error:
        click.echo(f"holdfast: {error.filename or hit.path}: {error.strerror}", err=True)
        return 1
    if done.written and shape == "text":
        click.echo("\n".join([*views.synced_lines(done, hit.session.state_name), ""]))
    return told_unplaced(done)


def _way(hit: lookup.Hit, root: str) -> list[str]:
    """Return the line that resumes the conversation, or that none is known."""
    line = "" if hit.entry else pickup.command(hit.session, root)
    if not line:
        return ["No conversation of it is known here; it goes on in a new one."]
    return [f"Pick it up: {line}", *(["It is live: this opens it a second time."] if hit.session.live else [])]


def _hub(here: Place) -> str:
    """Return the path of the hub; HoldfastError when there is none yet."""
    prepared(here)
    path = place.path_of(here)
    if not os.path.lexists(path):
        raise HoldfastError(
            f"{path} is not there. It is made when a session does something worth an entry, "
            "or by: holdfast update action=started …"
        )
    provenance.refuse(here, [path])
    return path


def _read(here: Place, now: float) -> tuple[Hub | None, str]:
    """Return the hub as it can be read, and why it must not be written, "" for nothing; that is said."""
    root = place.home(here).root
    path = place.known(root)
    if not path:
        return None, ""
    hub = None
    try:
        provenance.refuse(here, [path])
        hub = Hub(files.read(path), Project(here, now).dialect)
        problem = hub.problem
    except HoldfastError as error:
        problem = str(error)
    except OSError as error:
        problem = error.strerror or "it cannot be read"
    if problem:
        click.echo(f"holdfast: {os.path.relpath(path, root)}: {problem}", err=True)
    return hub, problem
