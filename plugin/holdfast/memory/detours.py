"""Detours: fork into a discussion, one level deep, and return to where the work was."""

import re

from holdfast.core.errors import HoldfastError
from holdfast.memory.step import WORKING, Changes, status_of
from holdfast.memory.view import CONTEXT, FORK, STACK, TALKING, View, stacked

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
    if view.record.file_format.category(view.status) in {"paused", "completed"}:
        return changes.set_fields(STACK, Current=f"{FORK} {topic}", Return_to=back, Depth="1")
    custom = view.status not in {"", WORKING, TALKING, status_of(view)}
    returns = f"{back}, status {view.status}" if custom else back
    changes.set_fields(STACK, Current=f"{FORK} {topic}", Return_to=returns, Depth="1")
    return changes.set_fields(CONTEXT, Status=TALKING)


def back(view: View, summary: str) -> Changes:
    """Come back from a discussion; HoldfastError when there is none."""
    if not view.depth:
        raise HoldfastError("Not in discussion mode (depth 0): there is nothing to return from. Type: holdfast status")
    topic = _topic(view)
    target = view.back or stacked(view.task) or "the work before"
    found = _WITH_STATUS.fullmatch(target)
    task, status = (found["task"], found["status"]) if found else (target, "")
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
