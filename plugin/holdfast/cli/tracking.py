"""The commands `link` and `pr`: the issue of a session, and its pull request."""

import os

import click

from holdfast.actions import sync
from holdfast.cli import screen
from holdfast.cli.app import cli, find_state_file, own_session, require_store, warn, with_session_option
from holdfast.cli.output import is_json, report, reports
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import text_of
from holdfast.core.statuses import COMPLETED
from holdfast.journal import log
from holdfast.project import user_settings
from holdfast.sessions.candidates import Hit
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.tracker import tools, work
from holdfast.tracker.tools import Draft, Repository
from holdfast.trust import clone, safe


@cli.command("link")
@click.argument("key", default="")
@click.option("--send", is_flag=True, help="Write what is due about a completed session to its issue tracker.")
@click.option("--background", is_flag=True, hidden=True)
@with_session_option
@reports
@click.pass_obj
def link(workspace: Workspace, *, key: str, ident: str, send: bool, background: bool) -> None:
    """Say which issue a session is about, as KEY: #12, its address, or PLT-123; without KEY show it.

    What is read and written is on switches in your own settings. docs/how-to/tracker.md says more.
    """
    project = workspace.project
    require_store(project)
    if background:
        work.run(project)
        return
    session = _session(workspace, ident)
    if key:
        _link(workspace, session, key)
    if send:
        _require_journal(session)
        _send(workspace, session)
    _show(workspace, session)


@cli.command("pr")
@click.option("--create", is_flag=True, help="Create it, after a question before the first write to a repository.")
@with_session_option
@reports
@click.pass_obj
def pull_request(workspace: Workspace, *, ident: str, create: bool) -> None:
    """Print a pull request's text from the decisions, tests and commits of a session, or create it."""
    require_store(workspace.project)
    session = _session(workspace, ident)
    draft = work.pull_request(workspace, session)
    address = ""
    if create:
        _require_journal(session)
        chosen = tools.configured(os.environ)
        if not chosen.pull_request:
            raise HoldfastError(f"write pull_request = true below [tracker] in {_settings()} first.")
        where = tools.repository(workspace.project.root, chosen.tool)
        draft = work.with_branches(where, draft, session.branch)
        _agree(workspace, session, where, [draft], "holdfast pr --create")
        address = tools.write(workspace.project, where, session, draft)
    row: dict[str, object] = {"title": draft.title, "body": draft.body, "url": address}
    report(row, *([address] if create else [draft.title, "", *draft.body.splitlines()]))


def after_close(workspace: Workspace, session: Session) -> None:
    """Write what is switched on about a session that was just completed; a problem is only printed."""
    try:
        _send(workspace, session)
    except HoldfastError as error:
        warn(f"nothing was written to the issue tracker: {error}")


def _send(workspace: Workspace, session: Session) -> None:
    """Write what is due about a completed session, after a question before the first write to a repository."""
    chosen = tools.configured(os.environ)
    if not (chosen.comment or chosen.remaining):
        raise HoldfastError(f"write comment = true or remaining = true below [tracker] in {_settings()} first.")
    if session.status != COMPLETED:
        raise HoldfastError(f'"{safe.line(session.title, 80)}" is {session.status}. Complete it first: holdfast close')
    drafts = work.due(workspace, session, chosen)
    if drafts:
        where = tools.repository(workspace.project.root, chosen.tool)
        _agree(workspace, session, where, drafts, "holdfast link --send")
        with work.noting_problem(workspace.project.store):
            addresses = work.finish(workspace, session, where, chosen)
        for address in addresses:
            (warn if is_json() else click.echo)(address)


def _agree(workspace: Workspace, session: Session, where: "Repository", drafts: "list[Draft]", command: str) -> None:
    """Show the exact text and ask, unless a person said yes for this repository before; HoldfastError without a yes.

    `command` is what a person types for the question.
    """
    if tools.may_write(workspace.project, where):
        return
    if not clone.is_trusted(workspace.project):
        raise HoldfastError("this clone is not trusted here. Look at it and say yes, in a terminal: holdfast trust")
    if clone.output_reaches_claude() or is_json() or not screen.can_ask():
        raise HoldfastError(f"a person says yes to writing to {where.name}, in a terminal: {command}")
    for draft in drafts:
        click.echo(f"--- {where.name}: {draft.name()}\n\n{tools.whole(session, draft)}")
    if not click.confirm(f"Write this to {where.name}, and from now on what your settings switch on?"):
        raise HoldfastError("nothing was written.")
    clone.approve(workspace.project, tools.consent(where))


def _session(workspace: Workspace, ident: str) -> Session:
    """Return the session that is meant, also one that no client started: then it is a state file without a journal."""
    session = workspace.session(ident or own_session())
    if session is None:
        hit = find_state_file(workspace, ident, or_completed=True)[0]
        session = workspace.session(hit.entry or hit.session.id) or hit.session
    if session.shared and not session.journaled:
        raise HoldfastError(f"{session.state_name} is not of one session. Name a session of a client: holdfast list")
    clone.require_trusted([session.state] if session.state else [])
    return session


def _link(workspace: Workspace, session: Session, key: str) -> None:
    """Keep which issue a session has: in its journal, or in the frontmatter of a state file without one."""
    issue = work.issue_key(key, workspace.project.root)
    if not issue:
        raise HoldfastError(
            f"{key[:80]!r} names no issue of this repository. Give #12, its address, or a key such as PLT-123."
        )
    if session.journaled:
        log.append(workspace.project.store, session.id, {"kind": "linked", "text": issue})
        return
    table, _, name = (work.issue_field(workspace, session) or "frontmatter.issue").rpartition(".")
    changes: dict[str, object] = {table or "frontmatter": {name: issue}}
    done = sync.sync(workspace.project, Hit(session), changes, workspace.formats, workspace.settings)
    if done.outcome.unplaced:
        raise HoldfastError(f"no client works on {session.state_name}, and its format has no place for an issue.")


def _require_journal(session: Session) -> None:
    """Raise HoldfastError for a state file without a session: nothing would keep what was written about it."""
    if not session.journaled:
        raise HoldfastError(f'no client has worked on "{session.title[:80]}" yet. Work on it in a session first.')


def _show(workspace: Workspace, session: Session) -> None:
    store = workspace.project.store
    issue, problem = work.issue_of(workspace, session), work.problem(store) if user_settings.tracks(os.environ) else ""
    facts = [fact for fact in log.of_kinds(store, session.id, ("tracked",)) if fact.get("type") != work.START]
    urls = [url for fact in facts if (url := text_of(fact, "text"))]
    line = f"Issue {issue}" if issue else "No issue is known. Name it: holdfast link KEY"
    text = work.unplaced(workspace, session)
    row: dict[str, object] = {"session": session.id, "issue": issue, "written": urls, "problem": problem}
    without_place = f"{text} (not in {session.state_name}: its format has no place for an issue)"
    report(row, line, *urls, *([without_place] if text else []), *([f"Not done: {problem}"] if problem else []))


def _settings() -> str:
    return user_settings.path(os.environ)
