"""Three versions of a tree become one: what one side changed is taken, what both changed is merged part by part."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.editing.merge.align import paired
from holdfast.editing.merge.order import END, START, Gaps, ordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.editing.merge.nodes import Node
    from holdfast.editing.merge.rules import Rule

    TextMerge = Callable[[bytes, bytes, bytes], tuple[bytes, bool]]  # base, ours, theirs: the merge, and whether clean


class Merged(NamedTuple):
    """The bytes of a merge, None where nothing is left, and whether they are free of conflicts."""

    data: bytes | None
    clean: bool


class Engine:
    """Merges trees; what no rule decides goes to `text`, git's merge of lines.

    `decided` collects the lines of which a rule has taken a part, or none, because the other side's count.
    """

    def __init__(self, text: TextMerge, rules: Sequence[Rule], newline: bytes) -> None:
        self._text = text
        self._rules = rules
        self._newline = newline
        self.decided: list[bytes] = []

    def merge(self, base: Node | None, ours: Node | None, theirs: Node | None) -> Merged:
        """Return the merge of one node."""
        taken = _untouched(base, ours, theirs)
        if taken is not None:
            return taken
        if ours is None or theirs is None:
            return self._lines(base, ours, theirs)
        inner = (base is None or base.gaps) and ours.gaps and theirs.gaps
        return self._parts(base, ours, theirs) if inner else self._leaf(base, ours, theirs)

    def _parts(self, base: Node | None, ours: Node, theirs: Node) -> Merged:
        """Return the merge of a node part by part; where that conflicts and git's merge does not, that one."""
        pairs = paired(base.parts if base else (), ours.parts, theirs.parts)
        gaps = Gaps(pairs, (base, ours, theirs), self._newline)
        written, before, clean = [], START, True
        for number in ordered(pairs):
            data, whole = self.merge(*pairs.triples[number])
            clean = clean and whole
            if data is not None:
                written += [gaps.between(before, number), data]
                before = number
        merged = Merged(b"".join([*written, gaps.between(before, END)]) if written else None, clean)
        if clean:
            return merged
        lines = self._lines(base, ours, theirs)
        return lines if lines.clean else merged

    def _leaf(self, base: Node | None, ours: Node, theirs: Node) -> Merged:
        """Return the merge of a node without parts, by the first rule that decides it."""
        for rule in self._rules:
            data = rule(base, ours, theirs)
            if data is not None:
                self.decided += [*ours.data.splitlines(), *theirs.data.splitlines()]
                return Merged(data, clean=True)
        return self._lines(base, ours, theirs)

    def _lines(self, base: Node | None, ours: Node | None, theirs: Node | None) -> Merged:
        """Return git's merge of a node's lines; a node that is not there has none."""
        data, clean = self._text(*(node.data + self._newline if node else b"" for node in (base, ours, theirs)))
        return Merged(data.removesuffix(b"\n").removesuffix(b"\r") if data else None, clean)


def _untouched(base: Node | None, ours: Node | None, theirs: Node | None) -> Merged | None:
    """Return what becomes of a node that at most one side changed, or both in the same way; None for any other."""
    before, one, other = (node.data if node else None for node in (base, ours, theirs))
    if other in (one, before):
        return Merged(one, clean=True)
    return Merged(other, clean=True) if one == before else None
