"""The packages that holdfast stands on, downloaded once for a whole test run, so that tests install offline."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from .machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path


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
                    *("--requirement", ROOT / "plugin/requirements.txt", "--dest", folder),
                ],
                check=True,
                stdin=subprocess.DEVNULL,
            )
            (folder / "complete").touch()
    return folder


def offline(wheels: Path) -> dict[str, str]:
    """Return the environment in which pip takes packages from a folder only."""
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": "/dev/null"}
