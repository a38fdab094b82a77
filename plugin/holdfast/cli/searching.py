"""The command `search`: texts of all sessions in which words occur, the best first."""

import unicodedata

import click

from holdfast.cli import output, screen
from holdfast.cli.app import cli, print_json, say_nothing
from holdfast.cli.output import HEADER, is_json, reports
from holdfast.cli.screen import Cell
from holdfast.cli.tables import age
from holdfast.core import clock, process
from holdfast.journal import dialogs, log
from holdfast.overview.session_events import SessionEvents
from holdfast.sessions import full_text, listed
from holdfast.sessions.full_text import Text
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

_HEADINGS = ("AT", "KIND", "LINE", "SESSION", "TITLE")  # in a pipe
_COLUMNS = ("AGE", "KIND", "LINE", "SESSION", "TITLE")  # in a terminal
_LINE = 2  # the column that takes the room that is left
_TITLE = 16  # characters of a title in a terminal
_BEFORE = 20  # characters before the first word in a terminal
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
    shown = texts[: max(1, known[1] - _TAKEN)] if known else texts
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
    if not screen.size():
        rows = [(clock.write(one.at), one.kind, _line(one, words), one.session, titles[one.session]) for one in texts]
        return screen.tabbed(_HEADINGS, rows)
    shown = [
        (
            age(now - one.at),
            Cell(one.kind, "cyan" if one.kind in {"decision", "question"} else ""),
            _near(_line(one, words), words),
            short.get(one.session, one.session),
            Cell(safe.clip(titles[one.session] or "-", _TITLE), "dim"),
        )
        for one in texts
    ]
    return screen.table(_COLUMNS, shown, flexible=_LINE)


def _line(one: Text, words: str) -> str:
    """Return the line of a text that has the words, of questions with choices the question and its answer."""
    pairs = dialogs.answered(one.text) if one.kind == "choice" else []
    text = "\n".join(f"{asked} {answer}" for asked, answer, _ in pairs) or one.text
    return safe.line(full_text.line_with(safe.safe(text), words))


def _near(line: str, words: str) -> str:
    """Return a line from shortly before the first of the words."""
    low = unicodedata.normalize("NFC", line).lower()
    places = [at for word in words.lower().split() if (at := low.find(word)) >= 0]
    begin = min(places, default=0) - _BEFORE
    return f"…{line[begin:]}" if begin > 0 else line
