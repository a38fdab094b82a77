"""The optional mod in the real client: a line above the prompt, /hf without the model, requests in a compaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.client.api import text, text_of
from tests.client.steps import new, write
from tests.support.plugin import settled

if TYPE_CHECKING:
    from tests.client.api import Api
    from tests.client.claude import Claude

pytestmark = [pytest.mark.timeout(240), pytest.mark.slow]


def test_line_command_and_compaction(ready: Claude, api: Api, client_version: str) -> None:
    """All by the module alone, which runs the command of the plugin beside it."""
    if client_version == "2.1.197":
        pytest.skip("this client is older than mods")
    assert ready.plugin_dir
    session = new()
    checked = ready.plugin("validate", str(ready.plugin_dir / "plugin/mod"))
    assert "error" not in checked.stdout.replace("0 errors", ""), checked.stdout
    assert checked.returncode == 0
    api.script([write(ready, "src/tax.py")], [text("The rates are read.")])
    with ready.terminal("--plugin-dir", str(ready.plugin_dir / "plugin/mod"), "--session-id", session) as terminal:
        terminal.send("Fix the tax")
        terminal.wait_for("The rates are read.")
        settled(ready.project, session)
        terminal.wait_for("holdfast: Fix the tax")
        asked = len(api.requests("main"))
        terminal.send("/hf list")
        terminal.wait_for(session[:8])
        assert len(api.requests("main")) == asked
        terminal.send("/compact")
        terminal.wait_for("Compacted (ctrl+o")
        terminal.send("/exit")
        terminal.wait_closed()
    steering = text_of(api.requests("compaction")[-1])
    assert "Keep the latest requests of the user word for word:\n\n> Fix the tax" in steering
