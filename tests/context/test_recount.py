"""What an ended session left uncommitted, as a later start counts it: git is asked only if something was written."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.context import session_lines
from holdfast.context.checklist import unfinished
from holdfast.git import queries
from holdfast.project import paths
from holdfast.sessions.workspace import Workspace
from tests.support import hooks

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.sessions.session import Session
    from tests.support.hooks import Project

prepared, here = hooks.prepared, hooks.here


@pytest.fixture
def left(prepared: Project) -> Session:
    """Return a session of which one new file and one changed file were uncommitted when it was measured."""
    (prepared.root / "old.py").write_text("one = 1\n")
    prepared.git("add", "old.py")
    prepared.git("commit", "--quiet", "--message", "Old", "--", "old.py")
    for name in ("old.py", "new.py"):
        (prepared.root / name).write_text("two = 2\n")
        prepared.edit(name)
    workspace = Workspace(paths.locate(str(prepared.root)))
    session = workspace.recorded("one")
    measured = unfinished.measure(workspace, session)
    time.sleep(0.02)  # a file system's clock ticks every few milliseconds
    return session.replace(measured={**measured, "examples": ["new.py", "old.py"], "uncommitted": 2})


def names(session: Session) -> object:
    """Return the names that are counted as uncommitted."""
    assert session.measured
    assert isinstance(session.measured["examples"], list)
    assert len(session.measured["examples"]) == session.measured["uncommitted"]
    return session.measured["examples"]


def test_its_own_state_file_does_not_count(left: Session) -> None:
    """It is not the user's work, and goes along with their next commit."""
    names_left = [left.claimed_name, "new.py", "old.py"]
    with_state = left.replace(measured={**(left.measured or {}), "examples": names_left, "uncommitted": 3})
    assert left.claimed_name
    assert names(session_lines.recount(with_state)) == ["new.py", "old.py"]


def test_git_is_not_asked_if_nothing_was_written(left: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """A start after a session whose files are as they were starts no process."""

    def asked(*_: Any) -> None:
        raise AssertionError("git was asked")

    monkeypatch.setattr(queries, "uncommitted", asked)
    left = session_lines.recount(left)
    assert names(left) == ["new.py", "old.py"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda project: project.git("commit", "--quiet", "--all", "--message", "Done"), ["new.py"]),
        (lambda project: project.git("checkout", "--quiet", "--", "old.py"), ["new.py"]),
        (lambda project: (project.root / "old.py").write_text("one = 1\n"), ["new.py"]),
        (lambda project: (project.root / "new.py").unlink(), ["old.py"]),
        (lambda project: (project.root / ".gitignore").write_text("new.py\n"), ["old.py"]),
        (lambda project: (project.root / ".git/info/exclude").write_text("new.py\n"), ["old.py"]),
    ],
    ids=["commit", "checkout", "edit", "delete", "ignore", "exclude"],
)
def test_what_changed_since_is_counted(
    left: Session, prepared: Project, change: Callable[[Project], object], expected: list[str]
) -> None:
    """A commit, a checkout, an edit, a deletion and a new rule for ignored files show in the number."""
    change(prepared)
    left = session_lines.recount(left)
    assert names(left) == expected
