"""Moving the files of holdfast between the working tree and git's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.cli import preparing
from holdfast.core.errors import HoldfastError
from holdfast.project import paths
from holdfast.sessions.workspace import Workspace
from tests.support import hooks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hooks import Project

here, prepared = hooks.here, hooks.prepared


def test_private_files_need_a_git_folder(tmp_path: Path) -> None:
    """Where there is no git, nothing is moved and the error says what to type."""
    (tmp_path / ".agents").mkdir()
    (tmp_path / ".agents/holdfast.toml").touch()
    with pytest.raises(HoldfastError, match=r"there is no git here\. Type: git init"):
        preparing.to_private(Workspace(paths.locate(str(tmp_path))))
    assert (tmp_path / ".agents/holdfast.toml").exists()


@pytest.mark.parametrize("way", ["--private", "--shared"])
@pytest.mark.parametrize("command", ["rebase", "merge", "cherry-pick"])
def test_nothing_is_moved_while_git_is_in_the_middle_of_something(prepared: Project, way: str, command: str) -> None:
    """A tracked file that is gone would stop git; the refusal says what to type, and git then goes on."""
    if way == "--private":
        prepared.write_state()
    else:
        assert prepared.cli("init", "--private").code == 0
    for branch in ("side", "main"):
        prepared.git("checkout", "-q", *(["-b"] if branch == "side" else []), branch)
        (prepared.root / "b.txt").write_text(f"{branch}\n")
        prepared.git("add", "--all")
        prepared.git("commit", "-q", "-m", branch)
    prepared.git("checkout", "-q", "side")
    with pytest.raises(AssertionError):  # the conflict
        prepared.git(command, "main")
    before = prepared.git("status", "--porcelain")
    reply = prepared.cli("init", way, "--yes")
    assert reply.code == 1
    assert "nothing was moved: git is in the middle of a " + command in reply.err
    assert f"(git {command} --continue) or end it (git {command} --abort), then try again." in reply.err
    assert prepared.git("status", "--porcelain") == before
    (prepared.root / "b.txt").write_text("both\n")
    prepared.git("add", "b.txt")
    prepared.git("-c", "core.editor=true", command, "--continue")
    assert prepared.cli("init", way, "--yes").code == 0


def test_files_that_git_knew_are_gone_from_its_index(prepared: Project) -> None:
    """Their removal is staged and reported, and what git never had is only moved."""
    for name in ("20251204-143000-parser.md", "20251204-150000-printer.md"):
        path = prepared.write_state(name)
        if "parser" in name:
            prepared.git("add", "--", str(path))
            prepared.git("commit", "-q", "-m", "State")
    reply = prepared.cli("init", "--private", "--yes")
    assert "1 file of these was in git; commit the removal.\nEarlier commits keep their text." in reply.out
    assert prepared.git("status", "--porcelain", "--", ".agents/sessions").splitlines() == [
        "D  .agents/sessions/20251204-143000-parser.md"
    ]


def test_files_that_leave_the_private_folder_are_staged(prepared: Project) -> None:
    """So that a commit shares them; settings that git never had are not among them."""
    assert prepared.cli("init", "--private").code == 0
    prepared.fire("SessionStart")
    prepared.edit("a.txt")
    prepared.rested()
    assert prepared.cli("init", "--shared").code == 0
    (name,) = prepared.staged()
    assert name.startswith(".agents/sessions/")
