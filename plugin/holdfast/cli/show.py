"""The commands `list`, `status`, `show` and `brief`. They write nothing.

They are used most, so each imports only what it needs.
"""

import os
import re

import click

from holdfast.cli import output, screen
from holdfast.cli.app import (
    cli,
    find_state_file,
    own_session,
    pick,
    print_json,
    say,
    say_nothing,
    take_survey,
    warn,
    with_session_argument,
)
from holdfast.cli.output import HEADER, is_json, reports
from holdfast.context.checklist import checklist
from holdfast.context.short_lists import cut
from holdfast.core.errors import HoldfastError
from holdfast.core.fast_json import rows_of, text_of, texts_of
from holdfast.formats import issue
from holdfast.project import paths
from holdfast.sessions import listed, lookup, resume
from holdfast.sessions import survey as sessions
from holdfast.sessions.candidates import UnclearError
from holdfast.sessions.status import with_status
from holdfast.sessions.workspace import Workspace, read_summary, summary_of_entry
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.context.checklist.checklist import Item
    from holdfast.core.summary import Summary
    from holdfast.sessions import candidates
    from holdfast.sessions.session import Session
    from holdfast.sessions.survey import Survey


_WHOLE_LINES = ("State file:", "What can be done")  # beginnings of lines that are not cut
_SIX = "gsd-lite"  # see `memory.view`
_WHOLE_BRIEF = 1 << 20  # characters of a brief that is not shortened


@cli.command("list")
@click.option("--all", "everything", is_flag=True, help="Also list sessions that were completed earlier.")
@HEADER
@reports
@click.pass_obj
def list_sessions(workspace: Workspace, *, everything: bool) -> None:
    """Show every session known here: what it is about, where it runs, whether it is live."""
    survey = take_survey(workspace, *(() if everything else (listed.today(workspace.now), "", listed.MOST)))
    if survey.left:
        warn(listed.older(survey.left))
    everyone = _everyone(survey)
    shared = paths.is_shared(workspace.project.store)
    if shared:
        from holdfast.cli import elsewhere

        everyone = elsewhere.at_hand(survey, everyone)
    if survey.redacted:
        from holdfast.actions import accept

        warn(f"{clone.kept_back(accept.untrusted_paths(survey))}. The user says yes: holdfast trust")
    groups = listed.grouped(everyone, workspace.now, everything=everything)
    if is_json():
        from holdfast import api

        known = [api.row(api.session_of(session)) for found in groups.values() for session in found]
        print_json([*known, *(_elsewhere(survey, everything=everything) if shared else [])])
        return
    others = _elsewhere(survey, everything=everything) if shared else []
    if any(groups.values()):
        from holdfast.cli import tables

        left_out = 0 if everything else _done_earlier(survey, everyone)
        say(*tables.sessions(groups, workspace.now, left_out, everything=everything))
    elif not others:
        say_nothing(_nothing(survey, everyone))
    say(*map(str, others))


def _everyone(survey: "Survey") -> "list[Session]":
    """Return all sessions of a survey; only a hub has orphans among its entries, and few projects have one."""
    if not survey.hub_session:
        return resume.listed(survey)
    from holdfast.hub import tree

    return tree.listed(survey)


def _elsewhere(survey: "Survey", *, everything: bool) -> "list[str] | list[dict[str, object]]":
    """Return the sessions of other machines as lines, or as rows for JSON."""
    from holdfast.cli import elsewhere

    workspace = survey.workspace
    rows = elsewhere.found(survey, everything=everything)
    if is_json():
        return [elsewhere.json_row(row, workspace) for row in rows]
    return elsewhere.lines(rows, workspace, everything=everything) if rows else []


def _done_earlier(survey: "Survey", everyone: "list[Session]") -> int:
    """Return how many sessions were done before today, those that the survey passed over included."""
    read = listed.grouped(everyone, survey.workspace.now, everything=True)[listed.EARLIER]
    return len(read) + survey.passed_over


def _nothing(survey: "Survey", everyone: "list[Session]") -> str:
    """Return the message for an empty list."""
    earlier = _done_earlier(survey, everyone)
    if earlier:
        return f"No session is active here; {earlier} done earlier: holdfast list --all"
    if everyone:
        return "No session has worked here yet. All sessions: holdfast list --all"
    return output.nothing_known(survey.workspace.project)


@cli.command("status")
@with_session_argument
@reports
@click.pass_obj
def show_status(workspace: Workspace, ident: str) -> None:
    """Show what a state file says: status, focus, progress, what is next, what is open, and its working memory."""
    from holdfast.cli import render
    from holdfast.context.drift import measured
    from holdfast.memory import reading
    from holdfast.sessions import ledger
    from holdfast.trust import safe

    try:
        hit, survey = find_state_file(workspace, ident, or_entry=True, or_away=True)
    except UnclearError as error:
        from holdfast.cli import elsewhere

        elsewhere.status(workspace, ident, error)
        return
    away = hit.session.away
    model = hit.session.summary if away else read_summary(hit.path, workspace.cache, survey.formats)
    if not model and away:
        lookup.require_file(hit)
    if not model:
        raise HoldfastError(f"{hit.session.state_name} is not a plain file, or too large to be read. Move it away.")
    problem = str(model["problem"])
    model = _with_orphans(model, survey) if "entries" in model and hit.path == survey.hub else model
    model = summary_of_entry(model, hit.entry) if hit.entry else with_status(model, hit.session)
    memory = reading.NOTHING if hit.entry or away else reading.read(hit.path, workspace)
    talk = [] if hit.entry or away else ledger.discussion(hit.path)
    until = "" if hit.entry else ledger.put_off(hit.session)[0]
    talk += [f"Put off to {until}"] if until else []
    others = not hit.session.file.made or hit.session.file.edited or hit.session.file.saved  # beside holdfast wrote it
    is_judged = not (hit.entry or away or hit.session.shared or problem)
    drift = (measured.level(hit.session, workspace) if others else "none") if is_judged else ""
    workspace.save()
    if is_json():
        extra: dict[str, object] = {"memory": memory["row"]} if memory["row"] else {}
        extra |= {"drift": drift} if drift else {}
        print_json({**render.summary_row(model, hit.session, hit.entry), **extra})
        return
    if problem:
        warn(f"{hit.session.state_name} is not written: {problem}")
    title = safe.line(str(model["title"]), 200)
    head = f"State file: {hit.session.state_shown} ({hit.session.summary.get('format') or model.get('format')})"
    lines = [f"Drift: {drift} (holdfast drift)"] if drift not in {"", "none"} else []
    known, own = screen.size(), None if hit.entry else hit.session
    talk = [safe.line(line, 400) for line in talk]
    lines = [title, head, *render.summary_lines(model, workspace.now, own), *memory["lines"], *talk, *lines]
    whole = hit.session.summary.get("format") == _SIX  # its document has all six sections shown
    shown = [part for line in lines for part in _fitted(line, known[0], whole=whole)] if known else lines
    say(*screen.page(shown, "{} more lines. All of it: holdfast show"))


def _with_orphans(model: "Summary", survey: "Survey") -> "Summary":
    """Return the summary of a hub with a mark at its orphans."""
    from holdfast.hub import tree

    orphans = tree.orphans_of(survey)
    marked = model.copy()
    marked["entries"] = [row.copy() for row in rows_of(model, "entries")]
    for row in marked["entries"]:
        row["orphaned"] = row["id"] in orphans
    return marked


def _fitted(line: str, columns: int, *, whole: bool) -> list[str]:
    """Return a line cut to the screen. The state file and what can be done are shown whole, on more lines."""
    parts = screen.fitted([line]) if whole or line.startswith(_WHOLE_LINES) else [line]
    return [cut(part, columns) for part in parts]


@cli.command("show")
@with_session_argument
@click.option("--section", default="", help="Only the section of this name, whichever of its names the file uses.")
@reports
@click.pass_obj
def show_file(workspace: Workspace, ident: str, section: str) -> None:
    """Print a state file, or one section of it, as it is."""
    from holdfast.trust import safe

    try:
        hit, _ = find_state_file(workspace, ident, or_away=True)
    except UnclearError as error:
        from holdfast.cli import elsewhere

        elsewhere.show(workspace, ident, error, section)
        return
    away = hit.session.elsewhere.text if hit.session.elsewhere else None
    if away == b"":
        lookup.require_file(hit)
    state = workspace.state_file(hit.path or hit.session.claimed, away)
    if is_json():
        print_json({"path": hit.session.state_name, **state.outline(section, hit.entry)})
        return
    click.echo(safe.plain(state.part(section, hit.entry)).rstrip("\n"))


@cli.command("brief")
@with_session_argument
@click.option(
    "--all",
    "whole",
    is_flag=True,
    help="Print all of it, however long. Without it, the least important parts are only counted.",
)
@reports
@click.pass_obj
def show_brief(workspace: Workspace, ident: str, *, whole: bool) -> None:
    """Print the text that a new session receives from holdfast.

    With ID: the text that this session would receive.
    """
    from holdfast.context import brief, start_brief
    from holdfast.context.start_brief import Notices

    project, now = workspace.project, workspace.now
    try:
        own = _receiver(sessions.survey(workspace), ident) if ident else own_session()
    except UnclearError as error:
        from holdfast.cli import elsewhere

        elsewhere.brief(workspace, ident, error)
        return
    reads = 0 if whole else sessions.AT_ONCE
    survey = sessions.survey(workspace, os.getcwd(), own=own, reads=reads, quickly=not whole, guarded=True)
    # Without an id it is the brief of a session that starts now, with what a person at the terminal would be asked.
    found = start_brief.of_start(survey, own, os.getcwd(), None if own else Notices(survey))
    limit = _WHOLE_BRIEF if whole else survey.settings.brief_characters - safe.FENCE
    text = brief.compose(found, now, limit, initialised=project.initialised, whole=whole)
    if is_json():
        print_json({"text": text})
    elif text and clone.output_reaches_claude():
        say(safe.fenced(text))
    else:
        say(text or output.nothing_known(project))
    if survey.complaint:
        raise HoldfastError(survey.complaint)


def _receiver(survey: "Survey", ident: str) -> str:
    """Return the id of the session that is meant; HoldfastError for an entry of the hub, which no session has."""
    from holdfast.sessions import candidates

    hit = pick(lambda: lookup.named(survey.workspace.project, survey.sessions, ident))
    if hit.entry:
        name = candidates.short_name(hit)
        raise HoldfastError(
            f"{name} is only an entry of the hub, so no session receives a brief. Type: holdfast status {name}"
        )
    return hit.session.id


@cli.command("checklist")
@with_session_argument
@click.option("--all", "everything", is_flag=True, help="Also show what only you can answer, as far as it applies.")
@reports
@click.pass_obj
def show_checklist(workspace: Workspace, ident: str, *, everything: bool) -> None:
    """Show what is measured and open of a session; with --all also what only people can answer.

    Without ID: your own session once it has done something, else the one that worked last.
    """
    from holdfast.context.checklist import unfinished
    from holdfast.sessions import candidates

    survey = take_survey(workspace)
    hit = _worked(survey, ident)
    session, named = hit.session, (hit.entry, candidates.title(hit))
    known = unfinished.measure(workspace, session)
    known |= unfinished.of_entry(workspace, hit.path, hit.entry) if hit.entry else {}
    session = session.replace(measured=known)
    others = [one for one in survey.sessions if one.live or not one.journaled or one.id != session.id]
    active = checklist.active(others) + sum(one.active for one in resume.neurons(survey))
    if is_json():
        rows = [item.row() for item in checklist.items(session)]
        print_json({"session": session.id, "findings": rows, "active": active})
    elif everything:
        _, items = due([], checklist.items(session), session)
        say(checklist.head(session, *named), *(item.text for item in items), checklist.still_active(active))
    else:
        say(*fitted(checklist.lines(session, active, *named)))


def _worked(survey: "Survey", ident: str) -> "candidates.Hit":
    """Return the session that an id means; without one the own session, else the one that worked last."""
    from holdfast.sessions import candidates

    if ident:
        return pick(lambda: lookup.find(survey.workspace.project, survey.sessions, ident))
    worked = [one for one in survey.sessions if one.journaled and one.worked]
    own = [one for one in worked if one.id == own_session()]
    hits = [candidates.Hit(one) for one in own or worked or listed.without_session(survey)]
    entry = lookup.entry(survey.sessions, own_session()) if not hits else None
    if entry:
        return pick(lambda: entry)
    if not hits:
        raise HoldfastError(output.refusal(survey.workspace.project))
    return pick(lambda: lookup.most_recent(hits))


_TWICE = frozenset({"tracking", "decisions", "remaining"})  # where knowledge belongs, asked in the other list, too
_API = re.compile(r"(?:^|[/_.-])(?:api|openapi|swagger|graphql|routes?|endpoints?)(?:[/_.-]|$)|\.proto$", re.IGNORECASE)


def fitted(lines: list[str]) -> list[str]:
    """Return lines cut to the width of the terminal."""
    known = screen.size()
    return [cut(line, known[0]) for line in lines] if known else lines


def due(moved: "list[Item]", left: "list[Item]", session: "Session") -> "tuple[list[Item], list[Item]]":
    """Return both lists without what this work has not: an issue, decisions, an API, or anything that remains.

    A question that both lists have is asked once, in the words of the second.
    """
    summary = session.summary
    about = {
        "issue": bool(issue.key(f"{session.title} {text_of(summary, 'objective')} {summary.get('linear_issue', '')}")),
        "adrs": bool(texts_of(summary, "decisions")),
        "contracts": any(map(_API.search, session.inside())),
        "backlog": any(item.count for item in moved if item.kind == "remaining"),
    }
    kept = [item for item in moved if item.kind not in _TWICE and about.get(item.kind, True)]
    return kept, [item for item in left if about.get(item.kind, True)]
