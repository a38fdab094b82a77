"""Whether the line under an item settles it: tried on the file as it is, before anybody is told to run it."""

from holdfast import text
from holdfast.drifts.item import Item
from holdfast.drifts.sight import MEMORY, OPEN, Sight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Find = Callable[[Sight], Iterable[Item]]


def checked(sight: Sight, item: Item, find: "Find") -> Item | None:
    """Return an item as it can be reported: with its line where that settles it, else with why it does not.

    None where the sections that holdfast keeps are as it leaves them: then the difference is none to be settled.
    """
    memory = item.call.startswith(MEMORY)
    if OPEN in item.call or not (memory or item.call.startswith("holdfast sync")):
        return item
    after, why = sight.kept if memory else sight.synced(item.call)
    if all(other.call != item.call for other in find(after)):
        return item
    if not memory:
        item.call = sight.told()
        return item
    told = f"{item.evidence}; " if item.evidence else ""
    item.evidence, item.call = text.line(f"{told}to be mended by hand: {why}"), ""
    return item if why else None


def untried(sight: Sight, item: Item, find: "Find") -> Item | None:
    """Return an item for those who need no line: the same ones as `checked`, with the lines that leave something open.

    Only for a section that holdfast keeps does it take a try to tell whether there is a difference at all.
    """
    kept = checked(sight, item, find) if item.call.startswith(MEMORY) else item
    if kept and OPEN not in kept.call:
        kept.call = ""
    return kept
