"""Try an item's command on a copy of the file before it is recommended."""

from holdfast.context.drift.comparison import MEMORY, OPEN, Comparison
from holdfast.context.drift.item import Item
from holdfast.trust import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Find = Callable[[Comparison], Iterable[Item]]


def checked(comparison: Comparison, item: Item, find: "Find") -> Item | None:
    """Return the item with a command that works, or with the reason why none does.

    None if `holdfast memory` would change nothing and has no reason for that: then there is no difference.
    """
    memory = item.call.startswith(MEMORY)
    if OPEN in item.call or not (memory or item.call.startswith("holdfast sync")):
        return item
    after, why = comparison.refreshed if memory else comparison.synced(item.call)
    if all(other.call != item.call for other in find(after)):
        return item
    if not memory:
        item.call = comparison.progress_call()
        return item
    evidence = f"{item.evidence}; " if item.evidence else ""
    item.evidence, item.call = safe.line(f"{evidence}to be fixed by hand: {why}"), ""
    return item if why else None


def untried(comparison: Comparison, item: Item, find: "Find") -> Item | None:
    """Return the item without its command, unless the command has a placeholder; None as in `checked`.

    Only commands for working memory are tried, because the trial decides whether there is a difference at all.
    """
    kept = checked(comparison, item, find) if item.call.startswith(MEMORY) else item
    if kept and OPEN not in kept.call:
        kept.call = ""
    return kept
