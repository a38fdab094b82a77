"""The packages that holdfast is on: lent by the environment of the tests, or downloaded, to be built offline."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from .machine import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK = ROOT / "plugin/requirements.txt"
MCP_LOCK = ROOT / "plugin/requirements-mcp.txt"

SITE = f"site-{sys.version_info[0]}.{sys.version_info[1]}"
STAMP = "holdfast-requirements.txt"


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Give a folder with the wheels that the lock names."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "wheels"
    with FileLock(f"{folder}.lock"):
        if not (folder / "complete").exists():
            subprocess.run(
                [
                    *(sys.executable, "-I", "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
                    *("--require-hashes", "--no-deps", "--only-binary", ":all:"),
                    *("--requirement", LOCK, "--dest", folder),
                ],
                check=True,
                stdin=subprocess.DEVNULL,
            )
            (folder / "complete").touch()
    return folder


def offline(wheels: Path) -> dict[str, str]:
    """Return the environment in which pip takes packages from a folder only."""
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": "/dev/null"}


def lend(folder: Path, lock: Path = LOCK, kind: str = "site") -> None:
    """Make a data folder hold links to the installed packages, in the versions that the locks name."""
    site = folder / SITE.replace("site", kind)
    site.mkdir()
    for name, version in re.findall(r"^([\w-]+)==([\w.]+)", lock.read_text(), re.MULTILINE):
        assert metadata.version(name) == version, f"{name} {version} is not installed: make venv"
        for place in _places(metadata.distribution(name)):
            (site / place.name).symlink_to(place)
    shutil.copy(lock, site / STAMP)


def _places(found: metadata.Distribution) -> Iterator[Path]:
    """Yield what a distribution has put beside all others: its packages, modules and metadata."""
    names = {file.parts[0] for file in found.files or [] if file.parts[0] not in ("..", "__pycache__")}
    yield from (Path(str(found.locate_file(name))) for name in sorted(names))
