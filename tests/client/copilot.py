"""The real Copilot CLI, run in a throw-away home against a scripted API, offline and without an account."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .identity import IDENTITY

if TYPE_CHECKING:
    from pathlib import Path

RUN_LIMIT = 120.0


@dataclass
class Copilot:
    """A client with a home of its own, bound to one project and one API."""

    binary: Path
    home: Path
    project: Path
    api_url: str
    plugin_dir: Path | None = None
    extra: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the home."""
        self.home.mkdir(parents=True, exist_ok=True)

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of the client; nothing of the caller's gets through."""
        return {
            "PATH": f"{self.binary.parent}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_BASE_URL": self.api_url,
            "COPILOT_PROVIDER_API_KEY": "no-real-key",
            "COPILOT_MODEL": "gpt-5",
            "HTTPS_PROXY": "http://127.0.0.1:9",
            "NO_PROXY": "127.0.0.1,localhost",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            **IDENTITY,
            **self.extra,
        }

    def run(self, prompt: str, *, resume: str = "") -> subprocess.CompletedProcess[str]:
        """Run one prompt to its end, in a new session or in the one with the id `resume`."""
        words = [f"--resume={resume}"] if resume else []
        return subprocess.run(
            [str(self.binary), "-p", prompt, "--allow-all-tools", *words],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_LIMIT,
            check=False,
        )

    def install(self, *options: str) -> str:
        """Run install.sh for this client, which must succeed, and return what it prints."""
        words = [f"{self.plugin_dir}/install.sh", "--client", "copilot", *options]
        done = subprocess.run(words, env=self.env, cwd=self.project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout
