"""Random histories of git commands by a stranger and by the user, against a model that knows who wrote each text."""

from __future__ import annotations

import random
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from holdfast.core.cache import Cache
from holdfast.editing import store
from holdfast.project import paths
from holdfast.trust import ledger
from holdfast.trust.ledger import TrustCheck
from tests.support.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAME = ".agents/sessions/20251204-143000-parser.md"
MIDDLE = [f"line {number}" for number in range(6)]


class History:
    """A stranger's repository, the user's clone, and what the user composed in an editor or with Claude's tools.

    Every text has a line of its author's own, so that no text has two authors. A text that git merges, or that the
    stranger wrote, is not the user's. `vouched` are the user's texts that an observed edit or a plain commit recorded.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.dice = random.Random(seed)  # noqa: S311 - chooses commands only
        self.number = 0
        self.composed: set[bytes] = set()
        self.vouched: set[bytes] = set()
        self.there = Repository.create(folder / "there")
        self.there.commit("first", {NAME: self.text("S")})
        self.there.git("branch", "x")
        self.there.git("clone", "-q", ".", str(folder / "here"))
        self.here = Repository(folder / "here")
        self.path = self.here.folder / NAME
        self.steps: list[str] = []

    def text(self, author: str, before: bytes = b"") -> bytes:
        """Return a text with a new line of an author: a new text, or the text before with one line more or less."""
        self.number += 1
        lines = before.decode().splitlines() or MIDDLE
        place = self.dice.choice((0, len(lines)))
        return "".join(f"{line}\n" for line in [*lines[:place], f"{author}{self.number}", *lines[place:]]).encode()

    def now(self) -> bytes:
        """Return the text of the state file, b"" when there is none."""
        return self.path.read_bytes() if self.path.is_file() else b""

    def git(self, *arguments: str) -> None:
        """Run a command as the user; one that fails is undone, as people do."""
        self.here.git(*arguments, check=False)

    def trusted(self) -> bool:
        """Whether a new process trusts the state file."""
        cache = Cache(paths.locate(str(self.here.folder)).store)
        found = TrustCheck(cache).untrusted([str(self.path)])
        cache.save()
        return not found

    def settle(self) -> None:
        """Leave no operation of git unfinished."""
        git = self.here.folder / ".git"
        for name, command in (
            ("rebase-merge", "rebase"),
            ("rebase-apply", "am"),
            ("CHERRY_PICK_HEAD", "cherry-pick"),
            ("MERGE_HEAD", "merge"),
        ):
            if (git / name).exists():
                self.git(command, "--abort")
        if self.here.git("ls-files", "--unmerged"):
            self.git("reset", "-q", "--hard")
        for name in ("SQUASH_MSG", "MERGE_MSG"):
            (git / name).unlink(missing_ok=True)


def _stranger(history: History) -> None:
    branch = history.dice.choice(("main", "x"))
    history.there.git("switch", "-q", branch)
    before = (history.there.folder / NAME).read_bytes()
    history.there.commit("theirs", {NAME: history.text("S", before if history.dice.random() < 0.7 else b"")})


def _edit(history: History, *, observed: bool = False) -> None:
    text = history.text("U", history.now())
    history.composed.add(text)
    history.here.write(NAME, text)
    if observed:
        ledger.record_edit(str(history.path))
        history.vouched.add(text)


def _commit(history: History, *options: str) -> None:
    before = history.here.git("rev-parse", "HEAD")
    history.git("add", NAME)
    had = history.here.git("show", f"HEAD:{NAME}", check=False)
    history.git("commit", "-q", "-m", "mine", *options)
    if history.here.git("rev-parse", "HEAD") != before and history.now() in history.composed and had != history.now():
        history.vouched.add(history.now())


def _stamp(history: History) -> None:
    """Let holdfast add a line, which leaves the text whose it was."""
    before = history.now()
    if not before:
        return
    history.number += 1
    after = before + f"holdfast {history.number}\n".encode()
    with store.writing(paths.locate(str(history.here.folder))):
        trusted = history.trusted()
        store.update(str(history.path), lambda _: after)
    if before in history.composed:
        history.composed.add(after)
    if trusted:
        history.vouched.add(after)


def _archive(history: History) -> None:
    data = history.here.git("archive", history.dice.choice(("origin/x", "origin/main")))
    subprocess.run(["tar", "-x"], cwd=history.here.folder, input=data, check=True)


def _apply(history: History) -> None:
    patch = history.here.git("diff", "HEAD", "origin/x", "--", NAME)
    subprocess.run(["git", "apply"], cwd=history.here.folder, input=patch, check=False, capture_output=True)


def _worktree(history: History) -> None:
    folder = history.here.folder.with_name("tree")
    history.git("worktree", "add", "-q", "--detach", str(folder), "origin/x")
    if (folder / NAME).is_file():
        history.path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / NAME, history.path)
    history.git("worktree", "remove", "--force", str(folder))


def _command(*words: str) -> Callable[[History], None]:
    def command(history: History) -> None:
        history.git(*words)

    command.__name__ = " ".join(words)
    return command


def _observed(history: History) -> None:
    _edit(history, observed=True)


def _amend(history: History) -> None:
    _commit(history, "--amend")


def _merge_quit(history: History) -> None:
    history.git("merge", "-q", "--no-commit", "--no-ff", "origin/x")
    history.git("merge", "--quit")


def _soft(history: History) -> None:
    history.git("reset", "-q", "--soft", "HEAD~1")


def _fetch_head(history: History) -> None:
    history.git("fetch", "-q", "origin", "x")
    history.git("checkout", "-q", "FETCH_HEAD", "--", NAME)


def _check(history: History) -> None:
    history.trusted()


def _attributes(history: History) -> None:
    history.here.write(".git/info/attributes", history.dice.choice((b"", b"*.md text eol=crlf\n", b"*.md ident\n")))


STRANGER = (_stranger, _stranger, _command("fetch", "-q"), _command("fetch", "-q"))
USER = (_edit, _observed, _commit, _commit, _amend, _check, _stamp)
TAKE = (
    *(_merge_quit, _fetch_head, _archive, _apply, _worktree, _soft, _attributes),
    _command("pull", "-q", "--no-rebase", "--no-edit"),
    _command("pull", "-q", "--rebase"),
    _command("merge", "-q", "--no-edit", "origin/x"),
    _command("merge", "-q", "--squash", "origin/x"),
    _command("rebase", "-q", "origin/x"),
    _command("cherry-pick", "origin/x"),
    _command("cherry-pick", "-n", "origin/x"),
    _command("checkout", "-q", "origin/x", "--", ".agents"),
    _command("checkout", "-q", "origin/x~1", "--", ".agents"),
    _command("restore", "--source", "origin/x", "--staged", "--worktree", ".agents"),
    _command("read-tree", "-u", "-m", "HEAD", "origin/x"),
    _command("stash", "-q"),
    _command("stash", "pop", "-q"),
    _command("switch", "-q", "-C", "side", "origin/x"),
    _command("switch", "-q", "main"),
    _command("reset", "-q", "--hard", "HEAD@{1}"),
    _command("revert", "--no-edit", "HEAD"),
    _command("push", "-q", "-f", "origin", "HEAD:refs/heads/user"),
    _command("sparse-checkout", "set", "--no-cone", "/*", "!notes"),
)


def _plays(folder: Path, seed: int, length: int) -> None:
    """Play one history, and compare after each step what is trusted with what the model knows."""
    history = History(folder, seed)
    for _ in range(length):
        step = history.dice.choice(history.dice.choice((STRANGER, USER, TAKE, TAKE)))
        step(history)
        history.steps.append(step.__name__)
        history.settle()
        text = history.now()
        trusted = history.trusted()
        if text and trusted:
            assert text.replace(b"\r\n", b"\n") in history.composed, (seed, history.steps)
        if text in history.vouched:
            assert trusted, (seed, history.steps)


@pytest.mark.parametrize("seed", range(3))
def test_only_the_users_texts_are_trusted(tmp_path: Path, seed: int) -> None:
    """Whatever git did, a trusted text is one that the user composed, and what the user recorded is trusted."""
    _plays(tmp_path, seed, 10)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 300))
def test_only_the_users_texts_are_trusted_in_long_histories(tmp_path: Path, seed: int) -> None:
    """The same for many long histories."""
    _plays(tmp_path, seed, 40)
