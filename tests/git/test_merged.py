"""Whether a branch was merged: by git, as one squashed commit, or commit by commit after a rebase."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.git import refs
from tests.client.fixtures import git

if TYPE_CHECKING:
    from pathlib import Path

# What is done on main after two commits on a branch, and whether it has the branch then.
WAYS = {
    "nothing": ([], False),
    "a merge": (["merge --quiet --no-ff -m Merge feat"], True),
    "a squash": (["merge --quiet --squash feat", "commit --quiet -m Squashed"], True),
    "a rebase": (["cherry-pick feat~1 feat"], True),
    "half of it": (["cherry-pick feat~1"], False),
    "a squash that was changed later": (["merge --quiet --squash feat", "commit --quiet -m Squashed", "later"], True),
    "a rebase that was changed later": (["cherry-pick feat~1 feat", "later"], True),
    "other work": (["later"], False),
    "a squash without the branch": (["merge --quiet --squash feat", "commit --quiet -m Squashed", "gone"], True),
}


@pytest.mark.parametrize(("steps", "merged"), WAYS.values(), ids=WAYS)
def test_a_branch_is_merged_in_whatever_way(tmp_path: Path, steps: list[str], *, merged: bool) -> None:
    """Main went on meanwhile in another file; the names have blanks, brackets and letters beyond ASCII."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path, "a [1].txt", "one\n")
    git(tmp_path, "checkout", "--quiet", "-b", "feat")
    commit(tmp_path, "a [1].txt", "one\ntwo\n")
    commit(tmp_path, "ä.bin", "\0\udcff three\n")
    tip = git(tmp_path, "rev-parse", "feat").strip()
    git(tmp_path, "checkout", "--quiet", "main")
    commit(tmp_path, "other.txt", "meanwhile\n")
    for step in steps:
        if step == "later":
            commit(tmp_path, "a [1].txt", (tmp_path / "a [1].txt").read_text() + "later\n")
        elif step == "gone":
            git(tmp_path, "branch", "--quiet", "-D", "feat")
        else:
            git(tmp_path, *step.split())
    assert refs.is_merged(str(tmp_path), "feat", tip) is merged


def test_a_commit_that_is_gone_is_not_merged(tmp_path: Path) -> None:
    """As after the garbage collection of a branch that was deleted."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path, "a.txt", "one\n")
    assert not refs.is_merged(str(tmp_path), "gone", "0123456789" * 4)


def commit(root: Path, name: str, text: str) -> None:
    """Write a file and commit it."""
    (root / name).write_bytes(text.encode(errors="surrogateescape"))
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", f"Write {name}")
