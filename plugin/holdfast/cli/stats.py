"""The command `stats`: figures of all sessions."""

import csv
import io

import click

from holdfast.cli import screen
from holdfast.cli.app import HEADER, cli, print_json, say, say_nothing
from holdfast.cli.output import is_json, reports
from holdfast.cli.tables import age
from holdfast.cli.timeline import WHEN
from holdfast.context.short_lists import counted
from holdfast.core import clock, process
from holdfast.journal.requests import Tokens
from holdfast.overview import figures
from holdfast.overview.figures import Figures, SessionFigures, TypeFigures
from holdfast.sessions import short_ids
from holdfast.sessions.workspace import Workspace

_BARS = "▁▂▃▄▅▆▇█"
_LATEST = 8  # sessions in a terminal
_DAYS = 60  # of the sparkline
_HEADINGS = (
    *("ID", "TITLE", "STARTED", "BRANCH", "SECONDS", "TASKS DONE", "TASKS", "FILES", "CHILDREN", "COMPACTIONS", "KEPT"),
    *("OMITTED", "ZONE", "REQUESTS", "FRESH", "CACHE WRITE", "CACHE READ", "OUTPUT", "COST"),
)  # in a pipe


@cli.command("stats")
@click.option("--since", default=0.0, type=WHEN, help="Only sessions that started after this: a date, or 7d.")
@click.option("--csv", "as_csv", is_flag=True, help="Print a row for each session as CSV, with headings.")
@HEADER
@reports
@click.pass_obj
def show_stats(workspace: Workspace, *, since: float, as_csv: bool, header: bool) -> None:
    """Show figures of all sessions: days, tasks, subagents, compactions, files, and tokens."""
    process.disable_gc()
    found = figures.read(workspace, since)
    rows = [_cells(one) for one in found.sessions]
    if is_json():
        print_json(found.row())
    elif as_csv:
        click.echo(_csv([_HEADINGS, *rows]), nl=False)
    elif not rows:
        say_nothing("No session of a coding client is recorded here yet, so there are no figures.")
    elif not screen.size():
        click.echo("\n".join(screen.tabbed(_HEADINGS, rows, header=header)))
    else:
        say(*_lines(found))


def _csv(rows: "list[tuple[str, ...]]") -> str:
    """Return rows as CSV; a cell that a spreadsheet would calculate begins with an apostrophe."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_plain(cell) for cell in row] for row in rows)
    return text.getvalue()


def _plain(cell: str) -> str:
    return f"'{cell}" if cell[:1] in {"=", "+", "-", "@"} else cell


def _cells(one: SessionFigures) -> tuple[str, ...]:
    """Return the figures of a session as texts."""
    numbers = (
        one.took,
        one.tasks_done,
        one.tasks,
        len(one.files),
        one.children,
        one.compactions,
        one.kept,
        one.omitted,
    )
    tokens = (one.tokens.requests, one.tokens.fresh, one.tokens.written, one.tokens.cached, one.tokens.output)
    first = (one.ident, one.title, clock.write(one.started), one.branch)
    return (*first, *(f"{number:.0f}" for number in numbers), one.zone, *map(str, tokens), f"{one.tokens.cost:.6f}")


def _lines(found: Figures) -> list[str]:
    """Return the figures for a terminal."""
    parts = [_overview(found), _sessions(found.sessions[:_LATEST], len(found.sessions))]
    parts += [_types("TYPE", found.types), _types("AGENT", found.agents), _branches(found.branches), _together(found)]
    return [line for part in parts if part for line in ["", *part]][1:]


def _overview(found: Figures) -> list[str]:
    """Return the sums, and the sessions of each day as a row of bars."""
    days = [*found.days.items()][-_DAYS:]
    sums = found.sums
    lines = [
        f"{counted(sums.sessions, 'session')}, {days[0][0]} to {days[-1][0]}",
        f"Sessions by day: {_sparkline([day.sessions for _, day in days])}",
        f"Tasks: {sums.tasks_done} of {sums.tasks} done",
        f"Compactions: {sums.compactions}; {sums.kept} things kept, {sums.omitted} omitted",
        f"Tokens: {_tokens(found.tokens)}",
        *([f"Cost: ${found.tokens.cost:,.2f}, as the client wrote it down"] if found.tokens.cost else []),
    ]
    return [*lines, f"Completed: {found.completed}; median {age(found.median)}"] if found.completed else lines


def _sparkline(counts: "list[int]") -> str:
    """Return a bar for each count; nothing is a dot."""
    most = max(counts)
    return "".join(_BARS[(len(_BARS) - 1) * count // most] if count else "·" for count in counts)


def _tokens(tokens: Tokens) -> str:
    cached = f"{tokens.fresh:,} fresh, {tokens.written:,} cache write, {tokens.cached:,} cache read"
    return f"{cached}, {tokens.output:,} out"


def _sessions(shown: list[SessionFigures], count: int) -> list[str]:
    names = short_ids.shortened(one.ident for one in shown)
    rows = [
        (
            names[one.ident],
            one.title,
            age(one.took) if one.took else "-",
            f"{one.tasks_done}/{one.tasks}" if one.tasks else "-",
            str(len(one.files)),
            str(one.children or "-"),
            one.zone,
            f"{one.tokens.total:,}" if one.tokens.requests else "-",
        )
        for one in shown
    ]
    lines = screen.table(("ID", "TITLE", "TOOK", "TASKS", "FILES", "AGENTS", "ZONE", "TOKENS"), rows)
    more = [screen.paint(f"{count - len(shown)} more: holdfast stats --csv", "dim")] if count > len(shown) else []
    return [*lines, *more]


def _types(heading: str, type_figures: list[TypeFigures]) -> list[str]:
    rows = [
        (one.name, str(one.count), f"{one.completed * 100 // one.count}%", f"{one.orphaned}", f"{one.median:.0f} s")
        for one in type_figures
    ]
    return screen.table((heading, "COUNT", "COMPLETED", "ORPHANED", "MEDIAN"), rows, flexible=0) if rows else []


def _branches(tokens: dict[str, Tokens]) -> list[str]:
    rows = [
        (name, *(f"{count:,}" for count in (one.requests, one.fresh, one.written, one.cached, one.output)))
        for name, one in tokens.items()
    ]
    headings = ("BRANCH", "REQUESTS", "FRESH", "CACHE WRITE", "CACHE READ", "OUTPUT")
    return screen.table(headings, rows, flexible=0) if rows else []


def _together(found: Figures) -> list[str]:
    rows = [(f"{first}, {second}", str(count)) for (first, second), count in found.together]
    return screen.table(("CHANGED TOGETHER", "SESSIONS"), rows, flexible=0) if rows else []
