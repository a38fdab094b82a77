"""The real Codex CLI, run in a throw-away home against a scripted API."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .identity import IDENTITY

if TYPE_CHECKING:
    from pathlib import Path

RUN_LIMIT = 120.0
MODEL = "gpt-5.5"  # one of those that Codex knows: only they have the tool apply_patch
# Nothing is asked, nothing is sandboxed, and hooks run although nobody has reviewed them.
FREE = ("--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox")
_CONFIG = """\
model = "{model}"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."{project}"]
trust_level = "trusted"
"""


@dataclass
class Codex:
    """A client with a home of its own, bound to one project and one API."""

    binary: Path
    home: Path
    project: Path
    api_url: str
    plugin_dir: Path | None = None
    extra: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Prepare the home, so that nothing is asked."""
        self.config.mkdir(parents=True, exist_ok=True)
        text = _CONFIG.format(model=MODEL, url=self.api_url, project=self.project.resolve())
        (self.config / "config.toml").write_text(text)

    @property
    def config(self) -> Path:
        """The folder in which the client keeps settings, plugins and transcripts."""
        return self.home / ".codex"

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of the client; nothing of the caller's gets through."""
        nowhere = "http://127.0.0.1:9"
        return {
            "PATH": f"{self.binary.parent}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "CODEX_HOME": str(self.config),
            "SCRIPTED_KEY": "no-real-key",
            "HTTP_PROXY": nowhere,
            "HTTPS_PROXY": nowhere,
            "NO_PROXY": "127.0.0.1,localhost",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            **IDENTITY,
            **self.extra,
        }

    def run(self, prompt: str, *, resume: str = "", compact_at: int = 0) -> subprocess.CompletedProcess[str]:
        """Run one prompt to its end, in a new session or in the one with the id `resume`.

        `compact_at` is the number of tokens at which the client compacts by itself, 0 for its own choice.
        """
        words = ["resume", resume, prompt] if resume else [prompt]
        limit = ["-c", f"model_auto_compact_token_limit={compact_at}"] if compact_at else []
        return self.command("exec", *FREE, *limit, *words)

    def command(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run `codex …`."""
        return subprocess.run(
            [str(self.binary), *args],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_LIMIT,
            check=False,
        )
