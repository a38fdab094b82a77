"""Steps of the work by hand: detours, plans, tasks and phases, each kept in the state file."""

import time
from collections.abc import Callable

import click

from holdfast import codec, files
from holdfast.cli.app import FORMAT, IDENT, SAID, cli, followed, meant, prepared, told_unplaced
from holdfast.lookup import Hit
from holdfast.memory import acting, detours, phases, plans, tasks
from holdfast.memory.acting import Desk
from holdfast.memory.step import Step, bare, fit
from holdfast.memory.view import SECTIONS, View, seen, split
from holdfast.paths import Place
from holdfast.states.statefile import StateFile

WHICH = click.option("--convo-id", "ident", default="", metavar="ID", help="Which state file; own or only one if not.")


def taken(place: Place, ident: str, take: Callable[[Desk, View], Step]) -> int:
    """Take a step in the state file that is meant, and say what came of it."""
    prepared(place)
    now = time.time()
    hit, survey = meant(place, ident, now)
    desk = Desk(place, hit, survey, now)
    step, done = acting.act(desk, lambda view: take(desk, view))
    followed(place, hit, now)
    click.echo(bare(step.told))
    click.echo(f"State file: {hit.session.state_name}")
    return told_unplaced(done)


@cli.command("memory")
@IDENT
@click.pass_obj
def keep_memory(place: Place, ident: str) -> int:
    """Give a state file the six sections of working memory that it lacks, and bring all of them up to date."""

    def take(_desk: Desk, view: View) -> Step:
        missing = [title for title in SECTIONS if title not in view.there]
        begun = f"Begun: {', '.join(missing)}." if missing else "All six sections are there and up to date."
        step = Step(begun, [])
        step.sections = frozenset(SECTIONS)
        return step

    return taken(place, ident, take)


@cli.command("discuss")
@click.argument("topic", type=SAID)
@WHICH
@click.pass_obj
def discuss(place: Place, topic: str, ident: str) -> int:
    """Fork into a discussion of TOPIC; the state file knows where to come back to. One level deep."""
    return taken(place, ident, lambda desk, view: detours.discuss(view, fit(topic), fit(desk.hit.session.title)))


@cli.command("return")
@click.option("--summary", type=SAID, default="", help="What came of the discussion.")
@WHICH
@click.pass_obj
def come_back(place: Place, summary: str, ident: str) -> int:
    """Come back from a discussion to what was done before."""
    return taken(place, ident, lambda _, view: detours.back(view, fit(summary)))


@cli.group("plan")
def plan_group() -> None:
    """Keep the plans that wait for the user's word."""


@plan_group.command("propose")
@click.argument("title", type=SAID)
@WHICH
@click.pass_obj
def propose_plan(place: Place, title: str, ident: str) -> int:
    """Put a plan, titled TITLE, before the user; it gets an id, and the work waits for approval."""

    def take(desk: Desk, view: View) -> Step:
        plans.check(view, fit(title))
        plan, words = split(desk.numbered(plans.KIND, fit(title)))
        return plans.propose(view, plan, words, desk.minute)

    return taken(place, ident, take)


@plan_group.command("approve")
@click.argument("plan", type=SAID, default="")
@WHICH
@click.pass_obj
def approve_plan(place: Place, plan: str, ident: str) -> int:
    """Approve the plan that waits; its id PLAN may be named."""
    return taken(place, ident, lambda _, view: plans.approve(view, plan))


@plan_group.command("reject")
@click.argument("reason", type=SAID, default="")
@WHICH
@click.pass_obj
def reject_plan(place: Place, reason: str, ident: str) -> int:
    """Reject the plan that waits, for a REASON."""
    return taken(place, ident, lambda _, view: plans.reject(view, fit(reason)))


@plan_group.command("edit")
@click.argument("changes", type=SAID)
@WHICH
@click.pass_obj
def edit_plan(place: Place, changes: str, ident: str) -> int:
    """Ask for CHANGES to the plan that waits; it goes on waiting."""
    return taken(place, ident, lambda _, view: plans.edit(view, fit(changes)))


@plan_group.command("list")
@WHICH
@FORMAT
@click.pass_obj
def list_plans(place: Place, ident: str, shape: str) -> None:
    """List the plans of a state file: id, status, title, and when each was proposed."""
    known = plans.listed(_seen(place, ident)[1])
    if shape == "json":
        keys = ("id", "title", "status", "proposed")
        click.echo(codec.dumps([dict(zip(keys, row, strict=True)) for row in known]))
        return
    for plan, title, status, proposed in known:
        click.echo(f"{plan}  {status}  {bare(title)}  ({proposed})")
    if not known:
        click.echo("No plan is recorded. Put one before the user: holdfast plan propose TITLE")


@cli.group("task")
def task_group() -> None:
    """Keep the task at hand, and those that wait for their turn."""


@task_group.command("add")
@click.argument("title", type=SAID)
@WHICH
@click.pass_obj
def add_task(place: Place, title: str, ident: str) -> int:
    """Put a task, titled TITLE, at the end of those that wait."""
    return taken(place, ident, lambda desk, view: tasks.add(view, desk.numbered(tasks.KIND, tasks.titled(fit(title)))))


@task_group.command("start")
@click.argument("title", type=SAID)
@WHICH
@click.pass_obj
def start_task(place: Place, title: str, ident: str) -> int:
    """Begin a task: one that waits, by its id or words, or a new one titled TITLE."""

    def take(desk: Desk, view: View) -> Step:
        wanted = tasks.titled(fit(title))
        return tasks.start(view, tasks.known(view, wanted) or desk.numbered(tasks.KIND, wanted))

    return taken(place, ident, take)


@task_group.command("complete")
@click.argument("following", type=SAID, default="")
@WHICH
@click.pass_obj
def complete_task(place: Place, following: str, ident: str) -> int:
    """Complete the task at hand and go on with FOLLOWING, else with the next one that waits."""
    return taken(place, ident, lambda desk, view: tasks.complete(view, _following(desk, view, following)))


@task_group.command("skip")
@click.argument("reason", type=SAID)
@click.option("--next", "following", type=SAID, default="", help="The task to go on with.")
@WHICH
@click.pass_obj
def skip_task(place: Place, reason: str, following: str, ident: str) -> int:
    """Leave the task at hand for a REASON and go on with the next one."""
    return taken(place, ident, lambda desk, view: tasks.skip(view, fit(reason), _following(desk, view, following)))


@task_group.command("list")
@WHICH
@FORMAT
@click.pass_obj
def list_tasks(place: Place, ident: str, shape: str) -> None:
    """List the task at hand and those that wait."""
    hit, view = _seen(place, ident)
    listed = [*tasks.waiting(view), *tasks.unfinished(view, hit.session)]
    if shape == "json":
        click.echo(codec.dumps({"task": view.task, "waiting": listed}))
        return
    click.echo("\n".join([f"At hand: {bare(view.task) or 'none'}", *(f"  - {bare(said)}" for said in listed)]))


def _following(desk: Desk, view: View, given: str) -> str:
    """Return the task to go on with: the given one, the next that waits, else the session's own next one."""
    if given:
        wanted = tasks.titled(fit(given))
        return tasks.known(view, wanted) or desk.numbered(tasks.KIND, wanted)
    return next(iter(tasks.waiting(view)), "") or next(iter(tasks.unfinished(view, desk.hit.session)), "")


@cli.group("phase")
def phase_group() -> None:
    """Keep the phase of the project that the work is in."""


@phase_group.command("complete")
@click.argument("following", type=SAID, default="")
@WHICH
@click.pass_obj
def complete_phase(place: Place, following: str, ident: str) -> int:
    """Complete the phase at hand and go on with FOLLOWING, else with the next one of ROADMAP.md."""

    def take(desk: Desk, view: View) -> Step:
        known = phases.roadmap(desk.root, desk.hit.path)
        return phases.complete(view, phases.following(view, known, fit(following)))

    return taken(place, ident, take)


@phase_group.command("skip-to")
@click.argument("number", type=SAID)
@click.argument("name", type=SAID, default="")
@WHICH
@click.pass_obj
def skip_to_phase(place: Place, number: str, name: str, ident: str) -> int:
    """Go on with the phase of this NUMBER, by NAME or as ROADMAP.md calls it."""

    def take(desk: Desk, view: View) -> Step:
        known = phases.roadmap(desk.root, desk.hit.path)
        return phases.skip_to(view, phases.named(known, fit(number), fit(name)))

    return taken(place, ident, take)


def _seen(place: Place, ident: str) -> tuple[Hit, View]:
    """Return the state file that is meant, and what it says."""
    hit, survey = meant(place, ident, time.time())
    return hit, View(seen(StateFile(files.read(hit.path), hit.path, survey.dialects), survey.dialects))
