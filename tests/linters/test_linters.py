"""Each file that holdfast writes, before a commit with the linters that people use, and after their corrections."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.good_files import FORMATS, good
from tests.support.hooks import Project, here

from . import tools, work

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["here"]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

CREATED = ("agents", "gsd-lite", "n5", "genie")
# Rules that the document of a format breaks by itself; quotes have lines of any length.
LONG = "MD013"
RULES = {
    "agents": {"MD025", "MD024"},  # a title in the frontmatter and in the heading; events of one minute in the log
    "n5": {"MD018", "MD036"},  # hashtags; a sentence in italics
    "gsd-lite": {"MD036"},  # a sentence in bold
    "genie": {"MD024", "MD025"},
    "LOOPS.md": {"MD033"},  # tags
    ".continue-here.md": {"MD033"},
}
OWN = {"SESSION_STATE.md"}  # has hashtags and italics in a form that the tools change
OTHERS = sorted({name for name, one in FORMATS.items() if one.writes} - {*CREATED})


@pytest.mark.parametrize("name", CREATED)
def test_what_is_written_passes(here: Project, name: str) -> None:
    """A session, each command, a pause: nothing to correct but what the document of the format has so."""
    names = _worked(here, name)
    found = _found(here.root, name, names)
    assert not found, "\n".join(found)
    before = {one: (here.root / one).read_bytes() for one in names}
    tools.fix(here.root, [one for one in names if one.endswith(".md") and one.rpartition("/")[2] not in OWN])
    assert {one: (here.root / one).read_bytes() for one in names} == before


@pytest.mark.parametrize("name", CREATED)
def test_words_that_a_formatter_changes_stay_usable(here: Project, name: str) -> None:
    """After markdownlint, prettier and the fixers holdfast still reads all, goes on, and repeats nothing."""
    names = _worked(here, name, hard=True)
    tools.fix(here.root, [one for one in names if one.endswith(".md")])
    read = [json.loads(here.cli(*words, "--json").out) for words in (("list", "--all"), ("loop", "list"))]
    work.turns(here, 6, 8)
    again = [json.loads(here.cli(*words, "--json").out) for words in (("list", "--all"), ("loop", "list"))]
    assert read[1] == again[1]
    assert here.log == []
    text = "".join((here.root / one).read_text() for one in _names(here))
    assert ("then 1. see 7" if name == "gsd-lite" else "src/a_b_7.py") in text
    assert text.count("- `src/a_b_1.py`") <= 1


@pytest.mark.parametrize("name", OTHERS)
def test_an_edit_adds_no_finding(here: Project, name: str) -> None:
    """A file of any other format has no more findings after each command that writes into it than before."""
    made = good(name)
    path = here.root / made.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(made.text)
    tools.fix(here.root, [made.name])
    here.git("add", ".")
    assert here.cli("init", "--shared", "--yes").code == 0
    before = _kinds(tools.markdownlint(here.root, [made.name]))
    work.memory(here)
    here.cli("sync", made.name, "--json", json.dumps({"Next Steps": ["sum the totals"], "Decisions": ["Use Decimal"]}))
    assert _kinds(tools.markdownlint(here.root, [made.name])) - before <= {LONG}
    assert tools.prettier(here.root, [made.name]) == []
    assert tools.whitespace(here.root, [made.name]) == []


def _worked(here: Project, name: str, *, hard: bool = False) -> list[str]:
    """Let a session work in a project, and return the files that holdfast wrote."""
    if name == "genie":
        (here.root / ".genie").mkdir()
    assert here.cli("init", "--shared", "--yes").code == 0
    work.begin(here)
    if name == "genie":
        work.genie(here)
    else:
        work.command(here, "start", "--format", name, work.TITLE)
    work.turns(here, 1, 4, hard=hard)
    work.memory(here, hard=hard)
    for following in (["sum the totals", "ask Mara"], ["write_the_report for north"]):
        work.command(here, "sync", "--json", json.dumps({"Next Steps": following, "Decisions": ["Use Decimal"]}))
    work.turns(here, 4, 6, hard=hard)
    work.command(here, "pause", "--note", work.HARDER if hard else work.ANSWER, "--next", "Sum the totals")
    here.settled()
    assert here.log == []
    return _names(here)


def _names(here: Project) -> list[str]:
    listed = here.git("ls-files", "-co", "--exclude-standard").splitlines()
    return [name for name in listed if name.endswith((".md", ".toml")) or name == ".gitattributes"]


def _found(root: Path, name: str, names: list[str]) -> list[str]:
    """Return what the linters find, without what the document of the format has so."""
    documents = [one for one in names if one.endswith(".md")]
    italic = "*Files created during this conversation*"  # the document of n5 has it with asterisks
    found = [line for line in tools.prettier(root, documents) if italic not in line.replace("_", "*")]
    found += tools.yamllint(root, documents) + tools.whitespace(root, names)
    for line in tools.markdownlint(root, documents):
        path, rule, _ = line.split(" ", 2)
        allowed = RULES.get(path.rpartition("/")[2], RULES[name])
        found += [] if rule in allowed | {LONG} else [line]
    return found


def _kinds(found: list[str]) -> set[str]:
    return {line.split(" ", 2)[1] for line in found}


SET_UP = {
    "prettier": (".prettierrc", "{}\n", tools.prettier),
    "markdownlint": (".markdownlint.yaml", "default: true\n", None),
    "markdownlint-cli2": (".markdownlint-cli2.jsonc", "{}\n", tools.markdownlint),
    "pre-commit": (
        ".pre-commit-config.yaml",
        "repos: [{repo: x, hooks: [{id: markdownlint-cli2}]}]\n",
        tools.markdownlint,
    ),
}


@pytest.mark.parametrize("name", SET_UP)
def test_a_linter_that_is_set_up_is_named_and_leaves_the_files_alone(here: Project, name: str) -> None:
    """Init and doctor name it with what to type, which adds its lines once; then it finds nothing in hard words."""
    path, text, tool = SET_UP[name]
    (here.root / path).write_text(text)
    assert "holdfast init --linters" in here.cli("init", "--shared", "--yes").out
    assert "holdfast init --linters" in here.cli("doctor").out
    done = here.cli("init", "--linters")
    assert (done.code, "alone" in done.out) == (0, True), done
    before = here.git("status", "--porcelain")
    assert "linters" not in here.cli("init", "--linters").out + here.cli("doctor").out
    assert here.git("status", "--porcelain") == before
    work.begin(here)
    work.turns(here, 1, 3, hard=True)
    names = [one for one in _names(here) if one.endswith(".md")]
    assert names
    if tool is tools.markdownlint:
        assert _kinds(tool(here.root, names)) <= {"MD034", "MD037"}  # addresses and marks that somebody said
    elif tool:
        assert tool(here.root, names) == []
