"""Several real clients in one repository: the work that one begins is known to the others, and conflicts are told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.client.api import Hold, text
from tests.client.openai import custom, say
from tests.client.steps import command, listed, new, write
from tests.support.plugin import facts, settled

if TYPE_CHECKING:
    from tests.client.api import Api
    from tests.client.claude import Claude
    from tests.client.codex import Codex
    from tests.client.openai import OpenAi

pytestmark = pytest.mark.timeout(240)
PARSER = "src/parser.py"
PATCH = """\
*** Begin Patch
*** Update File: src/parser.py
@@
-x = 1
+x = 2
*** Add File: src/totals.py
+y = 1
*** End Patch
"""


def test_work_goes_from_claude_code_to_codex(ready: Claude, api: Api, codex: Codex, openai: OpenAi) -> None:
    """Codex is told before it edits a file of a live Claude session; afterwards each is named with its own client."""
    first, hold = new(), Hold()
    api.script([write(ready, PARSER)], [hold, text("The parser reads headers; totals are next.")])
    process = ready.start("Parse the invoices", session_id=first)
    try:
        assert hold.reached.wait(60)
        openai.script([custom("apply_patch", PATCH)], [say("Totals are done.")])
        done = codex.run("Sum up the totals")
        assert done.returncode == 0, done.stderr
    finally:
        hold.release.set()
        process.communicate(timeout=60)
    (second,) = set(listed(ready)) - {first}
    assert [fact["path"] for fact in facts(ready.project, second, "edit")] == [PARSER, "src/totals.py"]
    brief, conflict = openai.requests[0], openai.requests[-1]
    assert f"Claude session {first[:8]}, live" in brief
    assert f'{PARSER} was changed just now by another live session, "Parse the invoices" (Claude session' in conflict
    assert "src/totals.py was changed" not in conflict

    for session in (first, second):
        settled(ready.project, session)
    rows = json.loads(command(ready, "resume", "--json"))
    commands = {row["id"]: row["command"].rpartition(" && ")[2] for row in rows}
    assert commands == {first: f"claude --resume {first}", second: f"codex resume {second}"}
    tree = command(ready, "tree")
    assert "Claude - Parse the invoices" in tree
    assert "Codex - Sum up the totals" in tree
    api.script([text("Hello.")])
    ready.run("What is left?", session_id=new())
    told = json.dumps([request.body for request in api.main_requests()[-1:]])
    assert f"Codex session {second[:8]}" in told
    assert "Totals are done." in told
