"""Tick and open boxes of a checklist: `[x] Tests passing` ticks the box of that item and changes nothing else."""

import re

from holdfast.core.errors import HoldfastError
from holdfast.editing.pieces import Edit, bare, joined, key
from holdfast.formats.record import TICKS
from holdfast.markdown.document import Document, Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.formats.record import Record

    Splice = tuple[int, int, bytes]

_BOX = re.compile(r"\A(?:[-*+]\s+)?\[(?P<tick>[^\[\]]{1,2})\]\s+")


class Ticks:
    """What a list of requested items changes in the boxes of known items.

    `changes` are the splices, `old` and `new` the items as texts before and after, and `rest` the requested items that
    are no known item with a box.
    """

    __slots__ = ("changes", "new", "old", "rest")

    def __init__(self) -> None:
        self.changes: list[Splice] = []
        self.old: list[str] = []
        self.new: list[str] = []
        self.rest: list[str] = []


def ticks(record: "Record", requested: list[str], known: list[Item]) -> Ticks:
    """Return what the boxes in `requested` change; HoldfastError for an item that appears twice or has no box."""
    document, found = record.document, Ticks()
    done: dict[int, str] = {}
    for text in requested:
        box = _BOX.match(text.strip())
        same = [item for item in known if key(record.item(item)) == key(text)] if box else []
        if not box or not same:
            found.rest.append(text)
            continue
        item = _only(document, same, bare(text))
        old = document.text(*item.box) if item.box else " "
        state, before = _state(box["tick"]), done.get(item.start)
        if before not in {None, state}:
            raise HoldfastError(f"{bare(text)[:60]!r} is requested with two different boxes")
        done[item.start] = state
        if state in {_state(old), before}:
            continue
        if item.box is None:
            raise HoldfastError(f"line {document.line(item.start)}: {bare(text)[:60]!r} has no box to tick")
        found.changes.append((*item.box, box["tick"].encode()))
        found.old.append(f"[{old}] {bare(text)}")
        found.new.append(f"[{box['tick']}] {bare(text)}")
    return found


def with_ticks(document: Document, found: Ticks, added: Edit | None) -> Edit | None:
    """Return one edit that makes the changes of some boxes and the edit `added`; None when there is neither."""
    if not found.changes:
        return added
    changes, old, new = list(found.changes), list(found.old), list(found.new)
    if added:
        changes.append((added.start, added.end, added.data))
        old += filter(None, [added.old])
        new.append(added.new)
    return joined(document.data, changes, "; ".join(old), "; ".join(new))


def _only(document: Document, items: list[Item], text: str) -> Item:
    """Return the only one of these items; HoldfastError when there are several."""
    if len(items) > 1:
        lines = ", ".join(str(document.line(item.start)) for item in items[:5])
        raise HoldfastError(f"{text[:60]!r} appears {len(items)} times, on lines {lines}; keep one of them")
    return items[0]


def _state(tick: str) -> str:
    """Return the state of a box: "x" for any tick, else the sign in it."""
    return "x" if tick in TICKS else tick
