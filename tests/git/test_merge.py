"""Git's merge of three texts, and which commits a merge, rebase or cherry-pick under way is between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.core.errors import HoldfastError
from holdfast.git import merge

if TYPE_CHECKING:
    from pathlib import Path

LINES = b"one\n\n\ntwo\n\n\nthree\n"
OURS, THEIRS = LINES.replace(b"one", b"ONE"), LINES.replace(b"three", b"THREE")
BINARY = b"\0" * 20


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
