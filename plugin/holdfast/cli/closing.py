"""The commands `close` and `finish`: they end a piece of work, say what is left, and delete its file on request."""

import os

import click

from holdfast.actions import adoption, hand_over, lifecycle, update_hub
from holdfast.actions.sync import Synced, require_own_shell
from holdfast.cli import render, show
from holdfast.cli.app import (
    catch_up,
    cli,
    find_state_file,
    own_session,
    print_json,
    refresh_hub,
    report_unplaced,
    require_store,
    say,
    take_survey,
    with_session_argument,
)
from holdfast.cli.output import is_json, report, reports
from holdfast.context.checklist import checklist
from holdfast.context.checklist.checklist import Item
from holdfast.context.handover.content import Additions
from holdfast.core.errors import HoldfastError
from holdfast.core.statuses import COMPLETED, DROPPED, OVER, PAUSED
from holdfast.editing import store
from holdfast.editing.store import HeldError
from holdfast.git import queries
from holdfast.journal import log
from holdfast.project import paths, user_settings
from holdfast.project.paths import Project
from holdfast.sessions import candidates, lookup
from holdfast.sessions import survey as sessions
from holdfast.sessions.candidates import Hit
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe


@cli.command()
@with_session_argument
@click.option("--check", is_flag=True, help="Only print what is to be done; nothing is written.")
@click.option("--delete", is_flag=True, help="Delete the file; only with nothing uncommitted and no open item.")
@click.option(
    "--force", is_flag=True, help="With --delete: even with open items. Uncommitted text is stored in git first."
)
@click.option("--all", "everything", is_flag=True, help="Also print what only you can answer, as far as it applies.")
@reports
@click.pass_obj
def close(  # noqa: PLR0913 - one for each option
    workspace: Workspace, *, ident: str, check: bool, delete: bool, force: bool, everything: bool
) -> int:
    """Print what is open, and set a state file to completed; --delete deletes it.

    Without ID it is your own state file, or the only active one. With --check or --delete it may also be the only
    completed one.
    """
    if check and delete:
        raise click.UsageError("Give --check or --delete, not both.")
    project = workspace.project
    if not check:
        require_store(project)
    hit, _ = find_state_file(workspace, ident, or_completed=check or delete, recent=check, or_away=not delete)
    if delete:
        require_own_shell(project, hit)
        name, lines = hit.session.state_name, delete_state_file(workspace, hit, force=force)
        refresh_hub(workspace, hit)
        report({"path": name, "deleted": True, "told": lines}, *lines)
        return 0
    done, lines = (None, list[str]()) if check else _completed(workspace, hit)
    name = hit.session.state_name
    if done:
        refresh_hub(workspace, hit)
        _tell_tracker(workspace, hit)
    moved, left = lifecycle.checklists(workspace, hit)
    if done and done.written:
        moved, left = ([_without(item, name) for item in items] for items in (moved, left))
    if hit.entry and update_hub.is_history(workspace, hit):
        left = [item for item in left if item.kind != "move"]
    if is_json():
        items = {"findings": [item.row() for item in [*moved, *left]]}
        print_json({**(render.synced_row(done, name) if done else {"path": name, "written": False}), **items})
    else:
        told = [*render.synced_lines(done, name), *render.uncommitted_lines(hit.path)] if done else lines
        say(*_shown(hit, moved, left, told, everything=everything))
    return report_unplaced(done) if done else 0


def _shown(hit: Hit, moved: list[Item], left: list[Item], told: list[str], *, everything: bool) -> list[str]:
    """Return what is open, then what was done; with `everything` all of both lists."""
    if everything:
        return [*lifecycle.checklist_lines(*show.due(moved, left, hit.session)), *told]
    if not told and hit.session.open:
        told = [f"Complete it: holdfast close {candidates.short_name(hit)}"]
    return [*show.fitted(checklist.short(left, max(1, checklist.MOST - len(told)))), *told]


def _completed(workspace: Workspace, hit: Hit) -> tuple[Synced | None, list[str]]:
    """Complete work; return what was written, or the lines that say when it will be."""
    catch_up(workspace, hit)
    if not hit.path:
        return None, later(workspace, hit, COMPLETED)
    try:
        return update_hub.turn(workspace, hit, COMPLETED), []
    except HeldError as error:
        return None, later(workspace, hit, COMPLETED, problem=str(error))


def later(workspace: Workspace, hit: Hit, status: str, why: str = "", problem: str = "") -> list[str]:
    """Give work whose state file is not written now its status, as `lifecycle.later` does, and bring the hub along."""
    lines = lifecycle.later(workspace, hit, status, why, problem)
    lines += hand_over.take_away(workspace, hit.place, hit.entry) if status in OVER else []
    refresh_hub(workspace, hit)
    return lines


def _without(item: Item, name: str) -> Item:
    """Return an item without the file that this command has just changed: the line above says how to commit it."""
    if item.kind not in {"uncommitted", "details"} or name not in item.evidence:
        return item
    rest = [one for one in item.evidence if one != name]
    return Item(item.kind, item.what, rest, done=item.count == 1, count=item.count - 1)


def _tell_tracker(workspace: Workspace, hit: candidates.Hit) -> None:
    """Write to the issue tracker what the user's settings switch on; nothing is loaded where they do not name one."""
    if not user_settings.tracks(os.environ):
        return
    from holdfast.cli import tracking
    from holdfast.tracker import tools

    chosen = tools.configured(os.environ)
    session = workspace.session(hit.session.id) if hit.session.journaled else None
    if session and (chosen.comment or chosen.remaining):
        tracking.after_close(workspace, session)


_ANSWERS = {"done": COMPLETED, "later": PAUSED, "drop": DROPPED}


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", metavar="[ID] done|later|drop", nargs=-1)
@click.option("--until", default="", help="With later: put the work off to this day, as pause does.")
@reports
@click.pass_context
def finish(context: click.Context, words: tuple[str, ...], until: str) -> int:
    """Complete (done), pause (later) or give up (drop) a session.

    Its state file, if it has one, gets the status; a paused one also gets a hand-over. Without ID it is your own
    session.
    """
    workspace = context.ensure_object(Workspace)
    require_store(workspace.project)
    *ident, answer = words or ("",)
    if answer not in _ANSWERS or len(ident) > 1 or (until and answer != "later"):
        raise click.UsageError("Say what becomes of it: holdfast finish ID done, or later [--until DAY], or drop.")
    if until and (pause := cli.get_command(context, "pause")):
        return int(context.invoke(pause, ident="".join(ident), until=until))
    survey = take_survey(workspace)
    hit = _meant(survey, "".join(ident))
    status = _ANSWERS[answer]
    before = hit.session.status
    why = f"the user answered: {answer}"
    problem = ""
    try:
        code = _write(survey, hit, status, why) if hit.path else 0
    except HeldError as error:
        code, problem = 0, str(error)
    if code:
        return code
    if problem or not hit.path:
        later(workspace, hit, status, why, problem)
    refresh_hub(workspace, hit)
    session = workspace.session(hit.session.id) if hit.session.journaled else None
    title = f'"{safe.line(candidates.title(hit), 80)}"'
    if session and session.status != status:
        raise HoldfastError(f"{title} is not {status}: it is {session.status}. Type: holdfast status")
    if not session:  # few formats have a word for what was dropped
        status = str(lifecycle.hand_over(hit, survey.formats).summary["category"])
    following = "To continue: holdfast continue" if status == PAUSED and hit.path else "To see it: holdfast resume"
    already = " already" if status in OVER and status == before and not hit.entry else ""
    again = f"{title} is {status}{already}. {following} {candidates.short_name(hit)}"
    lines = [*(render.uncommitted_lines(hit.path) if hit.path else []), *lifecycle.waiting(hit.session, problem)]
    report({"id": hit.ident, "path": hit.session.state_name, "status": status}, again, *lines)
    return 0


def _meant(survey: Survey, ident: str) -> Hit:
    """Return the session that an id means, without one the own session; HoldfastError for a live one of others."""
    own = sessions.find(survey.sessions, own_session())
    if not ident and own is None:
        raise HoldfastError("which session is meant? Name it: holdfast finish ID done. To see them: holdfast list")
    hit = (
        lookup.find(survey.workspace.project, survey.sessions, ident, own_session())
        if ident or own is None
        else Hit(own)
    )
    if hit.session.live and hit.session is not own:
        raise HoldfastError(f"session {hit.session.id[:8]} is live. End it there first, or answer there.")
    return hit


def _write(survey: Survey, hit: Hit, status: str, why: str) -> int:
    """Give a state file its status, and a paused one a hand-over first; return the exit code."""
    catch_up(survey.workspace, hit)
    if status == PAUSED:
        hand_over.write(survey.workspace.project, hit, survey, Additions("", ""), survey.workspace.now)
    return report_unplaced(update_hub.turn(survey.workspace, hit, status, why=why))


_NAMED = 4  # uncommitted files


def delete_state_file(workspace: Workspace, hit: Hit, *, force: bool) -> list[str]:
    """Delete a state file that git keeps, and the hand-over that holdfast wrote for it; return what was done.

    HoldfastError unless everything is committed and no item of the checklist is open, or `force` is given. What git
    does not have yet is kept as an object of its own first.
    """
    home = paths.locate(os.path.dirname(hit.path))
    name = home.relative(hit.path)
    _refuse_others(home, hit, name)
    handovers = hand_over.of_state(workspace, hit.path, hit.entry)
    dirty, unmet = _dirty(home, name), _unmet(workspace, hit, [one.name for one in handovers])
    if not force and (dirty or unmet):
        raise HoldfastError("\n".join([*dirty, *unmet, "Do that, or add --force."]))
    lines = [*unmet]
    for one in handovers:
        lines += hand_over.used(workspace.project, one, workspace.settings)
    with store.writing(workspace.project):
        kept = queries.keep_object(home.root, name)
        if not kept:
            raise HoldfastError(f"git could not keep {name}; it is not deleted. Type: git status")
        holders = log.sessions_of_file(workspace.project.store, hit.path)
        store.remove(hit.path)
        for ident in holders:
            log.release(workspace.project.store, ident)
            lifecycle.journal(workspace.project, workspace.recorded(ident), COMPLETED, "its state file was deleted")
        known = name in (queries.uncommitted(home.root) or [])  # else git never had it, and there is nothing to stage
        problem = adoption.stage(workspace.project, "", hit.path, workspace.settings) if known else ""
    return [
        *lines,
        f"Deleted {name}. To have it back: git cat-file -p {kept} > {safe.shell(name)}",
        *([problem] if problem else []),
    ]


def _refuse_others(home: Project, hit: Hit, name: str) -> None:
    """Refuse what is not in git, and what is not the state file of one piece of work."""
    if not home.git or not home.root or not name:
        raise HoldfastError(f"{hit.path} is not in git, so it could not be restored. Delete it by hand.")
    if hit.entry:
        raise HoldfastError(
            f"{hit.entry} is an entry of {name}, which other sessions use. Move it to the history there."
        )
    if hit.session.shared or not hit.session.summary:
        raise HoldfastError(f"{name} is not the state file of one piece of work. Delete it by hand when it may go.")


def _dirty(home: Project, name: str) -> list[str]:
    """Return a line with the files that are not committed, [] for none."""
    dirty = queries.uncommitted(home.root)
    if dirty is None:
        raise HoldfastError(f"git cannot tell whether {home.root} is clean. Type: git status")
    if name not in dirty and not queries.committed(home.root, name):  # git may be configured to ignore it
        dirty = [name, *dirty]
    named = safe.listed([safe.line(one, 80) for one in dirty], _NAMED)
    return [f"not everything is committed: {named}."] if dirty else []


def _unmet(workspace: Workspace, hit: Hit, going: list[str]) -> list[str]:
    """Return the open items of the checklist as lines, under a heading; files that are `going` are no references."""
    _, left = lifecycle.checklists(workspace, hit)
    items: list[Item] = []
    for item in left:
        names = [name for name in item.evidence if item.kind != "references" or name not in going]
        if item.count and names and item.kind != "uncommitted":
            items.append(Item(item.kind, item.what, names, count=item.count - len(item.evidence) + len(names)))
    return ["not everything is done:", *(item.text for item in items)] if items else []
