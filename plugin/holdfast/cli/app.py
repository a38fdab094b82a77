"""What all commands share: the group they belong to, and how what is meant is found."""

import os

import click

from holdfast import doctor, lookup, paths, sessions, views
from holdfast.cache import Cache
from holdfast.dialects import catalog
from holdfast.dialects.catalog import Dialects
from holdfast.errors import HoldfastError
from holdfast.hub import settling
from holdfast.paths import Place
from holdfast.sessions import Survey
from holdfast.sync import Synced
from holdfast.text import mask

FORMAT = click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", show_default=True)


class _Said(click.ParamType):  # type: ignore[type-arg] # generic in later versions of click only
    """Words that may come to stand in a file that is committed: secrets are masked."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ARG002 - click's own names
        """Return the words without secrets."""
        return mask(value)


SAID = _Said()
IDENT = click.argument("ident", metavar="[ID]", default="")


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
    link = paths.linked(context.obj)
    if link:
        raise HoldfastError(paths.LINKED.format(link))


def rooted(place: Place) -> str:
    """Return the working tree; HoldfastError where there is none."""
    if not place.root:
        raise HoldfastError(f"{place.git} is a bare repository, which has no place for state files. Use a worktree.")
    return place.root


def one(known: list[str], beginning: str) -> str:
    """Return the one id that begins so; HoldfastError names the candidates."""
    found = [beginning] if beginning in known else [ident for ident in known if ident.startswith(beginning)]
    if len(found) == 1:
        return found[0]
    candidates = ", ".join((found or known)[:8]) or "none"
    problem = "several sessions begin with" if found else "no session begins with"
    raise HoldfastError(f"{problem} {beginning!r}. Known: {candidates}. Type: holdfast list --all")


def own_session() -> str:
    """Return the session in whose shell a command runs, "" for a person's."""
    return os.environ.get("CLAUDE_CODE_SESSION_ID", "")


def meant(place: Place, ident: str, now: float, *, over: bool = False) -> tuple[lookup.Hit, Survey]:
    """Return the state file that is meant, with the survey it was found in.

    `over`: where none is named and none is active, the one that is completed is meant.
    """
    survey = sessions.survey(place, now)
    if survey.complaint:
        click.echo(f"holdfast: {survey.complaint}", err=True)
    going = any(one.active and one.state and not one.shared for one in survey.sessions)
    standing = "completed" if over and not going else "active"
    hit = lookup.find(place, survey.sessions, ident, own_session(), standing)
    if not hit.path:
        raise HoldfastError(f"session {hit.session.id} has no state file. Make one: holdfast start TITLE")
    return hit, survey


def followed(place: Place, hit: lookup.Hit, now: float) -> None:
    """Let the hub follow at once what was done to a session's own state file; what is in the way is said, no more."""
    if hit.entry or not hit.session.journaled:
        return
    try:
        settling.keep(place, [hit.session.id], [], now)
    except HoldfastError as error:
        click.echo(f"holdfast: the hub does not say so yet: {error}", err=True)
    except OSError as error:
        click.echo(f"holdfast: the hub does not say so yet: {error.filename}: {error.strerror}", err=True)


def prepared(place: Place) -> None:
    """Refuse to write where there is no place for a lock."""
    if not place.store:
        raise HoldfastError(f"{rooted(place)} is not in git and not prepared. Type: holdfast init")


def dialects(place: Place) -> Dialects:
    """Return the dialects in force; what is wrong with a project's own is said."""
    known = catalog.known(place.root, Cache(place.store))
    if known.complaint:
        click.echo(f"holdfast: {known.complaint}", err=True)
    return known


def told_unplaced(done: Synced) -> int:
    """Say what could not be done, and return the exit code."""
    for line in [*views.unplaced_lines(done), *done.notes, *([done.unstaged] if done.unstaged else [])]:
        click.echo(f"holdfast: {line}", err=True)
    return 1 if done.outcome.unplaced else 0
