"""The real Gemini CLI, run in a throw-away home against a scripted API."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .identity import IDENTITY

if TYPE_CHECKING:
    from pathlib import Path

RUN_LIMIT = 60.0


@dataclass
class Gemini:
    """A client with a home of its own, bound to one project and one API."""

    node: Path
    program: Path
    home: Path
    project: Path
    api_url: str
    plugin_dir: Path | None = None
    extra: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Prepare the home, so that nothing is asked, and put a command `gemini` on PATH."""
        (self.home / ".gemini").mkdir(parents=True, exist_ok=True)
        settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False}}
        (self.home / ".gemini/settings.json").write_text(json.dumps(settings))
        self.command_folder.mkdir(exist_ok=True)
        wrapper = self.command_folder / "gemini"
        wrapper.write_text(f'#!/bin/sh\nexec "{self.node}" "{self.program}" "$@"\n')
        wrapper.chmod(0o755)

    @property
    def command_folder(self) -> Path:
        """The folder on PATH with the command."""
        return self.home / "bin"

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of the client; nothing of the caller's gets through."""
        return {
            "PATH": f"{self.command_folder}:{self.node.parent}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "GEMINI_API_KEY": "no-real-key",
            "GOOGLE_GEMINI_BASE_URL": self.api_url.removesuffix("/v1"),
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": "127.0.0.1,localhost",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            **IDENTITY,
            **self.extra,
        }

    def run(self, prompt: str, *, resume: str = "") -> subprocess.CompletedProcess[str]:
        """Run one prompt to its end, in a new session or in the one with the id `resume`."""
        return self.command("--yolo", "-p", prompt, *(["--resume", resume] if resume else []))

    def command(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run `gemini …`."""
        return subprocess.run(
            [str(self.command_folder / "gemini"), *args],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_LIMIT,
            check=False,
        )
