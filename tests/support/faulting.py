"""A process that dies, or fails, at a step of the test's choice, over and over on the same files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from holdfast.project import paths

from . import fault_layer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .hooks import Project


class Done(NamedTuple):
    """What became of a process: its exit code (negative: the signal), what it printed, and the steps it came to.

    `written` are the files that were given whole new contents: the name that git has for these, and their own.
    """

    code: int
    out: str
    err: str
    steps: list[str]
    written: list[list[str]]

    @property
    def kinds(self) -> set[str]:
        """The kinds of steps."""
        return {step.partition(" ")[0] for step in self.steps}


class Faulty:
    """Runs holdfast in processes that may be made to fail."""

    def __init__(self) -> None:
        environment = {"PATH": os.environ["PATH"], "PYTHONPATH": paths.PLUGIN_ROOT + "/plugin"}
        self._server = subprocess.Popen(
            [sys.executable, fault_layer.__file__],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, project: Project, *arguments: str, at: int = 0, how: str = "kill", **more: Any) -> Done:
        """Run a command, or with `hook` an event's hook, in which step `at` goes wrong."""
        job = {
            "arguments": arguments,
            "at": at,
            "how": how,
            "errno": 0,
            "kinds": [],
            "hook": "",
            "stdin": "",
            "now": 0.0,
            "files": None,
            "folder": str(project.root),
            "within": str(project.folder),
            "environment": project.environment(),
            **more,
        }
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.write(json.dumps(job) + "\n")
        self._server.stdin.flush()
        return Done(**json.loads(self._server.stdout.readline()))

    def fire(self, project: Project, event: str, session: str = "one", **more: Any) -> Done:
        """Fire an event's hook in which a step goes wrong; `fields` are those of the event."""
        fields = more.pop("fields", {})
        given = {"stdin": json.dumps(project.payload(event, session, **fields))}
        return self.run(project, hook=event, environment=project.environment(session), **{**given, **more})

    def end(self) -> None:
        """End the process that starts all others."""
        self._server.communicate()


class Copy:
    """A folder as it is now, to be put back as often as it is spoilt."""

    def __init__(self, folder: Path, kept: Path) -> None:
        self._folder, self._kept = folder, kept
        shutil.rmtree(folder / ".git/hooks", ignore_errors=True)  # git's samples
        shutil.copytree(folder, kept, symlinks=True)

    def restore(self) -> None:
        """Put back what differs in the folder, with the times that it had."""
        for path in sorted(self._folder.rglob("*"), reverse=True):
            if not os.path.lexists(self._kept / path.relative_to(self._folder)):
                path.rmdir() if path.is_dir() else path.unlink()
        for path in sorted(self._kept.rglob("*")):
            there = self._folder / path.relative_to(self._kept)
            if path.is_dir():
                there.mkdir(exist_ok=True)
            elif not there.exists() or _times(there) != _times(path):
                there.unlink(missing_ok=True)
                shutil.copy2(path, there)


def _times(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


@pytest.fixture(scope="session")
def faulty() -> Iterator[Faulty]:
    """Give the processes that may be made to fail."""
    made = Faulty()
    yield made
    made.end()
