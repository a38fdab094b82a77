"""The plugin of Claude Code: installed once, brought up to this clone's version, and left as it is after that."""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from holdfast.project import paths
from holdfast.project.claude_registration import Claude
from holdfast.project.client_registration import MARKET, PLUGIN, version
from tests.support.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

INSTALLED = f"plugin: installed {PLUGIN} {version()}, scope user"
ALREADY = f"plugin: already {PLUGIN} {version()}, scope user"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a stand-in for claude, which knows the marketplace of this clone."""
    shutil.copy(ROOT / "tests/support/fake_claude.py", tmp_path / "fake.py")
    program = tmp_path / "claude"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{tmp_path}/fake.py" "$@"\n')
    program.chmod(0o755)
    return tmp_path


def _added(folder: Path) -> list[str]:
    return _lines(folder)[1:]


def _lines(folder: Path) -> list[str]:
    with ExitStack() as undo:
        lines = Claude(str(folder / "claude")).add("user", undo)
        undo.pop_all()
    return lines


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, ALREADY),
        ({"version": "0.0.1"}, f"plugin: updated {PLUGIN} to {version()}, scope user"),
        ({"enabled": False}, f"{ALREADY}, switched off; to change that: claude plugin enable {PLUGIN}"),
    ],
)
def test_a_plugin_is_installed_once(folder: Path, changed: dict[str, object], expected: str) -> None:
    """The second time, only another version is changed; afterwards it is as wanted."""
    assert _added(folder) == [INSTALLED]
    kept = folder / "claude-state"
    markets, plugins = json.loads(kept.read_text())
    assert [one["id"] for one in plugins] == [PLUGIN]
    kept.write_text(json.dumps([markets, [{**plugins[0], **changed}]]))
    assert _added(folder) == [expected]
    assert _added(folder)[0].startswith(ALREADY)


def test_a_marketplace_of_another_name_does_not_count(folder: Path) -> None:
    """This clone is added beside it, and once."""
    other = {"name": "mine", "source": "directory", "path": str(folder)}
    (folder / "claude-state").write_text(json.dumps([[other], []]))
    assert _lines(folder)[0] == f"marketplace: added {MARKET} from {paths.PLUGIN_ROOT}"
    assert _lines(folder)[0] == f"marketplace: already {MARKET}"


def test_the_marketplace_is_read_anew_before_an_update(folder: Path) -> None:
    """The client takes the new version from what it last read of the marketplace."""
    _added(folder)
    kept = folder / "claude-state"
    markets, plugins = json.loads(kept.read_text())
    kept.write_text(json.dumps([markets, [{**plugins[0], "version": "0.0.1"}]]))
    (folder / "claude-log").unlink()
    _added(folder)
    changes = [line for line in (folder / "claude-log").read_text().splitlines() if "--json" not in line]
    assert changes == [f"marketplace update {MARKET}", f"update {PLUGIN} --scope user"]
