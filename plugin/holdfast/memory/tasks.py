"""The task at hand: begun, completed, skipped; and the ones that wait for their turn."""

from holdfast import ids, text
from holdfast.edits.wishes import Want
from holdfast.errors import HoldfastError
from holdfast.markdown.document import splices
from holdfast.memory.step import Step, on, rest
from holdfast.memory.view import TASKS, View, called, split
from holdfast.session import Session
from holdfast.states.record import Record

KIND = "TASK"
_NO_TASK = "There is no task at hand. Begin one: holdfast task start TITLE"


def titled(said: str) -> str:
    """Return what a task is called; HoldfastError when that says nothing."""
    if not said:
        raise HoldfastError('The task has no title. Give one, such as: holdfast task start "Parse the invoices"')
    return said


def add(view: View, title: str) -> Step:
    """Put a task, with its id, at the end of those that wait; HoldfastError when the id is another one's."""
    ident, words = split(title)
    other = known(view, ident)
    if other and other != title:
        raise HoldfastError(f"{ident} is {split(other)[1]!r} already. Leave the id out, and it gets one of its own.")
    step = Step(f"Added {ident}: {words}.", [])
    step.wants.append(Want((TASKS,), items=[title]))
    return step


def start(view: View, title: str) -> Step:
    """Begin a task, with its id, whether it waited or not; the one at hand waits from now on."""
    _free(view)
    ident, words = split(title)
    return on(Step(f"Started {ident}: {words}.", [f"Started {ident}: {words}"]), view, title)


def complete(view: View, following: str) -> Step:
    """Complete the task at hand and go on with the following one, "" for none."""
    ident, words = split(_at_hand(view))
    step = Step(f"Completed {called(view.task)}.", [f"Completed {ident}: {words}" if ident else f"Completed {words}"])
    return _after(step, view, following, ("complete", "x"))


def skip(view: View, reason: str, following: str) -> Step:
    """Leave the task at hand, for a reason, and go on with the following one, "" for none."""
    task = called(_at_hand(view))
    if not reason:
        raise HoldfastError('Say why it is skipped: holdfast task skip "waits for the new schema"')
    return _after(Step(f"Skipped {task}: {reason}.", [f"Skipped {task}: {reason}"]), view, following, ("skipped", "-"))


def waiting(view: View) -> list[str]:
    """Return the tasks that wait for their turn, in order, as they stand."""
    task = called(view.task)
    return [said for said, open_ in view.tasks if open_ and called(said) != task]


def unfinished(view: View, session: Session) -> list[str]:
    """Return the tasks of the session's own list that are not finished, without the one at hand."""
    return [text.line(said, 300) for said in session.unfinished() if called(said) != called(view.task)]


def ticked(record: Record, boxes: dict[str, str]) -> bytes:
    """Return the file with the empty boxes of these items of the list of tasks filled."""
    document = record.document
    found = [
        (*item.box, boxes[record.item(item)].encode())
        for section in record.sections(TASKS)
        for item in record.items(section)
        if item.box and record.item(item) in boxes and not document.text(*item.box).strip()
    ]
    return splices(document.data, found)


def known(view: View, wanted: str) -> str:
    """Return the task of the file that is meant by an id or its own words, "" for none."""
    everyone = [view.task, *(said for said, _ in view.tasks)]
    ident = ids.named(KIND, wanted) or wanted
    return next((said for said in everyone if said and (said == wanted or ident in split(said))), "")


def _at_hand(view: View) -> str:
    """Return the task at hand; HoldfastError when there is none, or a plan that waits for the user."""
    _free(view)
    if not view.task:
        raise HoldfastError(_NO_TASK)
    return view.task


def _free(view: View) -> None:
    """Refuse to turn tasks while a plan waits for the user's word."""
    if view.plan:
        raise HoldfastError(f"{view.plan[0]} waits for approval. Decide on it first: holdfast plan approve, or reject")


def _after(step: Step, view: View, following: str, outcome: tuple[str, str]) -> Step:
    """Add what comes after a task, which is off the list of those that wait; `outcome` is a word and a box."""
    step.over = True
    step.ticked = {said: outcome[1] for said, open_ in view.tasks if open_ and called(said) == called(view.task)}
    if following:
        ident, words = split(following)
        step.told += f" Now: {ident or words}."
        step.updates.insert(0, f"Started {ident}: {words}" if ident else f"Started {words}")
        return on(step, view, following)
    step.told += " Nothing else waits: holdfast task start TITLE"
    return rest(step, view, f"{called(view.task)} is {outcome[0]}")
