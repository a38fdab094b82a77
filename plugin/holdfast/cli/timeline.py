"""The commands `log` and `events`: what happened in all sessions, and the facts that journals keep."""

import contextlib
import os
import re
import time

import click

from holdfast.cli import screen
from holdfast.cli.app import cli, pick, print_json, say_nothing, take_survey, with_session_option
from holdfast.cli.output import HEADER, is_json, reports
from holdfast.cli.screen import Cell
from holdfast.cli.tables import age
from holdfast.context.short_lists import cut
from holdfast.core import clock, fast_json, process
from holdfast.core.errors import HoldfastError
from holdfast.overview import session_events
from holdfast.overview.session_events import COMPACTION, FILE, KINDS, LOOP, TASK, Event, Filter
from holdfast.sessions import lookup
from holdfast.sessions.candidates import UnclearError
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace
from holdfast.trust import safe

_HEADINGS = ("AT", "KIND", "WHAT", "SESSION", "TITLE", "WHY")  # in a pipe
_COLUMNS = ("AGE", "KIND", "WHAT", "SESSION")  # in a terminal
_WHAT = 2  # the column that takes the room that is left
_PATH = 36  # characters of a path in a terminal, the last ones
_MOST = 1000  # events in a pipe without --all: a reader seldom needs more, and older journals need not be read
_TITLE = 24  # characters of a title in a terminal
_TAKEN = 3  # lines of a terminal for headings, the line about more, and the next prompt
_EVENT_HEADINGS = ("AT", "KIND", "SESSION", "DATA")
_STYLES = {"start": "green", "end": "dim", "compaction": "yellow", "commit": "cyan"}
_UNITS = {"min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


class _Time(click.ParamType):  # type: ignore[type-arg] # generic in later versions of click only
    """A date or time of the user's clock, or an age such as 90min, 12h, 7d or 2w, as seconds since 1970."""

    name = "time"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the time that a text names."""
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"(\d{1,6})(min|h|d|w)", value)
        at = time.time() - int(match[1]) * _UNITS[match[2]] if match else clock.read_local(value)
        if not at:
            known = "2026-11-22, 2026-11-22T18:48:05Z, or an age: 90min, 12h, 7d"
            self.fail(f"{value!r} is not a time. Give {known}.", param, ctx)
        return at


WHEN = _Time()


@cli.command("log")
@click.argument("path", metavar="[FILE|ID]", default="", type=click.Path())
@with_session_option
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind; may be repeated.")
@click.option("--word", default="", help="Only what has this word in it.")
@click.option("--since", default=0.0, type=WHEN, help="Only from this time on: a date, or an age such as 7d.")
@click.option("--until", default=float("inf"), type=WHEN, help="Only up to this time.")
@click.option(
    "--all", "everything", is_flag=True, help="Print all events, not only as many as fit, or the newest 1000."
)
@HEADER
@reports
@click.pass_obj
def show_log(  # noqa: PLR0913 - one argument for each option
    workspace: Workspace,
    *,
    path: str,
    ident: str,
    kinds: tuple[str, ...],
    word: str,
    since: float,
    until: float,
    everything: bool,
) -> None:
    """Show what happened in all sessions, newest first.

    With FILE: which sessions changed it, and after which prompt. With the ID of a session: what happened in it.
    """
    try:
        session = _session(workspace, ident) if ident else ""
    except UnclearError as error:
        _print(_elsewhere(workspace, ident, error), workspace.now)
        return
    place = _in_tree(workspace, path) if path else ""
    chosen = Filter(session, place, word.casefold(), kinds, since, until)
    process.disable_gc()
    known = screen.size() if not is_json() else None
    limit = max(1, known[1] - _TAKEN) if known else _MOST
    journals = None if everything else Survey([], workspace).session_index.latest()
    found = session_events.read_timeline(workspace.project, chosen, 0 if everything else limit, journals=journals)
    if path and not (session or found.events):
        try:
            chosen = chosen._replace(session=_session(workspace, path), path="")
            found = session_events.read_timeline(workspace.project, chosen, 0 if everything else limit)
        except UnclearError as error:
            with contextlib.suppress(HoldfastError):
                found = _elsewhere(workspace, path, error)
    if found.events or is_json():
        _print(found, workspace.now)
    else:
        say_nothing("No recorded event matches." if chosen != Filter() else "Nothing was recorded here yet.")
    if found.more and not known:
        click.echo(f"holdfast: these are the newest {limit} events. All: holdfast log --all", err=True)


@cli.command("events")
@with_session_option
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only facts of this kind; may be repeated.")
@click.option("--since", default=0.0, type=WHEN, help="Only from this time on: a date, or an age such as 7d.")
@click.option("-f", "--follow", is_flag=True, help="Keep running, and print facts as they come.")
@HEADER
@reports
@click.pass_obj
def show_facts(workspace: Workspace, *, ident: str, kinds: tuple[str, ...], since: float, follow: bool) -> None:
    """Print the facts that journals keep, oldest first: what hooks measured, for programs."""
    from holdfast import api  # `log` needs none of it

    session = _session(workspace, ident) if ident else ""
    facts = api.Project(os.getcwd()).facts(session, kinds=kinds, since=since, follow=follow)
    try:
        for number, fact in enumerate(facts):
            if is_json():
                print_json(api.row(fact))
                continue
            cells = (clock.write(fact.at.timestamp()), fact.kind, fact.session, fast_json.dumps(fact.data))
            known = screen.size()
            lines = screen.tabbed(() if number else _EVENT_HEADINGS, [cells])
            click.echo("\n".join([cut(line.expandtabs(2), known[0]) for line in lines] if known else lines))
    except KeyboardInterrupt:
        return


def _print(found: session_events.Timeline, now: float) -> None:
    """Print events."""
    if is_json():
        rows = [_row(event, found.titles.get(event.session, "")) for event in found.events]
        click.echo("".join(f"{fast_json.dumps(row)}\n" for row in rows), nl=False)
    else:
        click.echo("\n".join(_lines(found, now)))


def _session(workspace: Workspace, ident: str) -> str:
    """Return the id of the session that is meant."""
    everyone = take_survey(workspace).sessions
    return pick(lambda: lookup.named(workspace.project, everyone, ident)).session.id


def _elsewhere(workspace: Workspace, ident: str, error: UnclearError) -> session_events.Timeline:
    """Return what is known of a session of another machine; HoldfastError without one."""
    from holdfast.cli import elsewhere

    row = elsewhere.meant(workspace, ident, error)
    return session_events.Timeline(elsewhere.events(row), {row["id"]: row["title"]})


def _in_tree(workspace: Workspace, path: str) -> str:
    """Return the path of a file as journals have it: relative to the working tree, "" for that, absolute outside."""
    full = os.path.normpath(os.path.join(os.getcwd(), path))
    return "" if full == workspace.project.root else workspace.project.relative(full) or full


def _lines(found: session_events.Timeline, now: float) -> list[str]:
    """Return events as lines of a table."""
    if not screen.size():
        rows = [_cells(event, found.titles.get(event.session, "")) for event in found.events]
        return screen.tabbed(_HEADINGS, rows)
    rows = [_shown(one, found.titles.get(one.session, "-"), age(now - one.at)) for one in found.events]
    lines = screen.table(_COLUMNS, rows, flexible=_WHAT)
    return [*lines, screen.paint("More: holdfast log --all", "dim")] if found.more else lines


def _shown(event: Event, title: str, when: str) -> tuple[str, ...]:
    """Return the cells of an event for a terminal."""
    return when, Cell(event.kind, _STYLES.get(event.kind, "")), what(event), Cell(safe.clip(title, _TITLE), "dim")


def _cells(event: Event, title: str) -> tuple[str, ...]:
    """Return the cells of an event for a pipe."""
    return clock.write(event.at), event.kind, what(event, shown=False), event.session, title, event.why


def what(event: Event, *, shown: bool = True) -> str:
    """Return in words what happened; when `shown`, with the prompt before a change, and the end of a long path."""
    if event.kind == FILE:
        times = f" ({event.times} edits)" if event.times > 1 else ""
        path = f"…{event.path[1 - _PATH :]}" if shown and len(event.path) > _PATH else event.path
        return f"{path}{times}" + (f": {event.why}" if shown and event.why else "")
    if event.kind in (TASK, LOOP):
        return f"{event.text} ({event.status})" if event.status else event.text
    if event.kind == COMPACTION:
        return f"{event.text}: {_outcome(event)}" if event.text else _outcome(event)
    return event.text or event.path or "-"


def _outcome(event: Event) -> str:
    """Return in words what a compaction kept and left out."""
    if event.status != "completed":
        return "nothing is known of its summary"
    omitted = f", omitted: {', '.join(event.omitted)}" if event.omitted else ", nothing omitted"
    return f"{event.kept} kept{omitted}"


def _row(event: Event, title: str) -> dict[str, object]:
    """Return the JSON object of an event."""
    members = event._asdict()
    return {**members, "at": clock.write(event.at), "title": title, "omitted": [*event.omitted]}
