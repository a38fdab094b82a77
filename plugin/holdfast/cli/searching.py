"""The command `search`: texts of all sessions in which words occur, the best first."""

import textwrap
import unicodedata

import click

from holdfast.cli import output, screen
from holdfast.cli.app import cli, own_session, print_json, say, say_nothing, take_survey
from holdfast.cli.output import HEADER, is_json, reports
from holdfast.cli.screen import Cell
from holdfast.cli.tables import age
from holdfast.context import other_machines
from holdfast.core import clock, process
from holdfast.journal import dialogs, log
from holdfast.overview.session_events import SessionEvents
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
_COLUMNS = ("AGE", "KIND", "LINE", "SESSION", "TITLE")  # in a terminal
_LINE = 2  # the column that takes the room that is left
_TITLE = 16  # characters of a title in a terminal
_BEFORE = 20  # characters before the first word in a terminal
_OTHERS = 50  # columns that the other columns of the table take
_WHOLE = 6  # lines of the best text that are there at least
_TAKEN = 3  # lines of a terminal for headings, the line about more, and the next prompt


@cli.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--kind", "kinds", multiple=True, type=click.Choice(full_text.KINDS), help="Only this; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="Print all texts, also where a terminal has fewer lines.")
@HEADER
@reports
@click.pass_obj
def search(workspace: Workspace, *, words: tuple[str, ...], kinds: tuple[str, ...], everything: bool) -> None:
    """Search what was asked, answered and decided in all sessions, the best match first.

    A text has all of the words, or as many as any text has. The beginning of a word is enough.
    """
    process.disable_gc()
    wanted = " ".join(words)
    texts = full_text.search(workspace.cache.database, wanted, lambda each: output.each(each, "Reading"), kinds)
    known = None if everything or is_json() else screen.size()
    shown = texts[: max(1, known[1] - _TAKEN - _WHOLE - 1)] if known else texts
    titles = {ident: _title(workspace, ident) for ident in {one.session for one in shown}}
    short = listed.shortened(log.sessions(workspace.project.store))
    if is_json():
        print_json([_row(one, wanted, titles, short) for one in shown])
    elif not shown:
        of_kind = f" of kind {' or '.join(kinds)}" if kinds else ""
        say_nothing(f"No text{of_kind} that was kept has {safe.line(wanted, 60)!r}.")
    else:
        click.echo("\n".join(_lines(shown, wanted, titles, short, workspace.now)))
        if len(shown) < len(texts):
            more = f"{len(texts) - len(shown)} more: holdfast search --all {safe.line(safe.shell(wanted), 40)}"
            click.echo(screen.paint(more, "dim"))


def _title(workspace: Workspace, ident: str) -> str:
    """Return the title of a session."""
    events = SessionEvents(workspace.project.store, ident)
    events.add(log.read(workspace.project.store, ident))
    return events.title


def _row(one: Text, words: str, titles: dict[str, str], short: dict[str, str]) -> dict[str, object]:
    """Return the JSON object of a text."""
    return {
        "at": clock.write(one.at),
        "kind": one.kind,
        "line": _line(one, words),
        "session": one.session,
        "short": short.get(one.session, one.session),
        "title": titles[one.session],
    }


def _lines(texts: list[Text], words: str, titles: dict[str, str], short: dict[str, str], now: float) -> list[str]:
    """Return texts as the lines of a table."""
    columns, height = screen.size() or (0, 0)
    if not columns:
        rows = [(clock.write(one.at), one.kind, _line(one, words), one.session, titles[one.session]) for one in texts]
        return screen.tabbed(_HEADINGS, rows)
    shown = [
        (
            age(now - one.at),
            Cell(one.kind, "cyan" if one.kind in {"decision", "question"} else ""),
            _near(_line(one, words), words, columns),
            short.get(one.session, one.session),
            Cell(safe.clip(titles[one.session] or "-", _TITLE), "dim"),
        )
        for one in texts
    ]
    whole = [part for line in safe.safe(texts[0].text).splitlines() for part in textwrap.wrap(line, columns)]
    at = next((at for at, line in enumerate(whole) if full_text.line_with(texts[0].text, words).startswith(line)), 0)
    most = max(_WHOLE, height - len(shown) - _TAKEN - 1)
    first = max(0, min(at - 1, len(whole) - most))
    return [*screen.table(_COLUMNS, shown, flexible=_LINE), "", *whole[first : first + most]]


def _line(one: Text, words: str) -> str:
    """Return the line of a text that has the words, of questions with choices the question and its answer."""
    pairs = dialogs.answered(one.text) if one.kind == "choice" else []
    text = "\n".join(f"{asked} {answer}" for asked, answer, _ in pairs) or one.text
    return safe.line(full_text.line_with(safe.safe(text), words))


def _near(line: str, words: str, columns: int) -> str:
    """Return a line from shortly before the first of the words, unless it fits into a terminal of so many columns."""
    low = unicodedata.normalize("NFC", line).lower()
    places = [at for word in words.lower().split() if (at := low.find(word)) >= 0]
    begin = min(places, default=0) - _BEFORE
    return f"…{line[begin:]}" if begin > 0 and len(line) > columns - _OTHERS else line


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
