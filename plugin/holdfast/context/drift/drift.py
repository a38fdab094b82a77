"""Drift: the differences between a state file and the evidence, each with the command that removes it."""

from holdfast.context.drift import changes, conversation, memory, progress, remedy
from holdfast.context.drift.comparison import Comparison
from holdfast.context.drift.evidence import Evidence
from holdfast.context.drift.item import KINDS, Item
from holdfast.formats.state_file import StateFile
from holdfast.sessions.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FOUND: "dict[str, Callable[[Comparison], Iterator[Item]]]" = {
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


def of(session: Session, state: StateFile, known: Evidence, *, calls: bool = True) -> list[Item]:
    """Return the differences in the order of a report; [] for a file with a conflict marker or an unknown format.

    A command without a placeholder was tried on a copy of the file, and removes its item. With `calls=False` the items
    are the same, but only commands with a placeholder are kept, which saves the trials.
    """
    if state.problem:
        return []
    comparison = Comparison(session, state, known)
    found = [(item, find) for kind in KINDS if kind in _FOUND for find in [_FOUND[kind]] for item in find(comparison)]
    check = remedy.checked if calls else remedy.untried
    items = [kept for item, find in found if (kept := check(comparison, item, find))]
    if all(item.kind == "unfilled" for item in items):  # a new file has placeholders by its nature
        return []
    return [*items, *conversation.age(comparison)]
