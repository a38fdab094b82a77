"""The command `search`: texts of all sessions in which words occur, the best first."""

import click

from holdfast.cli import output, screen
from holdfast.cli.app import cli, own_session, print_json, say, say_nothing, take_survey
from holdfast.cli.output import HEADER, is_json, reports
from holdfast.cli.tables import age
from holdfast.context import other_machines
from holdfast.core import clock, process
from holdfast.journal import dialogs
from holdfast.sessions import conflicts, full_text, listed
from holdfast.sessions.conflicts import Change
from holdfast.sessions.full_text import Text
from holdfast.sessions.workspace import Workspace
from holdfast.sharing import rows as shared
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sharing.rows import Row

_HEADINGS = ("AT", "KIND", "LINE", "SESSION", "TITLE")  # in a pipe
_TAKEN = 2  # lines of a terminal for the line about more, and the next prompt


@cli.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(full_text.KINDS), help="Only this; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="Print all texts, also where a terminal has fewer lines.")
@click.option("--full", is_flag=True, help="Print each text in full, not only its line that has the words.")
@HEADER
@reports
@click.pass_obj
def search(
    workspace: Workspace, *, words: tuple[str, ...], kinds: tuple[str, ...], everything: bool, full: bool
) -> None:
    """Search what was asked, answered and decided in all sessions, and state files, the best match first.

    A text has all of the words, or as many as any text has. The beginning of a word is enough.
    """
    process.disable_gc()
    wanted = " ".join(words)
    survey = take_survey(workspace)
    texts = full_text.search(survey, wanted, lambda each: output.each(each, "Reading"), kinds)
    titles = {one.id: safe.line(one.title) for one in survey.sessions}
    short = listed.shortened(titles)
    rows = [_row(one, "" if full else wanted, titles, short) for one in texts]
    if is_json():
        print_json(rows)
    elif not rows:
        of_kind = f" of kind {' or '.join(kinds)}" if kinds else ""
        say_nothing(f"No text{of_kind} that was kept has {safe.line(wanted, 60)!r}.")
    elif size := screen.size():
        more = f"{{}} more: holdfast search --all {safe.line(safe.shell(wanted), 40)}"
        say(*_fitting([_lines(row, workspace.now) for row in rows], 0 if everything else size[1] - _TAKEN, more))
    else:
        cells = [[row[key.lower()] for key in _HEADINGS] for row in rows]
        click.echo("\n".join(screen.tabbed(_HEADINGS, cells)))


def _row(one: Text, words: str, titles: dict[str, str], short: dict[str, str]) -> dict[str, str]:
    """Return the JSON object of a text: its line that has the words, all of it for none."""
    return {
        "at": clock.write(one.at),
        "kind": one.kind,
        "line": _line(one, words),
        "session": one.session,
        "short": short.get(one.session, one.session),
        "title": titles.get(one.session, ""),
    }


def _line(one: Text, words: str) -> str:
    """Return the line of a text that has the words, or all of it; of questions with choices question and answer."""
    pairs = dialogs.answered(one.text) if one.kind == "choice" else []
    text = "\n".join(f"{asked} {answer}" for asked, answer, _ in pairs) or one.text
    return safe.line(full_text.line_with(safe.safe(text), words)) if words else safe.safe(text).strip()


def _lines(row: dict[str, str], now: float) -> list[str]:
    """Return a row for a terminal: a line about the text, and then the text, broken between words."""
    about = screen.Cell(f"{age(now - clock.read(row['at']))}  {row['kind']}  {row['short']}  {row['title']}", "dim")
    columns = screen.size() or (len(about), 0)
    return [screen.row([about], columns[:1]), *(f"  {line}".rstrip() for line in row["line"].splitlines())]


def _fitting(texts: list[list[str]], room: int, more: str) -> list[str]:
    """Return the lines of the first texts that fit into so many lines, of one at least; then how many more."""
    kept: list[str] = []
    for number, text in enumerate(texts):
        longer = [*kept, *screen.fitted(text)]
        if kept and room and len(longer) > room:
            return [*kept, screen.paint(more.format(len(texts) - number), "dim")]
        kept = longer
    return kept


_CONFLICT_HEADINGS = ("PATH", "CHANGED", "SESSION", "TITLE", "AGENT", "BRANCH", "WORKTREE")  # in a pipe


@cli.command("conflicts")
@HEADER
@reports
@click.pass_obj
def list_conflicts(workspace: Workspace) -> None:
    """List the files that several sessions, or another live one, changed lately: who changed them, and where."""
    survey = take_survey(workspace)
    found = conflicts.listed(survey, own_session())
    others = [*other_machines.in_use(survey, survey.settings.overlap_minutes * 60)]
    if is_json():
        print_json(
            [*(_conflict_row(changes) for changes in found), *(_json(path, row, workspace.now) for path, row in others)]
        )
        return
    if found and not screen.size():
        rows = [_cells(change) for changes in found for change in changes]
        click.echo("\n".join(screen.tabbed(_CONFLICT_HEADINGS, rows)))
    elif found:
        say(*(line for changes in found for line in _conflict_lines(changes, workspace.now)))
    if others and not screen.size():
        click.echo("\n".join(screen.tabbed((), [_plain(path, row, workspace.now) for path, row in others])))
    elif others:
        say(*(other_machines.sentence(workspace, path, row) for path, row in others))
    if not found and not others:
        say_nothing(f"No file was changed by another live session in the last {survey.settings.overlap_minutes} min.")


def _conflict_row(changes: list[Change]) -> "dict[str, object]":
    """Return the changes of one file as JSON gives them; contested is what several are at work on."""
    return {
        "path": changes[0].path,
        "contested": len(changes) > 1,
        "changes": [change.row() for change in changes],
    }


def _cells(change: Change) -> tuple[str, ...]:
    """Return the cells of a change for a pipe."""
    agent, title = change.type or change.agent, safe.line(change.session.title, 200)
    at = "" if change.declared else clock.write(change.at)
    return safe.line(change.path, 400), at, change.session.id, title, agent, change.branch, change.worktree


def _conflict_lines(changes: list[Change], now: float) -> list[str]:
    """Return the changes of one file for people."""
    contested = f" ({len(changes)} at work on it)" if len(changes) > 1 else ""
    return [
        f"{safe.line(changes[0].path, 200)}{contested}",
        *(f"  {change.when(now)}: {change.label}" for change in changes),
    ]


def _plain(path: str, row: "Row", now: float) -> tuple[str, ...]:
    """Return the cells of such a change for a pipe; the worktree says where it was made."""
    at = clock.write(now - shared.unchanged_for(row, path, now))
    return path, at, row["id"], safe.line(row["title"], 200), "", safe.line(row["branch"], 100), shared.where(row)


def _json(path: str, row: "Row", now: float) -> "dict[str, object]":
    """Return such a change as JSON gives it."""
    _, at, ident, title, _, branch, where = _plain(path, row, now)
    change = {"at": at, "session": ident, "title": title, "agent": "", "agent_type": "", "branch": branch}
    return {"path": path, "contested": False, "changes": [{**change, "worktree": where, "named_in_hub": False}]}
