"""Pair the parts of three versions."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import NamedTuple

from holdfast.core.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from holdfast.editing.merge.nodes import Node

    Key = tuple[str, Hashable, bytes]
    Numbered = tuple[int, Node]  # a part and its number among its neighbours

_ALIKE = 0.6  # from here on two texts without a common name are versions of each other
_SHORT = 400  # bytes of a text that is compared word by word; a longer one is compared line by line
_PAIRS = 2_000_000  # comparisons that one alignment may take; a file of equal lines could take hours
_COMPARED = 2_500  # pairs of texts of one gap whose likeness is measured
_BLOCKS = frozenset({"heading", "paragraph", "list", "table", "lines", "text", "code", "head", "front"})


class Triple(NamedTuple):
    """One part in the base and on both sides; None where it is not."""

    base: Node | None
    ours: Node | None
    theirs: Node | None

    @property
    def new(self) -> bool:
        """Whether the base does not have it."""
        return self.base is None


class Paired(NamedTuple):
    """The parts of three versions: each once, and the order of their numbers in each version."""

    triples: list[Triple]
    base: list[int]
    ours: list[int]
    theirs: list[int]


def paired(base: Sequence[Node], ours: Sequence[Node], theirs: Sequence[Node]) -> Paired:
    """Return which parts of base, ours and theirs belong together."""
    first, second = aligned(base, ours), aligned(base, theirs)
    own, other = {at: n for n, at in enumerate(first) if at >= 0}, {at: n for n, at in enumerate(second) if at >= 0}
    triples = [
        Triple(node, ours[own[at]] if at in own else None, theirs[other[at]] if at in other else None)
        for at, node in enumerate(base)
    ]
    ours_order, theirs_order = list(first), list(second)
    for mine, yours in _new_pairs(ours, theirs, first, second):
        ours_order[mine] = theirs_order[yours] = len(triples)
        triples.append(Triple(None, ours[mine], theirs[yours]))
    for order, nodes, where in ((ours_order, ours, 1), (theirs_order, theirs, 2)):
        for number, at in enumerate(order):
            if at < 0:
                order[number] = len(triples)
                triples.append(Triple(None, *((nodes[number], None) if where == 1 else (None, nodes[number]))))
    return Paired(triples, list(range(len(base))), ours_order, theirs_order)


def aligned(base: Sequence[Node], side: Sequence[Node]) -> list[int]:
    """Return for each part of a side the number of the part of the base that it is a version of, -1 for none."""
    found = [-1] * len(side)
    for at, number, size in _blocks([_whole(node) for node in base], [_whole(node) for node in side]):
        found[number : number + size] = range(at, at + size)
    for key in (_whole, _named):  # the first finds what was moved
        taken = set(found)
        left = [(at, node) for at, node in enumerate(base) if at not in taken]
        for at, number in _by(key, left, [(n, node) for n, node in enumerate(side) if found[n] < 0]):
            found[number] = at
    for at, number in _in_gaps(base, side, found):
        found[number] = at
    return found


def _whole(node: Node) -> Key:
    return node.kind, node.name, node.data


def _named(node: Node) -> Hashable:
    return None if node.name is None else (node.kind, node.name)


def _blocks(known: list[Key], looked: list[Key]) -> list[tuple[int, int, int]]:
    """Return the runs that two versions have in common; HoldfastError where to find them would take too long."""
    counted, other = Counter(known), Counter(looked)
    if sum(count * other[key] for key, count in counted.items()) > _PAIRS:
        raise HoldfastError("too many lines of the file are equal to tell them apart")
    blocks = SequenceMatcher(None, known, looked, autojunk=False).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks]


def _by(key: Callable[[Node], Hashable], one: Sequence[Numbered], other: Sequence[Numbered]) -> list[tuple[int, int]]:
    """Return the pairs of numbers of parts with one key, the first with the first; nothing has the key None."""
    waiting: dict[Hashable, list[int]] = {}
    for number, node in reversed(one):
        waiting.setdefault(key(node), []).append(number)
    waiting.pop(None, None)
    return [(waiting[key(node)].pop(), number) for number, node in other if waiting.get(key(node))]


def _in_gaps(base: Sequence[Node], side: Sequence[Node], found: list[int]) -> list[tuple[int, int]]:
    """Return pairs of parts without a partner that are between the same partners and are versions of each other."""
    pairs: list[tuple[int, int]] = []
    taken = {at for at in found if at >= 0}
    before, run = -1, list[int]()
    for number, at in enumerate([*found, len(base)]):
        if at < 0:
            run.append(number)
            continue
        free = [n for n in range(before + 1, at) if n not in taken] if run and before < at else []
        pairs += _likely([(n, base[n]) for n in free], [(n, side[n]) for n in run])
        before, run = at, []
    return pairs


def _likely(base: list[tuple[int, Node]], side: list[tuple[int, Node]]) -> list[tuple[int, int]]:
    """Return the pairs of one gap: the only blocks of their kind, and texts that are alike; in order."""
    pairs: list[tuple[int, int]] = []
    counts = [Counter(node.kind for _, node in group) for group in (base, side)]
    first = 0
    cheap = len(base) * len(side) <= _COMPARED
    for number, node in side:
        same = [(place, at) for place, (at, other) in enumerate(base) if place >= first and other.kind == node.kind]
        if node.kind in _BLOCKS and counts[0][node.kind] == counts[1][node.kind] == 1 and same:
            best = same[0]
        else:
            rated = [(likeness(base[place][1].data, node.data), -place, at) for place, at in same] if cheap else []
            likeliest = max(rated, default=(0.0, 0, 0))
            if likeliest[0] < _ALIKE:
                continue
            best = -likeliest[1], likeliest[2]
        first = best[0] + 1
        pairs.append((best[1], number))
    return pairs


def likeness(one: bytes, other: bytes) -> float:
    """Return how much two texts have in common, 0.0 to 1.0."""
    if max(len(one), len(other)) <= _SHORT:
        return SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()
    lines = [Counter(text.split(b"\n")) for text in (one, other)]
    return 2 * (lines[0] & lines[1]).total() / (lines[0].total() + lines[1].total())


class _Side(NamedTuple):
    """A side of a merge: its parts, the number of each in the base, and those that are new and have no partner."""

    nodes: Sequence[Node]
    order: list[int]
    new: list[Numbered]


def _new_pairs(
    ours: Sequence[Node], theirs: Sequence[Node], first: list[int], second: list[int]
) -> list[tuple[int, int]]:
    """Return the pairs of parts that both sides added: of one name, or of one kind in the same place without a name."""
    mine = [(number, ours[number]) for number, at in enumerate(first) if at < 0]
    yours = [(number, theirs[number]) for number, at in enumerate(second) if at < 0]
    pairs: list[tuple[int, int]] = []
    for key in (_whole, _named):
        pairs += _by(key, mine, yours)
        mine = [one for one in mine if one[0] not in {pair[0] for pair in pairs}]
        yours = [one for one in yours if one[0] not in {pair[1] for pair in pairs}]
    return pairs + _same_place(_Side(ours, first, mine), _Side(theirs, second, yours), pairs)


def _same_place(ours: _Side, theirs: _Side, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs of nameless parts of one kind after the same part that both sides have, in order."""
    both = {at for at in ours.order if at >= 0} & set(theirs.order)
    waiting: list[dict[Hashable, list[int]]] = []
    for side, (nodes, order, new) in enumerate((ours, theirs)):
        shared = {pair[side]: ("new", number) for number, pair in enumerate(pairs)}
        places: dict[Hashable, list[int]] = {}
        fresh = {number for number, _ in new}
        anchor: Hashable = None
        for number, at in enumerate(order):
            if number in fresh and nodes[number].name is None:
                places.setdefault((anchor, nodes[number].kind), []).append(number)
            anchor = at if at in both else shared.get(number, anchor)
        waiting.append(places)
    found = [pair for place, one in waiting[0].items() for pair in zip(one, waiting[1].get(place, []), strict=False)]
    return sorted(found)
