"""The order of the parts of a merge, and the blank bytes between them."""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.editing.merge.align import Paired, Triple
    from holdfast.editing.merge.nodes import Node

    Version = tuple[list[int], Node]  # the numbers of a node's parts, and the node

START, END = -1, -2
_CLOSE = frozenset({"item", "row", "header", "label", "entry", "key", "head", "element"})  # are on lines one by one


def ordered(paired: Paired) -> list[int]:
    """Return the numbers of the parts that a side still has, in the order of the merge.

    The order is that of the side that moved something, ours if both did. Parts that both added in one place are sorted
    by time if all of them begin with a time; otherwise ours come first.
    """
    ours, theirs = paired.ours, paired.theirs
    moved = [_moved(paired, side) for side in (ours, theirs)]
    if moved[1] and not moved[0]:
        order = _joined(theirs, ours, set())
    else:
        order = _joined(ours, theirs, {n for n in ours if paired.triples[n].new and paired.triples[n].theirs is None})
    return _by_time(paired, order)


def _moved(paired: Paired, side: list[int]) -> bool:
    """Whether a side has parts of the base in another order."""
    own = [number for number in side if not paired.triples[number].new]
    return own != sorted(own)


def _joined(first: list[int], second: list[int], passed: set[int]) -> list[int]:
    """Return an order with what only the other one has, after the same neighbour and after what is passed there."""
    order, there = list(first), set(first)
    before: int | None = None
    for number in second:
        if number not in there:
            at = order.index(before) + 1 if before is not None else 0
            while at < len(order) and order[at] in passed:
                at += 1
            order.insert(at, number)
            there.add(number)
        before = number
    return order


def _by_time(paired: Paired, order: list[int]) -> list[int]:
    """Return the order with what both sides added in one place sorted by time, each side's own order kept."""
    triples = paired.triples
    sides = [triples[n].ours for n in paired.ours], [triples[n].theirs for n in paired.theirs]
    down = any(map(_newest_first, sides))
    result: list[int] = []
    run: list[int] = []
    for number in [*order, END]:
        triple = triples[number] if number != END else None
        if triple and triple.ours is None and triple.theirs is None:
            continue  # gone, so that it does not part the run
        if triple and triple.new and _node(triple).moment:
            run.append(number)
            continue
        result += _merged_by_time(triples, run, down=down)
        run = []
        result += [number] if triple else []
    return result


def _node(triple: Triple) -> Node:
    found = triple.ours or triple.theirs or triple.base
    assert found is not None  # noqa: S101 - for mypy: one of the three is there
    return found


def _newest_first(nodes: Sequence[Node | None]) -> bool:
    """Whether the times that parts begin with fall more often than they rise."""
    times = [node.moment for node in nodes if node and node.moment]
    steps = [(one < other) - (one > other) for one, other in pairwise(times)]
    return sum(steps) < 0


def _merged_by_time(triples: list[Triple], run: list[int], *, down: bool) -> list[int]:
    """Return new parts by their times: of ours and theirs the next one is the earlier, or the later one."""
    theirs = [number for number in run if triples[number].ours is None]
    ours = [number for number in run if triples[number].ours is not None]
    result: list[int] = []
    while ours and theirs:
        one, other = (_node(triples[group[0]]).moment for group in (ours, theirs))
        result.append((theirs if (other > one if down else other < one) else ours).pop(0))
    return [*result, *ours, *theirs]


class Gaps:
    """The blank bytes between the parts of a merge, as the versions have them."""

    def __init__(self, paired: Paired, nodes: tuple[Node | None, Node, Node], newline: bytes) -> None:
        self._triples = paired.triples
        self._newline = newline
        orders = (paired.base, paired.ours, paired.theirs)
        self._between = [_adjacent(order, node) if node else {} for order, node in zip(orders, nodes, strict=True)]

    def between(self, before: int, after: int) -> bytes:
        """Return what is between two neighbours of the merge; START and END are the ends of the node."""
        if before == START or after == END:
            return self._edge(before, after)
        base, ours, theirs = (known.get((before, after)) for known in self._between)
        if ours is not None and theirs is not None:
            return theirs if ours == base else ours
        return ours or theirs or self._alike(before, after)

    def _edge(self, before: int, after: int) -> bytes:
        """Return what is at an end of the node."""
        place, at = (0, before) if before == START else (1, after)
        base, ours, theirs = (
            next((gap for pair, gap in known.items() if pair[place] == at), None) for known in self._between
        )
        return (theirs if ours == base else ours) or b""

    def _alike(self, before: int, after: int) -> bytes:
        """Return what is between two parts that were no neighbours: what is between others of their kinds."""
        kinds = self._kind(before), self._kind(after)
        for known in (self._between[1], self._between[2], self._between[0]):
            near = [(pair, gap) for pair, gap in known.items() if START not in pair and END not in pair]
            near.sort(key=lambda one: (one[0][1] != after, one[0][0] != before))
            for pair, gap in near:
                if (self._kind(pair[0]), self._kind(pair[1])) == kinds:
                    return gap
        return self._newline if kinds[0] in _CLOSE and kinds[1] in _CLOSE else self._newline * 2

    def _kind(self, number: int) -> str:
        return _node(self._triples[number]).kind


def _adjacent(order: list[int], node: Node) -> dict[tuple[int, int], bytes]:
    """Return the gap between each two neighbours of a version, and at its ends."""
    return dict(zip(pairwise([START, *order, END]), node.gaps, strict=True))
