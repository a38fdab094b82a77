"""Commits are facts: the state file and the next session name those of a session, and a search finds them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.support import hooks

if TYPE_CHECKING:
    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared


def _edited(project: Project, path: str, session: str = "one") -> None:
    (project.root / path).write_text(f"{path} of {session}\n")
    project.edit(path, session)


def _commit(project: Project, subject: str, *paths: str) -> str:
    project.git("add", *paths)
    project.git("commit", "-q", "-m", subject, "--", *paths)
    return project.git("rev-parse", "HEAD").strip()


def _stop(project: Project, session: str = "one") -> None:
    project.fire("Stop", session)
    project.settled()


def test_commits_are_named_with_subject_and_files(prepared: Project) -> None:
    """Also those that a person makes; state file, the next session's brief, and search."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="round the tax to cents")
    _edited(prepared, "tax.py")
    name = _commit(prepared, "Round the tax to cents", "tax.py")
    _edited(prepared, "rates.py")
    _stop(prepared)
    (fact,) = prepared.facts(kind="commit")
    assert (fact["id"], fact["subject"], fact["paths"]) == (name, "Round the tax to cents", ["tax.py"])
    (file,) = prepared.state_files()
    assert f" - Commit\n\n{name[:7]} Round the tax to cents\n" in file.read_text()
    prepared.fire("SessionEnd")
    prepared.settled()
    assert f"Commits: {name[:7]} Round the tax to cents\n" in prepared.fire("SessionStart", "two").context
    assert "Round the tax" in prepared.cli("search", "cents").out


def test_a_commit_counts_once_and_amended_as_it_is_now(prepared: Project) -> None:
    """However often the session is settled."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="round the tax to cents")
    _edited(prepared, "tax.py")
    _commit(prepared, "Round", "tax.py")
    _stop(prepared)
    prepared.git("commit", "-q", "--amend", "--no-edit", "--date", "2020-01-01T00:00:00Z")
    name = prepared.git("rev-parse", "HEAD").strip()
    _edited(prepared, "rates.py")
    _stop(prepared)
    _stop(prepared)
    assert prepared.facts(kind="commit")[-1]["id"] == name
    (file,) = prepared.state_files()
    assert file.read_text().count(f"{name[:7]} Round") == file.read_text().count(" Round\n") == 1


def test_what_another_session_committed_is_not_named(prepared: Project) -> None:
    """Nor what was committed before the session."""
    prepared.fire("SessionStart")
    prepared.fire("SessionStart", "two")
    _edited(prepared, "mine.py")
    _edited(prepared, "theirs.py", "two")
    _commit(prepared, "Theirs", "theirs.py")
    _commit(prepared, "Mine", "mine.py")
    _stop(prepared)
    assert [fact["subject"] for fact in prepared.facts(kind="commit")] == ["Mine"]


def test_a_turn_that_commits_all_leaves_the_tree_clean(prepared: Project) -> None:
    """The commit waits in the journal; the file is not changed for it."""
    prepared.fire("SessionStart")
    _edited(prepared, "tax.py")
    _stop(prepared)
    _commit(prepared, "All of it", ".")
    _stop(prepared)
    assert prepared.facts(kind="commit")
    assert prepared.git("status", "--porcelain") == ""


def test_the_brief_names_commits_since_the_session(prepared: Project) -> None:
    """Those by hand, after it ended, which are not its own; only in its working tree."""
    prepared.fire("SessionStart")
    prepared.fire("UserPromptSubmit", prompt="round the tax to cents")
    _edited(prepared, "tax.py")
    _stop(prepared)
    prepared.fire("SessionEnd")
    prepared.settled()
    time.sleep(1.1)  # git counts whole seconds
    name = _commit(prepared, "By hand", "tax.py")
    assert f"Commits here since then: {name[:7]} By hand\n" in prepared.fire("SessionStart", "two").context
    prepared.git("switch", "-q", "-c", "rooms", "HEAD~")
    assert f"Commits here since then: {name[:7]} By hand (on main)\n" in prepared.fire("SessionStart", "three").context
