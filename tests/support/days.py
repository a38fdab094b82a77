"""Days of work in a project: a clock that the test sets, terminals that can crash, and what people see of it all."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.support.hooks import Project, Reply

HOUR = 3600.0


class Terminal:
    """A process that stands for a client in a terminal."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(["sleep", "3600"])

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def crash(self) -> None:
        """End it without a word."""
        self._process.kill()
        self._process.wait()


class Days:
    """A project whose clock goes on by hand. Everything that was printed is in `printed`, with what printed it."""

    def __init__(self, project: Project, patch: pytest.MonkeyPatch, at: float, *, private: bool) -> None:
        self.project, self.now, self.private = project, at, private
        self.printed: list[tuple[str, str]] = []
        self._terminals: dict[str, Terminal] = {}
        patch.setattr(time, "time", lambda: self.now)
        self._real = time.clock_gettime(time.CLOCK_REALTIME)

    def later(self, hours: float) -> None:
        """Let time go by."""
        self.now += hours * HOUR

    def close(self) -> None:
        """End all terminals."""
        for terminal in self._terminals.values():
            terminal.crash()

    def fire(self, event: str, session: str, **fields: Any) -> Reply:
        """Fire an event of a session from its own terminal."""
        self._tick()
        if session not in self._terminals:
            self._terminals[session] = Terminal()
        self.project.parent = self._terminals[session].pid
        reply = self.project.fire(event, session, **fields)
        self.project.parent = 0
        self._written()
        self.printed.append((f"{session} {event}", reply.message))
        return reply

    def start(self, session: str, source: str = "startup") -> Reply:
        """Start a session in a terminal of its own."""
        return self.fire("SessionStart", session, source=source)

    def turn(self, session: str, prompt: str, answer: str, *edits: str) -> None:
        """Let the user ask and Claude answer, with edits of these files between."""
        self.fire("UserPromptSubmit", session, prompt=prompt)
        for name in edits:
            path = self.project.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{path.read_text() if path.exists() else ''}# {prompt}\n")
            self.now += 20
            called = {"tool_name": "Edit", "tool_input": {"file_path": str(path), "old_string": "1", "new_string": "2"}}
            self.fire("PostToolUse", session, **called)
        self.now += 60
        self.fire("Stop", session, last_assistant_message=answer)

    def end(self, session: str) -> None:
        """Let the user leave a session."""
        self.fire("SessionEnd", session)
        self._terminals.pop(session).crash()

    def crash(self, session: str) -> None:
        """Let the process of a session disappear."""
        self._terminals.pop(session).crash()

    def git(self, *arguments: str) -> str:
        """Run git at the time of the clock."""
        self._tick()
        stamp = f"@{int(self.now)} +0000"
        self.project.variables |= {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}
        printed = self.project.git(*arguments)
        self._written()
        return printed

    def commit(self, *names: str, subject: str) -> None:
        """Commit files and all state files."""
        self.git("add", *names, *([] if self.private else [".agents"]))
        self.git("commit", "-q", "-m", subject)

    def cli(self, *arguments: str, session: str = "") -> str:
        """Run a command and return what it printed; in a session's shell if one is named."""
        self._tick()
        done = self.project.cli(*arguments, CLAUDE_CODE_SESSION_ID=session or None)
        self._written()
        self.printed.append((f"holdfast {' '.join(arguments)}", done.out + done.err))
        assert done.code == 0, (arguments, done)
        return done.out

    def rows(self) -> dict[str, dict[str, Any]]:
        """Return the sessions as `list --all --json` has them, by id; several of one id are no answer."""
        rows = json.loads(self.cli("list", "--all", "--json"))
        assert len({row["id"] for row in rows}) == len(rows), rows
        return {row["id"]: row for row in rows}

    def files(self) -> list[Path]:
        """Return the state files that are here now."""
        root = self.project.store / "private" if self.private else self.project.root
        return sorted((root / ".agents/sessions").glob("*.md"))

    def _tick(self) -> None:
        self.now += 1
        self._real = time.clock_gettime(time.CLOCK_REALTIME)

    def _written(self) -> None:
        """Give what was just written the time of the clock."""
        for folder, _, names in os.walk(self.project.root):
            for path in [folder, *(f"{folder}/{name}" for name in names)]:
                self._stamp(path)

    def _stamp(self, path: str | Path) -> None:
        if os.lstat(path).st_mtime >= self._real - 0.01 and not os.path.islink(path):
            os.utime(path, (self.now, self.now))
