"""Git's merge of three texts, and which commits a merge, rebase or cherry-pick under way is between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.git import merge
from tests.support.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

LINES = b"one\n\n\ntwo\n\n\nthree\n"
OURS, THEIRS = LINES.replace(b"one", b"ONE"), LINES.replace(b"three", b"THREE")
BINARY = b"\0" * 20
NAME, OTHER = "ab" * 20, "cd" * 20


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        (LINES, LINES, THEIRS, THEIRS),
        (LINES, OURS, LINES, OURS),
        (LINES, OURS, OURS, OURS),
        (LINES, OURS, THEIRS, OURS.replace(b"three", b"THREE")),
        (BINARY, BINARY, BINARY + b"1", BINARY + b"1"),
        (BINARY, BINARY + b"1", BINARY, BINARY + b"1"),
        (BINARY, BINARY + b"1", BINARY + b"1", BINARY + b"1"),
    ],
)
def test_changes_in_different_places_are_merged(base: bytes, ours: bytes, theirs: bytes, merged: bytes) -> None:
    """Of a change on one side alone, even one of bytes that git cannot merge, the changed text is the result."""
    assert merge.text(base, ours, theirs) == (merged, True)


@pytest.mark.parametrize("count", [1, 126, 127, 128, 200])
def test_changes_in_the_same_place_are_a_conflict(count: int) -> None:
    """However many conflicts there are, the text has them all, between markers of the asked length."""
    texts = (
        [b"%d %s" % (number, word) + b"\nsame" * 6 + b"\n" for number in range(count)] for word in (b"a", b"b", b"c")
    )
    base, ours, theirs = map(b"".join, texts)
    merged, clean = merge.text(base, ours, theirs, 9)
    assert not clean
    assert merged.count(b"<<<<<<<<< ours\n") == merged.count(b">>>>>>>>> theirs\n") == count


def test_what_git_cannot_merge_is_refused() -> None:
    """Two changes of bytes that are no text have no merge."""
    with pytest.raises(HoldfastError, match=r"^git merge-file failed: "):
        merge.text(BINARY, BINARY + b"1", BINARY + b"2")


@pytest.mark.parametrize(
    ("program", "words"),
    [("exit 200", "exit code 200"), ("echo no memory >&2", "no memory"), ("echo lost >&2; exit 200", "lost")],
)
def test_a_git_that_fails_merges_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, words: str
) -> None:
    """An unknown exit code is a failure, and so are words of complaint."""
    (tmp_path / "git").write_text(f"#!/bin/sh\n{program}\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(HoldfastError, match=f"git merge-file failed: {words}$"):
        merge.text(LINES, OURS, LINES.replace(b"one", b"First"))


@pytest.mark.parametrize(
    ("files", "picked"),
    [
        ({}, ""),
        ({"CHERRY_PICK_HEAD": f"{NAME}\n"}, NAME),
        ({"CHERRY_PICK_HEAD": "main\n"}, ""),
        ({"CHERRY_PICK_HEAD": ""}, ""),
        ({"rebase-merge/done": f"pick {OTHER} One\npick {NAME} Two\n"}, NAME),
        ({"rebase-merge/done": f"pick {NAME} Two\n\n# a comment\n"}, NAME),
        ({"rebase-merge/done": f"fixup -C {NAME[:7]} Two\n"}, NAME[:7]),
        ({"rebase-merge/done": "exec make\n", "CHERRY_PICK_HEAD": f"{NAME}\n"}, NAME),
        ({"sequencer/todo": f"pick {NAME} One\npick {OTHER} Two\n"}, NAME),
        ({"sequencer/todo": f"# a comment\n\npick {NAME} One\n", "CHERRY_PICK_HEAD": f"{OTHER}\n"}, NAME),
        ({"rebase-merge/done": f"p {NAME} One\n", "sequencer/todo": f"pick {OTHER} Two\n"}, NAME),
    ],
)
def test_the_commit_that_is_picked(tmp_path: Path, files: dict[str, str], picked: str) -> None:
    """The last one that a rebase took up, or the next one of a cherry-pick; its base is its parent."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert merge.commits(str(tmp_path), str(tmp_path)) == ((f"{picked}^", picked) if picked else None)


def test_the_commits_of_a_merge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git names the merged commit in a variable; the base is asked for. A merge of several commits has no one base."""
    repository = Repository.create(tmp_path / "work")
    root, git = str(repository.folder), str(repository.folder / ".git")
    base = repository.git("rev-parse", "HEAD").decode().strip()
    tree = repository.git("rev-parse", "HEAD^{tree}").decode().strip()
    related = repository.git("commit-tree", tree, "-p", base, "-m", "related").decode().strip()
    unrelated = repository.git("commit-tree", tree, "-m", "unrelated").decode().strip()
    (repository.folder / ".git/CHERRY_PICK_HEAD").write_text(f"{base}\n")
    for names, found in (
        ((related,), (base, related)),
        ((unrelated,), None),
        ((related, unrelated), None),
        ((), (f"{base}^", base)),
    ):
        with monkeypatch.context() as patch:
            for name in names:
                patch.setenv(f"GITHEAD_{name}", "other")
            assert merge.commits(root, git) == found, names


def test_a_file_in_a_commit(tmp_path: Path) -> None:
    """Nothing for one that the commit does not contain."""
    root = str(Repository.create(tmp_path / "work").folder)
    assert merge.at(root, "HEAD", "a.txt") == b"one\n"
    assert merge.at(root, "HEAD", "c.txt") == b""
    assert merge.at(root, NAME, "a.txt") == b""
