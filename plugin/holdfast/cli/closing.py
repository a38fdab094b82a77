"""The command `close`: ends a piece of work, says what is left to do, and deletes the state file on request."""

import os

import click

from holdfast.actions import deletion, hand_over, lifecycle, update_hub
from holdfast.cli import checklists, render, screen
from holdfast.cli.app import (
    catch_up,
    cli,
    find_state_file,
    print_json,
    refresh_hub,
    report_unplaced,
    require_store,
    say,
    with_json,
    with_session_argument,
)
from holdfast.project import user_settings
from holdfast.sessions import candidates
from holdfast.sessions.workspace import Workspace


@cli.command()
@with_session_argument
@click.option("--check", is_flag=True, help="Only print what is to be done; nothing is written.")
@click.option("--delete", is_flag=True, help="Delete the file; only with nothing uncommitted and no open item.")
@click.option(
    "--force", is_flag=True, help="With --delete: even with open items. Uncommitted text is stored in git first."
)
@click.option("--all", "everything", is_flag=True, help="Also print what only you can answer, as far as it applies.")
@with_json
@click.pass_obj
def close(  # noqa: PLR0913 - one for each option
    workspace: Workspace, *, ident: str, check: bool, delete: bool, force: bool, everything: bool, output: str
) -> int:
    """Set a state file to completed and print what to do before its file is deleted; --delete deletes it.

    Without ID it is your own state file, or the only active one. With --check or --delete it may also be the only
    completed one.
    """
    if check and delete:
        raise click.UsageError("Give --check or --delete, not both.")
    project = workspace.project
    if not check:
        require_store(project)
    hit, _ = find_state_file(workspace, ident, or_completed=check or delete, recent=check)
    name = hit.session.state_name
    if delete:
        lines = deletion.delete(workspace, hit, force=force)
        refresh_hub(workspace, hit)
        if output == "json":
            print_json({"path": name, "deleted": True, "told": lines})
        else:
            say(*lines)
        return 0
    if not check:
        catch_up(workspace, hit)
    done = None if check else update_hub.turn(workspace, hit, "completed")
    taken: list[str] = []
    if done:
        taken = hand_over.take_away(workspace, hit.path, hit.entry)
        refresh_hub(workspace, hit)
        _tell_tracker(workspace, hit)
    moved, left = lifecycle.checklists(workspace, hit)
    if hit.entry and update_hub.is_history(workspace, hit):
        left = [item for item in left if item.kind != "move"]
    if output == "json":
        items = {"findings": [item.row() for item in [*moved, *left]]}
        print_json({**(render.synced_row(done, name) if done else {"path": name, "written": False}), **items})
    else:
        say(*(render.synced_lines(done, name) if done else []), *taken)
        if everything or not screen.size():
            shown = checklists.due(moved, left, hit.session) if everything else (moved, left)
            say(*lifecycle.checklist_lines(*shown))
        else:
            short = [
                "Before you delete its file:",
                *checklists.short(left),
                *checklists.commands(candidates.short_name(hit), finished=done is not None, in_git=bool(project.git)),
            ]
            say(*checklists.fitted(short))
    return report_unplaced(done) if done else 0


def _tell_tracker(workspace: Workspace, hit: candidates.Hit) -> None:
    """Write to the issue tracker what the user's settings switch on; nothing is loaded where they do not name one."""
    if not user_settings.tracks(os.environ):
        return
    from holdfast.cli import tracking
    from holdfast.tracker import choices

    chosen = choices.configured(os.environ)
    session = workspace.session(hit.session.id) if hit.session.journaled else None
    if session and (chosen.comment or chosen.remaining):
        tracking.after_close(workspace, session)
