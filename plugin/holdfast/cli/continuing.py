"""The commands `pause` and `continue`: pause work with a hand-over, and continue it in any session."""

import os

import click

from holdfast.actions import hand_over, lifecycle, sync, update_hub
from holdfast.cli import closing, render, screen
from holdfast.cli.app import (
    MASKED,
    begin_missing,
    begin_own_state_file,
    catch_up,
    cli,
    own_session,
    refresh_hub,
    report_unplaced,
    require_store,
    take_survey,
    warn,
    with_session_argument,
)
from holdfast.cli.output import is_json, report, report_told, reports, tell
from holdfast.cli.steps import coming_day, run_step
from holdfast.context import session_lines
from holdfast.context.handover import choose
from holdfast.context.handover.content import Additions
from holdfast.context.handover.document import Handover
from holdfast.core import clock, files
from holdfast.core.errors import HoldfastError
from holdfast.core.statuses import ACTIVE, OVER, PAUSED
from holdfast.editing import locate, store
from holdfast.editing.store import HeldError
from holdfast.formats.state_file import parse, summary
from holdfast.journal import log, payload
from holdfast.memory import available_actions
from holdfast.memory import step as steps
from holdfast.memory import view as views
from holdfast.project import paths
from holdfast.sessions import candidates, ledger, lookup, paused_work
from holdfast.sessions import resume as resuming
from holdfast.sessions import survey as sessions
from holdfast.sessions.candidates import Hit
from holdfast.sessions.survey import Survey
from holdfast.sessions.workspace import Workspace, summary_of
from holdfast.trust import clone, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.core.summary import Summary

_UNCOUNTED: "Summary" = {"progress": ""}  # of a hand-over that is the number of a task
_PRINTED = 9  # lines of a terminal that the result of `continue` takes


@cli.command()
@with_session_argument
@click.option(
    "--note", type=MASKED, default="", help="What the next session needs to know and the state file does not say."
)
@click.option(
    "--next", "following", type=MASKED, default="", help="The next step. Without it: the one in the state file."
)
@click.option("--until", default="", help="Put the work off to this day: a date, a weekday, or tomorrow.")
@reports
@click.pass_obj
def pause(workspace: Workspace, *, ident: str, note: str, following: str, until: str) -> int:
    """Set a state file to paused, for `holdfast continue` to take up.

    A note is kept in no commit, unless the format has hand-overs in the working tree.
    """
    project = workspace.project
    day = coming_day(until, workspace.now) if until else ""
    require_store(project)
    begin_own_state_file(workspace, ident)
    survey = take_survey(workspace)
    hit = choose.to_pause(project, survey, ident, own_session())
    if begin_missing(workspace, hit):
        survey = take_survey(workspace)
        hit = choose.to_pause(project, survey, hit.session.id, own_session())
    clone.require_trusted([hit.path] if hit.path else [])
    if not (hit.session.away and hit.read()):
        lookup.require_file(hit)
    word = lifecycle.word(hit, "paused", survey.formats)
    catch_up(workspace, hit)
    preview = sync.preview(hit, {"Status": word}, survey.formats)
    written, done, problem = hand_over.Written(), None, ""
    try:
        if not preview.outcome.unplaced:  # before the state file changes, so that a failure later loses nothing
            written = hand_over.write(project, hit, survey, Additions(note, following), workspace.now)
        following_line = _add_next(survey, hit, following) if hit.path else ""
    except HeldError as error:
        problem, following_line = str(error), ""
    home = paths.locate(os.path.dirname(hit.place))
    aside = os.path.dirname(written.path) == home.aside
    name = os.path.relpath(written.path, project.root) if written.path and not aside else ""
    logged = "" if aside and home.git else safe.line(note)
    logged = " ".join(filter(None, [logged, f"Put off to {day}." if day else ""]))
    if hit.path and not problem:
        done = update_hub.turn(workspace, hit, PAUSED, logged, why=safe.line(note))
        refresh_hub(workspace, hit)
        said = done.written or not (following_line or note)
        lines = render.synced_lines(done, hit.session.state_name) if said else []
    else:
        lines = closing.later(workspace, hit, PAUSED, safe.line(note), problem)
    if day:
        with store.writing(project):
            ledger.note(hit.place, {"kind": "until", "text": day})
    lines += [following_line] if following_line else []
    lines += [f"Hand-over: {name}"] if name else []
    until = day or ledger.put_off(hit.session)[0]
    lines += [f"It comes back on {until}."] if until else []
    lines += ["The note is in no commit."] if note and aside else []
    lines += ["To go on, type: holdfast continue"] if written.path else []
    lines += [f"The file does not say {' and '.join(written.lacking)}."] if written.lacking else []
    lines += render.uncommitted_lines(hit.path) if done else []
    path = hit.session.state_name
    report(
        {
            **(render.synced_row(done, path) if done else {"path": path, "written": False}),
            "hand_over": name,
            "lacking": [*written.lacking],
            "put_off": until,
        },
        *lines,
    )
    if written.unstaged:
        warn(written.unstaged)
    return report_unplaced(done) if done else 0


def _add_next(survey: Survey, hit: Hit, following: str) -> str:
    """Add the next step to the state file; return the line about it, "" where it has no place there."""
    if hit.entry and following:
        sync.sync(survey.workspace.project, hit, {"Next": following}, survey.formats, survey.settings)
        return f"Next in {hit.session.state_name}: {safe.line(following, 200)}"
    requested: dict[str, object] = {"Next Steps": [following, *_replaced(hit, survey)]}
    record = parse(files.read(hit.path), hit.path, survey.formats).record
    titles = [place.partition(":")[2].partition("/")[0] for place in record.file_format.model.get("next", [])]
    if not (record.spots("next") or any(map(record.file_format.part, titles))):
        return ""  # the format has no such section: it is in the hand-over alone
    if not following or hit.entry or sync.preview(hit, requested, survey.formats).outcome.unplaced:
        return ""
    done = sync.sync(survey.workspace.project, hit, requested, survey.formats, survey.settings)
    return f"Next Steps in {hit.session.state_name}: {safe.line(following, 200)}" if done.written else ""


def _replaced(hit: Hit, survey: Survey) -> list[str]:
    """Return the steps of a field whose text a new list would replace: they are still to be done."""
    record = parse(files.read(hit.path), hit.path, survey.formats).record
    for spot in record.spots("next"):
        field = locate.field(record, locate.Target(spot))
        if field and field.kind == "replaced":
            items = spot.label.items if spot.label else record.items(spot.section) if spot.section else []
            texts = [record.item(item) for item in items] or record.text(spot).split("; ")
            return [text for text in texts if text and not record.replaceable(text)]
    return []


@cli.command("continue")
@with_session_argument
@click.option("--all", "everything", is_flag=True, help="Print the whole hand-over and state file.")
@reports
@click.pass_obj
def continue_work(workspace: Workspace, ident: str, *, everything: bool) -> int:
    """Continue what was paused, from its hand-over.

    When nothing is paused, it returns from a discussion, or prints the current task.
    """
    project = workspace.project
    require_store(project)
    survey = take_survey(workspace)
    waiting = hand_over.waiting(project, survey.formats)
    try:
        choice = choose.choose(project, waiting, survey, ident, own_session())
    except candidates.UnclearError as error:
        from holdfast.cli import elsewhere

        return elsewhere.continued(workspace, ident, error)
    hit, handed = choice.hit, choice.handed
    if hit and hit.place and not handed:  # in another working tree, beside the state file
        handed = hand_over.of_state(workspace, hit.place, hit.entry)
    shown = [one.path for one in handed] + ([hit.place] if hit else [])
    clone.require_trusted(shown)
    whole = everything or is_json() or not screen.size()
    if hit:
        code = _take_up(survey, hit, handed, whole=whole)
    elif choice.handed:
        code = _only_show(choice.handed, workspace.now)
    else:
        code = _continue_present_work(survey, whole=whole)
    report_told({"done": not code, "paths": [project.relative(path) or path for path in shown]})
    return code


def _only_show(handovers: list[Handover], now: float) -> int:
    """Print hand-overs of another tool, or whose state file is missing; return the exit code. They stay."""
    first = handovers[0]
    if first.own:
        state = f"{first.state}{f', its entry {first.entry}' if first.entry else ''}"
        warn(f"There is no {state} here, so the hand-over stays. Remove {first.name} when it is not needed.")
    else:
        tell(f"{first.name} was not written by holdfast, and stays; remove it once it is used.")
    _show(handovers, now)
    return 1 if first.own else 0


def _show(handovers: list[Handover], now: float) -> None:
    """Print hand-overs in the same form as the brief."""
    for one in handovers:
        head = paused_work.line(one.title, one.name, clock.read(one.at), now)
        body = one.data[one.body :]
        tell("", paused_work.TITLE, head, paused_work.quoted(body, len(body)))


def _continue_present_work(survey: Survey, *, whole: bool) -> int:
    """Return from a discussion, take up the paused state file, or print the status of the active one."""
    workspace = survey.workspace
    try:
        hit = lookup.find(workspace.project, survey.sessions, "", own_session(), recent=True)
    except HoldfastError:
        return _report_nothing(survey)
    if not hit.path or hit.session.status == "paused":
        return _take_up(survey, hit, [], whole=whole) if hit.path else _report_nothing(survey)
    view = views.of(workspace.state_file(hit.path), workspace.formats)
    if view.depth:
        return run_step(workspace, "", lambda _, memory: steps.back(memory, ""), lambda _, *lines: tell(*lines))
    model = lifecycle.hand_over(hit, survey.formats).summary
    tell(f"The work at hand: {safe.line(candidates.title(hit), 200)} ({hit.session.state_name})")
    tell(*render.summary_lines(model, workspace.now), *available_actions.report_lines(view, model))
    return 0


def _report_nothing(survey: Survey) -> int:
    """Say that no hand-over is waiting in the tree, and list what is paused all the same."""
    paused = choose.paused(survey)
    tell(
        "There is no hand-over here."
        if paused
        else "Nothing is paused here. To see what can be resumed: holdfast resume"
    )
    if paused:
        lines = [session_lines.entry(session, survey.workspace.now) for session in paused]
        name = paused[0].id if paused[0].journaled else paused[0].state_name
        tell("Paused without a hand-over:", *lines, f"Take one up: holdfast continue {name}")
    return 0


def _take_up(survey: Survey, hit: Hit, handovers: list[Handover], *, whole: bool) -> int:
    """Take up a paused state file and return the exit code. The result is printed before the texts, which are long.

    Without `whole` the texts are shortened to one screen.
    """
    code, problem = 1, ""
    try:
        sync.require_own_shell(survey.workspace.project)
        code = _activate(survey, hit)
        for one in filter(lambda one: os.path.lexists(one.path), handovers if hit.path and not code else []):
            tell(*hand_over.used(survey.workspace.project, one, survey.settings))
    except HoldfastError as error:
        problem = str(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        problem = f"{error.filename}: {error.strerror}. Type: holdfast doctor"
    if problem:
        warn(problem)
    else:
        tell(*on_branch(survey.workspace, hit))
    if whole or problem:
        _show(handovers, survey.workspace.now)
    if not problem and whole and hit.path:
        _show_state(survey, hit)
    elif not problem:
        _show_in_short(survey, hit, handovers)
    if not problem and not own_session() and hit.session.journaled and not hit.entry:
        line = resuming.command(hit.session, survey.workspace.project.root)
        tell(*([f"Resume its conversation: {line}"] if line else []))
    return 1 if problem else code


def on_branch(workspace: Workspace, hit: Hit) -> list[str]:
    """Return the line about work that is on another branch than the one that is checked out in its folder."""
    session = hit.session
    if session.away.startswith("in worktree"):
        return [f"{resuming.ELSEWHERE}{session.away}, where branch {session.branch} is checked out. Go on there."]
    branch, here = resuming.to_switch_to(session, session.worktree or workspace.project.root)
    if not branch or hit.entry:
        return []
    line = f"{resuming.ELSEWHERE}on branch {branch}, {here} is checked out: git switch {safe.shell(branch)}"
    again = "" if hit.path else f", then type: holdfast resume {candidates.short_name(hit)}"
    return [line, *([f"Edit nothing before that. Ask the user to switch{again}"] if own_session() else [])]


def _activate(survey: Survey, hit: Hit) -> int:
    """Set a paused state file to active and bind it to the own session; return the exit code."""
    if not hit.path and hit.session.away and hit.session.status == PAUSED:
        tell(*closing.later(survey.workspace, hit, ACTIVE))
        return 0
    if not hit.path:
        raise HoldfastError(f"session {hit.session.id} has no state file. Type: holdfast resume {hit.session.id}")
    code, category = 0, lifecycle.hand_over(hit, survey.formats).summary["category"]
    if category in OVER:
        raise HoldfastError(_completed(survey, hit))
    if "paused" in {category, hit.session.status}:  # on another branch the file may say otherwise
        done = update_hub.turn(survey.workspace, hit, "active")
        code = report_unplaced(done)
        tell(*render.synced_lines(done, hit.session.state_name))
    else:
        tell(f"The work at hand: {safe.line(candidates.title(hit), 200)} ({hit.session.state_name})")
    if not code:
        bind(survey, hit)
        refresh_hub(survey.workspace, hit)
    return code


def _completed(survey: Survey, hit: Hit) -> str:
    """Return that work is completed, and the command that makes it active again."""
    name, word = candidates.short_name(hit), lifecycle.word(hit, "active", survey.formats)
    command = f'holdfast sync {name} --json \'{{"Status": "{word}"}}\''
    return f"{hit.session.state_name} is completed, so nothing was continued. To work on it again, type: {command}"


def _show_in_short(survey: Survey, hit: Hit, handovers: list[Handover]) -> None:
    """Print what is needed to go on: what the hand-overs say, else the state file; and where the rest is."""
    now = survey.workspace.now
    models = [summary(parse(one.data, one.path, survey.formats)) | _UNCOUNTED for one in handovers]
    notes = [line for one in handovers for line in paused_work.note(one.data)]
    lines = [line for one in models or [lifecycle.hand_over(hit, survey.formats).summary] for line in _brief(one, now)]
    rest = [f"All of it: holdfast show {candidates.short_name(hit)}"]
    page = screen.page(screen.fitted(["", *lines, *notes]), "{} more lines", _PRINTED + len(rest))
    tell(*page, *rest)


def _brief(model: "Summary", now: float) -> list[str]:
    """Return the lines of a summary that say how to continue."""
    hidden: Summary = {"status": "", "phase": "", "updated": 0.0, "artifacts": [], "category": ""}
    if model.get("focus") == model.get("current"):
        hidden["focus"] = ""
    return render.summary_lines(model | hidden, now)


def _show_state(survey: Survey, hit: Hit) -> None:
    """Print what a state file, or the entry of a hub, says now."""
    now = survey.workspace.now
    read = summary_of(hit.path, survey.cache, survey.formats)
    version = survey.cache.version(hit.path)
    session = hit.session.replace(summary=read, version=version, chosen="", in_hub="")  # as it is after `_activate`
    if hit.entry:
        model = lifecycle.hand_over(hit, survey.formats).summary
        tell("", *render.hand_over_lines(model, session, now))
    else:
        tell(f"\n{session_lines.state_file(session, now, survey.settings.brief_characters)[0]}\n")


def bind(survey: Survey, hit: Hit) -> None:
    """Make the state file that of the own session, unless that has one or several sessions share the file.

    An entry of the hub keeps its own session, and the own one is journaled as what goes on with it.
    """
    project, own = survey.workspace.project, own_session()
    if hit.entry and log.has_begun(project.store, own):
        log.append(project.store, own, {"kind": "origin", "session": hit.entry})
    session = sessions.find(survey.sessions, own)
    if not payload.is_session(own) or hit.entry or hit.session.shared or (session and session.state):
        return
    with store.writing(project):
        log.claim(project.store, own, hit.path, by="continue")
    tell("It is the state file of this session now.")
