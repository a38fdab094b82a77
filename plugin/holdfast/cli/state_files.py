"""The commands `start`, `sync`, `audit` and `handoff`: create, edit and check state files."""

import os

import click

from holdfast.actions import accept, adoption, lifecycle, sync, update_hub
from holdfast.cli import output, render, screen
from holdfast.cli.app import (
    cli,
    find_or_begin_state_file,
    find_state_file,
    own_session,
    pick,
    print_json,
    refresh_hub,
    report_unplaced,
    require_store,
    require_worktree,
    say,
    survey_for,
    unique_id,
    warn,
    with_session_argument,
    with_session_option,
    with_words,
)
from holdfast.cli.output import is_json, report, reports, reports_apart
from holdfast.context.drift import report as drift_report
from holdfast.core.errors import HoldfastError
from holdfast.editing import store
from holdfast.formats import template
from holdfast.formats.audit import audit
from holdfast.formats.schema import TYPES
from holdfast.journal import asked, log, payload
from holdfast.memory import checks, location
from holdfast.project import discovery
from holdfast.sessions import candidates, listed, lookup
from holdfast.sessions import survey as sessions
from holdfast.sessions.session import Session
from holdfast.sessions.status import with_status
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe

_TITLE = 80  # characters of a new title


@cli.command()
@with_words("title", masked=False)
@click.option("--type", "kind", type=click.Choice(TYPES), default=None, help="The type of work.")
@click.option("--mode", default="", help="The mode of work, in formats that have one.  [default: general]")
@click.option(
    "--format",
    "file_format",
    default="",
    help="The format of the file: agents, n5 or gsd-lite. By default that of the project.",
)
@click.option(
    "--session", default="", help="The id of the session that it belongs to. In Claude's shell: that session."
)
@reports
@click.pass_obj
def start(  # noqa: PLR0913, PLR0917 - one argument for each option
    workspace: Workspace, title: str, kind: str | None, mode: str, file_format: str, session: str
) -> None:
    """Begin a piece of work: create its state file, titled TITLE."""
    project = workspace.project
    root = require_worktree(project)
    title = asked.title(title) or title  # without a bullet, or a greeting
    if not safe.line(title):
        raise HoldfastError('The title is empty. Give one, such as: holdfast start "Parse the invoices"')
    require_store(project)
    chosen = workspace.valid_settings
    new_format = location.format_of_new_file(workspace, project.target.root, file_format)
    ident = unique_id(log.sessions(project.store), session) if session else own_session()
    if ident and not payload.is_session(ident):
        raise HoldfastError(f"{ident!r} is not a session's id. `holdfast list --all` shows those that are known.")
    begun = Session(ident).replace(client=workspace.recorded(ident).client if ident else "")
    before = _with_title(workspace, safe.line(title), ident)
    accept.accept_new(workspace)
    with store.writing(project):
        path = adoption.begin(
            project, begun, new_format, template.Work(title, workspace.now, kind or "", safe.line(mode)), workspace
        )
        if ident:
            log.claim(project.store, ident, path, by="start")
        problem = adoption.stage(project, ident, path, chosen)
    name = os.path.relpath(path, root)
    shown = safe.shell(listed.shortened([ident or os.path.basename(path).removesuffix(".md")]).popitem()[1])
    report({"path": name, "session": ident}, name, *([f"To see it: holdfast status {shown}"] if screen.size() else []))
    if problem:
        warn(problem)
    if before:
        warn(f"this title is also that of open work: holdfast status {safe.shell(before)}")


def _with_title(workspace: Workspace, title: str, ident: str) -> str:
    """Return the id of the latest open work with a title, "" for none; that of the session `ident` does not count."""
    everyone = sessions.survey(workspace).sessions
    same = [one.id for one in everyone if one.open and one.state and one.id != ident and one.title == title]
    return same[0] if same else ""


@cli.command()
@click.argument("ident", metavar="ID")
@with_words("title")
@reports
@click.pass_obj
def rename(workspace: Workspace, ident: str, title: str) -> int:
    """Give the session or state file ID the title TITLE. Words of the old title may stand for ID, in quotes."""
    project, words = workspace.project, safe.line(title, _TITLE)
    require_store(project)
    survey = survey_for(workspace, ident)
    hit = pick(lambda: lookup.named(project, survey.sessions, ident, own_session()))
    before = candidates.title(hit)
    done = update_hub.sync_file(survey, hit, update_hub.in_form(hit, {"title": words})) if hit.path else None
    code = report_unplaced(done) if done else 0
    if hit.session.journaled and not hit.entry and not code:
        adoption.note_title(workspace, hit.session, words, adoption.PERSON)
    refresh_hub(workspace, hit)
    hit = lookup.named(project, sessions.survey(Workspace(project, workspace.now)).sessions, hit.ident)
    if code or candidates.title(hit) != words:
        raise HoldfastError(f'the title is "{safe.line(candidates.title(hit), 80)}". Type: holdfast audit')
    away = (
        [f"Its state file is {hit.session.away}, and gets it when the work goes on there."] if hit.session.away else []
    )
    report({"id": hit.ident, "title": words}, f'"{safe.line(before, 80)}" is now "{words}".', *away)
    return 0


@cli.command("sync")
@with_session_argument
@click.option(
    "--json",
    "source",
    required=True,
    metavar="JSON",
    help="The changes: a JSON object, - for standard input, or @FILE.",
)
@click.option("--dry-run", is_flag=True, help="Print the change as a diff and write nothing.")
@reports_apart
@click.pass_obj
def sync_file(workspace: Workspace, ident: str, source: str, dry_run: bool) -> int:  # noqa: FBT001 - click's way
    """Set fields and add list items of a state file; everything else in it stays as it is."""
    project, requested = workspace.project, sync.read_requests(source)
    if not requested:
        raise click.UsageError(f"The request names nothing to write. Give, for example: --json {sync.EXAMPLE}.")
    if not dry_run:
        require_store(project)
    hit, survey = (find_state_file if dry_run else find_or_begin_state_file)(workspace, ident)
    if dry_run:
        done = sync.preview(hit, update_hub.in_form(hit, requested), survey.formats)
    else:
        done = update_hub.sync_file(survey, hit, requested)
        titles = [change.new for change in done.outcome.changes if change.where.startswith("title")]
        if titles and done.written and hit.session.journaled and not hit.entry:
            adoption.note_title(workspace, hit.session, safe.line(titles[0], _TITLE), adoption.OTHER)
        if not hit.session.open and hit.session.journaled:  # its words may say that it is over
            from holdfast.actions import settle

            settle.settle(Workspace(project), hit.session.id, always=True)
        refresh_hub(workspace, hit)
    name = hit.session.state_name
    if is_json():
        print_json(render.synced_row(done, name))
    elif dry_run:
        click.echo(sync.diff(done.before, done.outcome.data, name), nl=False)
    else:
        say(*render.synced_lines(done, name))
    return report_unplaced(done)


@cli.command("audit")
@click.argument("files_given", metavar="[PATH]...", nargs=-1)
@with_session_option
@reports
@click.pass_obj
def audit_files(workspace: Workspace, files_given: tuple[str, ...], ident: str) -> int:
    """List what is missing, unfilled, invalid, contradictory, stale or broken in state files, with line numbers."""
    if files_given and ident:
        raise click.UsageError("Give paths, or --session ID, not both.")
    entry = ""
    if files_given:
        if workspace.formats.complaint:
            warn(workspace.formats.complaint)
        for path in map(os.path.abspath, files_given):
            if discovery.leads_out(path):
                raise HoldfastError(f"{path} leads out of the project through a link. Give the file itself.")
        named_paths = [(path, safe.mask(path)) for path in files_given]
        clone.require_trusted(map(os.path.abspath, files_given))
    else:
        hit, _ = find_state_file(workspace, ident)
        entry, named_paths = hit.entry, [(hit.path, hit.session.state_name)]
    formats, stale_hours = workspace.formats, workspace.settings.stale_hours
    audits = [
        (audit.audit(path, formats, workspace.now, stale_hours, entry), name)
        for path, name in output.each(named_paths, "Auditing")
    ]
    for audited, _ in audits:
        if audited.file_format and not entry:
            checks.audit(audited, workspace.state_file(audited.path), formats)
    if is_json():
        print_json([render.audit_row(one, name) for one, name in audits])
    else:
        say(*(line for one, name in audits for line in render.audit_lines(one, name)))
    return max(2 if one.broken else 0 if one.complete else 1 for one, _ in audits)


@cli.command()
@with_session_argument
@reports
@click.pass_obj
def handoff(workspace: Workspace, ident: str) -> int:
    """Print the hand-over of a state file, and what it lacks. Nothing is written."""
    hit, survey = find_state_file(workspace, ident, or_away=True)
    over = lifecycle.hand_over(hit, survey.formats)
    gaps = [*over.gaps, *([] if hit.entry else drift_report.to_update(hit.session, workspace, own_session()))]
    if is_json():
        print_json({"ready": not gaps, "gaps": gaps, **render.summary_row(over.summary, hit.session, hit.entry)})
    else:
        say(*render.hand_over_lines(with_status(over.summary, hit.session), hit.session, workspace.now))
        for gap in gaps:
            warn(f"not ready: {hit.session.state_name}: {gap}")
    return 1 if gaps else 0
