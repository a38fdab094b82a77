"""The documents: their links lead somewhere, the claims name existing tests, and the README stays short."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.support.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
NAMES = [path.relative_to(ROOT).as_posix() for path in DOCUMENTS]
LINK = re.compile(r'\[([^\]\n]*)\]\((?!https?:)([^\s)#]+)(?:#([\w-]+))?(?: "([^"]+)")?\)')
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
README_WORDS = 450
WITH_TESTS = {"docs/evidence.md", "SECURITY.md"}  # the only documents that name tests


def prose(path: Path) -> str:
    """Return a document without its examples."""
    return FENCE.sub("", path.read_text())


@cache
def defined_in(path: Path) -> set[str]:
    """Return the names of the tests in a module."""
    tree = ast.parse(path.read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def anchors(path: Path) -> set[str]:
    """Return the anchors of the headings, as GitHub and MkDocs make them."""
    headings = re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_every_link_leads_somewhere(path: Path) -> None:
    """A link finds its file and heading. A ✓ finds its test, and only the documents of claims have one."""
    links = LINK.findall(prose(path))
    assert [target for _, target, _, _ in links if not (path.parent / target).exists()] == []
    headings = [(target, part) for _, target, part, _ in links if part]
    assert [(target, part) for target, part in headings if part not in anchors(path.parent / target)] == []
    tests = [(path.parent / target, test) for mark, target, _, test in links if mark == "✓"]
    assert [(target, test) for target, test in tests if test not in defined_in(target)] == []
    assert not tests or path.relative_to(ROOT).as_posix() in WITH_TESTS


def test_every_claim_names_its_test() -> None:
    """Each line of the evidence that states something leads to a test."""
    claims = [line for line in (ROOT / "docs/evidence.md").read_text().splitlines() if line.startswith("- ")]
    assert len(claims) > 50
    assert [claim for claim in claims if "[✓](" not in claim] == []


def test_the_index_has_every_page() -> None:
    """A page that no other page names would not be found."""
    index = ROOT / "docs/index.md"
    linked = {(index.parent / target).resolve() for _, target, _, _ in LINK.findall(prose(index))}
    assert {path for path in (ROOT / "docs").rglob("*.md") if path != index} - linked == set()


def test_the_readme_is_short() -> None:
    """A stranger reads it in a minute or two; bars of tables and marks of Markdown are no words."""
    words = [word for word in (ROOT / "README.md").read_text().split() if any(map(str.isalnum, word))]
    assert len(words) <= README_WORDS
