"""Clients of the wanted versions, fetched once with npm and kept in the user's cache."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path

NPM_LIMIT = 600.0
PINNED = "2.1.330"  # is in for the latest version where the registry does not say which one that is


class ClientUnavailableError(Exception):
    """A client that can neither be found nor fetched here; the text says why."""


@cache
def fetch(version: str) -> Path:
    """Give the path of the client of a version, or of the latest one, fetching it if needed.

    ClientUnavailableError when it is neither here nor can be downloaded.
    """
    exact = _latest() if version == "latest" else version
    folder = cache_folder() / exact
    binary = folder / ("claude.exe" if sys.platform == "win32" else "claude")
    if not binary.exists():
        _download(exact, folder)
    return binary


def package() -> str:
    """Give the name of the npm package that holds the client for this machine."""
    machine = platform.machine().lower()
    chip = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine, machine)
    musl = "-musl" if sys.platform == "linux" and platform.libc_ver()[0] != "glibc" else ""
    return f"@anthropic-ai/claude-code-{sys.platform}-{chip}{musl}"


def cached(name: str, version: str) -> Path:
    """Give the folder of an npm package in an exact version, fetching it if needed.

    ClientUnavailableError when it is neither here nor can be downloaded.
    """
    folder = cache_folder().parent / name / version
    if not folder.exists():
        _unpack(f"{name}@{version}", folder)
    return folder


def cache_folder() -> Path:
    """Return the folder with the clients that were fetched."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "holdfast-tests" / "clients"


def _latest() -> str:
    """Return the newest version that is published, or the pinned one where nobody says."""
    try:
        return str(json.loads(_npm("view", package(), "version", "--json")))
    except (ClientUnavailableError, ValueError):
        return PINNED


def _download(version: str, folder: Path) -> None:
    _unpack(f"{package()}@{version}", folder)


def _unpack(name: str, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        _npm("pack", name, "--silent", "--pack-destination", scratch)
        archive = next(Path(scratch).glob("*.tgz"))
        with tarfile.open(archive) as packed:
            packed.extraction_filter = getattr(tarfile, "data_filter", None)  # from Python 3.11.4
            packed.extractall(scratch)  # noqa: S202 - with the filter above
        try:
            (Path(scratch) / "package").rename(folder)
        except OSError:
            # Another worker was faster; its copy is as good.
            if not folder.exists():
                raise


def _npm(*args: str) -> str:
    try:
        done = subprocess.run(
            ["npm", *args],
            capture_output=True,
            text=True,
            timeout=NPM_LIMIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        message = f"npm {args[0]}: {error}"
        raise ClientUnavailableError(message) from error
    if done.returncode:
        message = f"npm {' '.join(args[:2])}: {done.stderr.strip()[-300:]}"
        raise ClientUnavailableError(message)
    return done.stdout
