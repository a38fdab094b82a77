"""Drift: what a state file says against what was measured, each difference with the line that settles it."""

from holdfast.drifts import changes, conversation, memory, progress, settling
from holdfast.drifts.item import KINDS, Item
from holdfast.drifts.known import Known
from holdfast.drifts.sight import Sight
from holdfast.session import Session
from holdfast.states.statefile import StateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FOUND: "dict[str, Callable[[Sight], Iterator[Item]]]" = {
    "task": progress.task,
    "status": progress.status,
    "loops": memory.loops,
    "budget": memory.budget,
    "zone": conversation.zone,
    "actions": memory.actions,
    "tasks": progress.tasks,
    "files": changes.files,
    "commits": changes.commits,
    "children": progress.children,
    "branch": changes.branch,
    "prompts": conversation.prompts,
    "unfilled": changes.unfilled,
}


def of(session: Session, state: StateFile, known: Known, *, calls: bool = True) -> list[Item]:
    """Return what has drifted, in the order of a report; nothing for a file whose shape nobody knows, or in conflict.

    Each line that leaves nothing open has been tried on the file: it settles its item. Without `calls` the items are
    the same, and only lines that leave something open are told. `known.known` gathers what is measured beside the
    journal.
    """
    if state.problem:
        return []
    sight = Sight(session, state, known)
    found = [(item, find) for kind in KINDS if kind in _FOUND for find in [_FOUND[kind]] for item in find(sight)]
    check = settling.checked if calls else settling.untried
    items = [kept for item, find in found if (kept := check(sight, item, find))]
    return [*items, *conversation.age(sight)] if items else []
