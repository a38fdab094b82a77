"""Patterns of the paths of state files, how hooks read them, and which paths name the same file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.project import paths
from tests.support import hooks
from tests.support.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here = hooks.here
AGENTS = ".agents/sessions/*.md"
NAMES = st.text(st.sampled_from("aB*.é-\n"), max_size=5)

# A path, a pattern, and whether the one is among what the other stands for.
MATCHES = [
    pytest.param(".agents/sessions/20251204-143000-parser.md", AGENTS, True, id="any name"),
    pytest.param(".agents/sessions/a b: c\n.md", AGENTS, True, id="odd name"),
    pytest.param(".agents/SESSIONS/A.MD", AGENTS, True, id="case of the path"),
    pytest.param("session_state.md", "SESSION_STATE.md", True, id="case of the pattern"),
    pytest.param(".agents/sessions/a/b.md", AGENTS, False, id="deeper"),
    pytest.param("sub/.agents/sessions/a.md", AGENTS, False, id="below another folder"),
    pytest.param("/x/.agents/sessions/a.md", AGENTS, False, id="outside"),
    pytest.param("/a.md", "*/a.md", False, id="no name is no folder"),
    pytest.param("a/b.md", "*.md", False, id="no star spans a slash"),
    pytest.param(".agents/sessions/a.txt", AGENTS, False, id="other end"),
    pytest.param(".agents/sessions/.md", AGENTS, False, id="hidden, and nothing else"),
    pytest.param(".agents/sessions/.a.md", AGENTS, False, id="hidden file"),
    pytest.param(".cache/a.md", "*/a.md", False, id="hidden folder"),
    pytest.param(
        ".planning/phases/01-lex/.continue-here.md", ".planning/phases/*/.continue-here.md", True, id="middle"
    ),
    pytest.param(".planning/phases/.continue-here.md", ".planning/phases/*/.continue-here.md", False, id="no folder"),
    pytest.param(".notes-1.md", ".notes*.md", True, id="the pattern's own dot"),
    pytest.param("thoughts/ledgers/CONTINUITY_x.md", "thoughts/ledgers/CONTINUITY_*.md", True, id="beginning"),
    pytest.param("thoughts/ledgers/CONTINUITY_.md", "thoughts/ledgers/CONTINUITY_*.md", True, id="any text, or none"),
    pytest.param("aba.md", "ab*ba.md", False, id="no letter counts twice"),
    pytest.param("abba.md", "ab*ba.md", True, id="each letter once"),
    pytest.param("con_a/SESSION_STATE.md", "con_*/SESSION_STATE.md", True, id="folders with a beginning"),
    pytest.param("docs/README.md", "docs/*.md", False, id="explains the folder"),
    pytest.param("docs/Index.md", "docs/I*.md", False, id="explains it in another case"),
    pytest.param("docs/template.MD", "docs/*", False, id="an example"),
    pytest.param("docs/readme.md", "docs/README.md", True, id="asked for by name"),
    pytest.param("docs/README-2.md", "docs/*.md", True, id="only begins like one"),
    pytest.param("", "", False, id="nothing"),
    pytest.param("", "*", False, id="nothing is not any name"),
    pytest.param("a[1].md", "a[1].md", True, id="no other letter is special"),
    pytest.param("a1.md", "a[1].md", False, id="no sets"),
    pytest.param("a1.md", "a?.md", False, id="no single letters"),
]


@pytest.mark.parametrize(("path", "pattern", "expected"), MATCHES)
def test_a_pattern_matches_paths(path: str, pattern: str, *, expected: bool) -> None:
    """One `*` in a name matches any text without a slash; case does not matter."""
    assert paths.matches(path, pattern) is expected
    assert paths.is_state_path(path, ("never.md", pattern)) is expected


@given(NAMES.filter(lambda name: "*" not in name), NAMES.filter(lambda name: name.count("*") <= 1))
def test_a_name_matches_by_prefix_and_suffix(name: str, wanted: str) -> None:
    """A name matches when it consists of the text before the star, any text, and the text after the star."""
    folded, before, after = name.casefold(), *wanted.casefold().partition("*")[::2]
    ways = [cut for cut in range(len(folded) + 1) if folded[:cut] == before and folded[cut:].endswith(after)]
    hidden = name.startswith(".") and not wanted.startswith(".")
    expected = bool(ways) and not hidden if "*" in wanted else folded == before
    assert paths.matches_name(name, wanted) == (bool(name) and expected)


def _kept(store: Path, data: bytes) -> tuple[str, ...]:
    store.mkdir(exist_ok=True)
    (store / "patterns").write_bytes(data)
    return paths.patterns(str(store))


def test_stored_patterns_are_read_or_the_default(tmp_path: Path) -> None:
    """A missing or empty file gives the default pattern; lines are used literally."""
    assert paths.patterns("") == paths.patterns(str(tmp_path / "none")) == (AGENTS,)
    assert _kept(tmp_path, b"") == _kept(tmp_path, b"\n\n") == (AGENTS,)
    assert _kept(tmp_path, b"HANDOFF.md\n\na b/*.md\n\xff.md") == ("HANDOFF.md", "a b/*.md", "\udcff.md")
    (tmp_path / "patterns").unlink()
    (tmp_path / "patterns").mkdir()
    assert paths.patterns(str(tmp_path)) == (AGENTS,)


def test_identities_distinguish_files(here: Project) -> None:
    """A file has the same identity through a link and in another worktree, and another one under another path."""
    here.git("worktree", "add", "-q", str(here.folder / "tree"))
    (here.folder / "link").symlink_to(here.root)
    here.git("init", "-q", str(here.root / "inner"))

    def same(one: Path, other: Path) -> bool:
        return not paths.identities(str(one)).isdisjoint(paths.identities(str(other)))

    own = here.root / "a/STATE.md"
    for other in (own, here.folder / "link/a/STATE.md", here.folder / "tree/a/STATE.md"):
        assert same(own, other)
        assert same(other, own)
    for other in (here.root / "b/STATE.md", here.root / "STATE.md", here.root / "a/state.md", here.folder / "STATE.md"):
        assert not same(own, other)
    assert not same(here.root / "STATE.md", here.root / "inner/STATE.md")


def test_identities_include_the_inode(here: Project) -> None:
    """Two names of one file have the same identity."""
    one, other = here.root / "STATE.md", here.root / "state.md"
    one.touch()
    os.link(one, other)
    assert paths.identities(str(one)) & paths.identities(str(other))


@pytest.mark.parametrize(
    ("made", "tree", "private"),
    [
        ("", False, False),
        ("project/.agents/sessions/", True, False),
        ("project/.agents/holdfast.toml", True, False),
        ("project/.git/holdfast/private/.agents/holdfast.toml", False, True),
    ],
)
def test_where_files_are_brought_up_to_date_unasked(here: Project, made: str, *, tree: bool, private: bool) -> None:
    """In a project that uses holdfast; in one that keeps its files out of the tree, only there."""
    known = paths.locate(str(here.root))
    path = here.folder / made.replace("project/.git/holdfast/private", known.private)
    path.parent.mkdir(parents=True, exist_ok=True)
    if made.endswith("/"):
        path.mkdir()
    elif made:
        path.touch()
    assert known.is_written is tree
    assert known.private_project.is_written is private


def test_a_known_project_is_not_looked_at_again(tmp_path: Path) -> None:
    """From a folder within it, its git folder is not opened; another repository within it is its own."""
    outer = Repository.create(tmp_path / "outer")
    known = paths.locate(str(outer.folder))
    (outer.folder / "src").mkdir()
    inner = Repository.create(outer.folder / "inner")
    assert paths.locate(str(inner.folder), known).root == str(inner.folder)
    (outer.folder / ".git").rename(tmp_path / "gone")
    assert paths.locate(str(outer.folder / "src"), known) is known
