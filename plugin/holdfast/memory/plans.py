"""Plans that wait for the user's decision: proposed, approved, rejected, or to be changed."""

import re

from holdfast.core.errors import HoldfastError
from holdfast.editing.requests import Request
from holdfast.formats import names
from holdfast.memory.ledger import Ledger
from holdfast.memory.step import (
    AWAITING,
    WORKING,
    Changes,
    list_task,
    own_focus,
    set_no_task,
    set_task,
    status_of,
    waiting_tasks,
)
from holdfast.memory.view import (
    CHECKPOINT,
    CONTEXT,
    FORK,
    PLAN_COLUMNS,
    PLANS,
    PROPOSED,
    STACK,
    TALKING,
    View,
    called,
    rows,
    stacked,
)
from holdfast.project import ids

KIND = "PLAN"
_AWAITING = " (awaiting approval)"  # after a plan among the next steps of a file without working memory
_OF_DECISION = re.compile(r"\b(?:approv|await|waiting for)", re.IGNORECASE)  # in a focus


def check(view: View, title: str) -> None:
    """Refuse a plan while another one waits or a discussion goes on, and one without a title."""
    if view.plan:
        raise HoldfastError(f"{view.plan[0]} waits for approval already. Settle it first: holdfast plan approve")
    if view.depth:
        raise HoldfastError("In discussion mode (depth 1). Come back first: holdfast return")
    if not title:
        raise HoldfastError('The plan has no title. Give one, such as: holdfast plan propose "Split the parser"')


def propose(view: View, ident: str, title: str, minute: str) -> Changes:
    """Propose a plan to the user; the work waits for the decision from now on."""
    changes = Changes(f"{ident} waits for approval: {title}.", [f"Presented {ident} for approval: {title}"])
    if view.task:
        list_task(changes, view, view.task)
    keep(changes, view, [ident, title, PROPOSED, minute], interrupted=view.task)
    changes.own.append(("add", "next", f"{ident} - {title}{_AWAITING}"))
    changes.sets_task = True
    changes.set_fields(CONTEXT, Task=f"{ident} - {title}", Status=_status(view, AWAITING))
    if own_focus(view):
        changes.set_fields(CONTEXT, Focus=f"Waiting for approval of {ident}")
    return changes.set_unforked(f"{ident}{CHECKPOINT}")


def approve(view: View, ident: str) -> Changes:
    """Approve the plan that waits, which becomes the current task; `ident` may name it."""
    ident, title = _waiting(view, ident)[:2]
    changes = Changes(f"Approved {ident}: {title}. The work on it may begin.", [f"Approved {ident}: {title}"])
    return set_task(_decide(changes, view, "approved", title), view, f"{ident} - {title}")


def reject(view: View, reason: str, kept: Ledger) -> Changes:
    """Reject the plan that waits; the work goes back to the task that it interrupted, if there was one.

    Of a plan that no command proposed that is the last of the tasks that wait.
    """
    ident, title = _waiting(view)[:2]
    why = f": {reason}" if reason else ""
    answer = f"Rejected {ident} ({title}){why}. It is to be revised."
    changes = Changes(answer, [f"Rejected {ident}{why or f': {title}'}"])
    _decide(changes, view, "rejected", f"Revise {ident}{why}")
    left = [task for task in waiting_tasks(view) if task == kept.interrupted.get(ident, task)]
    return set_task(changes, view, left[-1]) if left else set_no_task(changes, view, f"{ident} is rejected")


def edit(view: View, requested: str) -> Changes:
    """Ask for changes to the plan that waits; it still waits for approval."""
    ident = _waiting(view)[0]
    if not requested:
        raise HoldfastError('Say what is to change, such as: holdfast plan edit "Do the parser first"')
    asked = f"Asked for changes to {ident}: {requested}"
    changes = Changes(f"Changes to {ident} are asked for: {requested}", [asked])
    changes.own.append(("add", "decisions", asked))
    return changes


def listed(view: View, kept: Ledger) -> list[list[str]]:
    """Return id, title, status and time of every plan of the ledger and the file, also of one that waits in the file.

    Such a plan is recognised by status, task and menu.
    """
    listed_plans = {cells[0]: cells[: len(PLAN_COLUMNS)] for cells in rows(view.record, PLANS, PLAN_COLUMNS)}
    known = [_decided(view, cells) for cells in (kept.plans | listed_plans).values()]
    return known if not view.plan or any(cells[0] == view.plan[0] for cells in known) else [*known, view.plan]


def _decided(view: View, cells: list[str]) -> list[str]:
    """Return a row of a plan; one that no longer waits, by what the file says, was decided in an editor."""
    ident = cells[0]
    if cells[2] != PROPOSED or CONTEXT not in view.there or view.plan[:1] == [ident]:
        return cells
    status = "approved" if called(view.task) == ident else "completed" if view.is_over(ident) else "withdrawn"
    return [*cells[:2], status, *cells[3:]]


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
    keep(changes, view, [ident, title, status, minute])
    changes.own += [("remove", "next", f"{ident} - {title}{_AWAITING}"), ("add", "decisions", changes.updates[0])]
    if CONTEXT in view.there and (not view.focus or _OF_DECISION.search(view.focus)):
        changes.set_fields(CONTEXT, Focus=focus)
    return changes.set_fields(CONTEXT, Status=_status(view, TALKING if view.depth else WORKING))


def _status(view: View, word: str) -> str:
    """Return a status; of paused work it is the one that it goes on with."""
    return names.held(word, "", listed=True) if names.before_hold(view.status) else word


def keep(changes: Changes, view: View, cells: list[str], **more: str) -> None:
    """Add the row of a plan to the ledger, with what else is to be kept, and to the file's own table of plans."""
    changes.noted.append({"kind": "plan", "cells": cells, **more})
    if view.record.sections(PLANS):
        changes.requests.append(Request((PLANS,), rows={cells[0]: cells}, columns=PLAN_COLUMNS))


_NESTED = "Already in discussion mode (depth 1). Complete current discussion before forking again."
# "Return to" also names the status to come back to, where that is not Working.
_WITH_STATUS = re.compile(r"(?P<task>.+), status (?P<status>\S.*)", re.DOTALL)


def discuss(view: View, topic: str, title: str) -> Changes:
    """Fork into a discussion of a topic; HoldfastError, worded as in the format's document, when one is going on.

    It will return to the current work in the file, else to its `title`, and to the current status.
    """
    if view.depth:
        raise HoldfastError(f"{_NESTED} It is about {_topic(view)!r}; holdfast return ends it.")
    if not topic:
        raise HoldfastError('The topic is empty. Say what it is about: holdfast discuss "token budget research"')
    back = view.current or stacked(view.task) or view.focus or title
    changes = Changes(
        f"In discussion: {topic}. `holdfast return` goes back to {back}.", [f"Forked into discussion: {topic}"]
    )
    if STACK not in view.there:
        changes.noted.append({"kind": "discussion", "text": topic, "back": back})
    changes.own += [("add", "topics", topic), ("set", "task", f"{FORK} {topic}")]
    if view.record.file_format.category(view.status) in {"paused", "completed"} or not _may_come_back(view):
        return changes.set_fields(STACK, Current=f"{FORK} {topic}", Return_to=back, Depth="1")
    custom = view.status not in {"", WORKING, TALKING, status_of(view)}
    returns = f"{back}, status {view.status}" if custom else back
    changes.set_fields(STACK, Current=f"{FORK} {topic}", Return_to=returns, Depth="1")
    return changes.set_fields(CONTEXT, Status=TALKING)


def _may_come_back(view: View) -> bool:
    """Whether the status is one that a command may set again, not one in a person's own words."""
    part = view.record.file_format.part(CONTEXT)
    known = [value for one in (part.fields if part else []) if one.name == "Status" for value in one.values]
    return not view.status or names.plain(view.status) in map(names.plain, known)


def back(view: View, summary: str) -> Changes:
    """Come back from a discussion; HoldfastError when there is none."""
    if not view.depth:
        raise HoldfastError("Not in discussion mode (depth 0): there is nothing to return from. Type: holdfast status")
    topic = _topic(view)
    target = view.back or stacked(view.task) or "the work before"
    match = _WITH_STATUS.fullmatch(target)
    task, status = (match["task"], match["status"]) if match else (target, "")
    ended = f"Returned from discussion: {topic}" + (f"; {summary}" if summary else "")
    changes = Changes(f"Back to {task}; the discussion of {topic} is over.", [ended])
    changes.noted.append({"kind": "discussion", "text": "", "back": ""})
    changes.own.append(("set", "task", view.task or task))
    changes.own += [("add", "insights", summary)] if summary else []
    changes.set_unforked(task)
    return changes.set_fields(CONTEXT, Status=status) if status and view.status == TALKING else changes


def _topic(view: View) -> str:
    """Return the topic of the discussion."""
    return view.current.removeprefix(FORK).strip() or "the discussion"
