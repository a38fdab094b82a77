"""The commands `stats`, `report` and `budget`: figures of all sessions, a page with all, and the tokens of one."""

import os

import click

from holdfast.cli import output, screen
from holdfast.cli.app import cli, own_session, pick, print_json, say, say_nothing, take_survey, with_session_argument
from holdfast.cli.output import HEADER, is_json, report, reports
from holdfast.cli.tables import age
from holdfast.cli.timeline import WHEN
from holdfast.context.short_lists import counted, kilobytes
from holdfast.core import files, process
from holdfast.core.errors import HoldfastError
from holdfast.journal.transcript import Tokens
from holdfast.memory import budget, measured
from holdfast.memory.budget import Budget
from holdfast.overview import figures
from holdfast.overview import report as pages
from holdfast.overview.figures import Figures, SessionFigures, TypeFigures
from holdfast.sessions import candidates, listed, lookup
from holdfast.sessions import survey as sessions
from holdfast.sessions.session import Session
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

_BARS = "▁▂▃▄▅▆▇█"
_LATEST = 8  # sessions in a terminal
_DAYS = 60  # of the sparkline


@cli.command("stats")
@click.option("--since", default=0.0, type=WHEN, help="Only sessions that started after this: a date, or 7d.")
@HEADER
@reports
@click.pass_obj
def show_stats(workspace: Workspace, *, since: float) -> None:
    """Show figures of all sessions: days, tasks, subagents, compactions, files, and tokens."""
    process.disable_gc()
    found = figures.read(workspace, since)
    if is_json():
        print_json(found.row())
    elif not found.sessions:
        say_nothing("No session of a coding client is recorded here yet, so there are no figures.")
    elif not screen.size():
        rows = [one.row() for one in found.sessions]
        cells = [[str(value) for value in row.values()] for row in rows]
        click.echo("\n".join(screen.tabbed([key.upper() for key in rows[0]], cells)))
    else:
        say(*_lines(found), "", "What happened in them, as a page: holdfast report --html report.html")


def _lines(found: Figures) -> list[str]:
    """Return the figures for a terminal."""
    parts = [_overview(found), _sessions(found.sessions[:_LATEST], len(found.sessions))]
    parts += [_types("TYPE", found.types), _types("AGENT", found.agents), _branches(found.branches)]
    return [line for part in parts if part for line in ["", *part]][1:]


def _overview(found: Figures) -> list[str]:
    """Return the sums, and the sessions of each day as a row of bars."""
    days = [*found.days.items()][-_DAYS:]
    sums = found.sums
    lines = {
        f"{counted(sums.sessions, 'session')}, {' to '.join(dict.fromkeys((days[0][0], days[-1][0])))}": 1,
        f"Sessions by day: {_sparkline([day.sessions for _, day in days])}": len(days) > 1,
        f"Tasks: {sums.tasks_done} of {sums.tasks} done": sums.tasks,
        f"Compactions: {sums.compactions}; {sums.kept} things kept, {sums.omitted} omitted": sums.compactions,
        f"Tokens: {_tokens(found.tokens)}": found.tokens.requests,
        f"Cost: ${found.tokens.cost:,.2f}, as the client wrote it down": found.tokens.cost,
        f"Completed: {found.completed}; median {age(found.median)}": found.completed,
    }
    return [line for line, amount in lines.items() if amount]


def _sparkline(counts: "list[int]") -> str:
    """Return a bar for each count; nothing is a dot."""
    most = max(counts)
    return "".join(_BARS[(len(_BARS) - 1) * count // most] if count else "·" for count in counts)


def _tokens(tokens: Tokens) -> str:
    cached = f"{tokens.fresh:,} fresh, {tokens.written:,} cache write, {tokens.cached:,} cache read"
    return f"{cached}, {tokens.output:,} out"


def _sessions(shown: list[SessionFigures], count: int) -> list[str]:
    names = listed.shortened(one.ident for one in shown)
    rows = [
        (
            names[one.ident],
            one.title,
            age(one.took) if one.took else "-",
            f"{one.tasks_done}/{one.tasks}" if one.tasks else "-",
            str(len(one.files)),
            str(one.children or "-"),
            one.zone if one.tokens.requests or one.zone != budget.ZONES[0].name else "-",
            f"{one.tokens.total:,}" if one.tokens.requests else "-",
        )
        for one in shown
    ]
    lines = screen.table(("ID", "TITLE", "TOOK", "TASKS", "FILES", "AGENTS", "ZONE", "TOKENS"), rows)
    more = (
        [screen.paint(f"{count - len(shown)} more: holdfast stats --header | cat", "dim")] if count > len(shown) else []
    )
    return [*lines, *more]


def _types(heading: str, type_figures: list[TypeFigures]) -> list[str]:
    rows = [
        (
            one.name,
            str(one.count),
            f"{one.completed * 100 // one.count}%",
            str(one.orphaned or "-"),
            f"{one.median:.0f} s" if one.completed else "-",
        )
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


@cli.command("report")
@click.option("--html", "path", default="", metavar="FILE", type=click.Path(), help="Write the page to this file.")
@click.option("--force", is_flag=True, help="Replace a file that is not a report of holdfast.")
@click.option("--all", "everything", is_flag=True, help=f"All sessions, not the latest {pages.MOST} only.")
@reports
@click.pass_context
def make_report(context: click.Context, *, path: str, force: bool, everything: bool) -> None:
    """Write the sessions, what happened and the figures into one page, which opens from disk.

    Without --html: print the figures, with --json all that the page would show.
    """
    workspace: Workspace = context.obj
    if not path and not is_json():
        context.invoke(show_stats)
        return
    if path:
        _require_writable(path, force=force)
    process.disable_gc()
    report = pages.read(workspace, 0 if everything else pages.MOST)
    if not path:
        print_json(report)
        return
    files.write_atomic(path, pages.compose(report))
    earlier = report.pop("earlier")
    report.clear()  # what is read back needs as much memory
    size, sessions = pages.measured(path)
    if is_json():
        print_json({"path": os.path.abspath(path), "bytes": size, "sessions": sessions})
    else:
        rest = f" {earlier} earlier: --all." if earlier else ""
        say(f"{safe.mask(path)}: {counted(sessions, 'session')}, {kilobytes(size)}. Open it in a browser.{rest}")


def _require_writable(path: str, *, force: bool) -> None:
    """Raise HoldfastError when the page cannot be written there, or, without `force`, would replace another file."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise HoldfastError(f"{folder} is not a folder. Give --html a file in a folder that exists.")
    if not os.path.lexists(path) or os.path.islink(path):  # a link is refused when it would be written
        return
    if not os.path.isfile(path):
        raise HoldfastError(f"{path} is not a plain file. Give --html the name of one.")
    if not force and os.path.getsize(path) and not pages.is_report(path):
        raise HoldfastError(f"{path} is there and is not a report of holdfast. Give another name, or --force.")


@cli.command("budget")
@with_session_argument
@reports
@click.pass_obj
def show_budget(workspace: Workspace, ident: str) -> None:
    """Show how full the context of a session is: its zone, the zone's strategy, and what the tokens are."""
    survey = take_survey(workspace)
    session = _budgeted(survey, ident)
    root = survey.workspace.project.root
    own = measured.context_budget(root, session.state, survey.settings)
    found = own or budget.of(session.transcript, survey.settings)
    if not found:
        raise HoldfastError(f"session {safe.line(session.id, 100)}: {_missing(session)}")
    report(
        _budget_row(session, found), *_budget_lines(session, found, os.path.relpath(own.origin, root) if own else "")
    )


def _budgeted(survey: Survey, ident: str) -> Session:
    """Return the session with an id, by default the own, only live or most recent one."""
    if ident:
        return pick(lambda: lookup.named(survey.workspace.project, survey.sessions, ident)).session
    own = sessions.find(survey.sessions, own_session())
    live = [session for session in survey.sessions if session.live]
    if own or len(live) == 1:
        return own or live[0]
    hits = [candidates.Hit(session) for session in survey.sessions if session.journaled]
    if not hits:
        raise HoldfastError(output.refusal(survey.workspace.project))
    return pick(lambda: lookup.most_recent(hits)).session


def _missing(session: Session) -> str:
    """Return why the tokens of a session are unknown, and what to do."""
    if not session.transcript:
        return "the path of its transcript is not known; only sessions started with holdfast's hooks have one."
    path = safe.line(session.transcript, 400)
    if not os.path.isfile(session.transcript):
        return f"there is no transcript at {path}: it was deleted, or no answer was written yet. Ask again later."
    return f"no answer of the model, or none since the last compaction, is in {path}. Ask again after the next one."


def _budget_lines(session: Session, found: Budget, kept_in: str) -> list[str]:
    """Return a budget as lines of text; `kept_in` is the CONTEXT.md that the project keeps it in, "" without one."""
    usage = found.usage
    zones = [f"- {item}" for item in budget.scale(found, found.zones)]
    if kept_in:
        return [budget.status(found), budget.phase(found), budget.strategy(found), "", *zones, "", f"From: {kept_in}"]
    parts = [
        ("Fresh input", usage.fresh),
        ("Cache read", usage.cached),
        ("Cache write", usage.written),
        ("Output of the last answer", usage.output),
    ]
    compacted = ["Compacted since the last request: this is what the compaction left, without the system prompt."]
    return [
        budget.status(found),
        budget.phase(found),
        budget.strategy(found),
        "",
        *zones,
        "",
        *(compacted if usage.compacted else [f"{label}: {count}" for label, count in parts]),
        f"Model: {safe.line(usage.model, 100) or 'not known'}",
        f"Window: {found.window} tokens, known by {found.origin}",
        f"Session: {safe.line(session.title, 200)} ({safe.line(session.id, 100)})",
    ]


def _budget_row(session: Session, found: Budget) -> dict[str, object]:
    """Return the JSON object for a budget."""
    usage = found.usage
    return {
        "id": session.id,
        "title": safe.line(session.title, 200),
        "used": found.used,
        "window": found.window,
        "window_known_by": found.origin,
        "percent": found.percent,
        "zone": budget.ZONES[found.zone].name,
        "strategy": budget.strategy(found),
        "zones": list(found.zones),
        "fresh": usage.fresh,
        "cache_read": usage.cached,
        "cache_write": usage.written,
        "output": usage.output,
        "compacted": usage.compacted,
        "model": usage.model,
        "at": usage.at,
        "transcript": session.transcript,
    }
