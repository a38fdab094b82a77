"""The commits since a time, the files that only seem to have changed, and the commits made on this machine."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from holdfast.git import commits, own_commits
from holdfast.git.commits import Commit
from tests.support.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

ONE, TWO, THREE = "1" * 40, "2" * 40, "3" * 40
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:%d\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Give a repository with one commit."""
    return Repository.create(tmp_path / "work")


def _printed(name: str, at: int, subject: str, body: str = "", *files: str) -> str:
    """Return a commit as git prints it."""
    names = "".join(f"{name}\0" for name in files)
    return f"\0\0{name}\0{at}\0:{subject}\0:{body}\0{chr(10) * bool(files)}{names}"


def test_commits_are_read_as_git_prints_them() -> None:
    """Those made at the time itself are left out; a commit may have no files, and an empty subject."""
    output = _printed(ONE, 30, "", f"This reverts commit {TWO}.\n", "a.py", "b c.py")
    output += _printed(TWO, 20, "Two") + _printed(THREE, 10, "Three", "", "d.py")
    found = commits.parsed(output, 10.0)
    assert [(one.name, one.subject, one.files, list(one.reverts)) for one in found] == [
        (ONE, "", ["a.py", "b c.py"], [TWO]),
        (TWO, "Two", [], []),
    ]


@pytest.mark.parametrize(
    ("files", "reverted", "remaining"),
    [
        (["a"], ["a"], []),
        (["a", "b"], ["a"], ["1", "2"]),
        (["a"], ["a", "b"], []),
        (["a"], [], []),
        ([], ["a"], []),
    ],
)
def test_a_revert_that_changes_other_files_stays(files: list[str], reverted: list[str], remaining: list[str]) -> None:
    """A commit and its revert go together unless the revert does more; an unknown list of files says nothing."""
    found = commits.not_reverted([Commit("1", "", files, ["2"]), Commit("2", "", reverted)])
    assert [one.name for one in found] == remaining


def test_a_revert_of_a_commit_that_is_not_among_them_stays() -> None:
    """So does one that reverts several commits of which one is unknown."""
    found = commits.not_reverted(
        [Commit("1", "", ["a"], ["2", "9"]), Commit("2", "", ["a"]), Commit("3", "", [], ["8"])]
    )
    assert [one.name for one in found] == ["1", "2", "3"]


def test_commits_after_a_time(repository: Repository) -> None:
    """The newest first; none after the last move of HEAD, and none outside git."""
    first = float(repository.git("log", "-1", "--format=%ct"))
    repository.git("reset", "--quiet", "--soft", "HEAD")
    root = str(repository.folder)
    assert [(one.subject, one.files) for one in commits.commits(root, first - 1)] == [("first", ["a.txt", "b.txt"])]
    assert commits.commits(root, first) == []
    assert commits.commits(root, first + 1e6) == []
    (repository.folder / ".git/logs/HEAD").unlink()
    assert [one.subject for one in commits.commits(root, first - 1)] == ["first"]
    assert commits.commits("/", first - 1) == []


def test_the_files_of_a_commit(repository: Repository) -> None:
    """Only what was asked for; nothing when git fails."""
    root = str(repository.folder)
    assert commits.present_at(root, "HEAD", ["a.txt", "c.txt"]) == {"a.txt"}
    assert commits.present_at(root, "HEAD", []) == set()
    assert commits.present_at(root, ONE, ["a.txt"]) == set()


@pytest.mark.parametrize(
    ("then", "now", "same"),
    [
        (b"a = 'b'\n", b'a   =   "b"\n\n', True),
        (b"a b\n", b"ab\n", False),
        (b"a\n", b" a\n", False),
        (b"a\nb\n", b"b\na\n", False),
        (b"x" * (1 << 20), b"x" * (1 << 20) + b"\n", False),
        (b"x\n" * (1 << 19), b"x\r\n" * (1 << 19), True),
        (b"x\n" * (1 << 19), b"x \n" * (1 << 19), False),
        (b"x" * ((1 << 20) - 1), b"x" * ((1 << 20) - 2), False),
        (b"x;" + b"y" * ((1 << 20) - 4), b"x; " + b"y" * ((1 << 20) - 4), True),
        (b"x;" + b"y" * ((1 << 20) - 3), b"x; " + b"y" * ((1 << 20) - 3), False),
        (b"a\n", None, False),
        (POINTER % 1, POINTER % 1, True),
        (POINTER % 1, POINTER % 2, False),
    ],
    ids=itertools.count(),
)
def test_only_formatted(repository: Repository, then: bytes, now: bytes | None, *, same: bool) -> None:
    """White space and quotes are formatting, indents are not; of a file of a megabyte only its line ends are."""
    repository.commit("it", {"it.py": then, "folder/other.py": b"x\n"})
    if now is None:
        (repository.folder / "it.py").unlink()
    else:
        repository.write("it.py", now)
    root = str(repository.folder)
    names = ["folder", "gone.py", "it.py", "a\nb.py", "folder/other.py"]
    assert commits.unchanged(root, "HEAD", names) == {"folder/other.py", *(["it.py"] if same else [])}
    assert commits.unchanged(root, "HEAD", []) == set()
    assert commits.unchanged(root, ONE, names) == set()


@pytest.mark.parametrize(
    ("name", "text", "words"), [("a.txt", b"one  \n\n", False), ("a.txt", b"two\n", True), ("new.txt", b"two\n", False)]
)
def test_words_that_are_not_staged(repository: Repository, name: str, text: bytes, *, words: bool) -> None:
    """White space is no word, and an untracked file has nothing to differ from."""
    repository.write(name, text)
    assert commits.has_unstaged_words(str(repository.folder), name) is words


MOVE = f"{ONE} {TWO} T <t@example.org> %d +0000\t%s\n"


def test_commits_made_here_come_from_the_logs_of_all_trees(tmp_path: Path) -> None:
    """Only what `git commit` made counts, the newest first, each with the tree and the branch that it was made in."""
    git = tmp_path / "work/.git"
    tree = git / "worktrees/tree"
    for folder in (git, tree, git / "worktrees/lost"):
        (folder / "logs").mkdir(parents=True)
    (tree / "gitdir").write_text(f"{tmp_path}/tree/.git\n")
    lines = [(1, "commit (initial): One"), (3, "commit: Three: x"), (3, "commit (amend): Three"), (4, "merge a: Fast")]
    lines += [(4, "checkout: moving from main to rooms"), (6, "commit: Six")]
    (git / "logs/HEAD").write_text("".join(MOVE % line for line in lines) + "damaged\tcommit: No\n")
    (tree / "logs/HEAD").write_text(MOVE % (2, "commit: Two") + MOVE.replace("%d", "then") % "commit: No")
    (git / "worktrees/lost/logs/HEAD").write_text(MOVE % (5, "commit: Five"))
    (git / "worktrees/empty").mkdir()
    main, other = str(tmp_path / "work"), str(tmp_path / "tree")
    assert [(one.subject, one.at, one.tree, one.branch) for one in own_commits.commits(str(git))] == [
        ("Six", 6.0, main, ""),
        ("Five", 5.0, "", ""),
        ("Three", 3.0, main, "main"),
        ("Three: x", 3.0, main, "main"),
        ("Two", 2.0, other, ""),
        ("One", 1.0, main, "main"),
    ]
    assert {one.name for one in own_commits.commits(str(git))} == {TWO}
    assert own_commits.commits(str(tmp_path / "none")) == []
