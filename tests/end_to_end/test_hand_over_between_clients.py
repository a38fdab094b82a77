"""Several real clients in one repository: the others know the work that one begins, and conflicts are reported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from holdfast.clients import catalogue
from tests.client.api import Hold, text
from tests.client.models import call, custom, say
from tests.client.steps import command, listed, new, write
from tests.support.plugin import facts, settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.client.api import Api
    from tests.client.claude import Claude
    from tests.client.models import Json, Models
    from tests.client.others import Other

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


def test_work_goes_from_claude_code_to_codex(ready: Claude, api: Api, codex: Other, models: Models) -> None:
    """Codex is warned before it edits a file of a live Claude session; afterwards each is named with its own client."""
    first, hold = new(), Hold()
    api.script([write(ready, PARSER)], [hold, text("The parser reads headers; totals are next.")])
    process = ready.start("Parse the invoices", session_id=first)
    try:
        assert hold.reached.wait(60)
        models.script([custom("apply_patch", PATCH)], [say("Totals are done.")])
        done = codex.run("Sum up the totals")
        assert done.returncode == 0, done.stderr
    finally:
        hold.release.set()
        process.communicate(timeout=60)
    (second,) = set(listed(ready)) - {first}
    assert [fact["path"] for fact in facts(ready.project, second, "edit")] == [PARSER, "src/totals.py"]
    brief, conflict = models.requests[0], models.requests[-1]
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
    reported = json.dumps([request.body for request in api.main_requests()[-1:]])
    assert f"Codex session {second[:8]}" in reported
    assert "Totals are done." in reported


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("gemini", call("write_file", file_path="src/report.py", content="z = 1\n")),
        ("opencode", call("write", filePath="src/report.py", content="z = 1\n")),
    ],
)
def test_work_begins_in_claude_code_and_ends_elsewhere(  # noqa: PLR0913, PLR0917 - three clients and their models
    name: str, step: Json, ready: Claude, api: Api, codex: Other, installed: Callable[[str], Other], models: Models
) -> None:
    """Three clients, one after the other: each reads what those before it did, and works on."""
    last = installed(name)
    first = new()
    api.script([write(ready, PARSER)], [text("The parser reads headers; totals are next.")])
    ready.run("Parse the invoices", session_id=first)
    settled(ready.project, first)

    models.script([custom("apply_patch", PATCH)], [say("Totals are done; the report is next.")])
    codex.run("Sum up the totals")
    (second,) = set(listed(ready)) - {first}
    settled(ready.project, second)
    assert f"Claude session {first[:8]}" in models.requests[0]
    assert "totals are next" in models.requests[0]

    asked = len(models.requests)
    models.script([step], [say("All is done.")])
    last.run("Write the report")
    (third,) = set(listed(ready)) - {first, second}
    settled(ready.project, third)
    reported = next(request for request in models.requests[asked:] if "holdfast-" in request)
    assert f"Claude session {first[:8]}" in reported
    assert f"Codex session {second[:8]}" in reported
    assert "the report is next" in reported
    tree = command(ready, "tree")
    for line in ("Claude - Parse the invoices", "Codex - Sum up the totals", f"{last.short} - Write the report"):
        assert line in tree
    rows = json.loads(command(ready, "resume", "--json"))
    commands = {row["id"]: row["command"].rpartition(" && ")[2] for row in rows}
    assert commands == {
        first: f"claude --resume {first}",
        second: f"codex resume {second}",
        third: catalogue.of(name).RESUME.format(id=third),
    }
