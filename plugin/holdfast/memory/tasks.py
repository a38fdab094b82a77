"""The current task: started, completed, skipped; and the tasks that wait for their turn."""

from holdfast.core.errors import HoldfastError
from holdfast.editing.requests import Request
from holdfast.formats.record import Record
from holdfast.journal.session import TASK_OVER
from holdfast.markdown.document import splices
from holdfast.memory.measured import TASK
from holdfast.memory.step import Changes, set_no_task, set_task
from holdfast.memory.view import SKIPPED, TASKS, View, called, headed, same_task, split
from holdfast.project import ids
from holdfast.sessions.session import Session
from holdfast.trust import safe

_NO_TASK = "There is no current task. Begin one: holdfast task start TITLE"


def titled(title: str) -> str:
    """Return the title of a task; HoldfastError when it is empty."""
    if not title:
        raise HoldfastError('The task has no title. Give one, such as: holdfast task start "Parse the invoices"')
    return title


def add(view: View, title: str) -> Changes:
    """Put a task, with its id, at the end of those that wait; HoldfastError when another task has the id."""
    ident = split(title)[0]
    other = known(view, ident)
    if other and other != title:
        raise HoldfastError(f"{ident} is {split(other)[1]!r} already. Leave the id out, and it gets one of its own.")
    changes = Changes(f"Added {headed(title)}.", [])
    changes.requests.append(Request((TASKS,), items=[title]))
    return changes


def start(view: View, title: str) -> Changes:
    """Start a task, with its id, whether it waited or not; the current one waits from now on."""
    _refuse_while_planning(view)
    if same_task(title, view.task):  # it does not start again
        return set_task(Changes(f"This is the current task already: {title}.", []), view, title)
    return set_task(Changes(f"Started {headed(title)}.", [f"Started {headed(title)}"]), view, title)


def complete(view: View, following: str) -> Changes:
    """Complete the current task and go on with the following one, "" for none."""
    done = f"Completed {headed(_current(view))}"
    return _go_on(Changes(f"Completed {called(view.task)}.", [done]), view, following, ("complete", "x"))


def skip(view: View, reason: str, following: str) -> Changes:
    """Leave the current task, for a reason, and go on with the following one, "" for none."""
    task = called(_current(view))
    if not reason:
        raise HoldfastError('Say why it is skipped: holdfast task skip "waits for the new schema"')
    changes = Changes(f"Skipped {task}: {reason}.", [f"Skipped {task}: {reason}"])
    changes.given = frozenset({reason})
    return _go_on(changes, view, following, ("skipped", SKIPPED))


def ended(session: Session, task: str) -> list[str]:
    """Return the ids under which the client's list has a task that is over now."""
    known = session.tasks.items()
    return [ident for ident, (subject, status, _) in known if status not in TASK_OVER and same_task(subject, task)]


def unfinished(view: View, session: Session) -> list[str]:
    """Return the unfinished tasks of the client's list that are neither current nor in the file's own list."""
    known_tasks = [view.task, *(task for task, _ in view.tasks)]
    left = [safe.line(task, 300) for task in session.unfinished() if task]
    return [task for task in left if not any(same_task(task, other) for other in known_tasks)]


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


def known(view: View, requested: str) -> str:
    """Return the task of the file that has this id, text or title, "" for none."""
    tasks = [view.task, *(task for task, _ in view.tasks)]
    ident = ids.parse(TASK, requested) or requested
    return next((task for task in tasks if task and (task == requested or ident in split(task))), "")


def _current(view: View) -> str:
    """Return the current task; HoldfastError when there is none, or while a plan waits for the user."""
    _refuse_while_planning(view)
    if not view.task:
        raise HoldfastError(_NO_TASK)
    return view.task


def _refuse_while_planning(view: View) -> None:
    """Refuse to change the task while a plan waits for the user's decision."""
    if view.plan:
        raise HoldfastError(f"{view.plan[0]} waits for approval. Decide on it first: holdfast plan approve, or reject")


def _go_on(changes: Changes, view: View, following: str, outcome: tuple[str, str]) -> Changes:
    """Add what comes after the current task; `outcome` is a word for its end, and the mark for its box."""
    changes.finishes_task = True
    changes.over = (view.task, "deleted" if outcome[1] == SKIPPED else "completed")
    changes.ticked = {task: outcome[1] for task, open_ in view.tasks if open_ and same_task(task, view.task)}
    if following:
        changes.answer += f" Now: {called(following)}."
        changes.updates.insert(0, f"Started {headed(following)}")
        return set_task(changes, view, following)
    changes.answer += " No other task waits. Start one: holdfast task start TITLE"
    return set_no_task(changes, view, f"{called(view.task)} is {outcome[0]}")
