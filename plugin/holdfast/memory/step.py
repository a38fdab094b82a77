"""What one step of the work changes in a state file: fields, further requests, entries; and discussions."""

import re

from holdfast.core.errors import HoldfastError
from holdfast.editing.requests import ManagedLines, Request
from holdfast.formats import names
from holdfast.memory.view import (
    CHECKPOINT,
    CONTEXT,
    FORK,
    STACK,
    TALKING,
    TASKS,
    View,
    called,
    field,
    lines,
    same_task,
    split,
    stacked,
)
from holdfast.sessions import ledger
from holdfast.trust import safe

WORKING, AWAITING = "Working", "Blocked (Awaiting Approval)"
OWN_STATUSES = frozenset({WORKING, TALKING, AWAITING})
NOT_FORKED, AT_CHECKPOINT = "None (not forked)", "None (checkpoint is primary context)"
_LONGEST = 20_000  # characters: nothing that a person types is cut


class Changes:
    """What a step changes.

    - answer: the sentence for the user who took the step. updates: its entries for Recent Updates, newest first.
    - requests: the edits. ticked: item of the list of tasks -> what its box gets. sections: titles of further
      sections that the file must have.
    - noted: facts for the ledger of the file. own: what a file whose own format has no working memory gets instead:
      (verb, word, text) as `own_sections` reads them.
    - sets_task: whether the step changes the current task. reworded: the text that a task has, and its new one.
    - over: the task that it completes or skips, and the client's word for that; "" and "" for none.
    """

    def __init__(self, answer: str, updates: list[str]) -> None:
        self.answer = answer
        self.updates = updates
        self.requests: list[Request] = []
        self.ticked: dict[str, str] = {}
        self.sections: frozenset[str] = frozenset()
        self.noted: list[dict[str, object]] = []
        self.own: list[tuple[str, str, str]] = []
        self.sets_task = False
        self.reworded = ("", "")
        self.over = ("", "")

    def of_view(self, _view: View) -> "Changes":
        """Return these changes, which do not depend on what the file says."""
        return self

    def set_fields(self, title: str, **fields: str) -> "Changes":
        """Add fields of a section with their new texts; an underscore in a name becomes a blank."""
        self.requests += [Request((title, name.replace("_", " ")), text=value) for name, value in fields.items()]
        return self

    def set_unforked(self, current: str) -> "Changes":
        """Add a context stack of depth 0."""
        back = AT_CHECKPOINT if current.endswith(CHECKPOINT) else NOT_FORKED
        return self.set_fields(STACK, Current=current, Return_to=back, Depth="0")


def set_task(changes: Changes, view: View, task: str) -> Changes:
    """Add that `task` is the current one; in a discussion it is what the discussion returns to.

    The task that was current waits from now on, unless it is over with this step.
    """
    changes.sets_task = True
    if view.task and not changes.over[0] and called(view.task) not in {called(task), *view.plan[:1]}:
        list_task(changes, view, view.task)
    changes.noted.append({"kind": "task", "text": task, "status": ledger.CURRENT})
    changes.own += [("add", "tasks", task), ("set", "task", task)]
    changes.set_fields(CONTEXT, Task=task)
    if own_focus(view) and not any(request.keys[-1] == "Focus" for request in changes.requests):
        changes.set_fields(CONTEXT, Focus=split(task)[1])
    return changes.set_fields(STACK, Return_to=stacked(task)) if view.depth else changes.set_unforked(stacked(task))


def reword(changes: Changes, view: View, old: str, new: str) -> Changes:
    """Add that a task that waits has another text."""
    changes.reworded = old, new
    changes.noted.append({"kind": "task", "text": old, "status": ledger.REWORDED})
    changes.own.append(("add", "tasks", new))
    list_task(changes, view, new)
    return changes


def list_task(changes: Changes, view: View, task: str) -> None:
    """Add that a task waits: in the ledger, and in the file's own list of tasks if a person has begun one."""
    changes.noted.append({"kind": "task", "text": task, "status": ledger.WAITING})
    if view.record.sections(TASKS) and all(called(other) != called(task) for other in view.tasks):
        changes.requests.append(Request((TASKS,), items=[task]))


def own_focus(view: View) -> bool:
    """Whether the focus is open or in holdfast's words: the title of the task or plan at hand, what a decision left."""
    own = view.focus.startswith(("Between tasks (", "Revise PLAN-")) or view.focus in {"", split(view.task)[1]}
    return CONTEXT in view.there and own


def set_no_task(changes: Changes, view: View, why: str) -> Changes:
    """Add that no task is current from now on, and why."""
    changes.sets_task = True
    changes.own.append(("set", "task", f"None ({why})"))
    between = f"Between tasks ({why})"
    changes.set_fields(CONTEXT, Task=f"None ({why})", **({"Focus": between} if view.focus and own_focus(view) else {}))
    return changes.set_fields(STACK, Return_to=between) if view.depth else changes.set_unforked(between)


def waiting_tasks(view: View) -> list[str]:
    """Return the tasks of the file that wait for their turn, in order, without the current one."""
    return [task for task, open_ in view.tasks.items() if open_ and not same_task(task, view.task)]


def status_of(view: View) -> str:
    """Return the status that follows from the sections: a discussion, a plan that waits, else the work."""
    return TALKING if view.depth else AWAITING if view.plan else WORKING


def fit(text: str) -> str:
    """Return a user's text as one line that cannot be read as a label."""
    return safe.line(text, _LONGEST).replace("**", r"\*\*").replace("__", r"\_\_")


_NESTED = "Already in discussion mode (depth 1). Complete current discussion before forking again."
# "Return to" also names the status to come back to, where that is not Working.
_NOTE = re.compile(r"[*_]Discussion: (?P<words>.+)[*_]")  # below the stack, while the discussion goes on
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
    field_of_return = field(view.record, STACK, "Return to")
    said = view.record.text(field_of_return) if field_of_return else ""
    own = f" (Return to said: {said})" if said not in {"", "None", NOT_FORKED, AT_CHECKPOINT} else ""
    changes = Changes(
        f"In discussion: {topic}. `holdfast return` goes back to {back}.", [f"Forked into discussion: {topic}{own}"]
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
    notes = [match["words"] for line in lines(view.record, STACK) if (match := _NOTE.fullmatch(line))]
    ended = "; ".join([f"Returned from discussion: {topic}", *filter(None, [summary]), *notes])
    changes = Changes(f"Back to {task}; the discussion of {topic} is over.", [ended])
    changes.noted.append({"kind": "discussion", "text": "", "back": ""})
    changes.own.append(("set", "task", view.task or task))
    changes.own += [("add", "insights", summary)] if summary else []
    changes.set_unforked(task)
    changes.requests += [Request((STACK,), managed_lines=ManagedLines([], _of_note, _of_note))] if notes else []
    return changes.set_fields(CONTEXT, Status=status) if status and view.status == TALKING else changes


def _of_note(line: str) -> str:
    return "note" if _NOTE.fullmatch(line.strip()) else ""


def _topic(view: View) -> str:
    """Return the topic of the discussion."""
    return view.current.removeprefix(FORK).strip() or "the discussion"
