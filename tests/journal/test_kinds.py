"""The kinds of facts that code appends, those that are declared, and the functions that the declarations name."""

from __future__ import annotations

import ast
from pathlib import Path

import holdfast
from holdfast.journal import folding, kinds
from holdfast.journal.session import Recorded
from holdfast.overview.session_events import SessionEvents

PACKAGE = Path(holdfast.__file__).parent
# Dictionaries with a "kind" that are no facts of a journal: rows of what a command prints, and facts of a ledger.
LEDGER = ("detours", "measured", "phases", "plans", "recent_updates", "step", "tasks", "view")
OTHERS = {"cli/elsewhere.py", "sessions/ledger.py", *(f"memory/{name}.py" for name in LEDGER)}
# Functions whose first argument is the kind of the fact that they make, and one that takes it from a table of tools.
MAKERS = {"_file_fact"}
FROM_TOOLS = {"choice", "todos"}


def written() -> set[str]:
    """Return the kinds that the code of the plugin writes as a constant."""
    made = set(FROM_TOOLS)
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).as_posix() not in OTHERS:
            nodes = [*ast.walk(ast.parse(path.read_text()))]
            notes = [arg for node in nodes if _notes_in_ledger(node) for arg in ast.iter_child_nodes(node)]
            made |= {kind for node in nodes if node not in notes for kind in _made_by(node)}
    return made


def _notes_in_ledger(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "ledger.note"


def _made_by(node: ast.AST) -> set[str]:
    values: list[ast.expr | None] = []
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        values = [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "kind"]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS:
        values = [node.args[0]]
    return {value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)}


def test_each_kind_that_code_writes_is_declared_and_the_reverse() -> None:
    """No kind is written that the table lacks, and none is declared that nothing writes."""
    assert written() | {"pruned"} == set(kinds.KINDS)  # `pruned` is a constant of its module


def test_a_declaration_names_functions_that_exist() -> None:
    """A name of a function that is misspelt would leave facts unread."""
    for name, kind in kinds.KINDS.items():
        assert not kind.folded or callable(getattr(folding, kind.folded)), name
        assert not kind.event or callable(getattr(SessionEvents, kind.event)), name
        assert isinstance(kind.kept, tuple) or kind.kept in {"all", "bare", "none"}, name


def test_a_journal_with_unknown_kinds_makes_the_same_session() -> None:
    """A kind of another version is no sign of life, and nothing to settle."""
    start: dict[str, object] = {"at": 5.0, "kind": "start", "branch": "main"}
    plain = folding.fold(Recorded("s"), [start])  # type: ignore[list-item]
    other = folding.fold(plain, [{"at": 9.0, "kind": "from tomorrow"}])
    assert (other.last_active, other.settling.last, other.settling.unsettled) == (
        plain.last_active,
        plain.settling.last,
        plain.settling.unsettled,
    )
    assert other.branch == "main"
