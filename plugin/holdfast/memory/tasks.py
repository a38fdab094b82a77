"""The current task and those that wait for their turn; and plans, which wait for the user's decision."""

import re

from holdfast.core import clock
from holdfast.core.errors import HoldfastError
from holdfast.editing.requests import Request
from holdfast.formats import names
from holdfast.formats.record import Record
from holdfast.journal.session import TASK_OVER
from holdfast.markdown.document import splices
from holdfast.memory.measured import TASK
from holdfast.memory.step import (
    AWAITING,
    WORKING,
    Changes,
    list_task,
    own_focus,
    reword,
    set_no_task,
    set_task,
    waiting_tasks,
)
from holdfast.memory.view import (
    CHECKPOINT,
    CONTEXT,
    PLAN_COLUMNS,
    PLANS,
    PROPOSED,
    SKIP_MARK,
    TALKING,
    TASKS,
    View,
    called,
    headed,
    rows,
    same_task,
    split,
)
from holdfast.project import ids
from holdfast.sessions import ledger
from holdfast.sessions.ledger import Ledger
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


def require_current(view: View, requested: str) -> None:
    """Raise HoldfastError without a current task, and if that has not this id, text or title; "" is any."""
    task = _current(view)
    if requested and known(view, requested) != task:
        listed = ", ".join(map(called, [task, *waiting_tasks(view)]))
        raise HoldfastError(
            f"{requested!r} is not the current task, {called(task)}, so nothing was completed. Open: {listed}. "
            "To work on another one: holdfast task start ID"
        )


def require_reason(view: View, reason: str) -> None:
    """Raise HoldfastError without a current task, and if a reason is none, or names another task to skip."""
    task, other = _current(view), known(view, reason) if reason else ""
    if other and other != task:
        raise HoldfastError(f"{called(other)} is not the current task, {called(task)}, so nothing was skipped.")
    if not reason or other or ids.parse(TASK, reason):
        raise HoldfastError(f'Say why {called(task)} is skipped: holdfast task skip "waits for the new schema"')


def complete(view: View, following: str) -> Changes:
    """Complete the current task and go on with the following one, "" for none."""
    done = f"Completed {headed(_current(view))}"
    return _go_on(Changes(f"Completed {called(view.task)}.", [done]), view, following, ledger.COMPLETED)


def skip(view: View, reason: str, following: str) -> Changes:
    """Leave the current task, for a reason, and go on with the following one, "" for none."""
    task = called(_current(view))
    changes = Changes(f"Skipped {task}: {reason}.", [f"Skipped {task}: {reason}"])
    changes.own.append(("add", "decisions", f"Skipped {headed(view.task)}: {reason}"))
    return _go_on(changes, view, following, ledger.SKIPPED)


def ended(view: View, session: Session, task: str) -> list[str]:
    """Return the ids under which the client's list has a task that is over now."""
    open_tasks = [(ident, subject) for ident, (subject, status, _) in session.tasks.items() if status not in TASK_OVER]
    return [ident for ident, subject in open_tasks if same_task(view.listed(subject), task)]


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
    left = [view.listed(safe.line(task, 300)) for task in session.unfinished() if task]
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


KIND = "PLAN"
_AWAITING = " (awaiting approval)"  # after a plan among the next steps of a file without working memory
_OF_DECISION = re.compile(r"\b(?:approv|await|waiting for)", re.IGNORECASE)  # in a focus


def check_plan(view: View, title: str) -> None:
    """Refuse a plan while another one waits or a discussion goes on, and one without a title."""
    if view.plan:
        raise HoldfastError(f"{view.plan[0]} waits for approval already. Settle it first: holdfast plan approve")
    if view.depth:
        raise HoldfastError("In discussion mode (depth 1). Come back first: holdfast return")
    if not title:
        raise HoldfastError('The plan has no title. Give one, such as: holdfast plan propose "Split the parser"')


def propose_plan(view: View, ident: str, title: str, minute: str) -> Changes:
    """Propose a plan to the user; the work waits for the decision from now on."""
    changes = Changes(f"{ident} waits for approval: {title}.", [f"Presented {ident} for approval: {title}"])
    if view.task:
        list_task(changes, view, view.task)
    keep_plan(changes, view, [ident, title, PROPOSED, minute], interrupted=view.task)
    changes.own.append(("add", "next", f"{ident} - {title}{_AWAITING}"))
    changes.sets_task = True
    changes.set_fields(CONTEXT, Task=f"{ident} - {title}", Status=_status(view, AWAITING))
    if own_focus(view):
        changes.set_fields(CONTEXT, Focus=f"Waiting for approval of {ident}")
    return changes.set_unforked(f"{ident}{CHECKPOINT}")


def approve_plan(view: View, ident: str) -> Changes:
    """Approve the plan that waits, which becomes the current task; `ident` may name it."""
    ident, title = _waiting(view, ident)[:2]
    changes = Changes(f"Approved {ident}: {title}. The work on it may begin.", [f"Approved {ident}: {title}"])
    return set_task(_decide(changes, view, "approved", title), view, f"{ident} - {title}")


def reject_plan(view: View, reason: str, kept: Ledger) -> Changes:
    """Reject the plan that waits; the work goes back to the task that it interrupted, if there was one.

    Of a plan that no command proposed that is the last of the tasks that wait.
    """
    named, reason = _of_plan(reason)
    ident, title = _waiting(view, named)[:2]
    why = f": {reason}" if reason else ""
    answer = f"Rejected {ident} ({title}){why}. It is to be revised."
    changes = Changes(answer, [f"Rejected {ident}{why or f': {title}'}"])
    _decide(changes, view, "rejected", f"Revise {ident}{why}")
    left = [task for task in waiting_tasks(view) if task == kept.interrupted.get(ident, task)]
    return set_task(changes, view, left[-1]) if left else set_no_task(changes, view, f"{ident} is rejected")


def edit_plan(view: View, requested: str) -> Changes:
    """Ask for changes to the plan that waits; it still waits for approval."""
    named, requested = _of_plan(requested)
    ident = _waiting(view, named)[0]
    if not requested:
        raise HoldfastError('Say what is to change, such as: holdfast plan edit "Do the parser first"')
    asked = f"Asked for changes to {ident}: {requested}"
    changes = Changes(f"Changes to {ident} are asked for: {requested}", [asked])
    changes.own.append(("add", "decisions", asked))
    return changes


def listed_plans(view: View, kept: Ledger) -> list[list[str]]:
    """Return id, title, status and time of every plan of the ledger and the file, also of one that waits in the file.

    Such a plan is recognised by status, task and menu.
    """
    listed = {cells[0]: cells[: len(PLAN_COLUMNS)] for cells in rows(view.record, PLANS, PLAN_COLUMNS)}
    known = [_decided(view, cells) for cells in (kept.plans | listed).values()]
    return known if not view.plan or any(cells[0] == view.plan[0] for cells in known) else [*known, view.plan]


def _decided(view: View, cells: list[str]) -> list[str]:
    """Return a row of a plan; one that no longer waits, by what the file says, was decided in an editor."""
    ident = cells[0]
    if cells[2] != PROPOSED or CONTEXT not in view.there or view.plan[:1] == [ident]:
        return cells
    status = "approved" if called(view.task) == ident else "completed" if view.is_over(ident) else "withdrawn"
    return [*cells[:2], status, *cells[3:]]


def _of_plan(text: str) -> tuple[str, str]:
    """Return the id of a plan with which a text begins, "" for none, and the rest."""
    ident = ids.parse(KIND, text)
    return ids.split_title(KIND, text) or (ident, "" if ident else text)


def _waiting(view: View, requested: str = "") -> list[str]:
    """Return the plan that waits for approval; HoldfastError when there is none, or it is not `requested`."""
    if not view.plan:
        raise HoldfastError("No plan waits for approval. Propose one: holdfast plan propose TITLE")
    if requested and ids.parse(KIND, requested) != view.plan[0]:
        raise HoldfastError(f"{requested} does not wait for approval, {view.plan[0]} does. Type: holdfast plan list")
    return view.plan


def _decide(changes: Changes, view: View, status: str, focus: str) -> Changes:
    """Add the decision on the plan that waited; the work continues unless a discussion is going on.

    A focus that is open, or speaks of the decision, moves on.
    """
    ident, title, _, minute = view.plan[: len(PLAN_COLUMNS)]
    keep_plan(changes, view, [ident, title, status, minute])
    changes.own += [("remove", "next", f"{ident} - {title}{_AWAITING}"), ("add", "decisions", changes.updates[0])]
    if CONTEXT in view.there and (not view.focus or _OF_DECISION.search(view.focus)):
        changes.set_fields(CONTEXT, Focus=focus)
    return changes.set_fields(CONTEXT, Status=_status(view, TALKING if view.depth else WORKING))


def _status(view: View, word: str) -> str:
    """Return a status; of paused work it is the one that it goes on with."""
    return names.held(word, "", listed=True) if names.before_hold(view.status) else word


def keep_plan(changes: Changes, view: View, cells: list[str], **more: str) -> None:
    """Add the row of a plan to the ledger, with what else is to be kept, and to the file's own table of plans."""
    changes.noted.append({"kind": "plan", "cells": cells, **more})
    if view.record.sections(PLANS):
        changes.requests.append(Request((PLANS,), rows={cells[0]: cells}, columns=PLAN_COLUMNS))
