"""The board resumes the real client at three sizes, and is there again when the client ends."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.client.api import text
from tests.client.claude import READY
from tests.client.steps import write
from tests.client.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = [pytest.mark.timeout(240), pytest.mark.slow]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
def test_it_resumes_the_client(ready: Claude, api: Api, tmp_path: Path, size: tuple[int, int]) -> None:
    """The conversation goes on where it was; afterwards the board shows what was done meanwhile."""
    assert ready.plugin_dir
    api.script([write(ready, "src/parser.py")], [text("The parser reads headers.")])
    assert ready.run("Parse the invoices").returncode == 0
    folder = tmp_path / "bin"
    folder.mkdir()
    options = f'--plugin-dir "{ready.plugin_dir}" --permission-mode acceptEdits'
    (folder / "claude").write_text(f'#!/bin/sh\nexec "{ready.binary}" {options} "$@"\n')
    (folder / "claude").chmod(0o755)
    environment = {**ready.env, "PATH": f"{folder}{os.pathsep}{ready.path}"}
    api.script([text("The totals are next.")])
    with Terminal([str(ready.plugin_dir / "bin/holdfast"), "board"], ready.project, environment, size) as terminal:
        terminal.wait_for("STATE FILE")
        terminal.wait_for("Parse the invoices")
        terminal.key("Enter")
        terminal.wait_for(READY, 90)
        terminal.wait_for("The parser reads headers.")
        terminal.send("What is next?")
        terminal.wait_for("The totals are next.", 90)
        terminal.send("/exit")
        terminal.wait_until_shown("Resume p Pause", 90)
        terminal.type("q")
        terminal.wait_closed()
