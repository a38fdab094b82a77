"""A step of the work taken in a state file: its fields, its news and the six sections, in one write."""

from collections.abc import Callable

from holdfast import clock, ids, store, sync
from holdfast.edits.edit import Outcome
from holdfast.errors import HoldfastError
from holdfast.lookup import Hit
from holdfast.loops import lifecycle as loops
from holdfast.memory import keeping, sections, tasks, wanted
from holdfast.memory.step import Step, fit
from holdfast.memory.view import DIALECT, SECTIONS, UPDATES, View, seen, stacked
from holdfast.memory.wanted import Known
from holdfast.paths import Place, locate
from holdfast.sessions import Survey
from holdfast.states.statefile import StateFile
from holdfast.states.template import Work
from holdfast.sync import Synced


class Desk:
    """A state file with all that is known of the work in it, for the one who holds the lock."""

    def __init__(self, place: Place, hit: Hit, survey: Survey, now: float) -> None:
        if hit.entry:
            raise HoldfastError(f"{hit.entry} is an entry of {hit.session.state_name}, which has no working memory.")
        self.place = place
        self.hit = hit
        self.survey = survey
        self.now = now
        self.root = locate(hit.path).root or place.root
        self.minute = clock.write(now, clock.MINUTE)

    def numbered(self, kind: str, title: str) -> str:
        """Return a title with an id of its own, "TASK-003 - Parse"; one that it brings along stays."""
        given = ids.leading(kind, title)
        if given:
            return " - ".join(given)
        return f"{ids.next_number(self.place, kind, loops.texts(self.place, self.survey.dialects.places))} - {title}"


def act(desk: Desk, take: Callable[[View], Step]) -> tuple[Step, Synced]:
    """Take a step that depends on what the file says, and bring its sections up to date; HoldfastError if it cannot be.

    Nothing is written then.
    """
    taken: list[Step] = []
    with store.writing(desk.place):
        known = keeping.measured(desk.root, desk.hit.session, desk.survey.settings)

        def change(data: bytes) -> Outcome:
            state = _state(desk, data)
            taken.append(take(View(seen(state, desk.survey.dialects))))
            return _outcome(desk, state, taken[-1], known)

        done = sync.made(desk.place, desk.hit, change, desk.survey.dialects, desk.survey.settings)
    return taken[-1], done


def _state(desk: Desk, data: bytes) -> StateFile:
    """Return the file; HoldfastError when it must not be written."""
    state = StateFile(data, desk.hit.path, desk.survey.dialects)
    if state.problem:
        raise HoldfastError(f"{desk.hit.path} is not written: {state.problem}.")
    return state


def _needed(state: StateFile, step: Step) -> frozenset[str]:
    """Return the sections that a file is to have for a step: in a file of another dialect all of them."""
    needed = frozenset(want.keys[0] for want in step.wants) | step.sections
    other = state.dialect is not None and state.dialect.name != DIALECT
    return frozenset(SECTIONS) if needed and other else needed & frozenset(SECTIONS)


def _outcome(desk: Desk, state: StateFile, step: Step, known: Known) -> Outcome:
    """Return what becomes of a file by a step."""
    dialects = desk.survey.dialects
    task = View(seen(state, dialects)).task
    work = Work(stacked(task) if task else fit(desk.hit.session.title), desk.now)
    data = sections.begun(state.document.data, desk.hit.path, dialects, _needed(state, step), work)
    view = View(seen(_state(desk, data), dialects))
    told = [wanted.update(line, desk.minute) for line in reversed(step.updates)] if UPDATES in view.there else []
    editor = keeping.through(desk.hit.path, dialects, desk.now)
    outcome = editor.make(data, [*step.wants, *told])
    for where, why in outcome.unplaced[:1]:
        raise HoldfastError(f"{desk.hit.path}: {where}: {why}. Nothing was written.")
    record = seen(outcome.state, dialects)
    after = keeping.refreshed(editor, tasks.ticked(record, step.ticked) if step.ticked else outcome.data, known)
    after.changes = outcome.changes + after.changes
    return after
