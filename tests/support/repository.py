"""A real git repository for tests."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support import templates

if TYPE_CHECKING:
    from pathlib import Path

_SETTINGS = ("user.name=T", "user.email=t@example.org", "protocol.file.allow=always", "commit.gpgsign=false")


@dataclass
class Repository:
    """A working tree."""

    folder: Path

    @classmethod
    def create(cls, folder: Path, *, commit: bool = True) -> Repository:
        """Create a repository, with one commit unless `commit` is False."""
        folder.mkdir(parents=True)
        made = cls(folder)
        templates.put(folder, _first_commit if commit else _empty)
        if commit:
            made.git("update-index", "--refresh")  # the index knows files by their times, too
        return made

    def git(self, *arguments: str | bytes, check: bool = True) -> bytes:
        """Run git in the working tree and return its output."""
        settings = [word for setting in _SETTINGS for word in ("-c", setting)]
        done = subprocess.run(
            ["git", *settings, *arguments], cwd=self.folder, check=False, capture_output=True, stdin=subprocess.DEVNULL
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def write(self, name: str, data: bytes = b"new\n") -> str:
        """Write a file and return its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return name

    def commit(self, message: str, contents: dict[str, bytes]) -> None:
        """Commit files with these contents."""
        for name, data in contents.items():
            self.git("add", "--", self.write(name, data))
        self.git("commit", "--quiet", "-m", message)

    def staged(self) -> dict[str, bytes]:
        """Return the contents in the index that differ from the last commit, by name."""
        names = self.git("diff", "--cached", "--name-only", "--no-renames", "-z").split(b"\0")[:-1]
        if not self.git("rev-parse", "--verify", "--quiet", "HEAD", check=False):
            names = self.git("ls-files", "-z").split(b"\0")[:-1]
        return {os.fsdecode(name): self.git("show", b":" + name) for name in names}


def _empty(folder: Path) -> None:
    """Make a repository without a commit."""
    Repository(folder).git("init", "--quiet", "--initial-branch=main")


def _first_commit(folder: Path) -> None:
    """Make a repository with a commit of two files."""
    _empty(folder)
    Repository(folder).commit("first", {"a.txt": b"one\n", "b.txt": b"one\ntwo\nthree\n"})
