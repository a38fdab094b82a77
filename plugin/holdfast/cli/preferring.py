"""The command `preferences`: what the user corrected or prefers, and which of it counts in later sessions."""

import time

import click

from holdfast.cli.app import cli, own_session, print_json, require_store, say, say_nothing
from holdfast.cli.output import is_json, reports
from holdfast.core.errors import HoldfastError
from holdfast.journal import preferences, said
from holdfast.journal.preferences import DROPPED, KEPT
from holdfast.sessions import survey as sessions
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.journal.preferences import Preference

_SESSIONS = 10  # the latest ones whose corrections are listed
_SHOWN = 20  # corrections that nobody has confirmed


@cli.command("preferences")
@click.option("--keep", type=int, default=0, metavar="N", help="Let number N count in later sessions, too.")
@click.option("--drop", type=int, default=0, metavar="N", help="Let number N count no more.")
@reports
@click.pass_obj
def list_preferences(workspace: Workspace, *, keep: int, drop: int) -> None:
    """List what the user corrected or prefers, in their words.

    What is kept is told to each session that starts; the rest counts for its session only.
    """
    store = workspace.project.store
    require_store(workspace.project)
    if keep and drop:
        raise click.UsageError("Give --keep N or --drop N, not both.")
    listed = _listed(workspace)
    done = ""
    for number, status in ((keep, KEPT), (drop, DROPPED)):
        if number:
            one, _ = _numbered(listed, number)
            preferences.note(store, one, status)
            done = f"{status.capitalize()}: {one[1]}"
            listed = _listed(workspace)
    rows = [
        {"number": number, "text": text, "said": at, "kept": kept}
        for number, ((at, text), kept) in enumerate(listed, 1)
    ]
    if is_json():
        print_json({"preferences": rows, "done": done})
    elif done:
        say(done)
    elif rows:
        say(*(_line(number, one, kept=kept) for number, (one, kept) in enumerate(listed, 1)))
    else:
        say_nothing("No correction and no preference of yours is recorded here.")


def _listed(workspace: Workspace) -> "list[tuple[Preference, bool]]":
    """Return what is kept, then what was said in the own or the latest sessions; each with whether it is kept."""
    store = workspace.project.store
    known = preferences.read(store)
    over = {text for group in known.values() for _, text in group}
    latest = sorted(sessions.survey(workspace).sessions, key=lambda one: -one.last_active)
    idents = [own_session()] if own_session() else [one.id for one in latest if one.journaled][:_SESSIONS]
    times = {text: at for ident in idents for at, text in said.of_session(store, ident).corrections}
    new = sorted(((at, text) for text, at in times.items() if text not in over), reverse=True)[:_SHOWN]
    return [*((one, True) for one in known[KEPT]), *((one, False) for one in new)]


def _numbered(listed: "list[tuple[Preference, bool]]", number: int) -> "tuple[Preference, bool]":
    if not 1 <= number <= len(listed):
        raise HoldfastError(f"there is no number {number}; holdfast preferences lists {len(listed)}.")
    return listed[number - 1]


def _line(number: int, one: "Preference", *, kept: bool) -> str:
    day = time.strftime("%d %b", time.localtime(one[0]))
    return f"{number:>3}  {'kept' if kept else '    '}  {day}  {safe.line(one[1], 300)}"
