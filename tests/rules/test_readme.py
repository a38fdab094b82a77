"""The documents: every link leads somewhere, and every claim of the README leads to the test that shows it."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.support.machine import ROOT

DOCUMENTS = [
    name for name in ("README.md", "ARCHITECTURE.md", "SECURITY.md", "BENCHMARKS.md") if (ROOT / name).exists()
]
LINK = re.compile(r'\[([^\]\n]*)\]\((?!https?:)([^\s)#]+)(?: "([^"]+)")?\)')
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
SHOWN = re.compile(r"\[✓\]\(|BENCHMARKS\.md")
SET_UP = "Set up"  # says what to type; what it prints is in the claims


def prose(name: str) -> str:
    """Return a document without what is shown of runs and files."""
    return FENCE.sub("", (ROOT / name).read_text())


@cache
def defined_in(path: str) -> set[str]:
    """Return the names of the tests in a module."""
    tree = ast.parse((ROOT / path).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_leads_somewhere(name: str) -> None:
    """A link to a file finds it; one to a test finds the test by its name."""
    links = LINK.findall(prose(name))
    missing = [path for _, path, _ in links if not (ROOT / path).exists()]
    assert not missing
    shown = [(path, test) for mark, path, test in links if mark == "✓"]
    assert [(path, test) for path, test in shown if test not in defined_in(path)] == []


def claims() -> list[str]:
    """Return what the README claims: each paragraph that begins in bold, each command, each event, each section."""
    sections = re.split(r"^## ", prose("README.md"), flags=re.MULTILINE)[1:]
    told = [section for section in sections if not section.startswith(SET_UP)]
    blocks = [block for section in told for block in section.split("\n\n")]
    bold = [block for block in blocks if block.lstrip().startswith("**")]
    events = next(section for section in told if section.startswith("When what happens"))
    rows = [line for line in events.splitlines() if line.startswith("| ")][1:]
    commands = [line for section in told for line in section.splitlines() if line.startswith("| `holdfast ")]
    return told + bold + rows + commands


def test_every_claim_of_the_readme_is_shown() -> None:
    """It leads to a test, or to a benchmark."""
    assert [claim for claim in claims() if not SHOWN.search(claim)] == []
