"""The real client shows the status line in its terminal, below the one that the user had before."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from holdfast.project import claude_registration, paths
from tests.client.api import text
from tests.client.steps import write

if TYPE_CHECKING:
    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = [pytest.mark.timeout(240), pytest.mark.slow]


def test_the_terminal_shows_the_line(ready: Claude, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Title, context and branch, after the first answer; removing it puts the settings back."""
    assert ready.plugin_dir
    monkeypatch.setattr(paths, "PLUGIN_ROOT", str(ready.plugin_dir))
    monkeypatch.setenv("HOLDFAST_DATA", ready.extra["HOLDFAST_DATA"])
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(ready.config))
    settings = ready.config / "settings.json"
    known = json.loads(settings.read_text()) if settings.exists() else {}
    before = json.dumps({**known, "statusLine": {"type": "command", "command": "echo what was there before"}})
    settings.write_text(before)
    claude_registration.add_status_line()
    api.script([write(ready, "src/parser.py")], [text("The parser reads headers.")])
    with ready.terminal(size=(80, 24)) as terminal:
        terminal.send("Parse the invoices")
        terminal.wait_for("The parser reads headers.")
        terminal.wait_for("Parse the invoices · 🟢")
        screen = terminal.wait_for("comfortable · main")
        terminal.send("/exit")
        terminal.wait_closed()
    assert "what was there before" in screen
    claude_registration.remove_status_line()
    assert settings.read_text() == before
