"""Before an edit one line says what was tried with that file, or decided about it, in an earlier session; once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project, Reply

here, prepared = hooks.here, hooks.prepared
GIVEN_UP = "I tried a lock file, which did not work on the network share."


def _turn(
    project: Project, path: str, answer: str, session: str = "one", prompt: str = "make it faster please"
) -> None:
    project.fire("UserPromptSubmit", session, prompt=prompt)
    project.edit(path, session)
    project.fire("Stop", session, last_assistant_message=answer)


def _before(project: Project, path: str, session: str = "two") -> Reply:
    given = {"file_path": str(project.root / path), "old_string": "1", "new_string": "2"}
    return project.fire("PreToolUse", session, tool_name="Edit", tool_input=given)


def _first(project: Project, answer: str = GIVEN_UP) -> None:
    project.fire("SessionStart")
    _turn(project, "src/cache.py", answer)
    _turn(project, "src/rates.py", "The rates are read once.")
    project.fire("SessionEnd")
    project.settled()
    project.fire("SessionStart", "two")


def test_the_file_of_a_given_up_attempt(prepared: Project) -> None:
    """It was edited in the turn that says so; told once for each session, and of no other file."""
    _first(prepared)
    assert GIVEN_UP in _before(prepared, "src/cache.py").context
    assert _before(prepared, "src/cache.py").out == ""
    assert _before(prepared, "src/rates.py").out == ""
    prepared.fire("SessionStart", "three")
    assert "in another session: " in _before(prepared, "src/cache.py", "three").context


def test_a_file_that_is_named_counts_alone(prepared: Project) -> None:
    """The text says which file it is about."""
    prepared.fire("SessionStart")
    _turn(prepared, "src/cache.py", "Done.")
    _turn(prepared, "src/rates.py", "I tried a lock in cache.py, which did not work.")
    prepared.fire("SessionEnd")
    prepared.settled()
    prepared.fire("SessionStart", "two")
    assert "which did not work" in _before(prepared, "src/cache.py").context
    assert _before(prepared, "src/rates.py").out == ""


def test_a_decision_about_a_file(prepared: Project) -> None:
    """An answer to a question that names it."""
    prepared.fire("SessionStart")
    _turn(prepared, "src/cache.py", "Should cache.py keep the entries in memory?")
    _turn(prepared, "src/rates.py", "It does.", prompt="yes, never on disk")
    prepared.fire("SessionEnd")
    prepared.settled()
    prepared.fire("SessionStart", "two")
    assert "never on disk" in _before(prepared, "src/cache.py").context


def test_the_session_itself_is_not_told(prepared: Project) -> None:
    """It knows."""
    _first(prepared)
    assert _before(prepared, "src/cache.py", "one").out == ""


def test_what_was_forgotten_is_not_told(prepared: Project) -> None:
    """The text is in the journal only."""
    _first(prepared)
    assert prepared.cli("forget", "lock file", "--yes").code == 0
    assert "lock file" not in _before(prepared, "src/cache.py").out
