"""The wheel alone: it gives a `holdfast` whose `holdfast install` registers the plugin, and takes it away again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.documents.release import notes
from tests.support.machine import Machine, clone
from tests.support.packages import offline
from tests.support.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 300.0  # seconds
CHANGELOG = "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-22\n\n- New\n\n## 0.1.0\n\n- First\n"


def _pip(*words: str | Path, cwd: Path) -> None:
    """Run pip of the environment of the tests."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *map(str, words)]
    done = subprocess.run(command, cwd=cwd, check=False, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_wheel_installs_the_plugin(tmp_path: Path, wheels: Path, client_binary: Path) -> None:
    """In an environment that has only the wheel and what it depends on, on a machine with no clone."""
    machine = Machine(tmp_path / "machine", offline(wheels))
    machine.add_python()
    (machine.tools / "claude").symlink_to(client_binary)
    root = clone(tmp_path / "clone")
    _pip("wheel", "--no-deps", "--wheel-dir", tmp_path / "dist", root, cwd=tmp_path)
    shutil.rmtree(root)
    (wheel,) = (tmp_path / "dist").glob("holdfast-*.whl")
    own = machine.folder / "environment"
    assert machine.run("python3", "-m", "venv", own).returncode == 0
    assert machine.run(own / "bin/pip", "install", "--quiet", wheel).returncode == 0
    command = own / "bin/holdfast"

    done = machine.run(command, "install")
    assert done.returncode == 0, done.stderr
    assert f"marketplace: added holdfast-tools from {own}/share/holdfast\n" in done.stdout
    (entry,) = _plugins(machine)
    assert (entry["id"], entry["enabled"]) == ("holdfast@holdfast-tools", True)
    assert machine.run(command, "--version").stdout == f"holdfast {entry['version']}\n"
    assert not (machine.home / ".local").exists()  # the command is the wheel's

    project = Repository.create(machine.work / "project")
    assert machine.run(command, "-C", project.folder, "init", "--shared").returncode == 0
    driver = project.git("config", "merge.holdfast.driver").decode()
    assert f"{own}/share/holdfast/bin/holdfast" in driver
    assert machine.run(own / "share/holdfast/bin/holdfast", "list").returncode == 0

    left = machine.run(command, "install", "--uninstall")
    assert (left.returncode, f"stays: {project.folder}/.git/holdfast" in left.stdout) == (0, True), left.stdout
    assert _plugins(machine) == []
    assert machine.run(command, "install", "--uninstall", "--all").returncode == 0
    assert not machine.data.exists()


def _plugins(machine: Machine) -> list[dict[str, Any]]:
    """Return what the client has, without the plugins that come with it."""
    found = json.loads(machine.run("claude", "plugin", "list", "--json").stdout)
    return [one for one in found if not one["id"].endswith("@builtin")]


def test_the_notes_of_a_release_are_its_section() -> None:
    """Not those of another version."""
    assert notes(CHANGELOG, "0.2.0") == "- New\n"


@pytest.mark.parametrize(("version", "problem"), [("0.3.0", "no section"), ("0.1.0", "no date")])
def test_a_version_without_a_dated_section_is_not_released(version: str, problem: str) -> None:
    """The error says what to add."""
    with pytest.raises(ValueError, match=problem):
        notes(CHANGELOG, version)
