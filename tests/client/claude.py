"""The real Claude Code client, run in a throw-away home against a scripted API."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .conversation import Conversation
from .terminal import COLUMNS, LINES, Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

KEY = "no-real-key-but-one-for-the-scripted-api"
TOOLS = "Bash,Read,Edit,Write,NotebookEdit,Agent,TaskCreate,TaskUpdate,EnterWorktree"
READY = "accept edits on"
RUN_LIMIT = 90.0
SPOKEN = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
}


@dataclass(frozen=True)
class HookRun:
    """One run of a hook, as the client wrote it into its transcript."""

    hook: str
    command: str
    milliseconds: int
    exit_code: int
    stdout: str
    stderr: str


@dataclass
class Claude:
    """A client with a home of its own, bound to one project and one API."""

    binary: Path
    home: Path
    project: Path
    api_url: str
    plugin_dir: Path | None = None
    path: str = field(default_factory=lambda: os.environ.get("PATH", os.defpath))
    extra: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Prepare the home, so that no first-run question is ever asked."""
        self.config.mkdir(parents=True, exist_ok=True)
        (self.home / "tmp").mkdir(exist_ok=True)
        state = self.config / ".claude.json"
        if not state.exists():
            state.write_text(json.dumps(self._known_state()))

    @property
    def config(self) -> Path:
        """The folder in which the client keeps settings, plugins and transcripts."""
        return self.home / ".claude"

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of the client; nothing of the caller's gets through."""
        return {
            "PATH": self.path,
            "HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "TMPDIR": str(self.home / "tmp"),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": self.api_url,
            "ANTHROPIC_API_KEY": KEY,
            **QUIET,
            **self.extra,
        }

    def run(
        self,
        prompt: str,
        *,
        session_id: str | None = None,
        resume: str | None = None,
        args: Sequence[str] = (),
        timeout: float = RUN_LIMIT,
    ) -> subprocess.CompletedProcess[str]:
        """Run one prompt to its end and give what was printed."""
        return self._finish(self._prompt(prompt, session_id, resume, args), timeout)

    def start(
        self,
        prompt: str,
        *,
        session_id: str | None = None,
        resume: str | None = None,
        args: Sequence[str] = (),
    ) -> subprocess.Popen[str]:
        """Start one prompt in a process group of its own; the caller ends it with `kill`."""
        return self._spawn(self._prompt(prompt, session_id, resume, args))

    def plugin(self, *args: str, timeout: float = RUN_LIMIT) -> subprocess.CompletedProcess[str]:
        """Run `claude plugin …`."""
        return self._finish([str(self.binary), "plugin", *args], timeout)

    def terminal(self, *args: str, size: tuple[int, int] = (COLUMNS, LINES), ready: str = READY) -> Terminal:
        """Open the client in a terminal of so many columns and lines, ready for a prompt once it shows `ready`."""
        terminal = Terminal([str(self.binary), *self._options(args)], self.project, self.env, size)
        try:
            terminal.wait_for(ready)
        except BaseException:
            terminal.close()
            raise
        return terminal

    def conversation(
        self, session_id: str | None = None, *, resume: str | None = None, args: Sequence[str] = ()
    ) -> Conversation:
        """Start one process that is given prompt after prompt."""
        command = [str(self.binary), "-p", *SPOKEN, *_which(session_id, resume), *self._options(args)]
        return Conversation(command, self.project, self.env)

    def transcript(self, session_id: str) -> Path:
        """Give the file in which the client records a session."""
        found = [*self.config.glob(f"projects/*/{session_id}.jsonl")]
        if not found:
            message = f"no transcript of session {session_id} below {self.config}/projects"
            raise FileNotFoundError(message)
        return found[0]

    def hook_runs(self, session_id: str) -> list[HookRun]:
        """Give the recorded hook runs of a session; a hook that prints nothing leaves no record."""
        return [*_hook_runs(self.transcript(session_id))]

    def _known_state(self) -> dict[str, Any]:
        return {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(self.project.resolve()): {"hasTrustDialogAccepted": True}},
        }

    def _options(self, args: Sequence[str]) -> list[str]:
        plugin = ["--plugin-dir", str(self.plugin_dir)] if self.plugin_dir else []
        return [*plugin, "--permission-mode", "acceptEdits", "--allowedTools", TOOLS, *args]

    def _prompt(self, prompt: str, session_id: str | None, resume: str | None, args: Sequence[str]) -> list[str]:
        return [str(self.binary), "-p", prompt, *_which(session_id, resume), *self._options(args)]

    def _spawn(self, command: list[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _finish(self, command: list[str], timeout: float) -> subprocess.CompletedProcess[str]:
        process = self._spawn(command)
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            if process.poll() is None:
                kill(process)
        return subprocess.CompletedProcess(command, process.returncode, out, err)


def _which(session_id: str | None, resume: str | None) -> list[str]:
    return [*(["--session-id", session_id] if session_id else []), *(["--resume", resume] if resume else [])]


def kill(process: subprocess.Popen[str]) -> None:
    """End a started client and its children as a crash would, with SIGKILL."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=10)


def _hook_runs(transcript: Path) -> Iterator[HookRun]:
    for line in transcript.read_text().splitlines():
        found = json.loads(line).get("attachment") or {}
        if "hookName" in found and "durationMs" in found:
            yield HookRun(
                found["hookName"],
                found.get("command", ""),
                found["durationMs"],
                found.get("exitCode", 0),
                found.get("stdout", ""),
                found.get("stderr", ""),
            )
