"""The faults that can be put into a module, such as a condition negated, a call dropped, or a guard removed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SWAPPED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Fault(NamedTuple):
    """One fault: the module's file, the line, what was done, the bytes that are replaced, and what replaces them."""

    path: Path
    line: int
    kind: str
    start: int
    end: int
    text: bytes

    def put(self, data: bytes) -> bytes:
        """Return the module with the fault in it."""
        return data[: self.start] + self.text + data[self.end :]


def of(path: Path) -> list[Fault]:
    """Return all faults that can be put into a module; blocks for type checkers are left out."""
    data = path.read_bytes()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node in _nodes(ast.parse(data)):
        for kind, spot, text in _changes(node, data, starts):
            start, end = _place(spot, starts)
            found.append(Fault(path, spot.lineno, kind, start, end, text))
    return found


def function_around(fault: Fault) -> range:
    """Return the lines of the innermost function with a fault, only its own line outside of functions."""
    span = range(fault.line, fault.line + 1)
    for node in ast.walk(ast.parse(fault.path.read_bytes())):  # outer functions come before inner ones
        if isinstance(node, ast.FunctionDef) and node.lineno <= fault.line <= (node.end_lineno or 0):
            span = range(node.lineno + 1, (node.end_lineno or 0) + 1)
    return span


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Return the nodes of a tree without what no test can notice: blocks that never run, and three options.

    That `zip` is `strict` shows only where another fault made two lists unequal; that a dataclass has `slots` or is
    `frozen`, only where code does what the types forbid.
    """
    if isinstance(tree, ast.If) and isinstance(tree.test, ast.Name) and tree.test.id == "TYPE_CHECKING":
        return
    if isinstance(tree, ast.Assign) and ast.unparse(tree) == "TYPE_CHECKING = False":
        return
    if isinstance(tree, ast.keyword) and tree.arg in {"strict", "slots", "frozen"}:
        return
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _nodes(child)


def _changes(node: ast.AST, data: bytes, starts: list[int]) -> Iterator[tuple[str, ast.expr | ast.stmt, bytes]]:
    """Return the faults at one node: what is done, the part of the source that goes, and what comes instead."""
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "condition negated", node.test, b"(not (" + _source(node.test, data, starts) + b"))"
    if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], _LEAVES):
        yield "guard removed", node.test, b"False"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "call dropped", node, b"pass"
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = _source(node.left, data, starts), _source(node.comparators[0], data, starts)
        swapped = _SWAPPED[type(node.ops[0])].encode()
        yield "comparison swapped", node, b"(" + left + b" " + swapped + b" " + right + b")"
    if isinstance(node, ast.BoolOp):
        word = b" or " if isinstance(node.op, ast.And) else b" and "
        values = word.join(b"(" + _source(value, data, starts) + b")" for value in node.values)
        yield "and and or swapped", node, b"(" + values + b")"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "truth turned", node, str(not node.value).encode()


def _source(node: ast.expr, data: bytes, starts: list[int]) -> bytes:
    start, end = _place(node, starts)
    return data[start:end]


def _place(node: ast.expr | ast.stmt, starts: list[int]) -> tuple[int, int]:
    """Return the offsets at which a node begins and ends; ast counts columns in bytes."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
