"""The commands `hub`, `update`, `validate`, `tree`, `sweep` and `archive`, which show and change the hub."""

import contextlib
import os

import click

from holdfast.actions import sweep as sweeping
from holdfast.actions import sync, update_hub
from holdfast.cli import output, screen, tables
from holdfast.cli.app import (
    cli,
    own_session,
    print_json,
    require_store,
    say,
    say_nothing,
    warn,
)
from holdfast.cli.output import HEADER, is_json, report, reports
from holdfast.context.short_lists import counted
from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.core.statuses import COMPLETED, DROPPED
from holdfast.editing import store
from holdfast.hub import changes, projection, validation, writing
from holdfast.hub import tree as trees
from holdfast.hub.document import Hub, PlacedEntry, same
from holdfast.hub.entry import TIME, TO_THE_SECOND, exact
from holdfast.hub.transaction import Transaction
from holdfast.hub.update import read_request
from holdfast.hub.validation import TIMES, Validation
from holdfast.project import claude_registration
from holdfast.sessions import hub_entries, hub_location, listed, status
from holdfast.sessions import survey as sessions
from holdfast.sessions.session import Session
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe

ORPHANED = [
    "Adopt it:    holdfast update action=in_progress session_id=ID parent_session=ID",
    "Complete it: holdfast update action=completed session_id=ID",
]
_MAX_FIXES = 3  # rounds; one fix can make another possible


@cli.command("hub")
@reports
@click.pass_obj
def print_hub(workspace: Workspace) -> None:
    """Print the hub, which lists all sessions, from the project or from git's folder."""
    path = _existing_hub(workspace)
    name, hub = hub_location.name_of(workspace.project, path), Hub(files.read(path), workspace.hub_format)
    if is_json():
        entries = [
            {"id": placed.entry.ident, **dict(placed.entry.pairs()), "history": placed.history}
            for placed in hub.entries()
        ]
        print_json({"path": name, "tracked": hub_location.home(workspace.project).git != "", "entries": entries})
        return
    click.echo(safe.plain(hub.data.decode("utf-8", "replace")).rstrip("\n"))


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", metavar="KEY=VALUE...", nargs=-1, type=click.UNPROCESSED)
@reports
@click.pass_obj
def update(workspace: Workspace, arguments: tuple[str, ...]) -> int:
    """Tell the hub what a session does, as KEY=VALUE each, or all in one string; answers one JSON object.

    \b
    action          started, in_progress, completed, waiting or paused
    agent           implementor, tests, git, genie, learn, release, roadmap, or one of the settings
    session_id      the session's id; Claude's own when Claude runs this
    purpose         what it is for
    context         data such as files_modified:[a,b] tests_pass:true, a JSON object, or words
    parent_session  the id of the session that started it
    branch          the branch it works on
    """  # noqa: D301 - the backslash tells click to keep the lines of this block
    try:
        require_store(workspace.project)
        answer = update_hub.run(workspace, read_request(arguments, own_session()), own_session())
    except HoldfastError as error:
        answer = update_hub.failure(str(error))
    except OSError as error:
        answer = update_hub.failure(f"{error.filename or 'the system'}: {error.strerror}. Type: holdfast doctor")
    print_json(answer)
    return 0 if answer["status"] == "success" else 1


@cli.command()
@click.option("--fix", is_flag=True, help="Fix what can be fixed mechanically, and show the change as a diff.")
@click.option("--dry-run", is_flag=True, help="With --fix: only show the change.")
@reports
@click.pass_obj
def validate(workspace: Workspace, fix: bool, dry_run: bool) -> int:  # noqa: FBT001 - click passes flags so
    """Check the hub: Markdown, ids, links, orphans, times, and whether it says what the journals tell."""
    path = _existing_hub(workspace)
    known = sessions.survey(workspace).sessions
    name = hub_location.name_of(workspace.project, path)
    before = after = files.read(path)
    if fix:
        try:
            after = _fixed(workspace, path, known, write=not dry_run)
        except HoldfastError as error:
            problem = Hub(before, workspace.hub_format).problem or str(error).removeprefix(f"{path}: ")
            warn(f"{name}: {problem}")
            after = files.read(path)
        click.echo(sync.diff(before, after, name), nl=False, err=is_json())
    found = validation.look(Hub(after, workspace.hub_format), path, known)
    report(validation.row(found, name), *validation.lines(found, name))
    return 1 if found.flaws else 0


def _fixed(workspace: Workspace, path: str, known: list[Session], *, write: bool) -> bytes:
    """Return the bytes of the hub after all fixes, which are written only if `write` is set."""

    def fix(transaction: Transaction) -> None:
        fix_findings(validation.look(transaction.hub, path, known), transaction)

    if write:
        with store.writing(workspace.project):
            for _ in range(_MAX_FIXES):
                if not writing.write(workspace, fix).changed:
                    break
        return files.read(path)
    data = files.read(path)
    for _ in range(_MAX_FIXES):
        transaction = Transaction(Hub(data, workspace.hub_format), workspace.now)
        fix(transaction)
        before, data = data, transaction.done()
        if data == before:
            break
    return data


@cli.command()
@click.option("--all", "everything", is_flag=True, help="Also list completed sessions.")
@HEADER
@reports
@click.pass_obj
def tree(workspace: Workspace, *, everything: bool) -> None:
    """Show which session started which: sessions, subagents and entries of the hub, with status, age and last line."""
    hub, _ = _read_hub(workspace)
    survey = sessions.survey(workspace)
    states = listed.without_session(survey)
    drawn = trees.tree(trees.members(survey.sessions, hub, states), everything=everything)
    if is_json():
        print_json(trees.rows(drawn))
        return
    if not drawn:
        completed = not everything and trees.tree(trees.members(survey.sessions, hub, states), everything=True)
        more = "No work is open here. Completed work: holdfast tree --all"
        say_nothing(more if completed else output.nothing_known(workspace.project))
        return
    orphans = ORPHANED if any(member.orphaned for _, member in drawn) else []
    lines = tables.tree(trees.drawn(drawn), workspace.now)
    shown = lines if everything else screen.page(lines, "{} more: holdfast tree --all", 2 + len(orphans))
    say(*shown, *(orphans if screen.size() else []))


@cli.command()
@click.argument("words", metavar="[done|later|drop] [ID...|all]", nargs=-1)
@reports
@click.pass_obj
def sweep(workspace: Workspace, words: tuple[str, ...]) -> None:
    """Show the open work that is silent, with the evidence; complete, pause or give up what you name."""
    require_store(workspace.project)
    answer, *named = words or ("",)
    if (answer and answer not in sweeping.ANSWERS) or bool(answer) != bool(named):
        raise click.UsageError("Say what becomes of which: holdfast sweep done ID..., later ID... or drop ID...")
    survey = sessions.survey(workspace)
    hub, problem = _read_hub(workspace)
    silent = sweeping.find(workspace, survey.sessions, trees.members(survey.sessions, hub))
    running = claude_registration.running() if any(one.session and one.session.journaled for one in silent) else None
    left = [one for one in silent if one.ident in (running or ())]
    chosen = _chosen([one for one in silent if one not in left], named) if answer else []
    lines = [one.line for one in silent if one not in left]
    if chosen:
        lines = sweeping.carry_out(workspace, answer, output.each(chosen, "Sweeping"), problem)
    lines += [f"left {one.ident} ({one.name}) as it is: `claude agents` lists it as running" for one in left]
    choices = ", ".join(f"holdfast sweep {word} ID" for word in sweeping.ANSWERS)
    hint = ["", f"To close, pause or give up: {choices}"] if silent and not answer else []
    done = sum(one.status == COMPLETED and bool(one.state) and not one.shared for one in survey.sessions)
    over = f"{counted(done, 'state file')} of completed work: holdfast list --all, then holdfast close ID --delete"
    hint += [over] if done and not answer else []
    rows = [{"id": one.ident, "title": one.name, "evidence": one.evidence} for one in chosen or silent]
    result: dict[str, object] = {"answer": answer, "sessions": rows, "lines": lines}
    report(result, *(lines or ["Nothing is stale, and nothing is orphaned."]), *hint)


def _chosen(silent: "list[sweeping.Silent]", named: list[str]) -> "list[sweeping.Silent]":
    """Return the silent work that ids or their beginnings name, or all that is not at work.

    HoldfastError for a name of none.
    """
    if named == ["all"]:
        return [one for one in silent if not one.at_work]
    chosen = []
    for name in named:
        fitting = [one for one in silent if one.ident.startswith(name)]
        if len(fitting) != 1:
            what = f"{len(fitting)} of the silent sessions begin" if fitting else "no silent session begins"
            raise HoldfastError(f"{what} with {name!r}. To see them: holdfast sweep")
        chosen += fitting
    return chosen


@cli.command()
@click.option(
    "--keep",
    type=click.IntRange(0),
    default=None,
    help="How many entries stay. Without it: the setting `history_entries`.",
)
@reports
@click.pass_obj
def archive(workspace: Workspace, keep: int | None) -> int:
    """Move the oldest entries of the hub's history to SESSION-HISTORY.md beside it."""
    path = _existing_hub(workspace)
    _, problem = _read_hub(workspace)
    if problem:
        report({"moved": 0, "path": ""}, "Nothing moved.")
        return 1
    limit = workspace.settings.history_entries if keep is None else keep
    with store.writing(workspace.project):
        moved = writing.archive(workspace, limit)
    name = hub_location.name_of(workspace.project, hub_location.companion(path, hub_location.ARCHIVE))
    line = (
        f"Moved {moved} {'entry' if moved == 1 else 'entries'} to {name}."
        if moved
        else "Nothing was moved: the history is not too long."
    )
    report({"moved": moved, "path": name}, line)
    return 0


def _existing_hub(workspace: Workspace) -> str:
    """Return the path of the hub; HoldfastError when there is none yet."""
    require_store(workspace.project)
    path = hub_location.path_of(workspace.project)
    hub_location.refuse_outside(path)
    hub_entries.require_in_tree(workspace.project, path)
    if not os.path.lexists(path):
        raise HoldfastError(
            "there is no hub yet. The first file edit or task of a session makes it, and so does: "
            'holdfast update action=started agent=NAME session_id=ID purpose="…"'
        )
    clone.require_trusted([path])
    return path


def _read_hub(workspace: Workspace) -> tuple[Hub | None, str]:
    """Return the hub, None when it cannot be read, and the reason why it must not be written, which is printed."""
    path = hub_location.known(hub_location.home(workspace.project).root)
    left_out = "" if path else hub_entries.path_in_git(workspace.project)
    if not path and not left_out:
        return None, ""
    hub = None
    try:
        hub = Hub(_hub_in_git(workspace, left_out) if left_out else _hub_text(path), workspace.hub_format)
        problem = hub.problem
    except HoldfastError as error:
        problem = str(error)
    except OSError as error:
        problem = error.strerror or "it cannot be read"
    if problem:
        warn(f"{hub_location.name_of(workspace.project, path or left_out)}: {problem}")
    return hub, problem


def _hub_text(path: str) -> bytes:
    hub_location.refuse_outside(path)
    clone.require_trusted([path])
    return files.read(path)


def _hub_in_git(workspace: Workspace, path: str) -> bytes:
    """Return the text of the hub that a sparse checkout leaves out; HoldfastError when it must not reach Claude."""
    data, trusted = hub_entries.text_in_git(workspace.project, path)
    if not trusted and clone.output_reaches_claude():
        raise HoldfastError("it may come from elsewhere and is not accepted here. Type: " + hub_location.adding(path))
    return data


def fix_findings(hub: Validation, transaction: Transaction) -> None:
    """Fix times, places, missing halves of links and repeated entries, and follow the journals.

    Entries whose id appears twice are left alone; if the two are the same, the next round fixes them. `Last Updated` is
    the time of the last work, so a fix does not change it.
    """
    transaction.stamps = False
    _fix_twice(hub, transaction)
    alone = [placed for ident, placed in hub.by_id.items() if ident not in hub.twice]
    for placed in alone:
        _fix_times(transaction, placed)
    for placed in alone:
        _fix_place(hub, transaction, placed)
    for placed in alone:
        _fix_links(hub, transaction, placed)
    for session in hub.sessions.values():
        idents = {session.id, session.parent, *session.children}
        transaction.stamps = True
        due = session.live or status.due(session) or projection.names_lost(session, hub.hub.data)
        if session.listed and due and not idents & hub.twice:
            projection.put(transaction, session)


def _fix_twice(hub: Validation, transaction: Transaction) -> None:
    """Remove repeated entries; the first one stays."""
    end = 0
    for placed in hub.entries:
        first = hub.by_id.get(placed.entry.ident, placed)
        if first is not placed and placed.start >= end and same(first, placed):
            transaction.drop(placed)
            end = placed.end


def _fix_place(hub: Validation, transaction: Transaction, placed: PlacedEntry) -> None:
    """Move an entry into the history if it is completed, with its children, else out of it."""
    for _ in hub.misplaced(placed):
        if placed.entry.category in {COMPLETED, DROPPED}:
            changes.complete(transaction, placed.entry.ident, status=placed.entry.category)
            continue
        changes.put(transaction, placed.entry.ident, transaction.get(placed.entry.ident) or placed.entry, moving=True)


def _fix_times(transaction: Transaction, placed: PlacedEntry) -> None:
    """Write exact times in the documented form."""
    entry = placed.entry
    for field in TIMES:
        time = entry.text(field)
        if exact(time):
            seconds = clock.read(time)
            entry = entry.setting(field, clock.write(seconds, TO_THE_SECOND if seconds % 60 else TIME))
    if entry is not placed.entry:
        transaction.put(entry.ident, entry, history=placed.history)


def _fix_links(hub: Validation, transaction: Transaction, placed: PlacedEntry) -> None:
    """Write the missing half of a link."""
    own = placed.entry.ident
    for parent in hub.hub.parents(placed.entry):
        if hub.named(parent.ident):
            _link(hub, transaction, own, _known(hub, parent.ident))
    for child in placed.entry.links("Children"):
        below = hub.named(child.ident)
        if below and not below.entry.links("Parent"):
            _link(hub, transaction, below.entry.ident, own)


def _link(hub: Validation, transaction: Transaction, ident: str, parent: str) -> None:
    """Link two entries whose ids occur once, unless that closes a cycle."""
    if not {ident, parent} & hub.twice:
        with contextlib.suppress(HoldfastError):
            changes.link(transaction, ident, parent)


def _known(hub: Validation, ident: str) -> str:
    """Return an id as the hub has it in full."""
    placed = hub.named(ident)
    return placed.entry.ident if placed else ident
