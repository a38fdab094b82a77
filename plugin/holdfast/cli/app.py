"""What all commands share: the group they belong to, common options, and how a command finds its state file."""

import os
from importlib import import_module

import click

from holdfast.cli import commands, screen
from holdfast.core import fast_json
from holdfast.core.errors import HoldfastError
from holdfast.project import client_registration, new_repository, paths
from holdfast.project.paths import Project
from holdfast.sessions.workspace import Workspace
from holdfast.trust.safe import mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.actions.sync import Synced
    from holdfast.formats.catalogue import Formats
    from holdfast.project.settings import Settings
    from holdfast.sessions import lookup
    from holdfast.sessions.survey import Survey

OUTPUT = click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)


class _MaskedText(click.ParamType):  # type: ignore[type-arg] # generic in later versions of click only
    """Text for a file that may be committed: secrets are masked."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002 - click's own names
        """Return the text without secrets."""
        return mask(value)


MASKED = _MaskedText()
HEADER = click.option("--header", is_flag=True, help="In a pipe, print the names of the columns first.")
IDENT = click.argument("ident", metavar="[ID]", default="")


class _Commands(click.Group):
    """The commands of the table, each of which is imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's own name
        """Return the names of all commands."""
        return sorted(commands.MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None when there is none of this name."""
        if cmd_name in commands.MODULES:
            import_module(commands.MODULES[cmd_name])
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - the same
        """Add the commands to the help, from the table."""
        with formatter.section("Commands"):
            formatter.write_dl(commands.rows(formatter.width))


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(client_registration.version(), prog_name="holdfast")
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
    link = paths.linked(context.obj.project)
    if link:
        raise HoldfastError(paths.LINKED.format(link))
    if not context.invoked_subcommand:
        context.invoke(context.command.get_command(context, "list"))  # type: ignore[attr-defined] # the group above


def warn(message: str) -> None:
    """Print a message on standard error."""
    click.echo(f"holdfast: {message}", err=True)


def say_nothing(message: str) -> None:
    """Print that a list is empty: on standard error in a pipe, so that a program reads no rows."""
    click.echo(message, err=not screen.size())


def print_json(value: object) -> None:
    """Print a value as one line of JSON."""
    click.echo(fast_json.dumps(value))


def require_worktree(project: Project) -> str:
    """Return the working tree; HoldfastError in a bare repository."""
    if not project.root:
        raise HoldfastError(
            f"{project.git} is a bare repository, which has no working tree for state files. Use a worktree."
        )
    return project.root


def require_store(project: Project) -> None:
    """Raise HoldfastError when there is no store, and so no lock to write under."""
    if not project.store:
        raise HoldfastError(f"{require_worktree(project)} is not in git and not prepared. Type: holdfast init")


def unique_id(known: list[str], prefix: str) -> str:
    """Return the only id that begins with `prefix`; HoldfastError with the candidates when there is not just one."""
    found = [prefix] if prefix in known else [ident for ident in known if ident.startswith(prefix)]
    if len(found) == 1:
        return found[0]
    candidates = ", ".join((found or known)[:8]) or "none"
    problem = "several sessions begin with" if found else "no session begins with"
    raise HoldfastError(f"{problem} {prefix!r}. Known: {candidates}. Type: holdfast list --all")


def own_session() -> str:
    """Return the id of the session in whose shell the command runs, "" in any other shell."""
    return os.environ.get("CLAUDE_CODE_SESSION_ID", "")


def take_survey(workspace: Workspace) -> "Survey":
    """Return all sessions of the project; a problem with its settings or formats is printed."""
    from holdfast.sessions import survey

    found = survey.survey(workspace)
    if found.complaint:
        warn(found.complaint)
    return found


def find_state_file(workspace: Workspace, ident: str, *, or_completed: bool = False) -> "tuple[lookup.Hit, Survey]":
    """Return the state file with an id, by default the own or only active one, and the survey that it comes from.

    With `or_completed` the only completed one is taken when none is active. HoldfastError when it is not clear which
    state file is meant, or when the session has none.
    """
    from holdfast.sessions import lookup

    survey = take_survey(workspace)
    active = any(session.active and session.state and not session.shared for session in survey.sessions)
    category = "completed" if or_completed and not active else "active"
    hit = lookup.find(workspace.project, survey.sessions, ident, own_session(), category)
    if not hit.path:
        raise HoldfastError(f"session {hit.session.id} has no state file. Make one: holdfast start TITLE")
    return hit, survey


def refresh_hub(workspace: Workspace, hit: "lookup.Hit") -> None:
    """Bring the hub up to date with a session whose state file was changed; a problem is only printed."""
    if hit.entry or not hit.session.journaled:
        return
    from holdfast.actions import update_hub

    try:
        update_hub.keep(workspace, [hit.session.id], [])
    except HoldfastError as error:
        warn(f"the hub does not say so yet: {error}")
    except OSError as error:
        warn(f"the hub does not say so yet: {error.filename}: {error.strerror}")


def valid_settings(workspace: Workspace) -> "Settings":
    """Return the settings of the project; HoldfastError when they cannot be used."""
    if workspace.settings_problem:
        raise HoldfastError(workspace.settings_problem)
    return workspace.settings


def known_formats(workspace: Workspace) -> "Formats":
    """Return the formats of the project; a problem with its own ones is printed."""
    formats = workspace.formats
    if formats.complaint:
        warn(formats.complaint)
    return formats


def report_unplaced(done: "Synced") -> int:
    """Print what could not be written to a state file, and return the exit code."""
    from holdfast.cli import render

    for line in [*render.unplaced_lines(done), *done.notes, *([done.unstaged] if done.unstaged else [])]:
        warn(line)
    return 1 if done.outcome.unplaced else 0
