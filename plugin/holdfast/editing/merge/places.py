"""Parts that a side moved to another section: all three versions get them in one place, so that they can be merged."""

from __future__ import annotations

from functools import partial

from holdfast.editing.merge.nodes import Node, rebuilt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    Step = tuple[str, Hashable]
    Path = tuple[Step, ...]  # kind and name of each node around a part, the outermost first
    Known = dict[Step, tuple[Path, Node]]
    Trees = tuple[Node, Node, Node]


def arranged(trees: Trees, mobile: Callable[[Node], bool], newline: bytes) -> Trees:
    """Return base, ours and theirs with each mobile part in the section where the side has it that moved it.

    A part stays where it is if its name appears twice in a version, if both sides moved it from the base to different
    sections, and if a version does not have the section.
    """
    known = [_found(tree, mobile) for tree in trees]
    versions = list(trees)
    for step in [step for step in known[1] if step in known[2]]:
        there = [places.get(step) for places in known]
        paths = [place[0] if place else None for place in there]
        mover = _mover(paths)
        target = paths[mover] if mover else None
        elsewhere = [n for n, path in enumerate(paths) if path is not None and path != target]
        if target is None or not all(_container(versions[number], target) for number in elsewhere):
            continue
        after = _followers(versions[mover], target, step)
        for number in elsewhere:
            place = there[number]
            assert place  # noqa: S101 - for mypy: it has a path
            without = _changed(versions[number], place[0], partial(_without, step=step))
            put = partial(_with, part=place[1], followers=after, newline=newline)
            versions[number] = _changed(without, target, put)
    return versions[0], versions[1], versions[2]


def _mover(paths: list[Path | None]) -> int:
    """Return the side that says in which section a part is, 1 for ours and 2 for theirs; 0 for none.

    It is the one that moved the part; of two that added it, the one whose section's name sorts last, whichever it is.
    """
    base, ours, theirs = paths
    if ours == theirs:
        return 1 if base != ours else 0
    if base is None:
        return 1 if repr(ours) > repr(theirs) else 2
    return 2 if ours == base else 1 if theirs == base else 0


def _found(tree: Node, mobile: Callable[[Node], bool]) -> Known:
    """Return the mobile parts of a tree that are the only ones of their name, each with the nodes around it."""
    found: Known = {}
    twice: set[Step] = set()
    left: list[tuple[Path, Node]] = [((), tree)]
    while left:
        path, node = left.pop()
        for part in node.parts:
            step = part.kind, part.name
            if mobile(part):
                twice |= {step} & found.keys()
                found[step] = path, part
            left.append(((*path, step), part))
    return {step: place for step, place in found.items() if step not in twice}


def _container(tree: Node, path: Path) -> Node | None:
    """Return the node at a path, None where there is none."""
    node: Node | None = tree
    for step in path:
        node = next((part for part in node.parts if (part.kind, part.name) == step), None) if node else None
    return node


def _followers(tree: Node, path: Path, step: Step) -> list[Step]:
    """Return what is after a part in its container, in order."""
    box = _container(tree, path)
    steps = [(part.kind, part.name) for part in box.parts] if box else []
    return steps[steps.index(step) + 1 :] if step in steps else []


def _changed(tree: Node, path: Path, change: Callable[[Node], Node]) -> Node:
    """Return a tree with the node at a path changed; as it is where there is none."""
    if not path:
        return change(tree)
    at = next((n for n, part in enumerate(tree.parts) if (part.kind, part.name) == path[0]), -1)
    if at < 0:
        return tree
    part = _changed(tree.parts[at], path[1:], change)
    return rebuilt(tree, [*tree.parts[:at], part, *tree.parts[at + 1 :]], tree.gaps)


def _without(box: Node, step: Step) -> Node:
    """Return a node without a part and the gap after it, or before the last one."""
    at = next((n for n, part in enumerate(box.parts) if (part.kind, part.name) == step), -1)
    if at < 0:
        return box
    gap = at if at + 1 == len(box.parts) else at + 1
    return rebuilt(box, [*box.parts[:at], *box.parts[at + 1 :]], [*box.gaps[:gap], *box.gaps[gap + 1 :]])


def _with(box: Node, part: Node, followers: list[Step], newline: bytes) -> Node:
    """Return a node with one more part, before the first of those that follow it elsewhere, else as the last."""
    steps = [(other.kind, other.name) for other in box.parts]
    at = next((steps.index(step) for step in followers if step in steps), len(steps))
    gap = newline * 2
    if at == len(steps):
        return rebuilt(box, [*box.parts, part], [*box.gaps[:-1], gap, box.gaps[-1]])
    return rebuilt(box, [*box.parts[:at], part, *box.parts[at:]], [*box.gaps[: at + 1], gap, *box.gaps[at + 1 :]])
