"""Every arrangement of git folder and working tree that git makes is accepted; another tree's git folder is not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from holdfast.project import paths
from tests.support.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _worktree(home: Path) -> Path:
    Repository.create(home / "work").git("worktree", "add", "--quiet", str(home / "second"))
    return home / "second"


def _moved_worktree(home: Path) -> Path:
    _worktree(home).rename(home / "elsewhere")
    return home / "elsewhere"


def _worktree_of_bare(home: Path) -> Path:
    made = Repository.create(home / "work")
    made.git("clone", "--quiet", "--bare", ".", str(home / "bare.git"))
    made.git("-C", str(home / "bare.git"), "worktree", "add", "--quiet", str(home / "second"), "main")
    return home / "second"


def _separate(home: Path) -> Path:
    made = Repository.create(home / "work")
    (home / "kept").mkdir()
    made.git("init", "--quiet", "--separate-git-dir", str(home / "kept/work.git"))
    return made.folder


def _submodule(home: Path) -> Path:
    Repository.create(home / "library")
    made = Repository.create(home / "work")
    made.git("submodule", "--quiet", "add", str(home / "library"), "sub")
    made.git("commit", "--quiet", "-m", "sub")
    return made.folder / "sub"


def _worktree_of_submodule(home: Path) -> Path:
    Repository(_submodule(home)).git("worktree", "add", "--quiet", str(home / "second"))
    return home / "second"


def _submodule_of_worktree(home: Path) -> Path:
    _submodule(home)
    Repository(home / "work").git("worktree", "add", "--quiet", str(home / "second"))
    Repository(home / "second").git("submodule", "--quiet", "update", "--init")
    return home / "second/sub"


def _link(home: Path) -> Path:
    made = Repository.create(home / "work")
    (made.folder / ".git").rename(home / "project.git")
    (made.folder / ".git").symlink_to("../project.git")
    return made.folder


REAL = [_worktree, _moved_worktree, _worktree_of_bare, _separate, _submodule]
REAL += [_worktree_of_submodule, _submodule_of_worktree, _link]


@pytest.mark.parametrize("make", REAL)
def test_git_folders_made_by_git_are_accepted(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    """The project has the git folder that git itself reports."""
    tree = make(tmp_path)
    found = paths.locate(str(tree))
    git = Repository(tree)
    assert os.path.realpath(found.root) == os.path.realpath(tree)
    assert os.path.realpath(found.git) == os.path.realpath(
        os.fsdecode(git.git("rev-parse", "--absolute-git-dir")).strip()
    )
    common = os.path.join(tree, os.fsdecode(git.git("rev-parse", "--git-common-dir")).strip())
    assert os.path.realpath(found.common) == os.path.realpath(common)
    assert found.store


OTHERS = {
    "a working tree's own": "work/.git",
    "a linked tree's": "work/.git/worktrees/second",
    "a submodule's": "work/.git/modules/sub",
}


@pytest.mark.parametrize("target", OTHERS.values(), ids=OTHERS.keys())
@pytest.mark.parametrize("way", ["file", "link"])
def test_another_trees_git_folder_is_refused(tmp_path: Path, target: str, way: str) -> None:
    """A folder that names another tree's git folder is not a repository."""
    _submodule(tmp_path)
    Repository(tmp_path / "work").git("worktree", "add", "--quiet", str(tmp_path / "second"))
    project = tmp_path / "project"
    project.mkdir()
    if way == "link":
        (project / ".git").symlink_to(tmp_path / target)
    else:
        (project / ".git").write_text(f"gitdir: {tmp_path / target}\n")
    found = paths.locate(str(project))
    assert (found.git, found.common, found.store) == ("", "", "")


def test_a_store_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    """A store that is a link is not used, and a link inside the store is found."""
    made = Repository.create(tmp_path / "work")
    store = made.folder / ".git/holdfast"
    store.symlink_to(tmp_path)
    found = paths.locate(str(made.folder))
    assert found.store == ""
    assert paths.store_problem(found).startswith(f"{store} is a link")
    store.unlink()
    store.mkdir()
    found = paths.locate(str(made.folder))
    assert (found.store, paths.store_problem(found)) == (str(store), "")
    (store / "journal").symlink_to(tmp_path)
    assert paths.store_problem(found).startswith(f"{store}/journal is a link")


@pytest.mark.parametrize("folder", [".agents/sessions", "tools", "."])
def test_a_folder_like_a_bare_repository_is_never_one(tmp_path: Path, folder: str) -> None:
    """A commit may contain HEAD, objects and refs; the repository around them counts, and outside of one none does."""
    made = Repository.create(tmp_path / "work")
    for tree, inside in ((made.folder, True), (tmp_path / "plain", False)):
        planted = tree / ("sub" if folder == "." else folder)
        for name in ("objects", "refs", "holdfast/journal"):
            (planted / name).mkdir(parents=True)
        (planted / "HEAD").write_text("ref: refs/heads/main\n")
        for start in (planted, planted / "objects"):
            found = paths.locate(str(start))
            expected = (str(made.folder), f"{made.folder}/.git/holdfast") if inside else (str(start), "")
            assert (found.root, found.store) == expected


def test_a_store_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner could read what is kept there; the message names the folder."""
    made = Repository.create(tmp_path / "work")
    (tmp_path / "plain/.agents").mkdir(parents=True)
    (tmp_path / "plain/.agents/holdfast.toml").touch()
    assert paths.locate(str(tmp_path / "plain")).store
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        found = paths.locate(str(made.folder))
        assert (found.git, found.store) == (f"{made.folder}/.git", "")
        assert paths.store_problem(found).startswith(f"{made.folder}/.git does not belong to you")
        assert paths.locate(str(tmp_path / "plain")).store == ""
    if os.getuid() == 0:
        (made.folder / ".git/holdfast").mkdir()
        os.chown(made.folder / ".git/holdfast", 65534, 65534)
        assert paths.locate(str(made.folder)).store == ""
