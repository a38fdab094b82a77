"""Clients other than Claude Code: their newest versions, fetched once with npm and kept in the user's cache."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from filelock import FileLock

from .fetch import NPM_LIMIT, ClientUnavailableError, cache_folder


@dataclass(frozen=True)
class Package:
    """An npm package with a client: its name, and a pattern of the path of its program below node_modules."""

    name: str
    program: str


_CHIP = "arm64" if platform.machine().lower() in ("aarch64", "arm64") else "x64"
PACKAGES = {
    "codex": Package("@openai/codex", "@openai/codex-*/vendor/*/bin/codex"),
    "gemini": Package("@google/gemini-cli", "@google/gemini-cli/bundle/gemini.js"),
    "qwen": Package("@qwen-code/qwen-code", "@qwen-code/qwen-code/cli-entry.js"),
    "copilot": Package("@github/copilot", "@github/copilot-*/copilot"),
    "opencode": Package("opencode-ai", f"opencode-{sys.platform}-{_CHIP}/bin/opencode"),
    "droid": Package(f"@factory/cli-{sys.platform}-{_CHIP}", f"@factory/cli-{sys.platform}-{_CHIP}/bin/droid"),
    "node": Package("node@22", "node/bin/node"),  # the oldest that runs all clients
}


@cache
def program(client: str) -> Path:
    """Return the program of a client's newest version; ClientUnavailableError if it can neither be found nor fetched.

    Without a registry that answers, the newest version that was fetched before counts.
    """
    package = PACKAGES[client]
    folder = cache_folder() / client
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        try:
            version = json.loads(_npm("view", package.name, "version", "--json"))
            version = version[-1] if isinstance(version, list) else version
        except ClientUnavailableError:
            known = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
            if not known:
                raise
            return _found(package, known[-1])
        if not (folder / version).exists():
            _install(package, version, folder)
        return _found(package, folder / version)


def _install(package: Package, version: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        scripts = () if folder.name == "node" else ("--ignore-scripts",)  # one fetches the program of this machine
        options = ("--prefix", scratch, "--no-audit", "--no-fund", *scripts, "--engine-strict=false")
        _npm("install", *options, "--loglevel", "error", f"{package.name.removesuffix('@22')}@{version}")
        Path(scratch).rename(folder / version)
        Path(scratch).mkdir()  # so that there is something to remove


def _found(package: Package, folder: Path) -> Path:
    found = sorted((folder / "node_modules").glob(package.program))
    if not found:
        raise ClientUnavailableError(f"{package.name} in {folder} has no {package.program}")
    return found[0]


def _npm(*args: str) -> str:
    try:
        done = subprocess.run(["npm", *args], capture_output=True, text=True, timeout=NPM_LIMIT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ClientUnavailableError(f"npm {args[0]}: {error}") from error
    if done.returncode:
        raise ClientUnavailableError(f"npm {args[0]}: {done.stderr.strip()[-300:]}")
    return done.stdout.strip()
