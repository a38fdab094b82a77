"""What all commands share: the group they belong to, common options, and how a command finds its state file."""

import os
import sys

import click

from holdfast.actions import settle_due
from holdfast.cli import screen
from holdfast.cli.groups import Commands, opens
from holdfast.clients import catalogue
from holdfast.core import fast_json
from holdfast.core.errors import HoldfastError
from holdfast.journal import checkouts, log
from holdfast.project import background, client_registration, git_ownership, new_repository, paths, user_settings
from holdfast.project.paths import Project
from holdfast.sessions.candidates import WholeId
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import status as sharing
from holdfast.trust import clone, safe
from holdfast.trust.safe import mask, writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from click.shell_completion import CompletionItem

    from holdfast.actions.sync import Synced
    from holdfast.sessions import candidates
    from holdfast.sessions.survey import Survey

    Command = TypeVar("Command", bound=Callable[..., Any])

_SESSION = "Which session: part of its id, or words of its title."


class _MaskedText(click.ParamType):  # type: ignore[type-arg] # generic in later versions of click only
    """Text for a file that may be committed: secrets are masked."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002 - click's own names
        """Return the text without secrets."""
        return mask(writable(value))


MASKED = _MaskedText()


def with_words(name: str, *, masked: bool = True, required: bool = True) -> "Callable[[Command], Command]":
    """Give a command an argument of several words, with or without quotes around them: they are one text."""

    def one_text(_context: click.Context, _parameter: click.Parameter, words: "tuple[str, ...]") -> str:
        text = writable(" ".join(words))
        return mask(text) if masked else text

    shown = f"{name.upper()}..." if required else f"[{name.upper()}...]"
    return click.argument(name, nargs=-1, required=required, metavar=shown, callback=one_text)


_UNTOLD = frozenset({"webhook", "settle", "merge-file", "share", "link", "statusline"})  # run in the background, too
_NAMED = "holdfast.session"  # where a session that an option named waits for ID


def _keep(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    """Keep the session that was named by `--session`, as in commands whose arguments are words."""
    if value is not None:
        context.meta[_NAMED] = _stated(value)


def _keep_conversation(context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    """Keep the conversation that was named by the option of its format's own program, whose ids are whole."""
    if value is not None:
        context.meta[_NAMED] = WholeId(_stated(value)) if value.casefold().startswith("con_") else _stated(value)


def _stated(ident: str) -> str:
    """Return an id that was given; UsageError for an empty one, such as that of a variable that is not set."""
    if not ident.strip():
        raise click.UsageError("The id is empty. Give one that `holdfast list` shows, or leave it out.")
    return ident


def _named(context: click.Context, _parameter: click.Parameter, value: "tuple[str, ...] | str | None") -> str:
    """Return the session that was named: the words of the argument, or what an option says."""
    words = value if isinstance(value, str) else " ".join(value or ())
    option: str = context.meta.get(_NAMED, "")
    if value in (None, ()):
        return option
    if option not in {"", words}:
        raise click.UsageError(f"Two sessions are named: {option} and {words}. Name one.")
    return _stated(words)


def _also(name: str, keep: "Callable[..., None]") -> "Callable[[Command], Command]":
    """Return a decorator that accepts ID under this option too, which no help shows."""
    return click.option(name, hidden=True, is_eager=True, expose_value=False, callback=keep)


def _complete(context: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Return the sessions whose id begins so, with their titles."""
    from click.shell_completion import CompletionItem

    from holdfast.sessions import survey

    workspace = context.find_object(Workspace) or Workspace(paths.locate(os.getcwd()))
    sessions = survey.survey(workspace).sessions
    return [CompletionItem(one.id, help=one.title) for one in sessions if one.id.startswith(incomplete)]


def with_session_argument(command: "Command") -> "Command":
    """Give a command the argument ID, `ident`: part of an id, or words of a title."""
    argument = click.argument("ident", metavar="[ID]", nargs=-1, callback=_named, shell_complete=_complete)
    return argument(_also("--session", _keep)(_also("--convo-id", _keep_conversation)(command)))


def with_session_option(command: "Command") -> "Command":
    """Give a command whose arguments are words the option `--session ID`, `ident`."""
    option = click.option(
        "--session", "ident", default=None, metavar="ID", callback=_named, help=_SESSION, shell_complete=_complete
    )
    return option(_also("--convo-id", _keep_conversation)(command))


@click.group(
    cls=Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(client_registration.version(), "-V", "--version", message="holdfast %(version)s")
@click.option("-C", "folder", default="", metavar="DIR", help="Work as if started in DIR.")
@click.pass_context
def cli(context: click.Context, folder: str) -> None:
    """Keep the state of Claude Code's working sessions in plain Markdown beside the code."""
    if folder and not os.path.isdir(folder):
        raise HoldfastError(f"{folder} is not a folder. Give -C one that exists.")
    if folder:
        os.chdir(folder)  # so that relative paths in arguments start there, too
    project = paths.locate(os.getcwd())
    if project.git and project.store and not os.path.isdir(project.store):
        new_repository.take_over(project)
    context.obj = Workspace(project)
    problem = paths.store_problem(project)
    explains = context.invoked_subcommand == "doctor" and not project.store
    if problem and not explains:
        raise HoldfastError(problem)
    if not context.invoked_subcommand:
        name = "board" if opens(project) else "list"
        context.invoke(context.command.get_command(context, name))  # type: ignore[attr-defined] # the group above


@cli.result_callback()
@click.pass_context
def _tell(context: click.Context, /, code: object, **_options: object) -> object:
    """Let webhooks, notices and news be sent after a command of a person or a model, and return its exit code."""
    if context.invoked_subcommand in _UNTOLD:
        return code
    if user_settings.tells(os.environ):
        background.post(context.obj.project)
    sharing.send_news(context.obj.project)
    return code


def warn(message: str) -> None:
    """Print a message on standard error."""
    click.echo("\n".join(screen.folded_error(f"holdfast: {message}")), err=True)


def say(*lines: str) -> None:
    """Print lines, broken between words where they are wider than the terminal."""
    if lines:
        click.echo("\n".join(screen.fitted(lines)))


def say_nothing(message: str) -> None:
    """Print that a list is empty, or a hint: on standard error in a pipe, so that a program reads rows only."""
    click.echo("\n".join(screen.fitted([message])), err=not screen.size())


def print_json(value: object) -> None:
    """Print a value as one line of JSON."""
    click.echo(fast_json.dumps(value))


def require_worktree(project: Project) -> str:
    """Return the working tree; HoldfastError in a bare repository."""
    if not project.git and git_ownership.is_bare(project.root):
        raise HoldfastError(
            f"{project.root} is a bare repository, which has no working tree for state files. Use a worktree."
        )
    return project.root


def require_store(project: Project) -> None:
    """Raise HoldfastError when there is no store, and so no lock to write under."""
    if not project.store:
        raise HoldfastError(f"{require_worktree(project)} is not in git and not prepared. Type: holdfast init")
    settle_due.wait_for_file(project)
    if checkouts.moved(project):
        from holdfast.actions import upkeep

        upkeep.follow(Workspace(project))


def unique_id(known: list[str], part: str) -> str:
    """Return the only id that begins with a text, or has it; HoldfastError if there is not just one."""
    matching = [one for one in known if one == part] or [one for one in known if one.startswith(part)]
    matching = matching or [one for one in known if part in one]
    if len(matching) == 1:
        return matching[0]
    problem = f"{len(matching)} sessions have" if matching else "no session here has"
    raise HoldfastError(f"{problem} {part!r} in their id. To see them type: holdfast list --all")


def pick(ask: "Callable[[], candidates.Hit]") -> "candidates.Hit":
    """Return what is meant; if that is not clear, the user chooses a number in a terminal, else UnclearError."""
    from holdfast.sessions.candidates import UnclearError, lines

    try:
        hit = ask()
    except UnclearError as error:
        if not error.hits[1:] or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        click.echo("\n".join([error.problem, *lines(error.hits)]), err=True)
        number = click.prompt("Number", type=click.IntRange(1, len(error.hits)), err=True)
        return error.hits[number - 1]
    if hit.note:
        warn(hit.note)
    return hit


def own_session() -> str:
    """Return the id of the session in whose shell the command runs, "" in any other shell."""
    return catalogue.own_session(os.environ)


def take_survey(workspace: Workspace, done_before: float = 0.0, own: str = "", most: int = 0) -> "Survey":
    """Return all sessions, or `own` and those not done before a time, with `most` at most so many of each kind.

    A problem with settings or formats is printed.
    """
    from holdfast.sessions import survey

    found = survey.survey(workspace, os.getcwd(), own=own, done_before=done_before, most=most)
    if found.complaint:
        warn(found.complaint)
    return found


def survey_for(workspace: Workspace, ident: str) -> "Survey":
    """Return a survey in which a session can be looked up; what is done, or old, is left out if it cannot be meant."""
    from holdfast.sessions import listed

    settle_due.wait_for_file(workspace.project)
    if not ident:
        return take_survey(workspace, float("inf"), own_session(), listed.FEW)
    whole = workspace.whole(ident)
    alone = log.exists(workspace.project.store, whole)
    return take_survey(workspace, float("inf") if alone else 0.0, whole)


def find_state_file(  # noqa: PLR0913 - each option admits more
    workspace: Workspace,
    ident: str,
    *,
    or_completed: bool = False,
    recent: bool = True,
    or_entry: bool = False,
    or_away: bool = False,
    begin: bool = False,
) -> "tuple[candidates.Hit, Survey]":
    """Return the state file with an id, by default the own, only live or most recent one, and its survey.

    Without `recent` the most recent of several is not taken, nor a paused one when none is active. With `or_completed`
    the only completed one is taken when none is active; with `or_entry` an entry of the hub where there is no state
    file; with `or_away` a session whose state file is elsewhere; with `begin` a session without one gets one.
    HoldfastError when it is not clear which state file is meant, or when the session has none.
    """
    from holdfast.sessions import lookup

    survey = survey_for(workspace, ident)
    active = any(session.active and session.state and not session.shared for session in survey.sessions)
    if not active and not ident and survey.done_before:  # then completed work counts, too
        survey = take_survey(workspace)
    paused = recent and not active and any(session.status == "paused" and session.state for session in survey.sessions)
    category = "completed" if or_completed and not active else "paused" if paused else "active"
    entry = lookup.entry(survey.sessions, own_session()) if or_entry and not ident else None
    hit = entry or pick(
        lambda: lookup.named(
            workspace.project, survey.sessions, ident, own_session(), category, recent=recent, left=survey.left
        )
    )
    if entry and entry.note:
        warn(entry.note)
    clone.require_trusted([hit.path] if hit.path else [])
    if begin and begin_missing(workspace, hit):
        return find_state_file(workspace, hit.session.id)
    if not hit.path:  # of work that is over nothing was looked for
        from holdfast.sessions.session import look_elsewhere

        (session,) = look_elsewhere([hit.session], workspace.project, workspace.formats, over=True)
        hit.session = session.replace(state_name=safe.line(session.claimed_name, 400)) if session.away else session
    if not (or_away and hit.session.away and hit.read()):
        lookup.require_file(hit)
    require_readable(workspace, hit)
    return hit, survey


def find_or_begin_state_file(workspace: Workspace, ident: str) -> "tuple[candidates.Hit, Survey]":
    """Return the state file as `find_state_file` does; a session that has none gets one.

    Without an ID the own session gets one here if none is there to continue.
    """
    begin_own_state_file(workspace, ident)
    return find_state_file(workspace, ident, begin=True)


def begin_own_state_file(workspace: Workspace, ident: str) -> None:
    """Give the own session a state file if no ID is given, and none is there to continue."""
    own = own_session()
    if ident or not own or not workspace.project.initialised:
        return
    from holdfast.sessions import lookup, survey

    sessions = survey.survey(workspace, own=own, done_before=float("inf")).sessions
    hit = lookup.at_hand(sessions, own)
    if not hit or hit.session.lost:
        _begin_state_file(workspace, own)


def begin_missing(workspace: Workspace, hit: "candidates.Hit") -> bool:
    """Give a session of this project that never had a state file one; return whether it did not have one."""
    missing = not hit.path and hit.session.journaled and not hit.session.away and workspace.project.initialised
    if missing:
        _begin_state_file(workspace, hit.session.id)
    return missing


def _begin_state_file(workspace: Workspace, ident: str) -> None:
    """Give a session without a state file one, with what was said in it."""
    from holdfast.actions import settle
    from holdfast.editing import store

    with store.writing(workspace.project):
        began = settle.begin(workspace, workspace.recorded(ident))
    if began:
        settle.settle(workspace, ident)
        if not click.get_current_context().meta.get(screen.JSON):
            say(f"{workspace.recorded(ident).claimed_name} is new.")


def catch_up(workspace: Workspace, hit: "candidates.Hit") -> None:
    """Write what was said in a session since its state file was committed: a command may change a clean tree.

    A state file that then has the name of a new title is the one that is meant.
    """
    from holdfast.actions import sync

    sync.require_own_shell(workspace.project, hit)
    if hit.session.journaled and hit.session.state == hit.path and not hit.entry and not hit.session.shared:
        from holdfast.actions import settle

        settle.settle(workspace, hit.session.id, always=True)
        now = workspace.session(hit.session.id)
        if now and now.state != hit.path:
            hit.session, hit.path = now, now.state


def require_readable(workspace: Workspace, hit: "candidates.Hit") -> None:
    """Raise HoldfastError, which names the command to type, when a sparse checkout leaves the state file out."""
    if hit.path and not os.path.lexists(hit.path):
        from holdfast.sessions import hub_entries

        hub_entries.require_in_tree(workspace.project, hit.path)


def refresh_hub(workspace: Workspace, hit: "candidates.Hit") -> None:
    """Bring the hub up to date with a session whose state file was changed; a problem is only printed."""
    if hit.entry or not hit.session.journaled:
        return
    from holdfast.actions import update_hub

    try:
        update_hub.keep(workspace, [hit.session.id], [])
    except HoldfastError as error:
        warn(f"the hub was not updated: {error}")
    except OSError as error:
        warn(f"the hub was not updated: {error.filename}: {error.strerror}")


def report_unplaced(done: "Synced") -> int:
    """Print what could not be written to a state file, and return the exit code."""
    from holdfast.cli import render

    for line in [*render.unplaced_lines(done), *done.notes, *([done.unstaged] if done.unstaged else [])]:
        warn(line)
    return 1 if done.outcome.unplaced else 0
