"""What a start says of the session's own tasks: those that the client's own list lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared

LOST = "## Open tasks that the client's own list has lost (TaskCreate adds them again)\n"


def _listed(config: Path, name: str) -> None:
    (config / "tasks" / name).mkdir(parents=True)
    (config / "tasks" / name / "1.json").write_text("{}")


def _resumed(project: Project, config: Path) -> str:
    """Return what Claude reads when a session with two open tasks and a finished one is resumed."""
    transcript = str(config / "projects/-p/one.jsonl")
    project.fire("SessionStart", transcript_path=transcript)
    for number, subject in (("1", "Read the rates"), ("2", "Round them"), ("3", "Look around")):
        project.fire("TaskCreated", task_id=number, task_subject=subject)
    project.fire("TaskCompleted", task_id="3", task_subject="Look around")
    return project.fire("SessionStart", source="resume", transcript_path=transcript).context


@pytest.mark.parametrize("emptied", [False, True])
def test_tasks_that_the_client_lost_are_offered(prepared: Project, tmp_path: Path, *, emptied: bool) -> None:
    """The list may be gone, or empty: its folder has a lock then."""
    if emptied:
        (tmp_path / "tasks/one").mkdir(parents=True)
        (tmp_path / "tasks/one/.lock").touch()
    assert f"{LOST}- Read the rates\n- Round them\n" in _resumed(prepared, tmp_path)


@pytest.mark.parametrize("name", ["one", "team"])
def test_tasks_that_the_client_has_are_not_repeated(prepared: Project, tmp_path: Path, name: str) -> None:
    """A variable may name a list that several sessions share."""
    _listed(tmp_path, name)
    if name != "one":
        prepared.variables |= {"CLAUDE_CODE_TASK_LIST_ID": name}
    assert "has lost" not in _resumed(prepared, tmp_path)


def test_another_folder_of_transcripts_says_nothing_of_tasks(prepared: Project, tmp_path: Path) -> None:
    """Where the list would be is known only beside the client's own folder of transcripts."""
    prepared.fire("SessionStart", transcript_path=str(tmp_path / "one.jsonl"))
    prepared.fire("TaskCreated", task_id="1", task_subject="Read the rates")
    again = prepared.fire("SessionStart", source="resume", transcript_path=str(tmp_path / "one.jsonl"))
    assert "has lost" not in again.context
