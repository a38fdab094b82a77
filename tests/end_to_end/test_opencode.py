"""What only opencode has: a plugin in its process, which tells subagents, lists of tasks and the terminal apart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.client.models import call, say
from tests.client.steps import listed
from tests.client.terminal import Terminal
from tests.end_to_end.test_clients import ran
from tests.support.plugin import facts, settled, state_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.client.models import Json, Models
    from tests.client.others import Other

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def opencode(installed: Callable[[str], Other]) -> Other:
    """Give opencode with holdfast."""
    return installed("opencode")


def test_a_subagent_belongs_to_its_session(opencode: Other, models: Models) -> None:
    """It is journaled with its type and its answer, its edit is the session's, and it is no session of its own."""
    path = str(opencode.project / "src/child.py")
    models.script(
        [call("task", description="the child", prompt="Write it", subagent_type="general")],
        [call("write", filePath=path, content="x = 1\n")],
        [say("The child is done.")],
        [say("All is done.")],
    )
    ran(opencode, "Let a child write it")
    (ident,) = listed(opencode)
    children = facts(opencode.project, ident, "child")
    assert [(child["status"], child["type"]) for child in children] == [
        ("running", "general"),
        ("completed", "general"),
    ]
    assert children[-1]["text"] == "The child is done."
    (edit,) = facts(opencode.project, ident, "edit")
    assert (edit["path"], edit["agent"]) == ("src/child.py", children[0]["agent"])
    assert [fact["text"] for fact in facts(opencode.project, ident, "prompt")] == ["Let a child write it"]
    assert [fact["text"] for fact in facts(opencode.project, ident, "answer")] == ["All is done."]


def _todos(*rows: tuple[str, str]) -> Json:
    return call("todowrite", todos=[{"content": name, "status": status, "priority": "high"} for name, status in rows])


def test_a_shorter_list_drops_tasks(opencode: Other, models: Models) -> None:
    """The state file has the tasks of the last list; what was cancelled or is no longer listed is not open."""
    models.script(
        [_todos(("Read headers", "in_progress"), ("Sum totals", "pending"), ("Print", "pending"))],
        [_todos(("Read headers", "completed"), ("Sum totals", "cancelled"))],
        [say("Done.")],
    )
    ran(opencode, "Do all of it")
    (ident,) = listed(opencode)
    settled(opencode.project, ident)
    found = {fact["id"]: fact["status"] for fact in facts(opencode.project, ident, "task")}
    assert found == {"1": "completed", "2": "deleted", "3": "deleted"}
    (state,) = state_files(opencode.project)
    assert "- [ ]" not in state.read_text()


def test_a_person_at_the_terminal(opencode: Other, models: Models) -> None:
    """What was left is shown as a notice; prompt and answer are journaled, and the end when the client is closed."""
    path = str(opencode.project / "src/a.py")
    models.script([call("write", filePath=path, content="x\n")], [say("Totals are next.")])
    ran(opencode, "Parse the invoices")
    (first,) = listed(opencode)
    settled(opencode.project, first)
    models.script([say("Hello yourself.")])
    command = [str(opencode.command_folder / "opencode"), "--prompt", "Hello"]
    with Terminal(command, opencode.project, opencode.env) as terminal:
        terminal.wait_for('"Parse the invoices" (now): holdfast resume ')
        terminal.wait_for("Hello yourself.")
        (second,) = set(listed(opencode)) - {first}
        (start,) = facts(opencode.project, second, "start")
        assert Path(f"/proc/{start['pid']}").exists()
    settled(opencode.project, second)
    assert [fact["text"] for fact in facts(opencode.project, second, "prompt")] == ["Hello"]
    assert [fact["text"] for fact in facts(opencode.project, second, "answer")] == ["Hello yourself."]
    assert facts(opencode.project, second, "end")
