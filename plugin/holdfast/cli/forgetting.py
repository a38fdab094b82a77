"""The command `forget`: remove texts from what was kept of sessions."""

import click

from holdfast.actions import forget as action
from holdfast.actions.forget import Kept, Wanted
from holdfast.cli import screen
from holdfast.cli.app import cli, print_json, require_store, say, with_json
from holdfast.core.errors import HoldfastError
from holdfast.journal import log
from holdfast.sessions import short_ids
from holdfast.sessions.workspace import Workspace
from holdfast.trust import clone, safe

_SHORTEST = 2  # characters of a phrase
_SHOWN = 5  # names in a line
_STAYS = (
    "Not changed: what others wrote into state files, commits, what was sent to other machines (holdfast share "
    "forget), and transcripts of the client."
)


@cli.command("forget")
@click.argument("words", nargs=-1, required=True, metavar="WORDS|ID")
@click.option("-y", "--yes", is_flag=True, help="Ask no question.")
@with_json
@click.pass_obj
def forget(workspace: Workspace, *, words: tuple[str, ...], yes: bool, output: str) -> None:
    """Remove texts from journals, snapshots and the index.

    With WORDS: the texts that have them in this order, in whatever case. With the ID of a session: all its texts. Times
    and paths of files stay.
    """
    if clone.output_reaches_claude():
        raise HoldfastError("nothing was removed. Only a person may do this, in a terminal: holdfast forget")
    project = workspace.project
    require_store(project)
    wanted = _wanted(project.store, " ".join(words))
    kept = Kept(project, wanted)
    if output != "json":
        say(*_lines(kept, "Kept here:"))
    if not (kept.count or kept.snapshots):
        left = kept
    elif yes or (output != "json" and screen.can_ask() and click.confirm("Remove it?")):
        left = action.remove(project, wanted, kept)
    else:
        raise HoldfastError("nothing was removed. To remove it without a question, add: --yes")
    _report(kept, left, as_json=output == "json")


def _wanted(store: str, words: str) -> Wanted:
    """Return what to forget: a session if that is its id or short id, else what has these words."""
    short = short_ids.shortened(log.sessions(store))
    ident = next((ident for ident, name in short.items() if words in {ident, name}), "")
    if not ident and len(words.strip()) < _SHORTEST:
        raise HoldfastError("a single character is in every text. Give a word, or the ID of a session.")
    return Wanted(session=ident) if ident else Wanted(words)


def _lines(kept: Kept, heading: str) -> list[str]:
    """Return what is kept, as lines."""
    if not (kept.count or kept.snapshots):
        return ["No text of a journal or snapshot has it.", *_others(kept)]
    texts = [f"- {count} in the journal of session {ident}" for ident, count in kept.texts.items()]
    texts += [f"- {kept.preferences} in the preferences"] if kept.preferences else []
    texts += [f"- the words in {safe.line(name)}" for name in kept.private]
    taken = [f"- the whole snapshot {one.short}" for one in kept.snapshots]
    return [heading, *texts, *taken, *_others(kept)]


def _others(kept: Kept) -> list[str]:
    """Return a line about the files of the store that stay."""
    names = safe.listed([safe.line(name) for name in kept.others], _SHOWN)
    return [f"These files of the store have it, too, and stay: {names}"] if names else []


def _report(before: Kept, left: Kept, *, as_json: bool) -> None:
    """Print what was removed, as read back, and what stays."""
    texts, taken = before.count - left.count, len(before.snapshots) - len(left.snapshots)
    if as_json:
        sessions = [ident for ident, count in before.texts.items() if left.texts.get(ident, 0) < count]
        rest = {"left": left.count + len(left.snapshots), "stays": left.others}
        print_json({"texts": texts, "sessions": sessions, "snapshots": taken, **rest})
        return
    if before.count or before.snapshots:
        say(f"Removed: texts: {texts}, snapshots: {taken}. The index is made again.")
    if left is not before and (left.count or left.snapshots):
        say(*_lines(left, "Still kept here:"))
    say(_STAYS)
