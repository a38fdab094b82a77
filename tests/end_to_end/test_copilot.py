"""What only Copilot CLI has: nothing follows a compaction, which a program cannot begin."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.end_to_end.test_clients import work

if TYPE_CHECKING:
    from tests.client.models import Models
    from tests.client.others import Other

pytestmark = pytest.mark.timeout(240)


def _fire(copilot: Other, event: str, session: str, **fields: Any) -> dict[str, Any]:
    """Send an event as the client does and return the answer; the session's process is this one."""
    hooks = copilot.plugin_dir / "hooks"
    payload = {"session_id": session, "cwd": str(copilot.project), "hook_event_name": event, **fields}
    done = subprocess.run(
        [str(hooks / "launch"), str(hooks / "event.py"), "copilot", event],
        input=json.dumps(payload).encode(),
        env=copilot.env,
        check=True,
        stdout=subprocess.PIPE,
    )
    answer: dict[str, Any] = json.loads(done.stdout or b"{}")
    return answer


def test_after_a_compaction_the_next_prompt_has_the_own_state(copilot: Other, models: Models) -> None:
    """Its own state is reported with the next prompt, and once."""
    ident = work(copilot, models)
    _fire(copilot, "SessionStart", ident, source="resume")
    assert _fire(copilot, "PreCompact", ident, trigger="manual") == {}
    reported = _fire(copilot, "UserPromptSubmit", ident, prompt="Go on")["additionalContext"]
    assert "This session's state file" in reported
    assert "parser.py" in reported
    assert _fire(copilot, "UserPromptSubmit", ident, prompt="And on") == {}
