"""What the next session is given of a conversation: nothing twice, the session before it too, and what is newer."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here
FIRST = "I tried a cursor first, but it deadlocked with the writes, so I took it out again.\n\nNext: the docs."
SECOND = "The test is red. Shall I give the reader a flag?"


def talk(project: Project, session: str, prompt: str, answer: str, name: str = "") -> None:
    """Play one turn, with an edit of a file if it is named."""
    project.fire("UserPromptSubmit", session, prompt=prompt)
    if name:
        (project.root / name).write_text(prompt)
        project.edit(name, session)
    project.fire("Stop", session, last_assistant_message=answer)


def two_days(project: Project) -> None:
    """Leave work of two sessions on one branch."""
    project.fire("SessionStart", "monday")
    talk(project, "monday", "Make the nightly import faster", FIRST, "match.py")
    talk(project, "monday", "Never skip rows silently", "They are counted now.")
    project.fire("SessionEnd", "monday")
    project.fire("SessionStart", "tuesday")
    talk(project, "tuesday", "Go on with the test of duplicates", SECOND, "test_match.py")
    project.fire("SessionEnd", "tuesday")
    project.settled()


def test_the_brief_quotes_the_session_before_on_the_branch(prepared: Project) -> None:
    """Its objective, what it gave up and what the user prefers; it is not listed again."""
    two_days(prepared)
    brief = prepared.fire("SessionStart", "wednesday").context
    after = brief.partition("Before that:")[2]
    for text in ("Objective: Make the nightly import faster", "I tried a cursor first", "Never skip rows silently"):
        assert text in after
    assert brief.count('- "Make the nightly import faster" (') == 1
    assert "Unfinished work nearby" not in brief


def test_the_brief_quotes_a_later_session_that_only_talked(prepared: Project) -> None:
    """What it said is newer than what the work before it says, also where there is no work at all."""
    prepared.fire("SessionStart", "research")
    talk(prepared, "research", "Compare the two tax tables", "The second one is right: the first lacks 2024.")
    prepared.fire("SessionEnd", "research")
    assert "The second one is right: the first lacks 2024." in prepared.fire("SessionStart", "next").context
    two_days(prepared)
    prepared.fire("SessionStart", "later")
    talk(prepared, "later", "go on", "The test is green now, with a flag. Next is the report.")
    prepared.fire("SessionEnd", "later")
    brief = prepared.fire("SessionStart", "wednesday").context
    left, _, before = brief.partition("Before that:")
    assert "The test is green now, with a flag." in left
    assert SECOND.partition(".")[0] in before
    prepared.fire("SessionStart", "greeting")
    talk(prepared, "greeting", "hello", "Hello! All is well here.")
    prepared.fire("SessionEnd", "greeting")
    assert "All is well here" not in prepared.fire("SessionStart", "thursday").context


def test_the_brief_names_what_is_in_no_commit(prepared: Project) -> None:
    """Of the work that is quoted, and of the work before it on the branch; the state file is none of it."""
    two_days(prepared)
    brief = prepared.fire("SessionStart", "wednesday").context
    last, before = (line for line in brief.splitlines() if "Not committed: " in line)
    assert (" test_match.py" in last, " match.py" in last) == (True, False)
    assert (" test_match.py" in before, " match.py" in before) == (False, True)
    prepared.git("add", "-A")
    prepared.git("commit", "-q", "-m", "All")
    assert "Not committed" not in prepared.fire("SessionStart", "thursday").context


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ("It takes a second.\n\nNext: the docs.", ""),
        ("It takes a second. Count the skipped rows?", " Count the skipped rows?"),
    ],
)
def test_a_last_request_without_an_answer_is_next(prepared: Project, answer: str, asked: str) -> None:
    """A limit or a closed window ended the session; while a turn goes on, its request is no next step.

    Nor is it once it is answered. Where a person's words may not be quoted, it is named by what Claude had said.
    """
    prepared.fire("SessionStart", "one")
    talk(prepared, "one", "Make the nightly import faster", answer, "match.py")
    prepared.fire("UserPromptSubmit", "one", prompt="Count the rows that are skipped, too")
    assert prepared.cli("settle").code == 0
    (file,) = prepared.state_files()
    assert "got no answer" not in file.read_text()
    prepared.fire("SessionEnd", "one")
    prepared.settled()
    assert f"- The last request got no answer; Claude had said: It takes a second.{asked}" in file.read_text()
    prepared.fire("SessionStart", "one", source="resume")
    talk(prepared, "one", "go on", "They are counted.", "match.py")
    assert "got no answer" not in file.read_text()


def test_a_commit_has_no_words_that_it_makes_untrue(prepared: Project) -> None:
    """Nor does a later turn bring them back."""
    prepared.fire("SessionStart", "one")
    talk(prepared, "one", "Fix the tax", "The rates are right. Not committed: say so if you want it.", "tax.py")
    prepared.settled()
    (file,) = prepared.state_files()
    assert "> The rates are right. Not committed: say so if you want it." in file.read_text()
    assert prepared.cli("settle").code == 0
    prepared.fire("UserPromptSubmit", "one", prompt="commit it")
    time.sleep(0.05)  # the times of files and facts differ
    prepared.git("add", "-A")
    prepared.fire("PreToolUse", "one", tool_name="Bash", tool_input={"command": "git commit -m Tax"})
    assert "Not committed" not in file.read_text()
    assert "> The rates are right.\n" in file.read_text()
    prepared.git("add", "-A")
    prepared.git("commit", "-q", "-m", "Tax")
    prepared.fire("Stop", "one", last_assistant_message="Committed.")
    prepared.fire("SessionEnd", "one")
    prepared.settled()
    assert prepared.cli("pause", "one").code == 0
    assert "Not committed" not in file.read_text()


def test_nothing_stands_twice_in_a_brief(prepared: Project) -> None:
    """What is quoted as decided, given up or last is no part of the turns."""
    prepared.fire("SessionStart", "one")
    talk(prepared, "one", "Make the nightly import faster", f"{FIRST}\n\nPut the index back, too?", "match.py")
    talk(prepared, "one", "yes", "The index is back. It was dropped by migration 41.")
    talk(prepared, "one", "and the report?", "The report counts rows. Shall it page the ops?")
    prepared.fire("SessionEnd", "one")
    prepared.settled()
    brief = prepared.fire("SessionStart", "two").context
    for text in ("I tried a cursor first", "Put the index back, too?", "Shall it page the ops?", "migration 41"):
        assert brief.count(text) == 1, text


def test_a_hand_over_has_what_was_said_after_the_commit_of_everything(prepared: Project) -> None:
    """Hooks leave the clean tree alone; the command that a person types does not."""
    prepared.fire("SessionStart", "one")
    talk(prepared, "one", "Make the nightly import faster", "Half of it is done.", "match.py")
    prepared.settled()
    prepared.git("add", "-A")
    prepared.git("commit", "-q", "-m", "Everything")
    time.sleep(0.05)  # the times of files and facts differ
    talk(prepared, "one", "And the docs?", "They are left.\n\nNext steps:\n- write docs/import.md")
    prepared.settled()
    assert "docs/import.md" not in prepared.state_files()[0].read_text()
    assert prepared.git("status", "--porcelain") == ""
    assert prepared.cli("pause", "one").code == 0
    assert "docs/import.md" in (prepared.store / "private/.continue-here.md").read_text()
    assert "docs/import.md" in prepared.state_files()[0].read_text()


def test_a_hand_over_tells_of_the_session_before_in_claude_s_words_only(prepared: Project) -> None:
    """The hand-over is committed: what the user said stays in the store."""
    two_days(prepared)
    assert prepared.cli("pause", "tuesday").code == 0
    handed = (prepared.store / "private/.continue-here.md").read_text()
    assert "Before that on this branch: Make the nightly import faster" in handed
    assert "Given up then: I tried a cursor first" in handed
    assert "Never skip rows" not in handed
