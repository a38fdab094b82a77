"""The current task: started, completed, skipped; and the tasks that wait for their turn."""

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.formats.record import Record
from holdfast.journal.session import TASK_OVER
from holdfast.markdown.document import splices
from holdfast.memory import ledger
from holdfast.memory.measured import TASK
from holdfast.memory.step import Changes, list_task, reword, set_no_task, set_task, waiting_tasks
from holdfast.memory.view import CONTEXT, SKIP_MARK, TASKS, View, called, headed, same_task, split
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
    """Put a task, with its id, at the end of those that wait; HoldfastError when another task has the id or title."""
    ident, words = split(title)
    known_tasks = [*view.tasks.items(), (view.task, True)]
    same = next((task for task, open_ in known_tasks if open_ and split(clock.put_off(task))[1] == words), "")
    if same:
        raise HoldfastError(f"{called(same)} has this title already: {words}. Type: holdfast task list")
    other = known(view, ident)
    if other and other != title:
        raise HoldfastError(f"{ident} is {split(other)[1]!r} already. Leave the id out, and it gets one of its own.")
    changes = Changes(f"Added {headed(title)}.", [f"Added {headed(title)}"])
    changes.own.append(("add", "tasks", title))
    list_task(changes, view, title)
    return changes


def start(view: View, title: str) -> Changes:
    """Start a task, with its id, whether it waited or not; the current one waits from now on."""
    _refuse_while_planning(view)
    if same_task(title, view.task):  # it does not start again
        return set_task(Changes(f"This is the current task already: {title}.", []), view, title)
    bare = clock.put_off(title)  # its day is over, or does not count any more
    changes = Changes(f"Started {headed(bare)}.", [f"Started {headed(bare)}"])
    return set_task(changes if bare == title else reword(changes, view, title, bare), view, bare)


def later(view: View, task: str, day: str, following: str) -> Changes:
    """Put a task off to a day; if it is the current one, go on with the following one, "" for none."""
    done = f"Put off {headed(clock.put_off(task))} to {day}"
    changes = Changes(f"{done}.", [done])
    if same_task(task, view.task):
        _refuse_while_planning(view)
        _next(changes, view, following, "put off")
    return reword(changes, view, task, clock.put_off(task, day))


def complete(view: View, following: str) -> Changes:
    """Complete the current task and go on with the following one, "" for none."""
    done = f"Completed {headed(_current(view))}"
    return _go_on(Changes(f"Completed {called(view.task)}.", [done]), view, following, ledger.COMPLETED)


def skip(view: View, reason: str, following: str) -> Changes:
    """Leave the current task, for a reason, and go on with the following one, "" for none."""
    task = called(_current(view))
    if not reason:
        raise HoldfastError('Say why it is skipped: holdfast task skip "waits for the new schema"')
    changes = Changes(f"Skipped {task}: {reason}.", [f"Skipped {task}: {reason}"])
    changes.own.append(("add", "decisions", f"Skipped {headed(view.task)}: {reason}"))
    return _go_on(changes, view, following, ledger.SKIPPED)


def ended(session: Session, task: str) -> list[str]:
    """Return the ids under which the client's list has a task that is over now."""
    known = session.tasks.items()
    return [ident for ident, (subject, status, _) in known if status not in TASK_OVER and same_task(subject, task)]


def waiting(view: View, session: Session) -> list[str]:
    """Return the tasks that wait, the file's before those that are only in the client's list.

    What Recent Updates alone tell of does not wait once the client's list says that it is over.
    """
    over = [subject for subject, status, _ in session.tasks.values() if status in TASK_OVER]
    gone = {task for task in view.told if any(same_task(task, subject) for subject in over)}
    return [*(task for task in waiting_tasks(view) if task not in gone), *unfinished(view, session)]


def unfinished(view: View, session: Session) -> list[str]:
    """Return the unfinished tasks of the client's list that are neither current nor in the file's own list."""
    known_tasks = [view.task, *view.tasks]
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


def following(view: View, requested: str) -> str:
    """Return the task of the file to go on with, "" for a new one; HoldfastError if it is over."""
    task = known(view, requested)
    if task and view.is_over(task):
        raise HoldfastError(f"{called(task)} is over already. To take it up again: holdfast task start {called(task)}")
    ident = ids.parse(TASK, requested)
    if not task and ident and view.is_over(ident):
        raise HoldfastError(f"{ident} is over already. Type: holdfast task list")
    return task


def known(view: View, requested: str) -> str:
    """Return the task of the file that has this id, text or title, "" for none."""
    tasks = [view.task, *view.tasks]
    ident = ids.parse(TASK, requested) or requested
    return next((task for task in tasks if task and (task == requested or ident in split(clock.put_off(task)))), "")


def _current(view: View) -> str:
    """Return the current task; HoldfastError when there is none, or while a plan waits for the user."""
    _refuse_while_planning(view)
    if not view.task and len(view.record.sections(CONTEXT)) > 1:
        raise HoldfastError(f"{CONTEXT} is in the file twice, so its task is not clear. See: holdfast audit")
    if not view.task:
        raise HoldfastError(_NO_TASK)
    return view.task


def _refuse_while_planning(view: View) -> None:
    """Refuse to change the task while a plan waits for the user's decision."""
    if view.plan:
        raise HoldfastError(f"{view.plan[0]} waits for approval. Decide on it first: holdfast plan approve, or reject")


def _go_on(changes: Changes, view: View, following: str, outcome: str) -> Changes:
    """Add what comes after the current task, which is completed or skipped; `outcome` says which."""
    skipped = outcome == ledger.SKIPPED
    changes.over = (view.task, "deleted" if skipped else "completed")
    changes.noted.append({"kind": "task", "text": view.task, "status": outcome})
    changes.own.append(("skip" if skipped else "complete", "tasks", view.task))
    same = [task for task, open_ in view.tasks.items() if open_ and same_task(task, view.task)]
    changes.noted += [{"kind": "task", "text": task, "status": outcome} for task in same if task != view.task]
    changes.ticked = dict.fromkeys(same, SKIP_MARK if skipped else "x")
    return _next(changes, view, following, "skipped" if skipped else "complete")


def _next(changes: Changes, view: View, following: str, why: str) -> Changes:
    """Add the task that is current from now on, "" for none; `why` is what became of the one before."""
    if following:
        bare = clock.put_off(following)
        changes.answer += f" Now: {called(bare)}."
        changes.updates.insert(0, f"Started {headed(bare)}")
        return set_task(changes if bare == following else reword(changes, view, following, bare), view, bare)
    changes.answer += " No other task waits. Start one: holdfast task start TITLE"
    return set_no_task(changes, view, f"{called(view.task)} is {why}")
