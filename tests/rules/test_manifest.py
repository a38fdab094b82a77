"""The manifests: what Claude Code and the build read, and that both read the same."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from typing import TYPE_CHECKING

import pytest

from tests.documents.release import notes
from tests.support.machine import ROOT, Machine, clone

if TYPE_CHECKING:
    from pathlib import Path

PLUGIN = json.loads((ROOT / ".claude-plugin/plugin.json").read_text())
MARKET = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text())
MOD = json.loads((ROOT / "plugin/mod/.claude-plugin/plugin.json").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def tracked() -> list[str]:
    """Return the names of the files that make up the project."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_the_marketplace_offers_the_repository_itself() -> None:
    """The plugin is the whole repository; the optional mod is a folder of it, with the same version."""
    assert MARKET["name"] == "holdfast-tools"
    offered = [(plugin["name"], plugin["source"]) for plugin in MARKET["plugins"]]
    assert offered == [(PLUGIN["name"], "./"), (MOD["name"], "./plugin/mod")]
    assert MOD["version"] == PLUGIN["version"]
    assert MOD["description"] == MARKET["plugins"][1]["description"]


def test_the_version_stands_in_one_place() -> None:
    """plugin.json names the version, the build reads it there, and the changelog knows it."""
    version = PLUGIN["version"]
    hatch = PROJECT["tool"]["hatch"]["version"]
    found = re.search(hatch["pattern"], (ROOT / hatch["path"]).read_text())
    assert found
    assert found["version"] == version
    assert "version" not in PROJECT["project"]
    assert not any("version" in plugin for plugin in MARKET["plugins"])
    assert notes((ROOT / "CHANGELOG.md").read_text(), version)


def test_an_install_mentions_no_option() -> None:
    """The client counts options as "not yet set" even where each has a default."""
    assert "userConfig" not in PLUGIN


def test_licence_and_description_agree() -> None:
    """Licence and description are the same for Claude Code, the build and the reader."""
    assert PLUGIN["license"] == PROJECT["project"]["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License")
    assert PLUGIN["description"] == PROJECT["project"]["description"] == MARKET["plugins"][0]["description"]


def test_every_lint_exception_has_its_reason() -> None:
    """No rule is switched off without a word on the same line."""
    text = (ROOT / "pyproject.toml").read_text()
    rules = re.findall(r'^ *"[A-Z]+[0-9]*",.*$', text, re.MULTILINE)
    assert rules
    assert [rule for rule in rules if not re.search(r"# \S+ \S+", rule)] == []
    lines = [line for name in tracked() if name.endswith(".py") for line in (ROOT / name).read_text().splitlines()]
    assert [line for line in lines if re.search(r"# noqa: [A-Z0-9, ]+$", line)] == []


@pytest.mark.parametrize("pattern", [r"/(?:root|home/\w+|Users/\w+)/\w", r"\b(?:pypi|npmjs|pythonhosted)\.org\b"])
def test_no_file_names_this_machine_or_a_registry(pattern: str) -> None:
    """Nobody's home and no package index is written into the project."""
    own = "tests/rules/test_manifest.py"
    texts = {name: (ROOT / name).read_bytes().decode("utf-8", "replace") for name in tracked()}
    found = {name for name, text in texts.items() if name != own and re.search(pattern, text)}
    assert found == set()


@pytest.mark.parametrize("what", [".", ".claude-plugin/plugin.json"])
def test_claude_code_accepts_the_plugin(tmp_path: Path, client_binary: Path, what: str) -> None:
    """The strictest check that the client itself has passes without a warning, as does that of its directory.

    Clients without the profile do not know all fields of the manifest, warn about them and ignore them.
    """
    machine = Machine(tmp_path / "machine")
    root = clone(tmp_path / "clone")
    knows = "--profile" in machine.run(client_binary, "plugin", "validate", "--help").stdout
    strictest = ["--strict", "--profile", "directory"] if knows else []
    done = machine.run(client_binary, "plugin", "validate", root / what, *strictest)
    assert done.returncode == 0, done.stdout + done.stderr
