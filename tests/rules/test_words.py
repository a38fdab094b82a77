"""The words that users read: what modules and skills say uses no word of another vocabulary."""

from __future__ import annotations

import ast
import re

from tests.support.machine import ROOT

# Each word with the one that users know instead; names of files, options and keys are no sentences.
INSTEAD = {
    r"dialects?": "format",
    r"standing": "status",
    r"faults?": "error",
    r"mend(?:ed|ing|s)?": "fix",
    r"wish(?:es)?": "request",
    r"strangers?": "untrusted",
    r"leftovers?": "unfinished",
    r"whilom|thither|hither|thereof|aught|nought": "a common word",
    r"orphaned children": "orphaned subagents",
    r"pick(?:ed)? (?:it )?up": "resume",
    r"digests?": "summary",
    r"belief": "git ownership",
}
FORBIDDEN = {re.compile(rf"(?<![\w.`/-])(?:{word})(?![\w`/-])", re.IGNORECASE): use for word, use in INSTEAD.items()}


def _texts(source: str) -> list[tuple[int, str]]:
    """Return the strings of a module that may be printed, each with its line; docstrings are for its readers."""
    tree = ast.parse(source)
    holders = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    docstrings = {id(node.body[0].value) for node in holders if node.body and isinstance(node.body[0], ast.Expr)}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
    return [(node.lineno, node.value) for node in found if isinstance(node.value, str) and " " in node.value.strip()]


def _complaints(name: str, texts: list[tuple[int, str]]) -> list[str]:
    return [
        f"{name}:{line}: {found[0]!r}: say {use!r}"
        for line, text in texts
        for word, use in FORBIDDEN.items()
        for found in word.finditer(text)
    ]


def test_what_is_printed_uses_the_words_that_users_know() -> None:
    """One word per concept: those of the glossary."""
    modules = sorted((ROOT / "plugin/holdfast").rglob("*.py"))
    skills = sorted((ROOT / "plugin/skills").rglob("*.md"))
    found = [one for path in modules for one in _complaints(str(path.relative_to(ROOT)), _texts(path.read_text()))]
    found += [
        one
        for path in skills
        for one in _complaints(str(path.relative_to(ROOT)), [*enumerate(path.read_text().splitlines(), 1)])
    ]
    assert found == []


def test_a_forbidden_word_is_found() -> None:
    """In a plain string, in one with values, not in a docstring, a name or a path."""
    lines = ['"""A dialect."""', 'print("this dialect is new")', 'print(f"{x} faults here")', 'key = "a `dialect` b"']
    source = "\n".join(lines)
    assert [one.partition(": ")[0] for one in _complaints("m.py", _texts(source))] == ["m.py:2", "m.py:3"]
