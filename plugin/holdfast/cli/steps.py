"""The commands `memory`, `discuss`, `return`, `plan`, `task` and `phase`, which change working memory."""

from collections.abc import Callable

import click

from holdfast.actions.step import Step, act
from holdfast.cli import render, screen
from holdfast.cli.app import (
    MASKED,
    catch_up,
    cli,
    find_or_begin_state_file,
    find_state_file,
    print_json,
    refresh_hub,
    report_unplaced,
    require_store,
    say_nothing,
    with_session_argument,
    with_session_option,
    with_words,
)
from holdfast.cli.output import HEADER, is_json, report, reports
from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.editing.edit import STAMPED
from holdfast.memory import phases, sections, tasks
from holdfast.memory import step as steps
from holdfast.memory.measured import TASK
from holdfast.memory.step import Changes, fit
from holdfast.memory.view import SECTIONS, View, bare, of, split
from holdfast.project import ids
from holdfast.sessions import ledger
from holdfast.sessions.candidates import Hit
from holdfast.sessions.workspace import Workspace


def run_step(
    workspace: Workspace,
    ident: str,
    take: Callable[[Step, View], Changes],
    show: "Callable[..., None]" = report,
    *,
    catches_up: bool = False,
) -> int:
    """Carry out one step in a state file, print its result with `show`, and return the exit code.

    With `catches_up` the next steps in holdfast's own words follow at once.
    """
    require_store(workspace.project)
    hit, survey = find_or_begin_state_file(workspace, ident)
    step = Step(workspace.project, hit, survey, workspace.now)
    changes, done = act(step, lambda view: take(step, view))
    if catches_up:
        catch_up(workspace, hit)
    refresh_hub(workspace, hit)
    answer, name = bare(changes.answer), hit.session.state_name
    known = step.view(done.before).there or sections.has_place(done.outcome.state.record, changes)
    missing = ", which says so already" if known else ", which has no place for it; `holdfast memory` adds one"
    beside = "" if done.written or not changes.updates else missing
    show({"answer": answer, **render.synced_row(done, name)}, answer, f"State file: {name}{beside}")
    return report_unplaced(done)


def coming_day(words: str, now: float) -> str:
    """Return the day that words mean, such as 2026-12-01; UsageError where it is none that comes."""
    if day := clock.coming(words, now):
        return day
    raise click.UsageError(f"{words!r} is no day to come. Give one, such as 2026-12-01, monday or tomorrow.")


@cli.command("memory")
@with_session_argument
@reports
@click.pass_obj
def keep_memory(workspace: Workspace, ident: str) -> int:
    """Give a state file the six sections of working memory that it lacks, and bring all of them up to date."""
    require_store(workspace.project)
    hit, survey = find_or_begin_state_file(workspace, ident)
    missing: list[str] = []

    def take(view: View) -> Changes:
        missing[:] = [title for title in SECTIONS if title not in view.there]
        changes = Changes("", [])
        changes.sections = frozenset(SECTIONS)
        return changes

    _, done = act(Step(workspace.project, hit, survey, workspace.now), take)
    refresh_hub(workspace, hit)
    name = hit.session.state_name
    changes = render.change_lines([change for change in done.outcome.changes if change.where != STAMPED])
    lines = [f"Added the sections {', '.join(missing)}."] if missing else []
    lines += ["Brought up to date:", *changes] if changes else []
    row = render.synced_row(done, name)
    report(
        {"begun": [*missing], **row}, *(lines or ["All six sections are there and up to date."]), f"State file: {name}"
    )
    return report_unplaced(done)


@cli.command("discuss")
@with_words("topic")
@with_session_option
@reports
@click.pass_obj
def discuss(workspace: Workspace, topic: str, ident: str) -> int:
    """Begin a discussion of TOPIC, unless there is one. `holdfast return` ends it and goes back to the task."""
    return run_step(workspace, ident, lambda step, view: steps.discuss(view, fit(topic), fit(step.hit.session.title)))


@cli.command("return")
@with_words("result", required=False)
@click.option("--summary", type=MASKED, default="", help="The same as RESULT.")
@with_session_option
@reports
@click.pass_obj
def come_back(workspace: Workspace, result: str, summary: str, ident: str) -> int:
    """End a discussion with its RESULT and return to the task before it."""
    return run_step(workspace, ident, lambda _, view: steps.back(view, fit(result or summary)))


@cli.group("plan")
def plan_group() -> None:
    """Propose, approve, reject and list plans."""


@plan_group.command("propose")
@with_words("title")
@with_session_option
@reports
@click.pass_obj
def propose_plan(workspace: Workspace, title: str, ident: str) -> int:
    """Propose a plan, titled TITLE, to the user.

    The plan gets an id, and the work waits until it is approved.
    """

    def take(step: Step, view: View) -> Changes:
        tasks.check_plan(view, fit(title))
        plan, words = split(step.numbered(tasks.KIND, fit(title)))
        return tasks.propose_plan(view, plan, words, step.minute)

    return run_step(workspace, ident, take)


@plan_group.command("approve")
@click.argument("plan", type=MASKED, default="")
@with_session_option
@reports
@click.pass_obj
def approve_plan(workspace: Workspace, plan: str, ident: str) -> int:
    """Approve the plan that waits. PLAN is its id, if several wait."""
    return run_step(workspace, ident, lambda _, view: tasks.approve_plan(view, plan))


@plan_group.command("reject")
@with_words("reason", required=False)
@with_session_option
@reports
@click.pass_obj
def reject_plan(workspace: Workspace, reason: str, ident: str) -> int:
    """Reject the plan that waits, for a REASON. An id before it has to be that of this plan."""
    return run_step(
        workspace, ident, lambda step, view: tasks.reject_plan(view, fit(reason), ledger.read(step.hit.path))
    )


@plan_group.command("edit")
@with_words("changes")
@with_session_option
@reports
@click.pass_obj
def edit_plan(workspace: Workspace, changes: str, ident: str) -> int:
    """Ask for CHANGES to the plan that waits. It still waits for approval."""
    return run_step(workspace, ident, lambda _, view: tasks.edit_plan(view, fit(changes)))


@plan_group.command("list")
@with_session_argument
@HEADER
@reports
@click.pass_obj
def list_plans(workspace: Workspace, *, ident: str) -> None:
    """List the plans of a state file, with their status."""
    hit, view = _read_memory(workspace, ident)
    known = tasks.listed_plans(view, ledger.read(hit.path))
    if is_json():
        keys = ("id", "title", "status", "proposed")
        print_json([dict(zip(keys, row, strict=True)) for row in known])
        return
    if known:
        rows = [(plan, bare(title), status, proposed) for plan, title, status, proposed in known]
        click.echo("\n".join(screen.table(("ID", "TITLE", "STATUS", "PROPOSED"), rows)))
    else:
        say_nothing("No plan is recorded. Propose one: holdfast plan propose TITLE")


@cli.group("task")
def task_group() -> None:
    """Keep a list of tasks: the current one, and those that wait."""


_NEXT = click.option(
    "--next", "following", type=MASKED, default="", help="The task to start. Without it: the next one that waits."
)


@task_group.command("add")
@with_words("title")
@with_session_option
@reports
@click.pass_obj
def add_task(workspace: Workspace, title: str, ident: str) -> int:
    """Put a task, titled TITLE, at the end of those that wait."""
    return run_step(workspace, ident, lambda step, view: tasks.add(view, step.numbered(TASK, tasks.titled(fit(title)))))


@task_group.command("start")
@with_words("title")
@with_session_option
@reports
@click.pass_obj
def start_task(workspace: Workspace, title: str, ident: str) -> int:
    """Start a task: one that waits, by its id or title, or a new one."""
    return run_step(
        workspace, ident, lambda step, view: tasks.start(view, _one_task(step, view, title)), catches_up=True
    )


@task_group.command("complete")
@with_words("task", required=False)
@_NEXT
@with_session_option
@reports
@click.pass_obj
def complete_task(workspace: Workspace, task: str, following: str, ident: str) -> int:
    """Complete the current task, no other TASK; start the next one."""

    def take(step: Step, view: View) -> Changes:
        tasks.require_current(view, fit(task))
        return tasks.complete(view, _following(step, view, following))

    return run_step(workspace, ident, take)


@task_group.command("skip")
@with_words("reason")
@_NEXT
@with_session_option
@reports
@click.pass_obj
def skip_task(workspace: Workspace, reason: str, following: str, ident: str) -> int:
    """Skip the current task for a REASON and start the next one."""

    def take(step: Step, view: View) -> Changes:
        tasks.require_reason(view, fit(reason))
        return tasks.skip(view, fit(reason), _following(step, view, following))

    return run_step(workspace, ident, take)


@task_group.command("later")
@click.argument("words", nargs=-1, required=True, type=MASKED, metavar="[TITLE]... DAY")
@with_session_option
@reports
@click.pass_obj
def put_off_task(workspace: Workspace, words: tuple[str, ...], ident: str) -> int:
    """Put a task off to a DAY.

    DAY is a date such as 2026-12-01, a weekday, or tomorrow. TITLE is the title or id of the task. Without it, the
    current task is put off and the next one started.
    """
    *title, named = words
    day = coming_day(named, workspace.now)

    def take(step: Step, view: View) -> Changes:
        task = _one_task(step, view, " ".join(title)) if title or not view.task else view.task
        if task != view.task:
            return tasks.later(view, task, day, "")
        tasks.require_current(view, "")
        return tasks.later(view, task, day, _following(step, view, ""))

    return run_step(workspace, ident, take, catches_up=True)


@task_group.command("list")
@with_session_argument
@HEADER
@reports
@click.pass_obj
def list_tasks(workspace: Workspace, *, ident: str) -> None:
    """List the current task and those that wait."""
    hit, view = _read_memory(workspace, ident)
    listed = tasks.waiting(view, hit.session)
    if is_json():
        put_off = [{"task": clock.put_off(task), "day": day} for task in listed if (day := clock.not_before(task))]
        print_json({"task": view.task, "waiting": listed, "put_off": put_off})
        return
    rows = [("current", bare(view.task))] * bool(view.task) + [("waiting", bare(task)) for task in listed]
    if rows:
        click.echo("\n".join(screen.table(("STATUS", "TASK"), rows)))
    else:
        say_nothing("No task is open. Start one: holdfast task start TITLE")


def _one_task(step: Step, view: View, title: str) -> str:
    """Return the task of the file that has this id or title, else a new one; HoldfastError for an id of none."""
    titled = tasks.titled(fit(title))
    if task := tasks.known(view, titled):
        return task
    if ids.parse(TASK, titled):
        raise HoldfastError(f"there is no {titled} in {step.hit.session.state_name}. Type: holdfast task list")
    return step.numbered(TASK, titled)


def _following(step: Step, view: View, given: str) -> str:
    """Return the task to go on with: the given one, the next that waits, or the next of the client's list."""
    titled = fit(given)
    if titled and tasks.known(view, titled) != view.task:
        return tasks.following(view, titled) or _one_task(step, view, titled)
    waiting = tasks.waiting(view, step.hit.session)
    following = next((task for task in waiting if not clock.is_ahead(clock.not_before(task), step.now)), "")
    return following if not following or tasks.known(view, following) else step.numbered(TASK, fit(following))


@cli.group("phase")
def phase_group() -> None:
    """Complete the phase of the project that the work is in, or begin another one."""


@phase_group.command("complete")
@with_words("phase", required=False)
@click.option("--next", "following", type=MASKED, default="", help="The one to begin. Without it: that of ROADMAP.md.")
@with_session_option
@reports
@click.pass_obj
def complete_phase(workspace: Workspace, phase: str, following: str, ident: str) -> int:
    """Complete the current phase, no other PHASE; begin the next one."""

    def take(step: Step, view: View) -> Changes:
        phases.require_current(view, fit(phase))
        known, left = phases.roadmap(step.root, step.hit.path), ledger.read(step.hit.path).phases
        return phases.complete(view, phases.following(view, known, fit(following), left))

    return run_step(workspace, ident, take)


@phase_group.command("skip-to")
@click.argument("number", type=MASKED)
@with_words("name", required=False)
@with_session_option
@reports
@click.pass_obj
def skip_to_phase(workspace: Workspace, number: str, name: str, ident: str) -> int:
    """Go on with the phase of this NUMBER. Without NAME, ROADMAP.md gives the name."""

    def take(step: Step, view: View) -> Changes:
        known = phases.known(phases.roadmap(step.root, step.hit.path), view, ledger.read(step.hit.path).phases)
        return phases.skip_to(view, phases.named(known, fit(number), fit(name)), named=bool(name))

    return run_step(workspace, ident, take)


def _read_memory(workspace: Workspace, ident: str) -> tuple[Hit, View]:
    """Return a state file and its working memory."""
    hit, _ = find_state_file(workspace, ident)
    return hit, of(workspace.state_file(hit.path), workspace.formats)
