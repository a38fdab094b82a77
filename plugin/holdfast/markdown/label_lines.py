"""Label lines right under a list: CommonMark takes them into its last item, the people who write them do not.

**Children:**
- one
**Purpose:** this is no part of "one", and what follows it is another list
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right

from holdfast.markdown.blocks import Outline, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.markdown.blocks import Item
    from holdfast.markdown.lines import Lines

    Cut = tuple[int, int]  # where the label's line begins, and where the line after its paragraph does

_LABEL = re.compile(rb"\n(?=(?:\*\*|__)(?![*_\s])[^\n]*?(?::(?:\*\*|__)|(?:\*\*|__)[ \t]?:))")


def part(outline: Outline, lines: Lines) -> None:
    """Make paragraphs of their own of the label lines that an item has taken in, and end its list there."""
    cuts = _cut_texts(outline, lines)
    if not cuts:
        return
    starts = [at for at, _ in cuts]
    holders = _holders(outline.items)
    for at in starts:
        _end_items(outline.items, holders, at)
    outline.lists = {group[0].start: group for items in outline.lists.values() for group in _grouped(items, starts)}
    outline.tops = [piece for block in outline.tops for piece in _pieces(block, cuts, starts)]


def _cut_texts(outline: Outline, lines: Lines) -> list[Cut]:
    """Part each item's text before its first label line; return where."""
    cuts, texts = [], []
    hidden = [start for start, _ in outline.hidden]
    for text in outline.texts:
        texts.append(text)
        found = _LABEL.search(outline.plain, text.start, text.end) if text.item else None
        covering = bisect_left(hidden, found.end()) - 1 if found else -1
        if not found or not text.item or (covering >= 0 and outline.hidden[covering][1] > found.end()):
            continue
        cuts.append((found.end(), lines.end(text.end)))
        texts.append(Text(found.end(), text.end, None))
        text.end = text.item.text_end = text.start + len(outline.plain[text.start : found.start()].rstrip())
    outline.texts = texts
    return cuts


def _holders(items: list[Item]) -> list[int]:
    """Return the number of the item that holds each item, -1 for none."""
    found: list[int] = []
    around: list[int] = []
    for number, item in enumerate(items):
        del around[item.depth :]
        found.append(around[-1] if around else -1)
        around.append(number)
    return found


def _end_items(items: list[Item], holders: list[int], at: int) -> None:
    """End the items there that an offset lies in: the last one before it, and those that hold it."""
    number = bisect_left(items, at, key=lambda item: item.start) - 1
    while number >= 0:
        items[number].end = min(items[number].end, at)
        number = holders[number]


def _grouped(items: list[Item], starts: list[int]) -> list[list[Item]]:
    """Return the items of a list as the lists that the cuts leave."""
    groups = [[items[0]]]
    for before, item in itertools.pairwise(items):
        if bisect_right(starts, before.start) == bisect_right(starts, item.start):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _pieces(block: tuple[str, int, int], cuts: list[Cut], starts: list[int]) -> list[tuple[str, int, int]]:
    """Return a block as the cuts leave it: lists, and paragraphs between them."""
    kind, start, end = block
    inside = cuts[bisect_right(starts, start) : bisect_left(starts, end)]
    pieces = []
    for at, after in inside:
        pieces += [(kind, start, at), ("paragraph", at, after)]
        start = after
    return [piece for piece in [*pieces, (kind, start, end)] if piece[1] < piece[2]]
