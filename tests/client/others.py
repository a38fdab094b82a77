"""The real clients beside Claude Code, each run in a throw-away home against a scripted API, without an account."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from holdfast.clients import catalogue

from .identity import IDENTITY
from .models import call, custom

if TYPE_CHECKING:
    from pathlib import Path

    Step = dict[str, Any]

RUN_LIMIT = 120.0
NOWHERE = "http://127.0.0.1:9"


@dataclass
class Other:
    """A client with a home of its own, bound to one project and one API.

    `programs` are the words that start it: its executable, or Node.js and its script. FULL is the number of tokens at
    which it compacts: after the answer with so many in the same run, or with COMPACTS_AT_ONCE unset at the next prompt.
    WRITES are the paths that the steps of `writes` change, in their order.
    """

    NAME: ClassVar[str] = ""
    FULL: ClassVar[int] = 0
    COMPACTS_AT_ONCE: ClassVar[bool] = False
    RESUMES: ClassVar[bool] = True  # whether a program can resume a session here
    PROMPTS: ClassVar[bool] = True  # whether the client tells of the prompt that a program gives it
    WRITES: ClassVar[tuple[str, ...]] = ("src/parser.py",)
    SETTINGS: ClassVar[str] = ""  # the file with the client's settings, below its home

    programs: tuple[Path, ...]
    home: Path
    project: Path
    api_url: str
    plugin_dir: Path
    extra: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Prepare the home, so that nothing is asked, and put the client's command on PATH."""
        self.command_folder.mkdir(parents=True)
        if self.SETTINGS:
            path = self.home / self.SETTINGS
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.settings())
        wrapper = self.command_folder / self.NAME
        words = " ".join(f'"{program}"' for program in self.programs)
        wrapper.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        wrapper.chmod(0o755)

    @property
    def title(self) -> str:
        """The client's name for people."""
        return catalogue.of(self.NAME).TITLE

    @property
    def short(self) -> str:
        """The client's name in lists."""
        return catalogue.of(self.NAME).SHORT

    @property
    def command_folder(self) -> Path:
        """The folder on PATH with the command."""
        return self.home / "bin"

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of the client; nothing of the caller's gets through."""
        return {
            "PATH": f"{self.command_folder}:{self.programs[0].parent}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "HTTP_PROXY": NOWHERE,
            "HTTPS_PROXY": NOWHERE,
            "NO_PROXY": "127.0.0.1,localhost",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            **IDENTITY,
            **self.variables(),
            **self.extra,
        }

    def run(self, prompt: str, *, resume: str = "") -> subprocess.CompletedProcess[str]:
        """Run one prompt to its end, in a new session or in the one with the id `resume`."""
        return self.command(*self.words(prompt, resume))

    def command(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run the client's command."""
        return self._run(str(self.command_folder / self.NAME), *args)

    def install(self, *options: str) -> str:
        """Run install.sh for this client, which must succeed, and return what it prints."""
        done = self._run(f"{self.plugin_dir}/install.sh", "--client", self.NAME, *options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def doctor(self) -> dict[str, Any]:
        """Return what doctor finds out about this client."""
        rows = json.loads(self._run(f"{self.plugin_dir}/bin/holdfast", "doctor", "--json").stdout)["findings"]
        (found,) = [row for row in rows if row["what"] == self.title]
        return dict(found)

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_LIMIT,
            check=False,
        )

    def settings(self) -> str:
        """Return the content of the file with settings."""
        raise NotImplementedError

    def variables(self) -> dict[str, str]:
        """Return the variables of this client's own."""
        raise NotImplementedError

    def words(self, prompt: str, resume: str) -> list[str]:
        """Return the command line that runs a prompt."""
        raise NotImplementedError

    def writes(self) -> list[Step]:
        """Return steps of the model that change files, and one that fails to."""
        raise NotImplementedError

    def edits(self) -> list[Step]:
        """Return steps, the last of which changes the title in README.md."""
        raise NotImplementedError

    def shell(self, line: str) -> Step:
        """Return a step that runs a line in the client's shell."""
        raise NotImplementedError

    def task(self, subject: str) -> Step | None:
        """Return a step that keeps a task, None if the client has no tasks that holdfast records."""
        del subject
        return None


class Codex(Other):
    """OpenAI's Codex CLI. Nothing is asked, nothing is sandboxed, and hooks run although nobody has reviewed them."""

    NAME, FULL, SETTINGS = "codex", 90_000, ".codex/config.toml"
    WRITES = ("src/parser.py", "README.md", "docs/README.md")
    UNASKED = "--dangerously-bypass-approvals-and-sandbox"

    def settings(self) -> str:
        """Return the settings. The model is one of those for which there is the tool apply_patch."""
        return f"""\
model = "gpt-5.5"
model_provider = "scripted"
model_auto_compact_token_limit = 50000
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{self.api_url}"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."{self.project.resolve()}"]
trust_level = "trusted"
"""

    def variables(self) -> dict[str, str]:
        """Return where its settings are, and a key."""
        return {"CODEX_HOME": str(self.home / ".codex"), "SCRIPTED_KEY": "no-real-key"}

    def words(self, prompt: str, resume: str) -> list[str]:
        """Return the command line."""
        return [
            "exec",
            "--dangerously-bypass-hook-trust",
            self.UNASKED,
            *(["resume", resume] if resume else []),
            prompt,
        ]

    def writes(self) -> list[Step]:
        """Return one patch of several files, and one that does not apply."""
        added = "*** Add File: src/parser.py\n+x = 1\n"
        moved = "*** Update File: README.md\n*** Move to: docs/README.md\n@@\n-# A project\n+# The project\n"
        return [_patch(added + moved), _patch("*** Update File: src/parser.py\n@@\n-missing\n+y\n")]

    def edits(self) -> list[Step]:
        """Return a patch."""
        return [_patch("*** Update File: README.md\n@@\n-# A project\n+# The project\n")]

    def shell(self, line: str) -> Step:
        """Return a call of its shell."""
        return call("exec_command", cmd=line, yield_time_ms=20000)


class Gemini(Other):
    """Google's Gemini CLI."""

    NAME, SETTINGS = "gemini", ".gemini/settings.json"
    WRITES = ("src/parser.py", "README.md")

    def settings(self) -> str:
        """Return the settings."""
        chosen = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False}}
        return json.dumps(chosen)

    def variables(self) -> dict[str, str]:
        """Return the address of the API, and that the folder is trusted."""
        url = self.api_url.removesuffix("/v1")
        key = {"GEMINI_API_KEY": "no-real-key", "GEMINI_CLI_TRUST_WORKSPACE": "true"}
        return {"GOOGLE_GEMINI_BASE_URL": url, **key}

    def words(self, prompt: str, resume: str) -> list[str]:
        """Return the command line."""
        return ["--yolo", "-p", prompt, *(["--resume", resume] if resume else [])]

    def writes(self) -> list[Step]:
        """Return a new file, an edit, and an edit that fails."""
        return [
            call("write_file", file_path="src/parser.py", content="x = 1\n"),
            *self.edits(),
            call("replace", file_path="src/parser.py", old_string="missing", new_string="y", instruction="fails"),
        ]

    def edits(self) -> list[Step]:
        """Return an edit."""
        return [call("replace", file_path="README.md", old_string="# A", new_string="# The", instruction="name it")]

    def shell(self, line: str) -> Step:
        """Return a call of its shell."""
        return call("run_shell_command", command=line)


class Qwen(Other):
    """Qwen Code."""

    NAME, FULL, SETTINGS = "qwen", 170_000, ".qwen/settings.json"

    def settings(self) -> str:
        """Return the settings, with the tool for tasks."""
        chosen = {
            "security": {"auth": {"selectedType": "openai"}},
            "general": {"enableAutoUpdate": False},
            "tools": {"todoWrite": {"enabled": True}},
        }
        return json.dumps(chosen)

    def variables(self) -> dict[str, str]:
        """Return the address of the API."""
        return {"OPENAI_API_KEY": "no-real-key", "OPENAI_BASE_URL": self.api_url, "OPENAI_MODEL": "scripted"}

    def words(self, prompt: str, resume: str) -> list[str]:
        """Return the command line."""
        return ["--yolo", "-p", prompt, *(["--resume", resume] if resume else [])]

    def writes(self) -> list[Step]:
        """Return a new file, and an edit that fails."""
        parser, readme = str(self.project / "src/parser.py"), str(self.project / "README.md")
        return [
            call("write_file", file_path=parser, content="x = 1\n"),
            call("edit", file_path=readme, old_string="missing", new_string="y"),
        ]

    def edits(self) -> list[Step]:
        """Return a file that is read and written anew."""
        path = str(self.project / "README.md")
        return [call("read_file", file_path=path), call("write_file", file_path=path, content="# The project\n")]

    def shell(self, line: str) -> Step:
        """Return a call of its shell."""
        return call("run_shell_command", command=line, is_background=False)

    def task(self, subject: str) -> Step:
        """Return a list of tasks."""
        return call("todo_write", todos=[{"id": "1", "content": subject, "status": "pending"}])


class Copilot(Other):
    """GitHub's Copilot CLI, offline."""

    NAME, WRITES = "copilot", ("parser.py",)  # it makes no folders

    def variables(self) -> dict[str, str]:
        """Return the address of the API."""
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_TYPE": "openai",
            "COPILOT_PROVIDER_BASE_URL": self.api_url,
            "COPILOT_PROVIDER_API_KEY": "no-real-key",
            "COPILOT_MODEL": "gpt-5",
        }

    def words(self, prompt: str, resume: str) -> list[str]:
        """Return the command line."""
        return ["-p", prompt, "--allow-all-tools", *([f"--resume={resume}"] if resume else [])]

    def writes(self) -> list[Step]:
        """Return a new file, and an edit that fails."""
        return [
            call("create", path=str(self.project / "parser.py"), file_text="x = 1\n"),
            call("edit", path=str(self.project / "README.md"), old_str="missing", new_str="y"),
        ]

    def edits(self) -> list[Step]:
        """Return an edit."""
        return [call("edit", path=str(self.project / "README.md"), old_str="# A", new_str="# The")]

    def shell(self, line: str) -> Step:
        """Return a call of its shell."""
        return call("bash", command=line, description="run it")


class Opencode(Other):
    """The client opencode."""

    NAME, FULL, SETTINGS = "opencode", 59_500, ".config/opencode/opencode.json"
    COMPACTS_AT_ONCE = True

    def settings(self) -> str:
        """Return the settings, with a model of a small context."""
        model = {"name": "scripted", "limit": {"context": 60_000, "output": 1_000}, "tool_call": True}
        reached = {"baseURL": self.api_url, "apiKey": "no-real-key"}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": reached, "models": {"scripted": model}}
        chosen = {
            "$schema": "https://opencode.ai/config.json",
            "autoupdate": False,
            "share": "disabled",
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "permission": {"*": "allow"},
            "provider": {"scripted": {"name": "scripted", **provider}},
        }
        return json.dumps(chosen)

    def variables(self) -> dict[str, str]:
        """Return that it fetches nothing; it would try to fetch the types of plugins again and again."""
        return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "npm_config_fetch_retries": "0"}

    def command(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run opencode, which may end with a lock that nobody holds; its next start would wait a minute for it."""
        done = super().command(*args)
        shutil.rmtree(self.home / ".local/state/opencode/locks", ignore_errors=True)
        return done

    def words(self, prompt: str, resume: str) -> list[str]:
        """Return the command line."""
        return ["run", *(["--session", resume] if resume else []), prompt]

    def writes(self) -> list[Step]:
        """Return a new file, and an edit that fails."""
        parser, readme = str(self.project / "src/parser.py"), str(self.project / "README.md")
        return [
            call("write", filePath=parser, content="x = 1\n"),
            call("edit", filePath=readme, oldString="missing", newString="y"),
        ]

    def edits(self) -> list[Step]:
        """Return an edit."""
        return [call("edit", filePath=str(self.project / "README.md"), oldString="# A", newString="# The")]

    def shell(self, line: str) -> Step:
        """Return a call of its shell."""
        return call("bash", command=line, description="run it")

    def task(self, subject: str) -> Step:
        """Return a list of tasks."""
        return call("todowrite", todos=[{"content": subject, "status": "pending", "priority": "high"}])


class Droid(Other):
    """Factory's Droid with a model of its own; only its server could resume a session."""

    NAME, SETTINGS = "droid", ".factory/settings.json"
    RESUMES = PROMPTS = False

    def settings(self) -> str:
        """Return the settings with the model."""
        model = {"id": "custom:scripted", "model": "scripted", "displayName": "Scripted", "apiKey": "no-real-key"}
        limits = {"maxOutputTokens": 1_000, "maxContextLimit": 60_000}
        reached = {"baseUrl": self.api_url, "provider": "generic-chat-completion-api"}
        return json.dumps({"customModels": [{**model, **reached, **limits}], "cloudSessionSync": False})

    def variables(self) -> dict[str, str]:
        """Return a key that is none."""
        return {"FACTORY_API_KEY": "fk-no-real-key"}

    def words(self, prompt: str, _resume: str) -> list[str]:
        """Return the command line."""
        return ["exec", "--skip-permissions-unsafe", "--model", "custom:scripted", prompt]

    def writes(self) -> list[Step]:
        """Return a new file, and an edit that fails."""
        parser, readme = str(self.project / "src/parser.py"), str(self.project / "README.md")
        return [
            call("Create", file_path=parser, content="x = 1\n"),
            call("Edit", file_path=readme, old_str="missing", new_str="y"),
        ]

    def edits(self) -> list[Step]:
        """Return an edit."""
        return [call("Edit", file_path=str(self.project / "README.md"), old_str="# A", new_str="# The")]

    def shell(self, line: str) -> Step:
        """Return a call of its shell."""
        why = {"riskLevel": "low", "riskLevelReason": "it is a test", "summary": "run it"}
        return call("Execute", command=line, timeout=30, **why)


OTHERS: dict[str, type[Other]] = {kind.NAME: kind for kind in (Codex, Gemini, Qwen, Copilot, Opencode, Droid)}


def _patch(changes: str) -> Step:
    return custom("apply_patch", f"*** Begin Patch\n{changes}*** End Patch\n")
