"""A project in which a story is played, and what holdfast keeps of it."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.client.fixtures import git
from tests.client.identity import IDENTITY
from tests.support.hooks import running

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 60.0


@dataclass
class Carriers:
    """The texts that bring a story's facts to whoever comes next; one that a story does not have is empty."""

    state: list[str] = field(default_factory=list)
    brief: str = ""
    hand_over: str = ""
    compacted: list[str] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)

    def texts(self) -> dict[str, list[str]]:
        """Return the texts of each carrier by its name."""
        named = {
            "state file": self.state,
            "brief": [self.brief],
            "hand-over": [self.hand_over],
            "after compaction": self.compacted,
            "summary alone": self.summary,
        }
        return {name: [text for text in texts if text] for name, texts in named.items()}


class Project:
    """A git repository that was prepared by `holdfast init`, shared or private."""

    def __init__(self, folder: Path, plugin: Path, data: Path, way: str) -> None:
        """Make it in `folder`; `way` is shared or private."""
        self.folder, self.plugin, self.data = folder / "project", plugin, data
        self.home = folder / "home"
        for place in (self.folder, self.home):
            place.mkdir(parents=True)
        (self.folder / "README.md").write_text("# A project\n")
        git(self.folder, "init", "--quiet", "--initial-branch=main")
        git(self.folder, "add", ".")
        git(self.folder, "commit", "--quiet", "--message", "Begin")
        self.holdfast("init", f"--{way}")
        if way == "shared":
            git(self.folder, "add", ".")
            git(self.folder, "commit", "--quiet", "--allow-empty", "--message", "Prepare")

    @property
    def env(self) -> dict[str, str]:
        """The environment of commands and hooks, with nothing else of the caller's."""
        given = {"HOLDFAST_DATA": str(self.data), "HOME": str(self.home), "LANG": "C.UTF-8"}
        return {"PATH": os.environ["PATH"], **given, **IDENTITY}

    def holdfast(self, *arguments: str) -> str:
        """Run a command of the command line and return what it printed."""
        done = self.run([str(self.plugin / "bin/holdfast"), *arguments])
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run(
        self, command: list[str], given: str = "", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the project."""
        return subprocess.run(
            command,
            input=given,
            cwd=self.folder,
            env=self.env | (env or {}),
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )

    def branch(self, name: str) -> None:
        """Go to a branch, which is made where it does not exist, with what is not committed."""
        exists = self.run(["git", "rev-parse", "--verify", "--quiet", f"refs/heads/{name}"]).returncode == 0
        git(self.folder, "checkout", "--quiet", *([] if exists else ["-b"]), name)

    def settle(self) -> None:
        """Wait until nothing is done in the background."""
        end = time.monotonic() + LIMIT
        while any(str(self.folder) in line and "settle" in line for line in running().values()):
            assert time.monotonic() < end, "a settle takes too long"
            time.sleep(0.05)

    def state_files(self) -> list[str]:
        """Return the texts of the state files, oldest first."""
        places = (self.folder, self.folder / ".git/holdfast/private")
        found = [path for place in places for path in place.glob(".agents/sessions/*.md")]
        return [path.read_text() for path in sorted(found, key=lambda path: path.name)]

    def hand_over(self, session: str) -> str:
        """Pause a session and return the document that it leaves, or "" where the command leaves none."""
        done = self.run([str(self.plugin / "bin/holdfast"), "pause", session, "--json"])
        if done.returncode:
            return ""
        places = (self.folder, self.folder / ".git/holdfast/private")
        found = [path for place in places for path in place.glob(".continue-here*.md")]
        return found[0].read_text() if found else "\n".join(self.state_files())
