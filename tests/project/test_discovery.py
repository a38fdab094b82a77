"""Discovery on a real file system: which files are found, under which path, and which never are."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import files
from holdfast.project import discovery, paths

if TYPE_CHECKING:
    from collections.abc import Callable

AGENTS = ".agents/sessions/*.md"
PATTERNS = (
    *("SESSION_STATE.md", ".genie/SESSION-STATE.md", "con_*/SESSION_STATE.md", AGENTS, ".claude/sessions/*.md"),
    *(".planning/STATE.md", ".planning/phases/*/.continue-here.md", ".project/sessions/*/STATE.md", "docs/README.md"),
)
SEGMENTS = ("a", "A", "b.md", "B.md", ".c", "README.md", "con_1", "x y:\n.md")
PATTERN_SEGMENTS = ("a", "b.md", ".c", "*", "*.md", "con_*", ".*", "readme.md", "..", "")


def _make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def _found(root: Path, *patterns: str) -> list[str]:
    """Return the paths that are found, relative to the root; none may be left out."""
    found = discovery.state_files(str(root), patterns or PATTERNS)
    assert found.left_out == 0
    assert all(os.path.isabs(path) for path in found.paths)
    return [os.path.relpath(path, root) for path in found.paths]


def test_only_files_that_match_a_pattern_are_found(tmp_path: Path) -> None:
    """Every pattern is searched, and the paths are sorted; other files are not found."""
    there = [
        *(".agents/sessions/20251204-143000-parser.md", ".claude/sessions/2025-12-04-1430-parser.md"),
        *(".genie/SESSION-STATE.md", ".planning/STATE.md", ".planning/phases/01-lex/.continue-here.md"),
        *(".project/sessions/one/STATE.md", ".project/sessions/two/STATE.md", "SESSION_STATE.md"),
        *("con_a1/SESSION_STATE.md", "docs/README.md"),
    ]
    elsewhere = [
        *("README.md", ".agents/sessions/README.md", ".agents/sessions/TEMPLATE.md", ".claude/sessions/index.md"),
        *(".agents/sessions/old/a.md", ".agents/a.md", "sub/SESSION_STATE.md", "sub/.agents/sessions/a.md"),
        *(
            ".agents/sessions/.hidden.md",
            ".agents/sessions/a.txt",
            ".project/sessions/.old/STATE.md",
            "con_/x/STATE.md",
        ),
    ]
    _make(tmp_path, *there, *elsewhere)
    assert _found(tmp_path) == sorted(there)


def test_paths_keep_the_case_of_the_file_system(tmp_path: Path) -> None:
    """The case of a pattern does not matter, and a path keeps its own; two folders that differ in case are two."""
    _make(tmp_path, ".agents/SESSIONS/a.md", ".agents/sessions/a.md", "session_state.MD", ".GENIE/Session-State.md")
    assert _found(tmp_path) == sorted(
        [".agents/SESSIONS/a.md", ".agents/sessions/a.md", "session_state.MD", ".GENIE/Session-State.md"]
    )


def test_a_file_of_two_names_is_found_once(tmp_path: Path) -> None:
    """A file with two names is found once, under the first of them."""
    _make(tmp_path, ".agents/sessions/b.md")
    for name in ("a.md", "c.md"):
        os.link(tmp_path / ".agents/sessions/b.md", tmp_path / ".agents/sessions" / name)
    assert _found(tmp_path) == [".agents/sessions/a.md"]


@pytest.mark.parametrize(
    "name",
    [b"a\nb.md", b"\xff\xfe.md", b"a b.md", b"2025-12-04 14:30.md", "é☃.md".encode(), b"-rf.md", b"*.md", b"$(x).md"],
)
def test_names_may_have_any_bytes(tmp_path: Path, name: bytes) -> None:
    """A name may have any byte but a slash, and the file can be opened by the returned path."""
    _make(tmp_path, ".agents/sessions/plain.md")
    path = os.fsencode(tmp_path) + b"/.agents/sessions/" + name
    with open(path, "wb") as file:
        file.write(b"here")
    (found,) = [path for path in discovery.state_files(str(tmp_path), PATTERNS).paths if not path.endswith("plain.md")]
    assert os.fsencode(found) == path
    assert files.read(found) == b"here"


def _link_to_a_file(root: Path, outside: Path) -> None:
    (root / ".agents/sessions/link.md").symlink_to(outside / "a.md")


def _link_to_a_file_within(root: Path, _: Path) -> None:
    (root / ".agents/sessions/link.md").symlink_to("kept.md")


def _link_to_nothing(root: Path, _: Path) -> None:
    (root / ".agents/sessions/link.md").symlink_to("nothing.md")


def _link_to_itself(root: Path, _: Path) -> None:
    (root / "SESSION_STATE.md").symlink_to("SESSION_STATE.md")


def _linked_folder(root: Path, outside: Path) -> None:
    (root / ".claude").mkdir()
    (root / ".claude/sessions").symlink_to(outside)


def _linked_parent(root: Path, outside: Path) -> None:
    (outside / "sessions").mkdir()
    (outside / "sessions/a.md").touch()
    (root / ".claude").symlink_to(outside)


def _linked_by_a_star(root: Path, outside: Path) -> None:
    (outside / "SESSION_STATE.md").touch()
    (root / "con_1").symlink_to(outside)


def _linked_parent_folder(root: Path, _: Path) -> None:
    (root / "con_1").symlink_to(".")
    (root / "con_2").symlink_to("..")


def _fifo(root: Path, _: Path) -> None:
    os.mkfifo(root / ".agents/sessions/fifo.md")


def _folder(root: Path, _: Path) -> None:
    (root / ".agents/sessions/folder.md").mkdir()
    (root / "SESSION_STATE.md").mkdir()


def _file_for_a_folder(root: Path, _: Path) -> None:
    (root / ".planning").touch()
    (root / "con_1").touch()


def _aside(root: Path, _: Path) -> None:
    (root / f".agents/sessions/{files.TEMPORARY_PREFIX}7.md").touch()
    (root / f"{files.TEMPORARY_PREFIX}7.tmp").touch()


NOT_FOUND = [
    *(_link_to_a_file, _link_to_a_file_within, _link_to_nothing, _link_to_itself, _linked_folder, _linked_parent),
    *(_linked_by_a_star, _linked_parent_folder, _fifo, _folder, _file_for_a_folder, _aside),
]


@pytest.mark.parametrize("make", NOT_FOUND)
def test_only_plain_files_in_real_folders_are_found(tmp_path: Path, make: Callable[[Path, Path], None]) -> None:
    """Links, pipes, folders and temporary files of holdfast are not found; files beside them are."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    _make(root, ".agents/sessions/kept.md")
    _make(outside, "a.md")
    make(root, outside)
    assert _found(root, *PATTERNS, ".agents/sessions/.*", ".hold*") == [".agents/sessions/kept.md"]


def test_a_root_that_is_a_link_is_the_project(tmp_path: Path) -> None:
    """The root itself may be reached through a link."""
    _make(tmp_path / "root", ".agents/sessions/a.md")
    (tmp_path / "link").symlink_to("root")
    assert _found(tmp_path / "link") == [".agents/sessions/a.md"]


@pytest.mark.parametrize("root", ["", "none", "file"])
def test_without_a_root_nothing_is_found(tmp_path: Path, root: str) -> None:
    """Without a root, and with one that is missing or a file, nothing is found."""
    (tmp_path / "file").touch()
    found = discovery.state_files(root and str(tmp_path / root), PATTERNS)
    assert (found.paths, found.left_out) == ([], 0)
    assert discovery.state_files(str(tmp_path), ()).paths == []


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits, so that a test can exceed them."""
    monkeypatch.setattr(discovery, "MAX_NAMES", 20)
    monkeypatch.setattr(discovery, "MAX_FILES", 50)


@pytest.mark.usefixtures("small")
def test_a_folder_with_too_many_files_gives_the_last_and_counts_the_rest(tmp_path: Path) -> None:
    """One pattern finds a limited number of files in a folder, the last by name; other patterns are not affected."""
    names = [f"202512{number:05}.md" for number in range(discovery.MAX_NAMES + 3)]
    _make(tmp_path, "SESSION_STATE.md", *(f".agents/sessions/{name}" for name in names))
    found = discovery.state_files(str(tmp_path), PATTERNS)
    assert found.left_out == 3
    assert [os.path.basename(path) for path in found.paths] == [*names[3:], "SESSION_STATE.md"]


@pytest.mark.usefixtures("small")
def test_many_files_in_the_root_hide_nothing(tmp_path: Path) -> None:
    """Any number of files in the parent folder does not hide the files in a folder."""
    _make(tmp_path, *(f"con_{number}" for number in range(discovery.MAX_NAMES + 1)))
    _make(tmp_path, "a/con_1/STATE.md", "session_state.md", "con_z/SESSION_STATE.md")
    assert _found(tmp_path) == ["con_z/SESSION_STATE.md", "session_state.md"]


@pytest.mark.usefixtures("small")
def test_the_number_of_files_and_folders_is_limited(tmp_path: Path) -> None:
    """The number of files is limited for all patterns together; the others are counted."""
    folders = 3
    for folder in range(folders):
        _make(tmp_path, *(f"{folder}/{number}.md" for number in range(discovery.MAX_NAMES)))
    found = discovery.state_files(str(tmp_path), ("*/*.md",))
    assert len(found.paths) == discovery.MAX_FILES
    assert found.left_out == folders * discovery.MAX_NAMES - discovery.MAX_FILES
    for folder in range(folders):
        for number in range(discovery.MAX_NAMES):
            (tmp_path / f"{folder}/{number}").mkdir()
    found = discovery.state_files(str(tmp_path), ("*/*/a.md",))
    assert (found.paths, found.left_out) == ([], folders + folders * discovery.MAX_NAMES - discovery.MAX_FILES)


TREES = st.lists(st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=3).map("/".join), max_size=8)
PATTERN_LISTS = st.lists(st.lists(st.sampled_from(PATTERN_SEGMENTS), min_size=1, max_size=3).map("/".join), max_size=5)
LINKS = st.lists(st.tuples(st.sampled_from(SEGMENTS), st.sampled_from(("..", ".", "a", "../outside"))), max_size=3)


def _grow(root: Path, tree: list[str], links: list[tuple[str, str]]) -> None:
    """Create the files and links of a tree; skip those whose path is already in use."""
    for name in tree:
        try:
            _make(root, name)
        except (FileExistsError, NotADirectoryError):
            continue
    for name, target in links:
        if not os.path.lexists(root / name):
            (root / name).symlink_to(target)


@given(TREES, LINKS, PATTERN_LISTS)
def test_the_files_found_match_a_pattern_and_are_inside_the_project(
    tree: list[str], links: list[tuple[str, str]], patterns: list[str]
) -> None:
    """Exactly the files that match a pattern are found, and none through a link."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        root.mkdir()
        _make(Path(folder) / "outside", "a/b.md", "b.md")
        _grow(root, tree, links)
        whole = [os.path.join(where, name) for where, _, names in os.walk(root) for name in names]
        plain = [path for path in whole if not os.path.islink(path)]
        fits = {path for path in plain for pattern in patterns if paths.matches(os.path.relpath(path, root), pattern)}
        expected = list(fits)
        found = discovery.state_files(str(root), patterns).paths
        assert found == sorted(expected)
        assert [path for path in found if not os.path.realpath(path).startswith(os.path.realpath(root) + "/")] == []


def test_a_file_with_several_names_is_found_once(tmp_path: Path) -> None:
    """By the first of them, also where that is found last."""
    _make(tmp_path, "SESSION_STATE.md")
    (tmp_path / ".agents/sessions").mkdir(parents=True)
    for name in (".agents/sessions/b.md", ".agents/sessions/a.md"):
        os.link(tmp_path / "SESSION_STATE.md", tmp_path / name)
    assert _found(tmp_path) == [".agents/sessions/a.md"]
